"""What stands around the thing to be read: light, skies, walls, tables, ground, and the camera's tilt."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

from covary.build.pictures.drawing.svg import (
    HEIGHT,
    MARGIN,
    WIDTH,
    bands,
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
from covary.digest import Draw

CANVAS = (-MARGIN, -MARGIN, WIDTH + 2 * MARGIN, HEIGHT + 2 * MARGIN)


class Palette(NamedTuple):
    """Colours that go together."""

    wall: str
    accent: str
    wood: str
    dark: str
    pale: str


PALETTES = (
    Palette("#d9cdb8", "#b5523b", "#a9764a", "#3d3a38", "#f4ecdc"),
    Palette("#b9cbd3", "#d08a2e", "#8f6a4b", "#2f3f4a", "#eef4f6"),
    Palette("#c9d6bd", "#7a4f8a", "#9c7b55", "#36432f", "#f2f6ea"),
    Palette("#e3c9c2", "#2f7f86", "#7d5a44", "#4a3436", "#fbf0ec"),
    Palette("#cfc7dc", "#c9a227", "#97704f", "#3a3450", "#f3f0fa"),
    Palette("#d8d8d2", "#3f6fb0", "#b08455", "#333639", "#f7f7f3"),
)

SKY_COLOURS = {
    "morning": ("#8fc3e8", "#fbe7c6"),
    "noon": ("#3f97db", "#cfe9fa"),
    "evening": ("#4b4f86", "#f2a065"),
    "overcast": ("#9aa6ae", "#d5dade"),
    "lamp": ("#0c1430", "#27345c"),
    "light": ("#4aa0e0", "#d3ebfa"),
    "low": ("#3e4278", "#f0793f"),
    "dark": ("#050a1c", "#17224a"),
}


def palette(spec: PictureSpec) -> Palette:
    """The picture's colours."""
    return PALETTES[int(spec.number("palette"))]


def look(spec: PictureSpec, *path_: str) -> Draw:
    """Draws for the details of a picture, the same at each rendering."""
    return Draw(spec.picture_id, "details", *path_)


def tilted(body: str, degrees: float) -> str:
    """The scene as seen by a camera held slightly askew."""
    return group(body, turn(degrees, WIDTH / 2, HEIGHT / 2))


def everywhere(fill: str, opacity: float | None = None) -> str:
    """The canvas and its margins in one colour or gradient."""
    return rect(*CANVAS, fill, opacity=opacity)


def sky(light: str) -> str:
    """A sky over the whole canvas."""
    above, below = SKY_COLOURS[light]
    return bands(*CANVAS, [(0, above, 1), (0.75, below, 1), (1, below, 1)])


def light_over(light: str) -> str:
    """The last layer: how the light falls. It never hides what is to be read."""
    if light in ("lamp", "dark"):
        stops = [(0, "#ffd98a", 0.12), (0.4, "#2a1d3c", 0.06), (1, "#05060f", 0.42)]
        return bands(0, 0, WIDTH, HEIGHT, stops, 48)
    if light in ("evening", "low"):
        return bands(
            0, 0, WIDTH, HEIGHT, [(0, "#ff9a3c", 0.28), (0.6, "#ff8a50", 0.06), (1, "#20244d", 0.26)], 32, across=True
        )
    if light == "morning":
        return bands(
            0, 0, WIDTH, HEIGHT, [(0, "#fff2c4", 0.4), (0.45, "#fff2c4", 0.03), (1, "#33506b", 0.14)], 32, across=True
        )
    if light == "overcast":
        return everywhere("#7d8890", 0.14)
    return bands(0, 0, WIDTH, 240, [(0, "#ffffff", 0.16), (1, "#ffffff", 0)], 12)


def wall(colour: str, floor: str, edge: float) -> str:
    """A plain wall with a skirting board down to `edge`, and a floor below."""
    return (
        everywhere(colour)
        + rect(-MARGIN, edge, WIDTH + 2 * MARGIN, HEIGHT + MARGIN - edge, floor)
        + rect(-MARGIN, edge - 16, WIDTH + 2 * MARGIN, 16, "#ffffff", opacity=0.55)
    )


def bricks(colour: str, mortar: str) -> str:
    """A brick wall."""
    parts = everywhere(mortar)
    for row in range(-3, 19):
        for column in range(-3, 14):
            parts += rect(column * 96 + (row % 2) * 48, row * 50, 91, 45, colour, 3)
    return parts


def planks(colour: str, gap: str = "#00000033", upright: bool = True, width: float = 120) -> str:
    """Boards side by side."""
    parts = everywhere(colour)
    span = WIDTH if upright else HEIGHT
    for index in range(-2, math.ceil(span / width) + 2):
        at = index * width
        if upright:
            parts += line(at, -MARGIN, at, HEIGHT + MARGIN, gap, 4)
            parts += path(f"M{at + 40} -160C{at + 60} 200 {at + 20} 500 {at + 50} 930", stroke="#00000014", width=6)
        else:
            parts += line(-MARGIN, at, WIDTH + MARGIN, at, gap, 4)
            parts += path(f"M-160 {at + 50}C200 {at + 70} 500 {at + 30} 1190 {at + 60}", stroke="#00000014", width=6)
    return parts


