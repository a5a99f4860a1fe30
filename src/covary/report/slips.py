"""Slips inside printed values: figures of one publication that contradict each other, whatever the data say.

Checked: a change against the two accuracies that it stands between; an overall against its categories, weighted by their
printed counts; an F1 without clean controls against its accuracy; a proportion against its counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

Row = Mapping[str, str]
Place = tuple[str, str, str, str, str]
STEP = 0.01  # of a percentage with two decimals
MIXED = "Mixed"
KINDS = ("Numerical", "Symbolic", "Proof")


class Slip(NamedTuple):
    """A printed value that others of the same publication contradict: where, printed, implied, and by what."""

    table: str
    model: str
    language: str
    condition: str
    category: str
    metric: str
    printed: float
    implied: float
    why: str


def slips(rows: Sequence[Row]) -> list[Slip]:
    """Every slip, in the order of the printed rows."""
    values = {(*_place(row), row["metric"]): float(row["value"]) for row in rows}
    return [slip for row in rows for slip in _of_row(row, values)]


def _of_row(row: Row, values: Mapping[tuple[str, ...], float]) -> Iterator[Slip]:
    implied = _implied(row, values)
    if implied is not None:
        value, tolerance, why = implied
        if abs(float(row["value"]) - value) > tolerance + 1e-9:
            yield Slip(*_place(row), row["metric"], float(row["value"]), round(value, 2), why)


def _implied(row: Row, values: Mapping[tuple[str, ...], float]) -> tuple[float, float, str] | None:
    """What other printed values make of this one: value, tolerance by rounding, and the reckoning in words."""
    metric = row["metric"]
    if metric.startswith("delta vs "):
        return _change(row, metric.removeprefix("delta vs "), values)
    if metric == "accuracy" and row["category"] == "Overall":
        return _overall(row, values)
    if metric == "f1":
        accuracy = values.get((*_place(row), "accuracy"))
        if accuracy is not None:
            return 200 * accuracy / (accuracy + 100), 2 * STEP, "2a / (a + 1) of the printed accuracy"
    if metric.startswith("proportion"):
        return _proportion(row, values)
    return None


def _change(row: Row, reference: str, values: Mapping[tuple[str, ...], float]) -> tuple[float, float, str] | None:
    table, model, language, condition, category = _place(row)
    here = values.get((table, model, language, condition, category, "accuracy"))
    there = values.get((table, model, language, reference, category, "accuracy"))
    if here is None or there is None:
        return None
    return here - there, STEP / 2, f"printed {here:g} less printed {there:g}"


def _overall(row: Row, values: Mapping[tuple[str, ...], float]) -> tuple[float, float, str] | None:
    place = _place(row)[:4]
    kinds = {kind: values.get((*place, kind, "accuracy")) for kind in KINDS}
    weights = {kind: values.get(("corpus", "", "", "", f"{kind}/Total", "count")) for kind in KINDS}
    known = {kind: (value, weights[kind]) for kind, value in kinds.items() if value is not None}
    if len(known) < 2 or any(weight is None for _, weight in known.values()):
        return None
    total = sum(weight or 0.0 for _, weight in known.values())
    mean = sum(value * (weight or 0.0) for value, weight in known.values()) / total
    return mean, STEP, f"mean of {', '.join(known)} weighted by the printed counts"


def _proportion(row: Row, values: Mapping[tuple[str, ...], float]) -> tuple[float, float, str] | None:
    place = _place(row)[:4]
    count = values.get((*_place(row), "count"))
    mixed = row["metric"] == "proportion_of_mixed_percent"
    singles = {key[4]: value for key, value in values.items() if key[:4] == place and key[5] == "count"}
    singles = {name: value for name, value in singles.items() if not name.startswith("mixed:")}
    whole = singles.get(MIXED) if mixed else sum(singles.values())
    if count is None or not whole:
        return None
    of = "the printed count of mixed traces" if mixed else "the sum of the printed counts"
    return 100 * count / whole, 0.05, f"{count:g} of {whole:g}, {of}"


def _place(row: Row) -> Place:
    return row["table"], row["model"], row["language"], row["condition"], row["category"]
