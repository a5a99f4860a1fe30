"""Tests and intervals of paired differences: exact McNemar, Tango's score interval, sign-flip permutation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from covary.analysis.distributions import binomial_cdf, normal_cdf
from covary.analysis.generator import generator
from covary.analysis.intervals import Floats, Interval, floats, normal_quantile

FLIPS = 9999  # drawn sign patterns where the exact distribution is out of reach
NOTHING = 1e-12  # a difference below this is rounding
FLIP_CLUSTERS = 1000  # with more clusters than this, off a lattice, the normal limit is used
LATTICE_STEPS = 240  # differences are looked for on lattices of 1/1 … 1/240
LATTICE_POINTS = 4_000_000
DRAWS_AT_ONCE = 2_000_000
SMALLEST_EXACT = 1e-12  # the transform's rounding; a smaller p is given as this


class Flip(NamedTuple):
    """A sign-flip test: its p, the smallest p that it could have given, and how p was found."""

    p_value: float
    smallest: float
    how: str


def mcnemar(only_a: ArrayLike, only_b: ArrayLike) -> Floats:
    """Two-sided exact p of McNemar's test, from the discordant counts (right only under a, only under b).

    >>> mcnemar([1, 0], [7, 0]).tolist()
    [0.0703125, 1.0]
    """
    b, c = floats(only_a), floats(only_b)
    return np.minimum(2 * binomial_cdf(np.minimum(b, c), b + c, 0.5), 1.0)


def smallest_p(discordant: ArrayLike) -> Floats:
    """The smallest two-sided p that a sign test of so many discordant pairs can reach: all of them on one side.

    >>> smallest_p([0, 5, 6]).tolist()
    [1.0, 0.0625, 0.03125]
    """
    return np.minimum(np.exp2(1 - floats(discordant)), 1.0)


def tango(only_a: ArrayLike, only_b: ArrayLike, pairs: ArrayLike, confidence: float = 0.95) -> Interval:
    """Score interval of a difference of paired proportions (Tango 1998), by bisection. NaN without pairs."""
    b, c, n = (np.atleast_1d(floats(values)) for values in (only_a, only_b, pairs))
    z = normal_quantile(confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (b - c) / n
        low = _root(b, c, n, np.full_like(centre, -1.0), centre, z)
        high = _root(b, c, n, centre, np.full_like(centre, 1.0), -z)
    return Interval(low, high)


def sign_flip(differences: Floats, *, seed: int | str = 0, flips: int = FLIPS) -> Flip:
    """Two-sided test that the clusters' differences are as likely to have either sign, by their sum.

    Exact over all 2^m patterns where the differences lie on a lattice (yes/no values and replicates do): the sum's
    distribution is the product of its characteristic functions, transformed back. Otherwise by drawn patterns, the
    observed one counted among them; with more than 1,000 clusters by the normal limit, whose tail is the heavier one.
    """
    return sign_flips([differences], seed=seed, flips=flips)[0]


def sign_flips(tests: Sequence[Floats], *, seed: int | str = 0, flips: int = FLIPS) -> list[Flip]:
    """`sign_flip` of several sets of differences; those with as many clusters as each other share their drawn patterns."""
    found = [_without_draws(differences) for differences in tests]
    sizes = {len(differences) for differences, flip in zip(tests, found, strict=True) if flip is None}
    for size in sorted(sizes):
        at = [i for i, flip in enumerate(found) if flip is None and len(tests[i]) == size]
        p_values = _drawn(np.column_stack([tests[i] for i in at]), seed, flips)
        for i, p_value in zip(at, p_values, strict=True):
            floor = max(float(smallest_p((np.abs(tests[i]) > NOTHING).sum())), 1 / (flips + 1))
            found[i] = Flip(float(p_value), floor, f"{flips} draws")
    return [flip for flip in found if flip is not None]


def _without_draws(differences: Floats) -> Flip | None:
    """The test where it needs no draws."""
    informative = differences[np.abs(differences) > NOTHING]
    if not informative.size:
        return Flip(1.0, 1.0, "exact")
    floor = float(smallest_p(informative.size))
    steps = _lattice(np.abs(informative))
    if steps:
        return Flip(max(_exact(informative * steps), floor), max(floor, SMALLEST_EXACT), "exact")
    if len(differences) <= FLIP_CLUSTERS:
        return None
    z = abs(informative.sum()) / np.sqrt((informative**2).sum())
    return Flip(float(2 * normal_cdf(-z)), floor, "normal")


def _root(b: Floats, c: Floats, n: Floats, low: Floats, high: Floats, target: float) -> Floats:
    """Where Tango's statistic, which falls in δ, passes the target."""
    for _ in range(60):
        middle = (low + high) / 2
        above = _tango_statistic(b, c, n, middle) > target
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return (low + high) / 2


def _tango_statistic(b: Floats, c: Floats, n: Floats, delta: Floats) -> Floats:
    linear = -b - c + (2 * n - b + c) * delta
    constant = -c * delta * (1 - delta)
    q = (np.sqrt(np.maximum(linear**2 - 8 * n * constant, 0.0)) - linear) / (4 * n)
    variance = np.maximum(n * (2 * q + delta * (1 - delta)), 0.0)
    distance = b - c - n * delta
    return np.where(distance == 0, 0.0, distance / np.sqrt(variance))


def _lattice(sizes: Floats) -> int:
    """The smallest number of steps per unit that makes all sizes whole; 0 where no small lattice holds them."""
    distinct = np.unique(np.round(sizes, 9))
    if len(distinct) > LATTICE_STEPS:
        return 0
    for steps in range(1, LATTICE_STEPS + 1):
        scaled = distinct * steps
        if np.abs(scaled - np.rint(scaled)).max() < 1e-7 * steps:
            return steps if sizes.sum() * steps <= LATTICE_POINTS else 0
    return 0


def _exact(differences: Floats) -> float:
    """The exact p for whole-number differences."""
    whole = np.rint(differences).astype(np.int64)
    sizes, counts = np.unique(np.abs(whole), return_counts=True)
    total = int((sizes * counts).sum())
    angles = 2 * np.pi * np.arange((total + 1) // 2 + 1) / (total + 1)
    transform = np.ones(len(angles), dtype=np.complex128)
    for size, count in zip(sizes, counts, strict=True):
        transform *= ((1 + np.exp(-1j * angles * size)) / 2) ** count
    positive = np.fft.irfft(transform, total + 1)  # chances of each sum of the sizes that fall on the positive side
    extreme = np.abs(2 * np.arange(total + 1) - total) >= abs(whole.sum())
    return float(min(max(positive[extreme].sum(), SMALLEST_EXACT), 1.0))


def _drawn(differences: Floats, seed: int | str, flips: int) -> Floats:
    """P values of a matrix of differences (clusters × tests)."""
    clusters = len(differences)
    draws = generator(seed, "sign flips", clusters, flips)
    total = differences.sum(axis=0)
    as_extreme, step = np.zeros(len(total)), max(1, DRAWS_AT_ONCE // clusters)
    for first in range(0, flips, step):
        positive = draws.integers(2, size=(min(step, flips - first), clusters), dtype=np.int8).astype(np.float64)
        as_extreme += (np.abs(2 * (positive @ differences) - total) >= np.abs(total) * (1 - 1e-9)).sum(axis=0)
    return (1 + as_extreme) / (flips + 1)
