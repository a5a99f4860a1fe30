"""Consistency across variants, by hand."""

import polars as pl
import pytest

from covary.analysis import consistency


def variants(rows):
    """Rows of (source, language, value)."""
    return pl.DataFrame(rows, schema={"source_id": pl.String, "language": pl.String, "value": pl.Float64}, orient="row")


def measured(frame, **options):
    found = consistency.across(frame, "language", **options)
    return dict(zip(found["name"], found["value"], strict=True)), found


THREE = [
    *(("a", language, 1.0) for language in ("en", "bn", "fr")),
    *(("b", language, 0.0) for language in ("en", "bn", "fr")),
    ("c", "en", 1.0), ("c", "bn", 0.0), ("c", "fr", 1.0),
]  # fmt: skip


def test_all_right_all_wrong_flips_and_agreement_by_hand():
    # c: of its three pairs of languages one agrees.
    values, _ = measured(variants(THREE))
    assert values == pytest.approx(
        {"all right": 1 / 3, "all wrong": 1 / 3, "flips": 1 / 3, "agreement": (1 + 1 + 1 / 3) / 3}
    )


def test_a_source_without_every_variant_is_left_out_and_counted():
    values, found = measured(variants([*THREE, ("d", "en", 1.0)]))
    assert values["flips"] == pytest.approx(1 / 3)
    assert found["n_excluded"].to_list() == [1] * 4


def test_a_missing_value_is_wrong_under_all_and_excludes_under_judged():
    frame = variants([*THREE, ("d", "en", 1.0), ("d", "bn", None), ("d", "fr", 1.0)])
    assert measured(frame)[0]["flips"] == pytest.approx(2 / 4)
    values, found = measured(frame, denominator="judged")
    assert values["flips"] == pytest.approx(1 / 3)
    assert found["denominator"].unique().to_list() == ["judged"]


def test_replicates_enter_agreement_by_their_chance():
    # en right half the time, bn always: they agree half the time; the source is neither all right nor all wrong.
    values, _ = measured(variants([("a", "en", 1.0), ("a", "en", 0.0), ("a", "bn", 1.0), ("a", "bn", 1.0)]))
    assert values == pytest.approx({"all right": 0, "all wrong": 0, "flips": 1, "agreement": 0.5})


def test_groups_have_their_own_levels():
    frame = pl.concat([
        variants(THREE).with_columns(model=pl.lit("x")),
        variants([("a", "en", 1.0), ("a", "bn", 1.0)]).with_columns(model=pl.lit("y")),
    ])  # fmt: skip
    found = consistency.across(frame, "language", ["model"]).filter(name="all right")
    assert found["value"].to_list() == pytest.approx([1 / 3, 1.0])


def test_one_level_only_leaves_agreement_undefined():
    values, _ = measured(variants([("a", "en", 1.0), ("b", "en", 0.0)]))
    assert values["agreement"] is None
    assert values["all right"] == 0.5
