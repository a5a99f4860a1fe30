"""Gaps between two things: along rulers and scale bars, or beside people, cars and tiles."""

from __future__ import annotations

import math

from covary.build.pictures.drawing import objects as o
from covary.build.pictures.drawing import scenery as s
from covary.build.pictures.drawing.gauges import Face, Scale, rule, scale_bar
from covary.build.pictures.drawing.svg import (
    HEIGHT,
    Point,
    circle,
    ellipse,
    group,
    line,
    move,
    path,
    polar,
    polygon,
    rect,
    turn,
)
from covary.build.pictures.spec import PictureSpec
from covary.digest import Draw

INCH_CM, FOOT, MILE_KM = 2.54, 0.3048, 1.609344
CAR_PAINTS = ("#b23a3a", "#3f6f9f", "#d8d8d4", "#4d7a55", "#c79a2e", "#5b5f66", "#7a4f8a")


def draw(spec: PictureSpec) -> str:
    """The scene of one distance."""
    return _SCENES[spec.scene](spec)


def _inches(number: float) -> float:
    return number * INCH_CM


def _feet(number: float) -> float:
    return number * FOOT


def _miles(number: float) -> float:
    return number * MILE_KM


def _guide(x: float, top: float, bottom: float) -> str:
    return line(x, top, x, bottom, "#1c1f24", 3, "3 9")


def _span(a: Point, b: Point, colour: str = "#1c1f24") -> str:
    """A dashed line between two points, each marked by a ring."""
    ends = "".join(circle(x, y, 7, "#ffffff", colour, 4) for x, y in (a, b))
    return line(*a, *b, "#ffffff", 9) + line(*a, *b, colour, 4, "14 12") + ends


def _tape(spec: PictureSpec) -> str:
    ends, c = spec.word("ends").split(), s.palette(spec)
    reach = math.ceil(spec.value * 100 / 20 + 0.6) * 20
    x, length, y = 130.0, 780.0, 560.0
    step = 10 if reach <= 120 else 20
    upper = Scale(0, reach, step, 10)
    inch_step = 4 if reach <= 120 else 10
    lower = Scale(
        0, math.floor(reach / INCH_CM / inch_step) * inch_step, inch_step, 4 if inch_step == 4 else 10, _inches
    )
    at = x + length * spec.value * 100 / reach
    board = ends[0] == "nail"
    if board:
        scene = s.planks(c.wood, upright=False, width=150)
    elif ends[0] == "seedling":
        scene = (
            s.sky("morning")
            + s.hills(330, "#86b06a", s.look(spec))
            + s.ground(420, "#6b4a30", "#7d5a3c")
            + "".join(line(-160, k, 1190, k + 6, "#573a24", 7) for k in range(480, 800, 60))
        )
    else:
        scene = s.wall(c.wall, c.wood, 520)
    if ends[0] == "lamp":
        scene += s.window(420, 70, 220, 240, rect(0, 0, 100, 100, "#f0a868") + circle(50, 70, 16, "#ffe08a"))
    band = rule(x, y, length, 132, upper, lower, 24, Face(), "#f6d44a")
    case = rect(x - 78, y - 22, 64, 176, "#c0392b", 14) + circle(x - 46, y + 66, 20, "#7d1f16")
    things = _tape_end(ends[0], x, c.accent, first=True) + _tape_end(ends[1], at, c.accent, first=False)
    guides = _guide(x, 300, y + 8) + _guide(at, 300, y + 8)
    return s.tilted(scene + things + case + band + guides, spec.number("angle") * (0.8 if board else 0.3))


def _tape_end(kind: str, x: float, accent: str, *, first: bool) -> str:
    foot = 545.0
    if kind == "wall":
        return rect(-200, -160, x + 200, foot + 160, "#9a8f80") + line(x, -160, x, foot, "#5f574c", 5)
    if kind == "frame":
        return rect(x - 110, -160, 110, foot + 160, "#8a6242") + rect(x - 84, -160, 50, foot + 160, "#6d4a30")
    if kind == "plant":
        return o.pot_plant(x + 75, foot, 300, accent)
    if kind == "nail":
        return circle(x, 430, 22, "#8f969c", "#5c6166", 4) + circle(x - 6, 424, 6, "#dfe4e8")
    if kind == "lamp":
        return (
            line(x, foot - 10, x, 230, "#3b3f45", 10)
            + polygon([(x - 70, 240), (x - 42, 140), (x + 42, 140), (x + 70, 240)], "#f2d18b")
            + rect(x - 50, foot - 16, 100, 16, "#3b3f45", 6)
        )
    if kind == "chair":
        return (
            rect(x, 420, 150, 18, "#7b4f2c", 4)
            + rect(x, 430, 14, foot - 430, "#7b4f2c")
            + rect(x + 136, 230, 14, foot - 230, "#7b4f2c")
            + rect(x + 100, 240, 44, 90, accent, 8)
        )
    if kind == "shelf":
        return (
            rect(x, 150, 190, foot - 150, "#a77b4e")
            + "".join(rect(x + 14, 170 + k * 124, 162, 106, "#6f4f30") for k in range(3))
            + "".join(
                o.books(
                    x + 20,
                    274 + k * 124,
                    [22, 30, 18, 26],
                    [80, 92, 70, 86],
                    ["#b5523b", "#3f6f9f", "#d0a23a", "#4d7a55"],
                )
                for k in range(3)
            )
        )
    return (
        line(x, foot, x, 440, "#4f8f46", 9)
        + ellipse(x - 30, 440, 32, 14, "#5da653")
        + ellipse(x + 30, 430, 32, 14, "#5da653")
        + ellipse(x, foot, 50, 12, "#4b321f")
    )


