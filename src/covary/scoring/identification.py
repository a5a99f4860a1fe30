"""Error identification: what rules can tell of a diagnosis. Whether it names the planted mistake is left to a judge.

| item | response | outcome | value |
|---|---|---|---|
| faulty | a diagnosis that names the planted mistake | TP | judge says 1 |
| faulty | a diagnosis that finds fault only elsewhere | FP | judge says 0 |
| faulty | "no mistake" | FN | 0 |
| clean | "no mistake" | TN | 1 |
| clean | a diagnosis of a mistake | FP | 0 |

No decision at all is null. A false positive on a faulty item is the published rule's "found an error, but not the right one".
"""

from __future__ import annotations

import re

from covary.scoring.case import Case, Judgement
from covary.scoring.detection import decide
from covary.scoring.words import alternatives, words

LEAST_DIAGNOSIS = 15  # letters that a diagnosis needs beside its yes
NEEDS_JUDGE = "needs a judge"
_TAGS = re.compile(r"<\s*/?\s*final[^>\n]{0,10}>", re.I)
_TOKENS = re.compile(alternatives([*words("verdict_words")["yes"], *words("verdict_words")["no"]]), re.I)


class Identification:
    """Value 1 for a right "no mistake", 0 for a wrong decision, null with "needs a judge" for a diagnosis of a faulty item.

    The answer is the diagnosis as written: what a judge compares with the description of the planted mistakes.
    """

    name = "identification"
    version = 1

    def __call__(self, case: Case) -> Judgement:
        decision = decide(case.text, case.status)
        diagnosis = (case.text or "").strip()
        if decision.answer is None:
            return Judgement(None, None, decision.reason)
        if case.target not in ("yes", "no"):
            return Judgement(diagnosis, None, f"the target must be yes or no, found {case.target!r}")
        detail = {"decision": decision.answer, "rule": decision.reason}
        if decision.answer == "no":
            missed = case.target == "yes"
            reason = (
                "FN: no mistake found in a faulty solution" if missed else "TN: no mistake found in a clean solution"
            )
            return Judgement(None, 0.0 if missed else 1.0, reason, {**detail, "outcome": "FN" if missed else "TN"})
        if case.target == "no":
            reason = "FP: a mistake claimed in a clean solution"
            return Judgement(None, 0.0, reason, {**detail, "outcome": "FP"})
        if not _diagnoses(diagnosis):
            reason = "no diagnosis: a mistake claimed and none named"
            return Judgement(None, None, reason, {**detail, "outcome": None})
        return Judgement(diagnosis, None, NEEDS_JUDGE, {**detail, "outcome": None})


def _diagnoses(text: str) -> bool:
    """Whether anything but the decision itself is said."""
    rest = _TOKENS.sub(" ", _TAGS.sub(" ", text))
    return sum(character.isalpha() for character in rest) >= LEAST_DIAGNOSIS
