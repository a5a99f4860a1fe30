"""Lint rules for culture sets: pure functions from an items frame to findings.

    cue-in-neutral      a cue stands where no cue should be
    given-away          a unit, a currency, a country or one of the answer's options is named outside the cues
    dialect             a spelling or word of one English-speaking country outside the cues
    several-cultures    a cue, or the pair of them, fits more than one culture, or not the row's own
    bg-ceiling          what several-cultures costs: the best accuracy of background inference at ImplicitCue1 (a note)
    unit-leak           a cue gives away the unit of its concept
    truncated           an implicit level ends before its cue, or shows one too many
    unequal-levels      the levels of a conversation differ where they should not, or one is missing
    missing-picture     no picture, or one that the set lacks
    text-in-picture     a reader of text finds letters in a picture

Rules that need cues read them from `meta.cues` (value; type and neutral words where known, else the type is looked up by
the value); a set without them gets the other rules.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import polars as pl

from covary.culture import knowledge
from covary.culture.knowledge import COUNTRY_WORDS, OPTION_WORDS, Knowledge
from covary.lint.finding import Finding, Severity

LEVELS = ("Null", "Neutral", "ImplicitCue1", "ImplicitCue2", "ImplicitFull", "ExplicitFull")
_CUE_FREE = {"Null", "Neutral", "NeutralCue1", "NeutralCue2", "Placebo"}
_ONE_CULTURE = {"ImplicitCue1", "ImplicitCue2", "ImplicitFull"}
_NUMBER = r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|hundred|thousand)\b)[\d.,]*\s?-?"
_UNITS = re.compile(
    r"°\s?[CF]\b|\b(?:Celsius|Fahrenheit|centigrade|kelvin|kilomet(?:re|er)s?|centimet(?:re|er)s?|millimet(?:re|er)s?|"
    r"miles?|mph|kph|km/h|kmh|mileage|square (?:feet|foot|met(?:re|er)s?)|sq\.? ?(?:ft|m)|acres?|hectares?|pyeong|tsubo|"
    r"tatami|knots)\b|m²|ft²|㎡|" + _NUMBER + r"(?:feet|foot|ft|inch(?:es)?|yards?|met(?:re|er)s?|km|cm|mm|m)\b",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"[€£¥₩₹₪﷼$￥￦]|\b(?:dollars?|euros?|yen|yuan|renminbi|RMB|rupees?|shekels?|reais|tomans?|rials?|pence|bucks|quid|"
    r"USD|EUR|GBP|JPY|CNY|KRW|INR|ILS|IRR|BRL)\b|" + _NUMBER + r"(?:pounds?|won|real|cents?)\b",
    re.IGNORECASE,
)
_DIALECT = re.compile(
    r"\b(?:colou?rs?|favou?rites?|hono(?:u)?r(?:ed|s)?|humou?r|neighbou?r\w*|cent(?:re|er)s?|gr[ae]y|organi[sz]e\w*|"
    r"reali[sz]e\w*|apologi[sz]e\w*|recogni[sz]e\w*|practis\w+|dial+ing|travel+ing|programmes?|co[sz]y|catalogu?e|"
    r"cheques?|mums?|moms?|lorr(?:y|ies)|petrol|queues?|queued|vacations?|autumn|trousers|postcodes?|zip codes?|"
    r"mobile phones?|cell ?phones?|learnt|dreamt|burnt|spilt|whilst|tyres?|pavements?|sidewalks?|apartments?|roommates?|"
    r"adverts?|cancel+(?:ed|ing)|tea ?time|licen[cs]e)\b"
)
_NAMES = (("unit", _UNITS), ("currency", _MONEY), ("country", COUNTRY_WORDS), ("dialect", _DIALECT))
_STATEMENT = re.compile(r"\s?\bI(?: am|'m) (?:originally )?from [^.!?]+[.!?]\s?")
_LETTERS = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class _Cue:
    cue_type: str
    value: str
    neutral: str


@dataclass(frozen=True, slots=True)
class _Row:
    source_id: str
    item_id: str
    variant: str
    culture: str | None
    level: str
    concept: str
    question: str
    options: tuple[str, ...]
    turns: tuple[str, ...]
    picture: str | None
    cues: tuple[_Cue, ...]
    statement: str | None
    text_only: bool

    def finding(self, rule: str, severity: Severity, span: str, expected: str, suggestion: str) -> Finding:
        return Finding(rule, severity, self.item_id, self.variant, span, expected, suggestion)

    def own_turns(self) -> tuple[str, ...]:
        """The turns without the statement of origin."""
        if not self.statement and self.level not in ("ExplicitFull", "ExplicitConflict"):
            return self.turns
        return tuple(self._without_statement(turn) for turn in self.turns)

    def _without_statement(self, turn: str) -> str:
        if self.statement:
            return turn.replace(f"{self.statement} ", "").replace(f" {self.statement}", "").replace(self.statement, "")
        return _STATEMENT.sub(" ", turn).strip()


def check(
    items: pl.DataFrame,
    *,
    source: Knowledge | None = None,
    pictures: Mapping[str, bytes] | None = None,
    read: Callable[[bytes], str] | None = None,
) -> list[Finding]:
    """Every finding of every rule, in the order of the rules.

    `pictures` are the set's pictures by SHA-256 (None: not at hand, presence isn't checked); `read` finds text in one.
    """
    base = source or knowledge.load()
    rows = _rows(items)
    return [
        *_cue_in_neutral(rows, base),
        *_given_away(rows),
        *_several_cultures(rows, base),
        *_bg_ceiling(bg_ceiling(items, base)),
        *_unit_leak(rows, base),
        *_truncated(rows),
        *_unequal_levels(rows),
        *_missing_picture(rows, pictures),
        *(_text_in_picture(rows, pictures, read) if pictures is not None and read is not None else ()),
    ]


def cue_in_neutral(items: pl.DataFrame, source: Knowledge | None = None) -> list[Finding]:
    """Cues left at a level without implicit cues: those of the same scaffold, or any distinctive one of the base."""
    return list(_cue_in_neutral(_rows(items), source or knowledge.load()))


def given_away(items: pl.DataFrame) -> list[Finding]:
    """Units, currencies, countries, answer options (of time and quantifiers) and dialect words outside cues and statement."""
    return list(_given_away(_rows(items)))


def several_cultures(items: pl.DataFrame, source: Knowledge | None = None) -> list[Finding]:
    """Visible cues whose cultures, intersected, are more than one (warning for one cue, error for two), or aren't the
    row's."""
    return list(_several_cultures(_rows(items), source or knowledge.load()))


