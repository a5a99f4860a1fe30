"""Thermometers of eight kinds, each with both common scales."""

from __future__ import annotations

from covary.build.pictures.catalogue.temperature import SCALES
from covary.build.pictures.drawing import objects as o
from covary.build.pictures.drawing import scenery as s
from covary.build.pictures.drawing.digits import figure, segments
from covary.build.pictures.drawing.gauges import Face, Scale, column, dial, rule
from covary.build.pictures.drawing.svg import (
    WIDTH,
    bands,
    circle,
    ellipse,
    group,
    line,
    move,
    path,
    polygon,
    rect,
    turn,
)
from covary.build.pictures.spec import PictureSpec

FACES = (
    Face(),
    Face("#f3ead2", "#33281c", "#8a3b12", "#a3160f", "#7a5a2e"),
    Face("#ffffff", "#1d3557", "#b3541e", "#d62828", "#8d99ae"),
)


def draw(spec: PictureSpec) -> str:
    """The scene of one temperature."""
    return _SCENES[spec.scene](spec)


def _celsius(fahrenheit: float) -> float:
    return (fahrenheit - 32) * 5 / 9


def _scales(spec: PictureSpec, parts: int, second_parts: int) -> tuple[Scale, Scale]:
    low, high, step, low2, high2, step2, _ = SCALES[spec.scene]
    return Scale(low, high, step, parts), Scale(low2, high2, step2, second_parts, _celsius)


def _face(spec: PictureSpec) -> Face:
    return FACES[int(spec.number("palette")) % len(FACES)]


def _wall_tube(spec: PictureSpec) -> str:
    draw = s.look(spec)
    x = draw.choice((430, 500, 560, 600))
    plate = _tube_plate(spec, x, 60, 640)
    scene = _SEASONS[spec.word("season")](spec, x)
    return s.tilted(scene + group(plate, turn(spec.number("angle") * 0.4, x, 380)), spec.number("angle") * 0.3)


def _tube_plate(spec: PictureSpec, x: float, top: float, height: float) -> str:
    first, second = _scales(spec, 10, 10)
    face = _face(spec)
    high, low = top + 60, top + height - 110
    level = low + (high - low) * (spec.value - first.low) / (first.high - first.low)
    body = rect(x - 122, top + 8, 250, height, "#00000040", 26) + rect(
        x - 128, top, 256, height, face.ground, 26, stroke=face.rim, line=8
    )
    tube = rect(x - 11, high - 22, 22, low - high + 60, "#e3ebee", 11, stroke="#9aa5ab", line=2)
    fluid = rect(x - 6, level, 12, low - level + 60, face.pointer) + circle(x, low + 58, 27, face.pointer)
    shine = circle(x - 9, low + 50, 6, "#ffffff", opacity=0.6)
    screws = circle(x, top + 18, 6, "#8a8f94") + circle(x, top + height - 14, 5, "#8a8f94")
    return body + tube + fluid + shine + screws + column(x, high, low, first, second, 17, 25, face)


def _snow_wall(spec: PictureSpec, x: float) -> str:
    draw, colours = s.look(spec, "snow"), s.palette(spec)
    left = x > 500
    at = 40 if left else 720
    view = (
        rect(0, 0, 100, 100, "#dfe9f1")
        + o.fir(30, 92, 60, "#4d6f66")
        + o.fir(70, 95, 45, "#5d7f74")
        + rect(0, 84, 100, 20, "#ffffff")
    )
    return (
        s.planks(colours.wall, upright=False, width=96)
        + s.window(at, 150, 260, 330, view)
        + path(f"M{at - 30} 486Q{at + 130} 440 {at + 290} 486Z", fill="#ffffff")
        + s.ground(690, "#f4f8fb")
        + s.snow(draw, 70)
    )  # fmt: skip


