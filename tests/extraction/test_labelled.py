"""Extraction against labels written before it was tuned, on recorded generations."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.extraction.sample import NO_ANSWER, broken_sample, labelled_sample

from covary.mathematics.equivalence import equivalent
from covary.scoring.extract import extract

pytestmark = pytest.mark.data
LABELS = [json.loads(line) for line in Path(__file__).with_name("labels.jsonl").read_text("utf-8").splitlines()]
LEAST_RIGHT = 0.97


def bare(text: str) -> str:
    """A text without blanks, dollar signs, spacing commands and closing points."""
    return re.sub(r"\\[,;! ]|\\\(|\\\)|[\s$*.।]+", "", text)


def is_right(answer: str | None, expected: list[str | None], language: str) -> bool:
    """Whether an extraction is one of the labelled texts, or mathematically equal to one; None: no answer."""
    if answer is None:
        return None in expected
    known = [text for text in expected if text is not None]
    return any(bare(answer) == bare(text) for text in known) or any(
        equivalent(answer, text, language=language).verdict == "equal" for text in known
    )


def wrong_rows(data: Path) -> list[tuple[dict[str, Any], str | None]]:
    """Labels that extraction misses, with what it found."""
    missed: list[tuple[dict[str, Any], str | None]] = []
    for label, generation in zip(LABELS, labelled_sample(data), strict=True):
        assert (label["file"], label["id"]) == (generation.file, generation.id)
        found = extract(generation.text).answer
        if not is_right(found, label["expected"], generation.row["lang"]):
            missed.append((label, found))
    return missed


def test_at_least_97_of_100_labelled_generations_are_read_right(data: Path) -> None:
    missed = wrong_rows(data)
    assert len(missed) <= (1 - LEAST_RIGHT) * len(LABELS), missed


def test_no_answer_is_invented_where_there_is_none(data: Path) -> None:
    broken = broken_sample(data)
    assert len(broken) == NO_ANSWER
    assert [(g.file, g.id) for g in broken if extract(g.text).answers] == []
