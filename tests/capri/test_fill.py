"""The model route: two passes, each checked; what fails is flagged and never used."""

from __future__ import annotations

import json

import polars as pl
import pytest
from stand_in import stand_in_png

from covary import schema
from covary.build import pictures
from covary.build.capri import build_capri
from covary.build.cues import Cue, conversation
from covary.build.fill import plan_fills, plan_scaffolds, read_fills, read_scaffolds, scaffold_prompt
from covary.culture import knowledge
from covary.prompts.requests import Model, Plan, content_of

BASE = knowledge.load()
MODEL = Model("writer")
PICTURE = next(spec for spec in pictures.specifications() if spec.concept == "price")
GOOD = {
    "cue1": "dish",
    "cue2": "club",
    "turns": [
        {"role": "user", "text": "I was eating [#cue1] when I saw this."},
        {"role": "assistant", "text": "Enjoy."},
        {"role": "user", "text": "My [#cue2] scarf is in the way."},
        {"role": "assistant", "text": "Move it, then."},
        {"role": "user", "text": "Done."},
        {"role": "assistant", "text": "Good."},
    ],
}


def answers(plan: Plan, text_of: dict[str, str | None], status: str = "ok") -> pl.DataFrame:
    """Responses for a plan, by item; an item without a text stays unanswered."""
    rows = [
        {
            "request_id": row["request_id"],
            "status": status,
            "text": text_of[row["item_id"]],
            "attempts": 1,
            "detail": "{}",
            "origin": "sent",
        }
        for row in plan.links.iter_rows(named=True)
        if row["item_id"] in text_of
    ]
    return schema.RESPONSES.from_rows(rows)


def one_scaffold(data: object):
    plan = plan_scaffolds([PICTURE], BASE, MODEL)
    item = f"{PICTURE.picture_id}/chit_chat"
    links = plan.links.filter(pl.col("item_id") == item)
    text = data if isinstance(data, str) else json.dumps(data)
    return read_scaffolds(links, answers(plan, {item: text}), [PICTURE], BASE)


def test_three_requests_a_picture_with_the_caption_and_never_the_value() -> None:
    plan = plan_scaffolds([PICTURE], BASE, MODEL)
    assert plan.requests.height == plan.links.height == 3
    said = content_of(plan.requests["content"][0])["messages"][0]["content"]
    assert PICTURE.caption in said
    assert PICTURE.description not in said
    for kind in ("chit_chat", "information_seeking", "customer_support"):
        assert "currency_code" not in scaffold_prompt(PICTURE, kind, BASE)  # type: ignore[arg-type]


def test_a_good_answer_becomes_a_scaffold_that_compiles() -> None:
    reading = one_scaffold(GOOD)
    assert reading.review["verdict"].to_list() == ["accepted"]
    scaffold = reading.scaffolds[0]
    assert scaffold.cues == (Cue(1, "dish", "a quick meal"), Cue(2, "club", "my team"))
    texts = [turn.text for turn in conversation(scaffold, "ImplicitFull", ("oden", "Urawa Reds"), "JP")]
    assert texts[0] == "I was eating oden when I saw this."
    assert texts[2] == "My Urawa Reds scarf is in the way."


def test_an_answer_in_a_code_fence_is_read() -> None:
    assert len(one_scaffold(f"```json\n{json.dumps(GOOD)}\n```").scaffolds) == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cue1": "dessert"}, "'dessert' was not offered"),
        ({"cue1": "currency_code"}, "'currency_code' was not offered"),
        ({"cue2": "sport", "cue1": "club"}, "of one family"),
        ({"turns": GOOD["turns"][:4]}, "at least 5"),
        ({"turns": GOOD["turns"][1:]}, "alternate"),
        ({"turns": [*GOOD["turns"][:2], *GOOD["turns"][4:], *GOOD["turns"][4:]]}, "once each"),
        ({"turns": [*GOOD["turns"], {"role": "user", "text": "Again [#cue2]."}]}, "once each"),
        (
            {"turns": [*GOOD["turns"][:5], {"role": "assistant", "text": "That is 4 euros."}]},
            "names a currency: 'euros'",
        ),
        ({"turns": [*GOOD["turns"][:5], {"role": "assistant", "text": "As in Brazil."}]}, "names a country"),
        ({"turns": [*GOOD["turns"][:5], {"role": "assistant", "text": "My favourite."}]}, "word of one country"),
        ({"turns": "none"}, "expected an object"),
    ],
)
def test_a_bad_answer_is_flagged_with_its_reason(change: dict, reason: str) -> None:
    reading = one_scaffold(GOOD | change)
    assert reading.scaffolds == ()
    assert reading.review["verdict"].to_list() == ["flagged"]
    assert any(reason in found for found in reading.review["reasons"][0].to_list())


@pytest.mark.parametrize("text", ["Sure! Here it is.", "[1, 2]", '{"cue1": 1}', "", "[" * 100_000])
def test_what_is_no_scaffold_is_flagged_and_raises_nothing(text: str) -> None:
    assert one_scaffold(text).review["verdict"].to_list() == ["flagged"]


def test_an_unanswered_request_is_flagged() -> None:
    plan = plan_scaffolds([PICTURE], BASE, MODEL)
    reading = read_scaffolds(plan.links, answers(plan, {}), [PICTURE], BASE)
    assert reading.review["reasons"].to_list() == [["no answer to read (status missing)"]] * 3


def filled_turns(scaffold, first: str, second: str) -> list[dict[str, str]]:
    return [
        {"role": turn.role, "text": turn.text} for turn in conversation(scaffold, "ImplicitFull", (first, second), "KR")
    ]


def fills(scaffold, data: object):
    plan = plan_fills([scaffold], BASE, MODEL)
    assert plan.links.height == 10
    item = f"{scaffold.scaffold_id}/KR"
    links = plan.links.filter(pl.col("item_id") == item)
    return read_fills(links, answers(plan, {item: json.dumps(data)}), [scaffold], BASE)


def test_a_fill_that_changes_slots_only_is_read_and_builds() -> None:
    scaffold = one_scaffold(GOOD).scaffolds[0]
    reading = fills(scaffold, filled_turns(scaffold, "bibimbap", "LG Twins"))
    assert reading.fillings == {(scaffold.scaffold_id, "KR"): ("bibimbap", "LG Twins")}
    built = build_capri(pictures=[PICTURE], render=stand_in_png, written=[scaffold], fillings=reading.fillings)
    shown = built.items.filter((pl.col("culture") == "KR") & (pl.col("cue_level") == "ImplicitFull"))
    assert [turn["text"] for turn in shown["conversation"][0]][2] == "My LG Twins scarf is in the way."
    assert built.items.height == 60


def test_a_fill_that_changes_a_word_or_uses_another_value_is_flagged() -> None:
    scaffold = one_scaffold(GOOD).scaffolds[0]
    turns = filled_turns(scaffold, "bibimbap", "LG Twins")
    changed = [*turns[:3], {"role": "assistant", "text": "Move it then."}, *turns[4:]]
    for data, reason in (
        (changed, "turn 4 was changed outside its slot"),
        (filled_turns(scaffold, "pizza", "LG Twins"), "'pizza' is not among the values for KR"),
        (filled_turns(scaffold, "bibimbap", "Chicago Cubs"), "'Chicago Cubs' is not among the values for KR"),
        (turns[:-1], "expected a list of 6 turns"),
        ({"turns": turns}, "expected a list of 6 turns"),
    ):
        reading = fills(scaffold, data)
        assert reading.fillings == {}
        assert any(reason in found for found in reading.review["reasons"][0].to_list())
