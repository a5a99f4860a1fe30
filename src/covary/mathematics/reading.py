"""Text → reading: what an answer says, part by part, how sure that is, and what else it may say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from covary.mathematics import lexicon
from covary.mathematics.glyphs import tidy
from covary.mathematics.numerals import plain_number
from covary.mathematics.parts import Bounds, Part, parts_of, together_of
from covary.mathematics.prepared import prepared
from covary.mathematics.prose import CODE, candidates, is_long_prose
from covary.mathematics.token import Marks, Unread
from covary.mathematics.tokens import tokens
from covary.mathematics.tree import (
    Words,
    negated,
)
from covary.mathematics.wrappers import (
    COMPARED,
    TAIL,
    THERE_IS,
    TURKISH_ENDING,
    final_of,
    is_placeholder,
    trimmed,
    unwrapped,
    with_currency,
    without_enumeration,
    without_placeholder,
)


@dataclass(frozen=True)
class Reading:
    """How a text was read. whole: every word of it was understood; strength: of the marker that pointed at the value in prose."""

    parts: tuple[Part, ...] = ()
    whole: bool = True
    prose: str = ""
    weak: bool = False
    why_not: str = ""
    key: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    text: str = ""
    alternatives: tuple[Reading, ...] = field(default=())
    placeholder: bool = False
    steps: bool = False  # all of a text of which the last step or sentence is the answer


SIMPLE = re.compile(r"\s*(-?)([0-9]{1,15})(?:\.([0-9]{1,15}))?\s*")


def read(text: str, bounds: Bounds) -> Reading:
    """The preferred reading of a text and, in it, the others that its marks allow."""
    simple = SIMPLE.fullmatch(text)
    grouping = bounds.language in lexicon.GROUPING_DOT
    if simple and not (simple.group(3) and len(simple.group(3)) == 3 and grouping):
        return _simple(text, *simple.groups())
    if len(text) > bounds.characters:
        return Reading(whole=False, why_not=f"longer than {bounds.characters} characters", text=text, key=(text,))
    clean, repairs = tidy(with_currency(text))
    before, final = final_of(clean)
    reading = _read_clean(unwrapped(before), bounds)
    if final:
        reading = _with_final(reading, before, final, bounds)
    return replace(reading, repairs=repairs, text=text)


def _read_clean(clean: str, bounds: Bounds) -> Reading:
    """The reading of a text without wrappers: placeholder, code, statement, or parts in one or more readings."""
    bare = TAIL.sub("", clean).strip()
    if is_placeholder(bare):
        return Reading(why_not="a placeholder, no value", key=(bare,), placeholder=True)
    if CODE.search(bare):
        return Reading(whole=False, why_not="looks like program code", key=(bare,))
    known = lexicon.statement_of(lexicon.folded(bare.strip(" $.!*")))
    if known:
        return Reading((Part(Words(known)),), key=(known,))
    if bounds.language == "tr":
        clean = TURKISH_ENDING.sub("", clean)
    clean = prepared(trimmed(without_enumeration(THERE_IS.sub(" ", without_placeholder(clean)))))
    first, *others = _conventions(clean, bounds.language)
    reading = _one(clean, first[0], bounds)
    found = _others(clean, first[0], others, reading, bounds)
    if not reading.parts and found:
        reading, *found = found
    together = together_of(reading.parts)
    if together is not None:
        found.append(replace(reading, parts=together, alternatives=()))
    return replace(reading, alternatives=(*reading.alternatives, *found))


def _with_final(reading: Reading, before: str, final: str, bounds: Bounds) -> Reading:
    """The content of a final-answer tag as the reading, and the text before it as another one."""
    other = read(final, bounds)
    if not other.parts or other.placeholder:
        return reading
    if COMPARED.search(before) and not COMPARED.search(final):
        other = replace(other, whole=False, prose="weak")
    alternatives = reading.alternatives
    if any(not isinstance(part.node, Words) for part in reading.parts):
        alternatives = (replace(reading, alternatives=()), *alternatives)
    return replace(other, alternatives=alternatives, key=reading.key)


LOOSE_DIVISION = re.compile(r"/\s*[\w.]+\s*(?:\\?[A-Za-z(])")


def _others(
    clean: str, marks: Marks, conventions: Sequence[tuple[Marks, bool]], first: Reading, bounds: Bounds
) -> list[Reading]:
    """The readings that other marks, blanks as separators, or a/bc as a/(bc) give."""
    found: list[Reading] = []
    if LISTED.search(clean):
        found.append(_one(LISTED.sub(" , ", clean), marks._replace(blank_groups=False), bounds))
    if first.parts:
        found += [replace(_one(clean, other, bounds), weak=weak) for other, weak in conventions]
        if "/" in clean and LOOSE_DIVISION.search(clean):
            found.append(replace(_one(clean, marks, bounds, loose=True), weak=True))
    return [reading for reading in found if reading.parts and reading.parts != first.parts]


def _simple(text: str, minus: str, whole: str, fraction: str | None) -> Reading:
    """The reading of a plain number."""
    number = plain_number(f"{whole}.{fraction}" if fraction else whole)
    digits = f"{whole}.{fraction}" if fraction else whole
    return Reading((Part(negated(number) if minus else number),), key=("-", digits) if minus else (digits,), text=text)


def _one(clean: str, marks: Marks, bounds: Bounds, loose: bool = False) -> Reading:
    """The text read under one convention: as a whole, or the value that its prose points at."""
    key: tuple[str, ...] = (re.sub(r"\s+", "", clean),)
    try:
        if is_long_prose(clean):
            raise Unread("long prose")
        found = tokens(clean, bounds.language, marks, bounds.tokens)
        key = (
            tuple(token.text for token in found if token.kind != "sep" or token.text not in ("quad", "\n", ".")) or key
        )
        return _by_sentence(Reading(parts_of(found, bounds, loose), key=key))
    except Unread as stop:
        why = str(stop)
    for strength, candidate in candidates(clean):
        try:
            parts = parts_of(tokens(candidate, bounds.language, marks, bounds.tokens), bounds, loose)
        except Unread:
            continue
        if not all(isinstance(part.node, Words) and part.node.text not in lexicon.STATEMENTS for part in parts):
            last = _by_sentence(Reading(parts, key=key)).parts
            return Reading(last, whole=False, prose=strength, key=key, why_not=why)
    return Reading(whole=False, why_not=why, key=key)


def _by_sentence(reading: Reading) -> Reading:
    """Of several sentences with mathematics the last one is the answer, unless it only says again what stands before."""
    breaks = [
        at
        for at, part in enumerate(reading.parts)
        if at and part.joined in (".", "=>") and not isinstance(part.node, Words)
    ]
    if not breaks:
        return reading
    return replace(reading, parts=reading.parts[breaks[-1] :], alternatives=(replace(reading, steps=True),))


def _conventions(text: str, language: str) -> list[tuple[Marks, bool]]:
    """The preferred marks and the others that the text allows; True: a reading to be unsure of."""
    comma = language in lexicon.DECIMAL_COMMA
    if not re.search(r"\d[,.]\d", text):
        return [(Marks("decimal" if comma else "group"), False)]
    has_comma = re.search(r"\d,\d", text) is not None
    if not comma:
        found: list[tuple[Marks, bool]] = [(Marks("group"), False)]
        if has_comma and re.search(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?![\d,])", text):
            found.append((Marks("list"), False))
        if (
            has_comma
            and re.search(r"(?<![\d,.])\d+,\d+(?![\d,.])", text)
            and not re.search(r"[\[({]\s*-?\d+,\d+\s*[\])}]", text)
            and not re.search(r"(?<![\d,])[1-9]\d{0,2},\d{3}(?![\d,])", text)
        ):
            found.append((Marks("decimal"), True))
        return found
    dotted = re.search(r"\d\.\d", text) is not None
    surely_decimal = dotted and not re.search(r"(?<![\d.])[1-9]\d{0,2}(?:\.\d{3})+(?![\d.])", text)
    found = [(Marks("list" if surely_decimal and has_comma else "decimal"), False)]
    if has_comma:
        found.append(
            (
                Marks("list" if not surely_decimal else "decimal"),
                bool(re.search(r"(?<![\d,])\d+,\d+(?![\d,])", text)) and not re.search(r"[^\d\s,.\-]", text) and False,
            )
        )
        if re.search(r"(?<![\d,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])", text):
            found.append((Marks("group"), True))
    if dotted and language in lexicon.GROUPING_DOT and not surely_decimal:
        found.append((Marks("decimal", dot_groups=True), True))
    return found


LISTED = re.compile(r"(?<=[\d}])\s+(?=\\d?frac)|(?<=\d)\s+(?=\d{3}(?!\d))|(?<=\d)\s+(?=\d+\s*/)")
