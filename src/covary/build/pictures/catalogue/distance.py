"""Thirty-two distances, in m: measured by rulers with two scales or judged against people, cars and tiles."""

from __future__ import annotations

from covary.build.pictures.spec import Parameter, PictureSpec, Reading, Row, drawn, picture, picture_ids, plain

METRES_PER_INCH = 0.0254
METRES_PER_FOOT = 0.3048
METRES_PER_MILE = 1609.344
CAR_LENGTH = 4.5
PERSON_HEIGHT = 1.7

# scene → how far a careful reading may be off, as a share of the value
SHARES: dict[str, float] = {
    "tape": 0.04,
    "ruler": 0.05,
    "map": 0.08,
    "from_above": 0.08,
    "parked_cars": 0.2,
    "person": 0.2,
    "tiles": 0.1,
}

ROWS = (
    Row(
        "tape",
        "measuring tape",
        "stretched from a wall to a potted plant",
        "noon",
        0.6,
        1.7,
        0.01,
        {"ends": "wall plant"},
    ),
    Row("tape", "measuring tape", "between two nails in a wooden board", "lamp", 0.4, 1.2, 0.01, {"ends": "nail nail"}),
    Row(
        "tape",
        "measuring tape",
        "between a lamp and a chair in a studio",
        "evening",
        0.8,
        1.8,
        0.01,
        {"ends": "lamp chair"},
    ),
    Row(
        "tape",
        "measuring tape",
        "between two seedlings in a vegetable bed",
        "morning",
        0.3,
        0.9,
        0.01,
        {"ends": "seedling seedling"},
    ),
    Row("tape", "measuring tape", "from a door frame to a shelf", "overcast", 0.9, 1.8, 0.01, {"ends": "frame shelf"}),
    Row("ruler", "ruler", "between a pencil tip and an eraser", "lamp", 0.08, 0.26, 0.005, {"ends": "pencil eraser"}),
    Row("ruler", "ruler", "between two buttons on a cloth", "noon", 0.05, 0.22, 0.005, {"ends": "button button"}),
    Row("ruler", "ruler", "between a snail and a leaf", "morning", 0.07, 0.25, 0.005, {"ends": "snail leaf"}),
    Row("ruler", "ruler", "between two coins on a desk", "evening", 0.06, 0.27, 0.005, {"ends": "coin coin"}),
    Row(
        "map", "hiking map", "with a hut and a lake marked", "noon", 2400, 6800, 100, {"ground": "hills", "reach": 8000}
    ),
    Row(
        "map",
        "town plan",
        "with a station and a museum marked",
        "overcast",
        900,
        2600,
        50,
        {"ground": "town", "reach": 3000},
    ),
    Row(
        "map",
        "island map",
        "with a port and a lighthouse marked",
        "morning",
        5000,
        14000,
        200,
        {"ground": "island", "reach": 16000},
    ),
    Row(
        "map", "road map", "with two villages marked", "evening", 9000, 26000, 500, {"ground": "roads", "reach": 30000}
    ),
    Row("map", "park map", "with a gate and a pond marked", "noon", 450, 1300, 50, {"ground": "park", "reach": 1700}),
    Row(
        "from_above",
        "dog and its ball",
        "on a lawn seen from above",
        "noon",
        6,
        17,
        0.5,
        {"ends": "dog ball", "reach": 20},
    ),
    Row(
        "from_above",
        "tent and a campfire",
        "in a clearing seen from above",
        "evening",
        5,
        13,
        0.5,
        {"ends": "tent fire", "reach": 15},
    ),
    Row(
        "from_above",
        "swing and a sandbox",
        "on a playground seen from above",
        "morning",
        8,
        24,
        0.5,
        {"ends": "swing sand", "reach": 30},
    ),
    Row(
        "from_above",
        "fountain and a bench",
        "in a small park seen from above",
        "overcast",
        14,
        42,
        1,
        {"ends": "fountain bench", "reach": 50},
    ),
    Row(
        "from_above",
        "raft and a jetty",
        "on a pond seen from above",
        "noon",
        20,
        60,
        1,
        {"ends": "raft jetty", "reach": 75},
    ),
    Row(
        "parked_cars",
        "cat and a flower pot",
        "at the two ends of a row of parked cars",
        "noon",
        3,
        6,
        1,
        {"ends": "cat pot"},
    ),
    Row(
        "parked_cars",
        "child and an ice cream cart",
        "across a row of parked cars",
        "evening",
        3,
        5,
        1,
        {"ends": "child cart"},
    ),
    Row(
        "parked_cars",
        "bus stop and a tree",
        "at the two ends of a line of waiting cars",
        "overcast",
        4,
        7,
        1,
        {"ends": "stop tree"},
    ),
    Row(
        "parked_cars",
        "street lamp and a kiosk",
        "on either side of a few parked cars",
        "lamp",
        2,
        4,
        1,
        {"ends": "lamp kiosk"},
    ),
    Row(
        "person",
        "bench and a tree",
        "with a person standing by the bench",
        "morning",
        4,
        10,
        0.5,
        {"ends": "bench tree"},
    ),
    Row("person", "goal and a ball", "with a player standing by the ball", "noon", 6, 12, 0.5, {"ends": "goal ball"}),
    Row(
        "person",
        "birdhouse and a gate",
        "with a person leaning on the gate",
        "evening",
        3,
        8,
        0.5,
        {"ends": "birdhouse gate"},
    ),
    Row(
        "person",
        "snowman and a fir tree",
        "with a person next to the fir tree",
        "overcast",
        4,
        9,
        0.5,
        {"ends": "snowman fir"},
    ),
    Row("tiles", "pair of cats", "sitting on sunlit tiles", "noon", 3, 8, 1, {"ends": "cat cat", "side": 0.4}),
    Row(
        "tiles",
        "ball and a slipper",
        "on a tiled hallway floor",
        "lamp",
        3,
        8,
        1,
        {"ends": "ball slipper", "side": 0.3},
    ),
    Row(
        "tiles",
        "bucket and a broom",
        "on a tiled kitchen floor",
        "overcast",
        2,
        7,
        1,
        {"ends": "bucket broom", "side": 0.25},
    ),
    Row(
        "tiles",
        "turtle and a bowl",
        "on the tiles of a courtyard",
        "morning",
        3,
        9,
        1,
        {"ends": "turtle bowl", "side": 0.5},
    ),
    Row(
        "tiles",
        "toy train and a block",
        "on a tiled playroom floor",
        "evening",
        2,
        8,
        1,
        {"ends": "train block", "side": 0.2},
    ),
)


