"""Quantiles and tails of the distributions that intervals and tests need, from scipy's special functions.

scipy.stats has them too, and takes half a second longer to load: the tests hold these against it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]
ROUNDING = 1e-12


def normal_ppf(share: ArrayLike) -> Floats:
    """The standard normal's quantile."""
    return np.asarray(special.ndtri(share), dtype=np.float64)


def normal_cdf(z: ArrayLike) -> Floats:
    """How much of the standard normal lies below."""
    return np.asarray(special.ndtr(z), dtype=np.float64)


def beta_ppf(share: ArrayLike, a: ArrayLike, b: ArrayLike) -> Floats:
    """The beta distribution's quantile; NaN where a or b isn't positive."""
    return np.asarray(special.betaincinv(a, b, share), dtype=np.float64)


def t_ppf(share: ArrayLike, freedom: ArrayLike) -> Floats:
    """Student's quantile."""
    return np.asarray(special.stdtrit(freedom, share), dtype=np.float64)


def binomial_cdf(successes: ArrayLike, trials: ArrayLike, chance: ArrayLike) -> Floats:
    """P(X ≤ successes) of `trials` draws."""
    k, n = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.int64)
    return np.asarray(special.bdtr(k, n, chance), dtype=np.float64)


def binomial_pmf(successes: ArrayLike, trials: ArrayLike, chance: float) -> Floats:
    """P(X = successes) of `trials` draws."""
    k, n = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    ways = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return np.exp(ways + special.xlogy(k, chance) + special.xlog1py(n - k, -chance))


def binomial_ppf(share: ArrayLike, trials: ArrayLike, chance: float) -> Floats:
    """The smallest k with P(X ≤ k) ≥ share."""
    n, wanted = np.asarray(trials, dtype=np.int64), np.asarray(share, dtype=np.float64)
    above = np.clip(np.ceil(special.bdtrik(wanted, n, chance)), 0, n)
    below = np.maximum(above - 1, 0)
    reached = binomial_cdf(below, n, chance) >= wanted * (1 - ROUNDING)
    return np.where(reached, below, above)
