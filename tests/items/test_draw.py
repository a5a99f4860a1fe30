"""Drawn items: parallel, reproducible, distinct, and honest about where they come from."""

from __future__ import annotations

import json

import polars as pl
import pytest

from covary import digest, schema
from covary.errors import UsageError
from covary.items.draw import draw
from covary.items.languages import BUNDLED
from covary.items.template import bundled_templates
from covary.items.variants import parse_variant

# q from 5 to 400: 396 problems
SMALL = [template for template in bundled_templates() if template.id == "proof-measurements-largest-rectangle"]


@pytest.fixture(scope="module")
def items() -> pl.DataFrame:
    return draw(7, 2, BUNDLED)


def test_every_problem_comes_once_in_every_language(items) -> None:
    assert schema.ITEMS.check(items).height == len(bundled_templates()) * 2 * len(BUNDLED)
    per_problem = items.group_by("source_id").agg(pl.col("language").sort())
    assert per_problem["language"].to_list() == [sorted(BUNDLED)] * per_problem.height
    assert items["item_id"].to_list() == [
        digest.item_id(source, parse_variant(variant))
        for source, variant in zip(items["source_id"], items["variant"], strict=True)
    ]


def test_the_same_seed_gives_the_same_items_and_another_seed_others(items) -> None:
    assert draw(7, 2, BUNDLED).equals(items)
    other = draw(8, 2, ["en"])
    assert len(set(other["source_id"]) & set(items["source_id"])) < other.height / 10


def test_the_first_problems_do_not_depend_on_how_many_are_drawn_nor_on_the_languages(items) -> None:
    few = draw(7, 1, ["kk", "Bangla"])
    assert set(few["source_id"]) < set(items["source_id"])
    shared = items.join(few, on="item_id", how="semi").sort("item_id")
    assert shared.equals(few.sort("item_id"))


# The digest pins seeded draws across machines and versions: a change of it changes everyone's data sets.
def test_draws_are_the_same_on_every_machine() -> None:
    one = draw(1, 3, ["en"], [bundled_templates()[0]])
    assert one["target"].to_list() == ["38", "36", "32"]


def test_languages_say_that_no_native_reader_has_reviewed_them(items) -> None:
    for text in items["provenance"]:
        found = json.loads(text)
        assert found["review"] == "none by a native reader"
        assert found["source"] and found["licence"] == "Apache-2.0" and found["seed"] == 7


def test_meta_tells_template_parameters_steps_and_the_neutral_answer(items) -> None:
    row = items.filter((pl.col("language") == "bn") & (pl.col("domain") == "Arithmetic")).row(0, named=True)
    found = json.loads(row["meta"])
    assert found["template"] == "numerical-arithmetic-grain-left" and set(found["parameters"]) == {"h", "p"}
    assert found["answer"] == row["target"].translate(str.maketrans("০১২৩৪৫৬৭৮৯", "0123456789"))
    assert "\n".join([*found["steps"], row["target"]]) == row["solution"]


def test_bangla_has_no_other_digits_and_others_no_bangla_ones(items) -> None:
    shown = items.select("language", text=pl.concat_str("question", "solution", "target"))
    bangla = shown.filter(pl.col("language") == "bn")
    assert not bangla["text"].str.contains("[0-9]").any()
    assert not shown.filter(pl.col("language") != "bn")["text"].str.contains("[০-৯]").any()


def test_no_placeholder_or_control_character_is_left(items) -> None:
    for column in ("question", "solution", "target"):
        assert not items[column].str.contains(r"<[a-z_0-9]+(:[a-z])?>|\[[a-z]+[23]?\]").any()
        assert not items[column].str.contains(r"[\x00-\x09\x0b-\x1f\x7f\x{FFFD}]").any()
        assert (items[column].str.count_matches(r"\$") % 2 == 0).all()
        assert (items[column].str.count_matches(r"\{") == items[column].str.count_matches(r"\}")).all()
        assert items[column].to_list() == items[column].str.normalize("NFC").to_list()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 0, ["en"]), "at least 1 item per template, found 0"),
        ((1, 1, []), "at least one language"),
        ((1, 1, ["en", "Frensh"]), "did you mean 'french'"),
        ((1, 1, ["sw"]), r"has no question in Swahili \(sw\); it has bn, en"),
        ((1, 500, ["en"]), "gave only 396 distinct problems, 500 were asked for"),
    ],
)
def test_a_wrong_request_gets_one_line(arguments, message) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        draw(*arguments, templates=SMALL)
    assert "\n" not in str(caught.value)
