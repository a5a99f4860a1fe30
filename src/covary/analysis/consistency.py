"""How far the variants of one source item stand or fall together.

    across(scores, "language", by=["model"])

Four estimates per combination of `by` levels: "all right" and "all wrong" (share of source items), "flips" (share with both
right and wrong answers), and "agreement" (chance that two variants drawn at random are both right or both wrong).
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from covary.analysis import summaries
from covary.analysis.tally import Denominator, require, select

MEASURES = ("all right", "all wrong", "flips", "agreement")


def across(
    frame: pl.DataFrame,
    over: str,
    by: Sequence[str] = (),
    *,
    blocked_by: Sequence[str] = (),
    value: str = "value",
    cluster: str = "source_id",
    denominator: Denominator = "all",
    confidence: float = 0.95,
    seed: int | str = 0,
) -> pl.DataFrame:
    """Estimates of the four measures. A unit is a cluster × levels of `blocked_by`; it needs a value at every level of
    `over` that its group has, else it is left out and counted in n_excluded. Replicates are averaged for "agreement", and
    each must be right (wrong) for "all right" ("all wrong"). n_rows counts units."""
    require(frame, [over, *by, *blocked_by, value, cluster])
    unit = [*by, cluster, *blocked_by]
    p, level_count = pl.col("p"), pl.len().cast(pl.Float64)
    levels = (
        select(frame.lazy(), value, denominator)
        .drop_nulls("value")
        .group_by([*unit, over])
        .agg(p=pl.col("value").mean(), low=pl.col("value").min(), high=pl.col("value").max())
    )
    pairs = level_count * (level_count - 1)
    both_right = p.sum() ** 2 - (p**2).sum()
    both_wrong = (1 - p).sum() ** 2 - ((1 - p) ** 2).sum()
    units = (
        levels.group_by(unit)
        .agg(
            pl.len().alias("present"),
            (pl.col("low") == 1).all().cast(pl.Float64).alias("all right"),
            (pl.col("high") == 0).all().cast(pl.Float64).alias("all wrong"),
            (1.0 - ((pl.col("low") == 1).all() | (pl.col("high") == 0).all()).cast(pl.Float64)).alias("flips"),
            ((both_right + both_wrong) / pairs).alias("agreement"),
        )
        .collect()
    )
    wanted = levels.group_by([*by, over]).agg().group_by(list(by) or pl.lit(0)).agg(wanted=pl.len()).collect()
    units = (
        units.join(wanted, on=list(by), how="left", nulls_equal=True)
        if by
        else units.with_columns(wanted=pl.lit(wanted["wanted"].sum()))
    )
    complete = pl.col("present") == pl.col("wanted")
    parts = [
        summaries.rate(
            units.with_columns(pl.when(complete).then(pl.col(measure).fill_nan(None)).alias("value")),
            by,
            cluster=cluster,
            denominator="judged",
            confidence=confidence,
            name=measure,
            seed=seed,
        )
        for measure in MEASURES
    ]
    return pl.concat(parts).with_columns(denominator=pl.lit(denominator))
