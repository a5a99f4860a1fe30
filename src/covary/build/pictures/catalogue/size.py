"""Twenty-four room sizes, in m²: floor plans and views with rulers of two scales, or with cars as the measure."""

from __future__ import annotations

import math

from covary.build.pictures.spec import Parameter, PictureSpec, Reading, Row, drawn, picture, picture_ids, plain
from covary.digest import Draw

METRES_PER_FOOT = 0.3048
CAR_LENGTH, CAR_WIDTH = 4.5, 1.8

# scene → how far a careful reading may be off, as a share of the value
SHARES: dict[str, float] = {
    "plan": 0.08,
    "corner_plan": 0.1,
    "round_plan": 0.1,
    "tiled_view": 0.1,
    "cutaway": 0.1,
    "garage": 0.25,
}

# A row's range is the room's width; its depth is drawn from shallow to deep in the same steps.
ROWS = (
    Row("plan", "bedroom", "drawn as a floor plan", "noon", 3, 4.5, 0.5, {"shallow": 3, "deep": 4, "room": "bed"}),
    Row(
        "plan",
        "kitchen",
        "drawn as a floor plan",
        "morning",
        2.5,
        4,
        0.5,
        {"shallow": 2, "deep": 3.5, "room": "kitchen"},
    ),
    Row(
        "plan", "living room", "drawn as a floor plan", "evening", 5, 7, 0.5, {"shallow": 4, "deep": 5, "room": "sofa"}
    ),
    Row("plan", "study", "drawn as a floor plan", "lamp", 2.5, 3.5, 0.5, {"shallow": 2.5, "deep": 3, "room": "desk"}),
    Row("plan", "classroom", "drawn as a floor plan", "overcast", 7, 9, 1, {"shallow": 5, "deep": 6, "room": "class"}),
    Row(
        "corner_plan",
        "living room with a dining corner",
        "drawn as a floor plan",
        "noon",
        6,
        7,
        1,
        {"shallow": 4, "deep": 5, "room": "dining"},
    ),
    Row(
        "corner_plan",
        "bedroom with a wardrobe corner",
        "drawn as a floor plan",
        "lamp",
        4,
        5,
        1,
        {"shallow": 4, "deep": 4, "room": "bed"},
    ),
    Row(
        "corner_plan",
        "office with a corner for copies",
        "drawn as a floor plan",
        "overcast",
        6,
        8,
        1,
        {"shallow": 5, "deep": 5, "room": "desk"},
    ),
    Row(
        "corner_plan",
        "workshop with a store corner",
        "drawn as a floor plan",
        "morning",
        7,
        8,
        1,
        {"shallow": 5, "deep": 6, "room": "bench"},
    ),
    Row(
        "round_plan",
        "garden pavilion",
        "drawn as a round floor plan",
        "noon",
        4,
        7,
        1,
        {"shallow": 0, "deep": 0, "room": "table"},
    ),
    Row(
        "round_plan",
        "tower room",
        "drawn as a round floor plan",
        "lamp",
        3,
        5,
        1,
        {"shallow": 0, "deep": 0, "room": "bed"},
    ),
    Row(
        "round_plan",
        "reading room",
        "drawn as a round floor plan",
        "evening",
        6,
        9,
        1,
        {"shallow": 0, "deep": 0, "room": "books"},
    ),
    Row(
        "tiled_view",
        "empty room",
        "with a tiled floor and two windows",
        "noon",
        4,
        6,
        1,
        {"shallow": 3, "deep": 5, "room": "windows"},
    ),
    Row(
        "tiled_view",
        "hallway",
        "with a tiled floor and a door at the end",
        "lamp",
        2,
        3,
        1,
        {"shallow": 5, "deep": 7, "room": "door"},
    ),
    Row(
        "tiled_view",
        "gallery",
        "with a tiled floor and framed pictures",
        "overcast",
        6,
        8,
        1,
        {"shallow": 5, "deep": 7, "room": "frames"},
    ),
    Row(
        "tiled_view",
        "nursery",
        "with a checked floor and a toy chest",
        "morning",
        3,
        4,
        1,
        {"shallow": 3, "deep": 4, "room": "chest"},
    ),
    Row(
        "tiled_view",
        "studio",
        "with a checked floor and an easel",
        "evening",
        5,
        6,
        1,
        {"shallow": 4, "deep": 6, "room": "easel"},
    ),
    Row(
        "cutaway",
        "bedroom",
        "seen from a corner with the front walls cut away",
        "morning",
        3,
        5,
        1,
        {"shallow": 3, "deep": 4, "room": "bed"},
    ),
    Row(
        "cutaway",
        "home office",
        "seen from a corner with the front walls cut away",
        "noon",
        3,
        4,
        1,
        {"shallow": 2, "deep": 3, "room": "desk"},
    ),
    Row(
        "cutaway",
        "music lounge",
        "seen from a corner with the front walls cut away",
        "evening",
        5,
        6,
        1,
        {"shallow": 4, "deep": 5, "room": "sofa"},
    ),
    Row(
        "cutaway",
        "dance room",
        "seen from a corner with the front walls cut away",
        "lamp",
        6,
        8,
        1,
        {"shallow": 5, "deep": 6, "room": "mirror"},
    ),
    Row(
        "garage",
        "garage with one car",
        "seen from above",
        "overcast",
        3.5,
        4.5,
        0.5,
        {"shallow": 6, "deep": 7, "cars": 1},
    ),
    Row("garage", "garage with two cars", "seen from above", "lamp", 6, 7, 0.5, {"shallow": 6, "deep": 7, "cars": 2}),
    Row(
        "garage",
        "workshop with three cars",
        "seen from above",
        "noon",
        10,
        12,
        0.5,
        {"shallow": 7, "deep": 8, "cars": 3},
    ),
)


