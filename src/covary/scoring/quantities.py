"""Which unit system or currency an answer offers, whatever its wording; and the dispatcher over all kinds of short answers.

A reading has a status: one, multiple (more than one offered), ambiguous (the text cannot decide), other (clear, but outside
the set), unknown; its values in order of appearance; and the primary one. A value is accepted when it is among the values and
the status is one or multiple.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from covary.culture.countries import country_words
from covary.culture.lexicons import Found, lowered, plain_text
from covary.culture.lexicons_json import json_as_text
from covary.culture.lexicons_numbers import follows_number, number_after, number_before, precedes_number
from covary.culture.lexicons_stance import SHORT, nothing_else, stance
from covary.culture.units import CONCEPTS, CURRENCIES, SYSTEMS, UnitSense, accepted, families, unit_lexicon
from covary.errors import UsageError
from covary.scoring.case import Case, Judgement

AnswerStatus = Literal["one", "multiple", "ambiguous", "other", "unknown"]

_TIME = (
    r"(?:h(?:r|rs|ours?)?|hora|horas|heures?|s|sec|secs|seconds?|segundos?|secondes?|min|mins|minutes?|minutos?|"
    r"ساعت|ثانیه|دقیقه|שעה|שניה|שנייה|दقیقه|घंटा|घंटे|घण्टा|घण्टे|घं|सेकंड|सेकेंड|सेकण्ड|小时|小時|时|時間|時|秒|分|시간|시|초|ч|с)"
)
SPEED_TAIL = re.compile(
    r"[s.]?[\s-]*(?:(?:/|÷|per|an?|each|every|in an?|in one|p\.?|por|par|à l'|a l'|à la|বর|بر|در|प्रति|毎|每|ל|ב|в)[\s-]*(?:un |uma |une |one |1 )?)"
    + _TIME
    + r"(?![^\W\d_])(?!-?long)|[·. ]?(?:[sh]|hr)\s*\^?\(?-\s?1|[/ ]?(?:매시|매초)|(?:毎時|每小时|每小時|每秒|毎秒)|-(?:heure|hour|hora)s?(?![^\W\d_])|\s*(?:प्रतिघंटा|hourly|ph)(?![^\W\d_])"
)
SPEED_HEAD = re.compile(
    r"(?:時速|时速|時速|시속|毎時|每小时|每小時|一小时|每秒|秒速|초속|分速|분속|시간당|초당|velocidade por hora|per hour|प्रति घंटे|प्रति घंटा|در ساعت)[^,.;。]{0,14}$"
)
SQUARE_HEAD = re.compile(
    r"(?:(?<![^\W\d_])(?:square|sq|squared|sqr)\.?|平方|제곱|평방|वर्ग|스퀘어|スクエア|кв\.?|quadrat)[\s.-]*$"
)
SQUARE_TAIL = re.compile(
    r"(?:\s?\^\s?\(?2|\*\*2|2(?![\d.,]\d|\d)|\s2(?=\s*(?:$|[.,;)])))|[\s.-]*(?:sq(?:uare[sd]?)?|quadrad[oa]s?|carr[ée]e?s?|cuadrad[oa]s?|quadrat[oi]|مربع|מרובע\w*|רבוע\w*|ר(?![^\W_])|מ\"ר|वर्ग|平方|제곱)(?![^\W\d_])|\.?2(?![\d.,])"
)
VOLUME = re.compile(r"\s?\^\s?3|3(?!\d|[.,]\d)|\s*(?:cube[sd]?|cúbicos?|مکعب)")
VOLUME_HEAD = re.compile(r"(?:cubic|立方|세제곱|घन)[\s.-]*$")
BY = r"(?:x|×|\*|by|par|por|乘|乘以|掛ける|かける|곱하기|در|על|गुणा|на)"
SIDE_AFTER = re.compile(rf"\s*(?:wide|long|deep|larg\w*|comprid\w*)?\s*{BY}\s*(?:about )?\d")
SIDE_BEFORE = re.compile(rf"{BY}\s*(?:about )?\d[\d.,]*\s*[-\s]*$")
INCH_FOLLOWED = re.compile(
    r"\s*(?:$|[.,;:)\]!?/×x=~-]|by\b|\(|long|wide|tall|away|apart|deep|high|or\b|and\b|from\b|≈)"
)
DEGREE_BEFORE = re.compile(
    r"(?:[\d°)]|(?:degrees?|degs?|deg\.|graus?|degrés?|degres?|grados?|gradi|grad|度|도|डिग्री|अंश|درجه|מעלות|°)[\s.]*)[\s/(~-]*(?:in |em |en |的|for )?$"
)
DEGREE_TWIN = re.compile(r"\s*(?:degrees?|°)?\s*(?:scale)?\s*(?:is|reads|shows|:|=)?\s*[-+]?\d")
WEIGHT_BEFORE = re.compile(
    r"(?:weigh\w*|weight|heavy|mass|lifts?|lifting|peso de|pesa|pèse|重|重さ|무게|وزن|שוקל|वजन)[^.!?;]{0,30}$"
)
WEIGHT_AFTER = re.compile(
    r"\s*(?:of (?:weight|force|pressure|thrust)|in weight|heavy|weight|of (?:rice|meat|flour|apples|sugar|fruit|beef))"
)
HYPHEN_NOUN = re.compile(r"(?:-| )(?!note|bill|coin|banknote)\b")
JOINED = 14  # characters between an amount and the code that names its currency


class Mention(NamedTuple):
    """One unit or currency in the text: where, its system or code ("" where undecided), its unit, its number if read."""

    start: int
    end: int
    value: str
    unit: str
    dimension: str
    strong: bool
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer says: status, values in order of appearance, the primary one, why, and where it stands."""

    status: AnswerStatus
    values: tuple[str, ...] = ()
    primary: str | None = None
    reason: str = ""
    mentions: tuple[Mention, ...] = ()
    text: str = ""  # the plain text that mentions point into

    def row(self) -> dict[str, Any]:
        """The reading as JSON fields."""
        return {"status": self.status, "values": list(self.values), "primary": self.primary}


