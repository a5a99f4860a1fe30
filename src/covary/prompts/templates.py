"""Versioned prompt templates: package data, and templates that a study folder brings.

A template is a TOML file: version, task, mode, and one text per instruction language. Placeholders are names in braces;
only the known ones are replaced, all other braces are left alone (LaTeX is full of them).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from covary.errors import StudyError, nearest

PLACEHOLDERS = frozenset(
    [
        "question",
        "options",
        "solution",
        "conversation",
        "reply_format",
        "question_language",
        "answer_language",
        "reasoning_language",
        "statement_language",
        "question_block",
        "answer",
        "answer_type",
        "target",
        "text",
        "translation",
        "source_language",
        "target_language",
        "glossary",
        "conventions",
        "claims",
        "rules",
        "count",
    ]
)
_PLACEHOLDER = re.compile(r"\{(" + "|".join(sorted(PLACEHOLDERS)) + r")\}")
_KEYS = {"version": int, "task": str, "mode": str, "sections": int, "steps_section": int, "min_steps": int}


@dataclass(frozen=True)
class Template:
    """One prompt: its name and version (both stored with every plan), task, mode, and text per instruction language."""

    name: str
    version: int
    task: str
    mode: str
    texts: Mapping[str, str]
    sections: int | None = None
    steps_section: int | None = None
    min_steps: int | None = None

    def fill(self, language: str, values: Mapping[str, str]) -> str:
        """The prompt in an instruction language. Raises StudyError when the template has no text in that language."""
        if language not in self.texts:
            raise StudyError(
                f"prompt {self.name!r} has no text in {language!r}; it has {', '.join(sorted(self.texts))}"
            )
        parts = _parts(self.texts[language])
        return "".join([values[part] if odd else part for odd, part in parts]).strip()


@cache
def _parts(text: str) -> tuple[tuple[bool, str], ...]:
    """A text as its literal pieces (False) and the names of its placeholders (True), in turn."""
    return tuple((bool(place % 2), part) for place, part in enumerate(_PLACEHOLDER.split(text)))


def parse(name: str, text: str) -> Template:
    """A template from its TOML text. Raises StudyError for an unknown key or a missing one."""
    data = tomllib.loads(text)
    texts: dict[str, str] = {}
    facts: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict) and isinstance(value.get("text"), str):
            texts[key] = value["text"]
        elif key in _KEYS and isinstance(value, _KEYS[key]):
            facts[key] = value
        else:
            raise StudyError(f"prompt {name!r}: unexpected {key!r}{nearest(key, _KEYS)}")
    missing = {"version", "task", "mode"} - facts.keys()
    if missing or not texts:
        raise StudyError(f"prompt {name!r}: {', '.join(sorted(missing)) or 'a text in some language'} is missing")
    return Template(name=name, texts=texts, **facts)


@cache
def bundled() -> Mapping[str, Template]:
    """The package's own templates by name."""
    folder = resources.files("covary.prompts") / "data"
    return {
        entry.name.removesuffix(".toml"): parse(entry.name.removesuffix(".toml"), entry.read_text(encoding="utf-8"))
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".toml")
    }


def find(name: str, own: Mapping[str, Template] | None = None) -> Template:
    """A template by name: the study's own first, then the bundled ones."""
    known = {**bundled(), **(own or {})}
    if name not in known:
        raise StudyError(f"unknown prompt {name!r}{nearest(name, known)}")
    return known[name]