def specifications(seed: int) -> list[PictureSpec]:
    """The concept's pictures for a seed."""
    names = picture_ids("size", ROWS)
    return [picture(row, "size", name, seed, _reading(row, seed, name)) for name, row in zip(names, ROWS, strict=True)]


def _reading(row: Row, seed: int, name: str) -> Reading:
    width = drawn(row, seed, name)
    shallow, deep = float(row.more["shallow"]), float(row.more["deep"])
    steps = round((deep - shallow) / row.step)
    depth = round(shallow + Draw(seed, "picture", name, "depth shown").integer(0, steps) * row.step, 6) or width
    value, words, parameters = _shape(row, width, depth)
    tolerance = round(value * SHARES[row.scene], 6)
    more: dict[str, Parameter] = {"width": width, "depth": depth, **parameters}
    return Reading(value, tolerance, f"{row.object.capitalize()} {row.place}. {words}", more)


def _shape(row: Row, width: float, depth: float) -> tuple[float, str, dict[str, Parameter]]:
    if row.scene == "round_plan":
        words = f"The room is a circle; across its middle the ruler runs {_both(width)}."
        return round(math.pi * width**2 / 4, 2), words, {}
    if row.scene == "corner_plan":
        cut_width, cut_depth = width // 2, depth // 2
        words = (
            f"Along the wide wall the ruler runs {_both(width)}; along the other wall {_both(depth)}. One corner is cut"
            f" out: along the wide wall {_both(cut_width)}; along the other wall {_both(cut_depth)}."
        )
        return round(width * depth - cut_width * cut_depth, 2), words, {"cut_width": cut_width, "cut_depth": cut_depth}
    if row.scene == "garage":
        lengths, widths = plain(round(depth / CAR_LENGTH, 1)), plain(round(width / CAR_WIDTH, 1))
        words = f"It is about {lengths} car lengths deep and {widths} car widths wide."
        return round(width * depth, 2), words, {}
    words = f"Along the wide wall the ruler runs {_both(width)}; along the other wall {_both(depth)}."
    if row.scene == "tiled_view":
        words = f"Along the front the ruler runs {_both(width)}; the floor is {plain(depth)} equal tiles deep and {plain(width)} wide."
    return round(width * depth, 2), words, {}


def _both(metres: float) -> str:
    """A wall's two readings, without units."""
    return f"from 0 to {plain(metres)} on one edge and to {plain(round(metres / METRES_PER_FOOT))} on the other"
