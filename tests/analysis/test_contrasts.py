"""Contrasts: pairing, tests, intervals, families, warnings, antisymmetry."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covary import schema
from covary.analysis import contrasts, paired
from covary.analysis.contrasts import Contrast
from covary.analysis.words import words
from covary.errors import DataError, UsageError


def pairs(both, only_a, only_b, neither, **factors):
    """Yes/no scores of so many source items in two languages, bn (a) and en (b)."""
    a = [1.0] * both + [1.0] * only_a + [0.0] * only_b + [0.0] * neither
    b = [1.0] * both + [0.0] * only_a + [1.0] * only_b + [0.0] * neither
    n = len(a)
    ids = [f"s{i:04d}" for i in range(n)]
    return pl.DataFrame({"source_id": ids * 2, "language": ["bn"] * n + ["en"] * n, "value": a + b, **factors})


def simulated(seed=1, sources=80, replicates=1):
    """Two languages × two conditions × two models, cot helping in bn only."""
    draws = np.random.default_rng(seed)
    base = draws.random(sources)
    rows = [
        (f"s{i:03d}", f"s{i:03d}-{language}", language, condition, model, r, float(draws.random() < chance))
        for model in ("x", "y")
        for language in ("en", "bn")
        for condition in ("direct", "cot")
        for i in range(sources)
        for r in range(replicates)
        for chance in [0.6 * base[i] + 0.3 * (condition == "cot") * (language == "bn")]
    ]
    columns = ["source_id", "item_id", "language", "condition", "model", "replicate", "value"]
    return pl.DataFrame(rows, schema=columns, orient="row")


LANGUAGE = Contrast("bn against en", "language", ("bn", "en"))


def only(frame):
    assert frame.height == 1
    return frame.row(0, named=True)


def test_one_yes_no_pair_per_source_gets_exact_mcnemar_and_tango():
    row = only(contrasts.estimate(pairs(1, 1, 7, 12), LANGUAGE))
    # Difference (1 - 7)/21; p = 2 P(X <= 1; 8, 1/2) = 2 · 9/256.
    assert row["value"] == pytest.approx(-6 / 21)
    assert row["p_value"] == pytest.approx(18 / 256)
    assert (row["low"], row["high"]) == pytest.approx((-0.517, -0.026), abs=5e-4)
    assert (row["only_a"], row["only_b"], row["n_pairs"], row["n_items"], row["n_rows"]) == (1, 7, 21, 21, 42)
    assert (row["mean_a"], row["mean_b"]) == pytest.approx((2 / 21, 8 / 21))
    assert row["method"] == "exact McNemar; Tango score interval"
    assert row["smallest_p"] == 2**-7


def test_the_permutation_of_the_same_pairs_gives_the_same_p():
    row = only(contrasts.estimate(pairs(1, 1, 7, 12), LANGUAGE, test="permutation"))
    assert row["p_value"] == pytest.approx(18 / 256)
    assert row["method"].startswith("sign-flip permutation (exact)")


def test_five_discordant_pairs_cannot_reach_significance_and_the_note_says_so():
    row = only(contrasts.estimate(pairs(40, 5, 0, 40), LANGUAGE))
    assert row["p_value"] == row["smallest_p"] == 0.0625
    assert row["note"] == "cannot reach significance: with 5 discordant clusters the smallest p is 0.062, above 0.05"
    assert "can't be decided" in words(row)


def test_a_family_raises_what_the_smallest_p_must_beat():
    # Two contrasts: the first threshold is 0.025; six discordant pairs reach 2^-5 = 0.03125 at best.
    frame = pairs(40, 6, 0, 40)
    frame = pl.concat([frame.with_columns(model=pl.lit(name)) for name in "xy"])
    found = contrasts.estimate(frame, Contrast("l", "language", ("bn", "en"), by=["model"]))
    assert found["threshold"].to_list() == [0.025, 0.025]
    assert found["note"].str.starts_with("cannot reach significance by itself").all()


def test_a_null_counts_as_zero_under_all_and_drops_its_pair_under_judged():
    frame = pairs(2, 1, 0, 1).with_columns(
        value=pl.when((pl.col("source_id") == "s0000") & (pl.col("language") == "bn")).then(None).otherwise("value")
    )
    everything = only(contrasts.estimate(frame, LANGUAGE, denominator="all"))
    judged = only(contrasts.estimate(frame, LANGUAGE, denominator="judged"))
    assert (everything["only_a"], everything["only_b"], everything["n_pairs"], everything["n_excluded"]) == (1, 1, 4, 0)
    assert (judged["only_a"], judged["only_b"], judged["n_pairs"], judged["n_excluded"]) == (1, 0, 3, 1)
    assert judged["n_unpaired"] == 1  # the other half of the dropped pair


def test_items_without_a_partner_are_left_out_and_counted():
    frame = pairs(2, 1, 1, 1).filter(~((pl.col("language") == "en") & (pl.col("source_id") == "s0002")))
    row = only(contrasts.estimate(frame, LANGUAGE))
    assert (row["n_pairs"], row["n_unpaired"], row["only_a"]) == (4, 1, 0)


def test_replicates_are_averaged_and_tested_by_permutation_of_clusters():
    found = contrasts.estimate(
        simulated(replicates=3), Contrast("cot", "condition", ("cot", "direct"), by=["model", "language"])
    )
    assert found["n_pairs"].to_list() == [80] * 4
    assert found["method"].str.contains("sign-flip permutation (exact); studentised", literal=True).all()
    row = found.row(0, named=True)  # bn, x
    rows = simulated(replicates=3).filter(language="bn", model="x")
    means = rows.group_by("condition").agg(pl.col("value").mean()).sort("condition")["value"]
    assert row["value"] == pytest.approx(means[0] - means[1])


def test_clusters_with_several_pairs_are_flipped_whole():
    # Two scaffolds of one picture always move together: six pictures, all +1, give 2 · 2^-6, not 2 · 2^-12.
    frame = pairs(0, 12, 0, 0).with_columns(picture=pl.col("source_id").str.slice(1).cast(pl.Int64) // 2)
    row = only(
        contrasts.estimate(frame, Contrast("l", "language", ("bn", "en"), blocked_by=["source_id"]), cluster="picture")
    )
    assert (row["n_items"], row["n_pairs"]) == (6, 12)
    assert row["p_value"] == pytest.approx(2**-5)


def test_blocking_pairs_within_the_levels_of_another_factor():
    # Culture FR only ever meets level a, so nothing is left to pair once blocked.
    frame = pairs(1, 1, 0, 1, culture=["FR"] * 3 + ["JP"] * 3)
    row = only(contrasts.estimate(frame, Contrast("l", "language", ("bn", "en"), blocked_by=["culture"])))
    assert (row["value"], row["n_unpaired"], row["note"]) == (None, 6, "no pair to compare")


def test_the_same_item_is_the_pair_when_conditions_are_compared():
    found = contrasts.estimate(simulated(), Contrast("cot", "condition", ("cot", "direct"), by=["model"]))
    assert found["n_items"].to_list() == [80, 80]
    assert found["n_pairs"].to_list() == [160, 160]


def test_an_interaction_is_the_difference_of_two_differences():
    interaction = Contrast(
        "cot in bn against en", "condition", ("cot", "direct"), across=("language", ("bn", "en")), by=["model"]
    )
    simple = Contrast("cot", "condition", ("cot", "direct"), by=["language", "model"])
    found = contrasts.estimate(simulated(), [interaction, simple])
    both = {row["group"]: row["value"] for row in found.filter(name="cot").iter_rows(named=True)}
    row = found.filter(name="cot in bn against en").row(0, named=True)
    assert json.loads(row["group"]) == {"model": "x"}
    assert row["mean_a"] == pytest.approx(both['{"language":"bn","model":"x"}'])
    assert row["mean_b"] == pytest.approx(both['{"language":"en","model":"x"}'])
    assert row["value"] == pytest.approx(row["mean_a"] - row["mean_b"])
    assert row["across"] == "language: bn - en"
    assert "compared across language" in words(row)


def test_fixed_levels_choose_the_rows():
    fixed = Contrast("l", "language", ("bn", "en"), fixed={"condition": "cot", "model": "x"})
    row = only(contrasts.estimate(simulated(), fixed))
    chosen = simulated().filter(condition="cot", model="x")
    assert row["value"] == pytest.approx(
        chosen.filter(language="bn")["value"].mean() - chosen.filter(language="en")["value"].mean()
    )
    assert json.loads(row["group"]) == {"condition": "cot", "model": "x"}


def test_all_pairs_and_a_reference():
    frame = pl.DataFrame({"language": ["en", "bn", "fr", None]})
    assert [c.levels for c in contrasts.all_pairs(frame, "language")] == [("en", "bn"), ("fr", "bn"), ("fr", "en")]
    assert [c.levels for c in contrasts.all_pairs(frame, "language", reference="en")] == [("bn", "en"), ("fr", "en")]
    with pytest.raises(DataError, match="reference 'de' is no level of 'language'"):
        contrasts.all_pairs(frame, "language", reference="de")


def test_families_are_corrected_apart_unless_one_is_named():
    both = [
        Contrast("l", "language", ("bn", "en"), family="L"),
        Contrast("c", "condition", ("cot", "direct"), family="C"),
    ]
    apart = contrasts.estimate(simulated(), both)
    together = contrasts.estimate(simulated(), both, family="all")
    assert apart["p_adjusted"].to_list() == apart["p_value"].to_list()
    assert together["family_size"].to_list() == [2, 2]


def test_a_misspelt_level_leaves_a_row_that_says_so():
    row = only(contrasts.estimate(pairs(1, 1, 1, 1), Contrast("l", "language", ("bm", "en"))))
    assert (row["value"], row["p_value"], row["note"]) == (None, None, "no pair to compare")


def test_comparing_a_level_with_itself_or_a_factor_held_fixed_is_refused():
    with pytest.raises(UsageError, match="two different levels"):
        Contrast("x", "language", ("en", "en"))
    with pytest.raises(UsageError, match="can't be in by"):
        Contrast("x", "language", ("en", "bn"), by=["language"])


def test_numbers_may_be_levels():
    frame = pairs(1, 1, 7, 12).with_columns(pl.col("language").replace_strict({"bn": 2, "en": 1}).alias("size"))
    assert only(contrasts.estimate(frame, Contrast("s", "size", ("2", "1"))))["p_value"] == pytest.approx(18 / 256)


def test_the_result_is_an_estimates_frame():
    schema.ESTIMATES.check(contrasts.estimate(simulated(), contrasts.all_pairs(simulated(), "language", by=["model"])))
    assert contrasts.estimate(simulated(), []).height == 0


@pytest.mark.parametrize("replicates", [1, 2])
def test_turning_a_contrast_round_turns_its_sign_and_nothing_else(replicates):
    frame = simulated(replicates=replicates)
    there = only(contrasts.estimate(frame, Contrast("l", "condition", ("cot", "direct"), fixed={"model": "x"})))
    back = only(contrasts.estimate(frame, Contrast("l", "condition", ("direct", "cot"), fixed={"model": "x"})))
    assert there["value"] == pytest.approx(-back["value"])
    assert (there["low"], there["high"]) == pytest.approx((-back["high"], -back["low"]))
    assert there["p_value"] == pytest.approx(back["p_value"])
    assert (there["only_a"], there["only_b"]) == (back["only_b"], back["only_a"])


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(shuffler):
    frame = simulated(sources=35, replicates=2)
    order = list(range(frame.height))
    shuffler.shuffle(order)
    declared = [Contrast("c", "condition", ("cot", "direct"), by=["model"])]
    first, again = (contrasts.estimate(f, declared, resamples=99) for f in (frame, frame[order]))
    for column in ("value", "low", "high", "p_value"):
        assert first[column].to_list() == pytest.approx(again[column].to_list(), abs=1e-9)


def test_a_contrast_whose_pairs_never_differ_has_p_one_and_an_honest_interval():
    row = only(contrasts.estimate(pairs(20, 0, 0, 20), LANGUAGE))
    assert (row["value"], row["p_value"]) == (0, 1)
    expected = paired.tango([0], [0], [40])
    assert (row["low"], row["high"]) == pytest.approx((expected.low[0], expected.high[0]))


def test_an_interval_stays_within_what_a_difference_can_be():
    frame = pairs(0, 6, 0, 0)
    assert only(contrasts.estimate(frame, LANGUAGE, test="permutation"))["high"] == 1
    points = frame.with_columns(pl.col("value") * 100)
    assert only(contrasts.estimate(points, LANGUAGE, test="permutation"))["high"] > 100


def test_words_say_direction_size_and_certainty():
    sure = only(contrasts.estimate(pairs(30, 30, 2, 30), LANGUAGE))
    assert words(sure).startswith("bn against en: 30.4 points higher (65.2 % against 34.8 %; 95 % interval +")
    assert "A difference (p < 0.001). 92 source items: 30 higher, 2 lower." in words(sure)
    unsure = only(contrasts.estimate(pairs(30, 12, 10, 30), LANGUAGE))
    assert "No significant difference, which doesn't show that there is none" in words(unsure)
    nothing = only(contrasts.estimate(pairs(1, 1, 1, 1), Contrast("l", "language", ("xx", "en"))))
    assert words(nothing) == "xx against en: no pair to compare."
