"""Scores → the estimates that a study declares: its tables' cells and its contrasts."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import msgspec
import polars as pl

from covary import digest, schema
from covary.analysis import summaries
from covary.analysis.contrasts import estimate
from covary.analysis.pairing import Contrast
from covary.report.decided import decided
from covary.report.declared import OVERALL, Table

StandIns = Mapping[str, Sequence[str]]
"""Scorer → the scorers that stand in for it where it has no row, as declared in a study's `options.instead`."""


def table_estimates(frame: pl.DataFrame, table: Table, seed: int = 0, instead: StandIns | None = None) -> pl.DataFrame:
    """Estimates of every cell of a declared table, marginals included; name is the table's.

    `frame`: scores with factors (see scoring.factors). Cells without a row give no estimate.
    """
    rows = of_scorers(frame, (table.scorer, *table.also), table.select, instead)
    factors = [*table.rows, *table.columns]
    if rows.is_empty():
        return schema.ESTIMATES.empty()
    parts = [
        _marginal(rows, factors, dropped, table, seed)
        for size in range(len(table.overall) + 1)
        for dropped in itertools.combinations(table.overall, size)
    ]
    return pl.concat([part.select(list(schema.ESTIMATES.schema)) for part in parts])


def contrast_estimates(
    frame: pl.DataFrame,
    contrasts: Sequence[Contrast],
    scorer: str,
    denominator: str = "all",
    seed: int = 0,
    instead: StandIns | None = None,
) -> pl.DataFrame:
    """Estimates of contrasts on one scorer's values (columns of their own after those of schema.ESTIMATES, and the scorer)."""
    rows = of_scorers(frame, (scorer,), {}, instead)
    policy = "judged" if denominator == "judged" else "all"
    found = estimate(rows, contrasts, cluster="cluster", denominator=policy, seed=seed)
    return found.with_columns(scorer=pl.lit(scorer))


def of_scorers(
    frame: pl.DataFrame, scorers: Sequence[str], select: Mapping[str, Sequence[str]], instead: StandIns | None
) -> pl.DataFrame:
    """Rows of scorers, or of their stand-ins, in the cells (condition × model × language) that have a rate."""
    present = set(frame["scorer"].unique())
    names = [
        name for scorer in scorers for name in ([scorer] if scorer in present else (instead or {}).get(scorer, ()))
    ]
    rows = frame.filter(pl.col("scorer").is_in(names))
    for column, values in select.items():
        rows = rows.filter(pl.col(column).is_in(list(values)))
    return decided(rows, ["condition", "model", "language"])


def _marginal(rows: pl.DataFrame, factors: list[str], dropped: Sequence[str], table: Table, seed: int) -> pl.DataFrame:
    by = [factor for factor in factors if factor not in dropped]
    found = summaries.rate(rows, by, cluster="cluster", denominator=table.denominator, name=table.name, seed=seed)
    marks = dict.fromkeys(dropped, OVERALL)
    groups = [digest.canonical_json({**marks, **msgspec.json.decode(group)}).decode() for group in found["group"]]
    return found.with_columns(group=pl.Series(groups, dtype=pl.String))
