"""Price tags, labels, registers, receipts, machines, chalk signs and vending slots: digits only."""

from __future__ import annotations

from covary.build.pictures.drawing import objects as o
from covary.build.pictures.drawing import scenery as s
from covary.build.pictures.drawing.digits import figure, segments, stroked
from covary.build.pictures.drawing.svg import (
    WIDTH,
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
from covary.digest import Draw

INK = "#22252b"


def draw(spec: PictureSpec) -> str:
    """The scene of one price."""
    return _SCENES[spec.scene](spec)


def _tag(x: float, y: float, digits: str, degrees: float, colour: str) -> str:
    """A tag hanging from (x, y)."""
    card = polygon(
        [(-120, 110), (-70, 50), (70, 50), (120, 110), (120, 260), (-120, 260)], colour, "#00000055", 4
    ) + circle(0, 84, 13, "#ffffff", "#8a8f94", 5)
    return group(
        line(0, 0, 0, 84, "#6d5a45", 5) + card + stroked(digits, 0, 184, 84, INK, 1.7), move(x, y), turn(degrees)
    )


def _hanging_tag(spec: PictureSpec) -> str:
    c, goods, digits, lean = s.palette(spec), spec.word("goods"), figure(spec.value), spec.number("angle") * 2
    if goods == "chair":
        seat = (
            rect(300, 130, 26, 580, "#8a5a34")
            + rect(560, 130, 26, 580, "#8a5a34")
            + "".join(rect(300, 150 + k * 70, 286, 34, "#a8713f", 8) for k in range(3))
            + polygon([(270, 430), (620, 430), (680, 490), (230, 490)], "#b98a4e")
            + rect(230, 490, 24, 240, "#7b4f2c")
            + rect(656, 490, 24, 240, "#7b4f2c")
        )
        return s.tilted(
            s.wall(c.wall, "#c9b08a", 640)
            + s.shadow(450, 724, 280, 20)
            + seat
            + _tag(610, 170, digits, lean, "#fffdf5"),
            0,
        )
    if goods == "bag":
        bag = (
            path("M300 330C300 90 620 90 620 330", stroke="#5c3a20", width=22)
            + path("M200 330L720 330L770 690L150 690Z", fill=c.accent, stroke="#00000055", width=5)
            + path("M200 330L720 330L690 470Q460 560 230 470Z", fill=c.accent, stroke="#00000066", width=5)
            + circle(460, 512, 20, "#d9b25a")
        )
        return s.tilted(
            s.wall(c.wall, c.wood, 640) + s.table(670, "#cfc7b8") + bag + _tag(640, 250, digits, lean, "#f7e7b0"), 0
        )
    if goods == "lamp":
        lamp = (
            polygon([(250, 330), (330, 90), (530, 90), (610, 330)], "#f2d18b", "#b98a4e", 4)
            + rect(415, 330, 30, 260, "#8a9096")
            + ellipse(430, 620, 130, 40, "#5b6168")
            + path("M470 570C560 560 560 420 660 300", stroke="#22262b", width=7)
        )
        return s.tilted(
            s.sky("morning")
            + o.tree(900, 560, 400)
            + s.ground(540, "#a9c07a")
            + s.table(620, "#a9764a")
            + o.mug(170, 640, 90, c.accent)
            + lamp
            + _tag(660, 296, digits, lean, "#fffdf5"),
            0,
        )
    sweater = (
        path(
            "M330 210C400 250 520 250 590 210L740 280L820 520L720 560L650 430L650 700L270 700L270 430L200 560L100 520L180 280Z",
            fill=c.accent,
            stroke="#00000055",
            width=5,
        )
        + "".join(path(f"M280 {300 + k * 90}" + "q23 -26 46 0t46 0" * 4, stroke="#ffffff66", width=8) for k in range(5))
        + path("M460 190C460 120 500 120 500 90", stroke="#8a8f94", width=8)
        + line(330, 216, 460, 176, "#8a6242", 12)
        + line(460, 176, 590, 216, "#8a6242", 12)
    )
    return s.tilted(
        s.everywhere(c.wall)
        + line(-160, 92, 1190, 92, "#8a9096", 18)
        + sweater
        + _tag(774, 470, digits, lean, "#fffdf5"),
        0,
    )


def _shelf_label(spec: PictureSpec) -> str:
    c, goods, digits, draw = s.palette(spec), spec.word("goods"), figure(spec.value), s.look(spec)
    label = rect(382, 560, 260, 130, "#fffdf0", 10, stroke="#8a8f94", line=4) + stroked(digits, 512, 625, 80, INK, 1.7)
    if goods == "jars":
        scene = (
            s.everywhere(c.wall)
            + rect(-160, 150, 1400, 26, c.wood)
            + "".join(o.jar(k, 150, 150, c.accent) for k in range(40, 1024, 120))
            + rect(-160, 530, 1400, 36, c.wood)
            + "".join(o.jar(k, 530, 280, "#a01848") for k in range(110, 1000, 200))
        )
    elif goods == "bottles":
        scene = (
            s.everywhere("#e6eef2")
            + rect(-160, 520, 1400, 50, "#b9c6cf")
            + "".join(
                rect(k - 50, 240, 100, 280, fill, 26)
                + rect(k - 22, 190, 44, 56, "#ffffff", 8, stroke="#00000022", line=2)
                + ellipse(k, 400, 36, 56, "#ffffff", opacity=0.7)
                for k, fill in zip(range(100, 1000, 165), ("#3f9fb0",) * 6, strict=False)
            )
        )
    elif goods == "books":
        pile = "".join(
            rect(330 + draw.integer(-16, 16), 500 - k * 44, 360, 42, fill, 4, stroke="#00000044", line=2)
            for k, fill in enumerate(("#b5523b", "#3f6f9f", "#d0a23a", "#4d7a55", "#7a4f8a", "#c9b08a"))
        )
        scene = (
            s.sky("evening")
            + rect(-160, 542, 1400, 400, c.wood)
            + rect(40, 40, 944, 510, "none", stroke="#4a3a2a", line=30)
            + pile
            + o.pot_plant(160, 542, 240)
            + o.books(800, 542, [30, 36, 28, 34], [190, 210, 170, 200], ["#7a4f8a", "#b5523b", "#2f7f86", "#d0a23a"])
        )
    else:
        scene = (
            s.sky("morning")
            + "".join(line(k, -100, k, 540, "#ffffff", 9) for k in range(0, 1100, 200))
            + rect(-160, 530, 1400, 60, "#9c7b55")
            + "".join(
                o.pot_plant(k, 532, 300 + draw.integer(-30, 20), "#b5653c", "#4f8f46", fill)
                for k, fill in zip(
                    range(90, 1000, 170),
                    ("#e46a9b", "#f6d046", "#ffffff", "#b07ad0", "#e4572e", "#f6d046"),
                    strict=False,
                )
            )
        )
    return s.tilted(scene + group(label, turn(spec.number("angle") * 0.5, 512, 620)), spec.number("angle") * 0.4)


def _register(spec: PictureSpec) -> str:
    c, goods, digits = s.palette(spec), spec.word("goods"), figure(spec.value)
    x = {"basket": 380, "loaves": 620, "cups": 420}[goods]
    body = (
        polygon([(x - 230, 640), (x + 230, 640), (x + 200, 470), (x - 200, 470)], "#4a5058")
        + rect(x - 250, 640, 500, 70, "#34393f", 8)
        + rect(x - 30, 668, 60, 12, "#15171a", 6)
        + "".join(
            rect(x - 160 + i * 66, 492 + j * 44, 48, 30, "#d9dde0" if (i + j) % 3 else "#e0a526", 6)
            for i in range(5)
            for j in range(3)
        )
    )
    screen = (
        rect(x - 24, 410, 48, 70, "#34393f")
        + rect(x - 210, 190, 420, 226, "#34393f", 20)
        + rect(x - 184, 216, 368, 174, "#0e1712", 10)
        + segments(digits, x, 303, 116, "#59e36c")
    )
    if goods == "basket":
        side = (
            path("M640 520L960 520L920 720L680 720Z", fill="#c99a5f", stroke="#7d5a30", width=6)
            + path("M680 520C680 340 920 340 920 520", stroke="#7d5a30", width=12)
            + o.apple(720, 500, 40)
            + o.apple(800, 490, 44, "#7d9a3a")
            + o.bottle(870, 520, 190, "#4a8f5a")
            + o.loaf(770, 520, 120)
        )
    elif goods == "loaves":
        side = (
            rect(30, 640, 360, 30, "#8a6242", 6)
            + "".join(o.loaf(110 + k * 100, 640, 130) for k in range(3))
            + "".join(o.loaf(160 + k * 100, 580, 120, "#d49a4a") for k in range(2))
        )
    else:
        side = (
            o.mug(740, 700, 110, c.accent)
            + o.mug(900, 710, 110, c.pale)
            + rect(716, 460, 150, 80, "#c9785a", 8)
            + rect(716, 498, 150, 10, "#fff3e0")
            + rect(680, 540, 220, 16, "#ffffff", 8)
            + rect(708, 446, 166, 22, "#fff3e0", 10)
            + circle(790, 436, 12, "#c0392b")
        )
    return s.tilted(
        s.wall(c.wall, c.wood, 560) + s.table(690, "#b08a5a") + side + screen + body, spec.number("angle") * 0.5
    )


def _lines(draw: Draw, total: int) -> list[int]:
    """Item prices that add up to the total."""
    count = min(draw.integer(3, 4), max(2, total // 3))
    cuts = sorted(draw.sample(list(range(1, total)), count - 1))
    return [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]


def _receipt(spec: PictureSpec) -> str:
    c, goods, draw = s.palette(spec), spec.word("goods"), s.look(spec, "receipt")
    x, top = draw.choice((470, 540)), 70
    prices = _lines(draw, int(spec.value))
    edge = "".join(f"L{x + 170 - k * 20 - 10} {top + 612}L{x + 170 - k * 20 - 20} {top + 600}" for k in range(17))
    paper = path(
        f"M{x - 170} {top}L{x + 170} {top}L{x + 170} {top + 600}{edge}Z", fill="#fdfcf6", stroke="#c9c2b4", width=3
    )
    rows = "".join(
        rect(x - 136, top + 84 + k * 72, draw.integer(70, 130), 14, "#b3b3ae", 7)
        + stroked(figure(price), x + 130, top + 92 + k * 72, 34, INK, 1.3, anchor=1)
        for k, price in enumerate(prices)
    )
    last = top + 84 + len(prices) * 72 + 40
    rows += (
        line(x - 140, last, x + 140, last, INK, 5)
        + line(x - 140, last + 10, x + 140, last + 10, INK, 3)
        + stroked(figure(spec.value), x + 130, last + 80, 76, INK, 1.9, anchor=1)
    )
    if goods == "plate":
        scene = (
            s.everywhere(c.accent)
            + "".join(line(-160, k, 1190, k, "#ffffff22", 30) for k in range(-100, 900, 120))
            + circle(860, 560, 190, "#ffffff", "#d9dde0", 6)
            + circle(860, 560, 130, "#f4f4f0", "#e3e3de", 4)
            + rect(60, 300, 26, 380, "#b9bec4", 12)
            + rect(120, 300, 16, 380, "#b9bec4", 8)
            + rect(112, 300, 32, 120, "#b9bec4", 10)
        )
    elif goods == "cork":
        scene = (
            s.everywhere("#c99a5f")
            + "".join(
                circle(draw.integer(-60, 1080), draw.integer(-60, 820), draw.integer(2, 6), "#a87842")
                for _ in range(240)
            )
            + circle(130, 180, 40, "none", "#7a5a12", 12)
            + rect(120, 220, 20, 130, "#7a5a12")
            + rect(140, 300, 26, 16, "#7a5a12")
            + rect(140, 330, 20, 14, "#7a5a12")
        )
    else:
        scene = s.planks(c.wood, upright=False) + "".join(
            circle(a, b, 66, "#ee8a1f", "#c96a0c", 4) + circle(a - 20, b - 22, 12, "#ffffff", opacity=0.4)
            for a, b in ((880, 620), (960, 520), (820, 500), (120, 640))
        )
    pin = (
        circle(x, top + 24, 16, "#c0392b") + circle(x - 5, top + 19, 5, "#ffffff", opacity=0.6)
        if goods == "cork"
        else ""
    )
    body = group(
        rect(x - 160, top + 14, 340, 596, "#000000", opacity=0.2) + paper + rows + pin,
        turn(spec.number("angle"), x, 370),
    )
    return s.tilted(scene + body, 0)


def _ticket_machine(spec: PictureSpec) -> str:
    goods, digits, draw = spec.word("goods"), figure(spec.value), s.look(spec)
    x = draw.choice((400, 600))
    if goods == "cars":
        scene = (
            s.sky("overcast")
            + s.ground(430, "#6d7278")
            + "".join(
                o.car_side(k, 560, 300, fill)
                for k, fill in ((-120, "#b23a3a"), (200, "#d8d8d4"), (520, "#3f6f9f"), (840, "#4d7a55"))
            )
            + "".join(o.tree(k, 440, 200) for k in (80, 300, 900))
        )
        body = "#2f6fae"
    else:
        scene = (
            s.sky("lamp")
            + s.stars(0, 0, WIDTH, 200, 40, draw)
            + "".join(
                rect(k, 220 + (k * 7) % 90, 90, 400, "#1b2440")
                + "".join(
                    rect(k + 14 + 34 * (j % 2), 250 + (k * 7) % 90 + 50 * (j // 2), 20, 26, "#ffdf80") for j in range(6)
                )
                for k in range(-100, 1100, 120)
            )
            + rect(-160, 420, 640 if x > 500 else 1400, 190, "#c0392b", 20)
            + "".join(rect(k, 450, 90, 80, "#ffe7a0", 8) for k in range(-100, 1000, 120))
            + s.ground(620, "#2a2e36")
        )
        body = "#c9a227"
    machine = (
        rect(x - 160, 90, 320, 760, "#000000", 26, opacity=0.25)
        + rect(x - 170, 76, 320, 780, body, 26, stroke="#00000055", line=5)
        + rect(x - 130, 120, 240, 190, "#16201b", 12)
        + segments(digits, x - 10, 215, 128, "#7ff0a0")
        + "".join(circle(x - 90 + i * 40, 370 + j * 40, 13, "#e8ecef") for i in range(3) for j in range(3))
        + rect(x + 50, 360, 60, 14, "#15171a", 6)
        + circle(x + 80, 430, 26, "#3fa35a")
        + rect(x - 110, 540, 200, 90, "#15171a", 10)
        + rect(x - 70, 560, 120, 50, "#fdfcf6")
    )
    return s.tilted(scene + machine, spec.number("angle") * 0.5)


def _chalkboard(spec: PictureSpec) -> str:
    goods, digits, draw = spec.word("goods"), figure(spec.value), s.look(spec)
    x = draw.choice((380, 512, 640))

    def board(y: float) -> str:
        return (
            rect(x - 190, y - 130, 380, 260, "#6d4a30", 8)
            + rect(x - 168, y - 108, 336, 216, "#26302c", 4)
            + stroked(digits, x, y, 128, "#f4f6f2", 1.25)
        )

    awning = "".join(
        path(f"M{k} -40L{k + 90} -40L{k + 90} 110Q{k + 45} 160 {k} 110Z", fill=fill)
        for k, fill in zip(range(-160, 1200, 90), ("#c0392b", "#fdfcf6") * 8, strict=False)
    )
    if goods == "melons":
        scene = (
            s.sky("morning")
            + awning
            + s.table(500, "#a9764a")
            + "".join(
                ellipse(k, 600 - (j % 2) * 70, 76, 66, "#5f9a41", "#3f6f2c", 4)
                + path(
                    f"M{k - 40} {560 - (j % 2) * 70}Q{k - 50} {600 - (j % 2) * 70} {k - 36} {650 - (j % 2) * 70}M{k + 30} {556 - (j % 2) * 70}Q{k + 46} {600 - (j % 2) * 70} {k + 30} {650 - (j % 2) * 70}",
                    stroke="#3f6f2c",
                    width=7,
                )
                for j, k in enumerate(range(20, 1080, 96))
            )
        )
        return s.tilted(
            scene + line(x - 150, 60, x - 150, 180, INK, 5) + line(x + 150, 60, x + 150, 180, INK, 5) + board(310),
            spec.number("angle") * 0.7,
        )
    if goods == "flowers":
        scene = (
            s.sky("noon")
            + "".join(
                o.house(k, 480, 220, 300, fill, "#8a5a3c")
                for k, fill in ((-120, "#e3cfa8"), (120, "#cfb48e"), (760, "#dcc39a"))
            )
            + s.ground(480, "#b9b3a7")
            + "".join(
                polygon([(k - 70, 520), (k + 70, 520), (k + 54, 720), (k - 54, 720)], "#8a9aa6", "#5f6f7a", 4)
                + "".join(circle(k + draw.integer(-70, 70), 500 - draw.integer(0, 120), 28, fill) for _ in range(13))
                for k, fill in ((110, "#e46a9b"), (310, "#f6d046"), (720, "#b07ad0"), (920, "#e4572e"))
            )
        )
        return s.tilted(scene + rect(x - 14, 380, 28, 400, "#6d4a30") + board(280), spec.number("angle") * 0.7)
    scene = (
        s.sky("overcast")
        + awning
        + s.table(430, "#8fa6b2")
        + "".join(
            rect(draw.integer(-60, 1040), draw.integer(470, 760), 60, 44, "#e6f2f8", 8, stroke="#b9d3e0", line=3)
            for _ in range(60)
        )
        + "".join(
            o.fish(k, 660 + (j % 2) * 60, 190, ("#8fa0ad", "#d98a7a", "#7d929f")[j % 3])
            for j, k in enumerate(range(60, 1040, 180))
        )
        + line(x, 420, x, 600, "#8a6242", 16)
    )
    return s.tilted(scene + board(340), spec.number("angle") * 0.7)


def _vending(spec: PictureSpec) -> str:
    goods, draw, c = spec.word("goods"), s.look(spec), s.palette(spec)
    lit = draw.integer(0, 1) * 3 + draw.integer(0, 2)
    digits = figure(spec.value)
    scene = s.wall(c.wall, c.wood, 700)
    scene += (
        rect(130, 20, 764, 740, "#22262b" if goods == "snacks" else c.accent, 20)
        + rect(160, 50, 560, 610, "#101418", 10)
        + rect(750, 90, 110, 330, "#3a3f45", 10)
        + "".join(circle(775 + 30 * (k % 3), 240 + 36 * (k // 3), 10, "#d9dde0") for k in range(12))
        + rect(766, 120, 78, 70, "#0d1013", 6)
        + rect(200, 680, 480, 60, "#0d1013", 10)
    )
    paints = ("#c0392b", "#e0a526", "#3fa35a", "#2f6fae", "#7a4f8a", "#e46a9b")
    for k in range(6):
        x, y = 254 + 186 * (k % 3), 60 + 300 * (k // 3)
        glow = (
            rect(x - 88, y - 2, 176, 290, "#fff2b8", 10) if k == lit else rect(x - 88, y - 2, 176, 290, "#2a2f35", 10)
        )
        if goods == "snacks":
            thing = path(
                f"M{x - 60} {y + 30}L{x + 60} {y + 30}L{x + 50} {y + 110}L{x + 60} {y + 190}L{x - 60} {y + 190}L{x - 50} {y + 110}Z",
                fill=paints[k],
            ) + circle(x, y + 110, 28, "#ffffff", opacity=0.8)
        else:
            thing = (
                rect(x - 44, y + 30, 88, 160, paints[k], 16)
                + ellipse(x, y + 34, 40, 10, "#d9dde0")
                + ellipse(x, y + 110, 26, 38, "#ffffff", opacity=0.8)
            )
        label = rect(x - 70, y + 206, 140, 70, "#fffdf0" if k == lit else "#6b7076", 8)
        scene += glow + thing + label + (stroked(digits, x, y + 241, 50, INK, 1.7) if k == lit else "")
    return s.tilted(scene, spec.number("angle") * 0.5)


_SCENES = {
    "hanging_tag": _hanging_tag,
    "shelf_label": _shelf_label,
    "register": _register,
    "receipt": _receipt,
    "ticket_machine": _ticket_machine,
    "chalkboard": _chalkboard,
    "vending": _vending,
}