def _ruler(spec: PictureSpec) -> str:
    kind, c = spec.word("ends"), s.palette(spec)
    x, length, y = 200.0, 740.0, 470.0
    upper, lower = Scale(0, 30, 2, 20), Scale(0, 11, 1, 8, _inches)
    start = x
    at = x + length * spec.value * 100 / 30
    grounds = {"pencil eraser": s.planks(c.wood, upright=False), "button button": s.everywhere(c.accent) + "".join(line(-160, k, 1190, k + 40, "#ffffff22", 3) for k in range(-160, 900, 14)), "snail leaf": s.everywhere("#7a5c3e") + "".join(ellipse(d[0], d[1], d[2], d[2] * 0.7, "#8d6c4b") for d in _pebbles(spec)), "coin coin": s.everywhere("#384b45")}  # fmt: skip
    band = rule(x, y, length, 130, upper, lower, 23, Face(), "#f3ead0" if kind != "coin coin" else "#d9e6ee")
    things = {
        "pencil eraser": _pencil(start, 360)
        + rect(at, 320, 120, 80, "#e88fa0", 10)
        + rect(at + 46, 320, 74, 80, "#4a7fb5", 4),
        "button button": _button(start, 350, "#f4efe2", -1) + _button(at, 350, "#e0b23c", 1),
        "snail leaf": _snail(start, 400)
        + path(
            f"M{at} 370C{at + 60} 270 {at + 170} 290 {at + 210} 360C{at + 160} 430 {at + 60} 440 {at} 370Z",
            fill="#5f9a41",
        )
        + line(at, 370, at + 200, 362, "#3f6f2c", 4),
        "coin coin": _coin(start, 350, 70, "#d6a63a", -1) + _coin(at, 350, 58, "#b8bdc2", 1),
    }[kind]
    guides = _guide(start, 300, y + 6) + _guide(at, 300, y + 6)
    return s.tilted(grounds[kind] + things + band + guides, spec.number("angle"))


def _pebbles(spec: PictureSpec) -> list[tuple[int, int, int]]:
    draw = s.look(spec, "pebbles")
    return [(draw.integer(-50, 1070), draw.integer(-50, 800), draw.integer(10, 40)) for _ in range(40)]


def _pencil(tip: float, y: float) -> str:
    return (
        polygon([(tip, y), (tip - 70, y - 22), (tip - 70, y + 22)], "#e9cfa0")
        + polygon([(tip, y), (tip - 22, y - 7), (tip - 22, y + 7)], "#2a2a2a")
        + rect(tip - 420, y - 22, 350, 44, "#e0a526")
        + rect(tip - 420, y - 7, 350, 14, "#c98d17")
    )


def _button(edge: float, y: float, colour: str, side: int) -> str:
    x = edge + side * 62
    return (
        circle(x + 5, y + 7, 62, "#00000044")
        + circle(x, y, 62, colour, "#00000044", 4)
        + circle(x, y, 44, "none", "#00000033", 5)
        + "".join(circle(x + a, y + b, 8, "#3a2d22") for a in (-15, 15) for b in (-15, 15))
    )


def _coin(edge: float, y: float, radius: float, colour: str, side: int) -> str:
    x = edge + side * radius
    return (
        circle(x + 5, y + 7, radius, "#00000055")
        + circle(x, y, radius, colour, "#00000055", 4)
        + circle(x, y, radius * 0.8, "none", "#00000033", 4)
        + polygon([polar(x, y, radius * (0.5 if k % 2 == 0 else 0.22), k * 36) for k in range(10)], "#ffffff77")
    )


def _snail(front: float, foot: float) -> str:
    return (
        path(
            f"M{front} {foot}C{front - 4} {foot - 60} {front - 44} {foot - 60} {front - 50} {foot - 24}L{front - 190} {foot - 10}L{front - 200} {foot}Z",
            fill="#d9b98a",
        )
        + circle(front - 110, foot - 66, 62, "#a8643a")
        + path(
            f"M{front - 110} {foot - 66}m-40 0a40 40 0 1 1 40 40a26 26 0 1 1 26 -30a14 14 0 1 1 -20 10",
            stroke="#6f3d20",
            width=8,
        )
        + line(front - 20, foot - 50, front - 8, foot - 96, "#d9b98a", 7)
        + line(front - 36, foot - 50, front - 38, foot - 98, "#d9b98a", 7)
    )


