"""Which country an answer names: one of the ten, several, another one, or none."""

from __future__ import annotations

import re
from itertools import pairwise

from covary.culture.countries import country_words, describes_thing
from covary.culture.lexicons import Found, lowered, plain_text
from covary.culture.lexicons_json import json_as_text
from covary.culture.lexicons_stance import stance
from covary.culture.units import CULTURES
from covary.scoring.case import Case, Judgement
from covary.scoring.quantities import Mention, Reading, reading_of

HYPHENATED = re.compile(r"\s?-\s?|\s")


def read_country(text: str) -> Reading:
    """The countries an answer stands by. A place or language alone is no country; a hyphenated nationality has no primary.

    >>> read_country("Not Japan. China.").values, read_country("Paris").status
    (('CN',), 'unknown')
    """
    plain = plain_text(json_as_text(text) if "{" in text else text)
    low = lowered(plain)
    words = country_words(plain, low)
    named = [word for word in words if word.sense.kind != "place"]
    if not named:
        reason = "a place, no country" if words else "no country"
        return Reading("unknown", reason=reason, text=plain)
    spans = [Found(word.start, word.end, word.sense.code) for word in named]
    standing = stance(low, spans, keep_reasons=True).kept
    starts = {word.start - 1 for word in named}
    of_people = [i for i in standing if named[i].end in starts or not describes_thing(low, named[i])]
    kept = [spans[index] for index in of_people or standing]
    mentions = tuple(Mention(span.start, span.end, span.sense, "", "country", True) for span in kept)
    reading = reading_of(plain, [span.sense for span in kept], lambda code: code in CULTURES, mentions)
    if reading.status == "multiple" and _is_hyphenated(low, kept):
        return Reading("multiple", reading.values, None, "a hyphenated nationality", mentions, plain)
    return reading


class Country:
    """Value 1.0 when the case's culture is the one country named, or among several."""

    name = "country"
    version = 1

    def __call__(self, case: Case) -> Judgement:
        """Judges a background answer; the gold is the case's culture, else its target. 'unknown' counts as wrong."""
        if case.text is None or case.status in ("error", "refused"):
            return Judgement(None, None, f"no answer: {case.status}")
        reading = read_country(case.text)
        answer = reading.primary or (", ".join(reading.values) or None)
        gold = case.culture or case.target
        if gold is None:
            return Judgement(answer, None, "no culture to compare with", reading.row())
        right = reading.status in ("one", "multiple") and gold in reading.values
        return Judgement(answer or "unknown", float(right), reading.status, reading.row())


def _is_hyphenated(low: str, kept: list[Found[str]]) -> bool:
    return any(
        first.sense != second.sense and HYPHENATED.fullmatch(low, first.end, second.start) is not None
        for first, second in pairwise(kept)
    )
