"""What counts as the same answer, kind by kind; golden rows; policy; reasons."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.mathematics.equivalence_pairs import PAIRS

from covary.mathematics.equivalence import equivalent, explain
from covary.mathematics.verdict import PAPER

GOLDEN = [json.loads(line) for line in (Path(__file__).parent / "golden.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("kind", PAIRS)
def test_every_pair_of_the_kind_has_an_accepted_outcome(kind: str) -> None:
    wrong = [
        (language, one, other, found.verdict, found.reason)
        for language, one, other, accepted in PAIRS[kind]
        if (found := equivalent(other, one, language=language)).verdict not in accepted
    ]
    assert not wrong


@pytest.mark.parametrize("kind", PAIRS)
def test_every_pair_of_the_kind_is_symmetric(kind: str) -> None:
    for language, one, other, _ in PAIRS[kind]:
        there, back = equivalent(one, other, language=language), equivalent(other, one, language=language)
        assert (there.verdict, there.reason) == (back.verdict, back.reason), (one, other)


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: row["id"])
def test_golden_rows_keep_their_outcome(row: dict[str, str]) -> None:
    found = equivalent(row["answer"], row["target"], language=row["language"], answer_type=row.get("answer_type"))
    assert found.verdict == row["expected"], found


def test_a_language_is_taken_by_name_or_code() -> None:
    for language in ("Finnish", "fi", "FI", "fi-FI", "suomi"):
        assert equivalent("3,75", "15/4", language=language).verdict == "equal"


def test_an_unknown_language_is_read_with_english_marks() -> None:
    assert equivalent("1,234", "1234", language="Klingon").verdict == "equal"


def test_a_proof_is_decided_by_identity_only() -> None:
    assert equivalent("a = b", "a=b", answer_type="Proof").verdict == "equal"
    assert equivalent("a = c", "a = b", answer_type="Proof").verdict == "undecided"
    assert equivalent("2", "1", answer_type="Proof").verdict == "undecided"


def test_the_paper_policy_takes_any_two_numbers_within_a_hundredth() -> None:
    # |0.002 - 0.009| = 0.007 <= 0.01; by stated decimals they are two numbers
    assert equivalent("0.002", "0.009", policy=PAPER).verdict == "equal"
    assert equivalent("0.002", "0.009").verdict == "not_equal"
    assert equivalent("1/3", "0.35", policy=PAPER).verdict == "not_equal"


def test_answer_type_says_whether_the_right_side_of_an_equation_is_the_answer() -> None:
    assert equivalent("a^2 + b^2 = 13", "13", answer_type="Numerical").verdict == "equal"
    assert equivalent("a^2 + b^2 = 13", "13", answer_type="Symbolic").verdict == "undecided"


def test_not_equal_needs_both_sides_understood() -> None:
    prose = "We first look at the triangle whose sides nobody knows, perhaps 7 of them"
    assert equivalent(prose, "12").verdict == "undecided"


def test_a_value_after_a_final_answer_phrase_in_prose_is_compared() -> None:
    prose = "Let us try with several cases and see, like so. Final answer: 12"
    assert equivalent(prose, "12").verdict == "equal"
    assert equivalent(prose, "13").verdict == "not_equal"


def test_repairs_are_reported() -> None:
    found = equivalent("\x0crac{3}{7}", r"\frac{3}{7}")
    assert found.verdict == "equal"
    assert any("backslash" in step for step in found.evidence)


def test_text_after_an_explanation_heading_is_left_out() -> None:
    assert equivalent("5 Explanation: since 2 + 3 = 5 and 7 - 2 = 5 too", "5").verdict == "equal"


def test_explain_names_each_side_its_readings_and_the_rule() -> None:
    steps = explain("1,234", "1.234", "en")
    assert any("1234" in step for step in steps)
    assert any("1 | 234" in step for step in steps)
    assert steps[-1].startswith("verdict: not_equal")


def test_explain_says_why_a_text_was_not_read() -> None:
    assert any("not read" in step for step in explain("the answer is not 24", "24", "en"))


def test_symbols_may_be_of_either_sign_unless_only_positive_ones_agree() -> None:
    assert equivalent(r"\sqrt{x^2}", "|x|").verdict == "equal"
    assert equivalent(r"\sqrt{x^2}", "x").verdict == "undecided"


def test_code_is_not_read() -> None:
    assert equivalent("eval('2+2')", "4").verdict == "undecided"
    assert equivalent("__import__('os').system('id')", "0").verdict != "equal"
