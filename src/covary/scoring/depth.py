"""How deep a reasoning trace goes from a cue to the answer: L0 none, L1 cue named, L2 identity stated, L3 identity drives the answer.

A trace has the deepest level it reaches anywhere. `level` is our reading: a cue belongs to the user's conversation, and a unit
or country that only describes the picture is none. `level_literal` is the published wording, where any unit or country word is a
cue token. Traces may be in any of the cultures' languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, cast

from covary.culture import knowledge
from covary.culture.countries import THING, CountrySense, country_words
from covary.culture.lexicons import Found, Lexicon, lowered, package_data, plain_text, word_pattern
from covary.culture.lexicons_numbers import follows_number
from covary.culture.lexicons_stance import stance
from covary.culture.options import OPTIONS, option_lexicon
from covary.culture.units import CONCEPTS, CURRENCIES, unit_lexicon
from covary.scoring.case import Case, Judgement

Level = Literal["L0", "L1", "L2", "L3"]
_DATA = package_data("lexicon_depth")

SENTENCE = re.compile(r"[^.!?。！？।\n]*(?:\.(?=\w)[^.!?。！？।\n]*|\.(?=\d)[^.!?。！？।\n]*)*(?:[.!?。！？।\n]+|$)")
TAG = re.compile(r"</?\s*(?:think|thinking|thought|reasoning|reflection)\s*>", re.I)
COUNTRY = "<C>"
IDENTITY = re.compile(
    "|".join(
        "(?:" + (r"\b" if re.match(r"\(\?:[a-z]", pattern) else "") + pattern.replace("<N>", THING) + ")"
        for pattern in _DATA["identity"]
    )
)
IDENTITY_OF_NAME = re.compile(r"<C> (?:[\w-]+ ){0,2}(?:name|surname)\b")
USER = re.compile(word_pattern(_DATA["user"].split("|")))
PICTURE = re.compile(word_pattern(_DATA["picture"].split("|")))
CONDITION = re.compile(word_pattern(_DATA["question"].split("|")))
ANSWER_WORD = re.compile(word_pattern(_DATA["answer"].split("|")))
THERE = re.compile(word_pattern(_DATA["there"].split("|")))
CONVENTION = re.compile(word_pattern(_DATA["convention_verbs"].split("|")))
PROPER = re.compile(
    r"(?<=[^\W_][,;:'\"( ] )[A-Z][\w&'.-]*|(?<=[\w,:(\"'] )[A-Z][\w&'.-]+|(?<=[\"'(])[A-Z][\w&'.-]+|(?<=[\u3000-\u9fff가-힣] )[A-Z][\w-]+|(?<=[\u3040-\u9fff가-힣])[A-Z][\w-]+"
)
QUOTED = re.compile(r"[\"“「『]([^\"”」』]{2,40})[\"”」』]|(?<!\w)['‘]([^'’]{2,40})['’](?!\w)")
CURRENCY_SIGN = re.compile(r"[₹₪₩€£¥﷼]|R\$")
CODE_LIKE = re.compile(r"(?<![\d.,])(?:\+?\d[\d ()/.-]{5,}\d|\d{5,})(?![\d.,]*\s?(?:km|m|ft|°|%|percent))")
TASK_WORDS = re.compile(
    r"问题|温度|距离|距離|价格|時間|时间|速度|房间|部屋|质量|大小|図|图|値段|質問|가격|온도|거리|질문|속도|시간|방의|دما|قیمت|فاصله|سوال|سرعت|اتاق|"
    r"טמפרטורה|מחיר|מרחק|שאלה|מהירות|חדר|तापमान|दूरी|कीमत|सवाल|गति|कमरे|समय"
)
COMMON_CAPITALS = frozenset(
    [
        "i",
        "i'm",
        "i'll",
        "i'd",
        "celsius",
        "fahrenheit",
        "english",
        "requirement",
        "requirements",
        "step",
        "answer",
        "option",
        "options",
        "the",
        "a",
        "an",
        "null",
        "ok",
        "okay",
        "q1",
        "q2",
        "am",
        "pm",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "so",
        "let",
        "now",
        "since",
        "because",
        "also",
        "but",
        "it",
        "there",
        "this",
        "that",
        "my",
        "we",
        "they",
        "he",
        "she",
        "if",
        "no",
        "yes",
        "not",
        "level",
        "vqa",
        "bg",
        "first",
        "second",
        "final",
        "user",
        "bot",
        "chatbot",
        "assistant",
    ]
)


@dataclass(frozen=True, slots=True)
class DepthReading:
    """A trace's level under both readings, the country it binds the user to (None: none), and the evidence by level."""

    level: Level
    level_literal: Level
    identity: str | None
    evidence: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One sentence, as written, lowered, and lowered with its affirmed country words as <C>."""

    text: str
    low: str
    shaped: str
    countries: tuple[Found[CountrySense], ...]
    identity: str | None


@cache
def default_cues() -> Lexicon[str]:
    """Values of the knowledge base that single out a culture, and the bundled entities and names ('' or the culture)."""
    return Lexicon(_bundled_cues() | dict.fromkeys(filter(_tells, knowledge.load().lexicon()), ""))


def cue_lexicon(values: Iterable[str]) -> Lexicon[str]:
    """A lexicon of cue values on top of the default one."""
    return Lexicon({**dict.fromkeys(values, ""), **default_cues().senses})


def _bundled_cues() -> dict[str, str]:
    table = package_data("lexicon_cues")
    forms: dict[str, str] = dict.fromkeys(table["shared"].split("|"), "")
    for kind in ("entities", "names"):
        for culture, words in table[kind].items():
            for form in words.split("|"):
                forms.setdefault(form, culture)
    return forms


def _tells(value: str) -> bool:
    """Whether a cue value can be told in running text from amounts, units, codes of currencies and plain words."""
    if value[0].isdigit() or value in CURRENCIES:
        return False
    return value[0].isupper() or not value[0].isascii() or " " in value.removeprefix("the ")


FORMATS = {name: re.compile(pattern) for name, pattern in package_data("lexicon_cues")["formats"].items()}
# names and brands that are common words too: they count only when written with a capital, away from a sentence's start
COMMON_WORDS = frozenset(
    [
        "bit",
        "line",
        "orange",
        "target",
        "chase",
        "target",
        "partner",
        "boots",
        "oyster",
        "hunter",
        "cody",
        "free",
        "vi",
        "ee",
        "o2",
        "bt",
        "zap",
        "bac",
        "caf",
        "wei",
        "li",
        "na",
        "park",
        "cho",
        "jung",
        "kim",
        "kang",
        "lee",
        "poppy",
        "austin",
        "harry",
        "dan",
        "bus",
        "queue",
        "lorry",
        "cricket",
        "vivo",
        "enem",
        "ola",
        "clalit",
        "bale",
        "oliver",
        "zip",
        "trot",
        "genie",
        "cep",
        "kt",
        "act",
        "score",
        "wps",
        "sats",
        "mci",
        "smith",
        "samba",
        "melon",
        "toss",
        "pix",
        "james",
        "reliance",
        "moreau",
        "evans",
        "silva",
        "kumar",
        "singh",
        "laurent",
        "gap",
        "postcode",
        "caf",
        "hulu",
        "sara",
        "yoon",
    ]
)
NEVER_ALONE = frozenset({"zip", "postal code", "postcode", "dial code", "country code", "transit card"})


def read_depth(trace: str, concept: str | None = None, cues: Lexicon[str] | None = None) -> DepthReading:
    """The level of a trace. `concept` tells which units or options an answer is made of; unknown: all of them.

    >>> read_depth("Because the user is Korean, square metres are the right unit.", "size").level
    'L3'
    """
    plain = plain_text(TAG.sub(" ", trace))
    sentences = _sentences(plain)
    evidence: dict[str, str] = {}
    cue = _cue(plain, sentences, cues or default_cues())
    if cue:
        evidence["L1"] = cue
    bound = [sentence for sentence in sentences if sentence.identity]
    if bound:
        evidence["L2"] = bound[0].text.strip()
        if link := _link(sentences, concept):
            evidence["L3"] = link
    level: Level = "L3" if "L3" in evidence else "L2" if bound else "L1" if cue else "L0"
    literal = "L1" if level == "L0" and _names_any(plain) else level
    return DepthReading(level, literal, bound[-1].identity if bound else None, evidence)


class Depth:
    """The level as answer; value = level / 3. Needs the case's reasoning (its text where the reasoning is not kept apart)."""

    name = "depth"
    version = 1

    def __init__(self, cues: Iterable[str] | None = None) -> None:
        self.cues = cue_lexicon(cues) if cues else None

    def __call__(self, case: Case) -> Judgement:
        """Judges the trace of a case; None where there is no trace."""
        trace = case.reasoning or case.text
        if not trace or case.status in ("error", "refused"):
            return Judgement(None, None, f"no trace: {case.status}")
        depth = read_depth(trace, case.domain, self.cues)
        detail = {"level_literal": depth.level_literal, "identity": depth.identity, "evidence": dict(depth.evidence)}
        return Judgement(depth.level, int(depth.level[1]) / 3, f"reached {depth.level}", detail)


