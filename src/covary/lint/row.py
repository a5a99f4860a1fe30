"""One item as the rules see it, and a finding that knows its field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import polars as pl

from covary.lint.finding import Finding, Severity

SPAN_CHARACTERS = 160
LETTERS = "ABCDEFGHIJ"
COLUMNS = (
    *("source_id", "item_id", "variant", "language", "format", "perturbation"),
    *("question", "solution", "options", "target", "answer_type", "meta"),
)
_LOOK = 40


@dataclass(frozen=True, slots=True)
class Fault(Finding):
    """A finding with its place: source_id and the field that holds the span (question, solution, target, option B …)."""

    source_id: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One parallel form. `answer`: the reference answer as a text, also where the target is a letter or a yes."""

    source_id: str
    item_id: str
    variant: str
    language: str
    format: str
    perturbation: str | None
    question: str
    solution: str
    options: tuple[str, ...]
    target: str
    answer_type: str
    meta: dict[str, Any]

    @property
    def answer(self) -> str:
        """The reference answer itself; empty where only a letter is known."""
        told = self.meta.get("exact_answer")
        if isinstance(told, str):
            return told
        return "" if self.format == "mcq" else self.target

    @property
    def key(self) -> int | None:
        """Place of the right option; None where the target names none."""
        letter = self.target.strip().upper()
        if len(letter) == 1 and letter in LETTERS[: len(self.options)]:
            return LETTERS.index(letter)
        return self.options.index(self.target) if self.target in self.options else None

    def texts(self) -> Iterator[tuple[str, str]]:
        """(field, text) of every text that is shown or scored."""
        yield "question", self.question
        if self.solution:
            yield "solution", self.solution
        if self.answer:
            yield "target", self.answer
        for letter, option in zip(LETTERS, self.options, strict=False):
            yield f"option {letter}", option

    def fault(self, rule: str, severity: Severity, field: str, span: str, expected: str, suggestion: str) -> Fault:
        """A finding in this item; long spans are cut."""
        return Fault(
            rule, severity, self.item_id, self.variant, short(span), expected, suggestion, self.source_id, field
        )


def rows_of(items: pl.DataFrame) -> list[Row]:
    """The rows of an items frame (schema.ITEMS)."""
    return [_row(values) for values in items.select(COLUMNS).iter_rows()]


def _row(values: tuple[Any, ...]) -> Row:
    source_id, item_id, variant, language, form, perturbation, question, solution, options, target, kind, meta = values
    return Row(
        source_id,
        item_id,
        variant,
        language,
        form,
        perturbation,
        question,
        solution or "",
        tuple(options or ()),
        target or "",
        kind,
        msgspec.json.decode(meta),
    )


def short(span: str) -> str:
    """A span of bounded length."""
    return span if len(span) <= SPAN_CHARACTERS else span[: SPAN_CHARACTERS - 1] + "…"


def around(text: str, found: re.Match[str]) -> str:
    """A match with a few characters on both sides."""
    return text[max(0, found.start() - _LOOK) : found.end() + _LOOK]
