"""Every planted fault is told by its rule; what is clean is left alone; findings are whole."""

from __future__ import annotations

import copy
import json
import re
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lint import innocent, planted

from covary import lint
from covary.build.perturb_rules import perturb_by_rule
from covary.errors import UsageError
from covary.items.draw import draw
from covary.lint.characters import repaired
from covary.lint.formulas import core
from covary.lint.masking import ascii_digits, digit_runs
from covary.lint.options import value
from covary.lint.rules import ALL_IDS, CULTURE_IDS, RULES

NOT_PLANTED = {"description-language", "no-clean-controls", "artefact", "decimal-comma"}


@cache
def _clean() -> list[planted.Row]:
    return planted.clean_set()


def _ids(found: pl.DataFrame) -> set[str]:
    return set(found["rule"])


@pytest.mark.parametrize("rule,plant", planted.PLANTS, ids=[rule for rule, _ in planted.PLANTS])
def test_a_planted_fault_is_found_by_its_rule(rule: str, plant: planted.Plant) -> None:
    rows = copy.deepcopy(_clean())
    plant(rows)
    found = lint.run(planted.frame(rows), [rule])
    assert _ids(found) == {rule}
    assert set(found["severity"]) <= {"error", "warning", "note"}
    assert found["expected"].str.len_chars().min() and found["suggestion"].str.len_chars().min()


@pytest.mark.parametrize("rule,plant", innocent.INNOCENT, ids=[rule for rule, _ in innocent.INNOCENT])
def test_what_only_looks_like_a_fault_is_left_alone(rule: str, plant: planted.Plant) -> None:
    rows = copy.deepcopy(_clean())
    plant(rows)
    changed = [row["item_id"] for row, before in zip(rows, _clean(), strict=True) if row != before]
    assert changed
    found = lint.run(planted.frame(rows), [rule])
    assert found.filter(pl.col("item_id").is_in(changed)).to_dicts() == []


def test_every_rule_has_a_planted_fault_and_a_near_miss() -> None:
    every = {name for rule in RULES for name in rule.ids}
    assert {rule for rule, _ in planted.PLANTS} | NOT_PLANTED == every
    assert {rule for rule, _ in innocent.INNOCENT} | NOT_PLANTED | {"key-position", "last-line-strict"} == every


def test_the_set_without_plants_has_no_error_and_no_warning() -> None:
    found = lint.run(planted.frame(copy.deepcopy(_clean())))
    assert _ids(found.filter(pl.col("severity") != "note")) == set()


def test_bundled_templates_have_no_finding() -> None:
    assert lint.run(draw(5, 1, ("bn", "en", "fr", "fi", "tr", "lt", "kk"))).height == 0


def test_errors_by_rule_have_no_finding() -> None:
    assert lint.run(perturb_by_rule(draw(5, 1, ("bn", "en")), 5)).height == 0


def test_a_description_in_another_script_is_told() -> None:
    rows = [row for row in copy.deepcopy(_clean()) if row["language"] == "bn" and row["format"] == "open"][:1]
    row = planted.solution(rows[0])
    assert _ids(lint.run(planted.frame([row]), ["description-language"])) == {"description-language"}


def test_damage_on_one_side_only_is_an_artefact() -> None:
    rows = [
        planted.solution(row) for row in copy.deepcopy(_clean()) if row["language"] == "en" and row["format"] == "open"
    ]
    for row in rows:
        row["solution"] = "$\frac{1}{2}$\n" + row["solution"]
    found = lint.run(planted.frame(rows), ["artefact", "no-clean-controls"])
    assert _ids(found) == {"artefact", "no-clean-controls"}