def unit_leak(items: pl.DataFrame, source: Knowledge | None = None) -> list[Finding]:
    """Cues whose type gives away the gold unit of the item's concept."""
    return list(_unit_leak(_rows(items), source or knowledge.load()))


def truncated(items: pl.DataFrame) -> list[Finding]:
    """Implicit levels that don't show the cues that they should, or don't stop right after them."""
    return list(_truncated(_rows(items)))


def unequal_levels(items: pl.DataFrame) -> list[Finding]:
    """Levels of one conversation that differ elsewhere than in slots, length and statement, and levels that are missing."""
    return list(_unequal_levels(_rows(items)))


def missing_picture(items: pl.DataFrame, pictures: Mapping[str, bytes] | None = None) -> list[Finding]:
    """Items without a picture (unless they are of the text-only route), or with one that the set lacks."""
    return list(_missing_picture(_rows(items), pictures))


def text_in_picture(items: pl.DataFrame, pictures: Mapping[str, bytes], read: Callable[[bytes], str]) -> list[Finding]:
    """Pictures in which `read` (an OCR program, passed in) finds a run of two letters or more."""
    return list(_text_in_picture(_rows(items), pictures, read))


def names_in(text: str, concept: str = "") -> Iterator[tuple[str, str]]:
    """What a text names that it should not: (unit, currency, country, dialect or option; the words)."""
    for noun, pattern in (*_NAMES, *([("option", OPTION_WORDS[concept])] if concept in OPTION_WORDS else ())):
        for match in pattern.finditer(text):
            yield noun, match[0]


def bg_ceiling(items: pl.DataFrame, source: Knowledge | None = None) -> pl.DataFrame:
    """The best accuracy that a reader of the cues can have on background inference, by culture and implicit level.

    One row per culture × level: n, ceiling = mean of 1 / (number of the ten cultures that all visible cues fit). Cues
    outside the knowledge base count as fitting one culture and are counted in `unknown`.
    """
    base = source or knowledge.load()
    facts = [
        (row.culture, row.level, 1 / max(1, len(fits)) if fits is not None else 1.0, fits is None)
        for row in _rows(items)
        if row.level in _ONE_CULTURE and row.cues
        for fits in (_fitting(row, base),)
    ]
    frame = pl.DataFrame(
        facts,
        schema={"culture": pl.String, "cue_level": pl.String, "best": pl.Float64, "strange": pl.Boolean},
        orient="row",
    )
    return frame.group_by("culture", "cue_level", maintain_order=True).agg(
        pl.len().alias("n"), pl.col("best").mean().alias("ceiling"), pl.col("strange").sum().alias("unknown")
    )


