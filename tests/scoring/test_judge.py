"""The judging pass: what is sent, what counts as a verdict, how panels decide, and what stays null."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from covary import digest, schema
from covary.errors import StudyError
from covary.prompts.requests import Model
from covary.scoring.judge import Policy, of_recorded, parse_reply, plan, read, restates, settled

JUDGE, OTHER = Model("j1", role="judge"), Model("j2", role="judge")
YES = '{"equivalent": "yes", "confidence": 0.9, "reason": "same value"}'
NO = '{"equivalent": "no", "confidence": 0.8, "reason": "other value"}'


def items() -> pl.DataFrame:
    rows: list[dict[str, Any]] = []
    for number in range(3):
        variant = {"language": "en"}
        rows.append(
            {
                "source_id": f"s{number}",
                "item_id": digest.item_id(f"s{number}", variant),
                "variant": digest.canonical_json(variant).decode(),
                "language": "en",
                "format": "open",
                "question": "Show that the sum of two even numbers is even.",
                "target": "4",
                "answer_type": "Numerical",
                "meta": "{}",
                "provenance": "{}",
            }
        )
    return schema.ITEMS.from_rows(rows)


def scores(*values: float | None, scorer: str = "mathematics", answer: str | None = "four") -> pl.DataFrame:
    return schema.SCORES.from_rows(
        {
            "item_id": row,
            "condition": "c",
            "model": "m",
            "replicate": 0,
            "scorer": scorer,
            "scorer_version": 1,
            "answer": answer,
            "value": value,
            "reason": "r",
            "detail": "{}",
        }
        for row, value in zip(items()["item_id"], values, strict=False)
    )


def replies(judging: Any, *texts: str) -> pl.DataFrame:
    return schema.RESPONSES.from_rows(
        {"request_id": key, "status": "ok", "text": text, "attempts": 1, "detail": "{}", "origin": "sent"}
        for key, text in zip(judging.plan.requests["request_id"], texts, strict=True)
    )


def test_only_undecided_cells_with_an_answer_are_sent_and_equal_pairs_once() -> None:
    judging = plan(scores(None, 1.0, None), items(), [JUDGE], Policy())
    assert judging.cells.height == 2
    assert judging.plan.requests.height == 1
    assert plan(scores(None, None, answer=None), items(), [JUDGE], Policy()).cells.is_empty()
    assert plan(scores(None, 1.0, 0.0), items(), [JUDGE], Policy(which="all")).cells.height == 3


def test_the_judge_sees_the_question_only_where_the_pass_says_so() -> None:
    blind = plan(scores(None), items(), [JUDGE], Policy()).plan.requests["content"][0]
    seeing = plan(scores(None), items(), [JUDGE], Policy(with_question=True)).plan.requests["content"][0]
    assert "sum of two even numbers" not in blind
    assert "sum of two even numbers" in seeing


def test_rules_keep_what_they_decided_and_the_judge_fills_the_rest() -> None:
    ruled = scores(None, 0.0)
    judging = plan(ruled, items(), [JUDGE], Policy())
    verdicts = read(judging, replies(judging, YES), Policy())
    both = settled(pl.concat([ruled, verdicts]), "mathematics")
    assert both["value"].to_list() == [1.0, 0.0]
    assert both["reason"].to_list() == ["judge: same value", "r"]
    assert set(both["scorer"]) == {"mathematics+judge"}


def test_a_panel_decides_by_majority_and_a_tie_is_null() -> None:
    judging = plan(scores(None), items(), [JUDGE, OTHER], Policy())
    tie = read(judging, replies(judging, YES, NO), Policy())
    assert (tie["value"][0], tie["reason"][0]) == (None, "the judges disagree evenly")
    assert len(json.loads(tie["detail"][0])["votes"]) == 2
    three = plan(scores(None), items(), [JUDGE], Policy(replicates=3))
    assert read(three, replies(three, YES, NO, YES), Policy())["value"][0] == 1.0


def test_swapping_asks_both_orders_and_counts_both() -> None:
    judging = plan(scores(None), items(), [JUDGE], Policy(swapped=True))
    first, second = judging.plan.requests["content"].to_list()
    assert "Reference: 4\\nStudent: four" in first
    assert "Reference: four\\nStudent: 4" in second


@pytest.mark.parametrize(
    ("text", "status", "value", "why"),
    [
        (YES, "ok", 1.0, "same value"),
        (f"Let me see. {NO} Done.", "ok", 0.0, "other value"),
        ("```json\n" + YES + "\n```", "ok", 1.0, "same value"),
        ("Analysis … DECISION: YES", "ok", 1.0, "decision given outside JSON"),
        ("DECISION: YES … on reflection DECISION: NO", "ok", None, "the reply holds no verdict"),
        ('{"equivalent": "maybe"}', "ok", None, "the reply holds no verdict"),
        ('{"equivalent": "yes"', "ok", 1.0, "decision given outside JSON"),
        ("", "ok", None, "the reply holds no verdict"),
        ("so the answer is yes, YES", "truncated", None, "judge's reply truncated"),
        (None, "refused", None, "judge's reply refused"),
        (None, None, None, "the judge has not answered yet"),
    ],
)
def test_a_reply_counts_only_with_a_committed_verdict(
    text: str | None, status: str | None, value: float | None, why: str
) -> None:
    reply = parse_reply(text, status)
    assert (reply.value, reply.reason) == (value, why)


def test_a_confidence_out_of_range_is_no_confidence() -> None:
    assert parse_reply('{"equivalent": "yes", "confidence": 7}', "ok").confidence is None


def test_restating_the_claim_is_flagged() -> None:
    question = "Show that, $a^2 + b^2 \\geq 2ab$ for all real numbers."
    assert restates("a^2+b^2 \\geq 2ab", question)
    assert not restates("(a-b)^2 \\geq 0, so a^2+b^2 \\geq 2ab", question)
    assert not restates("2ab", question)
    judging = plan(scores(None, answer="the sum of two even numbers is even"), items(), [JUDGE], Policy())
    verdicts = read(judging, replies(judging, YES), Policy())
    assert json.loads(verdicts["detail"][0])["restates_question"] is True


def test_recorded_decisions_stand_for_a_judge_where_rules_left_a_cell_open() -> None:
    ruled, recorded = scores(None, 1.0, None), scores(1.0, 0.0, None, scorer="recorded")
    verdicts = of_recorded(pl.concat([ruled, recorded]), "mathematics")
    assert verdicts["value"].to_list() == [1.0, None]
    both = settled(pl.concat([ruled, verdicts]), "mathematics")
    assert both["value"].to_list() == [1.0, 1.0, None]


def test_judging_without_a_judge_is_told() -> None:
    with pytest.raises(StudyError, match='role = "judge"'):
        plan(scores(None), items(), [], Policy())
