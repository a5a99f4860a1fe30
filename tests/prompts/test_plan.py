"""Conditions and templates become requests: shared, complete, and with a reason where a cell can't be filled."""

from __future__ import annotations

from typing import Any

import msgspec
import polars as pl
import pytest

from covary import digest, schema
from covary.errors import StudyError
from covary.prompts.conditions import Condition
from covary.prompts.plan import language_name, plan, prompt_text, warnings
from covary.prompts.requests import Model
from covary.prompts.templates import bundled, find, parse

MODEL = Model("m")
SEEING = Model("eye", inputs=("text", "image"))
SWITCHED = Model("think", thinking_on={"think": True}, thinking_off={"think": False})


def item(source: str, language: str = "en", **facts: Any) -> dict[str, Any]:
    variant = {"language": language, **{key: str(facts[key]) for key in ("culture", "cue_level") if key in facts}}
    return {
        "source_id": source,
        "item_id": digest.item_id(source, variant),
        "variant": digest.canonical_json(variant).decode(),
        "language": language,
        "format": "open",
        "question": f"What is {source}?",
        "target": "4",
        "answer_type": "Numerical",
        "meta": "{}",
        "provenance": "{}",
        **facts,
    }


def items(*rows: dict[str, Any]) -> pl.DataFrame:
    return schema.ITEMS.from_rows(rows)


def messages(frame: pl.DataFrame) -> list[Any]:
    return [msgspec.json.decode(content)["messages"] for content in frame["content"]]


def test_equal_requests_are_sent_once_whatever_they_serve() -> None:
    table = items(item("2 + 2", culture="FR"), item("2 + 2", culture="US"))
    made = plan(table, [Condition("a", "solve-direct"), Condition("b", "solve-direct")], [MODEL])
    assert made.requests.height == 1
    assert made.links.height == 4
    assert made.links["request_id"].n_unique() == 1
    schema.REQUESTS.check(made.requests)
    schema.LINKS.check(made.links)


def test_replicates_and_models_are_distinct_requests() -> None:
    made = plan(items(item("x")), [Condition("a", "solve-direct", replicates=3)], [MODEL, SEEING])
    assert made.requests.height == 6
    assert sorted(made.links["replicate"].to_list()) == [0, 0, 1, 1, 2, 2]


def test_question_instruction_reasoning_and_answer_language_are_apart() -> None:
    template = find("solve-code-switch")
    row = items(item("x", "bn")).row(0, named=True)
    loose = prompt_text(row, Condition("c", template.name, reasoning_language="en"), template)
    assert "2. Understanding (Bangla)" in loose
    assert "4. Solution in numbered steps, at least three: 1., 2., 3., … (English)" in loose
    strict = prompt_text(row, Condition("c", template.name, reasoning_language="en", strict=True), template)
    assert "2. Understanding (English)" in strict
    assert "Bangla" not in strict
    own = prompt_text(
        row, Condition("c", template.name, instruction_language="item", reasoning_language="en"), template
    )
    assert "ইংরেজি" in own


def test_braces_of_latex_survive() -> None:
    row = items(item("x", question=r"Simplify $\frac{a}{b}$ {question}")).row(0, named=True)
    text = prompt_text(row, Condition("c", "solve-direct"), find("solve-direct"))
    assert r"$\frac{a}{b}$ {question}" in text


def test_a_cell_that_a_model_cannot_fill_keeps_its_link_with_the_reason() -> None:
    seen = Condition("pic", "culture-vqa", given="picture")
    made = plan(items(item("x", picture="0" * 64)), [seen], [MODEL, SEEING])
    reasons = dict(made.links.select("model", "reason").iter_rows())
    assert reasons == {"m": "m takes no pictures", "eye": None}
    thinking = plan(items(item("x")), [Condition("t", "solve-direct", thinking="on")], [MODEL, SWITCHED])
    assert dict(thinking.links.select("model", "reason").iter_rows())["m"] == "m declares no way to switch thinking on"
    assert msgspec.json.decode(thinking.requests["content"][0])["sampling"] == {"think": True}


def test_a_picture_goes_by_digest_and_a_text_model_gets_it_in_words() -> None:
    row = item("x", picture="ab" * 32, meta='{"description":"A dial stands at 21."}')
    made = plan(items(row), [Condition("v", "culture-vqa")], [MODEL, SEEING])
    shown = dict(zip(made.requests["model"], messages(made.requests), strict=True))
    assert shown["eye"][0]["content"][0] == {"type": "image", "sha256": "ab" * 32, "mime": "image/png"}
    assert "A dial stands at 21." in shown["m"][0]["content"]


def test_sampling_by_answer_type_keeps_source_items_together() -> None:
    rows = [item(f"s{n}", language) for n in range(20) for language in ("en", "bn")]
    made = plan(items(*rows), [Condition("s", "solve-direct", per_answer_type=5)], [MODEL])
    assert made.links.height == 10


def test_what_selects_nothing_is_told() -> None:
    with pytest.raises(StudyError, match="selects no item"):
        plan(items(item("x")), [Condition("a", "solve-direct", select={"language": ("fr",)})], [MODEL])
    with pytest.raises(StudyError, match="no column"):
        plan(items(item("x")), [Condition("a", "solve-direct", select={"tongue": ("fr",)})], [MODEL])
    with pytest.raises(StudyError, match="no text in 'fr'"):
        plan(items(item("x")), [Condition("a", "mcq-direct", instruction_language="fr")], [MODEL])


def test_replicates_at_temperature_zero_are_warned_of() -> None:
    assert not warnings([Condition("a", "solve-direct", replicates=3, sampling={"temperature": 0.7})])
    assert "temperature 0" in warnings([Condition("a", "solve-direct", replicates=3, sampling={"temperature": 0})])[0]


def test_every_bundled_prompt_has_an_english_text_and_only_known_placeholders() -> None:
    for template in bundled().values():
        assert "en" in template.texts, template.name
        for text in template.texts.values():
            assert "{question}" in text or template.task not in ("solve", "mcq", "detect", "identify", "vqa", "bg")


def test_the_two_main_prompts_speak_all_seven_languages() -> None:
    for name in ("solve-direct", "solve-cot"):
        assert set(find(name).texts) == {"bn", "en", "fr", "fi", "tr", "lt", "kk"}


def test_a_prompt_file_with_an_unknown_key_is_refused() -> None:
    with pytest.raises(StudyError, match="unexpected 'verson', did you mean 'version'"):
        parse("mine", 'verson = 1\ntask = "solve"\nmode = "direct"\n[en]\ntext = "x"')


def test_language_names_are_said_in_the_instruction_language() -> None:
    assert language_name("bn", "en") == "Bangla"
    assert language_name("fi", "fi") == "suomi"
    assert language_name("en", "bn") == "ইংরেজি"
    assert language_name("zz", "en") == "zz"
