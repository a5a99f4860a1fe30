"""From a whole response to its final answers, with the rule that found them. No answer is invented.

Rules in order: <final> tags, \\boxed, an answer phrase in one of seven languages, the last line. Reasoning between think
tags never counts. What was only begun (an unclosed tag in a cut-off response), an echo of the prompt's placeholder, a loop
and a question back to the user give no answer, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from covary.scoring.case import Case

Several = Literal["last", "first", "all", "none"]
Rule = Literal["final-tag", "boxed", "phrase", "last-line", "published", "none"]


@dataclass(frozen=True)
class Policy:
    """How to read a response. `several`: which of several finals that differ counts ("none": none does).

    `last_line`: whether the last line may stand for an answer where nothing marks one.
    """

    several: Several = "last"
    last_line: bool = True
    longest: int = 2000  # characters of an answer; longer ones are no answer


class Extraction(NamedTuple):
    """Answers in order of appearance (empty: none), the rule, and what was remarkable."""

    answers: tuple[str, ...]
    rule: Rule
    note: str = ""

    @property
    def answer(self) -> str | None:
        """The answers as one text; None where there is none."""
        return ", ".join(self.answers) if self.answers else None


DEFAULT = Policy()
_TAG = re.compile(
    r"<\s*final(?:[ _-]?answer)?\s*>(.*?)(?:<\s*/\s*final(?:[ _-]?answer)?\s*>|(?=<\s*final)|\Z)", re.I | re.S
)
_CLOSED = re.compile(r"<\s*/\s*final", re.I)
_THINK = re.compile(r"<\s*(think|thinking|thought|reasoning)\s*>.*?<\s*/\s*\1\s*>", re.I | re.S)
_THINK_OPEN = re.compile(r"<\s*(?:think|thinking|thought|reasoning)\s*>", re.I)
_THINK_CLOSE = re.compile(r"<\s*/\s*(?:think|thinking|thought|reasoning)\s*>", re.I)
_BOXED = re.compile(r"\\(?:boxed|fbox|framebox)\s*\{")
_PLACEHOLDERS = frozenset(
    {
        "",
        "…",
        "...",
        "..",
        "answer",
        "your answer",
        "final answer",
        "the final answer",
        "answer here",
        "n/a",
        "[n/a]",
        "none",
        "null",
        "?",
    }
)
PHRASES = (
    r"(?:the\s+)?final\s+answer(?:\s+is)?",
    r"answer",
    r"(?:চূড়ান্ত\s+)?উত্তর",
    r"সঠিক\s+উত্তর",
    r"r[ée]ponse(?:\s+finale)?",
    r"(?:lopullinen\s+)?vastaus",
    r"(?:son\s+|nihai\s+)?(?:cevap|yanıt)",
    r"(?:galutinis\s+)?atsakymas",
    r"(?:соңғы\s+|түпкілікті\s+)?жауа[бп]ы?",
)
_PHRASE = re.compile(
    r"(?:^|[\n.।!?])[\s*#>✅_-]*(?:" + "|".join(PHRASES) + r")\s*(?:\([^)\n]{0,30}\))?\s*(?:\*\*)?\s*[::]\s*(?:\*\*)?",
    re.I,
)
_EXPLANATION = re.compile(
    r"\n\s*[*#_]*\s*(?:explanation|ব্যাখ্যা|explication|selitys|açıklama|paaiškinimas|түсіндірме)\s*[*_]*\s*:", re.I
)
_BLOCK_OPEN = {"\\[": "\\]", "$$": "$$"}


def extract(text: str | None, *, status: str = "ok", prompt: str | None = None, policy: Policy = DEFAULT) -> Extraction:
    """The final answers of a response's text. `prompt`: the message that was sent, to know its own examples again."""
    if text is None or not text.strip():
        return Extraction((), "none", "empty response")
    body, unfinished = _without_reasoning(text)
    if unfinished:
        return Extraction((), "none", "the reasoning never ended")
    if not body.strip():
        return Extraction((), "none", "nothing after the reasoning")
    for find in (_tagged, _boxed, _phrased):
        found = find(body, status)
        if found is not None:
            return _settled(found, prompt, policy)
    if status == "truncated":
        return Extraction((), "none", "cut off before an answer")
    return (
        _settled(_last_line(body), prompt, policy) if policy.last_line else Extraction((), "none", "no marked answer")
    )


def answer_of(case: Case, policy: Policy = DEFAULT) -> Extraction:
    """The extraction of a case; answers that the source extracted itself where its text was not published."""
    published = case.detail.get("extracted")
    if case.text is None and isinstance(published, list):
        kept = tuple(str(entry) for entry in published if str(entry).strip())
        return Extraction(kept[:1], "published") if kept else Extraction((), "none", "the source extracted nothing")
    return extract(case.text, status=case.status, prompt=case.prompt, policy=policy)


