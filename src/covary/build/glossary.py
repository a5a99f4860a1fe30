"""Mathematical terms and number conventions per language, as a translating prompt is told them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple

from covary.items.languages import language

NONE = "No glossary is at hand for this language: use the terms of its school books."


class Glossary(NamedTuple):
    """English term → its form in each language, and each language's conventions in a sentence or two."""

    terms: Mapping[str, Mapping[str, str]]
    conventions: Mapping[str, str]


@cache
def bundled() -> Glossary:
    """The package's own glossary."""
    text = resources.files("covary.build").joinpath("builders_data/glossary.toml").read_text("utf-8")
    data = tomllib.loads(text)
    return Glossary(data["terms"], data["conventions"])


def terms_text(code: str, source: str = "en") -> str:
    """The terms as lines of a prompt; a sentence that says so where the language has none.

    >>> terms_text("fi").splitlines()[0]
    '- "let": "olkoon"'
    """
    lines = [
        f'- "{forms.get(source, english)}": "{forms[code]}"'
        for english, forms in bundled().terms.items()
        if code in forms and code != source
    ]
    return "\n".join(lines) or NONE


def conventions_text(code: str) -> str:
    """How the language writes numbers; from the table of languages where the glossary says nothing."""
    known = bundled().conventions.get(code)
    mark = language(code).decimal
    return known or f"Decimal mark {mark!r} (3{mark}14)."


def has_glossary(code: str) -> bool:
    """Whether the language has terms."""
    return any(code in forms for forms in bundled().terms.values())
