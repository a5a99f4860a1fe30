"""The values that prose points at: after a final-answer phrase, in the last sentence, at the end."""

from __future__ import annotations

import re

from covary.mathematics import lexicon
from covary.mathematics.wrappers import trimmed

CODE = re.compile(
    r"__\w+__|\bimport\s+[a-z]+\b(?!\s+[a-z])|\b(?:eval|exec|print|system|getattr|open)\s*\(|(?<!\\)\blambda\s+\w+\s*:|\bsubprocess\.|[;&|]\s*rm\s"
)
PROSE_WORD = re.compile(r"[^\W\d_]{4,}|[^\W\d_a-zA-Z]{2,}|\b(?:the|is|so|for|and|are|est|les|des|on|ja|ir|yra|ve|bu)\b")
LATEX_COMMAND = re.compile(r"\\[A-Za-z]+")
WORD = re.compile(r"[^\W\d_]{3,}")
LONG = 300  # characters
MANY_WORDS = 60
NEGATION = re.compile(
    r"(?<!\w)(?:not|n't|isn't|cannot|ei|eivät|değil|емес|nėra|ne|না|নয়|নয়|pas|rather than|instead of)(?!\w)",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"(?<=[^\d\s.])\.\s+(?=[^\d\s])|\n+|।")
FINAL_MARK = re.compile(
    r"(?:final answer|the answer|answer|চূড়ান্ত উত্তর|চূড়ান্ত উত্তর|উত্তর|vastaus|réponse(?: finale)?|cevap|sonuç|жауабы?|atsakymas)"
    r"(?:\s*\([^()]{0,30}\))?(?:\s+(?:is|est|on|yra|হলো|হল)(?:\s+to\s+be)?)?\s*:?\s*(?:\*\*)?\s*(?::|\bis\b)?",
    re.IGNORECASE,
)
LAST_MATH = re.compile(
    r"\$([^$]{1,300})\$?[\s.।]*$|\\\(((?:(?!\\[()]).){1,300})$|\\\((.{1,300}?)\\\)[\s.।]*$|\\\[(.{1,300}?)\\\][\s.।]*$",
    re.DOTALL,
)
LAST_EQUAL = re.compile(r"=\s*([^=]{1,200})$", re.DOTALL)
COPULA = re.compile(
    r"(?:\bis|\bare|\bequals|\bbe|\bas|হলো|হল|হবে|হচ্ছে|হয়|\best|\bsont|\bon|\bovat|\byra|\blygus|тең|болады)(?![^\W\d_])|:",
    re.IGNORECASE,
)
NUMBER_TAIL = re.compile(r"(?:^|[^\w.,])([-+]?\d[\d.,]*(?:\s*[^\W\d]{1,14}\.?){0,2})[\s.।]*$")


def is_long_prose(clean: str) -> bool:
    """More words than labels and nouns of a list of values could be."""
    return len(clean) > LONG and len(WORD.findall(LATEX_COMMAND.sub(" ", clean))) > MANY_WORDS


def _negated_around(text: str, candidate: str) -> bool:
    """A negation stands right before or after the candidate, or in it."""
    at = text.rfind(candidate)
    around = (
        text[max(0, at - 30) : at] + " | " + candidate + " | " + text[at + len(candidate) : at + len(candidate) + 15]
    )
    return NEGATION.search(around) is not None


def candidates(clean: str) -> list[tuple[str, str]]:
    """(strength, text) of what may be the answer in prose, best first; none for code, signs without words, or what is negated."""
    if CODE.search(clean) or not PROSE_WORD.search(LATEX_COMMAND.sub(" ", clean)):
        return []
    return [(strength, text) for strength, text in _pointed_at(clean) if not _negated_around(clean, text)]


def _pointed_at(clean: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    marks = list(FINAL_MARK.finditer(clean))
    if marks:
        tail = clean[marks[-1].end() :].strip(" *:$\n")
        if tail:
            found.append(("strong", tail))
            found.append(("strong", trimmed(SENTENCE_END.split(tail)[0])))
    sentences = SENTENCE_END.split(trimmed(clean))
    closing = sentences[-1].strip(" *#")
    first_word = re.match(r"[^\W\d_]+", closing)
    if len(sentences) > 1 and first_word and lexicon.folded(first_word.group()) in lexicon.THEREFORE:
        found.append(("strong", trimmed(closing)))
    last_line = trimmed(SENTENCE_END.split(trimmed(clean))[-1])
    if last_line and last_line != clean:
        found.append(("weak", last_line))
    copulas = list(COPULA.finditer(last_line))
    if copulas and last_line[copulas[-1].end() :].strip():
        found.append(("weak", last_line[copulas[-1].end() :]))
    for pattern in (LAST_MATH, LAST_EQUAL, NUMBER_TAIL):
        match = pattern.search(last_line if pattern is not LAST_MATH else clean)
        if match:
            text = next(group for group in match.groups() if group is not None)
            found.append(("weak", trimmed(text)))
    return found[:8]
