"""Worked examples: the same source item side by side in its variants, with each answer and how it was scored.

Source items whose variants disagree come first: they show what the study is about. Only the rows shown are read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import polars as pl

TEXT_BOUND = 6000
ReadResponses = Callable[[list[str]], pl.DataFrame]


class Shown(NamedTuple):
    """One form of a source item under one condition: what was asked, answered, and how it was scored."""

    variant: str
    language: str
    condition: str
    model: str
    question: str
    target: str
    options: tuple[str, ...]
    conversation: tuple[tuple[str, str], ...]
    text: str
    reasoning: str
    status: str
    answer: str
    value: float | None
    scorer: str
    reason: str
    cut: bool


class Example(NamedTuple):
    """One source item with its forms; `flips`: the forms don't all get the same score."""

    source_id: str
    domain: str
    flips: bool
    shown: tuple[Shown, ...]


def choose(frame: pl.DataFrame, count: int, per_example: int = 6) -> pl.DataFrame:
    """Rows of `frame` (scores with factors) for `count` source items: per scorer in turn, those with flips first."""
    judged = frame.filter(pl.col("request_id").is_not_null() & (pl.col("replicate") == 0))
    ranked = (
        judged.group_by("scorer", "condition", "model", "source_id", maintain_order=True)
        .agg(flips=pl.col("value").n_unique() > 1, forms=pl.len(), judged=pl.col("value").count())
        .sort(["flips", "judged", "forms", "source_id"], descending=[True, True, True, False])
        .with_columns(turn=pl.int_range(pl.len()).over("scorer", "condition"))
        .sort("turn", "scorer", maintain_order=True)
        .unique("source_id", keep="first", maintain_order=True)
        .head(count)
    )
    return judged.join(
        ranked.select("scorer", "condition", "model", "source_id", "flips"),
        on=["scorer", "condition", "model", "source_id"],
        how="inner",
        maintain_order="right",
    ).filter(pl.int_range(pl.len()).over("source_id") < per_example)


def collect(rows: pl.DataFrame, items: pl.DataFrame, read: ReadResponses) -> list[Example]:
    """Examples of the chosen rows, with texts of items and responses, cut at a bound that is said."""
    ids = rows["request_id"].unique().to_list()
    responses = read(ids).select("request_id", "text", "reasoning", "status", response_detail="detail")
    wanted = items.select("item_id", "variant", "question", "target", "options", "conversation")
    joined = rows.join(wanted, on="item_id", how="left", maintain_order="left")
    joined = joined.join(responses, on="request_id", how="left", maintain_order="left")
    return [
        Example(
            str(source),
            str(group["domain"][0] or group["answer_type"][0]),
            bool(group["flips"][0]),
            tuple(_shown(row) for row in group.iter_rows(named=True)),
        )
        for (source,), group in joined.group_by("source_id", maintain_order=True)
    ]


def _shown(row: dict[str, Any]) -> Shown:
    text, reasoning = row["text"] or "", row["reasoning"] or ""
    return Shown(
        variant=row["variant"],
        language=row["language"],
        condition=row["condition"],
        model=row["model"],
        question=row["question"],
        target=row["target"] or "",
        options=tuple(row["options"] or ()),
        conversation=tuple((turn["role"], turn["text"]) for turn in row["conversation"] or ()),
        text=text[:TEXT_BOUND],
        reasoning=reasoning[:TEXT_BOUND],
        status=row["status"] or "",
        answer=row["answer"] or "",
        value=row["value"],
        scorer=row["scorer"],
        reason=row["reason"],
        cut=len(text) > TEXT_BOUND or len(reasoning) > TEXT_BOUND,
    )
