"""Rules on numbers across the forms of a problem: none lost, none changed, marks as the language writes them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from covary.items.languages import language
from covary.lint.chatter import CHATTER
from covary.lint.masking import ascii_digits, digit_runs, formulas
from covary.lint.reference import reference
from covary.lint.row import Fault, Row

_DECIMAL_POINT = re.compile(r"(?<![\d.])\d+\.\d+(?![\d.])")
_DECIMAL_COMMA = re.compile(r"(?<![\d,])\d+,\d+(?![\d,])")
_LIST_COMMA = re.compile(r"\d\$?\s*,\s+\$?-?\d|\d\s+,\s*\d|;")
_LISTED = re.compile(r"-?\d+(?:\.\d+)?(?:\s*,\s+-?\d+(?:\.\d+)?)+")
_REPEATING = re.compile(r"\\(?:dot|overline|bar)\s*\{?\s*\d|\d[\u0307\u0305]")
_WORDS = re.compile(r"[^\W\d_]+")


def numbers_kept(forms: Sequence[Row]) -> Iterator[Fault]:
    """numbers-differ (question), target-numbers-differ (target): a number of one form that another lacks.

    A number is a run of digits, so that decimal marks and grouping don't matter: equal are two texts with the same runs, or
    with the same digits in the same order (1,00,000 and 100 000). Texts with chatter are left to that rule.
    """
    about = reference(forms)
    if about is None:
        return
    for row in forms:
        if row is about or row.format == "conversation":
            continue
        for rule, field, ours, theirs in (
            ("numbers-differ", "question", row.question, about.question),
            ("target-numbers-differ", "target", row.answer, about.answer),
        ):
            if ours == theirs or not theirs or CHATTER.search(ours):
                continue
            lost, new = _differing(ours, theirs)
            if not lost and not new:
                continue
            expected = f"the numbers of the {about.language} form" + (f", with {', '.join(lost)}" if lost else "")
            yield row.fault(
                rule,
                "warning",
                field,
                ", ".join(new) or ours,
                expected,
                f"compare with the {about.language} form; put back {', '.join(lost)}"
                if lost
                else f"{', '.join(new)} is not there",
            )


def _differing(ours: str, theirs: str) -> tuple[list[str], list[str]]:
    left, right = digit_runs(ours), digit_runs(theirs)
    if left == right or "".join(left) == "".join(right):
        return [], []
    return sorted(set(right) - set(left)), sorted(set(left) - set(right))


def order_kept(forms: Sequence[Row]) -> Iterator[Fault]:
    """number-order: a formula or target with the same numbers in another order (digits swapped, sides exchanged)."""
    about = reference(forms)
    if about is None:
        return
    for row in forms:
        if row is about or row.format == "conversation" or CHATTER.search(row.question):
            continue
        ours, theirs = digit_runs(row.answer), digit_runs(about.answer)
        if ours != theirs and Counter(ours) == Counter(theirs) and "".join(ours) != "".join(theirs):
            yield row.fault(
                "number-order",
                "warning",
                "target",
                row.answer,
                f"the order of {about.answer}",
                "put the numbers in one order",
            )
        for mine, other in _paired(row.question, about.question):
            left, right = digit_runs(mine), digit_runs(other)
            if left != right and Counter(left) == Counter(right) and "".join(left) != "".join(right):
                yield row.fault(
                    "number-order", "warning", "question", mine, f"the order of {other}", "put the numbers in one order"
                )
                break


def _paired(ours: str, theirs: str) -> Iterator[tuple[str, str]]:
    """Formulas at the same place, where both texts have as many and most are equal."""
    left, right = formulas(ours), formulas(theirs)
    if len(left) == len(right):
        yield from zip(left, right, strict=True)


def decimal_marks(row: Row) -> Iterator[Fault]:
    """decimal-comma (note): a target with a decimal comma. decimal-mark: a target with the mark that its language doesn't
    use. comma-ambiguous: a comma as decimal mark and as list separator in one target."""
    text = ascii_digits(row.answer)
    if not text or (row.answer_type == "Proof" and len(text) > 80):
        return
    mark = language(row.language).decimal
    if mark == ",":
        comma, point = _DECIMAL_COMMA.search(text), _DECIMAL_POINT.search(text)
        if comma:
            yield row.fault(
                "decimal-comma", "note", "target", comma.group(), "one reading of the comma", "score with the language"
            )
            rest = text[: comma.start()] + text[comma.end() :]
            if _LIST_COMMA.search(rest) or re.search(r"\d\s*,\s*$|^\s*,\s*\d", rest):
                yield row.fault(
                    "comma-ambiguous",
                    "warning",
                    "target",
                    row.answer,
                    "another separator than the decimal mark",
                    "separate by ;",
                )
        if point:
            yield row.fault(
                "decimal-mark",
                "warning",
                "target",
                point.group(),
                f"{mark} as decimal mark",
                f"write {point.group().replace('.', mark)}",
            )


def lists_kept(forms: Sequence[Row]) -> Iterator[Fault]:
    """list-blank-lost: a list ("70, 28") whose commas read as decimal marks in another form ("70,28")."""
    about = reference(forms)
    if about is None:
        return
    for row in forms:
        if row is about or language(row.language).decimal != ",":
            continue
        for found in _LISTED.finditer(about.answer):
            tight = re.sub(r"\s*,\s+", ",", found.group())
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
    """repeating-mark-lost: dots or bars of repeating decimals that a form has fewer of."""
    about = reference(forms)
    if about is None:
        return
    for row in forms:
        if row is about or row.format == "conversation":
            continue
        for field, ours, theirs in (("question", row.question, about.question), ("target", row.answer, about.answer)):
            due, found = len(_REPEATING.findall(theirs)), len(_REPEATING.findall(ours))
            if found < due and not (field == "question" and CHATTER.search(ours)):
                yield row.fault(
                    "repeating-mark-lost",
                    "error",
                    field,
                    ours,
                    f"{due} marks of repeating digits, found {found}",
                    "put them back",
                )


def words_for_digits(forms: Sequence[Row]) -> Iterator[Fault]:
    """word-for-digit: a target in words where the other form's is digits."""
    about = reference(forms)
    if about is None:
        return
    if not digit_runs(about.answer) or _WORDS.search(about.answer):
        return
    for row in forms:
        if row is not about and not digit_runs(row.answer) and _WORDS.fullmatch(row.answer.strip(" .$")):
            yield row.fault("word-for-digit", "error", "target", row.answer, about.answer, "write the number in digits")
