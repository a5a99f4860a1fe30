"""Agreement against statsmodels, Krippendorff's own example and hand counts."""

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from covary.analysis import agreement

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", example with missing data: 4 observers, 12 units.
OBSERVERS = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}


def observed():
    rows = [(name, unit, value) for name, values in OBSERVERS.items() for unit, value in enumerate(values)]
    return pl.DataFrame(rows, schema=["rater", "unit", "value"], orient="row")


@pytest.mark.parametrize("level, published", [("nominal", 0.743), ("interval", 0.849)])
def test_alpha_equals_krippendorffs_example(level, published):
    row = agreement.alpha(observed(), "rater", "unit", "value", level=level).row(0, named=True)
    assert row["value"] == pytest.approx(published, abs=5e-4)
    assert row["n_items"] == 11  # the last unit has one value only
    assert row["low"] < row["value"] < row["high"]
    assert "only 11 units" in row["note"]


def test_alpha_of_one_value_throughout_is_undefined():
    frame = pl.DataFrame({"r": ["a", "b"], "u": [1, 1], "v": ["x", "x"]})
    row = agreement.alpha(frame, "r", "u", "v").row(0, named=True)
    assert row["value"] is None
    assert row["note"].startswith("undefined")


def test_kappa_equals_statsmodels_with_an_interval_near_its_asymptotic_one():
    table = np.array([[30, 5, 2], [4, 25, 6], [1, 3, 24]])
    rows = [("xyz"[i], "xyz"[j]) for i in range(3) for j in range(3) for _ in range(table[i, j])]
    frame = pl.DataFrame(rows, schema=["judge", "human"], orient="row").with_columns(
        source_id=pl.int_range(pl.len()).cast(pl.String)
    )
    found = {row["name"]: row for row in agreement.kappa(frame, "judge", "human").iter_rows(named=True)}
    reference = cohens_kappa(table)
    assert found["kappa"]["value"] == pytest.approx(reference.kappa)
    assert found["kappa"]["low"] == pytest.approx(reference.kappa_low, abs=0.03)
    assert found["kappa"]["high"] == pytest.approx(reference.kappa_upp, abs=0.03)
    assert found["agreement"]["value"] == pytest.approx(79 / 100)


def test_kappa_per_language_leaves_out_what_one_rater_left_empty():
    frame = pl.DataFrame({
        "source_id": ["a", "b", "c", "d"], "language": ["bn", "bn", "en", "en"],
        "judge": [1, 0, 1, None], "human": [1, 0, 1, 1],
    })  # fmt: skip
    found = agreement.kappa(frame, "judge", "human", ["language"])
    assert found["value"].to_list() == [1.0, 1.0, 1.0, None]
    assert found["n_excluded"].to_list() == [0, 0, 1, 1]
    assert "always give the same value" in found["note"][3]


def test_sensitivity_and_specificity_of_a_judge_by_hand():
    # Labels 1: the judge passes 3 of 4; labels 0: it fails 1 of 2; one row without label, one without verdict.
    frame = pl.DataFrame({
        "source_id": list("abcdefgh"), "value": [1, 1, 1, 0, 0, 1, 1, None], "label": [1, 1, 1, 1, 0, 0, None, 1],
    })  # fmt: skip
    found = agreement.against_labels(frame)
    assert dict(zip(found["name"], found["value"], strict=True)) == {"sensitivity": 0.75, "specificity": 0.5}
    assert found["n_rows"].to_list() == [4, 2]
