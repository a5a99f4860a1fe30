"""The knowledge base of cultural cues: types, values, and how many cultures each value fits.

A value's distinctiveness is computed: the number of the ten cultures that list it, or declare it as also theirs, under
the same key. 1 points to one culture. It says nothing of cultures outside the ten.
"""

from __future__ import annotations

import csv
import functools
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal, get_args

from covary.errors import DataError, nearest

Culture = Literal["BR", "CN", "FR", "IN", "IR", "IL", "JP", "KR", "GB", "US"]
CULTURES: tuple[Culture, ...] = get_args(Culture)
Kind = Literal["format", "entity", "standard"]
Key = Literal["value", "shape", "date"]
Verdict = Literal["right", "wrong", "unsure"]
CONCEPTS = ("temperature", "distance", "speed", "size", "price", "time_expression", "quantifiers")
COUNTRY_NAMES: Mapping[str, str] = {
    "BR": "Brazil",
    "CN": "China",
    "FR": "France",
    "IN": "India",
    "IR": "Iran",
    "IL": "Israel",
    "JP": "Japan",
    "KR": "South Korea",
    "GB": "the United Kingdom",
    "US": "the United States",
}
# Names, demonyms and short forms of the ten, as written in English. Case matters ("us" is a pronoun).
COUNTRY_WORDS = re.compile(
    r"\b(?:Bra[sz]il(?:ians?)?|Chin(?:a|ese)|Fran(?:ce|çais)|French|Indians?|India|Iran(?:ians?)?|Persians?|"
    r"Israel(?:is?)?|Japan(?:ese)?|(?:South )?Korea(?:ns?)?|U\.?K\.?|(?:United )Kingdom|(?:Great )?Britain|British|"
    r"Engl(?:and|ish)|Scot(?:land|tish)|Wales|Welsh|United States|U\.?S\.?(?:A\.?)?|America(?:ns?)?)(?![A-Za-z])"
)
# Concepts that are answered by an option → the option's words. "some" is too common to mean one.
OPTION_WORDS: Mapping[str, re.Pattern[str]] = {
    "time_expression": re.compile(
        r"\b(?:mornings?|noon|midday|afternoons?|evenings?|nights?|midnight)\b", re.IGNORECASE
    ),
    "quantifiers": re.compile(r"\b(?:few|half|most|almost all)\b", re.IGNORECASE),
}
_TYPE_FIELDS = {"kind", "family", "neutral", "source", "leaks", "key", "one", "library"}
_VALUE_FIELDS = {"v", "also", "note", "source"}


@dataclass(frozen=True)
class Review:
    """One verdict on one value: who (a person, or a library with its version), when (ISO date), what they said."""

    cue_type: str
    culture: str
    value: str
    verdict: Verdict
    reviewer: str
    date: str
    comment: str = ""


@dataclass(frozen=True)
class CueType:
    """One kind of cue. `neutral` stands in its place at the Neutral level; `leaks` names the concepts it must not serve."""

    name: str
    kind: Kind
    family: str
    neutral: str
    source: str
    leaks: frozenset[str]
    key: Key
    one: bool
    library: str | None


@dataclass(frozen=True)
class CueValue:
    """One value of a cue type in a culture. `cultures`: all of the ten that it fits, its own among them."""

    cue_type: str
    culture: str
    value: str
    source: str
    note: str
    cultures: frozenset[str]
    names_country: bool
    reviews: tuple[Review, ...] = ()

    @property
    def distinctiveness(self) -> int:
        """How many of the ten cultures share the value; 1 is best."""
        return len(self.cultures)

    @property
    def verified(self) -> bool:
        """Whether the newest verdict of every reviewer is "right", and there is one."""
        newest = {review.reviewer: review.verdict for review in sorted(self.reviews, key=lambda review: review.date)}
        return bool(newest) and set(newest.values()) == {"right"}


