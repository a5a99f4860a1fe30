"""Agreement of raters: Cohen's kappa, Krippendorff's alpha, and a judge's sensitivity and specificity against labels.

kappa(frame, "judge", "human", by=["language"])      two columns of one frame
alpha(frame, "annotator", "item_id", "answer")       any number of raters, missing ones allowed
against_labels(frame, by=["language"])               columns `value` (judge) and `label` (human or rule), both 0 or 1
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import polars as pl

from covary.analysis import statistic, summaries
from covary.analysis.intervals import Floats
from covary.analysis.table import estimates
from covary.analysis.tally import group_labels, require

Level = Literal["nominal", "interval"]
FEW = 30


def kappa(
    frame: pl.DataFrame,
    first: str,
    second: str,
    by: Sequence[str] = (),
    *,
    cluster: str = "source_id",
    confidence: float = 0.95,
    seed: int | str = 0,
) -> pl.DataFrame:
    """Two estimates per group: "agreement", the share of rows on which two raters agree, and "kappa", Cohen's, which sets
    it against chance (1960). Rows that either rater left empty are left out. Kappa is null where both always say the same
    one thing: chance alone explains that. BCa bootstrap over clusters."""
    require(frame, [*by, first, second, cluster])
    return _per_group(frame, by, lambda part: _kappa(part, first, second, cluster, confidence, seed))


def alpha(
    frame: pl.DataFrame,
    rater: str,
    unit: str,
    value: str,
    by: Sequence[str] = (),
    *,
    level: Level = "nominal",
    confidence: float = 0.95,
    seed: int | str = 0,
) -> pl.DataFrame:
    """Krippendorff's alpha (2004): 1 is perfect, 0 is chance. One row per rater × unit; units with fewer than two values are
    left out. Null where all values are the same. BCa bootstrap over units."""
    require(frame, [*by, rater, unit, value])
    return _per_group(frame, by, lambda part: _alpha(part, unit, value, level, confidence, seed))


def against_labels(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    judged: str = "value",
    label: str = "label",
    cluster: str = "source_id",
    confidence: float = 0.95,
    seed: int | str = 0,
) -> pl.DataFrame:
    """A judge's "sensitivity" (right answers that it passes) and "specificity" (wrong answers that it fails), on the rows
    that have both a verdict and a label."""
    require(frame, [*by, judged, label, cluster])
    both = frame.drop_nulls([judged, label])
    sides = (
        ("sensitivity", both.filter(pl.col(label) == 1).with_columns(_right=pl.col(judged))),
        ("specificity", both.filter(pl.col(label) == 0).with_columns(_right=1 - pl.col(judged))),
    )
    parts = [
        summaries.rate(
            side, by, value="_right", cluster=cluster, denominator="judged", confidence=confidence, name=name, seed=seed
        )
        for name, side in sides
    ]
    return pl.concat(parts)


def cohen(sums: Floats) -> Floats:
    """Kappa from flattened square tables of counts, one a row."""
    size = int(np.sqrt(sums.shape[1]))
    table = sums.reshape(-1, size, size)
    n = table.sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = np.trace(table, axis1=1, axis2=2) / n
        expected = (table.sum(axis=1) * table.sum(axis=2)).sum(axis=1) / n**2
        return np.where(expected < 1 - 1e-12, (observed - expected) / (1 - expected), np.nan)


def agreeing(sums: Floats) -> Floats:
    """The diagonal's share of flattened square tables of counts."""
    size = int(np.sqrt(sums.shape[1]))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.trace(sums.reshape(-1, size, size), axis1=1, axis2=2) / sums.sum(axis=1)


def nominal_alpha(sums: Floats) -> Floats:
    """Alpha from (disagreement within units, counts of each value), one a row."""
    within, counts = sums[:, 0], sums[:, 1:]
    n = counts.sum(axis=1)
    expected = n**2 - (counts**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - (n - 1) * within / expected, np.nan)


def interval_alpha(sums: Floats) -> Floats:
    """Alpha from (squared distances within units, n, Σ value, Σ value²), one a row."""
    within, n, total, squares = sums.T
    expected = 2 * n * squares - 2 * total**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 1e-12 * np.abs(n * squares), 1 - (n - 1) * within / expected, np.nan)