# reach in m → scale bar in km (high, step, parts) and in miles
_BARS = {
    8000: ((5, 1, 10), (3, 1, 10)),
    3000: ((2, 1, 10), (1, 1, 10)),
    16000: ((8, 2, 4), (5, 1, 2)),
    30000: ((15, 5, 5), (10, 5, 5)),
    1700: ((1, 1, 10), (1, 1, 10)),
}


def _ends(spec: PictureSpec, length: float, y_low: int, y_high: int) -> tuple[Point, Point]:
    """Two points that far apart, on a drawn slope around the picture's upper middle."""
    draw = s.look(spec, "ends")
    slope = math.radians(draw.integer(-18, 18))
    x, y = 512 + draw.integer(-20, 20), draw.integer(y_low, y_high)
    dx, dy = length / 2 * math.cos(slope), length / 2 * math.sin(slope)
    return (x - dx, y - dy), (x + dx, y + dy)


def _map(spec: PictureSpec) -> str:
    reach = int(spec.number("reach"))
    per_metre = 820 / reach
    a, b = _ends(spec, spec.value * per_metre, 280, 330)
    (high, step, parts), (high2, step2, parts2) = _BARS[reach]
    bar = scale_bar(100, 662, per_metre * 1000, Scale(0, high, step, parts), Scale(0, high2, step2, parts2, _miles), 26)
    card = rect(56, 584, 912, 154, "#fffdf5", 14, stroke="#8f8a7c", line=3)
    pins = _pin(*a, "#c0392b") + _pin(*b, "#2c6fb0")
    return s.tilted(_GROUNDS[spec.word("ground")](spec, a, b) + _span(a, b), 0) + pins + card + bar


def _pin(x: float, y: float, colour: str) -> str:
    return path(
        f"M{x:.1f} {y - 8:.1f}C{x - 40:.1f} {y - 60:.1f} {x - 34:.1f} {y - 104:.1f} {x:.1f} {y - 104:.1f}C{x + 34:.1f} {y - 104:.1f} {x + 40:.1f} {y - 60:.1f} {x:.1f} {y - 8:.1f}Z",
        fill=colour,
        stroke="#ffffff",
        width=4,
    ) + circle(x, y - 68, 14, "#ffffff")


def _hill_map(spec: PictureSpec, a: Point, b: Point) -> str:
    draw = s.look(spec, "ground")
    rings = "".join(
        ellipse(x, y, r, r * 0.62, "none", "#b79a63", 3)
        for x, y in (
            (draw.integer(100, 400), draw.integer(80, 500)),
            (draw.integer(500, 900), draw.integer(60, 480)),
            (760, 420),
        )
        for r in (40, 75, 115, 160, 210)
    )
    lake = ellipse(b[0] + 30, b[1] + 40, 96, 52, "#8ec3e0", "#5f9cc0", 3)
    hut = rect(a[0] - 26, a[1] + 14, 52, 34, "#8a5a34") + polygon(
        [(a[0] - 34, a[1] + 16), (a[0], a[1] - 8), (a[0] + 34, a[1] + 16)], "#5c3a20"
    )
    trees = "".join(o.fir(draw.integer(20, 1000), draw.integer(60, 560), 44, "#7ba36a") for _ in range(16))
    return (
        s.everywhere("#e6ecc9")
        + rings
        + trees
        + path("M-160 120C200 260 300 20 620 160S1000 60 1190 220", stroke="#8ec3e0", width=12)
        + lake
        + hut
    )


def _town_map(spec: PictureSpec, a: Point, b: Point) -> str:
    draw = s.look(spec, "ground")
    blocks = "".join(
        rect(x, y, 88, 66, draw.choice(("#e3d6c2", "#d9cdb8", "#cfe0c0", "#e8ddcb", "#dccfc6")), 6)
        for x in range(-150, 1150, 108)
        for y in range(-150, 900, 86)
    )
    return (
        s.everywhere("#ffffff")
        + blocks
        + path("M-160 560C240 480 320 620 700 520S1000 560 1190 480", stroke="#9ccbe6", width=46)
        + line(-160, 40, 1190, 260, "#f3c65a", 22)
        + line(300, -160, 420, 930, "#f3c65a", 22)
        + rect(a[0] - 34, a[1] + 16, 68, 36, "#7d6a9c", 4)
        + line(a[0] - 200, a[1] + 60, a[0] + 260, a[1] + 40, "#55555d", 8, "18 8")
        + polygon([(b[0] - 40, b[1] + 28), (b[0], b[1] + 4), (b[0] + 40, b[1] + 28)], "#a8763e")
        + "".join(rect(b[0] - 32 + k * 20, b[1] + 28, 9, 30, "#a8763e") for k in range(4))
    )


