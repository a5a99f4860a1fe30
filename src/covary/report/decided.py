"""Which cells have a rate at all: those of which something was judged, and nothing waits for a judge."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from covary.scoring.identification import NEEDS_JUDGE


def decided(frame: pl.DataFrame, cell: Sequence[str]) -> pl.DataFrame:
    """Rows of the cells (by `cell` columns) that have a rate.

    A cell of which nothing was judged (recorded runs without verdicts) has none: counting its nulls as wrong would print 0 % for
    what nobody looked at. Nor has one with answers of a rule that wait for a judge: by rules alone they could only be judged
    wrong. Of scorers that a judge has settled ("…+judge") what is still open is a null like others.
    """
    judged = pl.col("value").is_not_null().any().over(cell)
    if "reason" not in frame.columns:
        return frame.filter(judged)
    waits = (pl.col("reason") == NEEDS_JUDGE) & ~pl.col("scorer").str.ends_with("+judge")
    return frame.filter(judged & ~waits.any().over(cell))
