"""Quantities in something that shows how much it could hold."""

from __future__ import annotations

import math

from covary.build.pictures.drawing import objects as o
from covary.build.pictures.drawing import scenery as s
from covary.build.pictures.drawing.svg import (
    circle,
    ellipse,
    line,
    path,
    polar,
    polygon,
    rect,
)
from covary.build.pictures.spec import PictureSpec

PAINTS = ("#b23a3a", "#3f6f9f", "#d8d8d4", "#4d7a55", "#c79a2e", "#5b5f66", "#7a4f8a")


def draw(spec: PictureSpec) -> str:
    """The scene of one quantity."""
    return _SCENES[spec.scene](spec)


def _taken(spec: PictureSpec, together: bool = False) -> set[int]:
    """Which of the places are taken."""
    count, capacity = int(spec.number("count")), int(spec.number("capacity"))
    places = list(range(capacity))
    return set(places[:count]) if together else set(s.look(spec, "taken").sample(places, count))


def _grid(spec: PictureSpec) -> tuple[int, int]:
    across = int(spec.number("across"))
    return across, math.ceil(int(spec.number("capacity")) / across)


def _eggs(spec: PictureSpec) -> str:
    across, down = _grid(spec)
    taken, place, c = _taken(spec), spec.word("place"), s.palette(spec)
    cell = min(820 / across, 600 / down, 150)
    left, top = 512 - cell * across / 2, 384 - cell * down / 2
    if "hen house" in place:
        scene = s.planks("#b08a5a", upright=False) + "".join(
            line(x, y, x + 46, y + 14, "#e3c476", 5)
            for x, y in (
                (s.look(spec, str(k)).integer(-40, 1040), s.look(spec, str(k), "y").integer(0, 760)) for k in range(90)
            )
        )
    elif "market" in place:
        scene = s.everywhere("#4d7a55") + "".join(
            rect(k, -160, 60, 1100, "#fdfcf6", opacity=0.85) for k in range(-120, 1150, 120)
        )
    else:
        scene = s.planks(c.wood) + circle(930, 110, 80, c.accent) + circle(930, 110, 56, c.pale)
    tray = rect(
        left - 30 + 10, top - 30 + 14, cell * across + 60, cell * down + 60, "#000000", 24, opacity=0.25
    ) + rect(left - 30, top - 30, cell * across + 60, cell * down + 60, "#a9a79f", 24, stroke="#7d7b74", line=5)
    for k in range(across * down):
        x, y = left + (k % across + 0.5) * cell, top + (k // across + 0.5) * cell
        tray += circle(x, y, cell * 0.42, "#77756d") + circle(x, y, cell * 0.34, "#5f5d56")
        if k in taken:
            shell = ("#e4c29a", "#d9b083", "#f2e3cc")[k % 3]
            tray += ellipse(x, y - cell * 0.03, cell * 0.34, cell * 0.4, shell, "#b08a5a", 3) + ellipse(
                x - cell * 0.1, y - cell * 0.16, cell * 0.08, cell * 0.12, "#ffffff", opacity=0.55
            )
    return s.tilted(scene + tray, spec.number("angle") * 1.4)


def _books(spec: PictureSpec) -> str:
    capacity, count, c, place = (
        int(spec.number("capacity")),
        int(spec.number("count")),
        s.palette(spec),
        spec.word("place"),
    )
    draw = s.look(spec)
    left, width, foot = 92, 840, 590
    slot = width / capacity
    floor = c.wood if "library" not in place else "#8f8680"
    scene = (
        s.wall(c.wall, floor, 700)
        + rect(left - 34, 150, width + 68, 500, "#7b4f2c", 8)
        + rect(left - 8, 180, width + 16, 410, "#4a3220")
    )
    scene += "".join(
        line(left + k * slot, foot, left + k * slot, foot + 16, "#e8d3b0", 4) for k in range(capacity + 1)
    ) + rect(left - 34, 590, width + 68, 16, "#8a5a34")
    scene += "".join(
        line(left + k * slot, foot + 2, left + k * slot, foot + 26, "#f2e3cc", 4) for k in range(capacity + 1)
    )
    for k in range(count):
        height = draw.integer(270, 350)
        scene += o.books(left + k * slot + 3, foot, [slot - 6], [height], [PAINTS[draw.integer(0, 6)]])
    if "children" in place:
        scene += (
            o.ball(140, 110, 40, "#e4572e") + rect(760, 70, 80, 80, "#e0a526", 8) + rect(850, 90, 60, 60, "#2f6fae", 8)
        )
    elif "study" in place:
        scene += o.pot_plant(170, 152, 130) + rect(700, 60, 200, 90, "none", stroke="#4a3220", line=10)
    else:
        scene += line(512, -60, 512, 40, "#22262b", 5) + polygon(
            [(440, 90), (480, 40), (544, 40), (584, 90)], "#d9a441"
        )
    return s.tilted(scene, spec.number("angle") * 0.5)


def _parking(spec: PictureSpec) -> str:
    across, down = _grid(spec)
    taken, place = _taken(spec), spec.word("place")
    draw = s.look(spec)
    bay = 900 / across
    deep = min(bay * 2.1, 250)
    tops = [384 - 70 - deep, 384 + 70]
    scene = (
        s.everywhere("#6d7278")
        + rect(-160, -160, 1400, 160 + tops[0] - 40, "#86a866")
        + rect(-160, tops[1] + deep + 40, 1400, 400, "#86a866" if "shop" not in place else "#c9a98a")
    )
    if "park" in place.split()[-1]:
        scene += "".join(o.top_tree(k, tops[0] - 66, 44) for k in range(30, 1024, 120))
    elif "shop" in place:
        scene += "".join(rect(60 + k * 240, tops[1] + deep + 50, 200, 120, "#8f6f5a", 4) for k in range(4))
    scene += "".join(
        o.top_tree(k, tops[1] + deep + 74, 36, "#5a9444") for k in range(60, 1024, 150) if "shop" not in place
    )
    for k in range(across * down):
        x, y = 62 + (k % across) * bay, tops[k // across]
        scene += line(x, y, x, y + deep, "#f2ecd8", 6) + line(x + bay, y, x + bay, y + deep, "#f2ecd8", 6)
        if k in taken:
            scene += o.car_top(
                x + bay / 2, y + deep / 2, deep * 0.84, bay * 0.72, PAINTS[draw.integer(0, 6)], 180 * (k // across)
            )
    return s.tilted(scene, spec.number("angle") * 0.8)


def _muffins(spec: PictureSpec) -> str:
    across, down = _grid(spec)
    taken, place, c = _taken(spec), spec.word("place"), s.palette(spec)
    cell = min(820 / across, 600 / down, 190)
    left, top = 512 - cell * across / 2, 384 - cell * down / 2
    if "rack" in place:
        scene = s.everywhere(c.wood) + "".join(line(-160, k, 1190, k, "#b9bec4", 7) for k in range(-120, 900, 50))
    elif "picnic" in place:
        scene = (
            s.everywhere("#fdfcf6")
            + "".join(rect(k, -160, 60, 1100, "#c0392b", opacity=0.6) for k in range(-160, 1200, 120))
            + "".join(rect(-160, k, 1400, 60, "#c0392b", opacity=0.5) for k in range(-160, 930, 120))
        )
    else:
        scene = s.planks(c.pale) + "".join(
            polygon([(k, -20), (k + 110, -20), (k + 55, 70)], fill)
            for k, fill in zip(range(-40, 1040, 112), ("#c0392b", "#e0a526", "#2f6fae", "#3fa35a") * 3, strict=False)
        )
    tin = rect(left - 24, top - 20, cell * across + 60, cell * down + 56, "#000000", 30, opacity=0.22) + rect(
        left - 36, top - 36, cell * across + 72, cell * down + 72, "#8a9096", 30, stroke="#5c6166", line=5
    )
    for k in range(across * down):
        x, y = left + (k % across + 0.5) * cell, top + (k // across + 0.5) * cell
        tin += _fluted(x, y, cell * 0.43, "#6b7076") + _fluted(x, y, cell * 0.31, "#4a4f55")
        if k in taken:
            dome = ("#c58a45", "#8a5230", "#d9a862")[k % 3]
            tin += (
                circle(x, y, cell * 0.42, "#f2e3cc")
                + circle(x, y, cell * 0.38, dome)
                + "".join(circle(*polar(x, y, cell * 0.2, a), cell * 0.045, "#3d2314") for a in range(20, 380, 72))
            )
    return s.tilted(scene + tin, spec.number("angle"))


def _fluted(x: float, y: float, radius: float, colour: str) -> str:
    """A round hollow with a wavy edge."""
    return polygon([polar(x, y, radius * (1 if k % 2 else 0.93), k * 9) for k in range(40)], colour)


def _jar(spec: PictureSpec) -> str:
    across, down = _grid(spec)
    count, place, c = int(spec.number("count")), spec.word("place"), s.palette(spec)
    cell = 62.0
    left, bottom = 512 - cell * across / 2, 690.0
    top = bottom - cell * down
    if "sill" in place:
        scene = (
            s.everywhere(c.wall)
            + s.window(120, -60, 784, 560, rect(0, 0, 100, 100, "#a9d5f0") + s.cloud(30, 30, 14) + o.tree(80, 100, 60))
            + s.table(690, "#f4f1ea")
        )
    elif "pantry" in place:
        scene = (
            s.everywhere("#6d5a4a")
            + rect(-160, 300, 1400, 22, "#4a3a2c")
            + "".join(
                o.jar(k, 300, 190, fill)
                for k, fill in ((100, "#b5432f"), (240, "#c9a227"), (800, "#7d9a3a"), (940, "#8a5230"))
            )
            + s.table(690, "#8a6242")
        )
    else:
        scene = (
            s.wall(c.wall, c.wood, 600)
            + s.table(690, "#cfc7b8")
            + o.mug(160, 740, 120, c.accent)
            + o.pot_plant(880, 720, 260)
        )
    kinds = {
        "nuts": ("#a8713f", "#8a5a34", "#b98a4e"),
        "marbles": ("#3f8fd0", "#d9433f", "#3fa35a", "#e0a526"),
        "chocolate": ("#4a2c1a", "#5f3a22", "#3a2214"),
    }
    colours = next(value for key, value in kinds.items() if key in place)
    balls = ""
    for k in range(count):
        x, y = left + (k % across + 0.5) * cell, bottom - (k // across + 0.5) * cell
        balls += circle(x, y, cell * 0.48, colours[(k * 7 + k // across) % len(colours)], "#00000044", 2)
        balls += ellipse(x, y - cell * 0.26, cell * 0.2, cell * 0.09, "#ffffff", opacity=0.35)
    glass = rect(left - 16, top - 10, cell * across + 32, bottom - top + 22, "#ffffff", 22, opacity=0.28)
    outline = path(
        f"M{left - 16} {top - 6}L{left - 16} {bottom - 14}Q{left - 16} {bottom + 12} {left + 12} {bottom + 12}L{left + cell * across - 12} {bottom + 12}Q{left + cell * across + 16} {bottom + 12} {left + cell * across + 16} {bottom - 14}L{left + cell * across + 16} {top - 6}",
        stroke="#f7fbfd",
        width=9,
    )
    outline += path(f"M{left - 16} {top - 6}L{left + cell * across + 16} {top - 6}", stroke="#5f7f94", width=5) + rect(
        left - 2, top + 20, 14, bottom - top - 60, "#ffffff", 7, opacity=0.45
    )
    lid = rect(left - 30, top - 60, cell * across + 60, 48, c.accent, 12)
    return s.tilted(scene + glass + balls + outline + lid, spec.number("angle") * 0.5)


def _jug(spec: PictureSpec) -> str:
    count, capacity, c = int(spec.number("count")), int(spec.number("capacity")), s.palette(spec)
    bottom, step = 680.0, 66.0
    level = bottom - count * step
    if "shed" in spec.word("place"):
        scene = (
            s.planks("#7f6a55")
            + s.ground(660, "#7fa858")
            + "".join(line(x, 690, x + 8, 650, "#5f8a3f", 5) for x in range(-20, 1060, 22))
        )
        left, right = 300, 724
        shell = rect(left, bottom - capacity * step - 16, right - left, capacity * step + 30, "#3f5f4a", 18) + rect(
            left + 60, bottom - capacity * step, right - left - 120, capacity * step, "#e6eef0"
        )
        water = rect(left + 60, level, right - left - 120, bottom - level, "#4f9fd0") + ellipse(
            512, level, 152, 10, "#8fc8ea"
        )
        hoops = (
            rect(left - 12, bottom - capacity * step - 34, right - left + 24, 30, "#2f4a3a", 8)
            + rect(left - 12, bottom, right - left + 24, 30, "#2f4a3a", 8)
            + path("M760 -100L760 90L640 90L640 130", stroke="#8a9096", width=26)
        )
        scale_x = left + 60
    else:
        scene = (
            s.wall(c.wall, c.wood, 600)
            + s.table(680, c.accent)
            + circle(160, 730, 110, "#ffffff", "#d9dde0", 5)
            + "".join(
                polygon([(k, 560), (k + 90, 560), (k + 78, 700), (k + 12, 700)], "#dff1fa", "#9cc7de", 4)
                for k in (780, 890)
            )
        )
        left, right = 370, 654
        shell = path(
            f"M{left} {bottom - capacity * step - 30}L{left} {bottom - 16}Q{left} {bottom + 10} {left + 26} {bottom + 10}L{right - 26} {bottom + 10}Q{right} {bottom + 10} {right} {bottom - 16}L{right} {bottom - capacity * step - 30}Z",
            fill="#f7fbfd",
            stroke="#8fb0c4",
            width=8,
        )
        water = rect(left + 6, level, right - left - 12, bottom - level + 4, "#7fc0e6", 8) + ellipse(
            512, level, 136, 10, "#b9e0f4"
        )
        hoops = path(
            f"M{right} {bottom - 440}C{right + 130} {bottom - 440} {right + 130} {bottom - 120} {right} {bottom - 120}",
            stroke="#8fb0c4",
            width=22,
        )
        scale_x = left + 6
    marks = "".join(
        line(scale_x + 4, bottom - k * step, scale_x + 84, bottom - k * step, "#22252b", 6)
        for k in range(1, capacity + 1)
    )
    return s.tilted(scene + shell + water + hoops + marks, spec.number("angle") * 0.5)


def _seats(spec: PictureSpec) -> str:
    across, down = _grid(spec)
    taken, draw = _taken(spec), s.look(spec)
    if spec.word("object") == "bus":
        return _bus(spec, taken)
    hall = spec.word("object") == "concert hall"
    if hall:
        scene = (
            s.everywhere("#3a2430")
            + rect(140, 20, 744, 190, "#c9a26a", 8)
            + path("M140 20L140 210Q200 150 180 20ZM884 20L884 210Q824 150 844 20Z", fill="#8a1f2a")
            + ellipse(512, 170, 90, 24, "#22262b")
            + line(512, 80, 512, 160, "#22262b", 8)
        )
        seat, empty = "#8a1f2a", "#b5423f"
    else:
        scene = (
            s.sky("evening")
            + s.ground(120, "#a39c8c")
            + rect(240, 30, 544, 150, "#d9cbb0", 10)
            + "".join(rect(260 + k * 96, 40, 22, 130, "#f4ecdc") for k in range(6))
        )
        seat, empty = "#6d6a66", "#c9c2b4"
    cell, row, start = 88.0, 112.0 if down <= 4 else 106.0, 296 if hall else 226
    for k in range(across * down):
        x, y = 512 + (k % across - (across - 1) / 2) * cell, start + (k // across) * row
        scene += rect(x - 36, y, 72, 74, empty, 14, stroke=seat, line=5)
        if k in taken:
            shirt = PAINTS[draw.integer(0, 6)]
            scene += rect(x - 30, y - 8, 60, 70, shirt, 20) + circle(
                x, y - 22, 22, ("#3b2a20", "#8a5a2e", "#22201e", "#b9a58a")[draw.integer(0, 3)]
            )
    return s.tilted(scene, spec.number("angle") * 0.3)


def _bus(spec: PictureSpec, taken: set[int]) -> str:
    """A bus from above, its roof taken off: two seats on each side of the aisle."""
    draw = s.look(spec, "bus")
    scene = s.everywhere("#6d7278") + "".join(
        rect(k, 60, 110, 10, "#f2ecd8") + rect(k, 700, 110, 10, "#f2ecd8") for k in range(-160, 1190, 220)
    )
    scene += (
        rect(30, 130, 964, 510, "#e0a526", 50, stroke="#8a6a1c", line=6)
        + rect(60, 160, 904, 450, "#d9d5cc", 30)
        + circle(110, 500, 40, "none", "#22262b", 10)
    )
    for k in range(32):
        x, y = 190 + (k // 4) * 96, (184, 282, 402, 500)[k % 4]
        scene += rect(x, y, 74, 84, "#3f6f9f", 14, stroke="#28557c", line=4) + rect(x + 58, y, 16, 84, "#28557c", 8)
        if k in taken:
            scene += ellipse(
                x + 34, y + 42, 24, 40, PAINTS[(draw.integer(0, 6) + 3) % 7] if k % 2 else "#c0392b"
            ) + circle(x + 32, y + 42, 20, "#3b2a20")
    return s.tilted(scene, spec.number("angle"))


_SCENES = {
    "eggs": _eggs,
    "books": _books,
    "parking": _parking,
    "muffins": _muffins,
    "jar": _jar,
    "jug": _jug,
    "seats": _seats,
}