def specifications(seed: int) -> list[PictureSpec]:
    """The concept's pictures for a seed."""
    return [
        picture(row, "distance", name, seed, _reading(row, drawn(row, seed, name)))
        for name, row in zip(picture_ids("distance", ROWS), ROWS, strict=True)
    ]


def _reading(row: Row, drawn_value: float) -> Reading:
    value, words, parameters = _READERS[row.scene](row, drawn_value)
    tolerance = round(value * SHARES[row.scene], 6)
    return Reading(value, tolerance, f"{row.object.capitalize()} {row.place}. {words}", parameters)


_Read = tuple[float, str, dict[str, Parameter]]


def _tape(_: Row, value: float) -> _Read:
    upper, lower = plain(round(value * 100)), plain(round(value / METRES_PER_INCH))
    return value, f"The tape between them runs from 0 to {upper} on its upper edge, 0 to {lower} on its lower edge.", {}


def _ruler(_: Row, value: float) -> _Read:
    upper, lower = plain(round(value * 100, 1)), plain(round(value / METRES_PER_INCH, 1))
    return (
        value,
        f"The ruler between them runs from 0 to {upper} on its upper edge, 0 to {lower} on its lower edge.",
        {},
    )


def _map(_: Row, value: float) -> _Read:
    upper, lower = plain(round(value / 1000, 2)), plain(round(value / METRES_PER_MILE, 2))
    words = f"Laid along the scale bar, the straight line between them reaches {upper} on the upper row and {lower} on"
    return value, f"{words} the lower row.", {}


def _from_above(_: Row, value: float) -> _Read:
    upper, lower = plain(value), plain(round(value / METRES_PER_FOOT))
    words = (
        f"Laid along the scale bar, the gap between them reaches {upper} on the upper row and {lower} on the lower row."
    )
    return value, words, {}


def _parked_cars(_: Row, cars: float) -> _Read:
    count = int(cars)
    words = f"Between them fit {count} family cars, bumper to bumper, with hardly a gap."
    return round(count * CAR_LENGTH, 2), words, {"cars": count}


def _person(_: Row, value: float) -> _Read:
    heights = plain(round(value / PERSON_HEIGHT, 1))
    return value, f"The gap between them is about {heights} times as long as the grown-up standing there is tall.", {}


def _tiles(row: Row, tiles: float) -> _Read:
    side = float(row.more["side"])
    upper, lower = plain(round(side * 100)), plain(round(side / METRES_PER_INCH))
    words = f"They are {int(tiles)} tiles apart; a ruler along one tile's edge runs to {upper} on one edge and {lower} on the other."
    return round(tiles * side, 4), words, {"tiles": int(tiles)}


_READERS = {
    "tape": _tape,
    "ruler": _ruler,
    "map": _map,
    "from_above": _from_above,
    "parked_cars": _parked_cars,
    "person": _person,
    "tiles": _tiles,
}
