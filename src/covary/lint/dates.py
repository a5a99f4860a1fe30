"""Rule on dates across the forms of a problem: the same day, however each language writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from covary.items.languages import language
from covary.lint.chatter import chatty
from covary.lint.masking import ascii_digits
from covary.lint.reference import reference
from covary.lint.row import Fault, Row

_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})([-./])(\d{1,2})\2(\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})([-./])(\d{1,2})\2(\d{4})(?!\d)")
_YEAR_BEFORE = re.compile(r"(?<!\d)(\d{4})(?:\s*(?:m|ж)\.|\s+\w+)?,?\s*$")
_DAY_BEFORE = re.compile(r"(?<!\d)(\d{1,2})(?:\.|st|nd|rd|th|er|ই|শে|লা|রা|ঠা)?\s+(?:de |of |d['’])?$")
_DAY_AFTER = re.compile(r"^\s+(\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:\s*d\.)?")
_YEAR_AFTER = re.compile(r"^,?\s+(?:de )?(\d{4})(?!\d)")
_FAR = 24


class Date(NamedTuple):
    """A day in a text: its span, its year if told, and the (month, day) pairs that it may be (3/4 is two)."""

    start: int
    end: int
    year: int | None
    days: frozenset[tuple[int, int]]

    def is_(self, other: Date) -> bool:
        """Whether both may be the same day."""
        return bool(self.days & other.days) and (None in (self.year, other.year) or self.year == other.year)


def dates_kept(forms: Sequence[Row]) -> Iterator[Fault]:
    """date-differs: a date of the reference form that another form has not."""
    about = reference(forms)
    if about is None:
        return
    for field, theirs in (("question", about.question), ("target", about.answer)):
        due = dates(theirs, about.language)
        if not due:
            continue
        for row in forms:
            ours = row.question if field == "question" else row.answer
            if row is about or row.format == "conversation" or chatty(ours):
                continue
            found = dates(ours, row.language)
            lost = [date for date in due if not any(date.is_(other) for other in found)]
            if lost:
                text = theirs[lost[0].start : lost[0].end]
                yield row.fault("date-differs", "warning", field, ours, f"the date {text}", "write the same day")


def undated(ours: str, theirs: str, own: str, other: str) -> tuple[str, str]:
    """Both texts without the dates that they share."""
    due = dates(theirs, other)
    if not due:
        return ours, theirs
    found = dates(ours, own)
    pairs = [(one, two) for one in due for two in found if one.is_(two)]
    return _without(ours, [two for _, two in pairs]), _without(theirs, [one for one, _ in pairs])


def _without(text: str, spans: Sequence[Date]) -> str:
    for span in sorted(set(spans), reverse=True):
        text = text[: span.start] + " " + text[span.end :]
    return text


def dates(text: str, code: str) -> list[Date]:
    """The dates of a text, in figures (a four-digit year) or with a month's name in the language of the code."""
    plain = ascii_digits(text)
    found: list[Date] = []
    for match in _YEAR_FIRST.finditer(plain):
        found += _date(match.start(), match.end(), match[1], {(int(match[3]), int(match[4]))})
    for match in _YEAR_LAST.finditer(plain):
        one, two = int(match[1]), int(match[3])
        found += _date(match.start(), match.end(), match[4], {(two, one), (one, two)})
    names = _months(code)
    if names is not None:
        for match in names.finditer(plain):
            found += _around(plain, match, _number(match.group(), code))
    return sorted(found)


def _date(start: int, end: int, year: str | None, days: set[tuple[int, int]]) -> list[Date]:
    real = frozenset((month, day) for month, day in days if 1 <= month <= 12 and 1 <= day <= 31)
    return [Date(start, end, int(year) if year else None, real)] if real else []


def _around(text: str, month: re.Match[str], number: int) -> list[Date]:
    """The date around a month's name: a day before or after it, and a year."""
    start, end, year = month.start(), month.end(), None
    day = _DAY_BEFORE.search(text[max(0, start - _FAR) : start])
    after = text[end : end + _FAR]
    if day:
        start -= len(day.group())
    elif day := _DAY_AFTER.search(after):
        end += len(day.group())
        after = after[len(day.group()) :]
    else:
        return []
    if told := _YEAR_AFTER.search(after):
        end, year = end + len(told.group()), told[1]
    elif told := _YEAR_BEFORE.search(text[max(0, start - _FAR) : start]):
        start, year = start - len(told.group()), told[1]
    return _date(start, end, year, {(number, int(day[1]))})


@cache
def _names(code: str) -> dict[str, int]:
    """Months by their names in a language, in lower case; none where they aren't known."""
    from babel import Locale, UnknownLocaleError

    try:
        months = Locale.parse(language(code).code).months
    except (UnknownLocaleError, ValueError):
        return {}
    found: dict[str, int] = {}
    for context in ("format", "stand-alone"):
        for number, name in months[context]["wide"].items():
            if not name.isdigit() and len(name) >= 3:
                found.setdefault(name.casefold(), number)
    return found


@cache
def _months(code: str) -> re.Pattern[str] | None:
    names = sorted(_names(code), key=len, reverse=True)
    return (
        re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, names)) + r")(?:['’]?\w{0,5})", re.IGNORECASE)
        if names
        else None
    )


def _number(word: str, code: str) -> int:
    """The month that a word names, endings of cases left aside."""
    lowered = word.casefold()
    return next(
        number
        for name, number in sorted(_names(code).items(), key=lambda entry: -len(entry[0]))
        if lowered.startswith(name)
    )
