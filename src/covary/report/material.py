"""What sheets are made from, and estimates as columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from covary.analysis import summaries
from covary.report.decided import decided
from covary.report.declared import RATE_SCORERS_EXCLUDED


class Material(NamedTuple):
    """A study's tables: `frame` is scores with factors, of attempts that may be compared; `attempts` is the same with all that were
    made (None: no others); `usage()` gives one row per cell with tokens, status and latency, no
    texts; `options` are the study's."""

    frame: pl.DataFrame
    items: pl.DataFrame
    contrasts: pl.DataFrame
    options: Mapping[str, Any]
    usage: Callable[[], pl.DataFrame]
    seed: int = 0
    attempts: pl.DataFrame | None = None


def judged(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of scorers whose value is a rate, in the cells (scorer × condition × model × language) that have one."""
    rates = frame.filter(~pl.col("scorer").is_in(sorted(RATE_SCORERS_EXCLUDED)))
    return decided(rates, ["scorer", "condition", "model", "language"])


def rates(frame: pl.DataFrame, by: Sequence[str], seed: int = 0) -> pl.DataFrame:
    """One row per `by`: accuracy with its interval (nulls count as wrong), source items, and how many rows were not judged."""
    if frame.is_empty():
        return pl.DataFrame()
    found = opened(summaries.rate(frame, by, cluster="cluster", denominator="all", seed=seed), by)
    return found.select(
        *by, accuracy="value", low="low", high="high", source_items="n_items", not_judged="n_null"
    ).sort(by)


def opened(estimates: pl.DataFrame, factors: Sequence[str]) -> pl.DataFrame:
    """Estimates with their group's factors as columns, before the others."""
    shape = pl.Struct({factor: pl.String() for factor in factors})
    return estimates.with_columns(pl.col("group").str.json_decode(shape).alias("group")).unnest("group")
