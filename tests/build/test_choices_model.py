"""Suggestions of a model for wrong options: the checker decides, and what can't be used leaves the item flagged."""

from __future__ import annotations

from pathlib import Path

import msgspec
import polars as pl
import pytest
from tests.build.scripted import MODEL, REFUSED, ask, json_reply

from covary.build.choices import Built, build_choices
from covary.build.choices_model import plan_choices, read_choices
from covary.items.loading import load_items
from covary.run.transport import Answer

SHARED = {"id": "q", "answer_type": "Numerical"}
OPTIONS = [
    {"text": "$2.5$ m", "pool": "calculation", "kind": "off by one"},
    {"text": "$15$ m", "pool": "calculation", "kind": "decimal point"},
    {"text": "$0.75$ m", "pool": "concept", "kind": "area for length"},
]


def items() -> pl.DataFrame:
    return load_items(
        [
            {**SHARED, "language": "en", "question": "How long is it?", "target": "$1.5$ m"},
            {**SHARED, "language": "fi", "question": "Kuinka pitkä se on?", "target": "$1,5$ m"},
        ],
        "rows",
    )


def built(folder: Path, reply: str | Answer) -> Built:
    plan = plan_choices(items(), MODEL, 3)
    assert plan.requests.height == 1
    given = read_choices(items(), plan.links, ask(folder, plan, lambda _: reply))
    return build_choices(items(), given=given)


def test_suggestions_are_carried_to_every_language_place_by_place(tmp_path: Path) -> None:
    made = built(tmp_path, json_reply(options=OPTIONS)).items
    english, finnish = (made.filter(pl.col("language") == code).row(0, named=True) for code in ("en", "fi"))
    assert sorted(english["options"]) == ["$0.75$ m", "$1.5$ m", "$15$ m", "$2.5$ m"]
    assert [option.replace(".", ",") for option in english["options"]] == finnish["options"]
    kinds = {entry["kind"] for entry in msgspec.json.decode(english["meta"])["distractors"].values()}
    assert kinds == {"model: off by one", "model: decimal point", "model: area for length"}


def with_first(**change: str) -> str:
    return json_reply(options=[{**OPTIONS[0], **change}, *OPTIONS[1:]])


BAD: dict[str, str | Answer] = {
    "the key itself": with_first(text="$1.5$ m"),
    "the key in another form": with_first(text="$1.50$ m"),
    "another option again": with_first(text="$15.0$ m"),
    "another notation": with_first(text="2.5 m"),
    "another unit": with_first(text="$2.5$ km"),
    "words around it": with_first(text="It is $2.5$ m"),
    "another pool": with_first(pool="funny"),
    "too few": json_reply(options=OPTIONS[:2]),
    "texts alone": json_reply(options=[option["text"] for option in OPTIONS]),
    "chatty": "Here are three wrong answers: 2.5, 15 and 0.75.",
    "truncated": Answer("truncated", text=json_reply(options=OPTIONS)[:60], finish_reason="length"),
    "damaged": json_reply(options=OPTIONS)[:-4],
    "refuses": REFUSED,
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_suggestion_is_no_option_and_nothing_is_padded(kind: str, tmp_path: Path) -> None:
    found = built(tmp_path, BAD[kind])
    assert found.items.is_empty()
    assert found.flagged.height == 2
    assert found.flagged["reason"].str.contains("of 3 wrong options could be made").all()