def _island_map(spec: PictureSpec, a: Point, b: Point) -> str:
    left, right = a[0] - 70, b[0] + 70
    land = f"M{left:.0f} {a[1]:.0f}C{left - 20:.0f} 60 360 150 520 90S{right + 40:.0f} 60 {right:.0f} {b[1]:.0f}C{right + 30:.0f} 560 640 470 500 540S{left - 30:.0f} 520 {left:.0f} {a[1]:.0f}Z"
    waves = "".join(
        path(f"M{x} {y}q20 -14 40 0t40 0", stroke="#ffffff", width=4, opacity=0.5)
        for x in range(-20, 1020, 150)
        for y in range(30, 760, 110)
    )
    jetty = line(a[0] - 6, a[1] + 8, a[0] - 90, a[1] + 20, "#7a5a38", 12)
    light = polygon(
        [(b[0] + 26, b[1] + 60), (b[0] + 34, b[1] + 4), (b[0] + 52, b[1] + 4), (b[0] + 60, b[1] + 60)],
        "#f7f3ec",
        "#c0392b",
        4,
    )
    return (
        s.everywhere("#79b8da")
        + waves
        + path(land, fill="#e9dfae", stroke="#cdbb7a", width=10)
        + ellipse(510, 300, 150, 80, "#a9c77f")
        + jetty
        + light
    )


def _road_map(spec: PictureSpec, a: Point, b: Point) -> str:
    draw = s.look(spec, "ground")
    fields = "".join(
        polygon(
            [(x, y), (x + 170, y - 30), (x + 190, y + 120), (x + 10, y + 130)],
            draw.choice(("#e7e3b4", "#d7e3b0", "#efe6c4", "#cfdca6")),
        )
        for x in range(-160, 1150, 190)
        for y in range(-120, 880, 150)
    )
    villages = "".join(
        rect(x + dx, y + dy, 20, 16, "#b5523b")
        for x, y in (a, b)
        for dx, dy in ((-40, 20), (-12, 34), (20, 24), (36, 48), (-30, 52))
    )
    return (
        s.everywhere("#dfe7bf")
        + fields
        + path(
            f"M-160 420C60 380 {a[0]:.0f} {a[1] + 140:.0f} {a[0]:.0f} {a[1]:.0f}S480 60 560 240S{b[0] - 60:.0f} {b[1] - 160:.0f} {b[0]:.0f} {b[1]:.0f}S1100 400 1190 380",
            stroke="#e0a02e",
            width=16,
        )
        + line(520, -160, 560, 930, "#ffffff", 12)
        + villages
    )


def _park_map(spec: PictureSpec, a: Point, b: Point) -> str:
    draw = s.look(spec, "ground")
    trees = "".join(
        o.top_tree(
            draw.integer(20, 1000), draw.integer(20, 560), draw.integer(16, 30), draw.choice(("#6aa84f", "#5a9444"))
        )
        for _ in range(26)
    )
    return (
        s.everywhere("#bfdc9c")
        + path("M-100 500C200 380 420 560 640 400S980 240 1150 300", stroke="#efe3c2", width=26)
        + path("M300 -100C360 160 560 220 620 560", stroke="#efe3c2", width=20)
        + ellipse(b[0] + 26, b[1] + 30, 90, 54, "#86c1e2", "#5f9cc0", 3)
        + trees
        + rect(a[0] - 40, a[1] + 10, 14, 50, "#6d5a45")
        + rect(a[0] + 26, a[1] + 10, 14, 50, "#6d5a45")
        + path(f"M{a[0] - 34} {a[1] + 12}Q{a[0]} {a[1] - 26} {a[0] + 34} {a[1] + 12}", stroke="#6d5a45", width=8)
    )


_GROUNDS = {"hills": _hill_map, "town": _town_map, "island": _island_map, "roads": _road_map, "park": _park_map}

# reach in m → scale bar in m (high, step, parts) and in feet
_YARD_BARS = {
    20: ((10, 5, 5), (30, 10, 5)),
    15: ((6, 2, 2), (20, 5, 5)),
    30: ((15, 5, 5), (40, 10, 2)),
    50: ((20, 10, 10), (60, 20, 4)),
    75: ((30, 10, 10), (80, 20, 4)),
}


