"""The page on the study file: its examples are one valid study, and no key is left out."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec.inspect as shape
import pytest

from covary.studies.declaration import Study, parse

PAGE = Path(__file__).parents[2] / "docs" / "study-file.md"
if not PAGE.exists():
    pytest.skip("the documentation isn't part of this checkout", allow_module_level=True)
EXAMPLES = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def keys(kind: shape.Type) -> set[str]:
    """Every key that a study file may hold, at any depth."""
    found: set[str] = set()
    if isinstance(kind, shape.DataclassType):
        for field in kind.fields:
            found |= {field.name} | keys(field.type)
    elif isinstance(kind, shape.VarTupleType):
        found |= keys(kind.item_type)
    elif isinstance(kind, shape.UnionType):
        found = found.union(*(keys(option) for option in kind.types))
    return found


def test_the_examples_together_are_a_valid_study() -> None:
    study = parse("\n".join(EXAMPLES), "docs/study-file.md")
    assert study.name == "bridges"
    counts = [len(part) for part in (study.items, study.models, study.conditions, study.contrasts, study.tables)]
    assert counts == [3, 3, 3, 2, 1]
    assert study.contrasts[1].across is not None


def test_every_key_is_in_an_example() -> None:
    named = {
        word
        for example in EXAMPLES
        for word in re.findall(r"\[*\b(\w+)\b\]*(?= ?=|\]\])|^\[(\w+)\]", example, re.M)
        for word in word
        if word
    }
    named |= {word for example in EXAMPLES for word in re.findall(r"^\[(\w+)[.\]]", example, re.M)}
    missing = keys(shape.type_info(Study)) - named
    assert missing == {"part"}  # of the mathmist source: in the table of sources
    assert "`part`" in PAGE.read_text(encoding="utf-8")
