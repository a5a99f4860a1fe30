"""`covary plan`: what a run would send, what sharing saves, what it may cost, and what it could detect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from covary.cli.folder import Folder, open_study
from covary.cli.stages import Options, Planned, narrowed, plan_stage
from covary.prompts.plan import warnings
from covary.store.tables import read_table

# Bytes of UTF-8 per token: what tokenisers make of prose lies between these two, by language and model.
BYTES_PER_TOKEN = (4.5, 2.0)
LEAST_ANSWER_TOKENS = 8
PICTURE_TOKENS = (250, 1500)


class Row(NamedTuple):
    """One model × condition of a plan. Tokens are ranges, from few to many."""

    model: str
    condition: str
    cells: int
    requests: int
    unfilled: int
    prompt_tokens: tuple[int, int]
    completion_tokens: tuple[int, int]


def plan(
    study: str,
    data: Path | None,
    models: list[str],
    conditions: list[str],
    limit: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Plan a study and print it. Nothing is sent."""
    options = Options(data, tuple(models), tuple(conditions), limit)
    folder = narrowed(open_study(study, out), options)
    planned = plan_stage(folder, options)
    told = summary(folder, planned)
    if as_json:
        print(json.dumps(told, ensure_ascii=False))
        return
    _print(folder, told)


def summary(folder: Folder, planned: Planned) -> dict[str, Any]:
    """All that a plan says, as JSON values."""
    rows = _rows(folder, planned)
    distinct = planned.requests.height
    cells = planned.links.filter(pl.col("request_id").is_not_null()).height
    answered = _answered(folder, planned)
    return {
        "study": folder.study.name,
        "folder": str(folder.root),
        "source_items": planned.items["source_id"].n_unique(),
        "items": planned.items.height,
        "cells": cells,
        "distinct_requests": distinct,
        "saved_by_sharing": cells - distinct if distinct else 0,
        "already_answered": answered,
        "left": max(distinct - answered, 0),
        "fewest_requests": _fewest(folder, planned),
        "rows": [row._asdict() for row in rows],
        "price": _prices(folder, rows),
        "smallest_effects": _effects(folder, planned),
        "warnings": warnings(folder.study.conditions) if distinct else [],
        "unfilled": _unfilled(planned.links),
    }


def _rows(folder: Folder, planned: Planned) -> list[Row]:
    if planned.requests.is_empty():
        return []
    sizes = read_table(folder.requests).select(
        "request_id",
        bytes=pl.col("content").str.len_bytes(),
        pictures=pl.col("content").str.count_matches('"type":"image"', literal=True),
        most=pl.col("content").str.extract(r'"max_(?:completion_)?tokens":(\d+)').cast(pl.Int64),
    )
    joined = planned.links.join(sizes.collect(engine="streaming"), on="request_id", how="left")
    groups = joined.group_by("model", "condition", maintain_order=True).agg(
        cells=pl.len(),
        unfilled=pl.col("request_id").is_null().sum(),
        requests=pl.col("request_id").drop_nulls().n_unique(),
    )
    distinct = joined.drop_nulls("request_id").unique(["request_id", "condition"])
    totals = distinct.group_by("model", "condition").agg(
        pl.col("bytes").sum(), pl.col("pictures").sum(), pl.col("most").sum(), n=pl.len()
    )
    return [_row(row) for row in groups.join(totals, on=["model", "condition"], how="left").iter_rows(named=True)]


def _row(row: dict[str, Any]) -> Row:
    size, pictures, most, count = (row[key] or 0 for key in ("bytes", "pictures", "most", "n"))
    few, many = (int(size / ratio) for ratio in BYTES_PER_TOKEN)
    prompt = (few + pictures * PICTURE_TOKENS[0], many + pictures * PICTURE_TOKENS[1])
    completion = (count * LEAST_ANSWER_TOKENS, most)
    return Row(row["model"], row["condition"], row["cells"], row["requests"], row["unfilled"], prompt, completion)