def _summer_wall(spec: PictureSpec, x: float) -> str:
    at = 130 if x > 500 else 900
    return (
        s.bricks("#b4694c", "#d8c6b4")
        + polygon([(-160, -160), (700, -160), (250, 930), (-160, 930)], "#fff1b8", opacity=0.28)
        + o.pot_plant(at, 760, 330, "#8a4a2c", "#5f8f3a", "#f2b632")
    )  # fmt: skip


def _spring_wall(spec: PictureSpec, x: float) -> str:
    at = 190 if x > 500 else 850
    return (
        s.planks("#e9eef0", "#00000022")
        + s.table(650, "#9b7650")
        + o.pot_plant(at, 690, 330, "#c4714a", "#5d9a4b", "#e46a9b")
        + o.pot_plant(at + 100 * (1 if at < 500 else -1), 715, 210, "#6f8fb0", "#6aa84f", "#f6d046")
    )


def _autumn_wall(spec: PictureSpec, x: float) -> str:
    draw = s.look(spec, "leaves")
    at = 180 if x > 500 else 850
    leaves = "".join(
        ellipse(draw.integer(-40, 1060), draw.integer(690, 760), 20, 11, draw.choice(("#c8641f", "#a8391c", "#d99a2b")))
        for _ in range(40)
    )
    rake = line(at, 90, at + 60, 690, "#a5763f", 14) + line(at + 10, 690, at + 118, 690, "#4b4f53", 12)
    teeth = "".join(line(at + 14 + k * 20, 692, at + 10 + k * 20, 730, "#4b4f53", 7) for k in range(6))
    return s.planks("#7f6a55", "#00000044") + s.ground(700, "#7b6a44") + rake + teeth + leaves


def _room_wall(spec: PictureSpec, x: float) -> str:
    c = s.palette(spec)
    sofa = (
        rect(-30, 560, 1090, 130, c.accent, 40)
        + rect(-30, 650, 1090, 140, c.accent, 20)
        + "".join(rect(at, 575, 150, 110, c.pale, 24, stroke="#00000022", line=2) for at in (60, 790))
    )
    return (
        s.wall(c.wall, c.wood, 720) + circle(150, 240, 96, c.pale, c.wood, 14) + circle(150, 240, 50, c.accent) + sofa
    )


def _cellar_wall(spec: PictureSpec, x: float) -> str:
    rack = "".join(rect(-60, 560 + k * 110, 1160, 18, "#6d5234") for k in range(2))
    fruit = "".join(
        o.apple(20 + k * 74, 528 + row * 110, 32, ("#b5382a", "#7d9a3a", "#c98f2e")[(k + row) % 3])
        for row in range(2)
        for k in range(14)
    )
    return s.bricks("#8d8a84", "#6f6c67") + rack + fruit


_SEASONS = {
    "snow": _snow_wall,
    "summer": _summer_wall,
    "spring": _spring_wall,
    "autumn": _autumn_wall,
    "room": _room_wall,
    "cellar": _cellar_wall,
}


