"""Clocks with hands, always with a piece of sky: blue with the sun, red with lit lamps, or black with moon and stars."""

from __future__ import annotations

import math

from covary.build.pictures.drawing import objects as o
from covary.build.pictures.drawing import scenery as s
from covary.build.pictures.drawing.digits import figure, stroked
from covary.build.pictures.drawing.svg import (
    Point,
    bands,
    circle,
    ellipse,
    group,
    line,
    path,
    polar,
    polygon,
    rect,
    turn,
)
from covary.build.pictures.spec import PictureSpec


def draw(spec: PictureSpec) -> str:
    """The scene of one clock time."""
    return _SCENES[spec.scene](spec)


def _clock(
    x: float,
    y: float,
    radius: float,
    minutes: float,
    style: int,
    rim: str,
    ground: str = "#fbfaf4",
    ink: str = "#1d2025",
) -> str:
    """A clock face: style 0 has all twelve numbers, 1 only four, 2 bars alone."""
    parts = circle(x, y, radius * 1.1, rim) + circle(x, y, radius, ground)
    for k in range(60):
        hour = k % 5 == 0
        quarter = k % 15 == 0
        inner = 0.84 if quarter and style == 2 else 0.88 if hour else 0.94
        parts += line(
            *polar(x, y, radius * 0.975, k * 6),
            *polar(x, y, radius * inner, k * 6),
            ink,
            radius * (0.045 if hour and style == 2 else 0.03 if hour else 0.012),
        )
    for hour in range(1, 13):
        if style == 0 or (style == 1 and hour % 3 == 0):
            px, py = polar(x, y, radius * 0.72, hour * 30)
            parts += stroked(figure(hour), px, py, radius * (0.18 if style == 0 else 0.22), ink, 1.5)
    return (
        parts
        + _hand(x, y, radius * 0.5, minutes / 2, radius * 0.085, ink)
        + _hand(x, y, radius * 0.82, minutes * 6, radius * 0.05, ink)
        + circle(x, y, radius * 0.07, "#c0392b")
    )


def _hand(x: float, y: float, length: float, degrees: float, width: float, ink: str) -> str:
    tail = polar(x, y, length * 0.16, degrees + 180)
    return line(*tail, *polar(x, y, length, degrees), ink, width)


def _sky_of(spec: PictureSpec, hidden: tuple[float, float] = (0, 0)) -> str:
    """The whole sky at the picture's time; sun and moon keep clear of the hidden stretch (from x to x)."""
    phase, draw = spec.word("sky"), s.look(spec, "sky")
    scene = s.sky(phase)
    if phase == "light":
        x, y = _sun_at(spec.value, 1024, 420)
        if hidden[0] - 90 < x < hidden[1] + 90:
            x = hidden[1] + 100 if hidden[1] < 860 else hidden[0] - 100
        return (
            scene
            + s.sun(x, y, 56)
            + s.cloud(draw.integer(120, 400), 110, 50)
            + s.cloud(draw.integer(620, 900), 170, 44)
        )
    if phase == "low":
        return scene + s.sun(850, 520, 70, "#ff9a3c")
    return scene + s.stars(0, 0, 1024, 420, 70, draw) + s.moon(90 if hidden[0] > 160 else 930, 120, 58)


def _sun_at(minutes: float, width: float, height: float) -> Point:
    """Where the sun stands: it rises at the left at six, is highest at noon and sinks to the right."""
    share = (minutes - 360) / 720
    return width * (0.08 + 0.84 * share), height * (1.05 - 0.85 * math.sin(math.pi * share))


