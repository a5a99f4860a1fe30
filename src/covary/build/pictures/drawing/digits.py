"""Digits drawn as strokes and as seven segments, so that no font is needed."""

from __future__ import annotations

from covary.build.pictures.drawing.svg import Point, element, group, grow, move, polygon

# Each glyph in a box 6 wide and 10 high, y downwards.
GLYPHS: dict[str, str] = {
    "0": "M3 0C.6 0 0 2.5 0 5 0 7.5.6 10 3 10 5.4 10 6 7.5 6 5 6 2.5 5.4 0 3 0Z",
    "1": "M.9 2.3L3.5 0 3.5 10",
    "2": "M.3 2.7C.3 1 1.5 0 3 0 4.6 0 5.8 1.1 5.8 2.7 5.8 4.6 4 5.9.2 10L6 10",
    "3": "M.4 1.6C1 .5 1.9 0 3 0 4.6 0 5.6 1 5.6 2.4 5.6 3.9 4.4 4.7 2.6 4.7 4.6 4.7 6 5.6 6 7.3 6 9 4.7 10 3 10 1.6 10 .6 9.4 0 8.2",
    "4": "M4.5 10L4.5 0 0 7 6 7",
    "5": "M5.4 0L1 0 .6 4.7C1.3 4 2.1 3.7 3 3.7 4.8 3.7 6 5 6 6.8 6 8.7 4.8 10 3 10 1.6 10 .6 9.4 0 8.3",
    "6": "M5.2.5C2.4 0 0 3 0 6.4 0 8.7 1.2 10 3 10 4.8 10 6 8.7 6 6.8 6 5 4.8 3.8 3.1 3.8 1.6 3.8.4 4.8.1 6.2",
    "7": "M0 0L6 0 2.2 10",
    "8": "M3 0C1.4 0 .5 1 .5 2.3.5 3.7 1.6 4.6 3 4.6 4.4 4.6 5.5 3.7 5.5 2.3 5.5 1 4.6 0 3 0ZM3 4.6C1.2 4.6 0 5.7 0 7.3 0 8.9 1.2 10 3 10 4.8 10 6 8.9 6 7.3 6 5.7 4.8 4.6 3 4.6Z",
    "9": "M.8 9.5C3.6 10 6 7 6 3.6 6 1.3 4.8 0 3 0 1.2 0 0 1.3 0 3.2 0 5 1.2 6.2 2.9 6.2 4.5 6.2 5.6 5.2 5.9 3.8",
    "-": "M.8 5.4L5 5.4",
    ".": "M.5 9.7L.6 9.7",
}
ADVANCE = 8.2
NARROW = {".": 3.2, "1": 7.2}

# Segments: a top, b upper right, c lower right, d bottom, e lower left, f upper left, g middle.
SEGMENTS: dict[str, str] = {
    "0": "abcdef", "1": "bc", "2": "abged", "3": "abgcd", "4": "fgbc",
    "5": "afgcd", "6": "afgedc", "7": "abc", "8": "abcdefg", "9": "abcdfg", "-": "g",
}  # fmt: skip


def figure(value: float, decimals: int = 0) -> str:
    """A number as its digits, with a hyphen for minus.

    >>> figure(-7.0), figure(38.25, 1)
    ('-7', '38.2')
    """
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else text


def stroked(
    text: str, x: float, y: float, height: float, colour: str, weight: float = 1.25, anchor: float = 0.5
) -> str:
    """Digits in one line about the middle height y; anchor 0 starts at x, 0.5 is centred, 1 ends at x."""
    places, width = _places(text)
    d = "".join(element("path", d=GLYPHS[glyph], transform=move(at, 0)) for glyph, at in zip(text, places, strict=True))
    strokes = element(
        "g", d, fill="none", stroke=colour, stroke_width=weight, stroke_linecap="round", stroke_linejoin="round"
    )
    scale = height / 10
    return group(strokes, move(x - width * scale * anchor, y - height / 2), grow(scale))


def segments(text: str, x: float, y: float, height: float, colour: str, anchor: float = 0.5, dim: str = "") -> str:
    """Digits as on a seven-segment display about the middle height y; `dim` colours the unlit segments."""
    scale = height / 20
    advance, parts, at = 15.0, "", 0.0
    for glyph in text:
        if glyph == ".":
            parts += polygon(_shift([(-2.4, 17.6), (0, 17.6), (0, 20), (-2.4, 20)], at), colour)
            at += 3
            continue
        for name, corners in _BARS.items():
            if name in SEGMENTS[glyph]:
                parts += polygon(_shift(corners, at), colour)
            elif dim:
                parts += polygon(_shift(corners, at), dim)
        at += advance
    width = (at - 4) * scale
    return group(parts, move(x - width * anchor, y - height / 2), grow(scale))


def _places(text: str) -> tuple[list[float], float]:
    places, at = list[float](), 0.0
    for glyph in text:
        places.append(at)
        at += NARROW.get(glyph, ADVANCE)
    return places, at - (ADVANCE - 6)


def _shift(corners: list[Point], by: float) -> list[Point]:
    return [(x + by, y) for x, y in corners]


def _bar(x: float, y: float, *, upright: bool) -> list[Point]:
    shape: list[Point] = [(0.5, 0), (1.6, -1.1), (7.4, -1.1), (8.5, 0), (7.4, 1.1), (1.6, 1.1)]
    return [(x + b, y + a) if upright else (x + a, y + b) for a, b in shape]


_BARS: dict[str, list[Point]] = {
    "a": _bar(1, 1, upright=False),
    "g": _bar(1, 10, upright=False),
    "d": _bar(1, 19, upright=False),
    "f": _bar(1, 1, upright=True),
    "e": _bar(1, 10, upright=True),
    "b": _bar(10, 1, upright=True),
    "c": _bar(10, 10, upright=True),
}
