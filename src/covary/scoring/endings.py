"""How a text ends: in a loop, cut off, in a refusal, in a plan. Shared by what reads answers and what reads traces."""

from __future__ import annotations

import re
from typing import NamedTuple

from covary.scoring.words import any_of, words

LOOP_PIECE = 40  # characters of the ending that must come back
LOOP_LEAST = 4  # times it must stand there
LOOP_WINDOW = 8000  # characters from the end that are looked at
LONG_TEXT = 400  # characters from which a text is expected to close its last sentence
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]*\$|\\\[.*?\\\]|\\\(.*?\\\)", re.S)
SENTENCE_END = re.compile(r"(?<![a-z]\.[a-z]\.)(?<=[.।!?؟。])(?:[*_)\]\"'»”]*)\s+|\n+")
REFUSAL = any_of("answer_words", "refusal")
PLAN = any_of("answer_words", "plan")
_OPEN_END = re.compile(r"[=+\-–−×*/<>≤≥≈,;:(\[{&\\^_]\s*$|[^.…]\.\.\.\s*$|…\s*$")


class Loop(NamedTuple):
    """A passage said again and again: where its first and last saying stand, and how often."""

    start: int
    end: int
    times: int


def loop(text: str) -> Loop | None:
    """The loop that a text ends in: its last 40 characters stand at least four times in its last 8,000."""
    end = len(text.rstrip())
    base = max(0, end - LOOP_WINDOW)
    window = text[base:end]
    if len(window) < LOOP_PIECE:
        return None
    piece = window[-LOOP_PIECE:]
    times = window.count(piece)
    # A short piece repeated within the 40 characters ("бұр бұр бұр") overlaps itself, which count() leaves out.
    if times < LOOP_LEAST or len(set(piece)) < 2:
        return None
    return Loop(base + window.find(piece), end, times)


def is_cut_off(text: str) -> bool:
    """Whether a text stops in mid-word, mid-formula or mid-sentence."""
    tail = text.rstrip()
    if not tail:
        return False
    if "\ufffd" in tail[-3:]:
        return True
    paragraph = tail.split("\n\n")[-1]
    if _open_formula(paragraph) or _OPEN_END.search(tail):
        return True
    sentence = sentences(paragraph)[-1]
    last_word = re.split(r"\s+", sentence)[-1]
    if last_word.casefold() in words("answer_words")["unfinished"]:
        return True
    return len(tail) > LONG_TEXT and _ends_in_letter(tail) and not re.search(r"\d|\\|\$|[=<>≤≥∈⊆∪∩]", sentence)


def sentences(text: str) -> list[str]:
    """The sentences of a text, formulas kept whole. At least one, maybe empty."""
    masked = FORMULA.sub(lambda match: "\x00" * len(match[0]), text)
    starts = [0, *(match.end() for match in SENTENCE_END.finditer(masked))]
    ends = [*(match.start() for match in SENTENCE_END.finditer(masked)), len(text)]
    found = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    return [sentence for sentence in found if sentence] or [""]


def _ends_in_letter(text: str) -> bool:
    return re.search(r"[^\W\d_][\u0900-\u0dff]*$|[\u0900-\u0dff]$", text) is not None and text[-1] not in "।॥"


def _open_formula(paragraph: str) -> bool:
    """Whether a formula, brace or environment was opened in a paragraph and not closed."""
    without_escaped = re.sub(r"\\[\\{}$%&#_]", "", paragraph)
    dollars = without_escaped.count("$")
    braces = without_escaped.count("{") - without_escaped.count("}")
    opened = paragraph.count("\\[") - paragraph.count("\\]") + paragraph.count("\\begin") - paragraph.count("\\end")
    return (dollars % 2 == 1 and "\\" in without_escaped.rsplit("$", 1)[1]) or braces > 0 or opened > 0
