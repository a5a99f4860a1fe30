"""What a picture shows: its concept, its true value and the words that go with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from covary.digest import Draw

Concept = Literal["temperature", "distance", "speed", "size", "price", "time_expression", "quantifiers"]
CONCEPTS: tuple[Concept, ...] = get_args(Concept)
Parameter = str | int | float

COUNTS: Mapping[Concept, int] = {
    "temperature": 33,
    "distance": 32,
    "speed": 18,
    "size": 24,
    "price": 21,
    "time_expression": 24,
    "quantifiers": 20,
}

# The unit that `PictureSpec.value` is kept in. Nothing of it is ever shown.
UNITS: Mapping[Concept, str] = {
    "temperature": "°C",
    "distance": "m",
    "speed": "km/h",
    "size": "m²",
    "price": "whole amount, no currency",
    "time_expression": "minutes since midnight",
    "quantifiers": "fraction of the capacity",
}

LIGHTS = ("morning", "noon", "evening", "overcast", "lamp")


@dataclass(frozen=True)
class PictureSpec:
    """One picture, complete: equal specifications give equal bytes.

    `value` is in the concept's unit (UNITS); `tolerance` is how far a careful reading may be off, in that unit.
    `caption` is all that a scaffold's writer sees: no value, unit, country or brand. `description` replaces the picture
    on the text-only route: the reading in words, without a unit. `parameters` hold what the drawing needs; always with
    `object` and `place` (they make up the caption: "A {object} {place}."), `light` and `angle`; quantifiers
    also have `count` and `capacity`.
    """

    picture_id: str
    concept: Concept
    scene: str
    value: float
    tolerance: float
    caption: str
    description: str
    parameters: Mapping[str, Parameter]

    def number(self, name: str) -> float:
        """A parameter that is a number."""
        return float(self.parameters[name])

    def word(self, name: str) -> str:
        """A parameter that is a word."""
        return str(self.parameters[name])


class Row(NamedTuple):
    """One line of a concept's catalogue: where the thing is, and the values it may show (low, low + step, … high)."""

    scene: str
    object: str
    place: str
    light: str
    low: float
    high: float
    step: float
    more: Mapping[str, Parameter] = {}


class Reading(NamedTuple):
    """What a drawn value becomes: the true value, its tolerance, the words and what the drawing needs of it."""

    value: float
    tolerance: float
    description: str
    parameters: Mapping[str, Parameter]


def drawn(row: Row, seed: int, picture_id: str) -> float:
    """The row's value for this seed: one of low, low + step, … high."""
    steps = round((row.high - row.low) / row.step)
    return round(row.low + Draw(seed, "picture", picture_id, "value shown").integer(0, steps) * row.step, 6)


def picture(row: Row, concept: Concept, picture_id: str, seed: int, reading: Reading) -> PictureSpec:
    """The specification of one row: words from the row and the reading, angle and palette drawn from the seed."""
    draw = Draw(seed, "pictures", picture_id, "look")
    parameters: dict[str, Parameter] = {
        "object": row.object,
        "place": row.place,
        "light": row.light,
        "angle": draw.integer(-50, 50) / 10,
        "palette": draw.integer(0, 5),
        **row.more,
        **reading.parameters,
    }
    caption = f"{article(row.object)} {row.object} {row.place}."
    return PictureSpec(
        picture_id, concept, row.scene, reading.value, reading.tolerance, caption, reading.description, parameters
    )


def article(noun: str) -> str:
    """ "A" or "An", by the noun's first letter.

    >>> article("oven"), article("tape")
    ('An', 'A')
    """
    return "An" if noun[0] in "aeio" else "A"


def picture_ids(concept: Concept, rows: Sequence[Row]) -> list[str]:
    """Ids of a concept's pictures, in catalogue order: temperature-01, temperature-02, …"""
    return [f"{concept}-{number:02d}" for number in range(1, len(rows) + 1)]


def plain(number: float) -> str:
    """A number as a person writes it: no needless zeros, a proper minus sign.

    >>> plain(21.0), plain(-3.5), plain(0.75)
    ('21', '−3.5', '0.75')
    """
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return text.replace("-", "−") if text != "-0" else "0"
