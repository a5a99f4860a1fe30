"""Twenty-one prices: whole amounts without a currency, without decimals and without a grouping mark."""

from __future__ import annotations

from covary.build.pictures.spec import PictureSpec, Reading, Row, drawn, picture, picture_ids

READ: dict[str, str] = {
    "hanging_tag": "The tag reads {a}.",
    "shelf_label": "The label under it reads {a}.",
    "register": "The display of the register reads {a}.",
    "receipt": "The last line of the receipt, under the rule, reads {a}.",
    "ticket_machine": "The display of the machine reads {a}.",
    "chalkboard": "The chalk figures read {a}.",
    "vending": "The label of the lit slot reads {a}.",
}

ROWS = (
    Row(
        "hanging_tag",
        "wooden chair",
        "with a tag on its back in a furniture shop",
        "noon",
        120,
        480,
        10,
        {"goods": "chair"},
    ),
    Row("hanging_tag", "shoulder bag", "with a tag on its strap", "lamp", 60, 240, 5, {"goods": "bag"}),
    Row(
        "hanging_tag", "table lamp", "with a tag on its cord at a flea market", "morning", 15, 90, 5, {"goods": "lamp"}
    ),
    Row(
        "hanging_tag",
        "knitted sweater",
        "on a hanger with a tag at the sleeve",
        "overcast",
        40,
        150,
        5,
        {"goods": "sweater"},
    ),
    Row("shelf_label", "row of jam jars", "on a shop shelf with a label below", "noon", 4, 30, 1, {"goods": "jars"}),
    Row("shelf_label", "row of shampoo bottles", "on a shop shelf", "lamp", 6, 40, 1, {"goods": "bottles"}),
    Row(
        "shelf_label", "stack of books", "in a shop window with a label below", "evening", 12, 70, 1, {"goods": "books"}
    ),
    Row("shelf_label", "row of potted plants", "on a plant nursery bench", "morning", 8, 60, 1, {"goods": "plants"}),
    Row("register", "cash register", "with a basket of groceries beside it", "noon", 35, 190, 1, {"goods": "basket"}),
    Row("register", "bakery register", "next to a tray of loaves", "morning", 9, 45, 1, {"goods": "loaves"}),
    Row("register", "café register", "next to two cups and a cake", "lamp", 14, 65, 1, {"goods": "cups"}),
    Row("receipt", "receipt", "on a restaurant table with an empty plate", "lamp", 42, 160, 1, {"goods": "plate"}),
    Row("receipt", "receipt", "pinned to a cork board with keys", "noon", 75, 320, 1, {"goods": "cork"}),
    Row("receipt", "receipt", "beside a bag of oranges", "morning", 11, 58, 1, {"goods": "oranges"}),
    Row("ticket_machine", "parking machine", "in front of parked cars", "overcast", 3, 24, 1, {"goods": "cars"}),
    Row("ticket_machine", "ticket machine", "on a tram stop at night", "lamp", 2, 18, 1, {"goods": "tram"}),
    Row("chalkboard", "market stall with melons", "under a chalk sign", "morning", 5, 35, 1, {"goods": "melons"}),
    Row("chalkboard", "flower stall", "with a chalk sign among the buckets", "noon", 10, 55, 1, {"goods": "flowers"}),
    Row("chalkboard", "fish stall", "with a chalk sign stuck in the ice", "overcast", 18, 95, 1, {"goods": "fish"}),
    Row("vending", "vending machine", "with one lit slot in a corridor", "lamp", 2, 15, 1, {"goods": "snacks"}),
    Row("vending", "drinks machine", "with one lit slot in a waiting room", "overcast", 3, 20, 1, {"goods": "cans"}),
)


def specifications(seed: int) -> list[PictureSpec]:
    """The concept's pictures for a seed."""
    return [
        picture(row, "price", name, seed, _reading(row, drawn(row, seed, name)))
        for name, row in zip(picture_ids("price", ROWS), ROWS, strict=True)
    ]


def _reading(row: Row, value: float) -> Reading:
    words = READ[row.scene].format(a=int(value))
    return Reading(value, 0.0, f"{row.object.capitalize()} {row.place}. {words}", {})
