"""Divergence by hand, on answers without a right one."""

import numpy as np
import polars as pl
import pytest

from covary.analysis import contrasts, divergence, paired, summaries
from covary.analysis.contrasts import Contrast


def answers(rows):
    """Rows of (source, culture, cue level, answer)."""
    return pl.DataFrame(rows, schema=["source_id", "culture", "cue_level", "answer"], orient="row")


# Scaffold s: at Full FR evening, JP afternoon, US evening; at Neutral afternoon for all. Scaffold t: never moves.
SHIFTS = answers([
    *(("s", culture, "Neutral", "afternoon") for culture in ("FR", "JP", "US")),
    ("s", "FR", "Full", "evening"), ("s", "JP", "Full", "afternoon"), ("s", "US", "Full", "evening"),
    *(("t", culture, level, "noon") for culture in ("FR", "JP", "US") for level in ("Neutral", "Full")),
])  # fmt: skip


def test_inter_culture_divergence_is_the_mean_over_pairs():
    # At Full, s: FR-JP and JP-US differ, FR-US agree: 2 of 3; t: 0 of 3. Together 2/6.
    found = divergence.between_cultures(SHIFTS)
    assert found.height == 2 * 2 * 3
    rates = summaries.rate(found, ["cue_level"])
    assert rates["value"].to_list() == pytest.approx([1 / 3, 0])
    pairs = found.filter(source_id="s", cue_level="Full")
    assert pairs["value"].to_list() == [1.0, 0.0, 1.0]
    assert pairs.select("culture_a", "culture_b").rows() == [("FR", "JP"), ("FR", "US"), ("JP", "US")]


def test_cue_divergence_per_culture():
    rates = summaries.rate(divergence.moved(SHIFTS), ["culture", "cue_level"])
    assert rates["group"].to_list() == [f'{{"cue_level":"Full","culture":"{c}"}}' for c in ("FR", "JP", "US")]
    assert rates["value"].to_list() == [0.5, 0.0, 0.5]


def test_a_baseline_without_culture_serves_every_culture():
    shared = SHIFTS.filter(pl.col("cue_level") == "Full")
    base = answers([("s", None, "Neutral", "afternoon"), ("t", None, "Neutral", "noon")])
    assert divergence.moved(pl.concat([shared, base])).equals(divergence.moved(SHIFTS))


def test_replicates_give_chances():
    # Full: evening 2 of 3; Neutral: evening 1 of 3. Pr(differ) = 1 - (2/3 · 1/3 + 1/3 · 2/3) = 5/9.
    frame = answers([
        *(("s", "FR", "Full", answer) for answer in ("evening", "evening", "noon")),
        *(("s", "FR", "Neutral", answer) for answer in ("evening", "noon", "noon")),
    ])  # fmt: skip
    assert divergence.moved(frame)["value"].to_list() == pytest.approx([5 / 9])
    # Repeats: of the three pairs in either cell two differ. Beyond noise: 5/9 - 2/3 = -1/9.
    assert divergence.repeats(frame)["value"].to_list() == pytest.approx([2 / 3, 2 / 3])
    assert divergence.beyond_noise(frame)["value"].to_list() == pytest.approx([-1 / 9])


def test_a_shift_that_is_only_noise_is_zero_beyond_it_on_average():
    draws = np.random.default_rng(8)
    rows = [
        (f"s{i}", "FR", level, "ab"[int(draws.random() < 0.4)])
        for i in range(1500)
        for level in ("Neutral", "Full")
        for _ in range(2)
    ]
    shift = summaries.mean(divergence.moved(answers(rows)))["value"][0]
    rest = summaries.mean(divergence.beyond_noise(answers(rows))).row(0, named=True)
    assert shift == pytest.approx(2 * 0.4 * 0.6, abs=0.04)
    assert rest["low"] <= 0 <= rest["high"]


def test_the_noise_floor_is_unknown_without_repeats():
    row = divergence.noise_floor(SHIFTS).row(0, named=True)
    assert (row["value"], row["note"]) == (None, divergence.NO_REPEATS)