def _from_above(spec: PictureSpec) -> str:
    reach = int(spec.number("reach"))
    per_metre = 820 / reach
    draw, ends = s.look(spec), spec.word("ends").split()
    a, b = _ends(spec, spec.value * per_metre, 270, 310)
    grass = {"dog": "#86b95a", "tent": "#6f8f4f", "swing": "#9cc267", "fountain": "#a9c77f", "raft": "#6fb1d6"}[ends[0]]
    scene = s.everywhere(grass)
    if ends[0] == "raft":
        scene += (
            "".join(
                path(
                    f"M{draw.integer(-50, 950)} {draw.integer(10, 560)}q22 -14 44 0t44 0",
                    stroke="#ffffff",
                    width=4,
                    opacity=0.55,
                )
                for _ in range(24)
            )
            + path("M-160 -160L1190 -160L1190 20C900 90 700 20 500 60S100 30 -160 110Z", fill="#8fb765")
            + "".join(o.top_tree(draw.integer(0, 1000), draw.integer(-30, 20), 34) for _ in range(9))
        )
    else:
        scene += "".join(
            line(x, y, x + 5, y - 13, "#00000022", 4)
            for x, y in ((draw.integer(-60, 1080), draw.integer(-60, 800)) for _ in range(130))
        )
        scene += "".join(
            o.top_tree(x, y, max(24.0, 1.6 * per_metre), "#4f8a3c")
            for x, y in ((60, 60), (960, 90), (draw.integer(200, 800), 40), (40, 500), (980, 520))
        )
    if ends[0] in ("swing", "fountain"):
        scene += path("M-160 470C200 410 700 560 1190 440", stroke="#e9dcb8", width=max(24.0, 1.8 * per_metre))
    things = "".join(_from_above_end(kind, x, y, per_metre) for kind, (x, y) in zip(ends, (a, b), strict=True))
    (high, step, parts), (high2, step2, parts2) = _YARD_BARS[reach]
    bar = scale_bar(100, 662, per_metre, Scale(0, high, step, parts), Scale(0, high2, step2, parts2, _feet), 26)
    card = rect(56, 584, 912, 154, "#fffdf5", 14, stroke="#8f8a7c", line=3)
    return scene + things + _span(a, b) + card + bar


def _from_above_end(kind: str, x: float, y: float, m: float) -> str:
    """One thing from above, at its true size: m pixels per metre."""
    if kind == "dog":
        return group(
            ellipse(0, 0, 0.5 * m, 0.2 * m, "#8a5a2e")
            + circle(-0.55 * m, 0, 0.2 * m, "#7a4d26")
            + line(0.48 * m, 0, 0.8 * m, -0.14 * m, "#8a5a2e", 0.09 * m),
            move(x, y - 0.5 * m),
        )
    if kind == "ball":
        return o.ball(x, y + 0.4 * m, 0.2 * m, "#d9433f")
    if kind == "tent":
        return group(
            rect(-1.1 * m, -1.1 * m, 2.2 * m, 2.2 * m, "#e08a2e", 6)
            + polygon([(0, -1.1 * m), (1.1 * m, -1.1 * m), (1.1 * m, 1.1 * m), (0, 1.1 * m)], "#b86a1c")
            + line(0, -1.1 * m, 0, 1.1 * m, "#7d4510", 5),
            move(x - 0.2 * m, y - 0.3 * m),
            turn(14),
        )
    if kind == "fire":
        return (
            "".join(
                circle(x + 0.45 * m * math.cos(k), y + 0.45 * m * math.sin(k) + 0.5 * m, 0.16 * m, "#7c7f84")
                for k in range(7)
            )
            + circle(x, y + 0.5 * m, 0.3 * m, "#ff8a2a")
            + circle(x, y + 0.5 * m, 0.16 * m, "#ffd24a")
        )
    if kind == "swing":
        return rect(x - 0.2 * m, y - 1.6 * m, 0.18 * m, 3.2 * m, "#b5523b") + "".join(
            rect(x - 0.3 * m, y + k * m, 0.4 * m, 0.5 * m, "#2f3f4a", 4) for k in (-1.1, 0.6)
        )
    if kind == "sand":
        return rect(x - 0.2 * m, y - 1.3 * m, 2.6 * m, 2.6 * m, "#b98a4e", 6) + rect(
            x, y - 1.1 * m, 2.2 * m, 2.2 * m, "#f0dca0", 4
        )
    if kind == "fountain":
        return (
            circle(x, y, 2.2 * m, "#b9b4a8")
            + circle(x, y, 1.8 * m, "#7fc0e0")
            + circle(x, y, 0.5 * m, "#b9b4a8")
            + circle(x, y, 1.1 * m, "none", "#ffffff", 3)
        )
    if kind == "bench":
        return rect(x - 0.5 * m, y - 1.2 * m, m, 2.4 * m, "#7b4f2c", 4) + rect(
            x + 0.3 * m, y - 1.2 * m, 0.3 * m, 2.4 * m, "#5c3a20", 2
        )
    if kind == "raft":
        return "".join(rect(x - 1.5 * m, y - 1.1 * m + k * 0.45 * m, 3 * m, 0.38 * m, "#a8763e", 5) for k in range(5))
    return rect(x, y - 0.8 * m, 400, 1.6 * m, "#8a6a45") + "".join(
        line(x + k * 0.9 * m, y - 0.8 * m, x + k * 0.9 * m, y + 0.8 * m, "#6d5234", 2) for k in range(40)
    )