def test_decimal_commas_are_noted_where_a_language_mixes_marks() -> None:
    rows = [row for row in copy.deepcopy(_clean()) if row["format"] == "open" and row["language"] in ("en", "fr")]
    sources = list(dict.fromkeys(row["source_id"] for row in rows))[:2]
    rows = [row for row in rows if row["source_id"] in sources]
    for row in rows:
        row["target"] = "2,5" if (row["language"], row["source_id"]) == ("fr", sources[0]) else "2.5"
    found = lint.run(planted.frame(rows), ["decimal-comma", "decimal-mark"])
    assert sorted(found["rule"]) == ["decimal-comma", "decimal-mark"]


def test_conversation_items_get_the_culture_rules() -> None:
    row = planted.remade(
        _clean()[0], {"cue_level": "Neutral", "language": "en"}, format="conversation", cue_level="Neutral"
    )
    found = lint.run(
        planted.frame([row | {"question": "How much is it in dollars?", "conversation": [], "meta": "{}"}])
    )
    assert _ids(found) <= set(CULTURE_IDS)
    assert "given-away" in _ids(found)


def test_an_unknown_rule_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="odd-dollars"):
        lint.run(planted.frame(_clean()[:1]), ["odd-dolars"])


def test_an_empty_set_has_no_finding() -> None:
    assert lint.run(planted.frame(_clean()[:1]).clear()).height == 0


def test_pieces_change_nothing() -> None:
    rows = copy.deepcopy(_clean())
    planted.edit("question", lambda text: text + " $x")(rows)
    items = planted.frame(rows)
    mapped = lint.run(items, workers=lambda check, parts: (check(part) for part in parts))
    assert mapped.equals(lint.run(items))


def test_the_repair_is_proposed() -> None:
    assert repaired("$3 \times \frac{1}{2}$") == r"$3 \times \frac{1}{2}$"
    assert repaired("\right) \beta") == r"\right) \beta"


@pytest.mark.parametrize(
    "one,other",
    [
        (r"\frac{x^2+1}{x}", "(x^2+1)/x"),
        (r"0.\dot{2}\dot{7}", r"0,\overline{27}"),
        (r"\text{cosec} A", r"\csc A"),
        (r"a \le b", "a ≤ b"),
    ],
)
def test_formulas_in_other_notations_are_the_same(one: str, other: str) -> None:
    assert core(one) == core(other)


@pytest.mark.parametrize(
    "one,other", [("26/30", r"\frac{13}{15}"), ("5", r"\frac{20}{4}"), ("1\\frac{1}{2}", "1.5"), ("0.20", "1/5")]
)
def test_equal_numbers_have_one_value(one: str, other: str) -> None:
    assert value(one, "en") == value(other, "en") is not None


@given(st.integers(min_value=0, max_value=10**9))
def test_a_number_reads_the_same_in_every_script(number: int) -> None:
    for zero in "০०٠۰၀":
        text = "".join(chr(ord(zero) + int(digit)) for digit in str(number))
        assert digit_runs(text) == digit_runs(str(number))
        assert ascii_digits(text) == str(number)


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=200))
def test_no_text_breaks_a_rule(text: str) -> None:
    row = _clean()[0]
    rules = [name for rule in RULES if rule.kind == "text" for name in rule.ids]
    lint.run(planted.frame([row | {"question": text or "x", "target": text, "solution": text}]), rules)


def test_every_rule_is_documented_with_a_true_and_a_false_example() -> None:
    page = (Path(__file__).parents[2] / "docs" / "lint.md").read_text(encoding="utf-8")
    lines = {found.group(1): found.group() for found in re.finditer(r"^\| `([a-z0-9-]+)` \|.*$", page, re.MULTILINE)}
    assert set(ALL_IDS) <= set(lines)
    for rule in ALL_IDS:
        assert len(re.split(r"(?<!\\)\|", lines[rule])) == 7, rule


def test_findings_are_json() -> None:
    rows = copy.deepcopy(_clean())
    planted.edit("question", lambda text: text + " $x")(rows)
    for finding in lint.run(planted.frame(rows), ["odd-dollars"]).iter_rows(named=True):
        assert json.loads(json.dumps(finding))["field"] == "question"
