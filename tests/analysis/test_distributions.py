"""Quantiles and tails against scipy.stats, over the range that intervals and tests ask for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from covary.analysis import distributions

SHARES = np.array([1e-9, 1e-6, 0.0001, 0.005, 0.025, 0.1, 0.5, 0.9, 0.975, 0.995, 0.9999, 1 - 1e-9])


def test_the_normal_quantile_and_tail_are_those_of_scipy_stats() -> None:
    assert distributions.normal_ppf(SHARES) == pytest.approx(stats.norm.ppf(SHARES), rel=1e-12)
    z = np.linspace(-12, 12, 97)
    assert distributions.normal_cdf(z) == pytest.approx(stats.norm.cdf(z), rel=1e-12)


@pytest.mark.parametrize("freedom", [1, 2, 5.5, 29, 131, 1e4])
def test_students_quantile_is_that_of_scipy_stats(freedom: float) -> None:
    assert distributions.t_ppf(SHARES, freedom) == pytest.approx(stats.t.ppf(SHARES, freedom), rel=1e-8, abs=1e-9)


@pytest.mark.parametrize(("a", "b"), [(0.3, 12.7), (1, 1), (1, 1000), (57.5, 943.5), (999, 2)])
def test_the_beta_quantile_is_that_of_scipy_stats(a: float, b: float) -> None:
    assert distributions.beta_ppf(SHARES, a, b) == pytest.approx(stats.beta.ppf(SHARES, a, b), rel=1e-9)


def test_no_beta_quantile_without_positive_shapes() -> None:
    assert np.isnan(distributions.beta_ppf(0.5, 0.0, 3.0))


@pytest.mark.parametrize("trials", [0, 1, 7, 132, 5000])
@pytest.mark.parametrize("chance", [0.02, 0.5, 0.93])
def test_binomial_tails_points_and_quantiles_are_those_of_scipy_stats(trials: int, chance: float) -> None:
    k = np.unique(np.linspace(0, trials, 60).astype(int))
    assert distributions.binomial_cdf(k, trials, chance) == pytest.approx(stats.binom.cdf(k, trials, chance), rel=1e-9)
    assert distributions.binomial_pmf(k, trials, chance) == pytest.approx(stats.binom.pmf(k, trials, chance), rel=1e-7)
    if trials:
        found = distributions.binomial_ppf(SHARES, np.full(SHARES.shape, trials), chance)
        assert found.tolist() == stats.binom.ppf(SHARES, trials, chance).tolist()
