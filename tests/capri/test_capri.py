"""The built set: counts of the paper's Table 1, sharing, cues, controls and the text-only set."""

from __future__ import annotations

import json

import polars as pl
import pytest
from stand_in import six_levels, stand_in_png, whole

from covary import schema
from covary.build import pictures
from covary.build.capri import OPTIONS, build_capri, compile_items, counts, distinct_prompts, fill, text_only_items
from covary.build.cues import CONTROLS, LEVELS
from covary.build.scaffold import scaffolds
from covary.culture import knowledge
from covary.errors import UsageError

SOME = tuple(spec for spec in pictures.specifications() if spec.picture_id.endswith("-02"))


def some(**arguments: object) -> pl.DataFrame:
    return build_capri(pictures=SOME, render=stand_in_png, **arguments).items  # type: ignore[arg-type]


def metas(items: pl.DataFrame) -> list[dict]:
    return [json.loads(meta) for meta in items["meta"]]


def test_counts_are_those_of_table_1() -> None:
    # Table 1 of the paper: images, scaffolds, conversations
    assert {row[0]: row[1:] for row in counts(six_levels()).iter_rows()} == {
        "temperature": (33, 99, 990),
        "distance": (32, 96, 864),
        "speed": (18, 54, 540),
        "size": (24, 72, 648),
        "price": (21, 63, 630),
        "time_expression": (24, 72, 720),
        "quantifiers": (20, 60, 600),
        "total": (172, 516, 4992),
    }


def test_six_levels_are_29_952_items_and_20_656_distinct_prompts() -> None:
    items = six_levels()
    assert items.height == 6 * 4992 == 29_952
    # Null: one a picture; Neutral: one a scaffold; the four other levels: one a conversation
    assert distinct_prompts(items) == 172 + 516 + 4 * 4992 == 20_656
    by_level = {level: distinct_prompts(items.filter(pl.col("cue_level") == level)) for level in LEVELS}
    assert by_level == {"Null": 172, "Neutral": 516} | dict.fromkeys(LEVELS[2:], 4992)


def test_items_keep_their_table() -> None:
    schema.ITEMS.check(whole().items)
    assert set(whole().bytes_of) == set(whole().items["picture"].unique())


def test_the_united_kingdom_is_left_out_of_distance_and_size_only() -> None:
    without = six_levels().group_by("domain").agg(pl.col("culture").unique().sort())
    assert {domain for domain, cultures in without.iter_rows() if "GB" not in cultures} == {"distance", "size"}
    assert {len(cultures) for _, cultures in without.iter_rows()} == {9, 10}


def test_subjective_concepts_have_their_options_and_the_others_none() -> None:
    options = six_levels().select("domain", "options", "answer_type").unique()
    for domain, given, answer_type in options.iter_rows():
        assert tuple(given or ()) == OPTIONS.get(domain, ())
        assert answer_type == ("option" if domain in OPTIONS else "quantity")


def test_meta_tells_cues_cluster_and_truth() -> None:
    values = {spec.picture_id: spec.value for spec in pictures.specifications()}
    for meta in metas(six_levels().filter(pl.col("cue_level") == "ImplicitFull").sample(200, seed=1)):
        assert meta["true_value"] == values[meta["picture_id"]]
        assert [set(cue) for cue in meta["cues"]] == [{"type", "value", "neutral", "culture", "verified"}] * 2
        assert meta["conversation_type"] in ("chit_chat", "information_seeking", "customer_support")


def test_the_first_cue_points_to_its_culture_alone_and_so_do_both() -> None:
    base = knowledge.load()
    rows = six_levels().filter(pl.col("cue_level") == "ImplicitFull")
    for culture, meta in zip(rows["culture"], metas(rows), strict=True):
        first, second = (base.cultures_fitting(cue["type"], cue["value"]) for cue in meta["cues"])
        assert first == {culture}
        assert culture in second


def test_the_same_arguments_give_the_same_items_and_the_seed_moves_them() -> None:
    assert some().equals(some())
    assert not some(seed=1)["conversation"].equals(some()["conversation"])


def test_explicit_wordings_share_ids_of_nothing_but_the_untouched_levels() -> None:
    default, other = some(), some(explicit="end-of-implicit")
    same = set(default["item_id"]) & set(other["item_id"])
    touched = default.filter(pl.col("cue_level") == "ExplicitFull").height
    assert len(same) == default.height - touched


@pytest.mark.parametrize("control", CONTROLS)
def test_every_control_has_a_row_for_every_conversation(control: str) -> None:
    assert whole().items.filter(pl.col("cue_level") == control).height == 4992


