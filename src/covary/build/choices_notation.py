"""The changeable places of a target (numbers, signs, functions, ends of intervals), and texts with other values in them.

A place of one language's target lines up with the place of the same number in another's, so that one change gives the same
option in every language, each in its own digits, decimal mark, words and LaTeX.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from covary.items.languages import language as language_of
from covary.lint.masking import ascii_digits

Kind = Literal["number", "sign", "function", "relation", "end", "operation"]
Style = Literal["integer", "decimal", "latex", "slash", "mixed"]

MAX_CHARACTERS = 300
MAX_PLACES_ADDED = 3
_UNARY_AFTER = re.compile(
    r"(?:^|[=$(\[,;<>≤≥|&~]|=\s*\{|:\s|\\\{|\\(?:leq?|geq?|in|approx|quad|left\(|text\{[^{}]*\})|(?<![\\^\W\d_])\b[^\W\d_]{2,}\s)\s*$"
)
_FUNCTIONS = "sin|cos|tan|cot|sec|csc|cosec"
_SPACE = r"[   ]"
# a letter after a number is a factor, but for a unit after a blank (2.5 m)
_BOUND_NEXT = re.compile(
    r"(?!\s+[mglsh]\.?\s*\$?$)\s*(?:\}|[a-zA-Z]\s*(?:[\^+*(]|\\cdot|$)|\^(?!\s*\{?\s*\\circ)|!|\\(?:sqrt|pi|frac|times))"
)
_REPEATED = re.compile(r"\\(?:dot|bar|overline)\s*\{?\s*$")
_REPEATING_NEXT = re.compile(r"\s*\\(?:dot|bar|overline)")
_LETTER_NEXT = re.compile(r"\s*(?:[^\W\d_]|\\(?!leq?|geq?|cup|cap|text|quad|cdot|times|\}))")


@dataclass(frozen=True, slots=True)
class Place:
    """One changeable place. value: of a number. signed: a minus may stand here. power: it stands in an exponent."""

    start: int
    end: int
    kind: Kind
    text: str
    value: Fraction | None = None
    style: Style = "integer"
    signed: bool = False
    power: bool = False
    below: bool = False  # a denominator or the index of a root: never 0 or 1

    @property
    def said(self) -> object:
        """What must agree between languages for two places to be the same."""
        return (self.kind, self.value) if self.kind == "number" else (self.kind, _PLAIN.get(self.text, self.text))


_PLAIN = {"−": "-", "∪": r"\cup", "∩": r"\cap", "≤": r"\leq", r"\le": r"\leq", "≥": r"\geq", r"\ge": r"\geq"}


@dataclass(frozen=True, slots=True)
class Notation:
    """How a target writes its numbers: zero digit and decimal mark of its language, and the minus it uses."""

    text: str
    places: tuple[Place, ...]
    zero: str
    mark: str
    minus: str

    @property
    def scalar(self) -> Place | None:
        """The only place, where the target is one number with at most a label, a unit and LaTeX around it."""
        numbers = [place for place in self.places if place.kind == "number"]
        if len(numbers) != 1 or len(self.places) != 1 or numbers[0].power or numbers[0].below:
            return None
        rest = self.text[numbers[0].end :]
        return None if _BOUND_NEXT.match(rest) else numbers[0]


def notation(text: str, language: str) -> Notation:
    """The places of a target; none in a text that is too long to be an option."""
    spoken = language_of(language)
    plain = ascii_digits(text)
    own = next((char for char in text if char.isdecimal() and not char.isascii()), None)
    zero = chr(ord(own) - int(own)) if own else "0"
    places = tuple(_places(plain, spoken.decimal)) if len(text) <= MAX_CHARACTERS and len(plain) == len(text) else ()
    return Notation(text, places, zero, spoken.decimal, "−" if "−" in text else "-")


def changed(target: Notation, changes: Mapping[int, Fraction | str]) -> str | None:
    """The target with other values (by place) or other texts; None where a value can't be written in the key's style."""
    pieces: list[str] = []
    at = 0
    for index, place in enumerate(target.places):
        if index not in changes:
            continue
        new = changes[index]
        written = new if isinstance(new, str) else write(new, place, target)
        if written is None:
            return None
        pieces += [target.text[at : place.start], written]
        at = place.end
    return "".join(pieces) + target.text[at:]


def write(value: Fraction, place: Place, target: Notation) -> str | None:
    """A value in the style of a place: a fraction stays one, a decimal keeps its mark, digits keep their script."""
    if value < 0 and not place.signed:
        return None
    if place.below and value in (0, 1):
        return None
    if _REPEATED.search(target.text[: place.start]) and len(str(value)) != len(place.text):
        return None  # the digits under a mark of repetition stay as many
    if _REPEATING_NEXT.match(target.text[place.end :]) and (place.style == "decimal") != (value.denominator != 1):
        return None
    if len(target.places) > 1 and (value == 0 or (abs(value) == 1 and _LETTER_NEXT.match(target.text[place.end :]))):
        return None  # nobody writes x - 0 or 1x
    size = abs(value)
    body = _BODIES[place.style](size, place.text, target)
    if body is None:
        return None
    own = "".join(chr(ord(target.zero) + int(char)) if char.isascii() and char.isdigit() else char for char in body)
    return (target.minus if value < 0 else "") + own


def _integer(size: Fraction, like: str, target: Notation) -> str | None:
    if size.denominator == 1:
        return str(size.numerator)
    return _decimal(size, like, target)


def _decimal(size: Fraction, like: str, target: Notation) -> str | None:
    found = re.search(r"\d([.,])(\d+)\s*$", ascii_digits(like))
    places = len(found[2]) if found else 0
    for digits in range(places + MAX_PLACES_ADDED + 1):
        scaled = size * 10**digits
        if scaled.denominator == 1:
            whole, rest = divmod(scaled.numerator, 10**digits)
            mark = found[1] if found else target.mark
            return f"{whole}{mark}{rest:0{digits}d}" if digits else str(whole)
    return None


def _latex(size: Fraction, like: str, target: Notation) -> str | None:
    if size.denominator == 1:
        return None
    command = re.search(r"\\[dt]?frac", like)
    return f"{command.group() if command else chr(92) + 'frac'}{{{size.numerator}}}{{{size.denominator}}}"


def _slash(size: Fraction, like: str, target: Notation) -> str | None:
    return None if size.denominator == 1 else f"{size.numerator}/{size.denominator}"


def _mixed(size: Fraction, like: str, target: Notation) -> str | None:
    whole, rest = divmod(size.numerator, size.denominator)
    if not whole or not rest:
        return None
    part = _latex(Fraction(rest, size.denominator), like, target)
    return f"{whole}{part}"


_BODIES = {"integer": _integer, "decimal": _decimal, "latex": _latex, "slash": _slash, "mixed": _mixed}

_PATTERN = re.compile(
    rf"(?P<skip>_\s*\{{?[\w]+\}}?|\\(?:text|mathrm|mathbf|operatorname)\s*\{{[^{{}}]*\}}|\\(?:left|right)\b)"
    rf"|(?P<circ>\^\s*\{{?\s*\\circ\s*\}}?)"
    rf"|(?P<mixed>(?P<mw>\d+)\s*\\[dt]?frac\s*\{{\s*(?P<mn>\d+)\s*\}}\s*\{{\s*(?P<md>\d+)\s*\}})"
    rf"|(?P<latex>\\[dt]?frac\s*\{{\s*(?P<ln>-?\d+)\s*\}}\s*\{{\s*(?P<ld>\d+)\s*\}})"
    rf"|(?P<slash>(?<![\d.,/^}}\w])(?P<sn>\d+)\s?/\s?(?P<sd>\d+)(?![\d.,/]*\d|\s*\w))"
    rf"|(?P<grouped>(?<!\d)(?<!\d[.,])\d{{1,3}}(?:{_SPACE}\d{{3}})+(?![\d])|(?<!\d)(?<!\d[.,])\d{{1,3}}(?:,\d{{2,3}})*,\d{{3}}(?!\d))"
    rf"|(?P<decimal>\d+\.\d+|\d+,\d+(?!\.\d))"
    rf"|(?P<whole>\d+)"
    rf"|(?P<function>\\(?:{_FUNCTIONS})(?![a-zA-Z])|(?<![a-zA-Z\\])(?:{_FUNCTIONS})(?![a-zA-Z]))"
    rf"|(?P<relation>\\leq?(?![a-z])|\\geq?(?![a-z])|[≤≥<>])"
    rf"|(?P<operation>\\c[ua]p(?![a-z])|[∪∩])"
    rf"|(?P<sign>[+−]|(?<![^\W\d_])-|-(?![^\W\d_]))"
)
_INTERVAL = re.compile(r"[\[(\]][^\[\](){}]{1,60},[^\[\](){}]{1,60}[\])\[]")


def _places(text: str, mark: str) -> list[Place]:
    found: list[Place] = []
    minus: int | None = None
    comma_lists = mark == "." or re.search(r"\d\.\d", text) is not None
    for match in _PATTERN.finditer(text):
        if match["skip"] or match["circ"]:
            continue
        if match["sign"]:
            if match["sign"] in "-−" and _leads_number(text, match):
                minus = match.start()
                continue
            found.append(Place(match.start(), match.end(), "sign", match.group()))
        elif match["function"] or match["relation"] or match["operation"]:
            name: Kind = "function" if match["function"] else "relation" if match["relation"] else "operation"
            found.append(Place(match.start(), match.end(), name, match.group()))
        else:
            found += _numbers(match, text, minus, mark, comma_lists)
        minus = None
    found += _ends(text)
    return sorted(found, key=lambda place: place.start)


def _leads_number(text: str, match: re.Match[str]) -> bool:
    """Whether a minus belongs to the number behind it."""
    follows = re.match(r"\s?(?:\d|\\[dt]?frac\s*\{\s*\d+\s*\}\s*\{\s*\d+\s*\})", text[match.end() :])
    return follows is not None and _UNARY_AFTER.search(text[: match.start()]) is not None


def _numbers(match: re.Match[str], text: str, minus: int | None, mark: str, comma_lists: bool) -> list[Place]:
    raw = match.group()
    if match["mixed"]:
        if int(match["md"]) == 0:
            return []
        value, style = int(match["mw"]) + Fraction(int(match["mn"]), int(match["md"])), "mixed"
    elif match["latex"]:
        if int(match["ld"]) == 0:
            return []
        value, style = Fraction(int(match["ln"]), int(match["ld"])), "latex"
    elif match["slash"]:
        if int(match["sd"]) == 0:
            return []
        value, style = Fraction(int(match["sn"]), int(match["sd"])), "slash"
    elif match["grouped"]:
        if "," in raw and mark == "," and not re.fullmatch(r"\d{1,3}(?:,\d{3}){2,}", raw):
            return _decimal_or_list(match, raw, text, minus, comma_lists)
        value, style = Fraction(re.sub(r"\D", "", raw)), "integer"
    elif match["decimal"]:
        return _decimal_or_list(match, raw, text, minus, comma_lists)
    else:
        value, style = Fraction(raw), "integer"
    return [_place(match.start(), match.end(), text, value, style, minus)]  # type: ignore[arg-type]


def _decimal_or_list(match: re.Match[str], raw: str, text: str, minus: int | None, comma_lists: bool) -> list[Place]:
    """One number with a decimal mark, or two numbers where the comma only separates."""
    if "," in raw and comma_lists:
        left, right = raw.split(",")[0], raw.rsplit(",", 1)[1]
        start = match.start() + len(raw) - len(right)
        return [
            _place(match.start(), match.start() + len(left), text, Fraction(left), "integer", minus),
            _place(start, match.end(), text, Fraction(right), "integer", None),
        ]
    return [_place(match.start(), match.end(), text, Fraction(raw.replace(",", ".")), "decimal", minus)]


def _place(start: int, end: int, text: str, value: Fraction, style: Style, minus: int | None) -> Place:
    before = text[: start if minus is None else minus]
    signed = minus is not None or _UNARY_AFTER.search(before) is not None
    power = re.search(r"\^\s*\{?\s*$", before) is not None
    below = re.search(r"/\s*\(?$|\}\s*\{\s*$|sqrt\s*\[\s*$", before) is not None
    start = start if minus is None else minus
    return Place(
        start, end, "number", text[start:end], -value if minus is not None else value, style, signed, power, below
    )


def _ends(text: str) -> list[Place]:
    """Brackets of intervals. A pair in round brackets may be a point: only with a square end or ∪, ∞, ∈ it is an interval."""
    if not re.search(r"[\[\]∪∞∈]|\\(?:cup|infty|in)(?![a-z])", text) or re.search(r"sqrt\s*\[|\\begin", text):
        return []
    found: list[Place] = []
    for match in _INTERVAL.finditer(text):
        found.append(Place(match.start(), match.start() + 1, "end", text[match.start()]))
        found.append(Place(match.end() - 1, match.end(), "end", text[match.end() - 1]))
    return found


def rounded(value: Fraction, places: int) -> Fraction:
    """The value to so many decimals (negative: to tens, hundreds), halves away from zero."""
    scale = Fraction(10) ** places
    return Fraction(int(math.copysign(math.floor(abs(value) * scale + Fraction(1, 2)), value)), 1) / scale