def _garden_dial(spec: PictureSpec) -> str:
    first, second = _scales(spec, 10, 10)
    draw = s.look(spec)
    x, y, radius = draw.choice((420, 512, 600)), draw.choice((360, 390)), draw.choice((262, 280))
    season = spec.word("season")
    if season == "green":
        plants = "".join(
            line(at, 800, at + 10, 60, "#4f7d34", 10)
            + "".join(
                ellipse(at + (26 if k % 2 else -26), 100 + k * 90, 44, 20, "#5f9a41") + (circle(at + (-24 if k % 2 else 24), 140 + k * 90, 24, "#d0392b") if k % 2 == 0 else "")
                for k in range(8)
            )
            for at in (50, 190, 850, 980)
        )  # fmt: skip
        panes = "".join(line(at, -100, at, 900, "#ffffff", 9) for at in range(0, 1100, 210)) + line(
            -100, 250, 1124, 250, "#ffffff", 9
        )
        scene = s.everywhere("#cfe6dd") + panes + plants
    elif season == "field":
        scene = (
            s.sky("morning")
            + s.hills(470, "#a9bfa0", draw)
            + s.ground(600, "#8aa86a", "#b7c79d")
            + s.everywhere("#f3f4ef", 0.35)
            + rect(x - 75, 20, 150, 900, "#8a7256")
        )
    elif season == "terrace":
        glasses = "".join(
            polygon([(at, 590), (at + 90, 590), (at + 76, 740), (at + 14, 740)], "#f6b26b")
            + rect(at + 22, 600, 26, 24, "#ffffff", opacity=0.6)
            + line(at + 60, 540, at + 44, 720, "#c0392b", 7)
            for at in (60, 200, 850)
        )
        scene = s.wall("#f2e3c2", "#c9a57a", 660) + s.sun(930, 110, 64) + s.table(690, "#9c6b43") + glasses
    elif season == "dusk":
        roofs = "".join(
            o.house(at, 720, 150, 120 + at % 70, "#3b3a55", "#2b2a40", lit=True) for at in range(-60, 1100, 190)
        )
        scene = (
            s.sky("evening")
            + s.sun(180, 560, 70, "#ffb347")
            + roofs
            + "".join(line(at, 640, at, 900, "#22222e", 10) for at in range(-40, 1100, 70))
            + line(-100, 640, 1124, 640, "#22222e", 16)
        )
    else:
        logs = "".join(
            circle(60 + k * 118, 700 - (k % 2) * 60, 62, "#8b6242", "#5d4029", 8)
            + circle(60 + k * 118, 700 - (k % 2) * 60, 32, "#b98a5e")
            for k in range(9)
        )
        scene = (
            s.sky("overcast")
            + s.mountains(330, "#7f93a3", draw)
            + s.ground(560, "#eef4f8")
            + rect(x - 340, 40, 680, 640, "#8a6647")
            + "".join(line(x - 340, 40 + k * 80, x + 340, 40 + k * 80, "#5e432c", 6) for k in range(9))
            + logs
            + s.snow(draw, 80)
        )
    instrument = ellipse(x + 14, y + 20, radius * 1.08, radius * 1.08, "#000000", opacity=0.22) + dial(
        x, y, radius, first, second, spec.value, _face(spec)
    )
    return s.tilted(scene + group(instrument, turn(spec.number("angle"), x, y)), 0)


def _oven_dial(spec: PictureSpec) -> str:
    first, second = _scales(spec, 10, 5)
    draw = s.look(spec)
    x, y, radius = draw.choice((380, 470, 600)), 330, 240
    dish = spec.word("dish")
    if dish == "grill":
        scene = (
            s.sky("evening")
            + s.hills(560, "#4c6a3d", draw)
            + path("M60 640C60 120 964 120 964 640Z", fill="#2b2d31")
            + rect(40, 640, 944, 40, "#1b1c1f", 12)
            + rect(400, 70, 220, 30, "#8a6a45", 14)
            + "".join(line(180 + k * 60, 700, 170 + k * 60, 760, "#ff7b2d", 10) for k in range(12))
        )
    elif dish == "brick":
        scene = (
            s.bricks("#9b5a3c", "#6d4a37")
            + path("M120 700C120 60 904 60 904 700Z", fill="#2a1710")
            + "".join(
                ellipse(180 + k * 90, 690 - (k % 3) * 14, 50, 24, ("#ff6a1f", "#ffb03a", "#d83a12")[k % 3])
                for k in range(8)
            )
            + ellipse(512, 640, 230, 36, "#e7c78d", "#b0843f", 6)
        )
    else:
        rack = "".join(line(60, 600 + k * 5, 964, 600 + k * 5, "#b5b9bd", 4) for k in (0, 8))
        food = (
            o.loaf(760 if x < 500 else 240, 600, 330)
            if dish == "loaf"
            else "".join(o.loaf(at, 600, 120, "#d49a4a") for at in range(90, 1000, 135))
        )
        scene = (
            s.everywhere("#3c3f44")
            + rect(40, 30, 944, 690, "#15110f", 30)
            + bands(60, 50, 904, 650, [(0, "#ff8a2a", 0.12), (1, "#ff6a1a", 0.6)], 20)
            + rack
            + food
        )
    instrument = dial(x, y, radius, first, second, spec.value, _face(spec), start=-140, sweep=280, digit=0.11)
    hook = path(
        f"M{x} {y - radius - 10}C{x} {y - radius - 70} {x + 50} {y - radius - 70} {x + 44} {y - radius - 30}",
        stroke="#8e949a",
        width=12,
    )
    return s.tilted(scene + group(hook + instrument, turn(spec.number("angle"), x, y)), spec.number("angle") * 0.3)


