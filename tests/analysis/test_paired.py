"""Paired tests against hand counts, brute force and named references."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar

from covary.analysis import paired


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_equals_statsmodels_exact(b, c):
    assert paired.mcnemar([b], [c])[0] == pytest.approx(
        reference_mcnemar([[5, b], [c, 5]], exact=True).pvalue, abs=1e-12
    )


def test_tango_equals_the_published_interval():
    # Fagerland, Lydersen & Laake (2014), airway hyper-responsiveness: 1 and 7 discordant of 21 pairs, (-0.517, -0.026).
    low, high = paired.tango([1], [7], [21])
    assert (low[0], high[0]) == pytest.approx((-0.517, -0.026), abs=5e-4)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.integers(0, n), st.just(n))))
def test_tango_is_antisymmetric_and_holds_the_difference(counts):
    b, c, n = counts
    if b + c > n:
        b, c = n - c, n - b
    there, back = paired.tango([b], [c], [n]), paired.tango([c], [b], [n])
    assert there.low[0] == pytest.approx(-back.high[0], abs=1e-9)
    assert there.low[0] - 1e-9 <= (b - c) / n <= there.high[0] + 1e-9
    assert -1 <= there.low[0] <= there.high[0] <= 1


def test_tango_without_discordance_is_the_score_bound():
    # b = c = 0: |T| = n d / sqrt(n d (1 - d)) = z gives d = z²/(n + z²).
    z2 = stats.norm.ppf(0.975) ** 2
    low, high = paired.tango([0], [0], [20])
    assert (low[0], high[0]) == pytest.approx((-z2 / (20 + z2), z2 / (20 + z2)), abs=1e-9)


@given(st.lists(st.sampled_from([-1.0, -0.5, -1 / 3, 0.0, 0.25, 0.5, 1.0, 2.0]), min_size=1, max_size=9))
def test_sign_flip_equals_the_enumeration(differences):
    d = np.array(differences)
    sums = np.array([np.dot(signs, d) for signs in itertools.product((-1, 1), repeat=len(d))])
    expected = (np.abs(sums) >= abs(d.sum()) - 1e-9).mean()
    found = paired.sign_flip(d)
    assert found.p_value == pytest.approx(expected, abs=1e-9)
    assert found.how == "exact"
    assert found.p_value >= found.smallest - 1e-12


@given(st.integers(0, 30), st.integers(0, 30))
def test_sign_flip_of_unit_differences_is_mcnemar(b, c):
    differences = np.array([1.0] * b + [-1.0] * c + [0.0] * 3)
    assert paired.sign_flip(differences).p_value == pytest.approx(paired.mcnemar([b], [c])[0], abs=1e-9)


def test_sign_flip_off_the_lattice_agrees_with_scipy():
    draws = np.random.default_rng(5)
    d = draws.normal(0.3, 1, 40)
    reference = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=20_000, rng=draws).pvalue
    found = paired.sign_flip(d)
    assert found.how == "9999 draws"
    assert found.p_value == pytest.approx(reference, abs=0.015)  # three standard errors of both


def test_sign_flip_of_many_off_lattice_differences_uses_the_normal_limit():
    d = np.random.default_rng(6).normal(0.05, 1, 3000)
    z = abs(d.sum()) / np.sqrt((d**2).sum())
    assert paired.sign_flip(d).p_value == pytest.approx(2 * stats.norm.sf(z))


def test_no_difference_at_all_is_p_one():
    assert paired.sign_flip(np.zeros(5)) == (1.0, 1.0, "exact")


def test_the_smallest_p_needs_six_discordant_pairs_for_five_per_cent():
    assert paired.smallest_p([5])[0] > 0.05 > paired.smallest_p([6])[0]
