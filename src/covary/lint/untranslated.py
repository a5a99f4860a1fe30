"""Rule on sentences in another language than the text's own: language id per sentence, mathematics masked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from lingua import IsoCode639_1, Language, LanguageDetectorBuilder

from covary.lint.masking import prose
from covary.lint.row import Fault, Row

_SENTENCE = re.compile(r"(?<=[.?!।:;])\s+|\n+|\r+|¤\s*(?=[A-Z])")
_WORD = re.compile(r"[^\W\d_]{2,}")
LEAST_WORDS = 4
LEAST_LETTERS = 16
SURE = 0.9
OWN_AT_MOST = 0.05
_FIELDS = ("question", "solution")


def untranslated(rows: Sequence[Row]) -> Iterator[Fault]:
    """untranslated: a sentence that is surely in another of the set's languages, or in English.

    Sentences of fewer than four words are not judged; languages that the detector doesn't know are skipped.
    """
    declared = tuple(sorted({"en", *(row.language for row in rows)}))
    for row in rows:
        if row.language not in _known():
            continue
        for field, text in zip(_FIELDS, (row.question, row.solution), strict=True):
            for sentence in sentences(text):
                other = other_language(sentence, row.language, declared)
                if other:
                    yield row.fault(
                        "untranslated",
                        "warning",
                        field,
                        sentence,
                        f"a sentence in {row.language}, found {other}",
                        "translate it",
                    )
                    break


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text that are long enough to be judged, without their mathematics."""
    for piece in _SENTENCE.split(prose(text)):
        words = _WORD.findall(piece)
        if len(words) >= LEAST_WORDS and sum(map(len, words)) >= LEAST_LETTERS:
            yield " ".join(words)


def other_language(sentence: str, own: str, declared: tuple[str, ...]) -> str | None:
    """The ISO code of the other language that a sentence is surely in; None where it may be its own."""
    found: list[Any] = detector(declared).compute_language_confidence_values(sentence)
    best = found[0].language.iso_code_639_1.name.lower()
    if best == own or found[0].value < SURE:
        return None
    mine = next((entry.value for entry in found if entry.language.iso_code_639_1.name.lower() == own), 0.0)
    return best if mine <= OWN_AT_MOST else None


@cache
def detector(declared: tuple[str, ...]) -> Any:
    """The detector over the declared languages that it knows (two at least)."""
    codes = [getattr(IsoCode639_1, code.upper()) for code in declared if code in _known()]
    if len(codes) < 2:
        codes = [IsoCode639_1.EN, IsoCode639_1.FR]
    return LanguageDetectorBuilder.from_iso_codes_639_1(*codes).build()


@cache
def _known() -> frozenset[str]:
    return frozenset(entry.iso_code_639_1.name.lower() for entry in Language.all())