def _parked_cars(spec: PictureSpec) -> str:
    count, c, draw = int(spec.number("cars")), s.palette(spec), s.look(spec)
    ends, light = spec.word("ends").split(), spec.word("light")
    length = min(205.0, 770 / count)
    left = 512 - length * count / 2
    right = left + length * count
    foot = 640.0
    lit = light in ("lamp", "evening")
    if ends[0] == "stop":
        houses = (
            s.hills(430, "#8fae8a", draw)
            + "".join(o.tree(k, 548, 210 + draw.integer(-40, 50), "#6f9a5f") for k in range(-20, 1060, 105))
            + rect(-160, 490, 1400, 56, "#5f8a4f")
        )
    elif ends[0] == "child":
        houses = (
            rect(-160, 400, 1400, 150, "#4f86a8")
            + s.sun(300, 380, 60, "#ffb347")
            + rect(-160, 400, 1400, 150, "#4f86a8", opacity=0.85)
            + "".join(line(k, 470, k, 545, "#e8e4d8", 6) for k in range(-120, 1150, 60))
            + line(-160, 475, 1190, 475, "#e8e4d8", 8)
        )
    else:
        houses = _street_houses(draw, lit)
    street = (
        rect(-160, 540, 1400, 70, "#b9b3a7")
        + rect(-160, 606, 1400, 330, "#55585c")
        + "".join(rect(k, 724, 110, 10, "#e8e4d8") for k in range(-120, 1150, 220))
    )
    cars = "".join(
        o.car_side(left + k * length + 2, foot, length - 4, CAR_PAINTS[draw.integer(0, 6)]) for k in range(count)
    )
    person = length / 4.5 * 1.7
    things = _street_end(ends[0], left, 610, person, -1, lit, c.accent) + _street_end(
        ends[1], right, 610, person, 1, lit, c.accent
    )
    y = foot - length * 0.33 - 46
    span = _guide(left, y, foot) + _guide(right, y, foot) + _span((left, y), (right, y))
    return s.tilted(s.sky(light) + houses + street + things + cars + span, spec.number("angle") * 0.2)


def _street_houses(draw: Draw, lit: bool) -> str:
    shift = draw.integer(0, 100)
    kinds = (
        (-120, "#d9c3a0", "#9c5a44"),
        (110, "#c9b6a6", "#6d5a5a"),
        (340, "#e3d3b4", "#8a5a3c"),
        (570, "#bfae9c", "#7a4a3a"),
        (800, "#d6bfa4", "#95604a"),
        (1030, "#c4b49a", "#6f5040"),
    )
    return "".join(
        o.house(at - shift, 540, 190, 230 + draw.integer(-30, 40), fill, roof, lit) for at, fill, roof in kinds
    )


def _street_end(kind: str, edge: float, foot: float, person: float, side: int, lit: bool, accent: str) -> str:
    x = edge + side * person * 0.3
    if kind == "cat":
        return o.sitting_cat(x, foot, person * 0.3, "#2d2a28")
    if kind == "pot":
        return o.pot_plant(x, foot, person * 0.5, "#b5653c", "#4f8f46", "#e46a9b")
    if kind == "child":
        return o.person(x, foot, person * 0.72, "#e0a526", "#4a6fa5")
    if kind == "cart":
        return (
            rect(x - 10, foot - person * 0.6, person * 0.6, person * 0.5, "#f2e6ef", 6, stroke="#d98ab0", line=4)
            + circle(x + person * 0.1, foot - 8, 12, "#3a3f44")
            + circle(x + person * 0.42, foot - 8, 12, "#3a3f44")
            + polygon(
                [
                    (x - 20, foot - person * 0.95),
                    (x + person * 0.25, foot - person * 1.2),
                    (x + person * 0.6, foot - person * 0.95),
                ],
                "#e46a6a",
            )
            + line(x + person * 0.22, foot - person * 0.95, x + person * 0.22, foot - person * 0.5, "#8a8f94", 5)
        )
    if kind == "stop":
        return (
            line(x, foot, x, foot - person * 1.4, "#50565c", 7)
            + circle(x, foot - person * 1.45, person * 0.16, "#f2c230", "#3a6ea5", 5)
            + o.person(x - person * 0.4, foot, person, accent)
        )
    if kind == "tree":
        return o.tree(x, foot, person * 2)
    if kind == "lamp":
        return o.lamp_post(edge + side * 6, foot, person * 2.6, lit)
    return (
        rect(x - 10, foot - person * 1.4, person * 1.1, person * 1.4, "#4d7a55", 4)
        + rect(x + 4, foot - person * 1.1, person * 0.8, person * 0.5, "#ffe7a0")
        + polygon(
            [
                (x - 24, foot - person * 1.4),
                (x + person * 0.55, foot - person * 1.75),
                (x + person * 1.2, foot - person * 1.4),
            ],
            accent,
        )
        + o.person(x + person * 1.35, foot, person, "#9fc5e8")
    )


