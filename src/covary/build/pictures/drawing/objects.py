"""Things that stand in the scenes: people, plants, cars, furniture. Each is placed by its foot and its size."""

from __future__ import annotations

import math

from covary.build.pictures.drawing.svg import (
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


def person(x: float, foot: float, height: float, shirt: str, trousers: str = "#39445a", skin: str = "#c58f6a") -> str:
    """A standing grown-up seen from the front, without a face: `height` from sole to crown."""
    u = height / 100
    return (
        rect(x - 10 * u, foot - 48 * u, 9 * u, 48 * u, trousers, 2 * u)
        + rect(x + 1 * u, foot - 48 * u, 9 * u, 48 * u, trousers, 2 * u)
        + rect(x - 12 * u, foot - 83 * u, 24 * u, 40 * u, shirt, 7 * u)
        + line(x - 14 * u, foot - 79 * u, x - 18 * u, foot - 46 * u, shirt, 7 * u)
        + line(x + 14 * u, foot - 79 * u, x + 18 * u, foot - 46 * u, shirt, 7 * u)
        + circle(x - 18.5 * u, foot - 43 * u, 3.4 * u, skin)
        + circle(x + 18.5 * u, foot - 43 * u, 3.4 * u, skin)
        + rect(x - 3 * u, foot - 88 * u, 6 * u, 8 * u, skin)
        + ellipse(x, foot - 92.5 * u, 6.6 * u, 7.5 * u, skin)
        + path(
            f"M{x - 6.8 * u:.1f} {foot - 92 * u:.1f}C{x - 7 * u:.1f} {foot - 102 * u:.1f} {x + 7 * u:.1f} {foot - 102 * u:.1f} {x + 6.8 * u:.1f} {foot - 92 * u:.1f}"
            f"C{x + 3 * u:.1f} {foot - 96 * u:.1f} {x - 3 * u:.1f} {foot - 96 * u:.1f} {x - 6.8 * u:.1f} {foot - 92 * u:.1f}Z",
            fill="#3b2a20",
        )
        + ellipse(x - 6 * u, foot, 7 * u, 2.4 * u, "#2a2a2a")
        + ellipse(x + 6 * u, foot, 7 * u, 2.4 * u, "#2a2a2a")
    )


def car_side(x: float, foot: float, length: float, colour: str) -> str:
    """A family car from its side; x is its rear bumper."""
    u = length / 100
    body = (
        f"M{x:.1f} {foot - 8 * u:.1f}L{x + 1 * u:.1f} {foot - 20 * u:.1f}L{x + 14 * u:.1f} {foot - 23 * u:.1f}"
        f"L{x + 26 * u:.1f} {foot - 33 * u:.1f}L{x + 58 * u:.1f} {foot - 33 * u:.1f}L{x + 74 * u:.1f} {foot - 22 * u:.1f}"
        f"L{x + 96 * u:.1f} {foot - 18 * u:.1f}L{x + 100 * u:.1f} {foot - 8 * u:.1f}Z"
    )
    glass = (
        f"M{x + 19 * u:.1f} {foot - 23 * u:.1f}L{x + 28 * u:.1f} {foot - 31 * u:.1f}L{x + 42 * u:.1f} {foot - 31 * u:.1f}L{x + 42 * u:.1f} {foot - 22.5 * u:.1f}Z"
        f"M{x + 45 * u:.1f} {foot - 22.5 * u:.1f}L{x + 45 * u:.1f} {foot - 31 * u:.1f}L{x + 57 * u:.1f} {foot - 31 * u:.1f}L{x + 69 * u:.1f} {foot - 22 * u:.1f}Z"
    )
    wheels = "".join(
        circle(x + at * u, foot - 7 * u, 7 * u, "#1d1f22") + circle(x + at * u, foot - 7 * u, 3.6 * u, "#b9bec4")
        for at in (20, 80)
    )
    lamps = rect(x + 0.5 * u, foot - 18 * u, 3 * u, 4 * u, "#c62a2a") + rect(
        x + 95 * u, foot - 16 * u, 4 * u, 4 * u, "#ffe9a8"
    )
    return path(body, fill=colour, stroke="#00000055", width=1.5) + path(glass, fill="#bcd7e6") + lamps + wheels


def car_front(x: float, foot: float, width: float, colour: str, lit: bool = True) -> str:
    """A car from its front."""
    u = width / 100
    lamp = "#fff4c2" if lit else "#dfe6ea"
    return (
        rect(x - 44 * u, foot - 16 * u, 18 * u, 18 * u, "#1b1c1f", 3 * u)
        + rect(x + 26 * u, foot - 16 * u, 18 * u, 18 * u, "#1b1c1f", 3 * u)
        + polygon(
            [
                (x - 40 * u, foot - 46 * u),
                (x - 28 * u, foot - 76 * u),
                (x + 28 * u, foot - 76 * u),
                (x + 40 * u, foot - 46 * u),
            ],
            colour,
        )
        + polygon(
            [
                (x - 34 * u, foot - 46 * u),
                (x - 25 * u, foot - 71 * u),
                (x + 25 * u, foot - 71 * u),
                (x + 34 * u, foot - 46 * u),
            ],
            "#a9c7d8",
        )
        + rect(x - 50 * u, foot - 48 * u, 100 * u, 38 * u, colour, 8 * u, stroke="#00000055", line=1)
        + circle(x - 36 * u, foot - 34 * u, 8 * u, lamp)
        + circle(x + 36 * u, foot - 34 * u, 8 * u, lamp)
        + rect(x - 22 * u, foot - 36 * u, 44 * u, 10 * u, "#2b2e33", 3 * u)
    )


def car_top(x: float, y: float, length: float, width: float, colour: str, degrees: float = 0) -> str:
    """A car from above, its middle at (x, y); at 0 degrees it points up."""
    u, v = width / 100, length / 100
    body = (
        rect(-50 * u, -50 * v, 100 * u, 100 * v, colour, 22 * u, stroke="#00000066", line=2)
        + polygon([(-38 * u, -14 * v), (-33 * u, -24 * v), (33 * u, -24 * v), (38 * u, -14 * v)], "#273845")
        + rect(-36 * u, -12 * v, 72 * u, 36 * v, colour, 6 * u, stroke="#00000033", line=2)
        + polygon([(-36 * u, 27 * v), (36 * u, 27 * v), (31 * u, 36 * v), (-31 * u, 36 * v)], "#273845")
        + rect(-44 * u, -49 * v, 20 * u, 4 * v, "#fff3c4")
        + rect(24 * u, -49 * v, 20 * u, 4 * v, "#fff3c4")
        + rect(-44 * u, 46 * v, 20 * u, 3 * v, "#b3261e")
        + rect(24 * u, 46 * v, 20 * u, 3 * v, "#b3261e")
    )
    return group(body, move(x, y), turn(degrees))


def tree(x: float, foot: float, height: float, leaf: str = "#4c8a3f", bark: str = "#6e4b2f") -> str:
    """A round-headed tree."""
    u = height / 100
    crown = ((0, 70, 26), (-20, 60, 20), (20, 60, 20), (-10, 82, 18), (12, 84, 17))
    return rect(x - 5 * u, foot - 50 * u, 10 * u, 50 * u, bark, 2 * u) + "".join(
        circle(x + a * u, foot - b * u, r * u, leaf) for a, b, r in crown
    )


def fir(x: float, foot: float, height: float, leaf: str = "#2f6b4a") -> str:
    """A fir tree."""
    u = height / 100
    tiers = ((30, 12, 50), (25, 34, 72), (18, 58, 100))
    return rect(x - 5 * u, foot - 16 * u, 10 * u, 16 * u, "#5d4128") + "".join(
        polygon([(x - w * u, foot - low * u), (x, foot - high * u), (x + w * u, foot - low * u)], leaf)
        for w, low, high in tiers
    )


def top_tree(x: float, y: float, radius: float, leaf: str = "#4c8a3f") -> str:
    """A tree or bush from above."""
    lobes = "".join(
        circle(
            x + radius * 0.6 * math.cos(k * math.pi / 4),
            y + radius * 0.6 * math.sin(k * math.pi / 4),
            radius * 0.45,
            leaf,
        )
        for k in range(8)
    )
    return ellipse(x + radius * 0.15, y + radius * 0.2, radius, radius, "#000000", opacity=0.15) + lobes + circle(
        x, y, radius * 0.65, leaf
    ) + circle(x - radius * 0.2, y - radius * 0.2, radius * 0.35, "#ffffff", opacity=0.12)  # fmt: skip


def pot_plant(
    x: float, foot: float, height: float, pot: str = "#b5653c", leaf: str = "#4f8f46", bloom: str = ""
) -> str:
    """A plant in a pot; with flowers where `bloom` names their colour."""
    u = height / 100
    stems = ((-26, 80), (-13, 95), (0, 100), (13, 94), (26, 79))
    green = "".join(
        path(
            f"M{x:.1f} {foot - 36 * u:.1f}Q{x + a * 0.4 * u:.1f} {foot - 70 * u:.1f} {x + a * u:.1f} {foot - b * u:.1f}",
            stroke=leaf, width=9 * u,
        )
        for a, b in stems
    )  # fmt: skip
    heads = "".join(circle(x + a * u, foot - b * u, 8 * u, bloom) for a, b in stems) if bloom else ""
    crock = polygon(
        [(x - 24 * u, foot - 38 * u), (x + 24 * u, foot - 38 * u), (x + 17 * u, foot), (x - 17 * u, foot)], pot
    )
    return (
        green + heads + crock + rect(x - 27 * u, foot - 42 * u, 54 * u, 10 * u, pot, 2 * u, stroke="#00000022", line=1)
    )


def bottle(x: float, foot: float, height: float, colour: str, cap: str = "#e8e2d4") -> str:
    """A bottle."""
    u = height / 100
    return (
        rect(x - 15 * u, foot - 62 * u, 30 * u, 62 * u, colour, 6 * u)
        + path(
            f"M{x - 15 * u:.1f} {foot - 56 * u:.1f}Q{x - 15 * u:.1f} {foot - 74 * u:.1f} {x - 6 * u:.1f} {foot - 78 * u:.1f}"
            f"L{x + 6 * u:.1f} {foot - 78 * u:.1f}Q{x + 15 * u:.1f} {foot - 74 * u:.1f} {x + 15 * u:.1f} {foot - 56 * u:.1f}Z",
            fill=colour,
        )
        + rect(x - 6 * u, foot - 96 * u, 12 * u, 22 * u, colour)
        + rect(x - 7 * u, foot - 100 * u, 14 * u, 9 * u, cap, 2 * u)
        + rect(x - 9 * u, foot - 55 * u, 5 * u, 44 * u, "#ffffff", 2 * u, opacity=0.28)
    )


def jar(x: float, foot: float, height: float, fill: str, lid: str = "#d9d2c3") -> str:
    """A filled jar with a lid and a blank label."""
    u = height / 100
    return (
        rect(x - 30 * u, foot - 84 * u, 60 * u, 84 * u, fill, 12 * u, stroke="#00000033", line=1.5)
        + rect(x - 26 * u, foot - 100 * u, 52 * u, 18 * u, lid, 4 * u)
        + ellipse(x, foot - 42 * u, 20 * u, 15 * u, "#fbf6ea")
        + rect(x - 24 * u, foot - 78 * u, 6 * u, 68 * u, "#ffffff", 3 * u, opacity=0.3)
    )


def mug(x: float, foot: float, height: float, colour: str) -> str:
    """A mug with its handle to the right."""
    u = height / 100
    return (
        path(
            f"M{x + 40 * u:.1f} {foot - 80 * u:.1f}C{x + 80 * u:.1f} {foot - 85 * u:.1f} {x + 80 * u:.1f} {foot - 20 * u:.1f} {x + 38 * u:.1f} {foot - 22 * u:.1f}",
            stroke=colour, width=12 * u,
        )
        + rect(x - 44 * u, foot - 100 * u, 88 * u, 100 * u, colour, 12 * u)
        + ellipse(x, foot - 100 * u, 44 * u, 9 * u, "#4b2e1e")
    )  # fmt: skip


def sitting_cat(x: float, foot: float, height: float, fur: str) -> str:
    """A cat sitting upright, seen from behind."""
    u = height / 100
    return (
        path(
            f"M{x + 24 * u:.1f} {foot - 6 * u:.1f}C{x + 60 * u:.1f} {foot - 2 * u:.1f} {x + 58 * u:.1f} {foot - 40 * u:.1f} {x + 44 * u:.1f} {foot - 44 * u:.1f}",
            stroke=fur, width=9 * u,
        )
        + path(
            f"M{x - 30 * u:.1f} {foot:.1f}C{x - 38 * u:.1f} {foot - 50 * u:.1f} {x - 18 * u:.1f} {foot - 62 * u:.1f} {x:.1f} {foot - 64 * u:.1f}"
            f"C{x + 18 * u:.1f} {foot - 62 * u:.1f} {x + 38 * u:.1f} {foot - 50 * u:.1f} {x + 30 * u:.1f} {foot:.1f}Z",
            fill=fur,
        )
        + ellipse(x, foot - 74 * u, 21 * u, 18 * u, fur)
        + polygon([(x - 20 * u, foot - 80 * u), (x - 17 * u, foot - 100 * u), (x - 4 * u, foot - 89 * u)], fur)
        + polygon([(x + 20 * u, foot - 80 * u), (x + 17 * u, foot - 100 * u), (x + 4 * u, foot - 89 * u)], fur)
    )  # fmt: skip


def ball(x: float, y: float, radius: float, colour: str, band: str = "#ffffff") -> str:
    """A ball with a light band."""
    return (
        circle(x, y, radius, colour)
        + path(
            f"M{x - radius * 0.9:.1f} {y - radius * 0.3:.1f}Q{x:.1f} {y + radius * 0.3:.1f} {x + radius * 0.9:.1f} {y - radius * 0.3:.1f}",
            stroke=band,
            width=radius * 0.2,
        )
        + circle(x - radius * 0.35, y - radius * 0.4, radius * 0.18, "#ffffff", opacity=0.5)
    )


def bench(x: float, foot: float, width: float, colour: str) -> str:
    """A park bench from the front; x is its left end."""
    u = width / 100
    return (
        rect(x + 8 * u, foot - 26 * u, 6 * u, 26 * u, "#3a3f44")
        + rect(x + 86 * u, foot - 26 * u, 6 * u, 26 * u, "#3a3f44")
        + rect(x, foot - 32 * u, 100 * u, 8 * u, colour, 2 * u)
        + rect(x, foot - 48 * u, 100 * u, 7 * u, colour, 2 * u)
        + rect(x, foot - 60 * u, 100 * u, 7 * u, colour, 2 * u)
        + rect(x + 10 * u, foot - 62 * u, 4 * u, 36 * u, "#3a3f44")
        + rect(x + 86 * u, foot - 62 * u, 4 * u, 36 * u, "#3a3f44")
    )


def lamp_post(x: float, foot: float, height: float, lit: bool) -> str:
    """A street lamp."""
    u = height / 100
    glow = circle(x, foot - 96 * u, 16 * u, "#ffe69a", opacity=0.35) if lit else ""
    return (
        glow
        + rect(x - 1.4 * u, foot - 92 * u, 2.8 * u, 92 * u, "#2c3136")
        + rect(x - 4 * u, foot - 4 * u, 8 * u, 4 * u, "#2c3136")
        + polygon(
            [
                (x - 5 * u, foot - 100 * u),
                (x + 5 * u, foot - 100 * u),
                (x + 3.4 * u, foot - 91 * u),
                (x - 3.4 * u, foot - 91 * u),
            ],
            "#ffe9a0" if lit else "#dfe7ea",
            "#2c3136",
            2,
        )
    )


def house(x: float, foot: float, width: float, height: float, colour: str, roof: str, lit: bool = False) -> str:
    """A plain house front with a gable."""
    glass = "#ffdf80" if lit else "#7f99a8"
    panes = "".join(
        rect(
            x + width * (0.14 + 0.29 * column), foot - height * (0.84 - 0.42 * row), width * 0.16, height * 0.22, glass
        )
        for column in range(3)
        for row in range(2)
    )
    return (
        rect(x, foot - height, width, height, colour)
        + polygon(
            [
                (x - width * 0.06, foot - height),
                (x + width / 2, foot - height * 1.4),
                (x + width * 1.06, foot - height),
            ],
            roof,
        )
        + panes
    )


def apple(x: float, y: float, radius: float, colour: str = "#c23b2e") -> str:
    """An apple or any round fruit with a stalk."""
    return (
        circle(x, y, radius, colour)
        + line(x, y - radius * 0.8, x + radius * 0.15, y - radius * 1.3, "#5d4128", radius * 0.16)
        + ellipse(x - radius * 0.35, y - radius * 0.35, radius * 0.22, radius * 0.3, "#ffffff", opacity=0.35)
    )


# Where the seeds of a loaf lie, in hundredths of its width.
_SEEDS = ((-26, 22), (-6, 34), (18, 17))


def loaf(x: float, foot: float, width: float, colour: str = "#c58a45") -> str:
    """A loaf of bread."""
    u = width / 100
    cuts = "".join(ellipse(x + a * u, foot - b * u, 4 * u, 2.4 * u, "#f0d6a3") for a, b in _SEEDS)
    return path(
        f"M{x - 50 * u:.1f} {foot:.1f}C{x - 58 * u:.1f} {foot - 60 * u:.1f} {x + 58 * u:.1f} {foot - 60 * u:.1f} {x + 50 * u:.1f} {foot:.1f}Z",
        fill=colour, stroke="#7c4f1f", width=2 * u,
    ) + cuts  # fmt: skip


def books(x: float, foot: float, widths: list[float], heights: list[float], colours: list[str]) -> str:
    """A row of upright books from x to the right."""
    parts, at = "", x
    for width, height, colour in zip(widths, heights, colours, strict=True):
        parts += rect(at, foot - height, width, height, colour, 2, stroke="#00000044", line=1.5)
        parts += rect(at + width * 0.2, foot - height * 0.82, width * 0.6, height * 0.06, "#ffffff", opacity=0.5)
        at += width
    return parts


def fish(x: float, y: float, length: float, colour: str) -> str:
    """A small fish swimming left."""
    u = length / 100
    return (
        polygon([(x + 36 * u, y), (x + 62 * u, y - 22 * u), (x + 62 * u, y + 22 * u)], colour)
        + ellipse(x, y, 42 * u, 22 * u, colour)
        + circle(x - 24 * u, y - 5 * u, 4 * u, "#111111")
        + path(
            f"M{x - 4 * u:.1f} {y - 18 * u:.1f}Q{x + 6 * u:.1f} {y:.1f} {x - 4 * u:.1f} {y + 18 * u:.1f}",
            stroke="#ffffff88",
            width=4 * u,
        )
    )
