"""Words that a picture, its caption or its description must not hold: units, currencies, letters found by OCR."""

from __future__ import annotations

import re
from typing import NamedTuple

_UNITS = re.compile(
    r"\b(degrees?|celsius|fahrenheit|kelvin|met(?:er|re)s?|kilomet\w*|centimet\w*|millimet\w*|miles?|mph|kph|kmh?|km/h"
    r"|inch(?:es)?|foot|feet|yards?|knots?|square|sq|acres?|tsubo|pyeong|tatami|stones?|pounds?|dollars?|euros?|yen"
    r"|yuan|won|rupees?|reais|real|rials?|tomans?|shekels?|cents?|pence|[a-z]?m|cm|mm|ft)\b|[°²$€£¥₹₩₪″′]",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]{2,}")
SURE = 80.0  # Tesseract's confidence, in percent, from which a word counts


class Word(NamedTuple):
    """One word that OCR read in a picture, with its confidence in percent."""

    text: str
    confidence: float


def unit_words(text: str) -> list[str]:
    """Unit and currency words and signs in a text, in order.

    >>> unit_words("The tape runs to 84."), unit_words("It is 30 °C or 86 degrees.")
    ([], ['°', 'degrees'])
    """
    return [found.group() for found in _UNITS.finditer(text)]


def words_read(tsv: str) -> list[Word]:
    """Words with two or more letters in a row in Tesseract's TSV output, at whatever confidence.

    What OCR makes of lines, dots and digits is mostly noise: `letters_in` keeps what it is sure of.
    """
    rows = [line.split("\t") for line in tsv.splitlines()]
    if not rows or "text" not in rows[0] or "conf" not in rows[0]:
        return []
    text, confidence = rows[0].index("text"), rows[0].index("conf")
    words = [Word(row[text].strip(), float(row[confidence])) for row in rows[1:] if len(row) > max(text, confidence)]
    return [word for word in words if _LETTERS.search(word.text)]


def letters_in(tsv: str, sure: float = SURE) -> list[Word]:
    """Words that Tesseract is sure of: its TSV output for one picture, sparse text (psm 11)."""
    return [word for word in words_read(tsv) if word.confidence >= sure]
