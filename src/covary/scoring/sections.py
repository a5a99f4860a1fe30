"""The form that a code-switched solution was asked for: five numbered sections, and at least three numbered steps in the fourth."""

from __future__ import annotations

import re
from typing import NamedTuple

from covary.scoring.case import Case, Judgement

_NUMBERED = re.compile(r"^[ \t]*(?P<mark>[#*_>\-\s]{0,12})(?P<number>\d{1,2})\s*(?:️⃣)?[.):।\-–][ \t*_]*", re.M)
_STEP = re.compile(
    r"^[ \t]*[#*_>\-\s]{0,12}(?:(?:steps?|ধাপ|পদক্ষেপ|[ée]tape|vaihe|adım|žingsnis|қадам)\s*)?(?:4\s*\.\s*)?(\d{1,2})\s*(?:[-–]?(?:žingsnis|қадам|adım))?\s*[.):।\-–*]",
    re.I | re.M,
)


class Section(NamedTuple):
    """A numbered section: its number and where its text starts and ends."""

    number: int
    start: int
    end: int


class Sections:
    """Value 1 where all sections and enough steps are there, 0 with what is missing, null for an empty response."""

    name = "sections"
    version = 1
    reads_truncated = True

    def __init__(self, count: int = 5, steps_section: int = 4, min_steps: int = 3) -> None:
        self._count = count
        self._steps_section = steps_section
        self._min_steps = min_steps

    def __call__(self, case: Case) -> Judgement:
        if not case.text or not case.text.strip():
            return Judgement(None, None, "empty response")
        found = sections(case.text, self._count, self._steps_section)
        numbers = [section.number for section in found]
        missing = [number for number in range(1, self._count + 1) if number not in numbers]
        steps = next(
            (
                count_steps(case.text[section.start : section.end])
                for section in found
                if section.number == self._steps_section
            ),
            0,
        )
        detail = {"sections": numbers, "missing": missing, "steps": steps}
        complaints = [f"section {number} is missing" for number in missing]
        if self._steps_section in numbers and steps < self._min_steps:
            complaints.append(
                f"{steps} numbered steps in section {self._steps_section}, {self._min_steps} were asked for"
            )
        shown = f"{len(numbers)} sections, {steps} steps"
        return Judgement(shown, float(not complaints), "; ".join(complaints) or "complete", detail)


def sections(text: str, count: int = 5, steps_section: int = 4) -> list[Section]:
    """The numbered sections of a text in order, as far as they go. Headings with marks (#, **) win over plain lines.

    Steps are numbered too: the last section is the last line with its number, and of several lines that could open the
    section of steps, the one with the most steps behind it does.
    """
    lines = [
        (int(match["number"]), match.start(), bool(re.search(r"[#*]", match["mark"])))
        for match in _NUMBERED.finditer(text)
    ]
    marked = [(number, start) for number, start, headed in lines if headed]
    plain = [(number, start) for number, start, _ in lines]
    chains = [_chain(text, marked, count, steps_section), _chain(text, plain, count, steps_section)]
    chain = max(chains, key=len)
    ends = [*(start for _, start in chain[1:]), len(text)][: len(chain)]
    return [Section(number, start, end) for (number, start), end in zip(chain, ends, strict=True)]


def count_steps(text: str) -> int:
    """How many steps numbered 1, 2, 3, … in order stand in a section's text, its heading left out."""
    body = text.split("\n", 1)[1] if "\n" in text else ""
    expected = 1
    for match in _STEP.finditer(body):
        if int(match[1]) == expected:
            expected += 1
    return expected - 1


def _chain(text: str, lines: list[tuple[int, int]], count: int, steps_section: int) -> list[tuple[int, int]]:
    chain: list[tuple[int, int]] = []
    last = [start for number, start in lines if number == count]
    for wanted in range(1, count + 1):
        after = chain[-1][1] if chain else -1
        starts = [start for number, start in lines if number == wanted and start > after]
        if wanted < count and last and any(start < last[-1] for start in starts):
            starts = [start for start in starts if start < last[-1]]
        if not starts:
            continue
        if wanted == count:
            chosen = starts[-1]
        elif wanted == steps_section:
            end = last[-1] if last else len(text)
            chosen = max(starts, key=lambda start: (count_steps(text[start:end]), -start))
        else:
            chosen = starts[0]
        chain.append((wanted, chosen))
    return chain