def _rows(items: pl.DataFrame) -> list[_Row]:
    wanted = [
        "source_id",
        "item_id",
        "variant",
        "culture",
        "cue_level",
        "domain",
        "question",
        "options",
        "conversation",
        "picture",
        "meta",
    ]
    return [_row(values) for values in items.select(wanted).iter_rows()]


def _row(values: tuple[Any, ...]) -> _Row:
    source_id, item_id, variant, culture, level, domain, question, options, turns, picture, meta = values
    facts: dict[str, Any] = msgspec.json.decode(meta)
    cues = tuple(
        _Cue(str(cue.get("type", "")), str(cue["value"]), str(cue.get("neutral", "")))
        for cue in facts.get("cues") or ()
        if cue.get("value")
    )
    return _Row(
        source_id,
        item_id,
        variant,
        culture,
        level or "",
        domain or "",
        question,
        tuple(options or ()),
        tuple(turn["text"] for turn in turns or ()),
        picture,
        cues,
        facts.get("statement"),
        facts.get("route") == "text",
    )


def _shows(text: str, value: str) -> bool:
    return _place(text, value) >= 0


def _place(text: str, value: str) -> int:
    """Where a value stands as words of its own; -1: nowhere."""
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        inside = (start > 0 and value[0].isalnum() and text[start - 1].isalnum()) or (
            end < len(text) and value[-1].isalnum() and text[end].isalnum()
        )
        if not inside:
            return start
        start = text.find(value, start + 1)
    return -1


def _cue_in_neutral(rows: Iterable[_Row], base: Knowledge) -> Iterator[Finding]:
    rows = list(rows)
    siblings: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        siblings[row.source_id] |= {cue.value for cue in row.cues}
    known = sorted(base.lexicon(), key=len, reverse=True)
    anywhere = re.compile("|".join(re.escape(value) for value in known))
    reported: set[tuple[str, str, str]] = set()
    verdicts: dict[str, list[str]] = {}
    seen: set[tuple[str, str, str]] = set()
    for row in rows:
        if not _free_of_cues(row):
            continue
        for turn in (*row.own_turns(), row.question):
            if (row.source_id, row.level, turn) in seen:
                continue
            seen.add((row.source_id, row.level, turn))
            if turn not in verdicts:
                verdicts[turn] = [match[0] for match in anywhere.finditer(turn) if _shows(turn, match[0])]
            found = {*verdicts[turn], *(value for value in siblings[row.source_id] if _shows(turn, value))}
            for span in sorted(found):
                if (row.source_id, row.level, span) not in reported:
                    reported.add((row.source_id, row.level, span))
                    yield row.finding(
                        "cue-in-neutral", "error", span, f"no cultural cue at {row.level}", "put neutral words there"
                    )


def _free_of_cues(row: _Row) -> bool:
    if row.level == "ExplicitFull":
        return "end-of-implicit" not in row.variant
    return row.level in _CUE_FREE


def _given_away(rows: Iterable[_Row]) -> Iterator[Finding]:
    reported: set[tuple[str, str, str]] = set()
    verdicts: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in rows:
        for turn in (*row.own_turns(), row.question):
            text = turn
            for cue in row.cues:
                text = text.replace(cue.value, "□")
            key = (text, row.concept if row.concept in OPTION_WORDS else "")
            if key not in verdicts:
                verdicts[key] = list(names_in(*key))
            for noun, span in verdicts[key]:
                if (row.source_id, row.level, span) in reported or (
                    noun == "unit" and row.text_only and turn == row.question
                ):
                    continue
                reported.add((row.source_id, row.level, span))
                if noun == "dialect":
                    yield row.finding("dialect", "warning", span, "words that say nothing of a country", "reword it")
                else:
                    yield row.finding(
                        "given-away", "error", span, f"no {noun} named outside cues and statement", "reword it"
                    )


def _fitting(row: _Row, base: Knowledge) -> frozenset[str] | None:
    """The cultures that all cues visible at the row's level fit; None when the base lacks one of them."""
    sets = [_cultures(cue, base) for cue in (row.cues[:1] if row.level == "ImplicitCue1" else row.cues)]
    return frozenset[str].intersection(*sets) if sets and all(sets) else None