def test_the_noise_floor_per_level():
    frame = pl.concat(
        [
            SHIFTS,
            SHIFTS.with_columns(answer=pl.when(pl.col("cue_level") == "Full").then(pl.lit("x")).otherwise("answer")),
        ]
    )
    found = divergence.noise_floor(frame, ["cue_level"])
    assert found["value"].to_list() == [1.0, 0.0]


def test_a_shift_splits_into_a_common_and_a_specific_part():
    # s at Full: FR and US went to evening. Of FR's two fellows one is there too: common 1/2, specific 1/2.
    parts = divergence.shift_parts(SHIFTS).filter(source_id="s")
    assert parts["value"].to_list() == [1.0, 0.0, 1.0]
    assert parts["common"].to_list() == [0.5, 0.0, 0.5]
    assert parts["specific"].to_list() == [0.5, 0.0, 0.5]
    assert parts.join(divergence.moved(SHIFTS), on=["source_id", "culture", "cue_level"])["value"].equals(
        parts["value"]
    )


def test_a_control_edit_is_contrasted_with_the_cue():
    # The placebo moves both scaffolds for everyone, the cue only s: no culture in it.
    placebo = answers([(s, c, "Placebo", "x") for s in "st" for c in ("FR", "JP", "US")])
    shifts = divergence.moved(pl.concat([SHIFTS, placebo]))
    contrast = Contrast("cue against placebo", "cue_level", ("Full", "Placebo"), blocked_by=["culture"])
    assert contrasts.estimate(shifts, contrast)["value"][0] == pytest.approx(2 / 6 - 1)


def test_cultures_of_one_level_are_contrasted_within_scaffolds():
    shifts = divergence.moved(SHIFTS)
    found = contrasts.estimate(shifts, contrasts.all_pairs(shifts, "culture", by=["cue_level"]))
    assert found["name"].to_list() == ["JP - FR", "US - FR", "US - JP"]
    assert found["value"].to_list() == [-0.5, 0.0, 0.5]
    assert found["note"].str.contains("cannot reach significance").all()


def test_a_prior_is_the_share_of_each_answer_at_null():
    rows = [(f"s{i}", None, "Null", answer) for i, answer in enumerate(["US"] * 6 + ["unknown"] * 3 + [None])]
    frame = answers(rows).with_columns(model=pl.lit("m"))
    found = divergence.prior(frame, ["model"])
    assert dict(zip(found["group"], found["value"], strict=True)) == {
        '{"answer":"US","model":"m"}': pytest.approx(6 / 9),
        '{"answer":"unknown","model":"m"}': pytest.approx(3 / 9),
    }
    assert found["n_rows"].to_list() == [9, 9]


def test_a_picture_can_be_the_cluster():
    frame = SHIFTS.with_columns(picture=pl.lit("p"))
    found = divergence.moved(frame, keep=["picture"])
    assert summaries.rate(found, cluster="picture")["n_items"].to_list() == [1]
    assert divergence.between_cultures(frame, keep=["picture"])["picture"].unique().to_list() == ["p"]


def test_the_published_ranking_of_cultures_cannot_reach_significance():
    # CAPRI, Table 2: least and largest share per column, of (24 + 20) pictures × 3 scaffolds = 132 conversations. At best
    # all that moved under the closest culture moved under the most alien one too: then only the surplus is discordant.
    columns = {
        "Qwen D_impl": (3.8, 6.8), "Qwen D_expl": (1.5, 3.8), "Gemma D_impl": (7.6, 10.6),
        "Gemma D_expl": (5.3, 9.8), "Gemini D_impl": (5.3, 10.6), "Gemini D_expl": (6.1, 11.4),
    }  # fmt: skip
    surplus = {name: round(1.32 * most) - round(1.32 * least) for name, (least, most) in columns.items()}
    assert list(surplus.values()) == [4, 3, 4, 6, 7, 7]
    best = paired.mcnemar(list(surplus.values()), [0] * 6)
    assert best.min() == pytest.approx(2**-6)
    # Nine cultures against the closest one: even the best case misses the first threshold of Holm, in every column.
    assert (best * 9 > 0.05).all()
