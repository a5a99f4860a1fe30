"""Contrasts as a study file declares them: interactions and denominators reach the estimates."""

from __future__ import annotations

import polars as pl
import pytest

from covary.cli.estimating import contrast_uses, default_uses
from covary.errors import StudyError
from covary.report.estimates import contrast_estimates
from covary.studies.declaration import Across, parse

STUDY = """
name = "s"
[[scorers]]
name = "mathematics"
[[contrasts]]
name = "does CoT help more in bn than in en?"
factor = "condition"
levels = ["cot", "zero-shot"]
across = { factor = "language", levels = ["bn", "en"] }
scorer = "mathematics"
denominator = "judged"
"""
# CoT helps 3 of 4 source items in bn, and 1 of 4 in en: 75 − 25 = 50 points.
HELPED = {"bn": 3, "en": 1}


def frame() -> pl.DataFrame:
    rows = [
        (f"s{number}", f"s{number}-{language}", language, condition, float(condition == "cot" and number < helped))
        for language, helped in HELPED.items()
        for condition in ("cot", "zero-shot")
        for number in range(4)
    ]
    columns = ("source_id", "item_id", "language", "condition", "value")
    return pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        scorer=pl.lit("mathematics"), model=pl.lit("m"), cluster=pl.col("source_id"), reason=pl.lit("value")
    )


def test_an_interaction_is_declared_in_a_study_file() -> None:
    study = parse(STUDY, "study.toml")
    (use,) = study.contrasts
    assert use.across == Across("language", ("bn", "en"))
    ((scorer, denominator, contrasts),) = contrast_uses(study)
    found = contrast_estimates(frame(), contrasts, scorer, denominator)
    assert found.select("value", "across", "denominator", "scorer", "n_items").row(0) == (
        0.5, "language: bn - en", "judged", "mathematics", 4,
    )  # fmt: skip


def test_a_wrong_key_of_an_interaction_is_told_with_its_line() -> None:
    with pytest.raises(StudyError, match=r"study\.toml:\d+: unknown key 'level'.*levels"):
        parse(STUDY.replace('levels = ["bn", "en"]', 'level = ["bn", "en"]'), "study.toml")


def test_an_interaction_names_two_levels() -> None:
    with pytest.raises(StudyError, match=r"study\.toml:\d+: "):
        parse(STUDY.replace('["bn", "en"]', '["bn"]'), "study.toml")


def test_a_study_without_contrasts_gets_every_pair_of_every_factor_that_varies() -> None:
    uses = default_uses(frame())
    names = [(scorer, contrast.name, contrast.family) for scorer, _, contrasts in uses for contrast in contrasts]
    assert names == [
        ("mathematics", "zero-shot - cot", "condition, mathematics"),
        ("mathematics", "en - bn", "language, mathematics"),
    ]
    assert default_uses(frame().with_columns(scorer=pl.lit("trace"))) == []