def _kappa(
    part: pl.DataFrame, first: str, second: str, cluster: str, confidence: float, seed: int | str
) -> pl.DataFrame:
    both = part.drop_nulls([first, second])
    names = sorted({str(name) for column in (first, second) for name in both[column].unique().cast(pl.String)})
    number = {name: i for i, name in enumerate(names)}
    codes = [
        np.array([number[str(name)] for name in both[column].cast(pl.String)], dtype=np.int64)
        for column in (first, second)
    ]
    clusters = both[cluster].cast(pl.String).fill_null("").rank("dense").to_numpy().astype(np.int64) - 1
    cells = len(names) ** 2
    count = int(clusters.max()) + 1 if len(clusters) else 0
    flat = clusters * cells + codes[0] * len(names) + codes[1]
    parts = (
        np.bincount(flat, minlength=count * cells).reshape(count, cells).astype(np.float64)
        if count
        else np.zeros((0, 1))
    )
    found = [statistic.bca(parts, formula, confidence=confidence, seed=seed) for formula in (agreeing, cohen)]
    few = f"warning: only {count} clusters" if count < FEW else None
    reasons = [
        "no row that both rated",
        "undefined: both raters always give the same value" if count else "no row that both rated",
    ]
    return estimates(
        {
            "name": ["agreement", "kappa"],
            "value": np.array([f.value for f in found]),
            "low": np.array([f.low for f in found]),
            "high": np.array([f.high for f in found]),
            "confidence": confidence,
            "n_items": count,
            "n_rows": both.height,
            "n_excluded": part.height - both.height,
            "denominator": "judged",
            "method": "BCa cluster bootstrap",
            "note": [few if np.isfinite(f.value) else reason for f, reason in zip(found, reasons, strict=True)],
        },
        2,
    )


def _alpha(part: pl.DataFrame, unit: str, value: str, level: Level, confidence: float, seed: int | str) -> pl.DataFrame:
    rated = part.drop_nulls(value).filter(pl.len().over(unit) > 1).sort(unit)
    parts = (_nominal_parts if level == "nominal" else _interval_parts)(rated, unit, value)
    formula = nominal_alpha if level == "nominal" else interval_alpha
    found = statistic.bca(parts, formula, confidence=confidence, seed=seed)
    few = f"warning: only {len(parts)} units" if len(parts) < FEW else None
    return estimates(
        {
            "name": "alpha",
            "value": np.array([found.value]),
            "low": np.array([found.low]),
            "high": np.array([found.high]),
            "confidence": confidence,
            "n_items": len(parts),
            "n_rows": rated.height,
            "n_excluded": part.height - rated.height,
            "denominator": "judged",
            "method": f"BCa bootstrap over units, {level} distance",
            "note": few if np.isfinite(found.value) else "undefined: all values are the same, or no unit has two",
        },
        1,
    )


def _nominal_parts(rated: pl.DataFrame, unit: str, value: str) -> Floats:
    counts = (
        rated.group_by(unit, value).len().pivot(on=value, index=unit, values="len").fill_null(0).sort(unit).drop(unit)
    )
    table = counts.to_numpy().astype(np.float64)
    n = table.sum(axis=1)
    within = (n**2 - (table**2).sum(axis=1)) / np.maximum(n - 1, 1)
    return np.column_stack([within, table])


def _interval_parts(rated: pl.DataFrame, unit: str, value: str) -> Floats:
    v = pl.col(value).cast(pl.Float64)
    sums = rated.group_by(unit).agg(n=pl.len(), total=v.sum(), squares=(v**2).sum()).sort(unit)
    n, total, squares = (sums[name].to_numpy().astype(np.float64) for name in ("n", "total", "squares"))
    return np.column_stack([2 * (n * squares - total**2) / np.maximum(n - 1, 1), n, total, squares])


def _per_group(frame: pl.DataFrame, by: Sequence[str], make: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
    if not by:
        return make(frame)
    parts = frame.sort(by, nulls_last=True).partition_by(list(by), maintain_order=True)
    labels = [group_labels(part.select(by).head(1))[0] for part in parts]
    return pl.concat(make(part).with_columns(group=pl.lit(label)) for part, label in zip(parts, labels, strict=True))
