"""Speeds on dials, bands and displays, each with both common scales."""

from __future__ import annotations

from covary.build.pictures.catalogue.speed import KM_PER_MILE, SCALES
from covary.build.pictures.drawing import objects as o
from covary.build.pictures.drawing import scenery as s
from covary.build.pictures.drawing.digits import figure, segments
from covary.build.pictures.drawing.gauges import Face, Scale, dial, rule
from covary.build.pictures.drawing.svg import (
    WIDTH,
    arc,
    circle,
    ellipse,
    group,
    line,
    path,
    polygon,
    rect,
    turn,
)
from covary.build.pictures.spec import PictureSpec

DARK_FACE = Face("#16191d", "#f2f4f5", "#7fd0ff", "#ff4a36", "#5b6168")
LIGHT_FACE = Face("#f5f1e4", "#26282c", "#a8391c", "#c8102e", "#8a8f94")


def draw(spec: PictureSpec) -> str:
    """The scene of one speed."""
    return _SCENES[spec.scene](spec)


def _kilometres(miles: float) -> float:
    return miles * KM_PER_MILE


def _scales(spec: PictureSpec, parts: int, second_parts: int) -> tuple[Scale, Scale]:
    high, step, high2, step2, _ = SCALES[spec.scene]
    return Scale(0, high, step, parts), Scale(0, high2, step2, second_parts, _kilometres)


def _road(spec: PictureSpec, horizon: float) -> str:
    """The view ahead: sky, land and a road to the horizon."""
    kind, draw, light = spec.word("road"), s.look(spec, "road"), spec.word("light")
    asphalt, land = "#5d6166", "#8fb06a"
    scene = s.sky(light)
    if kind == "night":
        land, asphalt = "#16202a", "#23272d"
        scene += s.stars(0, 0, WIDTH, 220, 60, draw) + s.moon(840, 90, 44)
    elif kind == "rain":
        scene += "".join(
            o.house(at, horizon + 20, 130, 150, "#4f5566", "#3a3f4d", lit=True) for at in range(-100, 1100, 160)
        )
        land, asphalt = "#50545c", "#3d4148"
    elif kind == "coast":
        scene += rect(-160, horizon - 40, 1400, 400, "#4f9fc9") + s.sun(800, 120, 50)
        land = "#d9c89a"
    elif kind == "lane":
        scene += "".join(
            o.house(at, horizon + 90, 210, 260, fill, "#9c5a44")
            for at, fill in ((-120, "#e3cfa8"), (90, "#d6b98e"), (740, "#dcc39a"), (950, "#cfae86"))
        )
        land, asphalt = "#c9b596", "#9c948a"
    elif kind == "forest":
        scene += "".join(o.fir(at, horizon + 30, 220 + draw.integer(-40, 60), "#2f5f45") for at in range(-60, 1100, 76))
        land = "#55703f"
    else:
        scene += s.hills(horizon - 30, "#9fbb83", draw) + s.cloud(220, 90, 50) + s.cloud(760, 70, 60)
    road = polygon([(500, horizon), (524, horizon), (1150, 800), (-126, 800)], asphalt)
    if kind == "lane":
        cobbles = "".join(
            ellipse(draw.integer(150, 900), draw.integer(int(horizon) + 40, 760), 18, 8, "#b3aaa0") for _ in range(90)
        )
    else:
        cobbles = "".join(
            polygon([(512 - w, y), (512 + w, y), (512 + w * 1.3, y + h), (512 - w * 1.3, y + h)], "#f2ecd8")
            for y, w, h in (
                (horizon + 14, 1.2, 12),
                (horizon + 46, 2.4, 22),
                (horizon + 96, 4.5, 38),
                (horizon + 180, 8, 66),
            )
        )
    rain = s.rain(draw) if kind == "rain" else ""
    beam = polygon([(512, horizon + 10), (900, 800), (124, 800)], "#fff2b8", opacity=0.14) if kind == "night" else ""
    return scene + s.ground(horizon, land) + road + cobbles + beam + rain


