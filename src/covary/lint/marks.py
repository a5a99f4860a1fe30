"""Rules on marks in numbers: the decimal mark as the language writes it and not lost, lists, repeating digits."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from covary.items.languages import language
from covary.lint.chatter import chatty
from covary.lint.masking import ascii_digits, digit_runs
from covary.lint.reference import SOURCE_LANGUAGE, compared, reference
from covary.lint.row import Fault, Row

_DECIMAL_POINT = re.compile(r"\d\.\d")
_ANY_COMMA = re.compile(r"\d+,\d+")
_ANY_POINT = re.compile(r"(?<!\^)(?<!\^\{)(?<!\d)\d+\.\d+")
_LIST_COMMA = re.compile(r"[\d}°)]\$?\s*,\s*\$?-?\\?[\d(a-z]")
_LISTED = re.compile(r"-?\d+(?:\.\d+)?(?:\s*,\s+-?\d+(?:\.\d+)?)+")
_DECIMAL = re.compile(r"(?<![\d.,])(\d*)(?:[.,]|\{,\})(\d+)(?![\d\u0307\u0305]|[.,]\d|\\dot)")
_WHOLE = re.compile(r"(?<![\d.,])\d+(?![\d]|[.,]\d|\{,\})")
_MARKED = r"\\(?:dot|overline|bar|widehat)\s*\{?\s*\d+\s*\}?"
_REPEATING = re.compile(
    rf"(\d+)(?:[.,]|\{{,\}})((?:\s*{_MARKED}|\d[\u0307\u0305]?|\(\d+\)|[{{}}$]|(?<=[.,])\s+(?=\\))*)"
)
_TAIL = re.compile(r"\\[a-z]+\s*\{?\s*(\d+)|(\d)[\u0307\u0305]|\((\d+)\)|(\d)")
_REPEATS = re.compile(r"\\(?:dot|overline|bar|overset|widehat)|[\u0307\u0305]|\d[.,]\d*\(")
GROUP = 3
MOST_DIGITS = 40


def decimal_marks(rows: Sequence[Row]) -> Iterator[Fault]:
    """decimal-mark: a target with a decimal point, in a language that writes a comma. decimal-comma (note): a target with a
    comma where the reference form has a point, in a language whose targets mix both marks. comma-ambiguous: a comma as
    decimal mark and as list separator in one target."""
    abouts = {row.source_id: row for row in rows if row.language == SOURCE_LANGUAGE}
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        about = abouts.get(row.source_id)
        if row.answer and (about is None or _DECIMAL_POINT.search(about.answer)):
            groups[row.language].append(row)
    for code, group in groups.items():
        mark = language(code).decimal
        if mark == ",":
            pointed = [row for row in group if _ANY_POINT.search(ascii_digits(row.answer))]
            for row in pointed:
                found = _ANY_POINT.search(ascii_digits(row.answer))
                span = found.group() if found else ""
                yield row.fault(
                    "decimal-mark",
                    "warning",
                    "target",
                    span,
                    f"{mark} as decimal mark",
                    f"write {span.replace('.', mark)}",
                )
            yield from _commas(group, abouts, mixed=bool(pointed))


def _commas(group: Sequence[Row], abouts: Mapping[str, Row], mixed: bool) -> Iterator[Fault]:
    for row in group:
        comma = _ANY_COMMA.search(ascii_digits(row.answer))
        if comma and mixed:
            yield row.fault(
                "decimal-comma",
                "note",
                "target",
                comma.group(),
                "one decimal mark in all targets",
                "score with the language",
            )
        pointed = _ANY_POINT.search(ascii_digits(row.answer))
        if comma and not pointed and _listed(abouts.get(row.source_id), row) and ";" not in row.answer:
            yield row.fault(
                "comma-ambiguous", "warning", "target", row.answer, "another separator than the mark", "separate by ;"
            )


def _listed(about: Row | None, row: Row) -> bool:
    """The target is a list, of which the commas are separators too."""
    text = about.answer if about is not None else row.answer
    return _LIST_COMMA.search(text) is not None


def lists_kept(forms: Sequence[Row]) -> Iterator[Fault]:
    """list-blank-lost: a list ("70, 28") whose commas read as decimal marks in another form ("70,28")."""
    about = reference(forms)
    if about is None:
        return
    for row in forms:
        if row is about or language(row.language).decimal != ",":
            continue
        for found in _LISTED.finditer(about.answer):
            tight = re.sub(r"\s*,\s+", ",", found.group()).replace(".", ",")
            if tight in ascii_digits(row.answer):
                yield row.fault(
                    "list-blank-lost",
                    "warning",
                    "target",
                    tight,
                    f"the list {found.group()}",
                    "put a blank after, or ; for, the comma",
                )
                break


def marks_kept(forms: Sequence[Row]) -> Iterator[Fault]:
    """repeating-mark-lost: repeating decimals of which a form has fewer. repeating-mark-moved: the same digits, of which others
    repeat. Dots, a bar and brackets mark alike: 0.\\dot{2}\\dot{7}, 0,\\overline{27}, 0,(27)."""
    for row, field, ours, theirs in compared(forms):
        if not _REPEATS.search(theirs) or (field == "question" and chatty(ours)):
            continue
        due, found = periods(theirs), periods(ours)
        lost = Counter(map(_value, due)) - Counter(map(_value, found))
        if len(found) < len(due):
            expected = f"{len(due)} repeating decimals, found {len(found)}"
            yield row.fault("repeating-mark-lost", "warning", field, ours, expected, "put the marks back")
        elif moved := [one for one in due if _value(one) in lost and any(_same_digits(one, other) for other in found)]:
            whole, first, period = moved[0]
            expected = f"{whole}.{first} with {period} repeating"
            yield row.fault("repeating-mark-moved", "warning", field, ours, expected, "mark the same digits")


def periods(text: str) -> list[tuple[str, str, str]]:
    """The repeating decimals of a text: whole part, digits that come once, digits that repeat.

    >>> periods(r"0.2\\dot{7} and 5,\\overline{12} and 1,(3)")
    [('0', '2', '7'), ('5', '', '12'), ('1', '', '3')]
    """
    found: list[tuple[str, str, str]] = []
    for number in _REPEATING.finditer(ascii_digits(text)):
        digits, marked = "", [0, 0]
        for piece in _TAIL.finditer(number[2]):
            told = next(group for group in piece.groups() if group is not None)
            if piece.group(4) is None:
                marked = [marked[0] if marked[1] else len(digits), len(digits) + len(told)]
            digits += told
        if marked[1]:
            found.append((number[1], digits[: marked[0]], digits[marked[0] : marked[1]]))
    return found


def unmarked(text: str) -> str:
    """The text with its repeating decimals as digits alone: 0.\\overline{27} as 0.27."""
    if not _REPEATS.search(text):
        return text
    return _REPEATING.sub(_digits, ascii_digits(text))


def _digits(number: re.Match[str]) -> str:
    digits = "".join(group for piece in _TAIL.finditer(number[2]) for group in piece.groups() if group)
    return f"{number[1]}.{digits} "


def _value(number: tuple[str, str, str]) -> Fraction:
    """The value of a repeating decimal; far digits are cut."""
    whole, first, period = (part[:MOST_DIGITS] for part in number)
    repeating = Fraction(int(period), (10 ** len(period) - 1) * 10 ** len(first))
    return int(whole) + Fraction(int(first or "0"), 10 ** len(first)) + repeating


def _same_digits(one: tuple[str, str, str], other: tuple[str, str, str]) -> bool:
    """Whether two repeating decimals are written with the same digits, but have other values."""
    left, right = one[1] + one[2], other[1] + other[2]
    return one[0] == other[0] and (left.startswith(right) or right.startswith(left)) and _value(one) != _value(other)


def points_kept(forms: Sequence[Row]) -> Iterator[Fault]:
    """decimal-mark-lost: a decimal that another form has as a whole number of the same digits (2.5 and 25), either way round.

    Groups of three digits may be grouping and are passed over.
    """
    for row, field, ours, theirs in compared(forms):
        if digit_runs(ours) == digit_runs(theirs) or (field == "question" and chatty(ours)):
            continue
        whole, decimal = _lost_mark(theirs, ours) or _lost_mark(ours, theirs) or ("", "")
        if whole:
            yield row.fault(
                "decimal-mark-lost",
                "warning",
                field,
                whole if whole in ascii_digits(ours) else decimal,
                f"one number in both forms, found {decimal} and {whole}",
                "put the decimal mark back",
            )


def _lost_mark(having: str, lacking: str) -> tuple[str, str] | None:
    """(whole number of the one text, decimal of the other) with the same digits, where each stands in its text alone."""
    left, right = ascii_digits(having), ascii_digits(lacking)
    there = {(whole.lstrip("0"), part) for whole, part in _DECIMAL.findall(right)}
    own, bare = set(_WHOLE.findall(left)), set(_WHOLE.findall(right))
    for found in _DECIMAL.finditer(left):
        whole, part = found.groups()
        joined = {whole + part, (whole + part).lstrip("0")} & (bare - own)
        if (whole.lstrip("0"), part) not in there and len(part) % GROUP and joined:
            return min(joined), found.group()
    return None
