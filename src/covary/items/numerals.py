"""Numbers as the readers of a language write them: digits, decimal mark, grouping.

In running text whole numbers from 1,000 on are grouped; inside formulas and targets nothing is grouped. Every digit of a
rendered text is in the language's script, exponents included, so that no text mixes two digit systems.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from covary.errors import UsageError
from covary.items.languages import Language

# text: running prose; formula: inside $…$; plain: a target, without LaTeX where it can be avoided
Place = Literal["text", "formula", "plain"]

LATIN_DIGITS = "0123456789"
GROUPED_FROM = 1000


def in_script(text: str, language: Language) -> str:
    """The text with every ASCII digit in the language's digits.

    >>> from covary.items.languages import language
    >>> in_script("x^2 + 10", language("bn"))
    'x^২ + ১০'
    """
    return text if language.zero == "0" else text.translate(str.maketrans(LATIN_DIGITS, language.digits))


def number(value: Fraction, language: Language, place: Place) -> str:
    r"""A whole number or fraction with ASCII digits and the language's grouping.

    >>> from covary.items.languages import language
    >>> number(Fraction(123456), language("bn"), "text"), number(Fraction(-3, 4), language("fr"), "formula")
    ('1,23,456', '-\\frac{3}{4}')
    """
    if value.denominator != 1:
        sign = "-" if value < 0 else ""
        over = r"\frac{%d}{%d}" if place == "formula" else "%d/%d"
        return sign + over % (abs(value.numerator), value.denominator)
    return grouped(value.numerator, language) if place == "text" else str(value.numerator)


def decimal(value: Fraction, language: Language, place: Place) -> str:
    """A number as a finite decimal with the language's decimal mark; a whole number as such.

    Raises UsageError when the decimal never ends: a template may not show a rounded value as an exact one.

    >>> from covary.items.languages import language
    >>> decimal(Fraction(5, 2), language("fi"), "text")
    '2,5'
    """
    if value.denominator == 1:
        return number(value, language, place)
    places = _decimal_places(value.denominator)
    if places is None:
        raise UsageError(f"decimal: expected a number with a finite decimal, found {value}")
    whole, rest = divmod(abs(value), 1)
    head = grouped(int(whole), language) if place == "text" else str(int(whole))
    sign = "-" if value < 0 else ""
    return f"{sign}{head}{language.decimal}{int(rest * 10**places):0{places}d}"


def grouped(value: int, language: Language) -> str:
    """A whole number with the language's grouping (from 1,000 on), ASCII digits."""
    digits = str(abs(value))
    if abs(value) < GROUPED_FROM:
        return str(value)
    groups: list[str] = []
    sizes = list(language.group_sizes)
    while digits:
        size = sizes.pop(0) if len(sizes) > 1 else sizes[0]
        groups.append(digits[-size:])
        digits = digits[:-size]
    return ("-" if value < 0 else "") + language.group.join(reversed(groups))


def _decimal_places(denominator: int) -> int | None:
    twos = fives = 0
    while denominator % 2 == 0:
        denominator //= 2
        twos += 1
    while denominator % 5 == 0:
        denominator //= 5
        fives += 1
    return max(twos, fives) if denominator == 1 else None
