"""P values adjusted within a family of tests; a missing one stays missing and isn't counted."""

from __future__ import annotations

import numpy as np

from covary.analysis.intervals import Floats


def holm(p: Floats) -> Floats:
    """Holm's step-down adjustment (Holm 1979): controls the chance of any false finding, whatever the dependence."""
    order, ordered = _ordered(p)
    steps = np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1))
    return _placed(p, order, np.minimum(steps, 1.0))


def benjamini_hochberg(p: Floats) -> Floats:
    """Benjamini–Hochberg step-up adjustment (1995): controls the expected share of false findings among the findings."""
    order, ordered = _ordered(p)
    ranks = np.arange(1, len(ordered) + 1)
    steps = np.minimum.accumulate((ordered * len(ordered) / ranks)[::-1])[::-1]
    return _placed(p, order, np.minimum(steps, 1.0))


def _ordered(p: Floats) -> tuple[np.ndarray, Floats]:
    order = np.argsort(p, kind="stable")[: int(np.isfinite(p).sum())]  # NaN sorts last
    return order, p[order]


def _placed(p: Floats, order: np.ndarray, adjusted: Floats) -> Floats:
    placed = np.full(len(p), np.nan)
    placed[order] = adjusted
    return placed
