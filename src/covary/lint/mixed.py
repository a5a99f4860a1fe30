"""Rule on mixed numbers across the forms of a problem: three and a half stays three and a half."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from fractions import Fraction

from covary.lint.chatter import chatty
from covary.lint.masking import ascii_digits
from covary.lint.reference import compared
from covary.lint.row import Fault, Row

_SIGN = re.compile("[\u00bc-\u00be\u2150-\u215e]")
_FRACTION = (
    r"(?:\\[dtc]?frac\s*\{?\s*(\d{1,9})\s*\}?\s*\{?\s*(\d{1,9})\s*\}?|(?<![\d/])(\d{1,9})\s*/\s*(\d{1,9})(?![\d/]))"
)
_MIXED = re.compile(rf"(?<![\d.,/^_{{])(\d{{1,9}})(?:\s*(?=\\[dtc]?frac)|\s+(?=\d+\s*/)){_FRACTION}")
_ALONE = re.compile(_FRACTION)
_DECIMAL = re.compile(r"(?<![\d.,])(\d{1,9})[.,](\d{1,9})(?![\d.,])")


def split_signs(text: str) -> str:
    """The text with ¾ and the like as 3/4 after a blank.

    >>> split_signs("3¾")
    '3 3/4'
    """
    if text.isascii() or not _SIGN.search(text):
        return text
    return _SIGN.sub(lambda found: " " + unicodedata.normalize("NFKC", found.group()).replace("\u2044", "/"), text)


def mixed_kept(forms: Sequence[Row]) -> Iterator[Fault]:
    """mixed-number-changed: a mixed number whose value another form has neither as a mixed number, nor as a fraction or decimal
    (1\\frac{1}{2} and \\frac{11}{2})."""
    for row, field, ours, theirs in compared(forms):
        due = mixed(theirs)
        if not due or (field == "question" and chatty(ours)):
            continue
        found = values(ours)
        lost = [text for text, number in due if number not in found]
        if lost:
            expected = f"the mixed number {lost[0]}"
            yield row.fault("mixed-number-changed", "warning", field, ours, expected, "write its value unchanged")


def mixed(text: str) -> list[tuple[str, Fraction]]:
    """The mixed numbers of a text as they stand, and their values.

    >>> mixed(r"3\\frac{1}{2} and 2 3/4")
    [('3\\\\frac{1}{2}', Fraction(7, 2)), ('2 3/4', Fraction(11, 4))]
    """
    found: list[tuple[str, Fraction]] = []
    for match in _MIXED.finditer(ascii_digits(split_signs(text))):
        whole, *parts = (int(group) for group in match.groups() if group is not None)
        above, below = parts
        if 0 < above < below:  # what stands before a larger fraction is a factor
            found.append((match.group(), whole + Fraction(above, below)))
    return found


def values(text: str) -> set[Fraction]:
    """The values of the mixed numbers, fractions and decimals of a text."""
    plain = ascii_digits(split_signs(text))
    found = {number for _, number in mixed(text)}
    for match in _ALONE.finditer(plain):
        above, below = (int(group) for group in match.groups() if group is not None)
        if below:
            found.add(Fraction(above, below))
    return found | {Fraction(int(whole + part), 10 ** len(part)) for whole, part in _DECIMAL.findall(plain)}


def values_kept(ours: str, theirs: str) -> bool:
    """Whether texts that differ in numbers differ only in how mixed numbers are written (1 1/2, 3/2)."""
    left, right = mixed(ours), mixed(theirs)
    if not left and not right:
        return False
    kept = {number for _, number in (*left, *right)}
    return kept <= values(ours) and kept <= values(theirs) and _rest(ours) == _rest(theirs)


def _rest(text: str) -> list[str]:
    """The digits of a text without its mixed numbers, fractions and decimals."""
    plain = ascii_digits(split_signs(text))
    return re.findall(r"\d+", _DECIMAL.sub(" ", _ALONE.sub(" ", _MIXED.sub(" ", plain))))