def _food_probe(spec: PictureSpec) -> str:
    first, second = _scales(spec, 10, 8)
    draw = s.look(spec)
    x, y, radius = draw.choice((440, 512, 580)), 255, 222
    dish = spec.word("dish")
    lean = spec.number("angle") * 2.2
    stem = rect(x - 8, y, 16, 330, "#aab0b6", 6)
    c = s.palette(spec)
    if dish == "roast":
        behind = s.wall(c.wall, c.wood, 520) + s.table(600, "#b58955")
        front = (
            rect(150, 660, 724, 46, "#8f6238", 20)
            + path(
                "M220 664C200 520 380 500 520 510C700 500 830 540 804 664Z", fill="#7d3f22", stroke="#54250f", width=6
            )
            + "".join(
                path(f"M{300 + k * 90} 540Q{330 + k * 90} 590 {310 + k * 90} 650", stroke="#e8d3b0", width=7)
                for k in range(5)
            )
            + o.apple(180, 640, 30, "#6f9a3f")
            + o.apple(860, 640, 32, "#d98a2b")
        )
    elif dish == "jug":
        behind = s.wall(c.wall, c.wood, 560) + s.table(640, "#d9c7a6")
        front = (
            path("M330 470L350 740L690 740L710 470Z", fill="#f7f4ee", stroke="#c9c2b4", width=6)
            + ellipse(520, 470, 190, 34, "#fffdf6", "#c9c2b4", 6)
            + path("M706 510C800 500 800 660 694 680", stroke="#e3ddd0", width=26)
            + o.mug(150, 730, 120, c.accent)
        )
    elif dish == "pot":
        behind = s.wall(c.wall, "#5a5d61", 560) + rect(-100, 640, 1300, 200, "#3a3d41")
        front = (
            rect(240, 520, 560, 210, "#b5673a", 26, stroke="#7d4220", line=6)
            + ellipse(520, 522, 282, 46, "#7a1238", "#8d4c26", 10)
            + "".join(
                circle(300 + k * 46, 516 + (k % 3) * 10, 20, ("#a01848", "#5d1a6b", "#c22f4f")[k % 3])
                for k in range(10)
            )
            + rect(150, 560, 96, 26, "#7d4220", 12)
            + rect(796, 560, 96, 26, "#7d4220", 12)
        )
    else:
        behind = (
            s.wall(c.wall, c.wood, 560)
            + s.table(660, c.wood)
            + s.window(40, 60, 200, 260, rect(0, 0, 100, 100, "#b9c4cb") + s.cloud(45, 40, 22, "#dfe5e9"))
        )
        steam = "".join(
            path(
                f"M{400 + k * 110} 470C{370 + k * 110} 420 {440 + k * 110} 390 {400 + k * 110} 340",
                stroke="#ffffff",
                width=12,
                opacity=0.5,
            )
            for k in range(3)
        )
        front = (
            steam
            + path("M340 500C350 720 420 740 520 740C620 740 690 720 700 500Z", fill=c.accent)
            + ellipse(520, 500, 180, 32, "#7b4a22", c.pale, 8)
            + path("M694 540C800 530 790 660 672 660", stroke=c.accent, width=24)
            + ellipse(520, 748, 260, 18, c.pale)
        )
    instrument = group(
        stem + dial(x, y, radius, first, second, spec.value, _face(spec), digit=0.11), turn(lean, x, 500)
    )
    return s.tilted(behind + instrument + front, 0)


