"""Twenty-four clock times, in minutes since midnight. Sky and lamps tell the half of the day; no clock is digital."""

from __future__ import annotations

from covary.build.pictures.spec import PictureSpec, Reading, Row, drawn, picture, picture_ids

SUNRISE, DUSK, DARK = 6 * 60, 18 * 60, 18 * 60 + 40

# The column `light` is not used here: the sky follows the time.
ROWS = (
    Row("kitchen", "kitchen clock", "above a stove and a window", "noon", 660, 660, 5),
    Row("kitchen", "kitchen clock", "over a table with a bowl of fruit", "noon", 780, 780, 5),
    Row("kitchen", "kitchen clock", "beside a window with herbs", "noon", 1080, 1080, 5),
    Row("kitchen", "kitchen clock", "over a sink with drying plates", "noon", 1200, 1200, 5),
    Row("tower", "tower clock", "above the roofs of a town", "noon", 720, 720, 5),
    Row("tower", "tower clock", "with pigeons on its ledge", "noon", 900, 900, 5),
    Row("tower", "tower clock", "seen from a street", "noon", 1140, 1140, 5),
    Row("tower", "tower clock", "over a river bridge", "noon", 1290, 1330, 5),
    Row("bedside", "alarm clock", "on a bedside table", "noon", 460, 480, 5),
    Row("bedside", "alarm clock", "next to a stack of books", "noon", 1345, 1375, 5),
    Row("bedside", "alarm clock", "beside a glass of water", "noon", 95, 125, 5),
    Row("bedside", "alarm clock", "on a chair by a bed", "noon", 840, 840, 5),
    Row("wrist", "wristwatch", "on a desk by a window", "noon", 560, 585, 5),
    Row("wrist", "wristwatch", "on a rock beside a hiking pack", "noon", 960, 960, 5),
    Row("wrist", "wristwatch", "on a towel at the beach", "noon", 745, 755, 5),
    Row("station", "platform clock", "over the tracks of a station", "noon", 1020, 1020, 5),
    Row("station", "platform clock", "with a train arriving", "noon", 510, 530, 5),
    Row("station", "platform clock", "with an empty bench below", "noon", 1245, 1260, 5),
    Row("mantel", "mantel clock", "over a fireplace", "noon", 1395, 1410, 5),
    Row("mantel", "mantel clock", "between two vases", "noon", 925, 940, 5),
    Row("mantel", "mantel clock", "beside a globe and a window", "noon", 610, 630, 5),
    Row("classroom", "classroom clock", "above an empty board", "noon", 795, 805, 5),
    Row("classroom", "classroom clock", "over rows of desks", "noon", 635, 645, 5),
    Row("classroom", "music room clock", "above a piano", "noon", 985, 1005, 5),
)


def half(minutes: float) -> str:
    """What the sky looks like at a time: light, low (the sun sets, lamps are lit) or dark.

    >>> half(660), half(1080), half(1200), half(90)
    ('light', 'low', 'dark', 'dark')
    """
    if minutes < SUNRISE or minutes >= DARK:
        return "dark"
    return "low" if minutes >= DUSK else "light"


def specifications(seed: int) -> list[PictureSpec]:
    """The concept's pictures for a seed."""
    return [
        picture(row, "time_expression", name, seed, _reading(row, drawn(row, seed, name)))
        for name, row in zip(picture_ids("time_expression", ROWS), ROWS, strict=True)
    ]


SKIES = {
    "light": "The sky is blue and the sun is up.",
    "low": "The sun sets in a red sky and the lamps are already lit.",
    "dark": "The sky is black with the moon and stars.",
}


def _reading(row: Row, value: float) -> Reading:
    hour, minute = divmod(int(value), 60)
    past = "" if minute == 0 else f", {'a little' if minute <= 15 else 'well'} past it"
    mark = f"{minute / 5:g}" if minute else "12"
    words = f"The short hand is at {(hour - 1) % 12 + 1}{past}; the long hand points to {mark}. {SKIES[half(value)]}"
    return Reading(
        value, 4.0, f"{row.object.capitalize()} {row.place}. {words}", {"light": half(value), "sky": half(value)}
    )
