"""Confidence intervals of one proportion or mean, vectorised over cells.

Every function takes arrays (one entry per cell) and returns an Interval of two arrays. NaN in, NaN out; no cell raises.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from covary.analysis.distributions import beta_ppf, normal_ppf, t_ppf

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """Lower and upper ends, one entry per cell."""

    low: Floats
    high: Floats


def wilson(successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95) -> Interval:
    """Wilson's score interval for independent trials (Wilson 1927). Coverage is near nominal on average, not at each p."""
    x, n = floats(successes), floats(trials)
    z2 = normal_quantile(confidence) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (x + z2 / 2) / (n + z2)
        half = np.sqrt(z2 * (x * (n - x) / n + z2 / 4)) / (n + z2)
    low = np.where(x == 0, 0.0, centre - half)
    high = np.where(x == n, 1.0, centre + half)
    return Interval(_where_any(n, low), _where_any(n, high))


def clopper_pearson(successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95) -> Interval:
    """Exact interval for independent trials (Clopper & Pearson 1934): coverage is never below nominal.

    Fractional successes and trials are allowed, as `effective_exact` needs them.
    """
    x, n = floats(successes), floats(trials)
    tail = (1 - confidence) / 2
    with np.errstate(invalid="ignore"):
        low = np.where(x <= 0, 0.0, beta_ppf(tail, x, n - x + 1))
        high = np.where(x >= n, 1.0, beta_ppf(1 - tail, x + 1, n - x))
    return Interval(_where_any(n, low), _where_any(n, high))


def effective_exact(
    rate: ArrayLike,
    variance: ArrayLike,
    rows: ArrayLike,
    clusters: ArrayLike,
    confidence: float = 0.95,
    informative: ArrayLike | None = None,
) -> Interval:
    """Clopper–Pearson on the effective sample size rate·(1 − rate) / variance (Korn & Graubard 1998).

    For clustered rates with few clusters or few successes. `variance` is the cluster-robust one. The effective size never
    exceeds the rows; where the variance is 0 (all right or all wrong) it is the number of clusters: a cluster whose rows
    all agree is taken to hold one row's worth of evidence. With a single cluster nothing is known: [0, 1].

    `informative`: clusters that hold the rarer outcome. The variance is known only as well as these are many, so their
    number less one (at least 1) gives the degrees of freedom; by default all clusters do.
    """
    p, v, n, m = floats(rate), floats(variance), floats(rows), floats(clusters)
    with np.errstate(divide="ignore", invalid="ignore"):
        known = m if informative is None else np.maximum(floats(informative), 2)
        freedom = (t_quantile(n - 1, confidence) / t_quantile(known - 1, confidence)) ** 2
        size = np.where(v > 0, np.minimum(p * (1 - p) / np.where(v > 0, v, np.nan) * freedom, n), m)
    found = clopper_pearson(p * size, size, confidence)
    alone = m == 1
    return Interval(np.where(alone, 0.0, found.low), np.where(alone, 1.0, found.high))


def student(value: ArrayLike, error: ArrayLike, clusters: ArrayLike, confidence: float = 0.95) -> Interval:
    """value ± t·error with clusters − 1 degrees of freedom. NaN with fewer than two clusters."""
    centre, se = floats(value), floats(error)
    half = t_quantile(floats(clusters) - 1, confidence) * se
    return Interval(centre - half, centre + half)


def logit_student(rate: ArrayLike, error: ArrayLike, clusters: ArrayLike, confidence: float = 0.95) -> Interval:
    """Student's interval on the logit scale, so that the ends stay inside (0, 1). NaN at rate 0 or 1."""
    p, se = floats(rate), floats(error)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = np.log(p / (1 - p))
        half = t_quantile(floats(clusters) - 1, confidence) * se / (p * (1 - p))
        return Interval(1 / (1 + np.exp(half - centre)), 1 / (1 + np.exp(-half - centre)))


def normal_quantile(confidence: float) -> float:
    """The two-sided standard normal quantile, 1.96 for 0.95."""
    return float(normal_ppf(0.5 + confidence / 2))


def t_quantile(freedom: Floats, confidence: float) -> Floats:
    """The two-sided Student quantile; NaN for less than one degree of freedom."""
    return t_ppf(0.5 + confidence / 2, np.where(freedom >= 1, freedom, np.nan))


def floats(values: ArrayLike) -> Floats:
    """The values as an array of float64."""
    return np.asarray(values, dtype=np.float64)


def _where_any(trials: Floats, values: Floats) -> Floats:
    return np.where(trials > 0, values, np.nan)