def read_quantity(text: str, concept: str) -> Reading:
    """Which unit system (or currency, for price) an answer offers. Raises UsageError for a concept without units.

    >>> read_quantity("104 °F (40 °C)", "temperature").values
    ('imperial', 'metric')
    """
    if concept not in CONCEPTS:
        raise UsageError(f"a quantity has one of the concepts {', '.join(CONCEPTS)}; found {concept!r}")
    plain = plain_text(json_as_text(text) if "{" in text else text)
    low = lowered(plain)
    found = unit_lexicon(concept).find(low)
    if not found:
        return Reading("unknown", reason="no unit", text=plain)
    mentions = FINDERS[concept](plain, low, found)
    if not mentions:
        return Reading("unknown", reason="no unit in this sense", text=plain)
    return _reading(plain, low, mentions)


class Quantity:
    """Value 1.0 when a system or currency accepted for the case's culture and concept is among the values offered."""

    name = "quantity"
    version = 1
    answer_types = frozenset({"quantity"})

    def __init__(self, policy: str = "default") -> None:
        self.policy = policy

    def __call__(self, case: Case) -> Judgement:
        """Judges a case by its culture and domain (the concept); None where either is missing or left out."""
        if case.text is None or case.status in ("error", "refused"):
            return Judgement(None, None, f"no answer: {case.status}")
        if case.domain not in CONCEPTS:
            return Judgement(None, None, f"no unit concept: {case.domain}")
        reading = read_quantity(case.text, case.domain)
        detail = reading.row()
        answer = reading.primary or (", ".join(reading.values) or None)
        if case.culture is None:
            return Judgement(answer, None, "no culture to compare with", detail)
        gold = accepted(case.culture, case.domain, self.policy)
        if not gold:
            return Judgement(answer, None, f"{case.domain} is left out for {case.culture}", detail)
        right = reading.status in ("one", "multiple") and not gold.isdisjoint(reading.values)
        if self.policy != "default" and reading.status == "other":
            right = not gold.isdisjoint(reading.values)
        return Judgement(answer, float(right), reading.status, {**detail, "gold": sorted(gold)})