def test_shuffled_cues_come_from_two_cultures_and_conflicts_from_another_one() -> None:
    shuffled = whole().items.filter(pl.col("cue_level") == "ShuffledCues")
    for culture, meta in zip(shuffled["culture"], metas(shuffled), strict=True):
        assert meta["cues"][0]["culture"] == culture != meta["cues"][1]["culture"]
    conflict = whole().items.filter(pl.col("cue_level") == "ExplicitConflict")
    for culture, meta in zip(conflict["culture"], metas(conflict), strict=True):
        assert meta["cues"][0]["culture"] == meta["cues"][1]["culture"] != culture
        assert meta["statement"].startswith("I am from ")


def test_a_shuffled_second_cue_does_not_fit_the_first_culture() -> None:
    base = knowledge.load()
    shuffled = whole().items.filter(pl.col("cue_level") == "ShuffledCues")
    for culture, meta in zip(shuffled["culture"], metas(shuffled), strict=True):
        assert culture not in base.cultures_fitting(meta["cues"][1]["type"], meta["cues"][1]["value"])


def test_the_controls_need_11_532_prompts_more() -> None:
    # three that are shared by the cultures, two that are not
    assert distinct_prompts(whole().items) == 20_656 + 3 * 516 + 2 * 4992 == 32_188


def test_the_placebo_differs_from_neutral_and_is_shared_by_all_cultures() -> None:
    texts = {
        level: whole().items.filter(pl.col("cue_level") == level).select("source_id", "conversation").unique()
        for level in ("Neutral", "Placebo")
    }
    assert texts["Placebo"].height == texts["Neutral"].height == 516
    both = texts["Neutral"].join(texts["Placebo"], on="source_id", suffix="_placebo")
    assert both.filter(pl.col("conversation") == pl.col("conversation_placebo")).is_empty()


def test_length_matched_neutral_has_as_many_turns_as_the_implicit_level() -> None:
    turns = whole().items.select("source_id", "culture", "cue_level", pl.col("conversation").list.len().alias("turns"))
    wide = turns.pivot(on="cue_level", index=["source_id", "culture"], values="turns")
    assert wide["NeutralCue1"].equals(wide["ImplicitCue1"])
    assert wide["NeutralCue2"].equals(wide["ImplicitCue2"])


def test_an_unknown_control_gets_one_line() -> None:
    with pytest.raises(UsageError, match="did you mean 'Placebo'"):
        some(controls=["Placebos"])


def test_a_filling_by_a_model_replaces_the_draw_and_must_be_known() -> None:
    base = knowledge.load()
    scaffold = scaffolds(SOME[:1], base)[0]
    values = [base.usable(cue.cue_type, "KR", scaffold.concept, alone=True)[-1].value for cue in scaffold.cues[:1]]
    second = base.usable(scaffold.cues[1].cue_type, "KR", scaffold.concept, alone=False)[-1].value
    filled = fill([scaffold], base, 0, {(scaffold.scaffold_id, "KR"): (values[0], second)})
    korean = next(chat for chat in filled if chat.culture == "KR")
    assert [cue.value for cue in korean.cues] == [values[0], second]
    with pytest.raises(UsageError, match="'nowhere' is not among the values"):
        fill([scaffold], base, 0, {(scaffold.scaffold_id, "KR"): ("nowhere", second)})


def test_an_item_without_a_picture_file_is_marked_text_only() -> None:
    base = knowledge.load()
    items = compile_items(
        fill(scaffolds(SOME[:1], base), base), {SOME[0].picture_id: SOME[0]}, {}, "start-of-neutral", LEVELS, 0
    )
    assert items["picture"].null_count() == items.height
    assert {meta["route"] for meta in metas(items)} == {"text"}


def test_the_text_only_set_tells_a_reading_in_words_before_the_question() -> None:
    items = text_only_items()
    assert items["source_id"].n_unique() == 21
    # five concepts of ten cultures and two of nine, three readings each, six levels
    assert items.height == (5 * 10 + 2 * 9) * 3 * 6
    assert items["picture"].null_count() == items.height
    assert items["question"].str.starts_with("The picture in words: ").all()
    assert set(items["domain"].unique()) == set(OPTIONS) | {"temperature", "distance", "speed", "size", "price"}


def test_the_text_only_set_takes_cultures_concepts_levels_and_a_limit() -> None:
    items = text_only_items(
        cultures=["KR", "US"], concepts=["price", "speed"], levels=["Null", "ImplicitFull"], limit=3
    )
    assert items.height == 3 * 2 * 2
    assert text_only_items(limit=7)["domain"].n_unique() == 7
    with pytest.raises(UsageError, match="did you mean 'speed'"):
        text_only_items(concepts=["sped"])
