"""What went wrong in a reasoning trace, with spans: labels after MathMist's discussion and examples, and CAPRI's endless hesitation.

| label | what is found |
|---|---|
| giving-up | says that it is stuck, has no idea, can't solve it |
| self-imposed-limit | says that time, space or its understanding is used up |
| backtracking | turns back at least three times and comes to several answers, or doubts which of several to give |
| loop | the text ends in, or holds, a passage said at least four times |
| over-long | no answer, though the token limit was reached or the trace is long |
| broken-scripts | words fused of two scripts, or stray words of a script that neither question nor asked language has, nor a fifth of the trace |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from covary.scoring import endings
from covary.scoring.case import Case, Judgement
from covary.scoring.extract import Policy as Reading
from covary.scoring.extract import extract
from covary.scoring.language_scripts import masked, prose_words, script_of
from covary.scoring.words import any_of

Label = Literal["giving-up", "self-imposed-limit", "backtracking", "loop", "over-long", "broken-scripts"]
SHOWN = 120  # characters of a span that are quoted
MOST_SPANS = 20  # spans kept of one label
LEAST_TURNS = 3  # turns back of a backtracking trace
LEAST_SAID = 4  # times that a passage of a loop is said
LEAST_PASSAGE = 30  # characters of such a passage
LONG_CHARACTERS = 12_000  # of a trace without an answer; about 4,000 tokens
LEAST_BROKEN = 2  # fused words, or stray words, of a broken mixture
LARGE_SHARE = 0.2  # of a trace's words, from which a script is its own and no stray one
LEAST_FUSED = 2  # letters of each script in a fused word
SCRIPT_OF = {
    "bn": "Beng",
    "kk": "Cyrl",
    "ru": "Cyrl",
    "uk": "Cyrl",
    "el": "Grek",
    "ar": "Arab",
    "fa": "Arab",
    "hi": "Deva",
}
_GIVING_UP = any_of("trace_words", "giving_up")
_LIMIT = any_of("trace_words", "self_imposed_limit")
_TURN = any_of("trace_words", "turning_back")
_SEVERAL = any_of("trace_words", "several_answers")
_CLAIM = re.compile(
    r"\\boxed\s*\{([^{}]{1,60})\}|(?:answer|উত্তর|réponse|vastaus|cevap|atsakymas|жауап)\w*\s*(?:is|হল|হলো|est|on|yra|:)\s*\$?([^\s.,;$]{1,40})",
    re.I,
)
_FUSED = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0963\u0970-\u0dff])*")


class Span(NamedTuple):
    """Where a fault shows: its label, the text it stands in ("reasoning" or "text"), positions, and the words quoted."""

    label: Label
    source: str
    start: int
    end: int
    quote: str


class Trace:
    """Value 1 where any fault was found, 0 where none was, null without a trace. The answer lists the labels.

    long_characters: from how many characters on a trace without an answer is over-long.
    """

    name = "trace"
    version = 1
    reads_truncated = True

    def __init__(self, long_characters: int = LONG_CHARACTERS) -> None:
        self._long_characters = long_characters

    def __call__(self, case: Case) -> Judgement:
        parts = [
            (name, text) for name, text in (("reasoning", case.reasoning), ("text", case.text)) if text and text.strip()
        ]
        if not parts:
            return Judgement(None, None, "no trace")
        expected = {
            _script(code) for code in (case.language, case.reasoning_language, case.answer_language, "en") if code
        }
        spans = [span for name, text in parts for span in faults(text, name, expected)]
        spans += over_long(parts, case.status, self._long_characters)
        return _judgement(spans)


def faults(text: str, source: str = "text", expected: Iterable[str] = ("Latn",)) -> list[Span]:
    """The faults that show in one text, but for its length. expected: scripts that belong there, beside Latin and those that
    hold a large share of the text."""
    found = [*_phrases(text, source), *_loops(text, source), *_broken(text, source, frozenset(expected))]
    return sorted(found, key=lambda span: (span.start, span.label))


def over_long(parts: list[tuple[str, str]], status: str, long_characters: int = LONG_CHARACTERS) -> list[Span]:
    """The whole of a trace that gave no answer although it was long or reached the token limit."""
    name, text = parts[-1]
    length = sum(len(part) for _, part in parts)
    if status != "truncated" and length < long_characters:
        return []
    visible = text if name == "text" else None
    if extract(visible, status=status, policy=Reading(last_line=False)).answers:
        return []
    return [_span("over-long", name, text, 0, len(text))]


def try_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows {id, text, reasoning?, status?, language?} → {id, labels, spans, reason}. One result a row."""
    score = Trace()
    for row in rows:
        text, reasoning = row.get("text"), row.get("reasoning")
        case = Case(
            text=text if isinstance(text, str) else None,
            reasoning=reasoning if isinstance(reasoning, str) else None,
            status="truncated" if row.get("status") == "truncated" else "ok",
            language=str(row.get("language") or "en"),
        )
        found = score(case)
        reason = found.reason if found.value is not None else str(row.get("error") or found.reason)
        yield {
            "id": row.get("id"),
            "labels": found.detail.get("labels", []),
            "spans": found.detail.get("spans", []),
            "reason": reason,
        }


