"""Texts with their mathematics taken out, or with nothing but it; digits of every script in one spelling."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from covary.mathematics.glyphs import SUBSCRIPTS, SUPERSCRIPTS

_FORMULA = re.compile(
    r"\$\$[^$]*\$\$|\$[^$]*\$|\\\([\s\S]*?\\\)|\\\[[\s\S]*?\\\]|\\begin\{(\w+\*?)\}[\s\S]*?\\end\{\1\}"
)
_COMMAND = re.compile(r"\\[A-Za-z]+(?:\{[^{}]*\})?|[\\{}^_=<>+*/|]+|\d+")
_SCRIPTS = {ord(sign): plain for sign, plain in (*SUPERSCRIPTS.items(), *SUBSCRIPTS.items()) if plain.isdigit()}
FORMULA = "¤"  # stands for a formula in prose
_RUN = re.compile(r"[0-9]+")
_BLANKS = re.compile(r"\s+")
_MARKS = re.compile(r"[\s$.,;:!।?\\*]+")


def formulas(text: str) -> list[str]:
    """The delimited formulas of a text, without delimiters, in order."""
    return [
        found.group().strip("$").removeprefix("\\(").removesuffix("\\)").strip() for found in _FORMULA.finditer(text)
    ]


def prose(text: str) -> str:
    """The text with a sign for each formula, and blanks for commands and numbers."""
    return _COMMAND.sub(" ", _FORMULA.sub(f" {FORMULA} ", text))


@lru_cache(maxsize=4096)
def ascii_digits(text: str) -> str:
    """The text with every decimal digit, of any script, raised or lowered, as an ASCII digit."""
    if text.isascii():
        return text
    return "".join(char if char.isascii() else _SCRIPTS.get(ord(char)) or _digit(char) for char in text)


def _digit(char: str) -> str:
    value = unicodedata.decimal(char, None)
    return char if value is None else str(value)


@lru_cache(maxsize=8192)
def digit_runs(text: str) -> tuple[str, ...]:
    """The runs of digits in order: 0.25 and 0,25 are both ("0", "25"), so that marks and grouping don't matter."""
    return tuple(_RUN.findall(ascii_digits(text)))


def squeezed(text: str) -> str:
    """The text without blanks, dollar signs, punctuation and backslashes, in lower case: for comparing wordings."""
    return _MARKS.sub("", text).casefold()


def one_line(text: str) -> str:
    """The text with every run of blanks as one blank."""
    return _BLANKS.sub(" ", text).strip()


def last_line(text: str) -> str:
    """The last line that holds anything."""
    return next((line.strip() for line in reversed(text.split("\n")) if line.strip()), "")