def _fever_stick(spec: PictureSpec) -> str:
    first, second = _scales(spec, 10, 10)
    face = FACES[2]
    x, y, length, height = 240, 300, 610, 150
    level = x + length * (spec.value - first.low) / (first.high - first.low)
    stick = (
        rect(x - 168, y + 12, length + 240, height, "#000000", 60, opacity=0.2)
        + path(f"M{x - 170} {y + 60}L{x - 60} {y}L{x + length + 60} {y}L{x + length + 60} {y + height}L{x - 60} {y + height}L{x - 170} {y + 90}Z", fill="#fdfefe", stroke="#9fb0bb", width=5)
        + rect(x - 150, y + 66, 60, 18, face.pointer, 9)
        + rect(x - 100, y + 68, length + 140, 14, "#dbe5ea", 7)
        + rect(x - 100, y + 69, level - x + 100, 12, face.pointer, 2)
    )  # fmt: skip
    marks = rule(x, y + 4, length, height - 8, first, second, 25, face)
    c = s.palette(spec)
    rest = spec.word("rest")
    if rest == "bear":
        things = group(
            "".join(
                circle(a, b, r, "#a9764a") for a, b, r in ((0, 0, 90), (-70, -74, 34), (70, -74, 34), (0, 150, 120))
            )
            + ellipse(0, 26, 40, 30, "#e3c49c")
            + circle(-32, -16, 9, "#22160d")
            + circle(32, -16, 9, "#22160d")
            + ellipse(0, 14, 13, 9, "#22160d"),
            move(820, 560),
            turn(20),
        )
        scene = (
            s.everywhere(c.accent)
            + "".join(line(k * 90, -160, k * 90, 930, "#ffffff33", 22) for k in range(-2, 14))
            + "".join(line(-160, k * 90, 1190, k * 90, "#ffffff22", 22) for k in range(-2, 12))
            + things
        )
    elif rest == "mug":
        scene = (
            s.planks(c.wood)
            + rect(60, 60, 904, 660, c.pale, 50, stroke="#00000033", line=6)
            + circle(800, 600, 96, c.accent)
            + circle(800, 600, 76, "#5a3218")
            + path("M890 580C960 560 960 650 884 640", stroke=c.accent, width=22)
            + ellipse(220, 620, 90, 40, "#ffffff", "#00000022", 3)
            + circle(200, 616, 16, "#e9c46a")
            + circle(244, 626, 16, "#e9c46a")
        )
    elif rest == "towel":
        scene = (
            s.everywhere("#dfe7ea")
            + rect(110, 120, 804, 560, "#fbfbfb", 30, stroke="#c9d3d8", line=5)
            + "".join(rect(110, at, 804, 16, c.accent, opacity=0.6) for at in (150, 174, 624, 648))
        )
    else:
        cat = (
            path("M560 700C480 520 720 470 850 540C980 600 960 740 800 740C700 748 600 748 560 700Z", fill="#d18b3f")
            + circle(600, 620, 78, "#d18b3f")
            + polygon([(545, 580), (548, 520), (592, 556)], "#d18b3f")
            + polygon([(610, 552), (656, 520), (660, 586)], "#d18b3f")
            + path("M566 622Q580 634 594 622M616 622Q630 634 644 622", stroke="#5a3411", width=5)
            + "".join(
                path(f"M{720 + k * 54} 530Q{740 + k * 54} 600 {716 + k * 54} 660", stroke="#a5632a", width=14)
                for k in range(4)
            )
        )
        scene = s.planks("#cbb594", upright=False) + ellipse(760, 650, 330, 150, "#3f6f8f") + cat
    return s.tilted(
        scene
        + group(stick + marks, move(0, -40 if rest in ("bear", "cat") else 40), turn(spec.number("angle"), 512, 370)),
        0,
    )