def try_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows {id, text, status?, prompt?} → {id, answers, answer, rule, note}. One result a row."""
    for row in rows:
        text = row.get("text")
        if not isinstance(text, str):
            yield {
                "id": row.get("id"),
                "answers": [],
                "answer": None,
                "rule": "none",
                "note": str(row.get("error") or "no text"),
            }
            continue
        found = extract(text, status=str(row.get("status") or "ok"), prompt=row.get("prompt"))
        yield {
            "id": row.get("id"),
            "answers": list(found.answers),
            "answer": found.answer,
            "rule": found.rule,
            "note": found.note,
        }


def _without_reasoning(text: str) -> tuple[str, bool]:
    body = _THINK.sub("\n", text)
    closed = list(_THINK_CLOSE.finditer(body))
    if closed:
        body = body[closed[-1].end() :]
    opened = _THINK_OPEN.search(body)
    if opened:
        return body[: opened.start()], not body[: opened.start()].strip()
    return body, False


def _tagged(body: str, status: str) -> Extraction | None:
    found = list(_TAG.finditer(body))
    if not found:
        return None
    kept = [match[1].strip() for match in found if _closed(body, match) or status != "truncated"]
    kept = [entry.split("\n\n")[0].strip() for entry in kept]
    if not kept:
        return Extraction((), "none", "cut off inside the final tag")
    return Extraction(tuple(kept), "final-tag")


def _closed(body: str, match: re.Match[str]) -> bool:
    return bool(_CLOSED.match(body, match.end(1)))


def _boxed(body: str, status: str) -> Extraction | None:
    starts = list(_BOXED.finditer(body))
    if not starts:
        return None
    last_break = body.rfind("\n\n", 0, starts[-1].start())
    together = [start for start in starts if start.start() > last_break]
    contents = [content for start in together if (content := _braced(body, start.end(), status)) is not None]
    if not contents:
        return Extraction((), "none", "cut off inside the box")
    return Extraction(tuple(dict.fromkeys(contents)), "boxed")


def _braced(text: str, start: int, status: str) -> str | None:
    """Text up to the brace that closes the one before `start`; to the line's end where none does and nothing was cut off."""
    depth = 1
    position = start
    while position < len(text):
        character = text[position]
        if character == "\\":
            position += 2
            continue
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return text[start:position].strip()
        position += 1
    return None if status == "truncated" else text[start:].split("\n")[0].strip().rstrip("$ ")


def _phrased(body: str, status: str) -> Extraction | None:
    found = list(_PHRASE.finditer(body))
    if not found:
        return None
    rest = _EXPLANATION.split(body[found[-1].end() :])[0].strip(" \t*_")
    content = _first_block(rest)
    if not content.strip("*_ \n"):
        return None
    return Extraction((content,), "phrase")


def _first_block(text: str) -> str:
    """The first line of a text, or the whole of a display formula that it starts with."""
    text = text.strip()
    for opening, closing in _BLOCK_OPEN.items():
        if text.startswith(opening):
            end = text.find(closing, len(opening))
            return text[len(opening) : end].strip() if end > 0 else text[len(opening) :].split("\n\n")[0].strip()
    return text.split("\n")[0].strip(" *_")


def _last_line(body: str) -> Extraction:
    if _loops(body):
        return Extraction((), "none", "the text loops")
    text = body.strip()
    for opening, closing in _BLOCK_OPEN.items():
        if text.endswith(closing) and len(text) > 4:
            start = text.rfind(opening, 0, -len(closing))
            if start >= 0:
                return Extraction((text[start + len(opening) : -len(closing)].strip(),), "last-line")
    line = text.split("\n")[-1].strip(" *_#>-")
    if line.endswith(("?", "?", "؟")):
        return Extraction((), "none", "it ends in a question")
    return Extraction((line.rstrip(".।"),), "last-line") if line else Extraction((), "none", "no answer found")


def _loops(text: str, least: int = 3, window: int = 40) -> bool:
    """Whether the text ends in the same passage said several times in a row."""
    tail = text[-4000:].rstrip()
    for length in range(window, len(tail) // least + 1):
        piece = tail[-length:]
        if tail.endswith(piece * least):
            return True
    return False


def _settled(found: Extraction, prompt: str | None, policy: Policy) -> Extraction:
    """Placeholders and echoes of the prompt dropped, then the policy for several answers applied."""
    if not found.answers:
        return found
    kept = [entry for entry in found.answers if not _is_placeholder(entry)]
    if not kept:
        return Extraction((), "none", "an echo of the placeholder")
    if prompt is not None:
        own = {match[1].strip() for match in _TAG.finditer(prompt)}
        kept = [entry for entry in kept if entry not in own]
        if not kept:
            return Extraction((), "none", "an echo of the prompt's example")
    kept = [entry for entry in kept if len(entry) <= policy.longest]
    if not kept:
        return Extraction((), "none", "too long to be an answer")
    distinct = list(dict.fromkeys(kept))
    if found.rule == "boxed" or len(distinct) == 1:
        return Extraction(tuple(distinct), found.rule, found.note)
    note = f"{len(distinct)} different finals"
    if policy.several == "none":
        return Extraction((), "none", note)
    chosen = {"last": distinct[-1:], "first": distinct[:1], "all": distinct}[policy.several]
    return Extraction(tuple(chosen), found.rule, note)


def _is_placeholder(text: str) -> bool:
    return text.strip(" \t\n*_`\"'.:<>[]{}()").casefold() in _PLACEHOLDERS or text.strip() in _PLACEHOLDERS