def _view(spec: PictureSpec) -> str:
    """The sky in a window, in a 100 × 100 box, with roofs below."""
    phase, draw = spec.word("sky"), s.look(spec, "view")
    above, below = s.SKY_COLOURS[phase]
    lit = phase != "light"
    panes = bands(0, 0, 100, 100, [(0, above, 1), (1, below, 1)], 20)
    if phase == "light":
        x, y = _sun_at(spec.value, 100, 70)
        panes += s.sun(x, y, 8) + s.cloud(70 if x < 50 else 24, 20, 9)
    elif phase == "low":
        panes += circle(72, 66, 12, "#ffb04a")
    else:
        panes += s.moon(27, 24, 11) + s.stars(0, 0, 100, 60, 16, draw, 0.25)
    roofs = "".join(
        rect(k * 22 - 4, 78 + (k * 7) % 9, 18, 30, "#20242e" if lit else "#9c7b6a")
        + polygon(
            [(k * 22 - 7, 78 + (k * 7) % 9), (k * 22 + 5, 68 + (k * 7) % 9), (k * 22 + 17, 78 + (k * 7) % 9)],
            "#161922" if lit else "#7a4a3a",
        )
        + rect(k * 22 + 1, 84 + (k * 7) % 9, 5, 6, "#ffdf80" if lit else "#c9dbe6")
        for k in range(5)
    )
    return panes + roofs


def _lamp_light(spec: PictureSpec, x: float, y: float) -> str:
    """A hanging lamp, lit when the sky is not light."""
    lit = spec.word("sky") != "light"
    glow = ellipse(x, y + 70, 150, 110, "#ffe69a", opacity=0.35) if lit else ""
    return (
        line(x, -100, x, y - 50, "#22262b", 5)
        + glow
        + polygon(
            [(x - 80, y + 20), (x - 36, y - 50), (x + 36, y - 50), (x + 80, y + 20)], "#d9a441" if lit else "#8a8f94"
        )
        + ellipse(x, y + 20, 80, 12, "#fff4c2" if lit else "#b9bec4")
    )


def _room(spec: PictureSpec, edge: float, floor: str) -> str:
    wall = s.palette(spec).wall
    dark = "" if spec.word("sky") == "light" else s.everywhere("#1a1630", 0.3)
    return s.wall(wall, floor, edge) + dark


def _kitchen(spec: PictureSpec) -> str:
    c, place = s.palette(spec), spec.word("place")
    draw = s.look(spec)
    scene = _room(spec, 700, c.wood) + s.window(620, 120, 320, 330, _view(spec))
    if "stove" in place:
        scene += (
            rect(60, 560, 420, 300, "#d9dde0", 10)
            + "".join(ellipse(140 + k * 130, 560, 46, 12, "#22262b") for k in range(3))
            + rect(100, 500, 110, 56, c.accent, 10)
            + line(210, 520, 270, 516, "#22262b", 12)
            + rect(110, 620, 320, 130, "#3a3f45", 10)
        )
    elif "fruit" in place:
        scene += (
            s.table(600, c.wood)
            + path("M100 560L420 560Q400 660 260 660Q120 660 100 560Z", fill=c.accent)
            + o.apple(180, 530, 44)
            + o.apple(260, 516, 46, "#ee8a1f")
            + o.apple(340, 534, 42, "#7d9a3a")
        )
    elif "herbs" in place:
        scene += (
            rect(590, 560, 380, 22, c.wood)
            + "".join(o.pot_plant(k, 562, 150, "#c4714a", "#5d9a4b") for k in (670, 780, 890))
            + s.table(670, c.wood)
        )
    else:
        scene += (
            rect(-160, 600, 1400, 340, "#c9ced2")
            + ellipse(780, 640, 190, 40, "#9aa4ab")
            + path("M780 620C780 500 860 500 860 560", stroke="#8a9096", width=16)
            + "".join(ellipse(120 + k * 60, 560, 16, 62, "#f7f7f2", "#b9bec4", 4) for k in range(5))
            + rect(80, 600, 320, 20, "#8a9096")
        )
    if spec.word("sky") != "light":
        scene += _lamp_light(spec, 120, 120)
    return s.tilted(
        scene + _clock(330, 280, 176, spec.value, draw.choice((0, 0, 1)), c.accent), spec.number("angle") * 0.4
    )


