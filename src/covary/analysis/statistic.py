"""BCa cluster bootstrap of any statistic of sums over clusters: F1, d′, kappa, alpha."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from covary.analysis import resample
from covary.analysis.intervals import Floats

Statistic = Callable[[Floats], Floats]
"""From sums (any number of rows × parts) to one value per row; NaN where undefined."""


class Found(NamedTuple):
    """A value and the ends of its interval."""

    value: float
    low: float
    high: float


def bca(
    parts: Floats,
    statistic: Statistic,
    *,
    confidence: float = 0.95,
    resamples: int = resample.RESAMPLES,
    seed: int | str = 0,
) -> Found:
    """The statistic of the parts' sums (parts: clusters × parts) with its BCa interval (Efron 1987).

    Resamples in which the statistic is undefined are left out. NaN ends with fewer than two clusters, or where fewer than
    half of the resamples are defined.
    """
    value = float(statistic(parts.sum(axis=0, keepdims=True))[0]) if len(parts) else np.nan
    if len(parts) < 2 or not np.isfinite(value):
        return Found(value, np.nan, np.nan)
    drawn = np.concatenate([statistic(weights @ parts) for weights in resample.weights(len(parts), resamples, seed)])
    drawn = drawn[np.isfinite(drawn)]
    if len(drawn) < resamples / 2:
        return Found(value, np.nan, np.nan)
    left_out = statistic(parts.sum(axis=0) - parts)
    left_out = np.where(np.isfinite(left_out), left_out, value)
    ends = resample.bca_ends(np.array([value]), drawn[:, None], left_out[:, None], confidence)
    return Found(value, float(ends.low[0]), float(ends.high[0]))
