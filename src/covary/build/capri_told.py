"""Readings told in words without a unit: what stands in for pictures in the small text-only set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

# concept → three readings: what it is, its true value (°C, m, km/h, m², amount, minutes, share), and the reading in words
_TOLD: Mapping[str, tuple[tuple[str, float, str], ...]] = {
    "temperature": (
        ("A thermometer in a glass of melting ice.", 0.0, "The thermometer stands in a glass of melting ice, and its column is exactly where ice melts."),
        ("A thermometer in a pot of boiling water.", 100.0, "The thermometer hangs in a pot at sea level, and its pointer is exactly where water boils."),
        ("A thermometer under a healthy person's arm.", 37.0, "The thermometer has been under a healthy adult's arm, and it shows an ordinary body temperature, no fever."),
    ),
    "distance": (
        ("A start and a finish line on a running track.", 400.0, "Between the two lines lies one full lap of an ordinary athletics track, run on the inside lane."),
        ("A bed and a door with a tall person lying between them.", 1.9, "A tall adult lies between the two things, head at one and heels at the other."),
        ("A farm and a church at the two ends of a straight road.", 5000.0, "A person walking at an ordinary pace needs just about an hour from the one to the other."),
    ),
    "speed": (
        ("A dial in front of a person walking briskly.", 6.0, "The needle shows the pace of a person who walks briskly without running."),
        ("A dial in a car that creeps along with pedestrians.", 5.0, "The car keeps exactly level with people who stroll along beside it."),
        ("A dial of a racing bicycle on a level road.", 40.0, "The needle shows what a professional racing cyclist keeps up alone on a level road."),
    ),
    "size": (
        ("A room that is filled by one double bed.", 4.0, "One large double bed fills the room from wall to wall, and nothing else fits in."),
        ("A room that holds one parked family car.", 15.0, "One family car is parked inside, with just enough room to open the doors and walk around it."),
        ("A hall with a single tennis court for doubles.", 261.0, "The floor is covered exactly by the lines of one tennis court for doubles, and ends there."),
    ),
    "price": (
        ("A tag on a knitted scarf.", 25.0, "The tag shows the figures two and five, and no sign next to them."),
        ("A label under a jar of honey.", 9.0, "The label shows a single nine, and no sign next to it."),
        ("A receipt for a meal.", 48.0, "The last line of the receipt shows the figures four and eight, and no sign next to them."),
    ),
    "time_expression": (
        ("A wall clock with both hands straight up.", 720.0, "Both hands of the clock point straight up, and outside the sun is at its highest."),
        ("A wall clock with the short hand at the five.", 1020.0, "The short hand points to the five and the long hand straight up; it is the second five of the day."),
        ("A wall clock with the short hand at the eight.", 1200.0, "The short hand points to the eight and the long hand straight up; it is the second eight of the day."),
    ),
    "quantifiers": (
        ("A tray with ten hollows for eggs.", 0.3, "Of the ten hollows of the tray, three hold an egg."),
        ("A shelf with room for twelve books.", 0.5, "Of the twelve places on the shelf, six hold a book."),
        ("A parking area with twenty places.", 0.9, "Of the twenty places, eighteen have a car on them."),
    ),
}  # fmt: skip


class Reading(NamedTuple):
    """One reading told in words; shaped like a picture. `turn`: which conversation type it goes with."""

    picture_id: str
    concept: str
    scene: str
    caption: str
    value: float
    description: str
    turn: int


def readings(seed: int) -> list[Reading]:
    """All readings, three a concept; the seed moves which conversation type each goes with."""
    return [
        Reading(f"told-{concept}-{index + 1}", concept, "told", caption, value, text, (index + seed) % 3)
        for concept, told in _TOLD.items()
        for index, (caption, value, text) in enumerate(told)
    ]
