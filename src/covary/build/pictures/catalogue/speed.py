"""Eighteen speeds, in km/h. Every instrument shows both common scales, so that no picture commits to one."""

from __future__ import annotations

from covary.build.pictures.spec import PictureSpec, Reading, Row, drawn, picture, picture_ids, plain

KM_PER_MILE = 1.609344

# scene → (first scale's end, step between its digits; second scale's end, step between its digits; tolerance)
SCALES: dict[str, tuple[float, float, float, float, float]] = {
    "car_dial": (220, 20, 140, 20, 3.0),
    "motorcycle_dial": (200, 20, 120, 20, 3.0),
    "band_gauge": (140, 20, 80, 10, 2.5),
    "tractor_dial": (50, 10, 30, 5, 1.0),
}

READ: dict[str, str] = {
    "car_dial": "The needle points to {a} on the outer ring and to {b} on the inner ring.",
    "motorcycle_dial": "The needle points to {a} on the outer ring and to {b} on the inner ring.",
    "band_gauge": "The marker of the long gauge stands at {a} on the upper scale and at {b} on the lower scale.",
    "tractor_dial": "The needle points to {a} on the outer ring and to {b} on the inner ring.",
    "roadside_board": "The board shows the same reading on two lines: {a} above and {b} below.",
    "bicycle_computer": "The small screen shows the same reading on two lines: {a} above and {b} below.",
    "treadmill": "The panel shows the same reading in two windows: {a} on the left and {b} on the right.",
}

ROWS = (
    Row("car_dial", "car dashboard", "on an open road in daylight", "noon", 84, 118, 2, {"road": "day"}),
    Row("car_dial", "car dashboard", "on a wet street at dusk", "evening", 34, 52, 2, {"road": "rain"}),
    Row("car_dial", "car dashboard", "on a dark country road", "lamp", 62, 88, 2, {"road": "night"}),
    Row(
        "motorcycle_dial",
        "motorcycle dial",
        "between handlebars on a coast road",
        "morning",
        70,
        98,
        2,
        {"road": "coast"},
    ),
    Row("motorcycle_dial", "scooter dial", "over a cobbled lane", "noon", 24, 40, 2, {"road": "lane"}),
    Row("motorcycle_dial", "motorcycle dial", "on a road through a forest", "evening", 98, 126, 2, {"road": "forest"}),
    Row("band_gauge", "old van's dashboard", "with a straight road ahead", "noon", 52, 78, 2, {"road": "day"}),
    Row("band_gauge", "bus driver's panel", "in a town at night", "lamp", 30, 46, 2, {"road": "night"}),
    Row("tractor_dial", "tractor dashboard", "above a ploughed field", "morning", 11, 22, 1, {"road": "field"}),
    Row("tractor_dial", "harvester dashboard", "in a field of wheat", "evening", 5, 10, 1, {"road": "wheat"}),
    Row("roadside_board", "roadside speed board", "with a red car coming up", "noon", 44, 64, 1, {"comes": "car"}),
    Row(
        "roadside_board",
        "roadside speed board",
        "with a truck coming up in the rain",
        "overcast",
        66,
        86,
        1,
        {"comes": "truck"},
    ),
    Row(
        "roadside_board",
        "roadside speed board",
        "with a cyclist coming up at dusk",
        "evening",
        19,
        29,
        1,
        {"comes": "bicycle"},
    ),
    Row(
        "bicycle_computer",
        "bicycle computer",
        "on a handlebar above a gravel path",
        "morning",
        15,
        24,
        1,
        {"path": "gravel"},
    ),
    Row("bicycle_computer", "bicycle computer", "on a racing bike going downhill", "noon", 46, 61, 1, {"path": "hill"}),
    Row(
        "bicycle_computer", "bicycle computer", "on a city bike beside a canal", "evening", 10, 16, 1, {"path": "canal"}
    ),
    Row("treadmill", "treadmill", "in front of a gym window", "overcast", 9, 14, 1, {"room": "gym"}),
    Row("treadmill", "treadmill", "in a basement with a lamp", "lamp", 4, 7, 1, {"room": "basement"}),
)


def miles(kilometres: float) -> float:
    """The same speed on the second scale.

    >>> round(miles(100), 1)
    62.1
    """
    return kilometres / KM_PER_MILE


def specifications(seed: int) -> list[PictureSpec]:
    """The concept's pictures for a seed."""
    return [
        picture(row, "speed", name, seed, _reading(row, drawn(row, seed, name)))
        for name, row in zip(picture_ids("speed", ROWS), ROWS, strict=True)
    ]


def _reading(row: Row, value: float) -> Reading:
    second = round(miles(value))
    tolerance = SCALES[row.scene][4] if row.scene in SCALES else 0.5
    words = READ[row.scene].format(a=plain(value), b=plain(second))
    return Reading(value, tolerance, f"{row.object.capitalize()} {row.place}. {words}", {"second": second})
