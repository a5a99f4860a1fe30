"""Dials, columns and rulers that carry two scales of the same quantity."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from covary.build.pictures.drawing.digits import figure, stroked
from covary.build.pictures.drawing.svg import circle, line, polar, polygon


class Scale(NamedTuple):
    """Digits from low to high in steps, each step cut into `parts`; `first` turns its numbers into the first scale's."""

    low: float
    high: float
    step: float
    parts: int
    first: Callable[[float], float] = float

    def marks(self) -> Iterator[tuple[float, float, int]]:
        """(own number, number on the first scale, rank) of each mark; rank 0 has a digit, 1 is half way, 2 is small."""
        count = round((self.high - self.low) / self.step * self.parts)
        for index in range(count + 1):
            own = self.low + index * self.step / self.parts
            within = index % self.parts
            rank = 0 if within == 0 else 1 if within * 2 == self.parts else 2
            yield own, self.first(own), rank


class Face(NamedTuple):
    """Colours of an instrument's face."""

    ground: str = "#fbfaf4"
    ink: str = "#22252b"
    second_ink: str = "#b23a2e"
    pointer: str = "#c8102e"
    rim: str = "#5b6168"


def dial(
    x: float, y: float, radius: float, outer: Scale, inner: Scale, value: float, face: Face,
    start: float = -135, sweep: float = 270, digit: float = 0.1,
) -> str:  # fmt: skip
    """A round gauge: the outer ring carries the first scale, the inner ring the second."""

    def angle(number: float) -> float:
        return start + sweep * (number - outer.low) / (outer.high - outer.low)

    parts = circle(x, y, radius * 1.08, face.rim) + circle(x, y, radius, face.ground)
    for own, number, rank in outer.marks():
        inward = (0.86, 0.89, 0.92)[rank]
        parts += line(
            *polar(x, y, radius * 0.97, angle(number)), *polar(x, y, radius * inward, angle(number)), face.ink,
            radius * (0.018, 0.012, 0.008)[rank],
        )  # fmt: skip
        if rank == 0:
            px, py = polar(x, y, radius * _reach(0.775, figure(own), angle(number), digit), angle(number))
            parts += stroked(figure(own), px, py, radius * digit, face.ink, 1.35)
    for own, number, rank in inner.marks():
        if not outer.low - 1e-9 <= number <= outer.high + 1e-9:
            continue
        inward = (0.55, 0.575, 0.59)[rank]
        parts += line(
            *polar(x, y, radius * 0.62, angle(number)), *polar(x, y, radius * inward, angle(number)), face.second_ink,
            radius * (0.014, 0.01, 0.007)[rank],
        )  # fmt: skip
        if rank == 0:
            px, py = polar(x, y, radius * _reach(0.48, figure(own), angle(number), digit * 0.8), angle(number))
            parts += stroked(figure(own), px, py, radius * digit * 0.8, face.second_ink, 1.3)
    return parts + needle(x, y, radius, angle(value), face)


def _reach(middle: float, digits: str, degrees: float, digit: float) -> float:
    """How far out a number sits: wide numbers move inwards where they would cross the marks beside them."""
    return middle - max(0, len(digits) - 1) * digit * 0.36 * abs(math.sin(math.radians(degrees)))


def needle(x: float, y: float, radius: float, degrees: float, face: Face) -> str:
    """A pointer whose tip reaches the outer marks."""
    tip = polar(x, y, radius * 0.9, degrees)
    left, right = polar(x, y, radius * 0.035, degrees - 90), polar(x, y, radius * 0.035, degrees + 90)
    tail = polar(x, y, radius * 0.16, degrees + 180)
    return (
        polygon([tip, left, tail, right], face.pointer)
        + circle(x, y, radius * 0.075, face.ink)
        + circle(x, y, radius * 0.03, face.ground)
    )


def scale_bar(x: float, y: float, per_unit: float, upper: Scale, lower: Scale, digit: float) -> str:
    """A map's scale bar from x: first scale above the bar, second one below; `per_unit` pixels per number of the first."""
    parts = ""
    for scale, way, ink in ((upper, -1, "#22252b"), (lower, 1, "#9c2f22")):
        marks = list(scale.marks())
        end = x + per_unit * marks[-1][1]
        parts += line(x, y + way * 5, end, y + way * 5, ink, 6)
        for own, number, rank in marks:
            at = x + per_unit * number
            parts += line(
                at, y + way * 5, at, y + way * (5 + digit * (0.8, 0.6, 0.4)[rank]), ink, digit * (0.13, 0.1, 0.08)[rank]
            )
            if rank == 0:
                parts += stroked(figure(own), at, y + way * (5 + digit * 1.55), digit, ink, 1.35)
    return parts


def column(
    x: float, top: float, bottom: float, left: Scale, right: Scale, half: float, digit: float, face: Face
) -> str:
    """The marks of an upright instrument: first scale left of the tube (half its width away), second one right of it."""

    def place(number: float) -> float:
        return bottom + (top - bottom) * (number - left.low) / (left.high - left.low)

    parts = ""
    for scale, side, ink in ((left, -1, face.ink), (right, 1, face.second_ink)):
        for own, number, rank in scale.marks():
            if not left.low - 1e-9 <= number <= left.high + 1e-9:
                continue
            length = digit * (0.9, 0.65, 0.4)[rank]
            at, near = place(number), x + side * half
            parts += line(near, at, near + side * length, at, ink, digit * (0.14, 0.1, 0.07)[rank])
            if rank == 0:
                parts += stroked(figure(own), near + side * digit * 1.25, at, digit, ink, 1.3, anchor=float(side < 0))
    return parts


def rule(
    x: float, y: float, length: float, height: float, upper: Scale, lower: Scale, digit: float, face: Face,
    ground: str | None = None,
) -> str:  # fmt: skip
    """A lying ruler: first scale on the upper edge, second one on the lower edge; both start at x."""

    def place(number: float) -> float:
        return x + length * (number - upper.low) / (upper.high - upper.low)

    parts = ""
    if ground:
        parts += polygon(
            [(x - 14, y), (x + length + 14, y), (x + length + 14, y + height), (x - 14, y + height)], ground
        )
    for scale, edge, way, ink in ((upper, y, 1, face.ink), (lower, y + height, -1, face.second_ink)):
        for own, number, rank in scale.marks():
            if not upper.low - 1e-9 <= number <= upper.high * (1 + 1e-9):
                continue
            length_of_mark = digit * (0.95, 0.7, 0.42)[rank]
            parts += line(
                place(number), edge, place(number), edge + way * length_of_mark, ink, digit * (0.12, 0.09, 0.06)[rank]
            )
            if rank == 0:
                parts += stroked(figure(own), place(number), edge + way * digit * 1.65, digit, ink, 1.3)
    return parts
