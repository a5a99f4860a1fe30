"""Multiple choice, error detection and identification."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from covary.scoring import detection, mcq
from covary.scoring.case import Case
from covary.scoring.detection import Detection, decide
from covary.scoring.identification import Identification
from covary.scoring.mcq import MultipleChoice

OPTIONS = ("12 cm", "13 cm", "$\\frac{1}{2}$", "none of these")


@pytest.mark.parametrize(
    ("text", "letter", "rule"),
    [
        ("Final Answer: C", "C", "letter"),
        ("<final>(b)</final>", "B", "letter"),
        ("<final>খ</final>", "B", "letter"),
        ("**Answer:** D. none of these", "D", "letter before its text"),
        ("<final>Option A</final>", "A", "letter named"),
        ("<final>বিকল্প গ</final>", "C", "letter named"),
        ("<final>13 cm</final>", "B", "option text"),
        ("<final>0.5</final>", "C", "option value"),
        ("<final>A and B</final>", None, "no option has this text or value"),
        ("<final>E</final>", None, "E is no option"),
        ("It can be anything, said Madam CONNECTICUTWO", None, "no option has this text or value"),
        ("<final>14 cm</final>", None, "no option has this text or value"),
        ("", None, "empty response"),
    ],
)
def test_an_option_is_chosen_by_letter_text_or_value(text: str, letter: str | None, rule: str) -> None:
    _, choice = mcq.read(text, OPTIONS, "en")
    assert (choice.letter, choice.rule) == (letter, rule)


def test_a_right_choice_scores_1_a_wrong_one_0_and_none_null() -> None:
    def case(text: str) -> Case:
        return Case(text=text, options=OPTIONS, target="B")

    score = MultipleChoice()
    assert [score(case(text)).value for text in ("Final Answer: B", "Final Answer: C", "who knows?")] == [
        1.0,
        0.0,
        None,
    ]


@pytest.mark.data
def test_recorded_letters_are_read_alike_but_for_those_that_answer_nothing(data: Path) -> None:
    """The source takes the last letter from A to Z of some texts without a choice; of 9,064 rows at most 60 differ."""
    differing = total = 0
    options: dict[tuple[str, str], tuple[str, ...]] = {}
    for path in sorted((data / "mathmist" / "mcq").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                bare = tuple(re.sub(r"^\s*[A-D]\s*[.)]\s*", "", text, count=1) for text in row["choices"])
                options[row["lang"], row["id"]] = bare
    for path in sorted((data / "mathmist" / "recorded" / "mcq").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                _, choice = mcq.read(row["generated"], options[row["lang"], row["id"]], row["lang"])
                total += 1
                differing += choice.letter != row["predicted_letter"]
    assert total == 9064
    assert differing <= 60


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<final>yes</final>", "yes"),
        ("<final>না</final>", "no"),
        ("<final>হ্যাঁ</final>", "yes"),
        ("Non. La solution est juste.", "no"),
        ("**Oui**, à l'étape 2.", "yes"),
        ("Kyllä.", "yes"),
        ("Ei.", "no"),
        ("Evet, üçüncü adımda.", "yes"),
        ("Hayır.", "no"),
        ("Taip.", "yes"),
        ("Ne.", "no"),
        ("Иә.", "yes"),
        ("Жоқ.", "no"),
        ("Yes. On second thought, no.", "yes"),
        ("I checked each step.\nDecision: YES", "yes"),
        ("Is each step right? Yes, up to the third. Therefore the solution contains an error.", "yes"),
        ("Step 1: no error. Step 2: no error.\n\nTherefore, the solution is correct.", "no"),
        ("The final value is right, but the reasoning is flawed, even though its result is correct.", "yes"),
        ("The solution is not entirely free of errors.", "yes"),
        ("yes or no", None),
        ("**Yes/No**", None),
        ("<final>yes or no</final>", None),
        ("YES\nNO", None),
        ("The triangle has three sides.", None),
        ("", None),
        (None, None),
    ],
)
def test_the_first_committed_decision_counts_and_two_copied_tokens_do_not(text: str | None, answer: str | None) -> None:
    assert decide(text).answer == answer


def test_detection_compares_with_the_target() -> None:
    score = Detection()
    assert score(Case(text="<final>yes</final>", target="yes")).value == 1.0
    assert score(Case(text="<final>no</final>", target="yes")).value == 0.0
    assert score(Case(text="yes/no", target="yes")).value is None
    assert score(Case(text="<final>no</final>", target="12")).value is None


DIAGNOSIS = "Step 2 is wrong: it divides by zero, which no rule allows.\n<final>yes</final>"


@pytest.mark.parametrize(
    ("text", "target", "value", "outcome"),
    [
        ("<final>no</final>", "yes", 0.0, "FN"),
        ("<final>no</final>", "no", 1.0, "TN"),
        (DIAGNOSIS, "no", 0.0, "FP"),
        (DIAGNOSIS, "yes", None, None),
        ("<final>yes</final>", "yes", None, None),
    ],
)
def test_only_a_diagnosis_of_a_faulty_solution_is_left_to_a_judge(
    text: str, target: str, value: float | None, outcome: str | None
) -> None:
    found = Identification()(Case(text=text, target=target))
    assert (found.value, found.detail["outcome"]) == (value, outcome)
    assert (found.reason == "needs a judge") == (text == DIAGNOSIS and target == "yes")
    assert (found.answer is not None) == (found.reason == "needs a judge")


def test_every_row_gets_one_result() -> None:
    rows = [{"id": 1, "text": "<final>B</final>", "options": list(OPTIONS)}, {"id": 2, "text": None, "error": "bad"}]
    assert [(row["id"], row["letter"]) for row in mcq.try_rows(rows)] == [(1, "B"), (2, None)]
    assert [row["decision"] for row in detection.try_rows([{"id": 1, "text": "Yes."}, {"id": 2}])] == ["yes", None]
