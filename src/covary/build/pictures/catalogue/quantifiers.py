"""Twenty quantities, each a count out of a capacity that can be seen; the value is their fraction."""

from __future__ import annotations

from covary.build.pictures.spec import PictureSpec, Reading, Row, drawn, picture, picture_ids

TOLERANCE = 0.06

READ: dict[str, str] = {
    "eggs": "{n} of the {c} hollows hold an egg.",
    "books": "{n} of the {c} equal places on the shelf hold a book.",
    "parking": "{n} of the {c} marked places hold a car.",
    "muffins": "{n} of the {c} hollows hold a muffin.",
    "jar": "{n} of the {c} pieces that would reach the brim are in the jar.",
    "jug": "The water reaches line {n} of {c} lines.",
    "seats": "{n} of the {c} seats are taken.",
}

# A row's range is the count.
ROWS = (
    Row("eggs", "egg tray", "on a kitchen table", "morning", 2, 2, 1, {"capacity": 12, "across": 6}),
    Row("eggs", "egg tray", "in a hen house", "overcast", 5, 5, 1, {"capacity": 10, "across": 5}),
    Row("eggs", "egg tray", "on a market stand", "noon", 28, 28, 1, {"capacity": 30, "across": 6}),
    Row("books", "bookshelf", "in a study", "lamp", 9, 10, 1, {"capacity": 12}),
    Row("books", "bookshelf", "in a children's room", "morning", 4, 5, 1, {"capacity": 15}),
    Row("books", "bookshelf", "in a library corner", "overcast", 12, 13, 1, {"capacity": 14}),
    Row("parking", "parking area", "seen from a balcony", "noon", 3, 3, 1, {"capacity": 16, "across": 8}),
    Row("parking", "parking area", "behind a shop", "evening", 8, 8, 1, {"capacity": 16, "across": 8}),
    Row("parking", "parking area", "beside a park", "overcast", 10, 11, 1, {"capacity": 12, "across": 6}),
    Row("muffins", "muffin tin", "on a cooling rack", "lamp", 6, 6, 1, {"capacity": 12, "across": 4}),
    Row("muffins", "muffin tin", "on a picnic cloth", "noon", 3, 4, 1, {"capacity": 12, "across": 4}),
    Row("muffins", "muffin tin", "at a school fair", "morning", 7, 8, 1, {"capacity": 9, "across": 3}),
    Row("jar", "glass jar", "of nuts on a counter", "noon", 8, 10, 1, {"capacity": 40, "across": 5}),
    Row("jar", "glass jar", "of marbles on a window sill", "morning", 20, 20, 1, {"capacity": 40, "across": 5}),
    Row("jar", "glass jar", "of chocolate balls in a pantry", "lamp", 31, 33, 1, {"capacity": 40, "across": 5}),
    Row("jug", "water carafe", "on a laid table", "noon", 3, 3, 1, {"capacity": 8}),
    Row("jug", "rain barrel", "beside a shed", "overcast", 7, 7, 1, {"capacity": 8}),
    Row("seats", "concert hall", "seen from behind", "lamp", 18, 20, 1, {"capacity": 40, "across": 10}),
    Row("seats", "bus", "seen from above", "overcast", 5, 7, 1, {"capacity": 32, "across": 4}),
    Row("seats", "open-air stage", "seen from above", "evening", 36, 38, 1, {"capacity": 50, "across": 10}),
)


def specifications(seed: int) -> list[PictureSpec]:
    """The concept's pictures for a seed."""
    return [
        picture(row, "quantifiers", name, seed, _reading(row, drawn(row, seed, name)))
        for name, row in zip(picture_ids("quantifiers", ROWS), ROWS, strict=True)
    ]


def _reading(row: Row, drawn_value: float) -> Reading:
    count, capacity = int(drawn_value), int(row.more["capacity"])
    words = READ[row.scene].format(n=count, c=capacity)
    value = round(count / capacity, 6)
    return Reading(value, TOLERANCE, f"{row.object.capitalize()} {row.place}. {words}", {"count": count})
