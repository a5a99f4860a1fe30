"""The items browser: a page of its own beside the report, that filters every score and shows forms of one item side by side.

    browse/index.html      filters and pager; it needs JavaScript, the report itself doesn't
    browse/index.js        every score as small numbers: what the filters work on
    browse/items-0000.js   questions, answers and scoring trails of some source items, loaded when they are shown

A page opened from a disk may not fetch; it may load scripts. So data come as scripts of one call that holds JSON. The policy
allows the one script whose digest it names, and what that script loads. All that is shown is set as text, never as markup.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import polars as pl
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from covary import __version__
from covary.report.declared import RATE_SCORERS_EXCLUDED
from covary.report.spans import Piece, pieces
from covary.report.traces import spans_of

ReadResponses = Callable[[list[str]], pl.DataFrame]
SOURCES_PER_FILE = 10
MOST_SCORES = 250_000
"""Beyond it only the first source items are written, those with flips before others, and the page says so."""
FACTORS = ("language", "condition", "model", "scorer")
VERDICTS = ("wrong", "right", "partly", "none")
CELL = ["source_id", "item_id", "condition", "model", "replicate"]


class File(NamedTuple):
    """A file of the browser: its name and text."""

    name: str
    text: str


def files(
    title: str, frame: pl.DataFrame, items: pl.DataFrame, read: ReadResponses, most: int = MOST_SCORES
) -> Iterator[File]:
    """The browser's files, one by one; `frame`: scores with factors. Responses are read a few source items at a time."""
    asked = _marked(frame.filter(pl.col("request_id").is_not_null()))
    rows, left_out = _bounded(asked, most)
    sources = rows["source_id"].unique(maintain_order=True).to_list()
    yield File("index.html", _page(title, len(sources), left_out))
    yield File("index.js", _call("covaryIndex", _index(rows, sources, left_out)))
    wanted = items.select("item_id", "variant", "question", "target", "options", "conversation", "answer_type")
    starts = [*range(0, len(sources), SOURCES_PER_FILE), len(sources)]
    parts = rows.with_columns(_file=pl.col("source_id").rle_id() // SOURCES_PER_FILE).partition_by(
        "_file", maintain_order=True
    )
    for number, (part, _) in enumerate(zip(parts, pairwise(starts), strict=True)):
        yield File(f"items-{number:04}.js", _call("covaryItems", number, _sources(part, wanted, read)))


def _marked(frame: pl.DataFrame) -> pl.DataFrame:
    """Scores in the order of source items, with `verdict` (a number of VERDICTS) and `flip`: whether forms of the same source
    item, under one condition, model and scorer, are judged differently."""
    value = pl.col("value")
    group = ["source_id", "condition", "model", "scorer", "replicate"]
    return frame.with_columns(
        verdict=pl.when(value.is_null()).then(3).when(value == 0).then(0).when(value == 1).then(1).otherwise(2),
        flip=(value.min().over(group) < value.max().over(group)).fill_null(value=False),
    ).sort("source_id", "condition", "model", "replicate", "language", "item_id", "scorer", maintain_order=True)


def _bounded(rows: pl.DataFrame, most: int) -> tuple[pl.DataFrame, int]:
    """All rows, or those of as many source items as fit; and how many source items are left out."""
    if rows.height <= most:
        return rows, 0
    ranked = (
        rows.group_by("source_id")
        .agg(flips=pl.col("flip").sum(), rows=pl.len())
        .sort(["flips", "source_id"], descending=[True, False])
    )
    kept = ranked.filter(pl.col("rows").cum_sum() <= most)["source_id"]
    return rows.filter(pl.col("source_id").is_in(kept.implode())), ranked.height - kept.len()


def _index(rows: pl.DataFrame, sources: Sequence[str], left_out: int) -> dict[str, Any]:
    levels = {name: rows[name].drop_nulls().unique().sort().to_list() for name in FACTORS}
    columns = {
        name: rows[name].replace_strict(known, range(len(known)), default=-1, return_dtype=pl.Int32).to_list()
        for name, known in levels.items()
    }
    return {
        "per_file": SOURCES_PER_FILE,
        "sources": list(sources),
        "left_out": left_out,
        "levels": levels,
        "verdicts": list(VERDICTS),
        "no_rates": sorted(RATE_SCORERS_EXCLUDED),
        "columns": {
            **columns,
            "source": rows["source_id"].rle_id().to_list(),
            "verdict": rows["verdict"].to_list(),
            "flip": rows["flip"].cast(pl.Int8).to_list(),
        },
    }


def _sources(part: pl.DataFrame, items: pl.DataFrame, read: ReadResponses) -> list[dict[str, Any]]:
    """Per source item: its forms, and its cells with the response's text and every score."""
    texts = read(part["request_id"].unique().to_list()).select("request_id", "status", "text", "reasoning", "error")
    cells = part.group_by(CELL, maintain_order=True).agg(
        pl.col("request_id").first(),
        pl.col("detail").filter(pl.col("scorer") == "trace").first(),
        scores=pl.struct("scorer", "value", "answer", "reason", "flip"),
    )
    cells = cells.join(texts, on="request_id", how="left", maintain_order="left").drop("request_id")
    forms = part.select("source_id", "item_id", "language").unique(maintain_order=True)
    forms = forms.join(items, on="item_id", how="left", maintain_order="left")
    by_source = {
        key[0]: group.drop("source_id").to_dicts() for key, group in forms.group_by("source_id", maintain_order=True)
    }
    return [
        {"id": source, "forms": by_source[source], "cells": [_cell(cell) for cell in group.iter_rows(named=True)]}
        for (source,), group in cells.group_by("source_id", maintain_order=True)
    ]


def _cell(row: dict[str, Any]) -> dict[str, Any]:
    spans = spans_of(row["detail"])
    shown = {name: _marked_up(row[name], spans, name) for name in ("text", "reasoning")}
    return {name: value for name, value in row.items() if name not in ("source_id", "detail")} | shown


def _marked_up(text: str | None, spans: Sequence[Mapping[str, Any]], source: str) -> str | list[Piece] | None:
    """A text as it is shown: a string, or pieces where something is marked or cut."""
    if text is None:
        return None
    found = pieces(text, [span for span in spans if span.get("source", "text") == source])
    return found[0].text if len(found) == 1 and not found[0].kind else found


def _call(function: str, *values: Any) -> str:
    """A script of one call. JSON is JavaScript but for two line separators, which are escaped."""
    arguments = ",".join(msgspec.json.encode(value).decode() for value in values)
    return f"{function}({arguments.replace(chr(0x2028), chr(92) + 'u2028').replace(chr(0x2029), chr(92) + 'u2029')});\n"


def _page(title: str, sources: int, left_out: int) -> str:
    folder = resources.files("covary.report") / "data"
    script, css = ((folder / name).read_text(encoding="utf-8") for name in ("browse.js", "page.css"))
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((folder / "browse.html.j2").read_text(encoding="utf-8"))
    allowed = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode()
    return template.render(
        title=title,
        sources=sources,
        left_out=left_out,
        version=__version__,
        css=Markup(css),
        script=Markup(script),
        allowed=allowed,
    )