def _car_dial(spec: PictureSpec) -> str:
    first, second = _scales(spec, 10, 4)
    draw, c = s.look(spec), s.palette(spec)
    x, y, radius = draw.choice((400, 512, 600)), 478, 250
    face = DARK_FACE if spec.word("road") != "day" else LIGHT_FACE
    dash = path("M-160 300C200 220 824 220 1190 300L1190 930L-160 930Z", fill="#2b2e33") + path(
        f"M{x - 330} 420C{x - 300} 180 {x + 300} 180 {x + 330} 420L{x + 360} 930L{x - 360} 930Z", fill="#1f2226"
    )
    small = (
        circle(x + 400, 560, 74, "#3a3f45")
        + circle(x + 400, 560, 62, "#14171a")
        + arc(x + 400, 560, 48, -120, 40, "#5fbf6a", 8)
        + circle(x - 400, 560, 74, "#3a3f45")
        + circle(x - 400, 560, 62, "#14171a")
        + arc(x - 400, 560, 48, -120, -20, "#e0a526", 8)
    )
    wheel = path(
        "M-60 930C-20 640 200 560 170 800M1084 930C1044 640 824 560 854 800", stroke="#0f1113", width=54
    ) + path("M-60 930C-20 640 200 560 170 800", stroke=c.wood, width=6)
    return s.tilted(
        _road(spec, 170) + dash + small + dial(x, y, radius, first, second, spec.value, face) + wheel,
        spec.number("angle") * 0.4,
    )


def _motorcycle_dial(spec: PictureSpec) -> str:
    first, second = _scales(spec, 10, 4)
    c = s.palette(spec)
    x, y, radius = 512, 430, 226
    lane = spec.word("road") == "lane"
    if lane:
        bars = (
            path("M-160 620C140 560 300 600 512 640C724 600 884 560 1190 620", stroke="#cfd5d9", width=34)
            + rect(-160, 590, 240, 64, "#5a3a24", 30)
            + rect(944, 590, 240, 64, "#5a3a24", 30)
            + path("M300 930C320 560 704 560 724 930Z", fill=c.accent)
            + circle(150, 320, 70, "#b9c6cf", "#7d8a94", 10)
            + line(150, 390, 250, 590, "#cfd5d9", 12)
            + circle(874, 320, 70, "#b9c6cf", "#7d8a94", 10)
            + line(874, 390, 774, 590, "#cfd5d9", 12)
        )
    else:
        bars = (
            path("M-160 700C160 640 220 560 420 600L604 600C804 560 864 640 1190 700", stroke="#22262b", width=44)
            + rect(-160, 650, 260, 90, "#0f1113", 34)
            + rect(924, 650, 260, 90, "#0f1113", 34)
            + path("M280 930C330 690 694 690 744 930Z", fill=c.accent)
            + ellipse(130, 380, 110, 62, "#b9c6cf", "#22262b", 14)
            + line(200, 430, 300, 600, "#22262b", 16)
            + ellipse(894, 380, 110, 62, "#b9c6cf", "#22262b", 14)
            + line(824, 430, 724, 600, "#22262b", 16)
        )
    face = LIGHT_FACE if lane else DARK_FACE
    gauge = dial(x, y, radius, first, second, spec.value, face, start=-118, sweep=236)
    return s.tilted(_road(spec, 260) + bars + gauge, spec.number("angle"))


def _band_gauge(spec: PictureSpec) -> str:
    first, second = _scales(spec, 10, 5)
    c = s.palette(spec)
    night = spec.word("road") == "night"
    face = DARK_FACE if night else LIGHT_FACE
    x, length, y = 140, 740, 440
    at = x + length * spec.value / first.high
    body = (
        path("M-160 350C200 310 824 310 1190 350L1190 930L-160 930Z", fill=c.accent if not night else "#30353b")
        + rect(70, 400, 884, 220, "#8a8f94", 40)
        + rect(86, 414, 852, 192, face.ground, 30)
    )
    marks = rule(x, y, length, 150, first, second, 25, face)
    marker = polygon([(at - 5, y - 14), (at + 5, y - 14), (at + 5, y + 164), (at - 5, y + 164)], face.pointer)
    knobs = "".join(
        circle(k, 690, 34, "#d9d2c3" if not night else "#4a5058", "#00000055", 4) + line(k, 690, k, 664, "#333333", 5)
        for k in (200, 320, 704, 824)
    )
    return s.tilted(_road(spec, 200) + body + marks + marker + knobs, spec.number("angle") * 0.5)