def _cold_strip(spec: PictureSpec) -> str:
    first, second = _scales(spec, 10, 10)
    face = _face(spec)
    x, length = 190, 640
    y = 430 if spec.word("shelf") == "box" else 300
    at = x + length * (spec.value - first.low) / (first.high - first.low)
    body = rect(x - 60, y - 20, length + 120, 200, "#000000", 22, opacity=0.2) + rect(
        x - 66, y - 30, length + 132, 200, face.ground, 22, stroke=face.rim, line=6
    )
    slot = rect(x - 10, y + 62, length + 20, 16, "#c9d1d6", 8)
    marker = (
        polygon([(at - 20, y + 54), (at + 20, y + 54), (at, y + 26)], face.pointer)
        + polygon([(at - 20, y + 86), (at + 20, y + 86), (at, y + 114)], face.pointer)
        + line(at, y + 4, at, y + 136, face.pointer, 3)
    )
    marks = rule(x, y - 22, length, 184, first, second, 24, face)
    shelf = spec.word("shelf")
    if shelf == "fridge":
        scene = (
            s.everywhere("#e9eff2")
            + "".join(line(-160, at_, 1190, at_, "#b4c2ca", 8) for at_ in (240, 560))
            + o.bottle(110, 236, 220, "#f7f7f2", "#3f6fb0")
            + "".join(ellipse(330 + k * 74, 208, 32, 40, "#e4c29a", "#c29a6a", 2) for k in range(6))
            + o.jar(900, 236, 150, "#b3432f")
            + "".join(o.apple(160 + k * 90, 706, 44, ("#7d9a3a", "#c23b2e")[k % 2]) for k in range(4))
            + rect(600, 620, 320, 130, "#f2d36b", 10)
        )
    elif shelf == "freezer":
        scene = (
            s.everywhere("#d5e4ee")
            + "".join(
                rect(at_, 20, 220, 190, fill, 8) + rect(at_, 20, 220, 34, "#ffffff", 8, opacity=0.85)
                for at_, fill in ((30, "#4f86b5"), (280, "#5e9a74"), (530, "#c4764e"), (780, "#8a6aa8"))
            )
            + "".join(
                rect(at_, 560, 290, 180, fill, 8) + rect(at_, 556, 290, 36, "#ffffff", 8, opacity=0.85)
                for at_, fill in ((30, "#b5544f"), (360, "#3f8f8a"), (690, "#c2a03c"))
            )
            + path("M-160 0L1190 0L1190 30Q1000 70 900 30T700 40T500 30T300 44T100 30T-160 40Z", fill="#ffffff")
        )
    else:
        scene = (
            s.sky("noon")
            + s.ground(200, "#7fae5a")
            + rect(60, 130, 904, 640, "#2f6fae", 30)
            + rect(110, 180, 804, 560, "#e8f0f4", 20)
            + "".join(o.bottle(200 + k * 120, 410, 230, ("#4a8f5a", "#b5652e", "#7a3f6a")[k % 3]) for k in range(6))
            + "".join(
                rect(130 + k * 94, 636 + (k % 2) * 26, 76, 66, "#ffffff", 12, stroke="#a9cbe0", line=3, opacity=0.9)
                for k in range(8)
            )
        )
    return s.tilted(
        scene + group(body + slot + marks + marker, turn(spec.number("angle") * 0.7, 512, y + 60)),
        spec.number("angle") * 0.3,
    )