def _tower(spec: PictureSpec) -> str:
    place, draw = spec.word("place"), s.look(spec)
    lit = spec.word("sky") != "light"
    x = draw.choice((400, 470, 560))
    stone = "#b9a78c" if not lit else "#6d6478"
    tower = (
        rect(x - 230, 90, 460, 850, stone)
        + "".join(rect(x - 230 + (k % 2) * 50, 120 + k * 74, 410, 4, "#00000022") for k in range(10))
        + polygon([(x - 260, 96), (x, -110), (x + 260, 96)], "#7a4a3a" if not lit else "#3f2c3a")
        + rect(x - 250, 84, 500, 24, "#00000044")
    )
    scene = _sky_of(spec, (x - 250, x + 250))
    houses = "".join(
        o.house(
            k,
            790,
            170,
            150 + draw.integer(0, 60),
            "#d9b98a" if not lit else "#3a3550",
            "#9c4f3c" if not lit else "#2a2340",
            lit=lit,
        )
        for k in range(-120, 1120, 185)
    )
    extra = ""
    if "pigeons" in place:
        extra = rect(x - 260, 630, 520, 26, "#8f8068") + "".join(
            ellipse(x - 180 + k * 120, 612, 34, 20, "#7d8a96") + circle(x - 150 + k * 120, 588, 13, "#5f7a8a")
            for k in range(4)
        )
    elif "bridge" in place:
        houses = (
            rect(-160, 690, 1400, 240, "#1f3550")
            + path(
                "M-160 690Q100 560 360 690M360 690Q620 560 880 690M880 690Q1000 620 1190 690",
                stroke="#57506a",
                width=30,
            )
            + rect(-160, 600, 1400, 40, "#57506a")
            + "".join(o.lamp_post(k, 602, 110, lit) for k in (60, 260, 800, 980))
        )
    elif "street" in place:
        extra = "".join(o.lamp_post(k, 780, 330, lit) for k in (90, 930))
    return s.tilted(
        scene + tower + houses + extra + _clock(x, 370, 214, spec.value, draw.choice((0, 2)), "#3a3f45", "#f6f1df"),
        spec.number("angle") * 0.5,
    )


def _bedside(spec: PictureSpec) -> str:
    place, c = spec.word("place"), s.palette(spec)
    scene = _room(spec, 560, c.wood) + s.window(640, 60, 310, 340, _view(spec)) + s.table(640, c.wood)
    x, y = 370, 390
    bells = (
        circle(x - 110, y - 190, 56, "#d0a23a", "#8a6a1c", 4)
        + circle(x + 110, y - 190, 56, "#d0a23a", "#8a6a1c", 4)
        + line(x, y - 240, x, y - 190, "#6b7076", 14)
        + line(x - 120, y + 160, x - 160, y + 250, "#6b7076", 24)
        + line(x + 120, y + 160, x + 160, y + 250, "#6b7076", 24)
    )
    if "books" in place:
        side = "".join(
            rect(690 + (k * 13) % 24, 594 - k * 46, 260, 44, fill, 4)
            for k, fill in enumerate(("#b5523b", "#3f6f9f", "#4d7a55"))
        )
    elif "glass" in place:
        side = polygon([(760, 470), (880, 470), (864, 640), (776, 640)], "#dff1fa", "#9cc7de", 4) + polygon(
            [(766, 530), (874, 530), (864, 636), (776, 636)], "#9fd0ec"
        )
    elif "chair" in place:
        side = rect(660, 590, 500, 260, c.accent, 40) + rect(700, 540, 220, 90, "#ffffff", 36)
    else:
        side = (
            rect(800, 480, 16, 150, "#6b7076")
            + polygon(
                [(730, 490), (770, 400), (846, 400), (886, 490)],
                "#f2d18b" if spec.word("sky") == "light" else "#ffe69a",
            )
            + rect(764, 624, 90, 16, "#6b7076", 6)
        )
    return s.tilted(scene + side + bells + _clock(x, y, 190, spec.value, 0, c.accent), spec.number("angle") * 0.6)