def _tractor_dial(spec: PictureSpec) -> str:
    first, second = _scales(spec, 10, 5)
    wheat = spec.word("road") == "wheat"
    draw = s.look(spec)
    x, y, radius = draw.choice((470, 560)), 470, 240
    scene = (
        s.sky(spec.word("light"))
        + s.hills(240, "#9fb57a", draw)
        + s.ground(300, "#d9b354" if wheat else "#6b4a30", "#e6cc7d" if wheat else "#8a6a48")
    )
    if wheat:
        scene += "".join(
            line(k, 460 - (k * 7) % 60, k + 6, 300 - (k * 7) % 40, "#f0d58a", 5) for k in range(-60, 1100, 16)
        )
    else:
        scene += "".join(line(512 + k * 30, 300, 512 + k * 180, 800, "#54391f", 10) for k in range(-8, 9))
    hood = (
        path("M250 420L300 300L724 300L774 420Z", fill="#2f7f3f" if not wheat else "#c9a227")
        + rect(470, 180, 34, 130, "#3a3f44")
        + path("M-160 470C200 400 824 400 1190 470L1190 930L-160 930Z", fill="#31363a")
    )
    levers = "".join(
        line(k, 930, k + lean, 600, "#15171a", 16) + circle(k + lean, 594, 30, fill)
        for k, lean, fill in ((120, 30, "#c0392b"), (210, 10, "#e0a526"), (880, -20, "#2f6fae"), (960, -10, "#22262b"))
    )
    return s.tilted(
        scene
        + hood
        + levers
        + dial(
            x,
            y,
            radius,
            first,
            second,
            spec.value,
            LIGHT_FACE if not wheat else DARK_FACE,
            start=-110,
            sweep=220,
            digit=0.12,
        ),
        spec.number("angle") * 0.8,
    )


def _roadside_board(spec: PictureSpec) -> str:
    draw, light, comes = s.look(spec), spec.word("light"), spec.word("comes")
    upper, lower = figure(spec.value), figure(spec.number("second"))
    scene = s.sky(light) + s.hills(400, "#8fae84", draw) + s.ground(470, "#86a866")
    scene += polygon([(420, 470), (470, 470), (900, 930), (-100, 930)], "#5d6166") + "".join(
        polygon(
            [
                (444 - k * 20, 490 + k * 70),
                (450 - k * 20, 490 + k * 70),
                (446 - k * 24, 530 + k * 74),
                (436 - k * 24, 530 + k * 74),
            ],
            "#f2ecd8",
        )
        for k in range(4)
    )
    scene += "".join(o.tree(at, 500, 150) for at in (60, 170, 980)) if comes != "truck" else s.rain(draw, 70)
    x = 250
    if comes == "car":
        rider = o.car_front(x, 700, 250, "#c0392b")
    elif comes == "truck":
        rider = (
            rect(x - 120, 400, 240, 260, "#e8e4d8", 10)
            + o.car_front(x, 720, 280, "#2f6fae")
            + rect(x - 116, 520, 232, 90, "#a9c7d8", 8)
            + rect(x - 130, 600, 260, 20, "#1f4f7f")
        )
    else:
        rider = (
            circle(x, 690, 58, "none", "#1b1c1f", 9)
            + line(x, 690, x, 560, "#2f6fae", 9)
            + line(x - 56, 556, x + 56, 556, "#22262b", 8)
            + path(f"M{x - 50} 556L{x - 26} 450L{x + 26} 450L{x + 50} 556", stroke="#e0a526", width=26)
            + rect(x - 36, 420, 72, 130, "#e0a526", 26)
            + circle(x, 388, 34, "#c58f6a")
            + path(f"M{x - 38} 384C{x - 36} 336 {x + 36} 336 {x + 38} 384Z", fill="#c0392b")
            + circle(x, 600, 12, "#fff4c2")
        )
    board = (
        rect(726, 420, 30, 400, "#8a8f94")
        + rect(560, 90, 380, 400, "#2c3136", 24)
        + rect(584, 114, 332, 352, "#0d1013", 12)
        + segments(upper, 750, 226, 150, "#ffb321")
        + line(620, 326, 880, 326, "#ffb321", 3)
        + segments(lower, 750, 396, 96, "#ffb321")
    )
    return s.tilted(scene + rider + board, spec.number("angle") * 0.5)


