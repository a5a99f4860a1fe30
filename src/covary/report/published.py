"""Printed values beside ours, cell by cell: equal, within our interval, differs, or not computable and why.

A published file is CSV: table, model, language, condition, category, metric, value. Metrics: accuracy; "delta vs CONDITION"
(difference of the two rounded accuracies); f1 (of identification without clean controls: 2a / (a + 1), a function of the
accuracy a); count and share (of items). Per cent unless the metric is a count.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
import polars as pl

from covary.errors import DataError
from covary.report.declared import OVERALL

COLUMNS = ("table", "model", "language", "condition", "category", "metric", "value")
EQUAL, WITHIN, DIFFERS, MISSING = "equal", "within interval", "differs", "not computable"
HALF_STEP = 0.0051
"""Half of the last printed decimal of a percentage with two, and a little for values printed at a tie."""

Key = tuple[str, str, str, str, str]


class Ours(NamedTuple):
    """Our value of a cell in per cent, with its interval."""

    value: float
    low: float | None
    high: float | None


def read_published(text: str, where: str) -> list[dict[str, str]]:
    """Rows of a published file. Raises DataError for missing columns or a value that is no number."""
    rows = list(csv.DictReader(io.StringIO(text)))
    missing = set(COLUMNS) - set(rows[0] if rows else ())
    if missing:
        raise DataError(f"{where}: expected the columns {', '.join(COLUMNS)}; missing: {', '.join(sorted(missing))}")
    for number, row in enumerate(rows, 2):
        try:
            float(row["value"])
        except ValueError:
            raise DataError(f"{where}:{number}: value must be a number, found {row['value']!r}") from None
    return rows


def compare(rows: list[dict[str, str]], estimates: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """One row per printed value: the file's columns, then ours, low, high, verdict, why."""
    cells = _cells(estimates)
    found = [{**{name: row[name] for name in COLUMNS}, **_verdict(row, cells, items)} for row in rows]
    return pl.DataFrame(
        found,
        schema={
            **{name: pl.String() for name in COLUMNS},
            "ours": pl.Float64(),
            "low": pl.Float64(),
            "high": pl.Float64(),
            "verdict": pl.String(),
            "why": pl.String(),
        },
    ).with_columns(pl.col("value").cast(pl.Float64))


def counts(compared: pl.DataFrame) -> dict[str, int]:
    """How many cells got which verdict, in fixed order."""
    found = dict(compared.group_by("verdict").len().iter_rows())
    return {verdict: int(found.get(verdict, 0)) for verdict in (EQUAL, WITHIN, DIFFERS, MISSING)}


def _cells(estimates: pl.DataFrame) -> dict[Key, Ours]:
    found: dict[Key, Ours] = {}
    for row in estimates.filter(pl.col("value").is_not_null()).iter_rows(named=True):
        group: Mapping[str, Any] = msgspec.json.decode(row["group"])
        category = str(group.get("answer_type") or group.get("domain") or OVERALL)
        key = (
            row["name"],
            str(group.get("model", "")),
            str(group.get("language", "")),
            str(group.get("condition", "")),
            category,
        )
        ends = (None if row[end] is None else 100 * row[end] for end in ("low", "high"))
        found[key] = Ours(100 * row["value"], *ends)
    return found


def _verdict(row: Mapping[str, str], cells: Mapping[Key, Ours], items: pl.DataFrame) -> dict[str, Any]:
    printed = float(row["value"])
    metric = row["metric"]
    if metric == "count":
        return _counted(row, printed, items)
    ours = _find(row, row["condition"], cells)
    if ours is None:
        return _nothing("no scored answers of this model, language and condition")
    if metric == "accuracy":
        return _said(printed, ours)
    if metric == "f1":
        share = ours.value / 100
        return _said(printed, Ours(200 * share / (share + 1), None, None))
    if metric.startswith("delta vs "):
        other = _find(row, metric.removeprefix("delta vs "), cells)
        if other is None:
            return _nothing(f"no accuracy under {metric.removeprefix('delta vs ')}")
        return _said(printed, Ours(round(ours.value, 2) - round(other.value, 2), None, None))
    return _nothing(f"metric {metric!r} is not computed from accuracies")


def _find(row: Mapping[str, str], condition: str, cells: Mapping[Key, Ours]) -> Ours | None:
    place = (row["table"], row["model"], row["language"])
    return cells.get((*place, condition, row["category"])) or cells.get((*place, "", row["category"]))


def _counted(row: Mapping[str, str], printed: float, items: pl.DataFrame) -> dict[str, Any]:
    """Counts of items by answer type, of one language (or all where the row names none and the table is a total)."""
    form = "mcq" if row["table"].startswith("mcq") else "open"
    rows = items.filter(pl.col("format") == form)
    kind, _, part = row["category"].partition("/")
    if part and part != "Total":
        rows = rows.filter(pl.col("domain") == part)
        if rows.is_empty():
            return _nothing("the published items carry no subdomain")
    if kind in ("Numerical", "Symbolic", "Proof"):
        rows = rows.filter(pl.col("answer_type") == kind)
    elif row["category"] not in ("Overall", "Total", ""):
        return _nothing(f"no count of {row['category']!r} among the items")
    whole = row["table"].endswith("totals")
    ours = float(rows.height if whole else rows["source_id"].n_unique())
    return _said(printed, Ours(ours, None, None))


def _said(printed: float, ours: Ours) -> dict[str, Any]:
    if abs(printed - ours.value) <= HALF_STEP:
        verdict = EQUAL
    elif ours.low is not None and ours.high is not None and ours.low <= printed <= ours.high:
        verdict = WITHIN
    else:
        verdict = DIFFERS
    return {"ours": ours.value, "low": ours.low, "high": ours.high, "verdict": verdict, "why": None}


def _nothing(why: str) -> dict[str, Any]:
    return {"ours": None, "low": None, "high": None, "verdict": MISSING, "why": why}
