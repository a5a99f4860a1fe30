"""Word lists of scoring as data: one reading of `data/*.toml`, and patterns made of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
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
    """A pattern that matches any of the entries (themselves patterns), the longest first, as whole words."""
    longest_first = sorted(entries, key=len, reverse=True)
    return "(?:" + "|".join(_whole(entry) for entry in longest_first) + ")"


def any_of(name: str, entry: str) -> re.Pattern[str]:
    """A compiled pattern of one list of a data file."""
    return re.compile(alternatives(words(name)[entry]), re.IGNORECASE)


def _whole(entry: str) -> str:
    start = WORD_START if entry[0].isalnum() else ""
    end = WORD_END if entry[-1].isalnum() else ""
    return start + entry + end