def _wrist(spec: PictureSpec) -> str:
    place, c = spec.word("place"), s.palette(spec)
    strap = "#5a3a24" if "rock" not in place else "#2b2f35"
    x, y = 400, 430
    watch = (
        path(f"M{x - 90} {y - 190}L{x - 74} -160L{x + 74} -160L{x + 90} {y - 190}Z", fill=strap)
        + path(f"M{x - 90} {y + 190}L{x - 74} 930L{x + 74} 930L{x + 90} {y + 190}Z", fill=strap)
        + "".join(circle(x, y + k, 8, "#00000066") for k in (270, 310))
        + rect(x + 196, y - 18, 34, 36, "#8a9096", 6)
    )
    face = _clock(x, y, 190, spec.value, 1 if "towel" not in place else 2, "#b9bec4", "#fbfaf4")
    if "desk" in place:
        scene = (
            s.planks(c.wood, upright=False)
            + s.window(690, -40, 280, 320, _view(spec))
            + rect(700, 420, 260, 300, "#fdfcf6", 4, stroke="#c9c2b4", line=3)
            + "".join(line(730, 470 + k * 40, 930, 470 + k * 40, "#c9d3d8", 5) for k in range(6))
        )
    elif "rock" in place:
        scene = (
            _sky_of(spec)
            + s.mountains(300, "#7f93a3", s.look(spec))
            + s.ground(470, "#7fa858")
            + path("M40 800C20 420 120 250 420 240C720 250 800 470 780 800Z", fill="#9a948a")
            + rect(800, 420, 220, 300, c.accent, 50)
            + rect(830, 540, 160, 120, "#00000033", 20)
        )
    else:
        scene = (
            _sky_of(spec)
            + rect(-160, 300, 1400, 160, "#3f9fc4")
            + s.ground(440, "#ecd9a4")
            + path("M140 930L200 300L640 300L760 930Z", fill=c.accent)
            + "".join(line(190 - k * 8, 380 + k * 110, 655 + k * 20, 380 + k * 110, "#ffffff66", 30) for k in range(5))
            + o.ball(870, 620, 80, "#e4572e")
        )
    return s.tilted(scene + group(watch + face, turn(spec.number("angle") * 2, x, y)), 0)


def _station(spec: PictureSpec) -> str:
    place, c = spec.word("place"), s.palette(spec)
    lit = spec.word("sky") != "light"
    scene = (
        _sky_of(spec, (110, 520) if "bench" not in place else (450, 860))
        + s.hills(560, "#6f8f5f" if not lit else "#1a2230", s.look(spec))
        + rect(-160, 640, 1400, 300, "#a39c8c" if not lit else "#4a4650")
    )
    scene += (
        polygon([(420, 640), (1190, 640), (1190, 930), (160, 930)], "#6d6a66" if not lit else "#2a2a30")
        + "".join(line(430 + k * 0, 660 + k * 30, 1190, 660 + k * 30, "#8a6a45", 8) for k in range(4))
        + line(400, 672, 1190, 672, "#c9ced2", 7)
        + line(300, 740, 1190, 740, "#c9ced2", 9)
    )
    if "train" in place:
        scene += (
            rect(560, 400, 700, 290, c.accent, 50)
            + "".join(rect(600 + k * 150, 450, 110, 100, "#cfe6f2", 12) for k in range(4))
            + rect(560, 590, 700, 22, "#ffffff")
            + "".join(circle(640 + k * 140, 692, 30, "#22262b") for k in range(4))
        )
    elif "bench" in place:
        scene += o.bench(60, 740, 340, "#8a5a34") + _lamp_light(spec, 880, 120)
    else:
        scene += "".join(o.person(k, 760, 240, fill) for k, fill in ((100, "#c0392b"), (190, "#2f6fae")))
    pole = rect(300, 290, 26, 600, "#3a3f45") if "bench" not in place else rect(640, -100, 26, 300, "#3a3f45")
    x = 313 if "bench" not in place else 653
    return s.tilted(scene + pole + _clock(x, 260, 178, spec.value, 2, "#22262b", "#ffffff"), spec.number("angle") * 0.4)


