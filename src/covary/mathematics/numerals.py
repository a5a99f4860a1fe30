"""Numbers in a text: decimals and groups under a locale's marks, repeating decimals, numbers cut off, powers of ten."""

from __future__ import annotations

import re
from functools import cache

from flint import fmpq, fmpz

from covary.mathematics.token import Marks, Token, Unread
from covary.mathematics.tree import Num

DIGIT_GROUP = r"(?:\\dot\s*\{\d+\}|\\dot\s*\d|\d)"
DOTTED = re.compile(rf"(\d*)[.,]?(\d*)(?:\\dot\s*\{{\d+\}}|\\dot\s*\d){DIGIT_GROUP}*")
DOTTED_FULL = re.compile(rf"((?:\\dot\s*\{{\d+\}}|\\dot\s*\d|\d)*)(?:[.,]({DIGIT_GROUP}+))?")
BARRED = re.compile(r"(\d+)[.,](\d*)(?:\\(?:overline|bar)\s*\{\s*(\d+)\s*\}|\((\d+)\))")
BAR_LOG = re.compile(r"\\(?:overline|bar)\s*\{\s*(\d)\s*\}\s*[.,](\d+)")
CUT_OFF = re.compile(r"(\d+[.,]\d+)(?:\s?\.\.+|\s?\\[lc]?dots(?![a-z]))")
SCIENTIFIC = re.compile(r"(\d+(?:\.\d+)?)[eE]([+-]?\d{1,4})(?![\w.])")
PLAIN = re.compile(r"\d+(?:\.\d+)?|\.\d+")
COMMA_DECIMAL = re.compile(r"\d+,\d+(?![,.]?\d)")
COMMA_GROUPS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?!,?\d)(?:\.\d+)?|[1-9]\d?(?:,\d{2})+,\d{3}(?!,?\d)(?:\.\d+)?")
BLANK_GROUPS = re.compile(r"[1-9]\d{0,2}(?:(?: |\\,|\\ |~)\d{3})+(?![ ,]?\d)(?:\.\d+)?(?!\s?/)")
BLANK_GROUPS_COMMA = re.compile(r"[1-9]\d{0,2}(?:(?: |\\,|\\ |~)\d{3})+,\d+(?![,.]?\d)")
APOSTROPHE_GROUPS = re.compile(r"[1-9]\d{0,2}(?:'\d{3})+(?!\d)")
DOT_GROUPS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+(?![.\d])(?:,\d+)?")
DOT_GROUPS_SURE = re.compile(r"[1-9]\d{0,2}(?:(?:\.\d{3}){2,}(?![.\d])(?:,\d+)?|\.\d{3},\d+)(?![.,]?\d)")
MAX_DIGITS = 6_000


def number_at(text: str, position: int, marks: Marks, found: list[Token]) -> tuple[Num, int] | None:
    """The number that starts here and where it ends."""
    if text[position] == "\\":
        if text.startswith(("\\overline", "\\bar"), position) and (bar := BAR_LOG.match(text, position)):
            whole, fraction = bar.groups()
            return Num(fmpq(int(fraction), 10 ** len(fraction)) - int(whole), len(fraction), len(fraction)), bar.end()
        if not text.startswith("\\dot", position) or not re.match(r"\\dot\s*[{\d]", text[position : position + 8]):
            return None
    repeating = DOTTED.match(text, position) if "\\dot" in text else None
    if repeating and (full := DOTTED_FULL.match(text, position)):
        return _dotted(full.group(1), full.group(2) or ""), full.end()
    if "(" in text or "\\" in text:
        barred = BARRED.match(text, position)
        if barred:
            whole, still, period, bracketed = barred.groups()
            return _repeating(whole, still, period or bracketed), barred.end()
        cut = CUT_OFF.match(text, position)
        if cut:
            return _cut_off(cut.group(1)), cut.end()
    elif ".." in text and (cut := CUT_OFF.match(text, position)):
        return _cut_off(cut.group(1)), cut.end()
    if ("e" in text or "E" in text) and (scientific := SCIENTIFIC.match(text, position)):
        number, power = plain_number(scientific.group(1)), int(scientific.group(2))
        scale = fmpq(10) ** power
        places = (number.places or 0) - power
        return Num(number.value * scale, places if places > 0 else None, number.digits), scientific.end()
    for pattern, drop, decimal in _patterns(marks):
        grouped = pattern.match(text, position)
        if grouped:
            if pattern is BLANK_GROUPS and found and found[-1].kind == "num":
                continue
            digits = (
                re.sub(drop, "", grouped.group()).replace(decimal, ".")
                if drop
                else grouped.group().replace(decimal, ".")
            )
            return plain_number(digits), grouped.end()
    plain = PLAIN.match(text, position)
    if plain is None:
        return None
    return plain_number(plain.group()), plain.end()


