"""Rates corrected for a judge's errors, from a sample that people (or rules) have labelled as well.

    rogan_gladen(scores, by=["language"])         from the judge's sensitivity and specificity
    prediction_powered(scores, by=["language"])   from the labels themselves, with the judge's verdicts to lend power

Both take every judged row (`value`: 0 or 1) with `label` (0 or 1) where it was labelled, null elsewhere. The labelled rows must
be drawn at random, within each group that is corrected: a sample of the doubtful ones corrects nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from covary.analysis.intervals import Floats, normal_quantile, t_quantile
from covary.analysis.table import estimates
from covary.analysis.tally import group_labels, require

FEW = 30
USELESS = (
    "the judge tells right from wrong no better than chance (sensitivity + specificity ≤ 1): nothing can be corrected"
)
NO_LABELS = "no labelled right answer or no labelled wrong one: the judge's errors are unknown"


class Corrected(NamedTuple):
    """A corrected rate, the ends of its interval, and the reason where it is NaN."""

    value: float
    low: float
    high: float
    note: str | None = None


class Rows(NamedTuple):
    """One group's rows: verdict, label (NaN: unlabelled), and cluster number from 0."""

    judged: Floats
    label: Floats
    cluster: np.ndarray


def rogan_gladen(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    judged: str = "value",
    label: str = "label",
    cluster: str = "source_id",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Estimates (q + sp − 1) / (se + sp − 1), cut to [0, 1], for the judge's rate q over all rows and its sensitivity se
    and specificity sp on the labelled ones (Rogan & Gladen 1978); interval of Lang & Reiczigel (2014).

    Rows of one cluster count as their effective number. Extra columns: raw (the judge's own rate), n_labelled.
    """
    return _corrected(frame, by, judged, label, cluster, confidence, "Rogan-Gladen", _rogan_gladen)


def prediction_powered(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    judged: str = "value",
    label: str = "label",
    cluster: str = "source_id",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Estimates λ·(mean verdict of unlabelled rows) + mean(label − λ·verdict) over labelled ones, cut to [0, 1], with λ
    chosen for the least variance (Angelopoulos, Duchi & Zrnic 2023). Unbiased whatever the judge is worth: with a useless one λ is
    near 0 and only the labels count. Cluster-robust interval. Extra columns: raw, n_labelled."""
    return _corrected(frame, by, judged, label, cluster, confidence, "prediction-powered", _prediction_powered)


def lang_reiczigel(
    q: float, n: float, se: float, n_se: float, sp: float, n_sp: float, confidence: float = 0.95
) -> Corrected:
    """A true rate from an apparent one (q of n), a sensitivity (of n_se) and a specificity (of n_sp)."""
    if se + sp <= 1:
        return Corrected(np.nan, np.nan, np.nan, USELESS)
    z2 = normal_quantile(confidence) ** 2
    q1, n1 = (n * q + z2 / 2) / (n + z2), n + z2
    se1, sp1 = (n_se * se + 1) / (n_se + 2), (n_sp * sp + 1) / (n_sp + 2)
    if se1 + sp1 <= 1:
        return Corrected(np.nan, np.nan, np.nan, USELESS)
    p = min(max((q1 + sp1 - 1) / (se1 + sp1 - 1), 0.0), 1.0)
    var_se, var_sp = se1 * (1 - se1) / (n_se + 2), sp1 * (1 - sp1) / (n_sp + 2)
    shift = 2 * z2 * (p * var_se - (1 - p) * var_sp)
    error = np.sqrt(q1 * (1 - q1) / n1 + p**2 * var_se + (1 - p) ** 2 * var_sp) / (se1 + sp1 - 1)
    half = np.sqrt(z2) * error
    value = (q + sp - 1) / (se + sp - 1)
    low, high = float(np.clip(p + shift - half, 0, 1)), float(np.clip(p + shift + half, 0, 1))
    value = min(max(value, 0.0), 1.0)
    return Corrected(value, min(low, value), max(high, value))


def _rogan_gladen(rows: Rows, confidence: float) -> Corrected:
    right, wrong = rows.label == 1, rows.label == 0
    if not right.any() or not wrong.any():
        return Corrected(np.nan, np.nan, np.nan, NO_LABELS)
    q, n = _effective(rows.judged, rows.cluster)
    se, n_se = _effective(rows.judged[right], rows.cluster[right])
    sp, n_sp = _effective(1 - rows.judged[wrong], rows.cluster[wrong])
    return lang_reiczigel(q, n, se, n_se, sp, n_sp, confidence)


def _prediction_powered(rows: Rows, confidence: float) -> Corrected:
    known = np.isfinite(rows.label)
    n, rest = int(known.sum()), int((~known).sum())
    if n < 2:
        return Corrected(np.nan, np.nan, np.nan, "fewer than two labelled rows")
    y, f = rows.label[known], rows.judged[known]
    weight = _weight(y, f, rows.judged, n, rest)
    other = rows.judged[~known]
    shifted = y - weight * f
    value = shifted.mean() + (weight * other.mean() if rest else 0.0)
    influence = np.zeros(len(rows.judged))
    influence[known] = (shifted - shifted.mean()) / n
    if rest:
        influence[~known] = weight * (other - other.mean()) / rest
    sums = np.bincount(rows.cluster, weights=influence)
    labelled = len(np.unique(rows.cluster[known]))
    if labelled < 2:
        return Corrected(float(np.clip(value, 0, 1)), np.nan, np.nan, "a single labelled cluster: no interval")
    error = np.sqrt(labelled / (labelled - 1) * (sums**2).sum())
    half = float(t_quantile(np.array([labelled - 1.0]), confidence)[0] * error)
    value, low, high = (float(end) for end in np.clip([value, value - half, value + half], 0, 1))
    return Corrected(value, low, high)


def _weight(y: Floats, f: Floats, everything: Floats, n: int, rest: int) -> float:
    """λ: how far the verdicts are trusted, between 0 and 1."""
    spread = everything.var()
    if not rest or spread == 0:
        return 0.0
    return float(np.clip(np.cov(y, f)[0, 1] / ((1 + n / rest) * spread), 0, 1))


def _effective(values: Floats, cluster: np.ndarray) -> tuple[float, float]:
    """The mean of yes/no values and their effective number: p(1 − p) over the cluster-robust variance, at most the rows."""
    p, n = float(values.mean()), len(values)
    _, number = np.unique(cluster, return_inverse=True)
    sums = np.bincount(number, weights=values - p)
    m = len(sums)
    if m == n or m < 2 or not (sums**2).any():
        return p, float(m)
    variance = m / (m - 1) * (sums**2).sum() / n**2
    return p, float(min(p * (1 - p) / variance, n))


def _corrected(
    frame: pl.DataFrame,
    by: Sequence[str],
    judged: str,
    label: str,
    cluster: str,
    confidence: float,
    name: str,
    correct: Callable[[Rows, float], Corrected],
) -> pl.DataFrame:
    require(frame, [*by, judged, label, cluster])
    parts = frame.sort(by, nulls_last=True).partition_by(list(by), maintain_order=True) if by else [frame]
    rows = [_rows(part, judged, label, cluster) for part in parts]
    found = [
        correct(row, confidence) if len(row.judged) else Corrected(np.nan, np.nan, np.nan, "no row to use")
        for row in rows
    ]
    labelled = [int(np.isfinite(row.label).sum()) for row in rows]
    few = [f"warning: only {count} labelled rows" if count < FEW else None for count in labelled]
    return estimates(
        {
            "name": f"corrected rate ({name})",
            "group": [group_labels(part.select(by).head(1))[0] for part in parts] if by else "{}",
            "value": np.array([f.value for f in found]),
            "low": np.array([f.low for f in found]),
            "high": np.array([f.high for f in found]),
            "confidence": confidence,
            "n_items": [len(np.unique(row.cluster)) for row in rows],
            "n_rows": [len(row.judged) for row in rows],
            "n_excluded": [part.height - len(row.judged) for part, row in zip(parts, rows, strict=True)],
            "denominator": "judged",
            "method": "Lang-Reiczigel" if name == "Rogan-Gladen" else "cluster-robust t, tuned",
            "note": [f.note or warning for f, warning in zip(found, few, strict=True)],
            "raw": np.array([float(row.judged.mean()) if len(row.judged) else np.nan for row in rows]),
            "n_labelled": labelled,
        },
        len(parts),
    )


def _rows(part: pl.DataFrame, judged: str, label: str, cluster: str) -> Rows:
    used = part.drop_nulls(judged).sort(cluster, judged, label)
    return Rows(
        used[judged].cast(pl.Float64).to_numpy(),
        used[label].cast(pl.Float64).fill_null(float("nan")).to_numpy(),
        used[cluster].cast(pl.String).fill_null("").rank("dense").to_numpy().astype(np.int64) - 1,
    )
