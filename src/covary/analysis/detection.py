"""Finding faulty solutions: what a model's yes/no verdicts are worth, with and without clean solutions beside them.

    measures(scores, by=["model"])        scores of faulty and clean items, told apart by the column `faulty`

Six estimates per group: sensitivity, specificity, balanced accuracy, d′, precision, F1. Without clean items only sensitivity
and F1 are defined, and F1 says nothing of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from covary.analysis import statistic, summaries
from covary.analysis.distributions import normal_ppf
from covary.analysis.intervals import Floats
from covary.analysis.table import estimates
from covary.analysis.tally import Denominator, group_labels, require, select

F1_NOTE = "no clean solution was shown: F1 is 2a/(1 + a), a function of the accuracy a alone, and says nothing about false alarms"
NO_CLEAN = "no clean solution was shown"
NO_FAULTY = "no faulty solution was shown"
FEW = 30


class Measure(NamedTuple):
    """A name, and the formula from sums of (hits, misses, false alarms, correct rejections)."""

    name: str
    formula: statistic.Statistic


def measures(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    faulty: str = "faulty",
    value: str = "value",
    cluster: str = "source_id",
    denominator: Denominator = "all",
    confidence: float = 0.95,
    seed: int | str = 0,
) -> pl.DataFrame:
    """Estimates from scores whose value is 1 where the verdict is right: "faulty" for a faulty item, "clean" for a clean
    one. A missing verdict counts as wrong under "all". `faulty` is a boolean column.

    Sensitivity and specificity have the interval of a rate; the others the BCa bootstrap over clusters.
    """
    require(frame, [*by, faulty, value, cluster])
    split = frame.with_columns(pl.col(faulty).cast(pl.Boolean).alias(faulty))
    rates = [
        _side(
            split,
            split.filter(pl.col(faulty) == of_faulty),
            by,
            name,
            missing,
            value,
            cluster,
            denominator,
            confidence,
            seed,
        )
        for name, of_faulty, missing in (("sensitivity", True, NO_FAULTY), ("specificity", False, NO_CLEAN))
    ]
    counts = _counts(split, by, faulty, value, cluster, denominator)
    combined = [_combined(levels, part, by, denominator, confidence, seed) for levels, part in counts]
    return pl.concat([*rates, *combined], how="diagonal")


def balanced_accuracy(sums: Floats) -> Floats:
    """The mean of sensitivity and specificity; 0.5 is chance."""
    hits, misses, alarms, rejections = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        return (hits / (hits + misses) + rejections / (alarms + rejections)) / 2


def d_prime(sums: Floats) -> Floats:
    """z(hit rate) − z(false-alarm rate), each rate with the log-linear correction (count + ½) / (n + 1) (Hautus 1995)."""
    hits, misses, alarms, rejections = sums.T
    faulty, clean = hits + misses, alarms + rejections
    found = normal_ppf((hits + 0.5) / (faulty + 1)) - normal_ppf((alarms + 0.5) / (clean + 1))
    return np.where((faulty > 0) & (clean > 0), found, np.nan)


def precision(sums: Floats) -> Floats:
    """The share of "faulty" verdicts that are right. It depends on the mixture of faulty and clean items shown."""
    hits, _, alarms, rejections = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(alarms + rejections > 0, hits / (hits + alarms), np.nan)


def f1(sums: Floats) -> Floats:
    """2 hits / (2 hits + false alarms + misses)."""
    hits, misses, alarms, _ = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(hits + misses > 0, 2 * hits / (2 * hits + alarms + misses), np.nan)


COMBINED = (
    Measure("balanced accuracy", balanced_accuracy),
    Measure("d-prime", d_prime),
    Measure("precision", precision),
    Measure("F1", f1),
)


def _side(
    whole: pl.DataFrame,
    side: pl.DataFrame,
    by: Sequence[str],
    name: str,
    missing: str,
    value: str,
    cluster: str,
    denominator: Denominator,
    confidence: float,
    seed: int | str,
) -> pl.DataFrame:
    """One rate; a group of the whole frame that this side lacks keeps a row with a null and the reason."""
    found = summaries.rate(
        side, by, value=value, cluster=cluster, denominator=denominator, confidence=confidence, name=name, seed=seed
    )
    groups = group_labels(whole.select(by).unique().sort(by, nulls_last=True)) if by else ["{}"]
    absent = [group for group in groups if group not in set(found.filter(pl.col("n_rows") > 0)["group"])]
    rest = estimates(
        {"name": name, "group": absent, "n_items": 0, "n_rows": 0, "denominator": denominator, "note": missing},
        len(absent),
    )
    return pl.concat([found.filter(~pl.col("group").is_in(absent)), rest], how="diagonal")


def _counts(
    frame: pl.DataFrame, by: Sequence[str], faulty: str, value: str, cluster: str, denominator: Denominator
) -> list[tuple[dict[str, object], pl.DataFrame]]:
    right, of_faulty = pl.col("value"), pl.col(faulty)
    counts = (
        select(frame.lazy(), value, denominator)
        .group_by([*by, cluster])
        .agg(
            hits=right.filter(of_faulty).sum(),
            misses=(1 - right.filter(of_faulty)).sum(),
            alarms=(1 - right.filter(~of_faulty)).sum(),
            rejections=right.filter(~of_faulty).sum(),
            rows=right.count(),
            excluded=pl.col("excluded").sum(),
        )
        .sort(*by, cluster)
        .collect()
    )
    parts = counts.partition_by(list(by), as_dict=True, maintain_order=True) if by else {(): counts}
    return [(dict(zip(by, levels, strict=True)), part) for levels, part in parts.items()]


def _combined(
    levels: dict[str, object],
    part: pl.DataFrame,
    by: Sequence[str],
    denominator: Denominator,
    confidence: float,
    seed: int | str,
) -> pl.DataFrame:
    sums = part.select("hits", "misses", "alarms", "rejections").to_numpy().astype(np.float64)
    no_faulty, no_clean = sums[:, :2].sum() == 0, sums[:, 2:].sum() == 0
    used = part.filter(pl.col("rows") > 0).height
    found = [statistic.bca(sums, measure.formula, confidence=confidence, seed=seed) for measure in COMBINED]
    few = f"warning: only {used} clusters" if used < FEW else None
    usual = NO_FAULTY if no_faulty else NO_CLEAN if no_clean else few
    notes = [F1_NOTE if no_clean and not no_faulty and measure.name == "F1" else usual for measure in COMBINED]
    return estimates(
        {
            "name": [measure.name for measure in COMBINED],
            "group": group_labels(pl.DataFrame([levels]))[0] if by else "{}",
            "value": np.array([f.value for f in found]),
            "low": np.array([f.low for f in found]),
            "high": np.array([f.high for f in found]),
            "confidence": confidence,
            "n_items": used,
            "n_rows": int(part["rows"].sum()),
            "n_excluded": int(part["excluded"].sum()),
            "denominator": denominator,
            "method": "BCa cluster bootstrap",
            "note": notes,
        },
        len(COMBINED),
    )
