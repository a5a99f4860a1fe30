"""Language composition, one table a model, condition and question language: single languages, and the combinations of mixed traces, all
over one denominator, with printed counts brought to the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from covary.report.languages import composition_of
from covary.report.material import Material
from covary.report.published import COMPOSITION, composition_key
from covary.report.sheet import Sheet
from covary.scoring.language import DENOMINATOR, MIXED, readable

MOST_PLACES = 40
"""Beyond it the one table of all places is made alone."""
SINGLE, COMBINATION = "language", "combination"


class Place(NamedTuple):
    """Whose traces a table is of."""

    model: str
    condition: str
    language: str

    @property
    def name(self) -> str:
        """The table's name, which can name a file."""
        return re.sub(r"[/\\\x00-\x1f]", "_", "-".join((COMPOSITION, *self)))


Counts = Mapping[tuple[str, str], int]
"""(part, code) → traces."""


def makers(material: Material, printed: Sequence[Mapping[str, str]]) -> dict[str, Callable[[], Sheet]]:
    """Name → what makes the table of a place, for every place that has classified traces or `printed` counts (rows of a published
    file); nothing where places are too many."""
    ours, theirs = _found(composition_of(material.frame)), _printed(printed)
    places = sorted({*ours, *theirs})
    if len(places) > MOST_PLACES:
        return {}
    return {place.name: partial(table, place, ours.get(place, {}), theirs.get(place, {})) for place in places}


def table(place: Place, ours: Counts, printed: Counts) -> Sheet:
    """One place's table. Columns of ours, or of printed counts, are left out where there are none."""
    sides = [(prefix, counts) for prefix, counts in (("", ours), ("printed_", printed)) if counts]
    rows: list[dict[str, Any]] = []
    for part, code in sorted({*ours, *printed}, key=lambda key: _rank(key, sides[0][1])):
        row: dict[str, Any] = {"found": ("mixed: " if part == COMBINATION else "") + _spelt(code)}
        for prefix, counts in sides:
            row |= {f"{prefix}n": counts.get((part, code), 0)}
            row |= {f"{prefix}share": counts.get((part, code), 0) / _whole(counts)}
        rows.append(row)
    return Sheet(
        place.name,
        f"Languages of the reasoning: {place.model}, {place.condition}, questions in {_spelt(place.language)}.",
        pl.DataFrame(rows),
        " ".join(_note(prefix, counts) for prefix, counts in sides)
        + " Shares of combinations are of the same, and add up to that of mixed traces."
        + ("" if ours else " Ours: not computable, as there are no texts of these traces."),
        percent=tuple(f"{prefix}share" for prefix, _ in sides),
    )


def _found(composed: pl.DataFrame) -> dict[Place, dict[tuple[str, str], int]]:
    found: dict[Place, dict[tuple[str, str], int]] = {}
    for row in composed.iter_rows(named=True):
        place = Place(row["model"], row["condition"], row["language"])
        found.setdefault(place, {})[row["part"], row["found"]] = row["n"]
    return found


def _printed(rows: Sequence[Mapping[str, str]]) -> dict[Place, dict[tuple[str, str], int]]:
    found: dict[Place, dict[tuple[str, str], int]] = {}
    for row in rows:
        if row["table"] == COMPOSITION and row["metric"] == "count":
            place = Place(row["model"], row["condition"], row["language"])
            found.setdefault(place, {})[composition_key(row["category"])] = round(float(row["value"]))
    return found


def _whole(counts: Counts) -> int:
    return sum(n for (part, _), n in counts.items() if part == SINGLE) or 1


def _note(prefix: str, counts: Counts) -> str:
    if prefix:
        return f"Printed share: printed counts over the {_whole(counts):,} traces that the printed counts of labels sum up to."
    return f"Share: of the {_whole(counts):,} {DENOMINATOR}."


def _rank(key: tuple[str, str], counts: Counts) -> tuple[bool, bool, int, str]:
    return key[0] == COMBINATION, key[1] == MIXED, -counts.get(key, 0), key[1]


def _spelt(code: str) -> str:
    return code if code == MIXED else readable(code)
