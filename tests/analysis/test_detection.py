"""Detection of faulty solutions, with and without clean controls."""

import polars as pl
import pytest
from scipy import stats

from covary.analysis import detection


def verdicts(hits, misses, alarms, rejections):
    values = [1.0] * hits + [0.0] * misses + [0.0] * alarms + [1.0] * rejections
    faulty = [True] * (hits + misses) + [False] * (alarms + rejections)
    return pl.DataFrame({"source_id": [f"s{i}" for i in range(len(values))], "faulty": faulty, "value": values})


def measured(frame, **options):
    return {row["name"]: row for row in detection.measures(frame, **options).iter_rows(named=True)}


def test_with_clean_controls_all_measures_by_hand():
    found = measured(verdicts(30, 10, 5, 35))
    assert found["sensitivity"]["value"] == 0.75
    assert found["specificity"]["value"] == 0.875
    assert found["balanced accuracy"]["value"] == pytest.approx(0.8125)
    assert found["precision"]["value"] == pytest.approx(30 / 35)
    assert found["F1"]["value"] == pytest.approx(60 / 75)
    assert found["d-prime"]["value"] == pytest.approx(stats.norm.ppf(30.5 / 41) - stats.norm.ppf(5.5 / 41))
    assert found["F1"]["note"] is None
    assert all(row["low"] < row["value"] < row["high"] for row in found.values())


def test_without_clean_controls_f1_says_that_it_is_a_function_of_accuracy():
    found = measured(verdicts(30, 10, 0, 0))
    assert found["F1"]["value"] == pytest.approx(2 * 0.75 / 1.75)
    assert "a function of the accuracy a alone" in found["F1"]["note"]
    for name in ("specificity", "balanced accuracy", "d-prime", "precision"):
        assert found[name]["value"] is None
        assert found[name]["note"] == "no clean solution was shown"


def test_without_faulty_items_nothing_is_said_of_finding_them():
    found = measured(verdicts(0, 0, 5, 35))
    assert found["sensitivity"]["note"] == found["F1"]["note"] == "no faulty solution was shown"
    assert found["specificity"]["value"] == 0.875


def test_d_prime_of_a_perfect_detector_is_finite():
    assert measured(verdicts(20, 0, 0, 20))["d-prime"]["value"] == pytest.approx(2 * stats.norm.ppf(20.5 / 21))


def test_a_missing_verdict_is_wrong_under_all_and_left_out_under_judged():
    frame = verdicts(3, 1, 0, 4).with_columns(value=pl.when(pl.int_range(pl.len()) == 0).then(None).otherwise("value"))
    assert measured(frame)["sensitivity"]["value"] == 0.5
    assert measured(frame)["F1"]["value"] == pytest.approx(2 * 2 / (2 * 2 + 0 + 2))
    assert measured(frame, denominator="judged")["sensitivity"]["value"] == pytest.approx(2 / 3)
    assert measured(frame, denominator="judged")["F1"]["n_excluded"] == 1


def test_every_group_has_every_measure():
    frame = pl.concat([
        verdicts(30, 10, 5, 35).with_columns(model=pl.lit("x")),
        verdicts(30, 10, 0, 0).with_columns(model=pl.lit("y")),
    ])  # fmt: skip
    found = detection.measures(frame, ["model"])
    assert found.height == 12
    assert found["group"].n_unique() == 2
