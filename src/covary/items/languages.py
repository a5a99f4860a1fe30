"""Languages: every ISO 639-1 code, with the facts that items, prompts and tables need.

The table is `languages.tsv` beside this file. The seven languages of the bundled templates are `BUNDLED`; any other code
is accepted wherever items come from elsewhere. Resource tiers follow MathMist (high: English, French; medium: Finnish,
Turkish; low: Bangla, Kazakh, Lithuanian); other languages have none, because no source was agreed on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, cast

from covary.errors import UsageError, nearest

Tier = Literal["high", "medium", "low"]

BUNDLED: tuple[str, ...] = ("bn", "en", "fr", "fi", "tr", "lt", "kk")

# Languages whose bundled templates a native reader has read through. Add a code here only with the review on record.
NATIVE_REVIEWED: frozenset[str] = frozenset()

ZERO_DIGITS = {"latn": "0", "beng": "০", "deva": "०", "arab": "٠", "arabext": "۰", "mymr": "၀", "tibt": "༠"}
GROUP_NAMES = {"NBSP": "\u00a0", "NNBSP": "\u202f"}
ALIASES = {"bengali": "bn", "farsi": "fa", "norwegian": "no", "mandarin": "zh", "qazaq": "kk"}
REGION_MARKS = ("-", "_")


@dataclass(frozen=True, slots=True)
class Language:
    """One language: ISO 639-1 code, names, family, script and how its readers write numbers.

    script: ISO 15924 code. tier: None where no source gives one. group_sizes: digits per group from the right, the last
    one repeating ((3, 2) is Indian grouping). native_review: a native reader has reviewed the bundled templates.
    """

    code: str
    name: str
    own_name: str
    family: str
    script: str
    tier: Tier | None
    zero: str
    decimal: str
    group: str
    group_sizes: tuple[int, ...]
    native_review: bool = False

    @property
    def digits(self) -> str:
        """The ten digits, from zero to nine.

        >>> language("bn").digits
        '০১২৩৪৫৬৭৮৯'
        """
        return "".join(chr(ord(self.zero) + value) for value in range(10))


def language(code_or_name: str) -> Language:
    """The language of a code ("bn", "BN", "bn-BD") or of an English or own name ("Bangla", "বাংলা").

    Raises UsageError with the nearest known word for anything else.

    >>> language("finnish").code, language("tr_TR").decimal
    ('fi', ',')
    """
    word = code_or_name.strip().casefold()
    found = _by_word().get(word) or _by_word().get(_without_region(word))
    if found is None:
        raise UsageError(
            f"language: expected an ISO 639-1 code or a language's name, found {code_or_name!r}{_hint(word)}"
        )
    return found


@cache
def all_languages() -> tuple[Language, ...]:
    """Every ISO 639-1 language, sorted by code."""
    text = resources.files("covary.items").joinpath("languages.tsv").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(_parse(line.split("\t")) for line in lines[1:])


def _parse(cells: list[str]) -> Language:
    code, name, own_name, family, script, tier, numbering, decimal, group, sizes = cells
    return Language(
        code=code,
        name=name,
        own_name=own_name,
        family=family,
        script=script,
        tier=cast("Tier", tier) if tier else None,
        zero=ZERO_DIGITS[numbering],
        decimal=decimal,
        group=GROUP_NAMES.get(group, group),
        group_sizes=tuple(int(size) for size in sizes.split(",")),
        native_review=code in NATIVE_REVIEWED,
    )


@cache
def _by_word() -> dict[str, Language]:
    by_code = {entry.code: entry for entry in all_languages()}
    words = {alias: by_code[code] for alias, code in ALIASES.items()}
    for entry in all_languages():
        words.setdefault(entry.own_name.casefold(), entry)
    return words | {entry.name.casefold(): entry for entry in all_languages()} | by_code


def _without_region(word: str) -> str:
    for mark in REGION_MARKS:
        head, found, _ = word.partition(mark)
        if found and len(head) == 2:
            return head
    return word


def _hint(word: str) -> str:
    known = set(BUNDLED) if len(word) <= 2 else {w for w in _by_word() if len(w) > 2}
    hint = nearest(word, known)
    return hint if len(word) <= 2 or "did you mean" in hint else f"; the bundled ones are {', '.join(BUNDLED)}"
