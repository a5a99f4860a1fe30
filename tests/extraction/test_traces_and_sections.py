"""Faults of reasoning traces, and the five sections of a code-switched solution."""

from __future__ import annotations

import pytest

from covary.scoring.case import Case
from covary.scoring.sections import Sections, sections
from covary.scoring.trace import Trace, try_rows


def labels(text: str | None, **known: object) -> list[str]:
    return list(Trace()(Case(text=text, **known)).detail.get("labels", []))  # type: ignore[arg-type]


def test_saying_that_it_is_stuck_is_giving_up() -> None:
    text = "Without that condition it isn't true in general. Hmm, I'm stuck. Maybe the sum is 1."
    found = Trace()(Case(text=text))
    assert (found.value, found.answer) == (1.0, "giving-up")
    span = found.detail["spans"][0]
    assert text[span["start"] : span["end"]] == "I'm stuck" == span["quote"]
    assert labels("সমাধান করতে পারছি না।", language="bn") == ["giving-up"]


def test_a_limit_that_nobody_set_is_self_imposed() -> None:
    text = "But given the time I've spent, I think I've reached the limit of my understanding, so it equals 1."
    assert labels(text) == ["self-imposed-limit"]


def test_turning_back_into_several_answers_is_backtracking() -> None:
    text = (
        "The answer is 6. But wait, the example shows one number. So, perhaps I should list both as separate answers. "
        "Alternatively, only the positive one is meant. Hmm, the answer is -6."
    )
    assert labels(text) == ["backtracking"]
    assert labels("Wait, 3 · 4 = 12. The answer is 12.") == []


def test_a_passage_said_again_and_again_is_a_loop() -> None:
    again = "Rather, the width of the river is not the opposite side, which would be 75 meters, but "
    assert labels("We draw the triangle. " + again * 6) == ["loop"]
    assert labels("Rather, the width of the river is 75 meters.") == []


def test_a_long_or_cut_off_trace_without_an_answer_is_over_long() -> None:
    steps = " ".join(f"In step {number} we add {number} to the sum and look at the next term." for number in range(400))
    assert labels(steps) == ["over-long"]
    assert labels(steps + " <final>12</final>") == []
    assert labels("We begin with the first of many", status="truncated") == ["over-long"]
    assert labels(None, reasoning="We begin with the first of many", status="truncated") == ["over-long"]


def test_words_fused_of_two_scripts_and_stray_scripts_are_a_broken_mixture() -> None:
    assert labels("Сонда жүйeks шығады, ал Almaстыру керек.", language="kk") == ["broken-scripts"]
    assert labels("তাহলে আমরা দুটি সংখ্যা যোগ করে 我们 得到 মান পাই এবং শেষে তা লিখি।", language="bn") == ["broken-scripts"]
    assert labels("তাহলে domain হল $x \\ge 2$ এবং sin θ = 1।", language="bn") == []


def test_no_trace_is_null_and_a_sound_one_0() -> None:
    assert Trace()(Case(text=" ")).value is None
    assert Trace()(Case(text="We add 2 and 3 and get 5.")).value == 0.0
    assert Trace.reads_truncated


def test_rows_of_traces_get_one_result_each() -> None:
    rows = [{"id": 1, "text": "I give up."}, {"id": 2, "error": "bad"}]
    assert [(row["id"], row["labels"]) for row in try_rows(rows)] == [(1, ["giving-up"]), (2, [])]


WHOLE = """1. Problem in brief
We add two numbers.
2. Understanding
Both are whole.
3. Analysis
1) Addition is known.
2) So is order.
4. Solution
1. Take 2.
2. Add 3.
3. Get 5.
4. Say so.
5. Stop.
5. Verification
5 - 3 = 2."""


def test_five_sections_with_three_steps_are_complete() -> None:
    found = Sections()(Case(text=WHOLE))
    assert (found.value, found.detail["sections"], found.detail["steps"]) == (1.0, [1, 2, 3, 4, 5], 5)
    assert WHOLE[sections(WHOLE)[3].start :].startswith("4. Solution")


@pytest.mark.parametrize("digits", ["12345", "১২৩৪৫"])
def test_headings_with_marks_and_digits_of_other_scripts_count(digits: str) -> None:
    names = ["সমস্যা", "বোঝা", "বিশ্লেষণ", "সমাধান", "যাচাই"]
    steps = "\n".join(f"ধাপ {digit}: কাজ" for digit in digits[:3])
    text = "\n".join(
        f"**{digit}. {name}**\n{steps if place == 3 else 'লেখা'}"
        for place, (digit, name) in enumerate(zip(digits, names, strict=True))
    )
    assert Sections()(Case(text=text)).value == 1.0


def test_what_is_missing_is_told() -> None:
    short = WHOLE.replace("5. Verification\n5 - 3 = 2.", "").replace("3. Get 5.\n4. Say so.\n5. Stop.", "")
    found = Sections()(Case(text=short))
    assert found.value == 0.0
    assert found.detail["missing"] == [5] and found.detail["steps"] == 2
    assert found.reason == "section 5 is missing; 2 numbered steps in section 4, 3 were asked for"
    assert Sections()(Case(text="")).value is None