def _water_strip(spec: PictureSpec) -> str:
    first, second = _scales(spec, 10, 10)
    draw = s.look(spec)
    water = spec.word("water")
    x = draw.choice((360, 470, 620))
    top, height = 50, 640
    high, low = top + 70, top + height - 110
    level = low + (high - low) * (spec.value - first.low) / (first.high - first.low)
    face = Face(pointer="#c8102e") if water != "fish" else Face(pointer="#1f5fa8")
    plate = (
        rect(x - 104, top, 208, height, "#fdfefe", 104, stroke="#6f8fa3", line=6)
        + rect(x - 9, high - 20, 18, low - high + 50, "#dfe8ee", 9, stroke="#a2b2bd", line=2)
        + rect(x - 5, level, 10, low - level + 46, face.pointer)
        + circle(x, low + 46, 22, face.pointer)
    )
    plate += column(x, high, low, first, second, 14, 25, face)
    if water == "fish":
        weeds = "".join(
            path(f"M{at} 760C{at - 60} 600 {at + 60} 500 {at} 340", stroke="#2f8f5a", width=20)
            for at in (60, 130, 860, 940, 990)
        )
        scene = (
            bands(*s.CANVAS, [(0, "#7fd0e6", 1), (1, "#1f6f95", 1)])
            + rect(-160, 700, 1400, 240, "#d8b878")
            + weeds
            + o.fish(180 if x > 400 else 760, 250, 130, "#f08a24")
            + o.fish(860, 520, 110, "#e8d23a")
            + o.fish(230 if x > 400 else 700, 560, 90, "#d9433f")
            + "".join(
                circle(draw.integer(40, 980), draw.integer(40, 640), draw.integer(5, 13), "#ffffff", opacity=0.45)
                for _ in range(18)
            )
        )
    elif water == "pool":
        scene = (
            bands(*s.CANVAS, [(0, "#5cc7ea", 1), (1, "#1c8fc4", 1)])
            + "".join(
                path(
                    f"M-160 {at}Q0 {at - 24} 160 {at}T480 {at}T800 {at}T1200 {at}",
                    stroke="#ffffff",
                    width=6,
                    opacity=0.35,
                )
                for at in range(60, 800, 84)
            )
            + rect(780, -60, 24, 640, "#d5dde2", 10)
            + rect(930, -60, 24, 640, "#d5dde2", 10)
            + "".join(rect(790, at, 150, 20, "#c2ccd3", 8) for at in (120, 270, 420))
        )
    else:
        duck = (
            ellipse(830, 560, 130, 84, "#f7cf2b")
            + circle(760, 450, 70, "#f7cf2b")
            + polygon([(700, 450), (640, 474), (700, 490)], "#ee7d1f")
            + circle(742, 434, 9, "#1a1a1a")
            + path("M830 560Q900 500 930 560Q890 600 830 560Z", fill="#e3b81c")
        )
        if x > 560:
            duck = group(duck, move(1000, 0), "scale(-1 1)")
        scene = (
            s.everywhere("#f1ece6")
            + rect(-160, 180, 1400, 780, "#bfe3f0")
            + "".join(
                circle(draw.integer(-20, 1040), draw.integer(150, 240), draw.integer(30, 64), "#ffffff", opacity=0.9)
                for _ in range(26)
            )
            + duck
            + "".join(
                circle(draw.integer(0, 1024), draw.integer(600, 760), draw.integer(14, 30), "#ffffff", opacity=0.7)
                for _ in range(16)
            )
        )
    return s.tilted(scene + group(plate, turn(spec.number("angle") * (2 if water == "pool" else 1), x, 370)), 0)


