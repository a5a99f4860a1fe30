"""Intervals against named references and hand-derived ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from covary.analysis import intervals


@pytest.mark.parametrize("method, ours", [("wilson", intervals.wilson), ("beta", intervals.clopper_pearson)])
@pytest.mark.parametrize("x, n", [(0, 10), (1, 10), (5, 10), (10, 10), (3, 1445), (700, 1445)])
def test_intervals_equal_those_of_statsmodels(method, ours, x, n):
    low, high = ours([x], [n])
    assert (low[0], high[0]) == pytest.approx(proportion_confint(x, n, 0.05, method), abs=1e-12)


def test_clopper_pearson_of_no_success_has_the_closed_form():
    # P(X = 0) = (1 - p)^n = 0.025 at the upper end, so p = 1 - 0.025^(1/n).
    assert intervals.clopper_pearson([0], [20]).high[0] == pytest.approx(1 - 0.025 ** (1 / 20))


def test_no_trial_gives_no_interval():
    assert np.isnan(intervals.wilson([0], [0])).all()
    assert np.isnan(intervals.clopper_pearson([0], [0])).all()


def test_effective_exact_of_independent_rows_is_clopper_pearson():
    # One row per cluster: the cluster-robust variance is p(1 - p)/(n - 1), slightly more than p(1 - p)/n, so the effective
    # size is n - 1 = 39 with the t factor (t39/t39)^2 = 1.
    p, n = 0.25, 40
    found = intervals.effective_exact([p], [p * (1 - p) / (n - 1)], [n], [n])
    expected = intervals.clopper_pearson([p * 39], [39])
    assert found.low[0] == pytest.approx(expected.low[0])
    assert found.high[0] == pytest.approx(expected.high[0])


def test_effective_exact_counts_clusters_where_all_rows_agree():
    found = intervals.effective_exact([1.0], [0.0], [100], [10])
    assert found.low[0] == pytest.approx(intervals.clopper_pearson([10], [10]).low[0])


def test_effective_exact_is_wider_where_few_clusters_hold_the_rarer_outcome():
    # 100 rows, 50 clusters, variance of 25 effective rows; t(99) = 1.9842, t(4) = 2.7764: size 25 · (1.9842/2.7764)² = 12.768.
    variance = 0.1 * 0.9 / 25
    found = intervals.effective_exact([0.1], [variance], [100], [50], informative=[5])
    expected = intervals.clopper_pearson([1.2768], [12.768])
    assert found.high[0] == pytest.approx(expected.high[0], abs=1e-4)
    assert found.high[0] > intervals.effective_exact([0.1], [variance], [100], [50]).high[0]


def test_effective_exact_of_one_cluster_knows_nothing():
    found = intervals.effective_exact([0.5], [np.nan], [10], [1])
    assert (found.low[0], found.high[0]) == (0, 1)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_intervals_hold_the_estimate_and_mirror(pair):
    x, n = pair
    for make in (intervals.wilson, intervals.clopper_pearson):
        low, high = make([x, n - x], [n, n])
        assert 0 <= low[0] <= x / n <= high[0] <= 1
        assert low[0] == pytest.approx(1 - high[1], abs=1e-9)


def test_student_interval_of_two_clusters_uses_one_degree_of_freedom():
    # t(0.975; 1) = 12.7062
    found = intervals.student([0.0], [1.0], [2])
    assert found.high[0] == pytest.approx(12.7062, abs=1e-4)


def test_logit_student_stays_inside_the_unit_interval():
    found = intervals.logit_student([0.99], [0.05], [40])
    assert 0 < found.low[0] < 0.99 < found.high[0] < 1
