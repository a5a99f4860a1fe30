"""Pass@k: the chance that at least one of k attempts is right.

    pass_at_k(scores, [1, 4], by=["model"])

Grain of an attempt: a replicate of item × condition × model. Grain of the result: one row per k × combination of `by` levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import polars as pl

from covary.analysis import summaries
from covary.analysis.tally import Denominator, require, select
from covary.errors import UsageError

Stopped = Literal["detect", "never", "first success"]
CELL = ("item_id", "condition", "model", "scorer")
STOPPED_NOTE = "attempts stop at the first success: pass@k counts items solved within k attempts"


def pass_at_k(
    frame: pl.DataFrame,
    ks: Sequence[int],
    by: Sequence[str] = (),
    *,
    value: str = "value",
    cluster: str = "source_id",
    denominator: Denominator = "all",
    stopped: Stopped = "detect",
    confidence: float = 0.95,
    seed: int | str = 0,
) -> pl.DataFrame:
    """Estimates "pass@k", the mean over items of 1 − C(n − c, k) / C(n, k) for c right of n attempts, which is unbiased for
    k ≤ n (Chen et al. 2021, eq. 1). An item with fewer than k attempts is left out and counted in n_excluded.

    Where attempts stop at the first success, n depends on the outcome and that estimator is biased. Then pass@k is the
    share of items solved within their first k attempts, which is unbiased for k up to the most attempts allowed. "detect"
    takes a group as stopped where its column `stops` (see analysis.stopping) says so; without that column, when some items
    have fewer attempts than others, and no item has an attempt after a success. n_rows counts items × condition × model.
    """
    if not ks or min(ks) < 1:
        raise UsageError(f"pass@k: expected every k to be at least 1, found {list(ks)}")
    items = _items(frame, by, value, cluster, denominator)
    parts = [_at(items, k, by, cluster, denominator, stopped, confidence, seed) for k in ks]
    return pl.concat(parts)


def _items(frame: pl.DataFrame, by: Sequence[str], value: str, cluster: str, denominator: Denominator) -> pl.DataFrame:
    """Attempts n, successes c and attempts up to and including the first success, per item × condition × model."""
    require(frame, [*by, value, cluster, "replicate"])
    cell = list(dict.fromkeys([*by, cluster, *(column for column in CELL if column in frame.columns)]))
    told = pl.col("stops") if "stops" in frame.columns else pl.lit(None, dtype=pl.Boolean)
    chosen = (
        select(frame.lazy(), value, denominator).select(*cell, "replicate", "value", stops=told).drop_nulls("value")
    )
    items = (
        chosen.sort("replicate")
        .group_by(cell)
        .agg(
            n=pl.len().cast(pl.Int64),
            c=pl.col("value").sum(),
            first=(pl.col("value") == 1).arg_max().cast(pl.Int64) + 1,
            plain=pl.col("value").is_in([0.0, 1.0]).all(),
            stops=pl.col("stops").any(ignore_nulls=False),
        )
        .collect()
    )
    if not items["plain"].all():
        raise UsageError("pass@k: expected every value to be 0 or 1; give a threshold first, or use mean()")
    return items.with_columns(pl.col("c").cast(pl.Int64))


def _at(
    items: pl.DataFrame,
    k: int,
    by: Sequence[str],
    cluster: str,
    denominator: Denominator,
    stopped: Stopped,
    confidence: float,
    seed: int | str,
) -> pl.DataFrame:
    solved = pl.col("c") > 0
    runs_to_success = ~solved | (pl.col("first") == pl.col("n"))
    uneven = pl.col("n").min() < pl.col("n").max()
    seen = runs_to_success.all() & uneven & solved.any()
    detected = pl.coalesce(_over(pl.col("stops").any(ignore_nulls=False), by), _over(seen, by))
    early = {"detect": detected, "never": pl.lit(value=False), "first success": pl.lit(value=True)}[stopped]
    within = pl.when(solved).then((pl.col("first") <= k).cast(pl.Float64)).when(pl.col("n") >= k).then(0.0)
    missed = pl.lit(1.0)
    for taken in range(k):
        missed = missed * (pl.col("n") - pl.col("c") - taken).clip(0) / (pl.col("n") - taken)
    unbiased = pl.when(pl.col("n") >= k).then(1.0 - missed)
    marked = items.with_columns(early=early).with_columns(value=pl.when("early").then(within).otherwise(unbiased))
    estimated = summaries.rate(
        marked, by, cluster=cluster, denominator="judged", confidence=confidence, name=f"pass@{k}", seed=seed
    )
    early_groups = summaries.rate(marked.with_columns(value=pl.col("early").cast(pl.Float64)), by, cluster=cluster)
    notes = [
        _note(row, early == 1.0, k)
        for row, early in zip(estimated.iter_rows(named=True), early_groups["value"], strict=True)
    ]
    return estimated.with_columns(pl.Series("note", notes, dtype=pl.String), denominator=pl.lit(denominator))


def _over(expression: pl.Expr, by: Sequence[str]) -> pl.Expr:
    return expression.over(by) if by else expression


def _note(row: dict[str, object], early: bool, k: int) -> str | None:
    notes = [str(row["note"])] if row["note"] else []
    if early:
        notes.append(STOPPED_NOTE)
    if row["n_excluded"]:
        notes.append(f"{row['n_excluded']} items have fewer than {k} attempts and are left out")
    return "; ".join(notes) or None