def try_rows(rows: Iterable[Any], cues: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
    """Levels of rows {id, concept, trace}: {id, level, level_literal}; a bad row has null levels and a reason."""
    lexicon = cue_lexicon(cues) if cues else None
    for row in rows:
        fields: Mapping[str, Any] = cast("Mapping[str, Any]", row) if isinstance(row, Mapping) else {}
        identity, concept, trace = fields.get("id"), fields.get("concept"), fields.get("trace")
        if not isinstance(trace, str):
            reason = "trace must be a string"
            yield {"id": identity, "level": None, "level_literal": None, "status": "unknown", "reason": reason}
            continue
        depth = read_depth(trace, concept if isinstance(concept, str) else None, lexicon)
        yield {"id": identity, "level": depth.level, "level_literal": depth.level_literal}


def _sentences(plain: str) -> list[_Sentence]:
    return [_sentence(match[0]) for match in SENTENCE.finditer(plain) if match[0].strip()]


def _sentence(text: str) -> _Sentence:
    low = lowered(text)
    words = country_words(text, low)
    affirmed: list[Found[CountrySense]] = []
    if words:
        spans = [Found(word.start, word.end, word.sense.code) for word in words]
        dropped = stance(low, spans).dropped
        affirmed = [word for index, word in enumerate(words) if dropped.get(index) not in ("denied", "refused")]
    shaped = _with_countries(low, affirmed)
    return _Sentence(text, low, shaped, tuple(affirmed), _identity(shaped, affirmed))


def _with_countries(low: str, words: list[Found[CountrySense]]) -> str:
    parts: list[str] = []
    position = 0
    for word in words:
        parts += [low[position : word.start], COUNTRY]
        position = word.end
    return "".join([*parts, low[position:]])


def _identity(shaped: str, words: list[Found[CountrySense]]) -> str | None:
    """The country that the sentence binds the user to; None for questions, conditions and what describes the picture."""
    if not words or shaped.rstrip().endswith(("?", "？")) or CONDITION.search(shaped):
        return None
    for match in IDENTITY.finditer(shaped):
        about_picture = PICTURE.search(shaped) is not None and USER.search(match[0]) is None
        if about_picture:
            continue
        index = shaped.count(COUNTRY, 0, match.end()) - 1
        return words[max(index, 0)].sense.code
    return None


@dataclass(slots=True)
class _Told:
    """What a trace has said so far: whether an identity, the units of identities and conventions, the sentence before."""

    identity: bool = False
    just_now: bool = False  # the sentence before states an identity or a convention
    units: frozenset[str] = frozenset()
    sentence: str = ""

    def add(self, sentence: _Sentence, concept: str | None) -> None:
        """Takes in one more sentence."""
        shaped = sentence.shaped
        units = _answer_units(shaped, concept)
        convention = COUNTRY in shaped or THERE.search(shaped) is not None
        self.just_now = sentence.identity is not None or (
            convention and (bool(units) or ANSWER_WORD.search(shaped) is not None)
        )
        if self.just_now:
            self.units |= units
        self.identity = self.identity or sentence.identity is not None
        self.sentence = shaped


def _link(sentences: list[_Sentence], concept: str | None) -> str | None:
    """The sentence in which a causal word leads from the identity, or that country's convention, to the answer."""
    told = _Told()
    for sentence in sentences:
        for mark in _link_lexicon().find(sentence.shaped):
            before, after = sentence.shaped[: mark.start], sentence.shaped[mark.end :]
            if (mark.sense == "therefore" and _leads_on(before, after, sentence, told, concept)) or (
                mark.sense == "because" and _gives_reason(before, after, sentence, told, concept)
            ):
                return sentence.text.strip()
        told.add(sentence, concept)
    return None


def _leads_on(before: str, after: str, sentence: _Sentence, told: _Told, concept: str | None) -> bool:
    """Whether 'before, therefore after' leads from the identity or a convention to the answer."""
    if not _is_answer(after, concept) or _only_identity(after, concept):
        return False
    if told.identity and told.units & _answer_units(after, concept):
        return True
    opening = not any(char.isalnum() for char in before.replace("and", "").replace("but", ""))
    if opening:
        return told.identity and (told.just_now or _chooses(after))
    if _is_premise(before, told.identity, sentence.identity is not None):
        return True
    return told.identity and told.just_now and len(before.split()) <= 3


def _gives_reason(before: str, after: str, sentence: _Sentence, told: _Told, concept: str | None) -> bool:
    """Whether 'answer because identity', or 'because identity, answer', or the reason as a sentence of its own."""
    if before.strip(" ,;:—-"):
        reason, conclusion = after, before
    else:
        split = re.search(r"[,，、;]", after)
        reason, conclusion = (after[: split.start()], after[split.end() :]) if split else (after, told.sentence)
    return _is_premise(reason, told.identity, sentence.identity is not None) and _is_answer(conclusion, concept)


@cache
def _link_lexicon() -> Lexicon[Literal["therefore", "because", "none"]]:
    forms: dict[str, Literal["therefore", "because", "none"]] = dict.fromkeys(_DATA["no_link"].split("|"), "none")
    for form in _DATA["therefore"].split("|"):
        forms.setdefault(form, "therefore")
    for form in _DATA["because"].split("|"):
        forms.setdefault(form, "because")
    return Lexicon(forms)


def _is_premise(text: str, known: bool, identity_here: bool) -> bool:
    """Whether a clause states the identity, a convention of the country, or points back at the user or place."""
    if COUNTRY in text:
        about_picture = PICTURE.search(text) is not None and USER.search(text) is None
        if about_picture:
            return False
        return IDENTITY.search(text) is not None or ((known or identity_here) and not IDENTITY_OF_NAME.search(text))
    pointing = re.search(r"\b(?:user|they|he|she|there|that country|local)\b", text) or THERE.search(text)
    return (
        known and pointing is not None and (CONVENTION.search(text) is not None or ANSWER_WORD.search(text) is not None)
    )


def _is_answer(text: str, concept: str | None) -> bool:
    """Whether a clause speaks of the answer: its unit, currency, option, or a value chosen."""
    if _answer_units(text, concept) or ANSWER_WORD.search(text):
        return True
    return (
        re.search(
            r"(?:answer|respond|reply|say|give|choose|go with|read|reading|report|resposta|réponse|回答|答案|答え|답)\D{0,24}\d",
            text,
        )
        is not None
        or re.match(r"\W*(?:it is |it's |about |around |roughly |approximately |i'd say )?[-+]?\d[\d.,]*\W*$", text)
        is not None
    )


def _chooses(text: str) -> bool:
    return (
        re.search(r"\b(?:use|using|answer in|respond in|convert|report in|give it in|express|prefer|adapt)\b", text)
        is not None
    )


def _only_identity(text: str, concept: str | None) -> bool:
    """Whether the clause after a causal word only binds the user, before any unit is named."""
    match = IDENTITY.search(text)
    if match is None:
        return False
    units = _unit_positions(text, concept)
    words = [found.start() for found in ANSWER_WORD.finditer(text)]
    first = min([*units, *words], default=None)
    if first is None:
        return True
    return (
        match.start() < first
        and not re.search(r"\b(?:so|therefore|thus|hence)\b", text[match.end() : first])
        and "," not in text[match.end() : first]
    )


def _answer_units(text: str, concept: str | None) -> set[str]:
    return {value for value, _ in _answer_mentions(text, concept)}


def _unit_positions(text: str, concept: str | None) -> list[int]:
    return [position for _, position in _answer_mentions(text, concept)]


def _answer_mentions(text: str, concept: str | None) -> Iterator[tuple[str, int]]:
    """Units, currencies or options of the concept named in a lowered text: (unit or option, position)."""
    if concept in OPTIONS:
        for found in option_lexicon(concept).find(text):
            if found.sense.kind == "option":
                yield found.sense.value, found.start
        return
    for name in (concept,) if concept in CONCEPTS else CONCEPTS:
        for found in unit_lexicon(str(name)).find(text):
            sense = found.sense
            short = sense.number and found.end - found.start <= 2
            if sense.dimension != "decoy" and (
                not short
                or follows_number(text, found.start)
                or text[found.start - 1 : found.start] == "°"
                or re.match(r"[23]?\s?[:=]\s?\d", text[found.end : found.end + 5])
                or text.startswith(("으로", "로 ", "で", "を"), found.end)
            ):
                yield sense.unit or sense.value or sense.family, found.start


def _cue(plain: str, sentences: list[_Sentence], cues: Lexicon[str]) -> str | None:
    """The first cue of the user's conversation that the trace names; None where there is none."""
    low = lowered(plain)
    for found in cues.find(low):
        if _is_cue(plain, low, found):
            return plain[found.start : found.end]
    for sentence in sentences:
        about_user = USER.search(sentence.low) is not None
        about_picture = PICTURE.search(sentence.low) is not None
        for name, pattern in FORMATS.items():
            if (
                (match := pattern.search(sentence.low))
                and (about_user or not about_picture)
                and not _is_quantity(sentence.low, match, name)
            ):
                return match[0]
        if about_user and (cue := _said_by_user(sentence, about_picture)):
            return cue
    return None


def _is_cue(plain: str, low: str, found: Found[str]) -> bool:
    """Whether a form of the cue lexicon is meant as one: common words need a capital inside a sentence."""
    form, written = low[found.start : found.end], plain[found.start : found.end]
    if form in NEVER_ALONE:
        return False
    if not form.isascii() or not form[0].isalpha():
        return True
    if form in COMMON_WORDS:
        before = plain[: found.start].rstrip()
        return written[0].isupper() and bool(before) and before[-1] not in ".!?\n:"
    return (
        written != form
        or "." in form
        or not written[0].isalpha()
        or form in package_data("lexicon_cues")["shared"].split("|")
    )


def _is_quantity(low: str, match: re.Match[str], name: str) -> bool:
    """Whether digits that look like a code are an amount: 12000 won, 5000000 toman."""
    if name != "postal":
        return False
    following = low[match.end() : match.end() + 14].lstrip(" ,.")
    preceding = low[max(0, match.start() - 2) : match.start()].strip()
    if preceding in ("$", "€", "£", "₹", "¥", "₩", "₪"):
        return True
    if re.match(
        r"\W*(?:is|was|looks like|must be)\b[^.;]{0,24}\b(?:zip|postcode|postal|cep|pin)\b", low[match.end() :]
    ):
        return False
    coded = re.search(
        r"(?:code|postal|postcode|zip|cep|pin|〒|邮编|우편|郵便|کد|מיקוד|पिन)\W*(?:\w+\W+){0,2}$", low[: match.start()]
    )
    if coded:
        return False
    return not re.search(r"[a-z-]", match[0]) or bool(
        re.match(r"(?:won|yen|toman|rial|rupee|km|m\b|ft|feet|元|円|원)", following)
    )


def _said_by_user(sentence: _Sentence, about_picture: bool) -> str | None:
    """A proper name, quotation, code, country or unit that the user is said to have brought up."""
    if re.search(
        r"\b(?:nobody|no one|nothing) (?:is |has |was )?(?:said|says|told|tells|mentioned|mentions)|\b(?:no|without any|lacks?|any) (?:cultural |clear |explicit )?(?:cues?|hints?|clues?|information|indications?|signs?)",
        sentence.low,
    ):
        return None
    if about_picture:
        return None
    for match in PROPER.finditer(sentence.text):
        word = match[0].rstrip(".'")
        if word.lower() not in COMMON_CAPITALS and len(word) > 1 and not unit_lexicon("temperature").find(word.lower()):
            return match[0]
    if match := QUOTED.search(sentence.text):
        return match[1] or match[2]
    if match := CODE_LIKE.search(sentence.text):
        return match[0]
    if match := CURRENCY_SIGN.search(sentence.text):
        return match[0]
    if sentence.countries:
        return sentence.low[sentence.countries[0].start : sentence.countries[0].end]
    said = re.search(
        r"\b(?:mention\w*|sa(?:id|ys)|wr(?:ote|ites)|us(?:es|ed)|pa(?:id|ys)|quot\w+|speaks? of|refer\w*)\b|提到|名叫|名字|姓名|言及|名前|언급|이름|menciona|mentionne|اشاره|הזכיר|उल्लेख",
        sentence.low,
    )
    if said is None:
        return None
    without_capitals = not said[0].isascii() and TASK_WORDS.search(sentence.low) is None  # scripts that mark no names
    if without_capitals or any(_answer_mentions(sentence.low[said.end() :], None)):
        return sentence.low.strip()
    return None


def _names_any(plain: str) -> bool:
    """Whether any unit, currency or country word stands in the trace (the literal reading's cue token)."""
    low = lowered(plain)
    if any(word.sense.code and word.sense.kind != "place" for word in country_words(plain, low)):
        return True
    return any(_names_unit(low, concept) for concept in CONCEPTS)


def _names_unit(low: str, concept: str) -> bool:
    for found in unit_lexicon(concept).find(low):
        if found.sense.dimension == "decoy":
            continue
        if not found.sense.number and not (found.sense.family and low[found.start].isalpha()):
            return True
        if follows_number(low, found.start) and low[found.start : found.end] not in ("in", "a", "'", '"', "cents", "p"):
            return True
    return False