@dataclass(frozen=True)
class Knowledge:
    """All cue types by name and all values by (cue type, culture), in the order of the data file."""

    types: Mapping[str, CueType]
    values: Mapping[tuple[str, str], tuple[CueValue, ...]]

    def of(self, cue_type: str, culture: str) -> tuple[CueValue, ...]:
        """The values of a type in a culture; raises DataError for an unknown type."""
        if cue_type not in self.types:
            raise DataError(f"unknown cue type {cue_type!r}{nearest(cue_type, self.types)}")
        return self.values.get((cue_type, culture), ())

    def every(self) -> Iterable[CueValue]:
        """All values, in the order of the data file."""
        return (value for values in self.values.values() for value in values)

    def cultures_fitting(self, cue_type: str, value: str) -> frozenset[str]:
        """The cultures that a cue fits: those that list or share its key; empty when the knowledge base lacks it."""
        if cue_type not in self.types:
            return frozenset()
        return self._fitting.get((cue_type, cue_key(self.types[cue_type].key, value)), frozenset())

    def types_of(self, value: str) -> frozenset[str]:
        """The cue types that list a text as a value; for cues whose type isn't told."""
        return frozenset(name for name, kind in self.types.items() if (name, cue_key(kind.key, value)) in self._fitting)

    @functools.cached_property
    def _fitting(self) -> dict[tuple[str, str], frozenset[str]]:
        index: defaultdict[tuple[str, str], frozenset[str]] = defaultdict(frozenset)
        for entry in self.every():
            index[entry.cue_type, cue_key(self.types[entry.cue_type].key, entry.value)] |= entry.cultures
        return dict(index)

    def usable(self, cue_type: str, culture: str, concept: str, *, alone: bool) -> tuple[CueValue, ...]:
        """Values fit for a slot: no country named, neither unit nor option of the concept given away, not judged wrong; with `alone` also
        of distinctiveness 1, so that the cue points to its culture without another."""
        if concept in self.types[cue_type].leaks:
            return ()
        return tuple(
            value
            for value in self.of(cue_type, culture)
            if not value.names_country
            and not (concept in OPTION_WORDS and OPTION_WORDS[concept].search(value.value))
            and not (alone and value.distinctiveness > 1)
            and not any(review.verdict == "wrong" for review in value.reviews)
        )

    def lexicon(self) -> frozenset[str]:
        """Every cue value that fits one culture and can be told from ordinary words: three characters or more, a
        letter in it."""
        return frozenset(
            entry.value
            for entry in self.every()
            if entry.distinctiveness == 1 and len(entry.value) > 2 and any(char.isalpha() for char in entry.value)
        )

    def unverified(self) -> tuple[CueValue, ...]:
        """Values that no reviewer and no library has confirmed; reports flag them."""
        return tuple(value for value in self.every() if not value.verified)


def cue_key(key: Key, value: str) -> str:
    """What two values must share to be the same cue.

    >>> cue_key("shape", "75007") == cue_key("shape", "90210"), cue_key("date", "15/09/2021"), cue_key("value", "Pix")
    (True, 'D/M/Y', 'pix')
    """
    if key == "shape":
        return re.sub(r"[A-Za-z]", lambda m: m[0] if m[0].islower() else "A", re.sub(r"\d", "9", value))
    if key == "date":
        return re.sub(r"\d+", lambda match: _date_part(match[0]), value)
    return value.casefold()


@functools.cache
def load(more: tuple[Review, ...] = ()) -> Knowledge:
    """The bundled knowledge base, checked against its schema and with its reviews attached, and `more` of them."""
    folder = resources.files("covary.culture") / "data"
    types = tomllib.loads((folder / "knowledge_types.toml").read_text(encoding="utf-8"))
    values = tomllib.loads((folder / "knowledge_values.toml").read_text(encoding="utf-8"))
    reviews = read_reviews((folder / "knowledge_reviews.csv").read_text(encoding="utf-8"))
    return build(types, values, (*reviews, *more))


def build(types: Mapping[str, Any], values: Mapping[str, Any], reviews: Iterable[Review] = ()) -> Knowledge:
    """A knowledge base from the parsed data files. Raises DataError with the type and culture at fault."""
    known = {name: _cue_type(name, fields) for name, fields in types.items()}
    verdicts: defaultdict[tuple[str, str, str], list[Review]] = defaultdict(list)
    for review in reviews:
        verdicts[review.cue_type, review.culture, review.value].append(review)
    tables = [_entries(name, table, known) for name, table in values.items()]
    missing = known.keys() - values.keys()
    if missing:
        raise DataError(f"cue type {min(missing)!r} has no values; add a table of that name to the values")
    built = {key: entries for table in tables for key, entries in table.items()}
    return Knowledge(
        known,
        {
            key: tuple(_with(entry, verdicts[entry.cue_type, entry.culture, entry.value]) for entry in entries)
            for key, entries in built.items()
        },
    )


