"""The form of a solution does not tell whether it is faulty."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.perturb_rules.surface import auc, cross_validated_auc, features

from covary.build.perturb_rules import KINDS, perturb_by_rule
from covary.items.draw import draw
from covary.items.languages import BUNDLED

LIMIT = 0.6


def separability(frame: pl.DataFrame) -> float:
    """AUC of the surface classifier, faulty against both controls."""
    x = np.array([features(text) for text in frame["solution"]])
    labels = (~frame["perturbation"].is_in(["clean", "paraphrase"])).to_numpy().astype(int)
    return cross_validated_auc(x, labels, frame["source_id"].to_numpy())


def test_the_area_under_the_curve_counts_ordered_pairs() -> None:
    # scores of positives 3, 1, of negatives 2, 1: pairs (3>2), (3>1), (1<2), (1=1): 2.5 of 4
    assert auc(np.array([3.0, 1.0, 2.0, 1.0]), np.array([1, 1, 0, 0])) == 0.625


def test_the_classifier_sees_a_give_away(perturbed) -> None:
    told = perturbed.filter(pl.col("language") == "en").with_columns(
        solution=pl.when(pl.col("perturbation").is_in(["clean", "paraphrase"]))
        .then(pl.col("solution"))
        .otherwise(pl.col("solution") + "\n1")
    )
    assert separability(told) > 0.8


@pytest.mark.parametrize("code", BUNDLED)
def test_surface_features_do_not_tell_faulty_from_clean(perturbed, code) -> None:
    assert separability(perturbed.filter(pl.col("language") == code)) <= LIMIT


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_alone_is_told_by_its_surface(kind) -> None:
    made = perturb_by_rule(draw(3, 12, ["en"]), 11, [kind])
    assert separability(made) <= LIMIT