def _bicycle_computer(spec: PictureSpec) -> str:
    draw, light, kind = s.look(spec), spec.word("light"), spec.word("path")
    upper, lower = figure(spec.value), figure(spec.number("second"))
    if kind == "gravel":
        scene = (
            s.sky(light)
            + s.hills(230, "#8fb07a", draw)
            + s.ground(300, "#9cbf74")
            + polygon([(480, 300), (544, 300), (900, 930), (124, 930)], "#d6c39a")
            + "".join(circle(draw.integer(300, 740), draw.integer(380, 760), 5, "#b39f78") for _ in range(60))
        )
    elif kind == "hill":
        scene = (
            s.sky(light)
            + s.mountains(150, "#7f93a3", draw)
            + s.ground(330, "#8aa86a")
            + polygon([(380, 330), (420, 330), (1000, 930), (60, 930)], "#6d7278")
        )
    else:
        scene = (
            s.sky(light)
            + "".join(
                o.house(at, 320, 120, 170, fill, "#7a4a3a", lit=True)
                for at, fill in (
                    (-60, "#b5653c"),
                    (70, "#d0a26a"),
                    (200, "#9c5a44"),
                    (700, "#c9a27a"),
                    (830, "#a8643a"),
                    (960, "#d6b98e"),
                )
            )
            + s.ground(320, "#7d7a78")
            + polygon([(330, 320), (470, 320), (330, 930), (-160, 930), (-160, 560)], "#4f7f96")
        )
    bar = (
        path(
            "M-160 640C200 560 340 590 512 590C684 590 824 560 1190 640",
            stroke="#22262b" if kind != "canal" else "#c9ced2",
            width=52,
        )
        + rect(-160, 590, 250, 84, "#3a3026", 34)
        + rect(934, 590, 250, 84, "#3a3026", 34)
        + path("M512 590L512 930", stroke=s.palette(spec).accent, width=60)
        + path("M300 600C260 760 380 800 420 930M724 600C764 760 644 800 604 930", stroke="#15171a", width=9)
    )
    computer = (
        rect(352, 270, 320, 330, "#1d2024", 44)
        + rect(378, 296, 268, 262, "#cdd8c2", 18)
        + segments(upper, 512, 380, 116, "#1b241f")
        + line(410, 452, 614, 452, "#1b241f", 3)
        + segments(lower, 512, 506, 70, "#1b241f")
        + circle(512, 580, 12, "#c0392b")
    )
    return s.tilted(
        scene + bar + group(computer, turn(spec.number("angle") * 1.2, 512, 440)), spec.number("angle") * 0.5
    )


def _treadmill(spec: PictureSpec) -> str:
    c, upper, lower = s.palette(spec), figure(spec.value), figure(spec.number("second"))
    if spec.word("room") == "gym":
        view = rect(0, 0, 100, 100, "#b9c6cf") + "".join(
            rect(k * 14, 40 + (k * 13) % 25, 11, 60, "#8a97a3") for k in range(8)
        )
        scene = (
            s.wall("#d5dadd", "#6b6f76", 560) + s.window(80, -30, 380, 330, view) + s.window(560, -30, 380, 330, view)
        )
    else:
        scene = (
            s.bricks("#8a7a6c", "#6d6056")
            + line(180, -20, 180, 120, "#22262b", 5)
            + polygon([(120, 170), (150, 110), (210, 110), (240, 170)], "#e0a526")
            + ellipse(180, 176, 58, 14, "#fff2b8")
            + rect(760, 60, 180, 200, c.wood, 6)
            + "".join(rect(774, 76 + k * 92, 152, 78, "#4a3a2a") for k in range(2))
        )
    console = path("M90 340Q512 280 934 340L990 640Q512 600 34 640Z", fill="#2b2f35") + path(
        "M34 640Q512 600 990 640L1010 700Q512 660 14 700Z", fill="#1b1e22"
    )
    windows = (
        rect(176, 372, 312, 166, "#0d1013", 14)
        + rect(536, 372, 312, 166, "#0d1013", 14)
        + segments(upper, 332, 455, 104, "#ff5a3c")
        + segments(lower, 692, 455, 104, "#5ad1ff")
    )
    buttons = "".join(
        circle(k, 590, 22, fill)
        for k, fill in ((300, "#3fa35a"), (420, "#e0a526"), (512, "#c0392b"), (604, "#e0a526"), (724, "#3fa35a"))
    )
    rails = path("M60 700L-60 930M964 700L1084 930", stroke="#8a9096", width=46)
    return s.tilted(scene + rails + console + windows + buttons, spec.number("angle") * 0.4)


_SCENES = {
    "car_dial": _car_dial,
    "motorcycle_dial": _motorcycle_dial,
    "band_gauge": _band_gauge,
    "tractor_dial": _tractor_dial,
    "roadside_board": _roadside_board,
    "bicycle_computer": _bicycle_computer,
    "treadmill": _treadmill,
}
