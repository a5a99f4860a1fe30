"""Countries in text: names, demonyms and aliases in the cultures' languages, places inside them, and what only looks alike."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from covary.culture.lexicons import Found, Lexicon, form_key, package_data, word_pattern
from covary.culture.units import CULTURES

Kind = Literal["country", "language_like", "language_only", "place", "none"]

PREFIX = re.compile(r"(?<![^\W\d_])(franco|anglo|brito|sino|indo|nippo)[- ](?=[^\W\d_])")


class CountrySense(NamedTuple):
    """What a form means: the country's ISO 3166 code, and how.

    language_like: a demonym that also names a language; language_only: one that counts only of a person; place: a city or region (no country by itself); none: a phrase
    in which a country word is none (code empty).
    """

    code: str
    kind: Kind


@cache
def country_lexicon() -> Lexicon[CountrySense]:
    """Every form that names a country, a place in one of the ten, or only looks like it."""
    table = package_data("countries_names")
    names: dict[str, list[str]] = package_data("countries_cldr")["names"]
    language_like = {form_key(form) for form in table["language_demonyms"].split("|")}
    senses: dict[str, CountrySense] = {}

    def add(forms: list[str], code: str, kind: Kind) -> None:
        for form in forms:
            key = form_key(form)
            if key:
                like = kind == "country" and key in language_like
                senses.setdefault(key, CountrySense(code, "language_like" if like else kind))

    for code, forms in table["places"].items():
        add([form for form in forms.split("|") if form_key(form) in PLACES_FIRST], code, "place")
    add(table["no_country"].split("|"), "", "none")
    for code, forms in table["names"].items():
        add(forms.split("|"), code, "country")
    for code, forms in table["other"].items():
        add(forms.split("|"), code, "country")
    for code, forms in table["language_only"].items():
        add(forms.split("|"), code, "language_only")
    for code in (*CULTURES, *(code for code in names if code not in CULTURES)):
        add([name for name in names[code] if form_key(name) not in HOMOGRAPHS], code, "country")
    for code, forms in table["places"].items():
        add(forms.split("|"), code, "place")
    return Lexicon(senses, hangul_start=True)


PLACES_FIRST = frozenset({"new york", "new york city", "new delhi", "indiana"})
# names that mean something else far more often in the answers of models
HOMOGRAPHS = frozenset({"مالی", "عمان", "چاد", "نیجر", "perú", "chade", "guiné", "말리", "오만", "차드", "man"})
SOLE_ONLY = frozenset({"georgia", "chad", "guinea", "niger", "mali", "jersey"})  # names of people, states, things
LANGUAGE_BEFORE = re.compile(
    rf"(?:{word_pattern(package_data('countries_names')['language_context']['before'].split('|'))}|native)\s+(?:\w+\s+)?(?:or |and )?$"
)
LANGUAGE_AFTER = re.compile(
    r"[ -]*" + word_pattern(package_data("countries_names")["language_context"]["after"].split("|"))
)
_NO_THINGS = "|".join(
    re.escape(w) for w in sorted(package_data("lexicon_depth")["person_nouns"].split("|"), key=len, reverse=True)
)
THING = rf"(?!(?:{_NO_THINGS})(?![\w]))[^\W\d_][\w'-]*"  # a word that is no person and joins no clause
THING_AFTER = re.compile(rf"[ -]{THING}")
DEMONYM = re.compile(
    r"(?:ese|ish|ians?|eans?|raeli|rench|merican|erman|exican|utch|swiss|greek|thai|iraqi|stani|deshi|canadian)$"
)
PERSON_AFTER = re.compile(
    r"[ -](?:user|person|man|woman|customer|reader|speaker(?= from)|national|citizen|people|guy|lady|student|client|background|origin|nationality)"
)
PERSON_BEFORE = re.compile(
    r"\b(?:user|he|she|they|person|customer|background|nationality) (?:is|are|seems|appears|must be|might be|may be)(?: (?:to be|likely|probably|most likely|possibly))*\s$"
)
NAMED_BEFORE = re.compile(r"\b(?:named|called|name is|name:|named:)\s*[\"']?$")
NAMED_AFTER = re.compile(r"[\"']? is (?:the |their |his |her |a )?(?:user's |first |given )?name\b")


def country_words(text: str, low: str) -> list[Found[CountrySense]]:
    """Country words of a plain text (and the same lowered), homographs sorted out by their case and neighbours."""
    found = country_lexicon().find(low)
    if not found:
        return found
    alone = low.count(" ") <= 2
    shouting = text.isupper()
    kept: list[Found[CountrySense]] = []
    for mention in found:
        if mention.sense.kind == "none":
            continue
        form = low[mention.start : mention.end]
        written = text[mention.start : mention.end]
        if form.isascii() and not _is_meant(form, written, low, mention, alone, shouting):
            continue
        if mention.sense.kind == "language_only" and not _is_of_person(low, mention):
            continue
        if NAMED_AFTER.match(low, mention.end) or NAMED_BEFORE.search(low, max(0, mention.start - 14), mention.start):
            continue
        if mention.sense.kind == "language_like" and _is_language(low, mention):
            continue
        kept.append(mention)
    for match in PREFIX.finditer(low):
        code = {"franco": "FR", "anglo": "GB", "brito": "GB", "sino": "CN", "indo": "IN", "nippo": "JP"}[match[1]]
        kept = [mention for mention in kept if mention.start != match.start()]
        kept.append(Found(match.start(1), match.end(1), CountrySense(code, "country")))
    return sorted(kept, key=lambda mention: mention.start)


TAKES_COUNTRY = re.compile(
    r"(?:\bfrom|\bin|\bcountry(?: is)?:?|\bis|'s|\bnationality:?|\banswer:?|\bbe|\blikely|\bprobably|\bmaybe|\bperhaps|\bor|\band|\bnot|[:(\"'])\s*(?:the\s+)?[\"']?$"
)
SOLE = re.compile(r"[\W\d_]*$")


def _is_meant(form: str, written: str, low: str, mention: Found[CountrySense], alone: bool, shouting: bool) -> bool:
    """Whether a Latin-script form is the country and not a common word: china, turkey, us, uk, polish, in."""
    before = low[max(0, mention.start - 16) : mention.start]
    sole = SOLE.match(low, mention.end) is not None and not low[: mention.start].strip(" \"'.:-(*")
    if form in SOLE_ONLY:
        return sole
    if form in ("us", "gb", "rok", "uk", "usa", "prc"):
        if form == "us":
            if written == "US" and not shouting:
                return True
            return sole or re.search(r"(?:\bthe|country:|\bfrom)\s*[\"']?$", before) is not None
        return written.isupper() or sole or before.endswith(("the ", "from ", "in "))
    if len(form) == 2:
        return written.isupper()
    if written[0].isupper() and not shouting:
        return True
    if mention.sense.code in CULTURES and form != "china":
        return True
    return (
        sole
        or (alone and TAKES_COUNTRY.search(before) is not None)
        or re.search(r"\b(?:from|in)\s+$", before) is not None
    )


def describes_thing(low: str, mention: Found[CountrySense]) -> bool:
    """Whether a demonym only describes a thing: Chinese tea, a French newspaper."""
    return (
        DEMONYM.search(low, mention.start, mention.end) is not None and THING_AFTER.match(low, mention.end) is not None
    )


def _is_of_person(low: str, mention: Found[CountrySense]) -> bool:
    if PERSON_AFTER.match(low, mention.end):
        return True
    return LANGUAGE_AFTER.match(low, mention.end) is None and (
        PERSON_BEFORE.search(low, max(0, mention.start - 48), mention.start) is not None
    )


def _is_language(low: str, mention: Found[CountrySense]) -> bool:
    before = low[max(0, mention.start - 28) : mention.start]
    return LANGUAGE_AFTER.match(low, mention.end) is not None or LANGUAGE_BEFORE.search(before) is not None