def _mantel(spec: PictureSpec) -> str:
    place, c = spec.word("place"), s.palette(spec)
    scene = _room(spec, 760, c.wood) + s.window(680, 60, 270, 330, _view(spec))
    shelf = (
        rect(-160, 560, 1400, 40, "#6d4a30") + rect(60, 600, 600, 340, "#8f8680") + rect(150, 650, 420, 290, "#1d1512")
    )
    fire = (
        "".join(
            path(f"M{k} 780C{k - 50} 720 {k + 10} 690 {k} 650C{k + 50} 690 {k + 50} 740 {k + 30} 780Z", fill=fill)
            for k, fill in ((260, "#ff8a2a"), (330, "#ffb03a"), (400, "#ff6a1f"))
        )
        if "fireplace" in place or spec.word("sky") != "light"
        else ""
    )
    x, y = 360, 350
    case = path(
        f"M{x - 250} 560L{x - 230} {y - 20}C{x - 200} {y - 260} {x + 200} {y - 260} {x + 230} {y - 20}L{x + 250} 560Z",
        fill="#8a5a34",
        stroke="#5c3a20",
        width=6,
    )
    if "vases" in place:
        side = "".join(
            path(
                f"M{k - 30} 560C{k - 80} 470 {k - 20} 430 {k - 24} 370L{k + 24} 370C{k + 20} 430 {k + 80} 470 {k + 30} 560Z",
                fill=c.accent,
            )
            for k in (60, 660)
        )
    elif "globe" in place:
        side = (
            circle(640, 470, 60, "#4f9fc9")
            + path("M610 440Q640 420 660 450Q650 480 620 476Z", fill="#7fae5a")
            + line(640, 530, 640, 560, "#8a6242", 12)
            + rect(600, 550, 80, 12, "#8a6242")
        )
    else:
        side = (
            rect(30, 440, 24, 120, "#f4ecdc")
            + ellipse(42, 424, 9, 18, "#ffb03a")
            + rect(650, 460, 24, 100, "#f4ecdc")
            + ellipse(662, 444, 9, 18, "#ffb03a")
        )
    return s.tilted(
        scene + shelf + fire + side + case + _clock(x, y, 168, spec.value, 0 if "globe" in place else 1, "#d0a23a"),
        spec.number("angle") * 0.3,
    )


def _classroom(spec: PictureSpec) -> str:
    place, c = spec.word("place"), s.palette(spec)
    scene = _room(spec, 690, c.wood) + s.window(680, 80, 280, 360, _view(spec))
    if "board" in place:
        scene += rect(40, 480, 600, 230, "#8a6242", 6) + rect(56, 496, 568, 198, "#2f5f45")
    elif "desks" in place:
        scene += "".join(
            rect(40 + i * 250, 560 + j * 110, 190, 22, "#c99a5f", 4)
            + rect(56 + i * 250, 582 + j * 110, 12, 70, "#6b7076")
            + rect(202 + i * 250, 582 + j * 110, 12, 70, "#6b7076")
            for i in range(4)
            for j in range(2)
        )
    else:
        scene += (
            rect(40, 500, 560, 300, "#2a2320", 10)
            + rect(40, 600, 560, 50, "#fdfcf6")
            + "".join(rect(70 + k * 38, 600, 18, 30, "#1a1614") for k in range(14) if k % 7 not in (2, 6))
            + rect(230, 440, 180, 70, "#fdfcf6")
        )
    return s.tilted(
        scene + _clock(330, 250, 176, spec.value, 0 if "desks" not in place else 2, "#3a3f45"),
        spec.number("angle") * 0.4,
    )


_SCENES = {
    "kitchen": _kitchen,
    "tower": _tower,
    "bedside": _bedside,
    "wrist": _wrist,
    "station": _station,
    "mantel": _mantel,
    "classroom": _classroom,
}
