"""SVG text from numbers: elements, groups and gradients. No fonts and no links, so that equal input gives equal bytes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

WIDTH, HEIGHT = 1024, 768
MARGIN = 160  # backgrounds reach this far beyond the canvas, so that a tilted scene has no bare corner

Point = tuple[float, float]


def num(value: float) -> str:
    """A coordinate with at most two decimals.

    >>> num(3.0), num(2.346), num(-0.001)
    ('3', '2.35', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(name: str, content: str = "", **attributes: str | float | None) -> str:
    """One element; an attribute's underscores become hyphens, None leaves it out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{num(value) if isinstance(value, (int, float)) else value}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{content}</{name}>" if content else f"<{name}{given}/>"


def rect(
    x: float, y: float, width: float, height: float, fill: str, round_: float | None = None,
    stroke: str | None = None, line: float | None = None, opacity: float | None = None,
) -> str:  # fmt: skip
    """A rectangle from its top left corner."""
    return element(
        "rect", x=x, y=y, width=width, height=height, rx=round_, fill=fill, stroke=stroke, stroke_width=line,
        fill_opacity=opacity, stroke_opacity=opacity if stroke else None,
    )  # fmt: skip


def circle(
    x: float, y: float, radius: float, fill: str, stroke: str | None = None, line: float | None = None,
    opacity: float | None = None,
) -> str:  # fmt: skip
    """A circle."""
    return element(
        "circle",
        cx=x,
        cy=y,
        r=radius,
        fill=fill,
        stroke=stroke,
        stroke_width=line,
        fill_opacity=opacity,
        stroke_opacity=opacity if stroke else None,
    )


def ellipse(
    x: float, y: float, rx: float, ry: float, fill: str, stroke: str | None = None, line: float | None = None,
    opacity: float | None = None,
) -> str:  # fmt: skip
    """An ellipse."""
    return element(
        "ellipse",
        cx=x,
        cy=y,
        rx=rx,
        ry=ry,
        fill=fill,
        stroke=stroke,
        stroke_width=line,
        fill_opacity=opacity,
        stroke_opacity=opacity if stroke else None,
    )


def line(x1: float, y1: float, x2: float, y2: float, stroke: str, width: float, dash: str | None = None) -> str:
    """A straight stroke with round ends."""
    return element(
        "path", d=f"M{num(x1)} {num(y1)}L{num(x2)} {num(y2)}", stroke=stroke, stroke_width=width, fill="none",
        stroke_linecap="round", stroke_dasharray=dash,
    )  # fmt: skip


def polygon(
    points: Iterable[Point], fill: str, stroke: str | None = None, line: float | None = None,
    opacity: float | None = None,
) -> str:  # fmt: skip
    """A closed shape through the points."""
    corners = " ".join(f"{num(x)},{num(y)}" for x, y in points)
    return element(
        "polygon",
        points=corners,
        fill=fill,
        stroke=stroke,
        stroke_width=line,
        stroke_linejoin="round",
        fill_opacity=opacity,
    )


def path(
    d: str, fill: str = "none", stroke: str | None = None, width: float | None = None, opacity: float | None = None
) -> str:
    """A path from its commands."""
    return element(
        "path", d=d, fill=fill, stroke=stroke, stroke_width=width, stroke_linecap="round", stroke_linejoin="round",
        fill_opacity=opacity, stroke_opacity=opacity if stroke else None,
    )  # fmt: skip


def group(content: str, *transforms: str) -> str:
    """The content, moved: the first transform is the outermost."""
    return element("g", content, transform=" ".join(transforms) or None)


def move(x: float, y: float) -> str:
    """Transform: shift."""
    return f"translate({num(x)} {num(y)})"


def turn(degrees: float, x: float = 0, y: float = 0) -> str:
    """Transform: rotate clockwise about a point."""
    return f"rotate({num(degrees)} {num(x)} {num(y)})"


def grow(factor: float) -> str:
    """Transform: scale about the origin."""
    return f"scale({factor:.4f})"


Stop = tuple[float, str, float]  # offset in [0, 1], colour, opacity


def mixed(stops: Sequence[Stop], at: float) -> tuple[str, float]:
    """Colour and opacity of a gradient at an offset.

    >>> mixed([(0, "#000000", 0), (1, "#ffffff", 1)], 0.5)
    ('#808080', 0.5)
    """
    low = max((stop for stop in stops if stop[0] <= at), key=lambda stop: stop[0], default=stops[0])
    high = min((stop for stop in stops if stop[0] >= at), key=lambda stop: stop[0], default=stops[-1])
    share = 0.0 if high[0] == low[0] else (at - low[0]) / (high[0] - low[0])
    parts = [(int(low[1][k : k + 2], 16), int(high[1][k : k + 2], 16)) for k in (1, 3, 5)]
    colour = "#" + "".join(f"{int(a + (b - a) * share + 0.5):02x}" for a, b in parts)
    return colour, low[2] + (high[2] - low[2]) * share


def bands(
    x: float, y: float, width: float, height: float, stops: Sequence[Stop], count: int = 24, *, across: bool = False
) -> str:
    """A gradient over a box as flat bands, downwards or across: far quicker to rasterise than a true gradient."""
    parts = ""
    span = width if across else height
    clear = any(stop[2] < 1 for stop in stops)
    for index in range(count):
        colour, alpha = mixed(stops, (index + 0.5) / count)
        start, end = round(span * index / count), round(span * (index + 1) / count)
        end = end if clear else span  # an opaque band runs on under the next ones, so that no seam shows
        opacity = alpha if clear else None
        if across:
            parts += rect(x + start, y, end - start, height, colour, opacity=opacity)
        else:
            parts += rect(x, y + start, width, end - start, colour, opacity=opacity)
    return parts


def polar(x: float, y: float, radius: float, degrees: float) -> Point:
    """The point at a clock-wise angle from twelve o'clock."""
    angle = math.radians(degrees)
    return x + radius * math.sin(angle), y - radius * math.cos(angle)


def arc(x: float, y: float, radius: float, start: float, end: float, stroke: str, width: float) -> str:
    """A circular stroke from one angle to another, clockwise from twelve o'clock."""
    (x1, y1), (x2, y2) = polar(x, y, radius, start), polar(x, y, radius, end)
    far = int(end - start > 180)
    d = f"M{num(x1)} {num(y1)}A{num(radius)} {num(radius)} 0 {far} 1 {num(x2)} {num(y2)}"
    return element("path", d=d, fill="none", stroke=stroke, stroke_width=width, stroke_linecap="butt")


def document(body: str) -> str:
    """The whole SVG file."""
    return element(
        "svg", body, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {HEIGHT}", width=WIDTH, height=HEIGHT
    )
