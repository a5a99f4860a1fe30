"""Answers given as JSON, as the text that their values say."""

from __future__ import annotations

import json
import re
from typing import Any

FENCE = re.compile(r"```[a-zA-Z]*\n?|```")
ASIDE = re.compile(
    r"reason|explan|thought|thinking|rational|note|evidence|cue|confiden|analysis|context|justif|step|comment|source|language|user",
    re.I,
)
ANSWER = re.compile(r"^(?:final[_ ]?)?(?:answer|response|result|output|prediction|final)$", re.I)
UNIT = re.compile(r"unit|currency|scale|system", re.I)
GENERIC = re.compile(
    r"^(?:value|amount|price|cost|temperature|temp|distance|speed|size|area|room[_ ]?size|number|quantity|reading|min|max|low|high|from|to|estimate|total|length|height|width|answer|final[_ ]?answer|response|result|measurement)$",
    re.I,
)
WORD = re.compile(r"[_\W]+")
NUMBER = re.compile(r"^\s*[-+~]?\d[\d.,\s]*$")


def json_as_text(text: str) -> str:
    """The text with its one JSON object replaced by what it answers; the text itself where there is none.

    Reasons and other asides are left out; numbers come before units, with their key where it may name a unit.

    >>> json_as_text('{"unit": "sq ft", "value": 130}'), json_as_text('{"answer": "25 °C", "reason": "77 °F"}')
    ('130 sq ft', '25 °C')
    """
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start or end - start > 10_000:
        return text
    parsed = _parse(text[start : end + 1])
    if not isinstance(parsed, dict):
        return text
    around = FENCE.sub(" ", text[:start]) + "\n" + FENCE.sub(" ", text[end + 1 :])
    said = _said(parsed)
    return said if not around.strip(" \n\"'") else FENCE.sub(" ", text[:start]) + said + FENCE.sub(" ", text[end + 1 :])


def _parse(source: str) -> Any:
    for candidate in (source, source.replace("'", '"')):
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def _said(parsed: dict[str, Any]) -> str:
    answers = {key: value for key, value in parsed.items() if ANSWER.match(key)}
    if answers:
        answers |= {key: value for key, value in parsed.items() if UNIT.search(key)}
    chosen = answers or {key: value for key, value in parsed.items() if not ASIDE.search(key)} or parsed
    numbers: list[str] = []
    words: list[str] = []
    for key, value in chosen.items():
        if isinstance(value, dict):
            words.append(_said(value))
        elif isinstance(value, list):
            words.append(", ".join(str(entry) for entry in value))
        elif value is None or isinstance(value, bool):
            words += [key] if value else []
        elif NUMBER.match(str(value)):
            named = [word for word in WORD.split(key) if word and not GENERIC.match(word)]
            numbers.append(" ".join([str(value), *named]))
        else:
            words.append(str(value))
    return (", ".join(numbers) + " " + ", ".join(words)).strip()
