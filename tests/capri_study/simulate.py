"""Answers of the known model to CAPRI items, without a server: links and responses, ready to be scored."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl
from tests.capri_study.respond import Asked, reply

from covary import schema
from covary.prompts.conditions import Condition
from covary.prompts.requests import Plan
from covary.prompts.templates import find


def task_and_mode(condition: Condition) -> tuple[str, str]:
    """What a condition of the study asks, and how."""
    template = find(condition.prompt, None)
    thinks = template.mode == "cot" or condition.thinking == "on"
    return template.task, "pragmatic" if template.mode == "pragmatic" else "cot" if thinks else "direct"


def asked_of(item: dict[str, object], picture: str, condition: Condition, replicate: int) -> Asked:
    """The question that a cell asks."""
    task, mode = task_and_mode(condition)
    return Asked(
        task,
        mode,
        str(item["cue_level"]),
        str(item["culture"]),
        str(item["domain"]),
        picture,
        str(item["source_id"]),
        replicate,
    )


def responses(plan: Plan, items: pl.DataFrame, conditions: Iterable[Condition], seed: object) -> pl.DataFrame:
    """A response to every request of the plan (schema.RESPONSES), by the first cell that it serves."""
    by_name = {condition.name: condition for condition in conditions}
    rows = items.with_columns(picture_id=pl.col("meta").str.json_path_match("$.picture_id"))
    facts = {
        row["item_id"]: row
        for row in rows.select("item_id", "cue_level", "culture", "domain", "source_id", "picture_id").to_dicts()
    }
    first = plan.links.drop_nulls("request_id").unique("request_id", keep="first", maintain_order=True)
    made = []
    for link in first.iter_rows(named=True):
        item = facts[link["item_id"]]
        said = reply(seed, asked_of(item, item["picture_id"], by_name[link["condition"]], link["replicate"]))
        made.append((link["request_id"], said.text, said.reasoning))
    frame = pl.DataFrame(
        made, schema={"request_id": pl.String(), "text": pl.String(), "reasoning": pl.String()}, orient="row"
    )
    fixed = {"status": "ok", "detail": "{}", "origin": "sent"}
    full = frame.with_columns(
        *(pl.lit(value).alias(name) for name, value in fixed.items()), attempts=pl.lit(1, dtype=pl.Int32)
    )
    missing = {name: dtype for name, dtype in schema.RESPONSES.schema.items() if name not in full.columns}
    return schema.RESPONSES.check(
        full.with_columns(*(pl.lit(None, dtype=dtype).alias(name) for name, dtype in missing.items()))
    )