def _prices(folder: Folder, rows: list[Row]) -> list[dict[str, Any]]:
    from covary.run.budget import price_of

    found: list[dict[str, Any]] = []
    for model in folder.study.models:
        price = price_of(model.transport.get("price"), model.name)
        if price is None:
            continue
        mine = [row for row in rows if row.model == model.name]
        low, high = (
            sum(price.of(row.prompt_tokens[end], row.completion_tokens[end]) for row in mine) for end in (0, 1)
        )
        found.append({"model": model.name, "low": round(low, 4), "high": round(high, 4), "currency": price.currency})
    return found


def _answered(folder: Folder, planned: Planned) -> int:
    from covary.store.journal import Journal

    if not folder.journal.exists() or planned.requests.is_empty():
        return 0
    with Journal.open(folder.journal, write=False) as journal:
        answered, _ = journal.settled(planned.requests["request_id"].to_list())
    return len(answered)


def _fewest(folder: Folder, planned: Planned) -> int:
    """How many requests are sent at least: where attempts stop at the first success, the first of each cell."""
    if folder.study.attempts.stop == "never" or planned.requests.is_empty():
        return planned.requests.height
    from covary.analysis.stopping import firsts
    from covary.cli.stopping import declared

    return firsts(planned.links, declared(folder.study))["request_id"].drop_nulls().n_unique()


def _effects(folder: Folder, planned: Planned) -> list[dict[str, Any]]:
    """For each contrast: pairs it will have, and the smallest difference that 80 % of runs would detect."""
    from covary.cli.detectable import smallest_effects

    return smallest_effects(folder.study, planned.items, planned.links)


def _unfilled(links: pl.DataFrame) -> list[dict[str, Any]]:
    empty = links.filter(pl.col("request_id").is_null())
    return empty.group_by("model", "condition", "reason", maintain_order=True).agg(cells=pl.len()).to_dicts()


def _print(folder: Folder, told: dict[str, Any]) -> None:
    from rich.table import Table

    from covary.report.terminal import Screen

    console = Screen()
    table = Table(title=f"Plan of {told['study']}: {told['source_items']} source items, {told['items']} items")
    for heading in ("model", "condition", "cells", "requests", "prompt tokens", "completion tokens"):
        table.add_column(heading, justify="left" if heading in ("model", "condition") else "right")
    for row in told["rows"]:
        table.add_row(
            row["model"],
            row["condition"],
            f"{row['cells']:,}",
            f"{row['requests']:,}",
            _range(row["prompt_tokens"]),
            _range(row["completion_tokens"]),
        )
    console.print(table)
    if told["distinct_requests"]:
        console.print(
            f"{told['distinct_requests']:,} distinct requests serve {told['cells']:,} cells ({told['saved_by_sharing']:,} saved by sharing);"
            f" {told['already_answered']:,} answered already, {told['left']:,} left. Token counts are ranges by bytes of text, not measured."
        )
    else:
        console.print(f"Nothing to send: {told['cells']:,} cells are served by recorded runs.")
    if told["fewest_requests"] < told["distinct_requests"]:
        console.print(
            f"Attempts stop at the first success: {told['fewest_requests']:,} requests are the fewest that a whole run sends,"
            f" {told['distinct_requests']:,} the most. Rates and contrasts will be of first attempts."
        )
    for price in told["price"]:
        console.print(f"{price['model']}: {price['low']:.2f} to {price['high']:.2f} {price['currency']}")
    for effect in told["smallest_effects"]:
        console.print(effect["words"])
    for line in told["warnings"]:
        console.print(f"warning: {line}")
    for cell in told["unfilled"]:
        console.print(f"{cell['cells']:,} cells of {cell['model']} × {cell['condition']} stay empty: {cell['reason']}")


def _range(ends: tuple[int, int]) -> str:
    return f"{ends[0]:,}–{ends[1]:,}"