def _cultures(cue: _Cue, base: Knowledge) -> frozenset[str]:
    return frozenset[str]().union(*(base.cultures_fitting(name, cue.value) for name in _types(cue, base)))


def _types(cue: _Cue, base: Knowledge) -> frozenset[str]:
    return frozenset({cue.cue_type}) if cue.cue_type in base.types else base.types_of(cue.value)


def _several_cultures(rows: Iterable[_Row], base: Knowledge) -> Iterator[Finding]:
    for row in rows:
        if row.level not in _ONE_CULTURE or not row.cues:
            continue
        fits = _fitting(row, base)
        span = " + ".join(cue.value for cue in (row.cues[:1] if row.level == "ImplicitCue1" else row.cues))
        if fits is None:
            yield row.finding(
                "several-cultures", "note", span, "cues that the knowledge base holds", "add them, or check by hand"
            )
        elif row.culture not in fits:
            yield row.finding(
                "several-cultures",
                "error",
                span,
                f"cues of {row.culture}",
                f"they fit {', '.join(sorted(fits)) or 'no culture together'}",
            )
        elif len(fits) > 1:
            severity: Severity = "warning" if row.level == "ImplicitCue1" else "error"
            yield row.finding(
                "several-cultures",
                severity,
                span,
                f"cues that fit {row.culture} alone",
                f"they fit {', '.join(sorted(fits))}: choose a more distinctive value",
            )


def _bg_ceiling(ceilings: pl.DataFrame) -> Iterator[Finding]:
    short = ceilings.filter((pl.col("cue_level") == "ImplicitCue1") & (pl.col("ceiling") < 1))
    for culture, ceiling, n in short.select("culture", "ceiling", "n").iter_rows():
        variant = json.dumps({"cue_level": "ImplicitCue1", "culture": culture}, separators=(",", ":"))
        yield Finding(
            "bg-ceiling", "note", "", variant, f"{ceiling:.3f} of {n}", "1.000", "read BG against this ceiling"
        )


def _unit_leak(rows: Iterable[_Row], base: Knowledge) -> Iterator[Finding]:
    for row in rows:
        visible = row.cues[:1] if row.level == "ImplicitCue1" else row.cues
        for cue in visible if not _free_of_cues(row) else ():
            leaking = sorted(name for name in _types(cue, base) if row.concept in base.types[name].leaks)
            if leaking:
                yield row.finding(
                    "unit-leak",
                    "error",
                    cue.value,
                    f"a cue that leaves the unit of {row.concept} open",
                    f"use another type than {leaking[0]}",
                )


def _truncated(rows: Iterable[_Row]) -> Iterator[Finding]:
    for row in rows:
        if row.level not in _ONE_CULTURE or len(row.cues) != 2:
            continue
        text = "\n".join(row.turns)
        first, second = row.cues
        due = row.cues[:1] if row.level == "ImplicitCue1" else row.cues
        for cue in due:
            if not _shows(text, cue.value):
                yield row.finding(
                    "truncated",
                    "error",
                    "",
                    f"cue {cue.value!r} before the end",
                    "cut after the cue's turn, not before it",
                )
        if row.level == "ImplicitCue1" and _shows(text, second.value) and second.value not in first.value:
            yield row.finding(
                "truncated", "error", second.value, "the first cue only", "cut before the second cue's turn"
            )
        last = first if row.level == "ImplicitCue1" else second
        if row.level != "ImplicitFull" and row.turns and not _shows(row.turns[-1], last.value):
            yield row.finding(
                "truncated",
                "error",
                row.turns[-1],
                f"an end right after cue {last.value!r}",
                "drop the turns after the cue",
            )


def _unequal_levels(rows: Iterable[_Row]) -> Iterator[Finding]:
    groups: defaultdict[tuple[str, str | None], dict[str, _Row]] = defaultdict(dict)
    neutral: dict[str, _Row] = {}
    for row in rows:
        groups[row.source_id, row.culture][row.level] = row
        if row.level == "Neutral" and neutral.setdefault(row.source_id, row).turns != row.turns:
            yield row.finding(
                "unequal-levels",
                "error",
                _first_difference(row.turns, neutral[row.source_id].turns),
                "one Neutral for all cultures",
                "compile it from one scaffold",
            )
    wanted = [level for level in LEVELS if any(level in group for group in groups.values())]
    for group in groups.values():
        anchor = next(iter(group.values()))
        for level in wanted:
            if level not in group:
                yield anchor.finding(
                    "unequal-levels",
                    "error",
                    "",
                    f"level {level} beside the others",
                    "add it, or drop the conversation",
                )
        yield from _compare(group)