def _display(spec: PictureSpec) -> str:
    draw, c, sky = s.look(spec), s.palette(spec), spec.word("sky")
    upper, lower = figure(spec.value), figure(spec.number("second"))
    if sky == "rain":
        view = (
            rect(0, 0, 100, 100, "#8b98a3")
            + s.cloud(30, 26, 20, "#b9c2c9")
            + s.cloud(72, 34, 18, "#aeb8c0")
            + "".join(line(k * 9, 40 + (k % 3) * 14, k * 9 - 3, 56 + (k % 3) * 14, "#dbe6ee", 1) for k in range(12))
        )
        scene = (
            s.everywhere(c.wall)
            + s.window(90, -40, 844, 470, view)
            + s.table(470, c.wood)
            + o.pot_plant(150, 560, 260, "#b5653c")
        )
        return s.tilted(
            scene + _panel(420, 360, 400, 340, upper, lower, "#cfd8c4", "#1c2420"), spec.number("angle") * 0.5
        )
    if sky == "sun":
        scene = (
            s.wall(c.wall, c.wood, 690)
            + polygon([(0, 0), (330, 0), (620, 768), (160, 768)], "#fff2c0", opacity=0.5)
            + rect(770, 230, 190, 470, c.accent, 6)
            + circle(930, 480, 12, "#e8c95a")
            + rect(60, 600, 190, 16, c.wood)
        )
        return s.tilted(
            scene + _panel(330, 170, 380, 380, upper, lower, "#e6efe4", "#16302b"), spec.number("angle") * 0.5
        )
    if sky == "plaza":
        people = "".join(
            o.person(at, 748, 190, fill) for at, fill in ((120, "#d9534f"), (210, "#f0ad4e"), (880, "#5bc0de"))
        )
        scene = (
            s.sky("noon")
            + s.sun(880, 120, 70)
            + "".join(
                o.house(at, 640, 200, 260, fill, "#9c4f3c")
                for at, fill in ((-80, "#e8cfa6"), (120, "#d9b48a"), (720, "#e3c3a2"), (920, "#cfae86"))
            )
            + s.ground(640, "#d8c7a8")
            + people
            + rect(492, 440, 40, 330, "#4a4f55")
        )
        return s.tilted(
            scene + _panel(300, 90, 430, 360, upper, lower, "#15181c", "#ffb321"), spec.number("angle") * 0.5
        )
    scene = (
        s.sky("lamp")
        + s.stars(0, 0, WIDTH, 260, 50, draw)
        + s.moon(120, 130, 56)
        + rect(-160, 520, 1400, 400, "#3a3f4a")
        + "".join(o.car_side(at, 700, 250, fill) for at, fill in ((-40, "#8a2f35"), (250, "#44617f"), (760, "#6b6f76")))
        + "".join(rect(at, 662, 200, 10, "#ffffff", 5, opacity=0.8) for at in (-20, 300, 800))
        + rect(500, 420, 30, 320, "#22262b")
        + rect(-160, 700, 1400, 220, "#2a2e36")
    )
    return s.tilted(scene + _panel(320, 110, 390, 340, upper, lower, "#0d1013", "#ff4a36"), spec.number("angle") * 0.5)


def _panel(x: float, y: float, width: float, height: float, upper: str, lower: str, ground: str, ink: str) -> str:
    return (
        rect(x + 10, y + 14, width, height, "#000000", 26, opacity=0.3)
        + rect(x, y, width, height, "#4d545b", 26)
        + rect(x + 24, y + 24, width - 48, height - 48, ground, 12)
        + segments(upper, x + width / 2, y + height * 0.32, height * 0.34, ink)
        + line(x + 60, y + height * 0.54, x + width - 60, y + height * 0.54, ink, 3)
        + segments(lower, x + width / 2, y + height * 0.75, height * 0.25, ink)
    )


_SCENES = {
    "wall_tube": _wall_tube,
    "garden_dial": _garden_dial,
    "oven_dial": _oven_dial,
    "food_probe": _food_probe,
    "fever_stick": _fever_stick,
    "cold_strip": _cold_strip,
    "water_strip": _water_strip,
    "display": _display,
}
