"""Word lists of scoring as data: one reading of `data/*.toml`, and patterns made of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any

# A Bangla or other Indic vowel sign continues a word, though \w leaves it out.
WORD_START = r"(?<![\w\u0900-\u0dff])"
WORD_END = r"(?![\w\u0900-\u0dff])"


@cache
def words(name: str) -> Mapping[str, Any]:
    """The lists of one data file of this package, by its name without ending."""
    text = resources.files("covary.scoring").joinpath("data", f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def alternatives(entries: Sequence[str]) -> str:
    """A pattern that matches any of the entries (themselves patterns), the longest first, as whole words.

    Entries that start with a letter share one look at where a word starts and with what: most places need no other.
    """
    longest_first = sorted(entries, key=len, reverse=True)
    runs = ["|".join(_run(lettered, list(run))) for lettered, run in groupby(longest_first, _starts_with_letter)]
    return "(?:" + "|".join(runs) + ")"


def any_of(name: str, entry: str) -> re.Pattern[str]:
    """A compiled pattern of one list of a data file."""
    return re.compile(alternatives(words(name)[entry]), re.IGNORECASE)


def _starts_with_letter(entry: str) -> bool:
    return entry[0].isalnum()


def _run(lettered: bool, entries: list[str]) -> list[str]:
    ended = [entry + (WORD_END if entry[-1].isalnum() else "") for entry in entries]
    if not lettered:
        return ended
    firsts = "".join(dict.fromkeys(entry[0] for entry in entries))
    return [f"{WORD_START}(?=[{firsts}])(?:{'|'.join(ended)})"]
