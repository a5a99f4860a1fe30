"""Rates corrected for a judge's errors: formulas by hand, coverage by simulation."""

import numpy as np
import polars as pl
import pytest

from covary.analysis import correction


def judged(n, rate, sensitivity, specificity, labelled, seed, groups=1):
    """`groups` data sets of n answers each, with a judge of known quality and a random labelled part."""
    draws = np.random.default_rng(seed)
    truth = draws.random((groups, n)) < rate
    verdict = np.where(truth, draws.random((groups, n)) < sensitivity, draws.random((groups, n)) >= specificity)
    label = np.where(np.arange(n) < labelled, truth.astype(float), np.nan)
    return pl.DataFrame({
        "source_id": np.tile(np.arange(n), groups), "data": np.repeat(np.arange(groups), n),
        "value": verdict.ravel().astype(float), "label": pl.Series(label.ravel()).fill_nan(None),
    })  # fmt: skip


def test_rogan_gladen_by_hand():
    # (0.3 + 0.9 - 1) / (0.8 + 0.9 - 1) = 0.2 / 0.7
    found = correction.lang_reiczigel(0.3, 1000, 0.8, 200, 0.9, 200)
    assert found.value == pytest.approx(2 / 7)
    assert found.low < found.value < found.high


def test_a_judge_no_better_than_chance_corrects_nothing():
    found = correction.lang_reiczigel(0.3, 1000, 0.5, 200, 0.5, 200)
    assert np.isnan(found.value)
    assert "no better than chance" in found.note


def test_a_perfect_judge_needs_no_correction():
    frame = judged(400, 0.4, 1, 1, 100, seed=1)
    for correct in (correction.rogan_gladen, correction.prediction_powered):
        row = correct(frame).row(0, named=True)
        assert row["value"] == pytest.approx(row["raw"], abs=0.03)
        assert row["n_labelled"] == 100
    assert correction.rogan_gladen(frame)["value"][0] == pytest.approx(frame["value"].mean())


def test_prediction_powered_by_hand():
    # Labelled: y = 1, 1, 0, 0 and f = 1, 0, 0, 0; unlabelled f = 1, 1, 1, 0, 0, 0, 0, 0.
    # cov(y, f) = 1/6 (sample), var(f) over all 12 = 1/3 · 2/3 = 2/9, λ = (1/6) / ((1 + 4/8) · 2/9) = 1/2.
    # θ = 1/2 · 3/8 + (1/2 - 1/2 · 1/4) = 9/16.
    frame = pl.DataFrame({
        "source_id": [str(i) for i in range(12)], "value": [1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0],
        "label": [1, 1, 0, 0] + [None] * 8,
    })  # fmt: skip
    row = correction.prediction_powered(frame).row(0, named=True)
    assert row["value"] == pytest.approx(9 / 16)
    assert "only 4 labelled rows" in row["note"]


@pytest.mark.parametrize("correct", [correction.rogan_gladen, correction.prediction_powered])
def test_corrected_intervals_cover_the_truth(correct):
    # 400 data sets, 1,000 answers, 100 labelled: the Monte Carlo error of 95 % is 1.1 %; four of them are allowed.
    found = correct(judged(1000, 0.35, 0.9, 0.8, 100, seed=11, groups=400), ["data"])
    covered = ((found["low"] <= 0.35) & (found["high"] >= 0.35)).mean()
    assert covered >= 0.95 - 4 * 0.011
    assert found["value"].mean() == pytest.approx(0.35, abs=0.02)
    assert found["raw"].mean() == pytest.approx(0.35 * 0.9 + 0.65 * 0.2, abs=0.01)


def test_prediction_powered_intervals_are_narrower_than_those_of_the_labels_alone():
    frame = judged(1000, 0.35, 0.95, 0.9, 100, seed=12, groups=50)
    powered = correction.prediction_powered(frame, ["data"])
    labels = correction.prediction_powered(frame.drop_nulls("label"), ["data"])
    assert (powered["high"] - powered["low"]).mean() < 0.75 * (labels["high"] - labels["low"]).mean()


def test_clusters_widen_the_interval():
    frame = judged(300, 0.4, 0.9, 0.9, 150, seed=3)
    doubled = pl.concat([frame, frame])
    for correct in (correction.rogan_gladen, correction.prediction_powered):
        once, twice = correct(frame).row(0, named=True), correct(doubled).row(0, named=True)
        assert twice["value"] == pytest.approx(once["value"], abs=1e-3)
        assert twice["high"] - twice["low"] >= 0.95 * (once["high"] - once["low"])


def test_without_labels_of_one_kind_the_errors_are_unknown():
    frame = judged(50, 0.5, 0.9, 0.9, 0, seed=4)
    row = correction.rogan_gladen(frame).row(0, named=True)
    assert (row["value"], row["low"]) == (None, None)
    assert "unknown" in row["note"]
    assert correction.prediction_powered(frame)["note"][0] == "fewer than two labelled rows"
