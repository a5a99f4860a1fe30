"""Thirty-three temperatures, in °C. Every instrument shows both common scales, so that no picture commits to one."""

from __future__ import annotations

from covary.build.pictures.spec import PictureSpec, Reading, Row, drawn, picture, picture_ids, plain

# scene → (first scale from, to, step between digits; second scale from, to, step; tolerance; how it is read)
SCALES: dict[str, tuple[float, float, float, float, float, float, float]] = {
    "wall_tube": (-30, 50, 10, -20, 120, 20, 1.0),
    "garden_dial": (-30, 50, 10, -20, 120, 20, 1.5),
    "oven_dial": (50, 300, 50, 150, 550, 50, 6.0),
    "food_probe": (0, 120, 20, 40, 240, 40, 2.0),
    "fever_stick": (35, 42, 1, 96, 106, 2, 0.15),
    "cold_strip": (-30, 20, 10, -20, 60, 20, 1.0),
    "water_strip": (0, 40, 10, 40, 100, 10, 1.0),
}

READ: dict[str, str] = {
    "wall_tube": "The column ends at {a} on the left scale and at {b} on the right scale.",
    "garden_dial": "The needle points to {a} on the outer ring and to {b} on the inner ring.",
    "oven_dial": "The needle points to {a} on the outer ring and to {b} on the inner ring.",
    "food_probe": "The needle of the probe points to {a} on the outer ring and to {b} on the inner ring.",
    "fever_stick": "The thread of the stick ends at {a} on the upper scale and at {b} on the lower scale.",
    "cold_strip": "The marker of the strip stands at {a} on the upper scale and at {b} on the lower scale.",
    "water_strip": "The column under water ends at {a} on the left scale and at {b} on the right scale.",
    "display": "The display has two lines for the same reading: {a} above and {b} below.",
}

ROWS = (
    Row("wall_tube", "wall thermometer", "beside a snowy garden window", "overcast", -18, -6, 1, {"season": "snow"}),
    Row("wall_tube", "tube thermometer", "on a brick wall in full sun", "noon", 31, 38, 1, {"season": "summer"}),
    Row("wall_tube", "porch thermometer", "next to a pot of spring flowers", "morning", 8, 15, 1, {"season": "spring"}),
    Row("wall_tube", "shed thermometer", "above a rake and fallen leaves", "evening", 3, 9, 1, {"season": "autumn"}),
    Row("wall_tube", "living room thermometer", "above a sofa with cushions", "lamp", 18, 24, 1, {"season": "room"}),
    Row("wall_tube", "cellar thermometer", "above a rack of apples", "lamp", 10, 14, 1, {"season": "cellar"}),
    Row(
        "garden_dial", "dial thermometer", "among tomato plants in a greenhouse", "noon", 26, 36, 1, {"season": "green"}
    ),
    Row(
        "garden_dial", "dial thermometer", "on a fence post in a misty field", "morning", 4, 12, 1, {"season": "field"}
    ),
    Row(
        "garden_dial", "terrace thermometer", "over a table with cold drinks", "noon", 36, 43, 1, {"season": "terrace"}
    ),
    Row("garden_dial", "balcony thermometer", "against an evening sky", "evening", 14, 22, 1, {"season": "dusk"}),
    Row("garden_dial", "hut thermometer", "on snowy logs in the hills", "overcast", -22, -12, 1, {"season": "snow"}),
    Row(
        "oven_dial",
        "oven thermometer",
        "behind the glass of an oven with a loaf",
        "lamp",
        200,
        240,
        5,
        {"dish": "loaf"},
    ),
    Row("oven_dial", "oven thermometer", "next to a tray of buns", "lamp", 160, 190, 5, {"dish": "buns"}),
    Row("oven_dial", "smoker thermometer", "on the lid of a garden grill", "evening", 90, 130, 5, {"dish": "grill"}),
    Row(
        "oven_dial", "brick oven thermometer", "over a flat bread by the embers", "lamp", 250, 285, 5, {"dish": "brick"}
    ),
    Row("food_probe", "food thermometer", "in a roast on a carving board", "lamp", 54, 72, 1, {"dish": "roast"}),
    Row("food_probe", "probe thermometer", "in a jug of warm milk", "morning", 36, 46, 1, {"dish": "jug"}),
    Row("food_probe", "jam thermometer", "in a copper pot of berries", "noon", 98, 108, 1, {"dish": "pot"}),
    Row("food_probe", "tea thermometer", "in a steaming cup", "overcast", 76, 90, 1, {"dish": "cup"}),
    Row(
        "fever_stick",
        "fever thermometer",
        "on a blanket beside a teddy bear",
        "lamp",
        38.2,
        39.6,
        0.1,
        {"rest": "bear"},
    ),
    Row(
        "fever_stick", "fever thermometer", "on a bedside tray with a mug", "overcast", 37.2, 38.2, 0.1, {"rest": "mug"}
    ),
    Row("fever_stick", "glass thermometer", "on a folded towel in a clinic", "noon", 36.2, 37, 0.1, {"rest": "towel"}),
    Row("fever_stick", "vet's thermometer", "beside a sleeping cat", "morning", 38, 39, 0.1, {"rest": "cat"}),
    Row("cold_strip", "fridge thermometer", "on a shelf with eggs and milk", "overcast", 2, 7, 1, {"shelf": "fridge"}),
    Row("cold_strip", "freezer thermometer", "between frosty boxes", "overcast", -22, -15, 1, {"shelf": "freezer"}),
    Row("cold_strip", "picnic box thermometer", "under a lid with bottles and ice", "noon", -3, 4, 1, {"shelf": "box"}),
    Row(
        "water_strip",
        "aquarium thermometer",
        "between water plants and small fish",
        "lamp",
        22,
        28,
        1,
        {"water": "fish"},
    ),
    Row("water_strip", "pool thermometer", "floating near the steps", "noon", 23, 30, 1, {"water": "pool"}),
    Row("water_strip", "baby bath thermometer", "next to a rubber duck", "lamp", 34, 38, 1, {"water": "duck"}),
    Row("display", "weather display", "on a window sill in the rain", "overcast", 9, 16, 1, {"sky": "rain"}),
    Row("display", "wall display", "in a sunny hallway", "morning", 19, 25, 1, {"sky": "sun"}),
    Row("display", "street display", "above a plaza in midsummer", "noon", 33, 41, 1, {"sky": "plaza"}),
    Row("display", "parking deck display", "on a frosty night", "lamp", -12, -4, 1, {"sky": "night"}),
)


def fahrenheit(celsius: float) -> float:
    """The same temperature on the second scale.

    >>> fahrenheit(40), fahrenheit(-40)
    (104.0, -40.0)
    """
    return celsius * 9 / 5 + 32


def specifications(seed: int) -> list[PictureSpec]:
    """The concept's pictures for a seed."""
    return [
        picture(row, "temperature", name, seed, _reading(row, drawn(row, seed, name)))
        for name, row in zip(picture_ids("temperature", ROWS), ROWS, strict=True)
    ]


def _reading(row: Row, value: float) -> Reading:
    fine = row.scene == "fever_stick"
    second = round(fahrenheit(value), 1) if fine else round(fahrenheit(value))
    tolerance = SCALES[row.scene][6] if row.scene in SCALES else 0.5
    words = READ[row.scene].format(a=plain(value), b=plain(second))
    return Reading(value, tolerance, f"{row.object.capitalize()} {row.place}. {words}", {"second": second})