def _judgement(spans: list[Span]) -> Judgement:
    counts = Counter(span.label for span in spans)
    kept: list[dict[str, Any]] = []
    for label in counts:
        kept += [span._asdict() for span in spans if span.label == label][:MOST_SPANS]
    labels = sorted(counts)
    detail = {"labels": labels, "counts": dict(counts), "spans": kept}
    shown = ", ".join(f"{label} ({counts[label]})" for label in labels)
    return Judgement(", ".join(labels) or None, float(bool(labels)), shown or "no fault found", detail)


def _phrases(text: str, source: str) -> Iterator[Span]:
    for match in _GIVING_UP.finditer(text):
        yield _span("giving-up", source, text, match.start(), match.end())
    for match in _LIMIT.finditer(text):
        yield _span("self-imposed-limit", source, text, match.start(), match.end())
    turns = [match for match in _TURN.finditer(text) if _opens_sentence(text, match.start())]
    doubts = list(_SEVERAL.finditer(text))
    claims = {(match[1] or match[2]).strip() for match in _CLAIM.finditer(text)}
    if len(turns) >= LEAST_TURNS and (len(claims) > 1 or doubts):
        for match in [*turns, *doubts]:
            yield _span("backtracking", source, text, match.start(), match.end())


def _opens_sentence(text: str, position: int) -> bool:
    before = text[max(0, position - 12) : position].rstrip(" *_\"'([")
    return not before or before[-1] in ".!?।\n,;:…—–" or before.casefold().endswith(("but", "so", "and"))


def _loops(text: str, source: str) -> Iterator[Span]:
    ending = endings.loop(text)
    if ending is not None:
        yield _span("loop", source, text, ending.start, ending.end)
        return
    places: dict[str, list[int]] = {}
    position = 0
    for sentence in endings.sentences(text):
        position = text.find(sentence, position)
        if len(sentence) >= LEAST_PASSAGE and position >= 0:
            places.setdefault(sentence, []).append(position)
        position = max(position, 0) + len(sentence)
    for sentence, starts in places.items():
        if len(starts) >= LEAST_SAID:
            yield _span("loop", source, text, starts[0], starts[-1] + len(sentence))


def _broken(text: str, source: str, expected: frozenset[str]) -> Iterator[Span]:
    clear = masked(text)
    fused = [(m.start(), m.end()) for m in _FUSED.finditer(clear) if _is_fused(m[0])]
    found = list(prose_words(clear))
    counts = Counter(word.script for word in found)
    belonging = expected | {script for script, count in counts.items() if count >= LARGE_SHARE * len(found)} | {"Latn"}
    stray = [(word.start, word.end) for word in found if word.script not in belonging]
    for places in (fused, stray):
        if len(places) >= LEAST_BROKEN:
            for start, end in places:
                yield _span("broken-scripts", source, text, start, end)


def _is_fused(word: str) -> bool:
    if word.isascii():
        return False
    counts = Counter(script for character in word if character.isalpha() and (script := script_of(character)))
    return len([script for script, count in counts.items() if count >= LEAST_FUSED and script != "Grek"]) > 1


def _script(code: str) -> str:
    return SCRIPT_OF.get(code, "Latn")


def _span(label: Label, source: str, text: str, start: int, end: int) -> Span:
    return Span(label, source, start, end, " ".join(text[start : min(end, start + SHOWN)].split()))
