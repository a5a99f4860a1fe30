"""Attempts that stop at the first success: which attempt comes next, which were never asked, and what stays comparable.

Where attempts stop, their number depends on what they bring: hard items get many and easy ones few, so that a mean over
attempts is too low, and the estimator of pass@k from n attempts too high. Unbiased are the first attempts alone, and whether an
item is solved within its first k. A stop rule maps conditions to the scorer whose 1 ends a cell's attempts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl

CELL = ["item_id", "condition", "model"]
NOT_YET = "no response yet"  # the reason that scoring gives
STOPPED = "stopped: an earlier attempt was right"
FIRST_ONLY = (
    "attempts stop at the first success: rates and contrasts are of first attempts, pass@k of items solved within k"
)

StopRule = Mapping[str, str]


def chain(links: pl.DataFrame, conditions: Collection[str]) -> pl.DataFrame:
    """The links of these conditions that have a request, with `next_id`: the request of the cell's next attempt (null: none)."""
    asked = links.filter(pl.col("condition").is_in(list(conditions)) & pl.col("request_id").is_not_null())
    return asked.sort("replicate", maintain_order=True).with_columns(next_id=pl.col("request_id").shift(-1).over(CELL))


def firsts(links: pl.DataFrame, conditions: Collection[str]) -> pl.DataFrame:
    """The links to ask before anything is known: all but the later attempts of these conditions."""
    first = pl.col("replicate") == pl.col("replicate").min().over(CELL)
    return links.filter(first | ~pl.col("condition").is_in(list(conditions)))


def next_ids(answered: pl.DataFrame, scores: pl.DataFrame) -> pl.Series:
    """The requests to ask after these rows of a chain were answered: the next attempts of those that aren't right."""
    right = scores.filter(pl.col("value") == 1.0)
    wrong = answered.join(right, on=[*CELL, "replicate"], how="anti", maintain_order="left")
    return wrong["next_id"].drop_nulls().unique(maintain_order=True)


def marked(scores: pl.DataFrame, rule: StopRule) -> pl.DataFrame:
    """Scores in which attempts that the rule left out say so: their reason is STOPPED in place of NOT_YET, or again NOT_YET
    where another rule had left them out."""
    stops = pl.col("condition").replace_strict(dict(rule), default=None, return_dtype=pl.String)
    solved = (
        scores.filter((pl.col("scorer") == stops) & (pl.col("value") == 1.0))
        .group_by(CELL)
        .agg(_solved_at=pl.col("replicate").min())
    )
    joined = scores.join(solved, on=CELL, how="left", maintain_order="left")
    missing = pl.col("reason").is_in([NOT_YET, STOPPED])
    late = (pl.col("replicate") > pl.col("_solved_at")).fill_null(value=False)
    reason = pl.when(missing).then(pl.when(late).then(pl.lit(STOPPED)).otherwise(pl.lit(NOT_YET)))
    return joined.with_columns(reason=reason.otherwise(pl.col("reason"))).drop("_solved_at")


def asked(scores: pl.DataFrame, rule: StopRule) -> pl.DataFrame:
    """Scores without the attempts that were left out, and with `stops`: whether the row's attempts stop at the first success."""
    return scores.filter(pl.col("reason") != STOPPED).with_columns(stops=pl.col("condition").is_in(list(rule)))


def comparable(scores: pl.DataFrame) -> pl.DataFrame:
    """Of `asked` scores what rates and contrasts may use: of cells whose attempts stop, the first attempt only."""
    return scores.filter(~pl.col("stops") | (pl.col("replicate") == 0))


def left_out(scores: pl.DataFrame) -> int:
    """How many attempts were left out."""
    return scores.filter(pl.col("reason") == STOPPED).select(pl.struct(*CELL, "replicate").n_unique()).item()