def _compare(group: Mapping[str, _Row]) -> Iterator[Finding]:
    anchor = next(iter(group.values()))
    for row in group.values():
        if (row.question, row.picture, row.options) != (anchor.question, anchor.picture, anchor.options):
            yield row.finding(
                "unequal-levels",
                "error",
                row.question,
                "question, picture and options as at the other levels",
                "make them equal",
            )
    null, neutral, full, explicit = (group.get(name) for name in ("Null", "Neutral", "ImplicitFull", "ExplicitFull"))
    if null and null.turns:
        yield null.finding("unequal-levels", "error", null.turns[0], "no conversation at Null", "remove the turns")
    for short, long in (
        ("ImplicitCue1", "ImplicitCue2"),
        ("ImplicitCue2", "ImplicitFull"),
        ("ImplicitCue1", "ImplicitFull"),
    ):
        left, right = group.get(short), group.get(long)
        if left and right and (left.turns != right.turns[: len(left.turns)] or len(left.turns) > len(right.turns)):
            yield left.finding(
                "unequal-levels",
                "error",
                _first_difference(left.turns, right.turns),
                f"the beginning of {long}",
                "truncate it, change nothing",
            )
    if neutral and full and not _differ_in_slots(neutral, full):
        yield neutral.finding(
            "unequal-levels",
            "error",
            _first_difference(neutral.turns, _neutralised(full)),
            "ImplicitFull with its two slots neutralised",
            "compile both from one scaffold",
        )
    if explicit and (neutral or full):
        same = [row.turns for row in (neutral, full) if row]
        if explicit.own_turns() not in same:
            yield explicit.finding(
                "unequal-levels",
                "error",
                _first_difference(explicit.own_turns(), same[0]),
                "Neutral and a statement of origin",
                "change nothing else",
            )
        elif explicit.own_turns() == explicit.turns:
            yield explicit.finding(
                "unequal-levels", "error", "", "a statement of origin at ExplicitFull", "add it to the first utterance"
            )


def _differ_in_slots(neutral: _Row, full: _Row) -> bool:
    if len(neutral.turns) != len(full.turns):
        return False
    if not all(cue.neutral for cue in full.cues) or not full.cues:
        return sum(left != right for left, right in zip(neutral.turns, full.turns, strict=True)) <= 2
    return [turn.casefold() for turn in neutral.turns] == [turn.casefold() for turn in _neutralised(full)]


def _neutralised(full: _Row) -> tuple[str, ...]:
    """ImplicitFull's turns with the first showing of each cue replaced by its neutral words."""
    turns = list(full.turns)
    for cue in full.cues:
        for index, turn in enumerate(turns):
            start = _place(turn, cue.value)
            if start >= 0:
                turns[index] = turn[:start] + cue.neutral + turn[start + len(cue.value) :]
                break
    return tuple(turns)


def _first_difference(left: tuple[str, ...], right: tuple[str, ...]) -> str:
    pairs = zip(left, right, strict=False)
    return next((mine for mine, other in pairs if mine.casefold() != other.casefold()), left[-1] if left else "")


def _missing_picture(rows: Iterable[_Row], pictures: Mapping[str, bytes] | None) -> Iterator[Finding]:
    reported: set[tuple[str, str | None]] = set()
    for row in rows:
        absent = row.picture is None and not row.text_only
        lost = row.picture is not None and pictures is not None and row.picture not in pictures
        if (absent or lost) and (row.source_id, row.picture) not in reported:
            reported.add((row.source_id, row.picture))
            yield row.finding(
                "missing-picture",
                "error",
                row.picture or "",
                "a picture of the set",
                "add the file, or mark the item as text-only",
            )


def _text_in_picture(
    rows: Iterable[_Row], pictures: Mapping[str, bytes], read: Callable[[bytes], str]
) -> Iterator[Finding]:
    seen: set[str] = set()
    for row in rows:
        if row.picture is None or row.picture in seen or row.picture not in pictures:
            continue
        seen.add(row.picture)
        found = _LETTERS.search(read(pictures[row.picture]))
        if found:
            yield row.finding(
                "text-in-picture", "error", found[0], "digits at most", "look at the picture and remove the text"
            )
