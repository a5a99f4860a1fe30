"""Scripts of letters, and prose words: a text with its mathematics, code and scaffold words masked."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from covary.scoring.words import alternatives, words

RANGES: tuple[tuple[int, int, str], ...] = (
    (0x0041, 0x005A, "Latn"),
    (0x0061, 0x007A, "Latn"),
    (0x00C0, 0x00D6, "Latn"),
    (0x00D8, 0x00F6, "Latn"),
    (0x00F8, 0x024F, "Latn"),
    (0x0370, 0x03FF, "Grek"),
    (0x0400, 0x052F, "Cyrl"),
    (0x0530, 0x058F, "Armn"),
    (0x0590, 0x05FF, "Hebr"),
    (0x0600, 0x06FF, "Arab"),
    (0x0750, 0x077F, "Arab"),
    (0x0900, 0x097F, "Deva"),
    (0x0980, 0x09FF, "Beng"),
    (0x0A00, 0x0A7F, "Guru"),
    (0x0A80, 0x0AFF, "Gujr"),
    (0x0B00, 0x0B7F, "Orya"),
    (0x0B80, 0x0BFF, "Taml"),
    (0x0C00, 0x0C7F, "Telu"),
    (0x0C80, 0x0CFF, "Knda"),
    (0x0D00, 0x0D7F, "Mlym"),
    (0x0D80, 0x0DFF, "Sinh"),
    (0x0E00, 0x0E7F, "Thai"),
    (0x0E80, 0x0EFF, "Laoo"),
    (0x0F00, 0x0FFF, "Tibt"),
    (0x1000, 0x109F, "Mymr"),
    (0x10A0, 0x10FF, "Geor"),
    (0x1100, 0x11FF, "Hang"),
    (0x1200, 0x137F, "Ethi"),
    (0x1780, 0x17FF, "Khmr"),
    (0x1E00, 0x1EFF, "Latn"),
    (0x1F00, 0x1FFF, "Grek"),
    (0x3040, 0x30FF, "Kana"),
    (0x3130, 0x318F, "Hang"),
    (0x3400, 0x4DBF, "Hani"),
    (0x4E00, 0x9FFF, "Hani"),
    (0xAC00, 0xD7AF, "Hang"),
    (0xF900, 0xFAFF, "Hani"),
    (0xFB50, 0xFDFF, "Arab"),
    (0xFE70, 0xFEFF, "Arab"),
    (0xFF66, 0xFF9F, "Kana"),
)
"""First and last code point, ISO 15924 code. "Kana" stands for hiragana and katakana together."""
_STARTS = [first for first, _, _ in RANGES]
UNSPACED = frozenset({"Hani", "Kana", "Thai", "Laoo", "Khmr", "Mymr", "Tibt"})
"""Scripts written without blanks between words: two letters count as a word of Han, three as a word of the others."""
LETTERS_A_WORD = {"Hani": 2, "Kana": 3, "Thai": 4, "Laoo": 4, "Khmr": 4, "Mymr": 4, "Tibt": 4}
LEAST_LETTERS = {"Latn": 3, "Grek": 3, "Hani": 1, "Kana": 1, "Hang": 1}
"""Fewest letters of a prose word: Latin and Greek ones shorter than that are variables, units and names of angles."""
_WORDS = words("scaffold_words")
_MASKS = (
    re.compile(r"```.*?(?:```|\Z)", re.S),
    re.compile(r"`[^`\n]{1,200}`"),
    re.compile(r"<\s*/?\s*[A-Za-z_][\w \-]{0,30}>"),
    re.compile(r"https?://\S+"),
    re.compile(r"\$\$.{0,4000}?\$\$|\\\[.{0,4000}?\\\]|\\\(.{0,2000}?\\\)", re.S),
    re.compile(r"\$[^$\n]{1,400}\$"),
    re.compile(r"\\begin\{(\w+\*?)\}.{0,4000}?\\end\{\1\}", re.S),
    re.compile(r"\\(?:text|mathrm|mathbf|operatorname|textbf|mbox)\s*\{[^{}]{0,80}\}"),
    re.compile(r"\\[A-Za-z]+"),
    re.compile(alternatives(_WORDS["scaffold"]), re.I),
    re.compile(alternatives(_WORDS["mathematics"]), re.I),
    re.compile(r"(?<![^\W\d_])[A-Za-z]{1,2}(?=[_^({\[|])|[A-Za-z]*\d[\w.,]*|[A-Za-z]{1,2}['′]+(?![A-Za-z])"),
)
_RUN = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0963\u0970-\u0dff\u0e00-\u0fff’'](?<!\d))*")


class Word(NamedTuple):
    """A run of letters of one script, and where it stands."""

    text: str
    script: str
    start: int
    end: int


@cache
def script_of(character: str) -> str | None:
    """ISO 15924 code of a letter's script; None for what is no letter of a known script."""
    point = ord(character)
    index = bisect_right(_STARTS, point) - 1
    if index < 0 or point > RANGES[index][1]:
        return None
    return RANGES[index][2]


def masked(text: str) -> str:
    """The text with mathematics, code, tags and scaffold words blanked, position for position."""
    for pattern in _MASKS:
        text = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return text


def prose_words(text: str, least_latin: int = LEAST_LETTERS["Latn"]) -> Iterator[Word]:
    """Words of prose in a masked text. least_latin: letters of a Latin word; 2 lets articles in, and variables with them."""
    for match in _RUN.finditer(text):
        for word in _by_script(match[0], match.start()):
            letters = len(word.text) if word.text.isalpha() else sum(map(str.isalpha, word.text))
            least = least_latin if word.script == "Latn" else LEAST_LETTERS.get(word.script, 2)
            if letters >= least and not _is_label(word):
                yield word


def word_count(word: Word) -> float:
    """How many words a run stands for: 1, or by its letters in scripts without blanks."""
    if word.script not in UNSPACED:
        return 1.0
    return max(1.0, len(word.text) / LETTERS_A_WORD[word.script])


def _by_script(run: str, offset: int) -> Iterator[Word]:
    """The parts of a run by script. Spaced scripts fused into one word ("тірлendi") give none: a broken word is a word of no
    language."""
    if run.isascii():  # letters and apostrophes: most words
        yield Word(run, "Latn", offset, offset + len(run))
        return
    parts: list[Word] = []
    start = 0
    current: str | None = None
    for position, character in enumerate(run):
        script = script_of(character) if character.isalpha() else current
        if script != current and script is not None:
            if current is not None:
                parts.append(Word(run[start:position], current, offset + start, offset + position))
            start, current = position, script
    if current is not None:
        parts.append(Word(run[start:], current, offset + start, offset + len(run)))
    fused = [part for part in parts if part.script not in UNSPACED]
    if len({part.script for part in fused}) > 1:
        parts = [part for part in parts if part.script in UNSPACED]
    yield from parts


def _is_label(word: Word) -> bool:
    """Whether a word is a name of points or an abbreviation: Latin or Greek capitals only, up to four."""
    return word.script in ("Latn", "Grek") and word.text.isupper() and len(word.text) <= 4
