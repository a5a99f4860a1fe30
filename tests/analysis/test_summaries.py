"""Rates, means and spread: denominators, methods, notes, invariances."""

import json

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from covary import schema
from covary.analysis import summaries
from covary.errors import DataError, UsageError


def scores(values, clusters=None, **factors):
    clusters = clusters or [f"s{i}" for i in range(len(values))]
    return pl.DataFrame({"source_id": clusters, "value": pl.Series(values, dtype=pl.Float64), **factors})


def clustered(clusters=60, size=4, seed=3):
    draws = np.random.default_rng(seed)
    chance = np.repeat(draws.random(clusters), size)
    values = (draws.random(clusters * size) < chance).astype(float)
    return scores(values.tolist(), [f"s{i:03d}" for i in np.repeat(np.arange(clusters), size)])


def test_denominator_all_counts_a_missing_value_as_zero():
    row = summaries.rate(scores([1, 1, None, 0]), denominator="all").row(0, named=True)
    assert (row["value"], row["n_rows"], row["n_excluded"], row["n_null"]) == (0.5, 4, 0, 1)


def test_denominator_judged_leaves_a_missing_value_out():
    row = summaries.rate(scores([1, 1, None, 0]), denominator="judged").row(0, named=True)
    assert row["value"] == pytest.approx(2 / 3)
    assert (row["n_rows"], row["n_excluded"]) == (3, 1)


def test_denominator_obeyed_keeps_rows_that_obeyed():
    frame = scores([1, 0, 1, None], obeyed=[True, False, None, True])
    row = summaries.rate(frame, denominator="obeyed").row(0, named=True)
    assert (row["value"], row["n_rows"], row["n_excluded"], row["denominator"]) == (1.0, 1, 1, "obeyed")


def test_a_group_without_a_value_is_null_and_says_why():
    found = summaries.rate(scores([1, None], model=["a", "b"]), ["model"], denominator="judged")
    row = found.row(1, named=True)
    assert json.loads(row["group"]) == {"model": "b"}
    assert (row["value"], row["low"], row["note"], row["n_items"]) == (None, None, "no row to use", 0)


def test_independent_yes_no_values_get_wilson():
    # Wilson of 3 in 10 by the textbook formula with z = 1.959964: centre 0.355505, half width 0.247717.
    row = summaries.rate(scores([1, 1, 1] + [0] * 7)).row(0, named=True)
    assert (row["low"], row["high"]) == pytest.approx((0.107789, 0.603222), abs=1e-5)
    assert row["method"] == "Wilson"


def test_exact_interval_on_request():
    row = summaries.rate(scores([0] * 20), method="clopper-pearson").row(0, named=True)
    assert row["high"] == pytest.approx(1 - 0.025**0.05)


def test_cluster_robust_error_equals_that_of_statsmodels():
    frame = clustered()
    codes = frame["source_id"].rank("dense").to_numpy()
    fit = sm.OLS(frame["value"].to_numpy(), np.ones(frame.height)).fit(
        cov_type="cluster", cov_kwds={"groups": codes}, use_t=True
    )
    row = summaries.mean(frame, method="cluster-robust").row(0, named=True)
    # statsmodels multiplies the variance by (n - 1)/(n - 1) · m/(m - 1) for one regressor, as we do.
    assert row["value"] == pytest.approx(fit.params[0])
    assert (row["low"], row["high"]) == pytest.approx(tuple(fit.conf_int()[0]), abs=1e-9)


def test_clustered_rows_get_the_studentised_bootstrap_near_the_robust_interval():
    auto = summaries.rate(clustered()).row(0, named=True)
    robust = summaries.rate(clustered(), method="cluster-robust").row(0, named=True)
    assert auto["method"] == "studentised cluster bootstrap"
    assert auto["low"] == pytest.approx(robust["low"], abs=0.02)
    assert auto["high"] == pytest.approx(robust["high"], abs=0.02)


