"""Error detection: the first decision that a response commits to, yes (a mistake was found) or no, in seven languages.

Rules in order: the decision in a final tag, box or answer phrase; a yes or no that opens the text; one that stands alone on its
line; what the closing sentences call the solution. A response that copies both tokens of the prompt gives no decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from covary.scoring import endings
from covary.scoring.case import Case, Judgement
from covary.scoring.extract import extract
from covary.scoring.words import WORD_END, WORD_START, alternatives, words

Answer = Literal["yes", "no"]
CLOSING = 700  # characters from the end whose sentences may hold the verdict
_WORDS = words("verdict_words")


def _sentence(entry: str) -> re.Pattern[str]:
    return re.compile(WORD_START + "(?:" + "|".join(_WORDS[entry]) + ")" + WORD_END, re.I)


_YES, _NO = frozenset(_WORDS["yes"]), frozenset(_WORDS["no"])
_TOKEN = alternatives([*_WORDS["yes"], *_WORDS["no"]])
_MARK = r"[\s*_#>\"'“«(\[{<:.\-–—✅❌]*"
_OPENING = re.compile(rf"{_MARK}({_TOKEN})(?=\s*[.,:;!*_)\]—–-]|\s*$|\s*\n)", re.I)
_ALONE = re.compile(rf"^{_MARK}(?:[^\W\d_][^\n:]{{0,40}}[:：]\s*)?{_MARK}({_TOKEN})[\s*_.!।)\]}}\"'”»>]*$", re.I | re.M)
_WORD = re.compile(f"({_TOKEN})", re.I)
_BOTH = re.compile(
    rf"(?:{alternatives(_WORDS['yes'])})[\s*_'\"]*(?:{'|'.join(_WORDS['or'])})[\s*_'\"]*(?:{alternatives(_WORDS['no'])})"
    rf"|(?:{alternatives(_WORDS['no'])})[\s*_'\"]*(?:{'|'.join(_WORDS['or'])})[\s*_'\"]*(?:{alternatives(_WORDS['yes'])})",
    re.I,
)
_NOT = re.compile(r"\bnot (?:\w+ ){0,3}free\b", re.I)
_VERDICTS: tuple[tuple[re.Pattern[str], Answer, str], ...] = (
    (_sentence("none_found"), "no", "no mistake found"),
    (_sentence("faulty"), "yes", "called faulty"),
    (_sentence("sound"), "no", "called sound"),
)


class Decision(NamedTuple):
    """Yes, no or None, and the rule that found it or why there is none."""

    answer: Answer | None
    reason: str


class Detection:
    """Value 1 where the decision equals the target ("yes": the solution holds a mistake), 0 where it doesn't, else null."""

    name = "detection"
    version = 1

    def __call__(self, case: Case) -> Judgement:
        found = decide(case.text, case.status)
        if found.answer is None:
            return Judgement(None, None, found.reason)
        if case.target not in ("yes", "no"):
            return Judgement(found.answer, None, f"the target must be yes or no, found {case.target!r}")
        return Judgement(found.answer, float(found.answer == case.target), found.reason)


def decide(text: str | None, status: str = "ok") -> Decision:
    """The first decision that a text commits to."""
    if not text or not text.strip():
        return Decision(None, "empty response")
    found = extract(text, status=status)
    if found.answer is not None and found.rule in ("final-tag", "boxed", "phrase", "stated"):
        marked = _only(found.answer)
        if marked is not None:
            return Decision(marked, f"{found.rule}: {marked}")
        if _BOTH.search(found.answer):
            return Decision(None, "both tokens of the prompt, no decision")
    copied = _BOTH.search(text) is not None
    body = _BOTH.sub(" ", text)
    opening = _OPENING.match(body)
    if opening and not copied:
        first = _meaning(opening[1])
        return Decision(first, f"first word: {first}")
    alone = _ALONE.search(body)
    if alone:
        said = _meaning(alone[1])
        return Decision(said, f"alone on a line: {said}")
    verdict = _verdict(body)
    if verdict is not None:
        return verdict
    return Decision(None, "both tokens of the prompt, no decision" if copied else "no decision found")


def try_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows {id, text, status?} → {id, decision, reason}. One result a row."""
    for row in rows:
        text = row.get("text")
        if isinstance(text, str):
            decision = decide(text, str(row.get("status") or "ok"))
        else:
            decision = Decision(None, str(row.get("error") or "no text"))
        yield {"id": row.get("id"), "decision": decision.answer, "reason": decision.reason}


def _only(text: str) -> Answer | None:
    """The decision of a short answer: its first yes or no; None where it copies both or holds neither."""
    if _BOTH.search(text):
        return None
    match = _WORD.search(text[:60])
    return None if match is None else _meaning(match[1])


def _meaning(token: str) -> Answer:
    return "yes" if token.casefold() in _YES else "no"


def _verdict(text: str) -> Decision | None:
    """The last of the closing sentences that calls the solution sound or faulty."""
    for sentence in reversed(endings.sentences(re.sub(r"[*_`]", "", text[-CLOSING:]))):
        for pattern, answer, why in _VERDICTS:
            negated = answer == "no" and why == "no mistake found" and _NOT.search(sentence)
            if pattern.search(sentence) and not negated:
                return Decision(answer, f"verdict sentence: {why}")
    return None