def _person(spec: PictureSpec) -> str:
    ends, light, draw, c = spec.word("ends").split(), spec.word("light"), s.look(spec), s.palette(spec)
    per_metre = min(760 / spec.value, 150)
    left = 512 - spec.value * per_metre / 2
    right = 512 + spec.value * per_metre / 2
    foot, tall = 650.0, 1.7 * per_metre
    snowy = ends[0] == "snowman"
    scene = (
        s.sky(light)
        + s.hills(440, "#dfe8ee" if snowy else "#8fb07a", draw)
        + s.ground(560, "#f2f6f9" if snowy else "#7fa858", "#e3ebf0" if snowy else "#9cbf74")
    )
    if light == "morning":
        scene += s.cloud(240, 140, 60) + s.cloud(760, 100, 48)
    if snowy:
        scene += s.snow(draw, 60)
    span = (
        _guide(left, foot - 20, foot + 56)
        + _guide(right, foot - 20, foot + 56)
        + _span((left, foot + 60), (right, foot + 60))
    )
    things = _field_end(ends[0], left, foot, per_metre, -1) + _field_end(ends[1], right, foot, per_metre, 1)
    at = {
        "bench": left + 0.6 * per_metre,
        "goal": right - 0.7 * per_metre,
        "birdhouse": right - 0.5 * per_metre,
        "snowman": right - 0.9 * per_metre,
    }[ends[0]]
    return s.tilted(
        scene + s.shadow(at, foot, tall * 0.2, 8) + things + o.person(at, foot, tall, c.accent) + span,
        spec.number("angle") * 0.3,
    )


def _field_end(kind: str, edge: float, foot: float, m: float, side: int) -> str:
    if kind == "bench":
        return o.bench(edge - 1.6 * m, foot, 1.6 * m, "#8a5a34")
    if kind == "tree":
        return o.tree(edge + 0.15 * m, foot, min(3.2 * m, 430))
    if kind == "goal":
        return (
            rect(edge - 0.1 * m, foot - 2 * m, 0.1 * m, 2 * m, "#ffffff")
            + line(edge, foot - 2 * m, edge - 1.1 * m, foot - 1.7 * m, "#ffffff", 6)
            + line(edge - 1.1 * m, foot - 1.7 * m, edge - 1.4 * m, foot, "#ffffff", 6)
            + "".join(
                line(edge - k * 0.14 * m, foot - (2 - k * 0.04) * m, edge - k * 0.17 * m, foot, "#ffffffaa", 2)
                for k in range(1, 9)
            )
        )
    if kind == "ball":
        return o.ball(edge, foot - 0.13 * m, 0.13 * m, "#f4f4f0", "#2a2a2a")
    if kind == "birdhouse":
        return (
            rect(edge - 0.06 * m, foot - 1.6 * m, 0.12 * m, 1.6 * m, "#6d4a30")
            + rect(edge - 0.2 * m, foot - 2 * m, 0.4 * m, 0.45 * m, "#d0a23a")
            + polygon(
                [(edge - 0.28 * m, foot - 2 * m), (edge, foot - 2.25 * m), (edge + 0.28 * m, foot - 2 * m)], "#a8391c"
            )
            + circle(edge, foot - 1.8 * m, 0.07 * m, "#33210f")
        )
    if kind == "gate":
        return (
            rect(edge, foot - 1.2 * m, 0.14 * m, 1.2 * m, "#6d5a45")
            + "".join(rect(edge + 0.14 * m, foot - (1.05 - 0.3 * k) * m, 1.4 * m, 0.1 * m, "#8f7656") for k in range(3))
            + line(edge + 0.14 * m, foot - 0.4 * m, edge + 1.5 * m, foot - 1 * m, "#8f7656", 0.08 * m)
        )
    if kind == "snowman":
        return (
            circle(edge, foot - 0.4 * m, 0.42 * m, "#ffffff", "#c9d6df", 3)
            + circle(edge, foot - 1.02 * m, 0.3 * m, "#ffffff", "#c9d6df", 3)
            + circle(edge, foot - 1.48 * m, 0.21 * m, "#ffffff", "#c9d6df", 3)
            + polygon([(edge, foot - 1.5 * m), (edge + 0.24 * m, foot - 1.44 * m), (edge, foot - 1.4 * m)], "#ee7d1f")
            + ellipse(edge - 0.07 * m, foot - 1.56 * m, 0.022 * m, 0.04 * m, "#222222")
            + ellipse(edge + 0.06 * m, foot - 1.58 * m, 0.022 * m, 0.04 * m, "#222222")
        )
    return o.fir(edge, foot, min(3 * m, 420))


_TILE_COLOURS = {
    "cat cat": ("#e3c79a", "#d2b07c", "#b08d58"),
    "ball slipper": ("#c9d3d8", "#b7c3ca", "#8fa0a9"),
    "bucket broom": ("#f2efe6", "#e2ddcf", "#b9b2a0"),
    "turtle bowl": ("#cf9272", "#bf7f5e", "#99603f"),
    "train block": ("#bfd6c4", "#a9c6b0", "#7d9f86"),
}
_INCH_STEPS = {0.4: 10, 0.3: 6, 0.25: 5, 0.5: 20, 0.2: 4}