def test_few_clusters_get_another_interval_and_a_warning():
    row = summaries.rate(clustered(clusters=10)).row(0, named=True)
    assert row["method"] == "Clopper-Pearson on effective size"
    assert row["note"].startswith("warning: only 10 clusters")


@pytest.mark.parametrize("method", ["auto", "bootstrap-t", "bca"])
def test_few_effective_successes_get_another_interval_and_a_warning_whatever_bootstrap_was_asked_for(method):
    values = [1.0] * 4 + [0.0] * 396
    row = summaries.rate(scores(values, [f"s{i // 4:03d}" for i in range(400)]), method=method).row(0, named=True)
    assert row["method"] == "Clopper-Pearson on effective size"
    assert "few effective successes" in row["note"]


def test_wilson_on_clustered_rows_warns():
    row = summaries.rate(clustered(), method="wilson").row(0, named=True)
    assert "too narrow" in row["note"]


def test_bca_on_request_holds_the_estimate():
    row = summaries.rate(clustered(), method="bca").row(0, named=True)
    assert row["low"] < row["value"] < row["high"]
    assert row["method"] == "BCa cluster bootstrap"


def test_population_and_sample_sd_are_both_there_and_named():
    # 0, 0, 1, 1: population variance 1/4, sample variance 1/3.
    found = summaries.spread(scores([0, 0, 1, 1]))
    values = dict(zip(found["name"], found["value"], strict=True))
    assert values == pytest.approx({"sd (population)": 0.5, "sd (sample)": (1 / 3) ** 0.5})


def test_sample_sd_of_one_row_is_undefined():
    assert summaries.spread(scores([1]))["value"].to_list() == [0.0, None]


def test_mean_of_large_values_keeps_its_small_error():
    # 10^6 ± 1: sample sd 1.0127 over 40 rows, error 0.1601, t(39) = 2.0227.
    values = [1e6 - 1, 1e6 + 1] * 20
    row = summaries.mean(scores(values), method="cluster-robust").row(0, named=True)
    assert row["high"] - row["value"] == pytest.approx(2.0227 * (40 / 39) ** 0.5 / 40**0.5, abs=1e-4)


def test_values_outside_the_unit_interval_are_no_rate():
    with pytest.raises(UsageError, match="use mean"):
        summaries.rate(scores([3, 4]))


def test_a_missing_column_is_named():
    with pytest.raises(DataError, match="expected a column 'modle', did you mean 'model'"):
        summaries.rate(scores([1], model=["a"]), ["modle"])


def test_an_unknown_method_and_denominator_are_named():
    with pytest.raises(UsageError, match="did you mean 'wilson'"):
        summaries.rate(scores([1]), method="wilsen")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown denominator 'every'"):
        summaries.rate(scores([1]), denominator="every")  # type: ignore[arg-type]


def test_no_row_at_all_gives_one_undefined_rate_or_no_group():
    empty = scores([]).with_columns(model=pl.Series([], dtype=pl.String))
    assert summaries.rate(empty)["value"].to_list() == [None]
    assert summaries.rate(empty, ["model"]).height == 0


def test_a_level_may_be_null():
    found = summaries.rate(scores([1, 0], culture=[None, "FR"]), ["culture"])
    assert [json.loads(group) for group in found["group"]] == [{"culture": "FR"}, {"culture": None}]
    assert found["value"].to_list() == [0.0, 1.0]


def test_the_result_is_an_estimates_frame():
    schema.ESTIMATES.check(summaries.rate(clustered()))


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(shuffler):
    frame = clustered(clusters=35, size=3).with_columns(model=pl.Series(["a", "b", "a"] * 35))
    order = list(range(frame.height))
    shuffler.shuffle(order)
    assert summaries.rate(frame[order], ["model"], resamples=99).equals(summaries.rate(frame, ["model"], resamples=99))


def test_another_seed_moves_the_bootstrap_a_little_and_the_same_seed_not_at_all():
    first, again, other = (summaries.rate(clustered(), seed=seed)["low"][0] for seed in (1, 1, 2))
    assert first == again != other
    assert first == pytest.approx(other, abs=0.02)
