"""Printed values beside ours, cell by cell: equal, within our interval, differs, or not computable and why.

A published file is CSV: table, model, language, condition, category, metric, value. Metrics: accuracy; "delta vs CONDITION"
(difference of the two rounded accuracies); f1 (of identification without clean controls: 2a / (a + 1), a function of the
accuracy a); mean and sd (over languages; "all-7" names how many); count and share (of items); count, proportion_percent and
proportion_of_mixed_percent of table language-composition. Per cent unless the metric is a count.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from statistics import fmean, pstdev, stdev
from typing import Any, NamedTuple

import msgspec
import polars as pl

from covary.errors import DataError
from covary.report.declared import OVERALL

COLUMNS = ("table", "model", "language", "condition", "category", "metric", "value")
EQUAL, WITHIN, DIFFERS, MISSING = "equal", "within interval", "differs", "not computable"
HALF_STEP = 0.0051
"""Half of the last printed decimal of a percentage with two, and a little for values printed at a tie."""
HALF_STEP_ONE = 0.051
"""The same for one printed decimal."""
COMPOSITION = "language-composition"
CODES = {
    "Bangla": "bn",
    "English": "en",
    "Chinese": "zh",
    "Cyrillic": "ru",
    "Greek": "el",
    "Arabic": "ar",
    "Korean": "ko",
    "Japanese": "ja",
    "Thai": "th",
}
"""Names of printed tables of language composition as ISO codes; Cyrillic, a script there, is Russian to our scorer."""
FORMATS = {"Across 7 Languages": "open", "MCQs (BN and EN)": "mcq", "Perturbed Solutions (BN and EN)": "solution"}
"""Printed totals of all forms, as the items' format."""

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


def compare(
    rows: list[dict[str, str]],
    estimates: pl.DataFrame,
    items: pl.DataFrame,
    composed: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """One row per printed value: the file's columns, then ours, low, high, verdict, why. `composed`: the sheet of language
    composition (model, condition, language, part, found, n, share, of)."""
    cells = _cells(estimates)
    found: list[dict[str, Any]] = []
    for row in rows:
        told = _composition(row, composed) if row["table"] == COMPOSITION else _verdict(row, cells, items)
        found.append({**{name: row[name] for name in COLUMNS}, **told})
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
    if metric in ("count", "share"):
        return _counted(row, printed, items)
    if metric in ("mean", "sd"):
        return _over_languages(row, printed, cells)
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


def _over_languages(row: Mapping[str, str], printed: float, cells: Mapping[Key, Ours]) -> dict[str, Any]:
    """Mean or standard deviation over languages; of the sd, population and sample form are both tried and named."""
    ours = [
        cell.value
        for (table, model, language, _, category), cell in cells.items()
        if (table, model, category) == (row["table"], row["model"], OVERALL) and language
    ]
    wanted = row["language"].removeprefix("all-")
    if len(ours) < 2:
        return _nothing("no accuracies of this model in several languages")
    mean, population, sample = fmean(ours), pstdev(ours), stdev(ours)
    if wanted.isdigit() and len(ours) != int(wanted):
        shown = f"mean {mean:.1f}, population sd {population:.1f}, sample sd {sample:.1f}"
        return _nothing(f"printed over {wanted} languages, scored in {len(ours)}; over those: {shown}")
    if row["metric"] == "mean":
        return _said(printed, Ours(mean, None, None), HALF_STEP_ONE)
    name, sd = min((("population", population), ("sample", sample)), key=lambda form: abs(form[1] - printed))
    return {**_said(printed, Ours(sd, None, None), HALF_STEP_ONE), "why": f"{name} sd"}


def _composition(row: Mapping[str, str], composed: pl.DataFrame | None) -> dict[str, Any]:
    """Counts and proportions of single languages, mixed traces and combinations. Ours are by our own policy of what counts as
    present, so that small differences are no error of either side."""
    place = (pl.col(name) == row[name] for name in ("model", "condition", "language"))
    rows = pl.DataFrame() if composed is None or composed.is_empty() else composed.filter(*place)
    if rows.is_empty():
        return _nothing("no traces with text of this model, language and condition")
    part, name = composition_key(row["category"])
    counts = dict(rows.filter(pl.col("part") == part).select("found", "n").iter_rows())
    mixed = rows.filter((pl.col("part") == "language") & (pl.col("found") == "mixed"))["n"].sum()
    count = float(counts.get(name, 0))
    whole = {"proportion_percent": rows["of"].max(), "proportion_of_mixed_percent": mixed}.get(row["metric"])
    if row["metric"] == "count":
        return _said(float(row["value"]), Ours(count, None, None))
    if not whole:
        return _nothing("no mixed trace")
    return _said(float(row["value"]), Ours(100 * count / float(str(whole)), None, None), HALF_STEP_ONE)


def composition_key(category: str) -> tuple[str, str]:
    """A printed label as (part, codes).

    >>> composition_key("mixed:English+Bangla"), composition_key("Mixed")
    (('combination', 'bn+en'), ('language', 'mixed'))
    """
    part, _, listed = category.rpartition(":")
    codes = "+".join(sorted(CODES.get(word, word.lower()) for word in listed.split("+")))
    return ("combination" if part else "language"), codes


def _counted(row: Mapping[str, str], printed: float, items: pl.DataFrame) -> dict[str, Any]:
    """Counts of items by answer type, of one language (or all where the row names none and the table is a total)."""
    category = row["category"]
    form = FORMATS.get(category, "mcq" if row["table"].startswith("mcq") else "open")
    rows = items.filter(pl.col("format") == form)
    whole = rows.height
    kind, _, part = category.partition("/")
    if part and part != "Total":
        rows = rows.filter(pl.col("domain") == part)
        if rows.is_empty():
            return _nothing("the published items carry no subdomain")
    if kind in ("Numerical", "Symbolic", "Proof"):
        rows = rows.filter(pl.col("answer_type") == kind)
    elif category not in ("Overall", "Total", "", "Total per Language", *FORMATS):
        return _nothing(f"no count of {category!r} among the items")
    if form == "solution":
        return _nothing(f"{rows.height} perturbed solutions are published")
    if row["metric"] == "share":
        return _said(printed, Ours(100 * rows.height / whole, None, None)) if whole else _nothing("no items")
    every_form = row["table"].endswith("totals") or category in FORMATS
    return _said(printed, Ours(float(rows.height if every_form else rows["source_id"].n_unique()), None, None))


def _said(printed: float, ours: Ours, tolerance: float = HALF_STEP) -> dict[str, Any]:
    if abs(printed - ours.value) <= tolerance:
        verdict = EQUAL
    elif ours.low is not None and ours.high is not None and ours.low <= printed <= ours.high:
        verdict = WITHIN
    else:
        verdict = DIFFERS
    return {"ours": ours.value, "low": ours.low, "high": ours.high, "verdict": verdict, "why": None}


def _nothing(why: str) -> dict[str, Any]:
    return {"ours": None, "low": None, "high": None, "verdict": MISSING, "why": why}