def _tiles(spec: PictureSpec) -> str:
    count, side, ends = int(spec.number("tiles")), spec.number("side"), spec.word("ends")
    size = min(150.0, 800 / (count + 1))
    plain, other, joint = _TILE_COLOURS[ends]
    left, row = 512 - size * (count + 1) / 2, HEIGHT * 0.42
    tiles = s.everywhere(joint)
    for i in range(-8, 24):
        for j in range(-8, 16):
            tiles += rect(
                left + i * size + 2, row + (j - 0.5) * size + 2, size - 4, size - 4, plain if (i + j) % 2 else other, 3
            )
    a, b = (left + size / 2, row), (left + size * (count + 0.5), row)
    marks = min(count + 1, 3 if size > 90 else 5)
    upper = Scale(0, side * 100 * marks, side * 100, 10)
    step = _INCH_STEPS[side]
    most = int(side * 100 * marks / INCH_CM / step) * step
    ruler = rule(
        left,
        row + size * 0.5 + size,
        size * marks,
        116,
        upper,
        Scale(0, most, step, 5 if step % 5 == 0 else step, _inches),
        21,
        Face(),
        "#f6d44a",
    )
    things = _tile_end(ends.split()[0], *a, size) + _tile_end(ends.split()[1], *b, size)
    return s.tilted(tiles + _span(a, b) + things + ruler, spec.number("angle"))


def _tile_end(kind: str, x: float, y: float, size: float) -> str:
    u = size * 0.8
    if kind == "cat":
        return o.sitting_cat(x, y + u * 0.4, u, "#3a3330" if x < 512 else "#d18b3f")
    if kind == "ball":
        return o.ball(x, y, u * 0.36, "#d9433f")
    if kind == "slipper":
        return path(
            f"M{x - u * 0.42:.1f} {y:.1f}C{x - u * 0.42:.1f} {y - u * 0.26:.1f} {x + u * 0.42:.1f} {y - u * 0.3:.1f} {x + u * 0.42:.1f} {y:.1f}S{x - u * 0.42:.1f} {y + u * 0.26:.1f} {x - u * 0.42:.1f} {y:.1f}Z",
            fill="#5b4a8a",
            stroke="#3a2f5c",
            width=3,
        ) + ellipse(x - u * 0.12, y, u * 0.2, u * 0.13, "#2a2140")
    if kind == "bucket":
        return (
            circle(x, y, u * 0.42, "#3f7fb5", "#28557c", 4)
            + circle(x, y, u * 0.33, "#9fd0ec")
            + path(
                f"M{x - u * 0.42:.1f} {y:.1f}Q{x:.1f} {y + u * 0.7:.1f} {x + u * 0.42:.1f} {y:.1f}",
                stroke="#5c6166",
                width=4,
            )
        )
    if kind == "broom":
        return (
            line(x, y, x + u * 0.1, y - u * 1.8, "#b98a4e", u * 0.1)
            + rect(x - u * 0.4, y - u * 0.12, u * 0.8, u * 0.24, "#6d4a30", 4)
            + "".join(
                line(x - u * 0.36 + k * u * 0.12, y + u * 0.1, x - u * 0.38 + k * u * 0.125, y + u * 0.38, "#d9b25a", 5)
                for k in range(7)
            )
        )
    if kind == "turtle":
        return (
            "".join(
                ellipse(x + a * u, y + b * u, u * 0.12, u * 0.09, "#7fa05a")
                for a, b in ((-0.28, -0.28), (0.28, -0.28), (-0.28, 0.28), (0.28, 0.28))
            )
            + ellipse(x - u * 0.44, y, u * 0.14, u * 0.11, "#7fa05a")
            + ellipse(x, y, u * 0.38, u * 0.32, "#4f7434", "#38541f", 4)
            + polygon([polar(x, y, u * 0.18, k * 60) for k in range(6)], "#6f9450")
        )
    if kind == "bowl":
        return circle(x, y, u * 0.4, "#c9d3d8", "#8fa0a9", 4) + circle(x, y, u * 0.3, "#7fb6d6")
    if kind == "train":
        return (
            rect(x - u * 0.4, y - u * 0.18, u * 0.8, u * 0.34, "#c0392b", 5)
            + rect(x + u * 0.06, y - u * 0.42, u * 0.3, u * 0.3, "#2f6fae", 3)
            + rect(x - u * 0.32, y - u * 0.36, u * 0.12, u * 0.2, "#333333")
            + "".join(circle(x + k * u * 0.24, y + u * 0.2, u * 0.11, "#222222") for k in (-1, 0, 1))
        )
    return rect(x - u * 0.3, y - u * 0.3, u * 0.6, u * 0.6, "#e0a526", 5, stroke="#a87612", line=4) + circle(
        x, y, u * 0.14, "#a87612"
    )


_SCENES = {
    "tape": _tape,
    "ruler": _ruler,
    "map": _map,
    "from_above": _from_above,
    "parked_cars": _parked_cars,
    "person": _person,
    "tiles": _tiles,
}
