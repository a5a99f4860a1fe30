"""Cluster bootstrap of ratios: whole clusters are drawn with replacement, their rows stay together.

A ratio is Σ total / Σ rows over clusters: a rate, a mean, or a mean difference. All resamples of all cells that have the
same number of clusters share one matrix of draws, so a thousand cells cost little more than one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from covary.analysis.distributions import normal_cdf, normal_ppf
from covary.analysis.generator import generator
from covary.analysis.intervals import Floats, Interval

Kind = Literal["bootstrap-t", "bca"]
Scale = Literal["logit", "identity"]

RESAMPLES = 1999
DRAWS_AT_ONCE = 4_000_000


class Ratio(NamedTuple):
    """Ratios and their cluster-robust standard errors, one entry per cell."""

    value: Floats
    error: Floats


def ratio(total: Floats, rows: Floats) -> Ratio:
    """Ratio and linearised (sandwich) standard error with the m / (m − 1) factor, from matrices (clusters × cells)."""
    return from_moments(len(total), *(column.sum(axis=0) for column in _moments(total, rows)))


def from_moments(clusters: Floats | int, s: Floats, n: Floats, ss: Floats, sn: Floats, nn: Floats) -> Ratio:
    """The same from Σ total, Σ rows, Σ total², Σ total·rows, Σ rows². The error of a single cluster is NaN."""
    m = np.asarray(clusters, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = s / n
        squares = np.maximum(ss - 2 * value * sn + value**2 * nn, 0.0)
        squares = np.where(squares < 1e-12 * (ss + nn), 0.0, squares)  # rounding left by the cancellation above
        return Ratio(value, np.sqrt(np.where(m > 1, m / (m - 1), np.nan) * squares) / n)


def bootstrap(
    total: Floats,
    rows: Floats,
    *,
    kind: Kind = "bootstrap-t",
    scale: Scale = "identity",
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int | str = 0,
) -> Interval:
    """Bootstrap intervals of the ratios of matrices (clusters × cells).

    bootstrap-t: studentised by the standard error of each resample (Efron & Tibshirani 1993, §12.5), on the logit scale
    for rates. bca: bias-corrected and accelerated, the acceleration from the jackknife over clusters. A cell whose
    clusters all agree gets an interval without width: ask for another one there.
    """
    found = ratio(total, rows)
    moments = np.hstack(_moments(total, rows))
    drawn = [
        from_moments(len(total), *np.hsplit(drawn_counts @ moments, 5))
        for drawn_counts in weights(len(total), resamples, seed)
    ]
    values = np.vstack([part.value for part in drawn])
    if kind == "bca":
        return bca_ends(found.value, values, _jackknife(total, rows), confidence)
    return _studentised(found, Ratio(values, np.vstack([part.error for part in drawn])), scale, confidence)


def _moments(total: Floats, rows: Floats) -> list[Floats]:
    return [total, rows, total**2, total * rows, rows**2]


def weights(clusters: int, resamples: int, seed: int | str) -> Iterator[NDArray[np.float64]]:
    """How often each cluster is drawn: matrices (resamples × clusters), a few at a time to bound the memory."""
    draws = generator(seed, "cluster bootstrap", clusters, resamples)
    step = max(1, min(resamples, DRAWS_AT_ONCE // clusters))
    for first in range(0, resamples, step):
        yield _counts(draws, min(step, resamples - first), clusters)


def _counts(draws: np.random.Generator, resamples: int, clusters: int) -> NDArray[np.float64]:
    picked = draws.integers(clusters, size=(resamples, clusters)) + clusters * np.arange(resamples)[:, None]
    counts = np.bincount(picked.ravel(), minlength=resamples * clusters)
    return counts.reshape(resamples, clusters).astype(np.float64)


def _studentised(found: Ratio, drawn: Ratio, scale: Scale, confidence: float) -> Interval:
    with np.errstate(divide="ignore", invalid="ignore"):
        centre, error = _on_scale(found, scale)
        values, errors = _on_scale(drawn, scale)
        shift = values - centre
        t = np.where(shift == 0, 0.0, shift / errors)
        low_t, high_t = _order_statistics(t, (1 - confidence) / 2)
        low, high = centre - high_t * error, centre - low_t * error
        if scale == "logit":
            low, high = 1 / (1 + np.exp(-low)), 1 / (1 + np.exp(-high))
    flat = found.error == 0
    return Interval(np.where(flat, found.value, low), np.where(flat, found.value, high))


def _on_scale(ratios: Ratio, scale: Scale) -> Ratio:
    if scale == "identity":
        return ratios
    p = ratios.value
    inner = p * (1 - p)
    # A resample at 0 or 1 has an infinite logit: its t is infinite too, and counts as the most extreme one.
    return Ratio(np.log(p / (1 - p)), np.where(inner > 0, ratios.error / np.where(inner > 0, inner, 1.0), 1.0))


def _order_statistics(sample: Floats, tail: float) -> tuple[Floats, Floats]:
    """The tail's lower and upper order statistics of each column, taken outwards."""
    ordered = np.sort(np.nan_to_num(sample, nan=0.0, posinf=np.inf, neginf=-np.inf), axis=0)
    rank = max(int(np.floor(tail * (len(ordered) + 1))) - 1, 0)
    return ordered[rank], ordered[len(ordered) - 1 - rank]


def _jackknife(total: Floats, rows: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return (total.sum(axis=0) - total) / (rows.sum(axis=0) - rows)


def bca_ends(value: Floats, values: Floats, left_out: Floats, confidence: float) -> Interval:
    below = (values < value).mean(axis=0) + (values == value).mean(axis=0) / 2
    inside = np.clip(below, 0.5 / len(values), 1 - 0.5 / len(values))
    bias = normal_ppf(inside)
    away = left_out.mean(axis=0) - left_out
    with np.errstate(divide="ignore", invalid="ignore"):
        acceleration = np.nan_to_num((away**3).sum(axis=0) / (6 * (away**2).sum(axis=0) ** 1.5))
    ordered = np.sort(values, axis=0)

    def end(tail: float) -> Floats:
        z = bias + normal_ppf(tail)
        rank = normal_cdf(bias + z / (1 - acceleration * z)) * (len(values) - 1)
        return ordered[np.rint(rank).astype(np.int64), np.arange(values.shape[1])]

    return Interval(end((1 - confidence) / 2), end((1 + confidence) / 2))