@cache
def _patterns(marks: Marks) -> tuple[tuple[re.Pattern[str], str, str], ...]:
    patterns: list[tuple[re.Pattern[str], str, str]] = [(APOSTROPHE_GROUPS, "'", ".")]
    if marks.blank_groups and marks.comma == "decimal":
        patterns.append((BLANK_GROUPS_COMMA, r"[ ~\\,](?=\d{3})(?<!\d,)|\\", ","))
    if marks.blank_groups:
        patterns.append((BLANK_GROUPS, r"[ ~\\,](?=\d{3})|\\", ","))
    if marks.comma == "group":
        patterns.append((COMMA_GROUPS, ",", "."))
    if marks.comma == "decimal":
        patterns.append((DOT_GROUPS_SURE, r"\.", ","))
        if marks.dot_groups:
            patterns.append((DOT_GROUPS, r"\.", ","))
        patterns.append((COMMA_DECIMAL, "", ","))
    return tuple(patterns)


def plain_number(digits: str) -> Num:
    """A decimal such as 12 or 3.50, with what it states: places and significant digits."""
    whole, point, fraction = digits.partition(".")
    if len(digits) > MAX_DIGITS:
        raise Unread("a number with more digits than the bound")
    if not point:
        return Num(fmpq(_integer(whole)))
    significant = len((whole + fraction).lstrip("0"))
    return Num(fmpq(_integer(whole + fraction), fmpz(10) ** len(fraction)), len(fraction), significant)


def _integer(digits: str) -> fmpz:
    return fmpz(digits or "0")


def _repeating(whole: str, still: str, period: str) -> Num:
    if len(whole) + len(still) + len(period) > MAX_DIGITS:
        raise Unread("a number with more digits than the bound")
    before, scale = _integer(whole + still), fmpz(10) ** len(still)
    return Num(fmpq(before, scale) + fmpq(_integer(period), scale * (fmpz(10) ** len(period) - 1)))


def _dotted(whole: str, fraction: str) -> Num:
    """Dots over the first and last digit of the period; over one digit: that digit alone."""
    plain_whole = re.sub(r"\D", "", whole)
    digits: list[str] = []
    dotted: list[int] = []
    for piece in re.finditer(r"\\dot\s*\{(\d+)\}|\\dot\s*(\d)|(\d)", fraction):
        over = piece.group(1) or piece.group(2)
        if over:
            dotted += [len(digits), len(digits) + len(over) - 1]
            digits.extend(over)
        else:
            digits.append(piece.group(3))
    if not dotted:
        return plain_number(plain_whole + ("." + "".join(digits) if digits else ""))
    first, last = min(dotted), max(dotted)
    return _repeating(plain_whole, "".join(digits[:first]), "".join(digits[first : last + 1]))


def _cut_off(digits: str) -> Num:
    """0.333… is 1/3 where a period shows twice or more; else a number cut off after its digits."""
    whole, _, fraction = digits.replace(",", ".").partition(".")
    for size in range(1, len(fraction) // 2 + 1):
        period = fraction[-size:]
        times = 1
        while fraction.endswith(period * (times + 1)):
            times += 1
        if times >= (3 if size == 1 else 2) or (times == 2 and len(fraction) == 2):
            still = fraction[: len(fraction) - size * times]
            return _repeating(whole, still, period)
    number = plain_number(f"{whole}.{fraction}")
    return Num(number.value, number.places, number.digits, cut=True)
