"""Error detection: the first decision that a response commits to, yes or no, in seven languages.

A response that holds both tokens of the prompt without committing to one gives no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from covary.scoring.case import Case, Judgement
from covary.scoring.extract import extract

YES = ("yes", "হ্যাঁ", "হাঁ", "oui", "kyllä", "evet", "taip", "иә", "ия")
NO = ("no", "না", "non", "ei", "hayır", "ne", "жоқ")
_WORD = re.compile(r"(?<!\w)(" + "|".join(sorted((*YES, *NO), key=len, reverse=True)) + r")(?![\w\u0980-\u09ff])", re.I)
_BOTH = re.compile(
    r"(?:" + "|".join(YES) + r")\s*(?:/|\||or|অথবা|বা|ou|tai|veya|arba|немесе)\s*(?:" + "|".join(NO) + r")(?!\w)", re.I
)


class Detection:
    """Value 1 where the decision equals the target ("yes": the solution holds a mistake), 0 where it doesn't, else null."""

    name = "detection"
    version = 1

    def __call__(self, case: Case) -> Judgement:
        found, why = decide(case.text, case.status)
        if found is None:
            return Judgement(None, None, why)
        if case.target not in ("yes", "no"):
            return Judgement(found, None, f"the target must be yes or no, found {case.target!r}")
        return Judgement(found, float(found == case.target), why)


def decide(text: str | None, status: str = "ok") -> tuple[str | None, str]:
    """("yes" | "no" | None, why): the decision in a final tag, box or phrase first, else the first committed word."""
    found = extract(text, status=status)
    if found.answer is not None and found.rule != "last-line":
        decision = _first(found.answer)
        if decision is not None:
            return decision, f"{found.rule}: {decision}"
    if not text or not text.strip():
        return None, "empty response"
    without_both = _BOTH.sub(" ", text)
    decision = _first(without_both[:400])
    if decision is not None:
        return decision, f"first committed word: {decision}"
    if _BOTH.search(text):
        return None, "both tokens of the prompt, no decision"
    return None, "no decision found"


def try_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows {id, text} → {id, decision, reason}. One result a row."""
    for row in rows:
        text = row.get("text")
        decision, why = decide(text) if isinstance(text, str) else (None, str(row.get("error") or "no text"))
        yield {"id": row.get("id"), "decision": decision, "reason": why}


def _first(text: str) -> str | None:
    if _BOTH.search(text):
        return None
    match = _WORD.search(text)
    return None if match is None else "yes" if match[1].casefold() in YES else "no"