def table(top: float, colour: str) -> str:
    """A table's top edge across the picture."""
    return rect(-MARGIN, top, WIDTH + 2 * MARGIN, HEIGHT + MARGIN - top, colour) + rect(
        -MARGIN, top, WIDTH + 2 * MARGIN, 10, "#ffffff", opacity=0.25
    )


def ground(top: float, colour: str, far: str | None = None) -> str:
    """Level ground from a horizon down."""
    box = (-MARGIN, top, WIDTH + 2 * MARGIN, HEIGHT + MARGIN - top)
    return bands(*box, [(0, far, 1), (1, colour, 1)], 10) if far else rect(*box, colour)


def hills(top: float, colour: str, draw: Draw) -> str:
    """A soft range of hills down to the lower edge."""
    points = [(x, top + draw.integer(-45, 45)) for x in range(-200, 1401, 200)]
    d = f"M-200 930L{points[0][0]} {points[0][1]}"
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        middle = (x1 + x2) / 2
        d += f"C{middle:.0f} {y1} {middle:.0f} {y2} {x2} {y2}"
    return path(d + "L1400 930Z", fill=colour)


def mountains(top: float, colour: str, draw: Draw, snow: bool = True) -> str:
    """A row of peaks."""
    parts = ""
    for x in range(-100, 1150, 230):
        peak, high = x + draw.integer(60, 150), top - draw.integer(0, 90)
        parts += polygon([(x - 120, top + 220), (peak, high), (x + 360, top + 220)], colour)
        if snow:
            parts += polygon(
                [(peak - 38, high + 48), (peak, high), (peak + 45, high + 48), (peak, high + 34)], "#f7fbff"
            )
    return parts


def sun(x: float, y: float, radius: float, colour: str = "#ffd84d") -> str:
    """The sun with its rays."""
    rays = "".join(
        line(
            x + radius * 1.25 * math.cos(step * math.pi / 6), y + radius * 1.25 * math.sin(step * math.pi / 6),
            x + radius * 1.6 * math.cos(step * math.pi / 6), y + radius * 1.6 * math.sin(step * math.pi / 6),
            colour, radius * 0.13,
        )
        for step in range(12)
    )  # fmt: skip
    return rays + circle(x, y, radius, colour)


def moon(x: float, y: float, radius: float) -> str:
    """A crescent moon."""
    d = (
        f"M{x:.1f} {y - radius:.1f}A{radius:.1f} {radius:.1f} 0 1 1 {x - radius * 0.95:.1f} {y + radius * 0.3:.1f}"
        f"A{radius * 0.8:.1f} {radius * 0.8:.1f} 0 1 0 {x:.1f} {y - radius:.1f}Z"
    )
    return path(d, fill="#f6efc8")


def stars(x: float, y: float, width: float, height: float, count: int, draw: Draw, size: float = 1) -> str:
    """Stars scattered over a box."""
    return "".join(
        circle(x + draw.fraction() * width, y + draw.fraction() * height, (1.6 + draw.fraction() * 2) * size, "#fdf8e1")
        for _ in range(count)
    )


def cloud(x: float, y: float, size: float, colour: str = "#ffffff") -> str:
    """One cloud."""
    puffs = ((0, 0, 1.0), (-0.9, 0.25, 0.7), (0.9, 0.25, 0.75), (0.2, 0.35, 0.9))
    return "".join(ellipse(x + a * size, y + b * size, size * r, size * r * 0.62, colour) for a, b, r in puffs)


def rain(draw: Draw, count: int = 90) -> str:
    """Slanting drops over the whole canvas."""
    parts = ""
    for _ in range(count):
        x, y = draw.integer(-100, WIDTH + 100), draw.integer(-100, HEIGHT)
        parts += line(x, y, x - 9, y + 34, "#e8f1f88c", 2)
    return parts


def snow(draw: Draw, count: int = 90) -> str:
    """Falling flakes over the whole canvas."""
    return "".join(
        circle(draw.integer(-50, WIDTH + 50), draw.integer(-50, HEIGHT), 2 + draw.fraction() * 4, "#ffffffcc")
        for _ in range(count)
    )


def window(x: float, y: float, width: float, height: float, view: str, frame: str = "#f4f1ea") -> str:
    """A window: `view` is drawn in a 100 × 100 box and clipped to the opening."""
    name = f"pane{int(x)}x{int(y)}"
    clip = f'<defs><clipPath id="{name}"><rect x="0" y="0" width="100" height="100"/></clipPath></defs>'
    glass = (
        f'<g transform="translate({x:.1f} {y:.1f}) scale({width / 100:.4f} {height / 100:.4f})">'
        f'<g clip-path="url(#{name})">{view}</g></g>'
    )
    bars = line(x + width / 2, y, x + width / 2, y + height, frame, 10) + line(
        x, y + height / 2, x + width, y + height / 2, frame, 10
    )
    outline = rect(x, y, width, height, "none", stroke=frame, line=20)
    sill = rect(x - 26, y + height + 6, width + 52, 18, frame)
    return clip + glass + bars + outline + sill


def shadow(x: float, y: float, rx: float, ry: float) -> str:
    """A soft shadow on the ground."""
    return ellipse(x, y, rx, ry, "#000000", opacity=0.18)