def read_reviews(text: str) -> tuple[Review, ...]:
    """Reviews from CSV text with the columns of `Review`."""
    rows = csv.DictReader(text.splitlines())
    return tuple(_review(row, line) for line, row in enumerate(rows, start=2))


def _cue_type(name: str, fields: Mapping[str, Any]) -> CueType:
    unknown = fields.keys() - _TYPE_FIELDS
    if unknown:
        raise DataError(f"cue type {name!r}: unknown field {min(unknown)!r}{nearest(min(unknown), _TYPE_FIELDS)}")
    missing = {"kind", "family", "neutral", "source"} - fields.keys()
    if missing:
        raise DataError(f"cue type {name!r}: field {min(missing)!r} is missing")
    if fields["kind"] not in get_args(Kind):
        raise DataError(f"cue type {name!r}: kind must be one of {', '.join(get_args(Kind))}, found {fields['kind']!r}")
    if fields.get("key", "value") not in get_args(Key):
        raise DataError(f"cue type {name!r}: key must be one of {', '.join(get_args(Key))}, found {fields['key']!r}")
    leaks = frozenset(fields.get("leaks", ()))
    if leaks - set(CONCEPTS):
        wrong = min(leaks - set(CONCEPTS))
        raise DataError(f"cue type {name!r}: leaks into unknown concept {wrong!r}{nearest(wrong, CONCEPTS)}")
    return CueType(
        name,
        fields["kind"],
        fields["family"],
        fields["neutral"],
        fields["source"],
        leaks,
        fields.get("key", "value"),
        bool(fields.get("one", False)),
        fields.get("library"),
    )


def _entries(
    name: str, table: Mapping[str, Any], known: Mapping[str, CueType]
) -> dict[tuple[str, str], tuple[CueValue, ...]]:
    if name not in known:
        raise DataError(f"values of unknown cue type {name!r}{nearest(name, known)}")
    strangers = table.keys() - set(CULTURES)
    if strangers:
        raise DataError(f"cue type {name!r}: unknown culture {min(strangers)!r}; known: {', '.join(CULTURES)}")
    raw = {culture: [_fields(name, culture, entry) for entry in table.get(culture, ())] for culture in CULTURES}
    sharing: defaultdict[str, set[str]] = defaultdict(set)
    for culture, entries in raw.items():
        for entry in entries:
            sharing[cue_key(known[name].key, entry["v"])] |= {culture, *entry.get("also", ())}
    return {
        (name, culture): tuple(
            CueValue(
                name,
                culture,
                entry["v"],
                entry.get("source", known[name].source),
                entry.get("note", ""),
                frozenset(sharing[cue_key(known[name].key, entry["v"])]),
                bool(COUNTRY_WORDS.search(entry["v"])),
            )
            for entry in entries
        )
        for culture, entries in raw.items()
    }


def _fields(name: str, culture: str, entry: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {"v": entry} if isinstance(entry, str) else dict(entry)
    unknown = fields.keys() - _VALUE_FIELDS
    if unknown or not fields.get("v"):
        raise DataError(f"cue type {name!r}, {culture}: expected a text or v, also, note, source; found {entry!r}")
    if set(fields.get("also", ())) - set(CULTURES):
        raise DataError(f"cue type {name!r}, {culture}: 'also' of {fields['v']!r} names a culture outside the ten")
    return fields


def _review(row: Mapping[str, str | None], line: int) -> Review:
    try:
        review = Review(**{key: (value or "").strip() for key, value in row.items()})  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise DataError(
            f"reviews, line {line}: expected the columns {', '.join(Review.__dataclass_fields__)}; found {', '.join(row)}"
        ) from None
    if review.verdict not in get_args(Verdict):
        raise DataError(f"reviews, line {line}: verdict must be right, wrong or unsure, found {review.verdict!r}")
    if not review.reviewer or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", review.date):
        raise DataError(
            f"reviews, line {line}: a reviewer and an ISO date are needed, found {review.reviewer!r}, {review.date!r}"
        )
    return review


def _with(entry: CueValue, reviews: Iterable[Review]) -> CueValue:
    return CueValue(
        entry.cue_type,
        entry.culture,
        entry.value,
        entry.source,
        entry.note,
        entry.cultures,
        entry.names_country,
        tuple(reviews),
    )


def _date_part(digits: str) -> str:
    number = int(digits)
    if number > 1600:
        return "Y"
    if number > 1000:
        return "P"  # a year of the Solar Hijri calendar
    return "D" if number > 12 else "M"
