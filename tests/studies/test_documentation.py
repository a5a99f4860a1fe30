"""Pages on the study file and its tables: examples are one valid study, no key and no table is left out."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec.inspect as shape
import pytest

from covary.report import standard
from covary.studies.builtin import study
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
    read = parse("\n".join(EXAMPLES), "docs/study-file.md")
    assert read.name == "bridges"
    counts = [len(part) for part in (read.items, read.models, read.conditions, read.contrasts, read.tables)]
    assert counts == [3, 3, 3, 2, 1]
    assert read.contrasts[1].across is not None


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


def test_every_table_that_the_mathmist_page_names_can_be_asked_for() -> None:
    page = (PAGE.parent / "mathmist.md").read_text(encoding="utf-8")
    part = page[page.index("## Tables and figures") :]
    named = {name for line in part.splitlines() if line.startswith("| ") for name in re.findall(r"`([a-z-]+)`", line)}
    named |= set(re.findall(r"`([a-z-]+)`", part[part.index("Beside them:") : part.index("The texts of")]))
    known = {table.name for table in study("mathmist").tables} | set(standard.MAKERS)
    assert len(named) > 20
    assert named <= known
    assert {table.name for table in study("mathmist").tables} <= named


def test_the_report_page_names_every_table_that_any_study_can_show() -> None:
    page = (PAGE.parent / "report.md").read_text(encoding="utf-8")
    assert [name for name in standard.MAKERS if f"`{name}`" not in page] == []
