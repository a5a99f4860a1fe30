"""What extraction takes for an answer, and what it refuses to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.scoring.case import Case
from covary.scoring.extract import Policy, answer_of, extract, try_rows


@pytest.mark.parametrize(
    ("text", "answers", "rule"),
    [
        ("So it is.\n<final>3/4</final>", ("3/4",), "final-tag"),
        ("<final>\\frac{a}{b</final>", ("\\frac{a}{b}",), "final-tag"),
        ("<final>\\boxed{\\frac{1}{2}}</final>", ("\\frac{1}{2}",), "final-tag"),
        ("<final>Answer: 12</final>", ("12",), "final-tag"),
        ("<final>12. Explanation: twelve months</final>", ("12",), "final-tag"),
        ("<final>7<final>", ("7",), "final-tag"),
        ("<final_answer>7</final_answer>", ("7",), "final-tag"),
        ("<final>1</final>\n<final>2</final>", ("1", "2"), "final-tag"),
        ("<final>{}</final>", ("{}",), "final-tag"),
        ("Hence $\\boxed{\\frac{2\\sqrt{2}}{3}}$.", ("\\frac{2\\sqrt{2}}{3}",), "boxed"),
        ("$\\boxed{x=1}$ and $\\boxed{y=2}$", ("x=1", "y=2"), "boxed"),
        ("It is $\\boxed{\\frac{5}{15}}$ i.e. $\\boxed{\\frac{1}{3}}$.", ("\\frac{1}{3}",), "boxed"),
        ("So $B=\\sqrt{3}$ [Q.E.D.]", ("$B=\\sqrt{3}$",), "last-line"),
        ("So there are 78 and 87. But of these only 78 fits.", ("But of these only 78 fits",), "last-line"),
        ("First $\\boxed{1}$.\nIn the end $\\boxed{2}$.", ("2",), "boxed"),
        ("Among these only $\\boxed{-7}$ matches.\n\nFinal Answer: C", ("C",), "phrase"),
        ("চূড়ান্ত উত্তর:\n৪২", ("৪২",), "phrase"),
        ("**Réponse finale :** 12 cm", ("12 cm",), "phrase"),
        ("**Vastaus:**\n\n$\\sqrt{6}$", ("$\\sqrt{6}$",), "phrase"),
        ("Cevap: 5", ("5",), "phrase"),
        ("Atsakymas: 5", ("5",), "phrase"),
        ("Жауабы: 5", ("5",), "phrase"),
        ("Final Answer:\n\\[\n x=a,\\quad y=b\n\\]", ("x=a,\\quad y=b",), "phrase"),
        ("We add and see that the answer is 12 cm. Nice.", ("12 cm",), "stated"),
        ("Add.\n\nসুতরাং, সংখ্যাটি হল 27।", ("সংখ্যাটি হল 27",), "last-line"),
        ("Multiply: 3 · 4. Therefore, x = 12.", ("x = 12",), "last-line"),
        ("Add them.\n\\[a = 1 + 2 = 3\\]", ("a = 1 + 2 = 3",), "last-line"),
        ("28", ("28",), "last-line"),
    ],
)
def test_an_answer_is_found_by_its_rule(text: str, answers: tuple[str, ...], rule: str) -> None:
    found = extract(text)
    assert (found.answers, found.rule) == (answers, rule)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        " \n ",
        "<think>so 12</think>",
        "<think>it may be 12, or rather",
        "<final>…</final>",
        "<final></final>",
        "<final>[Numeric result]</final>",
        "Final Answer:\n<final>[your final answer here]</final>",
        "We solve it step by step. " * 20 + "Now we divide $\\frac{3}{4",
        "We get 12 and again 12 in the end, so. " * 30,
        "I'm sorry, I can't solve this problem.",
        "আমি এই সমস্যাটি সমাধান করতে পারছি না।",
        "Solving this equation for $b$ will give us the length of the base.",
        "Which of the two numbers do you mean?",
        "x = 12 +",
    ],
)
def test_no_answer_is_invented(text: str | None) -> None:
    found = extract(text)
    assert found.answers == () and found.answer is None and found.rule == "none" and found.note


def test_reasoning_between_think_tags_never_counts() -> None:
    assert extract("<think>\\boxed{1}</think>\n<final>2</final>").answers == ("2",)
    assert extract("maybe <final>1</final></think>\nThe answer is 2.").answers == ("2",)


def test_a_cut_off_response_gives_only_what_it_finished() -> None:
    assert extract("<final>12", status="truncated").answers == ()
    assert extract("so $\\boxed{12", status="truncated").answers == ()
    assert extract("so it is 12 at last", status="truncated").answers == ()
    assert extract("<final>12</final> and fur", status="truncated").answers == ("12",)


def test_the_prompts_own_example_is_no_answer() -> None:
    prompt = "Close like this: <final>√10 is irrational</final>"
    assert extract("<final>√10 is irrational</final>", prompt=prompt).answers == ()
    assert extract("<final>√11 is irrational</final>", prompt=prompt).answers == ("√11 is irrational",)


def test_answers_apart_follow_the_policy() -> None:
    text = "<final>1</final>\nWait, that is wrong: " + "the sign was lost on the way. " * 6 + "\n<final>2</final>"
    assert extract(text).answers == ("2",)
    assert extract(text, policy=Policy(several="first")).answers == ("1",)
    assert extract(text, policy=Policy(several="last")).answers == ("2",)
    assert extract(text, policy=Policy(several="all")).answers == ("1", "2")
    assert extract(text, policy=Policy(several="none")).answers == ()
    assert extract("x = 5", policy=Policy(last_line=False)).answers == ()


def test_the_sources_own_extraction_stands_in_for_a_text_that_was_not_published() -> None:
    found = answer_of(Case(text=None, detail={"extracted": ["12", "13"]}))
    assert (found.answers, found.rule) == (("12",), "published")
    assert answer_of(Case(text=None, detail={"extracted": [""]})).rule == "none"


def test_every_row_gets_one_result() -> None:
    rows = [{"id": 1, "text": "<final>2</final>"}, {"id": 2}, {"id": 3, "text": 5, "error": "line 3: not an object"}]
    results = list(try_rows(rows))
    assert [(result["id"], result["answer"], result["rule"]) for result in results] == [
        (1, "2", "final-tag"),
        (2, None, "none"),
        (3, None, "none"),
    ]
    assert results[2]["note"] == "line 3: not an object"


@given(st.text(alphabet="<final>/think \\boxed{}$.\n।1a:*[]", max_size=300))
def test_any_text_gives_a_result(text: str) -> None:
    found = extract(text)
    assert bool(found.answers) == (found.rule != "none")
    assert all(answer.strip() == answer and answer for answer in found.answers)


def test_a_text_of_twenty_thousand_open_marks_gives_no_answer() -> None:
    found = extract("<final> \\boxed{ answer: " * 20_000)
    assert found.answers == ()
