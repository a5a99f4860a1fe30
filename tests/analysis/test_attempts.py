"""Pass@k: the unbiased estimator, and attempts that stop at the first success."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covary.analysis import attempts
from covary.errors import DataError, UsageError


def tries(outcomes, model="m"):
    rows = [(f"s{i}", f"s{i}", model, r, v) for i, item in enumerate(outcomes) for r, v in enumerate(item)]
    return pl.DataFrame(
        rows,
        schema={
            "source_id": pl.String,
            "item_id": pl.String,
            "model": pl.String,
            "replicate": pl.Int32,
            "value": pl.Float64,
        },
        orient="row",
    )


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([0.0, 1.0]), min_size=4, max_size=4), min_size=1, max_size=5), st.integers(1, 4)
)
def test_pass_at_k_is_the_share_of_subsets_with_a_success(outcomes, k):
    expected = np.mean([np.mean([max(chosen) for chosen in combinations(item, k)]) for item in outcomes])
    assert attempts.pass_at_k(tries(outcomes), [k])["value"][0] == pytest.approx(expected)


def test_one_attempt_is_the_plain_rate_with_wilson():
    row = attempts.pass_at_k(tries([[1], [0], [0], [1]]), [1]).row(0, named=True)
    assert (row["name"], row["value"], row["method"]) == ("pass@1", 0.5, "Wilson")


def test_an_item_with_too_few_attempts_is_left_out_and_counted():
    row = attempts.pass_at_k(tries([[1, 1, 0], [0, 0, 0], [0]]), [2], stopped="never").row(0, named=True)
    # First item: 1 - C(1,2)/C(3,2) = 1; second 0.
    assert (row["value"], row["n_excluded"]) == (0.5, 1)
    assert "1 items have fewer than 2 attempts" in row["note"]


def test_attempts_that_stop_at_the_first_success_are_counted_within_k():
    # Solved at attempt 1, at attempt 3, never in 4. Pass@1 = 1/3, pass@2 = 1/3, pass@3 = 2/3.
    found = attempts.pass_at_k(tries([[1], [0, 0, 1], [0, 0, 0, 0]]), [1, 2, 3])
    assert found["value"].to_list() == pytest.approx([1 / 3, 1 / 3, 2 / 3])
    assert found["note"].str.contains("stop at the first success").all()
    assert found["n_excluded"].to_list() == [0, 0, 0]


def test_the_naive_estimator_on_stopped_attempts_would_be_biased():
    draws = np.random.default_rng(2)
    stopped = [next(([0.0] * i + [1.0] for i in range(4) if draws.random() < 0.3), [0.0] * 4) for _ in range(4000)]
    ours = attempts.pass_at_k(tries(stopped), [1])["value"][0]
    naive = attempts.pass_at_k(tries(stopped), [1], stopped="never")["value"][0]
    assert ours == pytest.approx(0.3, abs=0.03)  # four standard errors
    assert naive > 0.4  # E[c/n] = 0.3 (1 + .7/2 + .49/3 + .343/4) = 0.48


def test_groups_are_told_apart_when_stopping_is_detected():
    frame = pl.concat([tries([[1], [0, 1]], "stopped"), tries([[1, 0], [0, 1]], "full")])
    found = attempts.pass_at_k(frame, [1], ["model"])
    assert found["value"].to_list() == [0.5, 0.5]
    assert found["note"].str.contains("stop at the first success").to_list() == [False, True]


def test_missing_values_fail_under_all_and_vanish_under_judged():
    frame = tries([[None, 1], [0, 0]])
    assert attempts.pass_at_k(frame, [1])["value"][0] == pytest.approx(0.25)
    assert attempts.pass_at_k(frame, [1], denominator="judged", stopped="never")["value"][0] == pytest.approx(0.5)


def test_graded_values_and_senseless_k_are_refused():
    with pytest.raises(UsageError, match="0 or 1"):
        attempts.pass_at_k(tries([[0.5]]), [1])
    with pytest.raises(UsageError, match="at least 1"):
        attempts.pass_at_k(tries([[1]]), [0])
    with pytest.raises(DataError, match="replicate"):
        attempts.pass_at_k(tries([[1]]).drop("replicate"), [1])
