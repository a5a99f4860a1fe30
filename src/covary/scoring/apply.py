"""Responses × items × scorers → scores, row by row.

A cell without a response, or with one that is truncated, refused or an error, gets a null and the reason: failed is not
wrong. Scorers that can read a cut-off answer declare it (`reads_truncated`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec
import polars as pl

from covary import digest, schema
from covary.prompts.conditions import Condition
from covary.prompts.templates import Template, find
from covary.schema import Status
from covary.scoring.case import Case, Judgement, Scorer

KEY = ["item_id", "condition", "model", "replicate", "scorer"]
ITEM_COLUMNS = [
    "item_id",
    "language",
    "culture",
    "cue_level",
    "question",
    "solution",
    "options",
    "target",
    "answer_type",
    "domain",
    "meta",
]
RESPONSE_COLUMNS = ["request_id", "status", "text", "reasoning", "error", "detail"]


def apply(
    items: pl.DataFrame,
    links: pl.DataFrame,
    responses: pl.DataFrame,
    conditions: Sequence[Condition],
    scorers: Mapping[str, Scorer],
    templates: Mapping[str, Template] | None = None,
) -> pl.DataFrame:
    """Scores (schema.SCORES) of every link under every scorer that its condition names."""
    return score(cells_of(items, links, responses), conditions, scorers, templates)


def cells_of(items: pl.DataFrame, links: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
    """Links with all of their item and response that scores can depend on, in the links' order."""
    return (
        links.join(items.select(ITEM_COLUMNS), on="item_id", how="inner", maintain_order="left")
        .rename({"reason": "unfilled"})
        .join(responses.select(RESPONSE_COLUMNS), on="request_id", how="left", maintain_order="left")
    )


def score(
    cells: pl.DataFrame,
    conditions: Sequence[Condition],
    scorers: Mapping[str, Scorer],
    templates: Mapping[str, Template] | None = None,
) -> pl.DataFrame:
    """Scores (schema.SCORES) of cells, by condition and scorer, cells in order."""
    by_name = {condition.name: condition for condition in conditions}
    tables: list[pl.DataFrame] = []
    for (name,), group in cells.group_by("condition", maintain_order=True):
        condition = by_name.get(str(name))
        if condition is None:
            continue
        template = find(condition.prompt, templates)
        for scorer_name in condition.scorers:
            scorer = scorers[scorer_name]
            tables.append(_score_group(_judgeable(group, scorer), condition, template, scorer, scorer_name))
    return pl.concat(tables) if tables else schema.SCORES.empty()


def _judgeable(group: pl.DataFrame, scorer: Scorer) -> pl.DataFrame:
    """The cells that a scorer is for: of its `answer_types`, where it names any. The others get no row from it, since a null
    there would count as wrong under the denominator "all"."""
    kinds = getattr(scorer, "answer_types", None)
    return group if kinds is None else group.filter(pl.col("answer_type").is_in(sorted(kinds)))


def _score_group(
    group: pl.DataFrame, condition: Condition, template: Template, scorer: Scorer, name: str
) -> pl.DataFrame:
    rows = list(_score_rows(group, condition, template, scorer))
    return group.select("item_id", "condition", "model", "replicate", "request_id").with_columns(
        scorer=pl.lit(name),
        scorer_version=pl.lit(scorer.version, dtype=pl.Int32),
        answer=pl.Series([row.answer for row in rows], dtype=pl.String),
        value=pl.Series([row.value for row in rows], dtype=pl.Float64),
        reason=pl.Series([row.reason for row in rows], dtype=pl.String),
        detail=pl.Series([digest.canonical_json(row.detail).decode() for row in rows], dtype=pl.String),
    )


def _score_rows(group: pl.DataFrame, condition: Condition, template: Template, scorer: Scorer) -> Iterator[Judgement]:
    reads_truncated = bool(getattr(scorer, "reads_truncated", False))
    for row in group.iter_rows(named=True):
        failed = _failed(row, reads_truncated)
        yield Judgement(None, None, failed) if failed else scorer(case_of(row, condition, template))


def _failed(row: Mapping[str, Any], reads_truncated: bool) -> str | None:
    if row["request_id"] is None:
        return f"not asked: {row['unfilled']}"
    if row["status"] is None:
        return "no response yet"
    if row["status"] == "truncated" and reads_truncated:
        return None
    if row["status"] != "ok":
        return f"{row['status']}: {row['error'] or 'cut off at the token limit'}"
    return None


def case_of(row: Mapping[str, Any], condition: Condition, template: Template) -> Case:
    """The case that a scorer sees, from a joined row of link, item and response."""
    language = str(row["language"])
    return Case(
        text=row["text"],
        reasoning=row["reasoning"],
        status=cast(Status, row["status"]),
        target=row["target"],
        answer_type=row["answer_type"],
        language=language,
        reasoning_language=condition.language(condition.reasoning_language, language),
        answer_language=condition.language(condition.answer_language, language),
        mode=template.mode,
        task=template.task,
        question=row["question"],
        solution=row["solution"],
        options=tuple(row["options"] or ()),
        culture=row["culture"],
        cue_level=row["cue_level"],
        domain=row["domain"],
        meta=msgspec.json.decode(row["meta"]),
        detail=msgspec.json.decode(row["detail"]),
    )
