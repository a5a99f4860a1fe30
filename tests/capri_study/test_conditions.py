"""The study's conditions: what a background request sees, what stands for a picture, and the ones to switch on."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import polars as pl
import pytest

from covary.build import pictures
from covary.build.capri import build_capri
from covary.prompts.plan import plan
from covary.prompts.requests import Model, content_of
from covary.studies import builtin
from covary.studies.declaration import Study, parse

TEXT = builtin.text("capri")
UNITS = re.compile(r"°|\b(?:celsius|fahrenheit|degrees?|metres?|meters?|feet|km|miles?|dollars?|euros?)\b|[$€£¥]", re.I)


@pytest.fixture(scope="module")
def items() -> pl.DataFrame:
    """One picture of a thermometer, with all its conversations."""
    return build_capri(0, pictures=pictures.specifications(0)[:1]).items


def with_all_conditions() -> Study:
    """The study with the conditions that its file holds behind marks."""
    switched = re.sub(
        r"^# (?=\[\[conditions\]\]|(?:name|prompt|given|thinking|replicates|sampling|select|scorers) = )",
        "",
        TEXT,
        flags=re.M,
    )
    return parse(switched, "capri.toml")


def messages(items: pl.DataFrame, study: Study, condition: str, model: str = "gemma-4-e4b") -> list[object]:
    """The content of the first message of every request of a condition."""
    conditions = [entry for entry in study.conditions if entry.name == condition]
    models = [entry for entry in study.models if entry.name == model] or [Model(model)]
    requests = plan(items, conditions, models).requests
    return [content_of(content)["messages"][0]["content"] for content in requests["content"]]


def test_the_conditions_to_switch_on_are_valid() -> None:
    more = {condition.name for condition in with_all_conditions().conditions} - {
        condition.name for condition in parse(TEXT, "capri.toml").conditions
    }
    assert more == {"vqa-again", "bg-shown", "vqa-in-words", "vqa-by-steps"}


def test_background_sees_the_conversation_alone_unless_told_otherwise(items: pl.DataFrame) -> None:
    study = parse(TEXT, "capri.toml")
    assert all(isinstance(content, str) for content in messages(items, study, "bg-direct"))
    seen = replace(
        study, conditions=tuple(replace(c, given="picture") for c in study.conditions if c.name == "bg-direct")
    )
    assert all(content[0]["type"] == "image" for content in messages(items, seen, "bg-direct"))


def test_a_background_request_at_null_holds_nothing_but_the_question(items: pl.DataFrame) -> None:
    null = items.filter(pl.col("cue_level") == "Null")
    (content,) = messages(null, parse(TEXT, "capri.toml"), "bg-direct")
    assert str(content).rstrip().endswith("User: What temperature does the picture show?")


@pytest.mark.parametrize("model", ["gemma-4-e4b", "a-blind-one"])
def test_pictures_told_in_words_come_without_a_unit(items: pl.DataFrame, model: str) -> None:
    condition = "vqa-in-words" if model == "gemma-4-e4b" else "vqa-direct"
    neutral = items.filter(pl.col("cue_level") == "Null")
    study = with_all_conditions()
    if model == "a-blind-one":
        study = replace(study, conditions=tuple(replace(c, thinking="default") for c in study.conditions))
    (content,) = messages(neutral, study, condition, model)
    assert isinstance(content, str)
    told = content.split("(The picture in words:")[1]
    assert json.loads(items["meta"][0])["description"] in content
    assert not UNITS.search(told)


def test_the_pragmatic_prompt_asks_who_which_convention_and_what(items: pl.DataFrame) -> None:
    content = messages(items.head(1), parse(TEXT, "capri.toml"), "vqa-pragmatic")[0]
    text = content[1]["text"] if isinstance(content, list) else str(content)
    assert all(step in text for step in ("1. Who is the user?", "2. Which convention", "3. Read the picture"))


def test_answers_are_greedy_and_long_enough_for_their_mode() -> None:
    study = parse(TEXT, "capri.toml")
    asked = {condition.name: (condition.thinking, dict(condition.sampling)) for condition in study.conditions}
    direct, thinking = {"temperature": 0, "max_tokens": 256}, {"temperature": 0, "max_tokens": 2048}
    assert asked == {
        "bg-direct": ("off", direct), "bg-cot": ("on", thinking), "vqa-direct": ("off", direct),
        "vqa-cot": ("on", thinking), "vqa-pragmatic": ("on", thinking),
    }  # fmt: skip


def test_every_model_of_the_paper_can_be_asked_in_the_modes_that_it_has(items: pl.DataFrame) -> None:
    study = parse(TEXT, "capri.toml")
    null = items.filter(pl.col("cue_level") == "Null")
    links = plan(null, study.conditions, study.models).links.drop_nulls("request_id")
    modes = {name: set(part["condition"]) for (name,), part in links.group_by("model")}
    direct, thinking = {"bg-direct", "vqa-direct"}, {"bg-cot", "vqa-cot", "vqa-pragmatic"}
    assert modes["llama-3.2-11b-vision"] == modes["qwen3-vl-8b-instruct"] == modes["qwen3-vl-32b-instruct"] == direct
    assert modes["qwen3-vl-8b-thinking"] == modes["qwen3-vl-32b-thinking"] == thinking
    assert modes["gemma-4-e2b"] == modes["gemma-4-31b"] == modes["gemini-3.1-flash-lite"] == direct | thinking


def test_a_plan_counts_background_apart_and_by_distinct_requests(items: pl.DataFrame) -> None:
    study = parse(TEXT, "capri.toml")
    models = [model for model in study.models if model.name == "llama-3.2-11b-vision"]
    links = plan(items, study.conditions, models).links.drop_nulls("request_id")
    counts = {name: part["request_id"].n_unique() for (name,), part in links.group_by("condition")}
    # one picture, three scaffolds, ten cultures: one at Null, three at Neutral, thirty at each of four levels
    assert counts == {"bg-direct": 1 + 3 + 4 * 30, "vqa-direct": 1 + 3 + 4 * 30}
    null = links.join(items.filter(pl.col("cue_level") == "Null").select("item_id"), on="item_id")
    assert null.filter(pl.col("condition") == "bg-direct")["request_id"].n_unique() == 1
