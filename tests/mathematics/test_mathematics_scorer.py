"""Equivalence as a scorer and over plain rows."""

from __future__ import annotations

from covary.scoring.case import Case
from covary.scoring.extract import Extraction
from covary.scoring.mathematics import Mathematics, try_rows


def whole(case: Case) -> Extraction:
    return Extraction((case.text,), "published") if case.text else Extraction((), "none", "empty response")


SCORER = Mathematics(whole)


def test_equal_is_one_not_equal_zero_and_undecided_null() -> None:
    assert SCORER(Case("0.5", target="1/2")).value == 1.0
    assert SCORER(Case("0.6", target="1/2")).value == 0.0
    undecided = SCORER(Case("12%", target="12"))
    assert undecided.value is None
    assert undecided.reason


def test_failed_is_not_wrong() -> None:
    assert SCORER(Case(None, status="error", target="1")).value is None
    assert SCORER(Case(None, target="1")).value is None
    assert SCORER(Case(None, target="1")).reason == "no answer: empty response"
    assert SCORER(Case("1", target=None)).value is None


def test_a_score_says_how_its_answer_was_read() -> None:
    detail = Mathematics()(Case("So it is <final>4</final>", target="4")).detail
    assert (detail["verdict"], detail["extracted_by"]) == ("equal", "final-tag")


def test_the_papers_tolerance_is_a_policy() -> None:
    close = Case("0.009", target="0.00001")
    assert Mathematics(whole, policy="paper")(close).value == 1.0
    assert Mathematics(whole)(close).value == 0.0


def test_the_language_of_the_answer_settles_its_marks() -> None:
    assert SCORER(Case("0,5", target="1/2", language="fi")).value == 1.0


def test_every_row_gets_one_result_and_bad_rows_are_undecided() -> None:
    rows = [
        {"id": "a", "gold": "1/2", "answer": "0.5"},
        {"id": "b", "gold": "1/2"},
        {"id": "c", "gold": 3, "answer": "3"},
        "no row",
        {"id": "d", "gold": "3,5", "answer": "3.5", "language": "Finnish", "answer_type": None},
    ]
    found = list(try_rows(rows))
    assert [row["id"] for row in found] == ["a", "b", "c", None, "d"]
    assert [row["verdict"] for row in found] == ["equal", "undecided", "undecided", "undecided", "equal"]
    assert all(row["reason"] and row["ms"] >= 0 for row in found)