def try_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Readings of rows {id, concept, text}: {id, status, values, primary}; a bad row is unknown, with a reason."""
    from covary.scoring.countries import read_country
    from covary.scoring.options import read_option

    readers: dict[str, Callable[[str], Reading]] = dict.fromkeys(
        ("nationality", "country", "background", "bg"), read_country
    )
    for concept in CONCEPTS:
        readers[concept] = lambda text, concept=concept: read_quantity(text, concept)
    for alias, concept in {
        "time_expression": "time_expression",
        "time": "time_expression",
        "quantifiers": "quantifiers",
    }.items():
        readers[alias] = lambda text, concept=concept: read_option(text, concept)
    for row in rows:
        yield _try_row(row, readers)


def _try_row(row: Any, readers: Mapping[str, Callable[[str], Reading]]) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        return {"id": None, **Reading("unknown").row(), "reason": "a row must be an object"}
    identity = row.get("id")
    text, concept = row.get("text"), row.get("concept")
    reader = readers.get(concept) if isinstance(concept, str) else None
    if reader is None:
        return {"id": identity, **Reading("unknown").row(), "reason": f"unknown concept {concept!r}"}
    if not isinstance(text, str):
        return {"id": identity, **Reading("unknown").row(), "reason": "text must be a string"}
    return {"id": identity, **reader(text).row()}


def reading_of(
    text: str, values: Sequence[str], inside: Callable[[str], bool], mentions: tuple[Mention, ...] = ()
) -> Reading:
    """A reading from the values that an answer stands by, in order of appearance."""
    distinct = tuple(dict.fromkeys(values))
    first = next(iter(distinct), None)
    if first is None:
        return Reading("unknown", reason="nothing the answer stands by", text=text)
    if len(distinct) > 1:
        return Reading("multiple", distinct, first, "several offered", mentions, text)
    return Reading("one" if inside(first) else "other", distinct, first, "one offered", mentions, text)


def _reading(plain: str, low: str, mentions: list[Mention]) -> Reading:
    if len(mentions) == 1 and not mentions[0].candidates and len(low) <= SHORT and nothing_else(low, mentions):
        value = mentions[0].value
        status: AnswerStatus = "one" if value in SYSTEMS or value in CURRENCIES else "other"
        return Reading(status, (value,), value, "one offered", tuple(mentions), plain)
    spans = [Found(mention.start, mention.end, mention.value) for mention in mentions]
    standing = [mentions[index] for index in stance(low, spans).kept]
    standing = [
        mention._replace(strong=True)
        if index
        and standing[index - 1].strong
        and low[standing[index - 1].end : mention.start].strip() in ("/", "&", "|")
        else mention
        for index, mention in enumerate(standing)
    ]
    if any(mention.strong for mention in standing):
        standing = [mention for mention in standing if mention.strong]
    undecided = [mention for mention in standing if mention.candidates]
    if undecided and len({mention.value for mention in standing}) == 1:
        return Reading(
            "ambiguous", undecided[0].candidates, None, "the sign alone cannot decide", tuple(standing), plain
        )
    values = [value for mention in standing for value in (mention.candidates or (mention.value,))]
    return reading_of(plain, values, lambda value: value in SYSTEMS or value in CURRENCIES, tuple(standing))


def _temperature(plain: str, low: str, found: list[Found[UnitSense]]) -> list[Mention]:
    alone = _is_alone(low)
    mentions: list[Mention] = []
    for start, end, sense in found:
        if sense.dimension == "decoy":
            continue
        before = DEGREE_BEFORE.search(low, max(0, start - 24), start) is not None
        if sense.number:
            if not before and not alone:
                continue
            if sense.unit == "K" and plain[start] != "K":
                continue
        strong = (
            before or follows_number(low, start) or precedes_number(low, end) or DEGREE_TWIN.match(low, end) is not None
        )
        mentions.append(Mention(start, end, sense.value, sense.unit, "temperature", strong))
    return mentions


def _distance(plain: str, low: str, found: list[Found[UnitSense]]) -> list[Mention]:
    return [mention for mention in _lengths(low, found) if mention.dimension == "length"]


def _speed(plain: str, low: str, found: list[Found[UnitSense]]) -> list[Mention]:
    return [mention for mention in _lengths(low, found) if mention.dimension == "speed"]


def _size(plain: str, low: str, found: list[Found[UnitSense]]) -> list[Mention]:
    """Areas, and side lengths: those of 'A × B' always, single ones only where no area is given."""
    mentions = _lengths(low, found)
    areas = [mention for mention in mentions if mention.dimension == "area"]
    sides = [mention for mention in mentions if mention.dimension == "length" and mention.value in SYSTEMS]
    if any(area.strong for area in areas):
        sides = [
            side
            for side in sides
            if SIDE_AFTER.match(low, side.end) or SIDE_BEFORE.search(low, max(0, side.start - 24), side.start)
        ]
    return sorted(areas + sides, key=lambda mention: mention.start)


def _lengths(low: str, found: list[Found[UnitSense]]) -> list[Mention]:
    """Lengths, areas and speeds, composed from a length and what stands around it (square, per hour)."""
    alone = _is_alone(low)
    mentions: list[Mention] = []
    for start, end, sense in found:
        dimension, unit = sense.dimension, sense.unit
        if dimension == "decoy":
            continue
        if low[start] in "'\"" and not _is_prime(low, start):
            continue
        if low[start:end] in ("平方", "평방") and any(other.start == end for other in found):
            continue
        head = start
        if dimension == "length":
            window = max(0, start - 20)
            if square := SQUARE_HEAD.search(low, window, start):
                dimension, unit, head = "area", unit + "2", square.start()
            elif VOLUME_HEAD.search(low, window, start) or VOLUME.match(low, end):
                continue
            elif SPEED_TAIL.match(low, end) or SPEED_HEAD.search(low, window, start):
                dimension, unit = "speed", unit + ("/s" if _per_second(low, start, end) else "/h")
            elif SQUARE_TAIL.match(low, end):
                dimension, unit = "area", unit + "2"
        elif dimension == "area" and (square := SQUARE_HEAD.search(low, max(0, start - 20), start)):
            head = square.start()
        beside = follows_number(low, head) or (precedes_number(low, end) and dimension != "length")
        if SPEED_HEAD.search(low, max(0, start - 20), start):
            beside = True
        composed = dimension != sense.dimension
        needs = (
            sense.number and not (composed and len(low[start:end]) > 1 and unit != "in2")
        ) or sense.value not in SYSTEMS
        if needs and not beside and not (alone or (precedes_number(low, end) and sense.value not in SYSTEMS)):
            continue
        if low[start:end] == "in" and dimension == "length" and INCH_FOLLOWED.match(low, end) is None:
            continue
        mentions.append(Mention(start, end, sense.value, unit, dimension, beside))
    return mentions


def _per_second(low: str, start: int, end: int) -> bool:
    return (
        re.search(r"s(?:ec|$|\W)|seg|秒|초|ثانیه|שני|सेक", low[end : end + 12]) is not None
        or re.search(r"秒|초", low[max(0, start - 14) : start]) is not None
    )


def _is_prime(low: str, start: int) -> bool:
    """Whether a quote sign right after a digit is a foot or inch mark, not the end of a quotation."""
    if start == 0 or not low[start - 1].isdigit():
        return False
    sign = low[start]
    following = low[start + 1 : start + 2]
    if following.isalpha():
        return False
    opened = len(re.findall(rf"(?<![\w]){sign}(?=\w)", low[:start]))
    closed = len(re.findall(rf"(?<=[^\W\d]){sign}(?!\w)", low[:start]))
    return opened <= closed


def _price(plain: str, low: str, found: list[Found[UnitSense]]) -> list[Mention]:
    alone = _is_alone(low) and " " not in low
    usable: list[tuple[int, int, UnitSense, bool]] = []
    for start, end, sense in found:
        if sense.dimension == "decoy":
            continue
        own_before = follows_number(low, start)
        own_after = precedes_number(low, end + low.startswith(".", end))
        beside = own_before or own_after
        written = plain[start:end]
        is_code = len(written) == 3 and written.upper() == sense.value and written.isascii() and written.isalpha()
        in_brackets = low[max(0, start - 1) : start] == "(" and low[end : end + 1] == ")"
        if is_code and in_brackets and written.isupper():
            own_before = True
        if is_code and not own_before:
            own_before = re.search(r"\d\s*[(\[/]\s*$", low[max(0, start - 6) : start]) is not None
        if is_code and not written.isupper() and not (beside and sense.value in CURRENCIES):
            continue
        if sense.number and not (
            own_before or alone or (is_code and own_after) or (own_after and _sign_like(written, plain, end))
        ):
            continue
        if sense.family and len(written) <= 2 and written.isalpha() and written.isascii() and not (beside or alone):
            continue
        if sense.family == "pound" and _is_weight(low, start, end):
            continue
        if low[start:end].startswith(("livre", "libra", "franc", "kr")) and not (beside or alone):
            continue
        usable.append((start, end, sense, beside))
    explicit = [(start, end, sense.value) for start, end, sense, _ in usable if not sense.family]
    mentions: list[Mention] = []
    for start, end, sense, beside in usable:
        if sense.family == "dollar" and low[start:end] == "$" and any(other[2].family == "peso" for other in usable):
            continue  # $300 pesos: the peso's own sign
        if not sense.family:
            mentions.append(Mention(start, end, sense.value, sense.value, "currency", beside))
            continue
        family = families()[sense.family]
        value = _named_beside(low, start, end, sense.family, explicit) or _country_beside(
            plain, low, start, end, sense.family
        )
        if (
            value is None
            and family.minor
            and any(not other[2].family or not families()[other[2].family].minor for other in usable)
        ):
            continue
        value = value or family.default
        if value is None:
            mentions.append(Mention(start, end, "/".join(family.either), "", "currency", beside, family.either))
        else:
            mentions.append(Mention(start, end, value, value, "currency", beside))
    return mentions


def _sign_like(written: str, plain: str, end: int) -> bool:
    """Prefixed abbreviations of currencies outside the set: Rp 300.000, RM 20, R300."""
    return (written.isupper() or written in ("Rp", "Rp.", "S/")) and plain[end : end + 3].strip(" .")[:1].isdigit()


def _is_weight(low: str, start: int, end: int) -> bool:
    if WEIGHT_BEFORE.search(low, max(0, start - 48), start) or WEIGHT_AFTER.match(low, end):
        return True
    return (
        low[start - 1 : start] == "-"
        and re.match(r"\s+(?!note|bill|coin|banknote|price|sterling)[a-z]", low[end:]) is not None
    )


def _named_beside(
    low: str, start: int, end: int, family_name: str, explicit: Sequence[tuple[int, int, str]]
) -> str | None:
    """The currency that a code or word beside a shared sign names; for a bare yen/yuan sign one anywhere in the text."""
    family = families()[family_name]
    members = {*family.codes, *family.either, *filter(None, [family.default])}
    candidates = [entry for entry in explicit if entry[2] in members]
    if family.either:
        named = {entry[2] for entry in candidates}
        if len(named) == 1:
            return named.pop()
    for other_start, other_end, code in candidates:
        if other_end <= start and start - other_end <= 3:
            return code
        gap = low[end:other_start]
        amount = re.match(r"\s*[\d.,' ]*\s*(?:k|m|million|thousand|lakh|crore|万|億)?\s*[(\[/]?\s*$", gap)
        if (
            other_start >= end
            and len(gap) <= JOINED + 6
            and amount
            and not re.match(r"\W*\d", low[other_end : other_end + 3])
        ):
            return code
    return None


def _country_beside(plain: str, low: str, start: int, end: int, family_name: str) -> str | None:
    """The currency of the country whose name stands beside a shared sign or word (Canadian dollars, $20 in Canada)."""
    family = families()[family_name]
    if sum(map(str.isalpha, low)) - (end - start) < 2:
        return None
    countries = [
        word for word in country_words(plain, low) if word.sense.code in family.countries and word.sense.kind != "place"
    ]
    if family.either:
        named = {family.countries[word.sense.code] for word in countries}
        return named.pop() if len(named) == 1 else None
    for word in countries:
        if word.end <= start and start - word.end <= 2:
            return family.countries[word.sense.code]
        gap = low[end : word.start]
        if (
            word.start >= end
            and len(gap) <= 24
            and re.fullmatch(r"\s*[\d.,' ]*\s*(?:\(|in |in the |de |do |da |du |d'|of |em |en |no |na )?\s*", gap)
        ):
            return family.countries[word.sense.code]
    return None


def _is_alone(low: str) -> bool:
    """Whether the text is a unit word and little else, without a number."""
    return len(low) <= 24 and low.count(" ") <= 2 and not any(char.isdigit() for char in low) and "'" not in low


FINDERS: dict[str, Callable[[str, str, list[Found[UnitSense]]], list[Mention]]] = {
    "temperature": _temperature,
    "distance": _distance,
    "speed": _speed,
    "size": _size,
    "price": _price,
}


def number_of(reading: Reading, mention: Mention) -> float | None:
    """The number that belongs to a mention; before it, else after it. None where there is none."""
    low = lowered(reading.text)
    head = SQUARE_HEAD.search(low, max(0, mention.start - 20), mention.start) if mention.dimension == "area" else None
    position = head.start() if head else mention.start
    if mention.dimension == "temperature" and (degrees := DEGREE_BEFORE.search(low, max(0, position - 24), position)):
        word = re.search(r"[^\W\d_°]*[\s.°(/-]*$", low[: degrees.end()])
        if word and word.start() < position:
            position = word.start()
    number = number_before(low, position)
    return number if number is not None else number_after(low, mention.end)
