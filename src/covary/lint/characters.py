"""Rules on characters: line ends, tabs, control characters, invisible ones, normal form, digits of two scripts."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence

from covary.lint.row import Fault, Row, around
from covary.mathematics.glyphs import EATEN_PATTERNS

_DAMAGE = re.compile(
    "(?!\tand\\b)(?:"
    + "|".join(f"(?:{pattern.pattern})" for pattern, _ in EATEN_PATTERNS if "\n" not in pattern.pattern)
    + ")"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_C1 = re.compile("[\x80-\x9f]")
_INVISIBLE = re.compile(
    "[\u200b\u200e\u200f\u2060-\u2064\ufeff\u00ad]|[\u200c\u200d](?=[\\s$\\\\\\w]?[A-Za-z$\\\\0-9]|$)"
)
_JOINERS = re.compile("[\u200c\u200d]")
_JOINING_SCRIPTS = frozenset({"bn", "hi", "mr", "ne", "fa", "ar", "ur", "ta", "te", "kn", "ml", "si", "km", "my"})
_ASCII_DIGIT = re.compile("[0-9]")


def escape_damage(row: Row) -> Iterator[Fault]:
    """escape-damage: control characters where a LaTeX command lost its backslash to a JSON escape."""
    for field, text in row.texts():
        if text.isprintable():
            continue
        found = _DAMAGE.search(text)
        if found or (found := _CONTROL.search(text)):
            mended = repaired(text)
            start = max(0, found.start() - 20)
            expected = "text without control characters"
            advice = f"repaired: {mended[start : start + 120]}" if mended != text else "take the character out"
            yield row.fault("escape-damage", "error", field, around(text, found), expected, advice)


def repaired(text: str) -> str:
    """The text with the backslashes put back that JSON escapes ate, and without other control characters."""
    for pattern, replacement in EATEN_PATTERNS:
        if "\n" not in pattern.pattern:
            text = pattern.sub(replacement, text)
    return _CONTROL.sub("", text)


def blanks(row: Row) -> Iterator[Fault]:
    """carriage-return, tab: line ends of another system, and tabs that are no damage."""
    for field, text in row.texts():
        if "\r" in text and (found := re.search("\r(?!ight|ho(?![a-z])|angle)", text)):
            yield row.fault(
                "carriage-return", "note", field, around(text, found), "line ends as \\n", "replace \\r\\n by \\n"
            )
        if "\t" in text and (found := re.search("\t", text)) and not _DAMAGE.search(text):
            yield row.fault("tab", "note", field, around(text, found), "blanks", "replace the tab by a blank")


def unicode(row: Row) -> Iterator[Fault]:
    """replacement-character, c1-control, zero-width, not-nfc."""
    for field, text in row.texts():
        if text.isascii():
            continue
        if "\ufffd" in text and (found := re.search("\ufffd", text)):
            yield row.fault(
                "replacement-character",
                "error",
                field,
                around(text, found),
                "the lost character",
                "restore it from the source",
            )
        if found := _C1.search(text):
            yield row.fault(
                "c1-control",
                "warning",
                field,
                around(text, found),
                "no C1 control character",
                "the text was decoded wrongly",
            )
        pattern = _INVISIBLE if row.language in _JOINING_SCRIPTS else _ANY_INVISIBLE
        if found := pattern.search(text):
            yield row.fault(
                "zero-width",
                "warning",
                field,
                around(text, found),
                "no invisible character",
                f"take out U+{ord(found.group()):04X}",
            )
        if not unicodedata.is_normalized("NFC", text):
            yield row.fault(
                "not-nfc", "note", field, _first_unnormal(text), "Unicode normal form C", "normalise to NFC"
            )


_ANY_INVISIBLE = re.compile(f"{_INVISIBLE.pattern}|{_JOINERS.pattern}")


def digit_scripts(rows: Sequence[Row]) -> Iterator[Fault]:
    """mixed-digits: a text with digits of another script than most texts of its language and field have."""
    found: defaultdict[tuple[str, str], list[tuple[Row, str, bool]]] = defaultdict(list)
    for row in rows:
        for field, text in row.texts():
            kind = field.split()[0]
            for digits, other in ((_OTHER_DIGIT, True), (_ASCII_DIGIT, False)):
                if (other is False or not text.isascii()) and digits.search(text):
                    found[row.language, kind].append((row, field, other))
    for group in found.values():
        others = sum(other for _, _, other in group)
        usual = others * 2 > len(group)
        pattern = _ASCII_DIGIT if usual else _OTHER_DIGIT
        for row, field, other in group:
            if other != usual:
                text = dict(row.texts())[field]
                if hit := pattern.search(text):
                    yield row.fault(
                        "mixed-digits",
                        "warning",
                        field,
                        around(text, hit),
                        "digits of one script in the set",
                        "write all alike",
                    )


_OTHER_DIGIT = re.compile(r"(?![0-9])\d")


def _first_unnormal(text: str) -> str:
    return next((word for word in text.split() if not unicodedata.is_normalized("NFC", word)), "")
