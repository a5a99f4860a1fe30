"""Traces in which something went wrong, shown with the words at fault marked: a few of every kind, each of another source item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import polars as pl

from covary.report.examples import ReadResponses
from covary.report.spans import Piece, pieces

MOST_OF_A_KIND = 3
WHOLE = 4_000
"""Characters up to which a trace is shown whole."""


class Fault(NamedTuple):
    """A kind of failure in one trace: which, where it stands, and the row of its score."""

    label: str
    quote: str
    row: Mapping[str, Any]
    spans: Sequence[Mapping[str, Any]]


class Trace(NamedTuple):
    """A trace to show: the failure that it is an example of, whose it is, and its text in pieces."""

    label: str
    model: str
    condition: str
    language: str
    source_id: str
    pieces: Sequence[Piece]


def faults(frame: pl.DataFrame, most: int = MOST_OF_A_KIND) -> list[Fault]:
    """Up to `most` failures of every kind, in the order of their labels; models and conditions change before source items do."""
    rows = frame.filter((pl.col("scorer") == "trace") & (pl.col("value") > 0))
    found: dict[str, list[Fault]] = {}
    for row in _turns(rows).iter_rows(named=True):
        spans = spans_of(row["detail"])
        for span in spans:
            kept = found.setdefault(span["label"], [])
            if len(kept) < most and all(fault.row["source_id"] != row["source_id"] for fault in kept):
                kept.append(Fault(span["label"], span["quote"], row, spans))
    return [fault for label in sorted(found) for fault in found[label]]


def highlighted(frame: pl.DataFrame, read: ReadResponses) -> list[Trace]:
    """The faults' traces with every faulty span marked; only these responses are read."""
    kept = [fault for fault in faults(frame) if fault.row["request_id"] is not None]
    if not kept:
        return []
    texts = read(list(dict.fromkeys(fault.row["request_id"] for fault in kept))).select(
        "request_id", "text", "reasoning"
    )
    by_id = {row["request_id"]: row for row in texts.iter_rows(named=True)}
    return [
        Trace(
            label=fault.label,
            model=fault.row["model"],
            condition=fault.row["condition"],
            language=fault.row["language"],
            source_id=fault.row["source_id"],
            pieces=list(_shown(fault, by_id[fault.row["request_id"]])),
        )
        for fault in kept
        if fault.row["request_id"] in by_id
    ]


def spans_of(detail: str | None) -> list[dict[str, Any]]:
    """Spans that a score's detail tells; none where it tells none."""
    return msgspec.json.decode(detail).get("spans", []) if detail and '"spans"' in detail else []


def _turns(rows: pl.DataFrame) -> pl.DataFrame:
    """One row a source item, so ordered that every model, condition and language has its turn."""
    ordered = rows.sort("source_id", "model", "condition", "language").unique(
        "source_id", keep="first", maintain_order=True
    )
    group = ["answer", "model", "condition", "language"]
    return ordered.with_columns(_turn=pl.int_range(pl.len()).over(group)).sort("_turn", maintain_order=True)


def _shown(fault: Fault, texts: Mapping[str, Any]) -> Iterator[Piece]:
    for source in ("reasoning", "text"):
        spans = [span for span in fault.spans if span.get("source", "text") == source]
        if texts[source] and spans:
            yield from pieces(texts[source], spans, WHOLE)
