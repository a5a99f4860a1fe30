"""Estimates of a declared table → a grid: row labels, column labels level by level, one estimate a cell.

Every renderer (terminal, CSV, LaTeX, HTML) draws the same grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import polars as pl

from covary.report.declared import OVERALL, Table

Key = tuple[str, ...]
ORDERS: Mapping[str, Sequence[str]] = {
    "answer_type": ("Numerical", "Symbolic", "Proof"),
    "cue_level": ("Null", "Neutral", "ImplicitCue1", "ImplicitCue2", "ImplicitFull", "ExplicitFull"),
    "language": ("bn", "en", "fr", "fi", "tr", "lt", "kk"),
    "condition": ("zero-shot", "cot", "code-switch-en", "code-switch-bn"),
    "resource_tier": ("high", "medium", "low"),
}
"""Levels in the order that readers expect; others follow by name, the marginal last."""


@dataclass(frozen=True)
class Grid:
    """A table ready to be drawn. `cells` maps (row, column) to a row of schema.ESTIMATES; a missing key is an empty cell."""

    name: str
    caption: str
    row_factors: tuple[str, ...]
    column_factors: tuple[str, ...]
    rows: tuple[Key, ...]
    columns: tuple[Key, ...]
    cells: Mapping[tuple[Key, Key], Mapping[str, Any]]
    labels: Mapping[str, str]
    denominator: str

    def label(self, level: str) -> str:
        """A level's shown name."""
        return self.labels.get(level, level)

    def cell(self, row: Key, column: Key) -> Mapping[str, Any] | None:
        """The estimate at a place, or None."""
        return self.cells.get((row, column))


def grid(estimates: pl.DataFrame, table: Table) -> Grid:
    """The grid of a declared table from its estimates (those of other names are ignored)."""
    cells: dict[tuple[Key, Key], Mapping[str, Any]] = {}
    for estimate in estimates.filter(pl.col("name") == table.name).iter_rows(named=True):
        group = msgspec.json.decode(estimate["group"])
        cells[(_key(group, table.rows), _key(group, table.columns))] = estimate
    return Grid(
        name=table.name,
        caption=table.caption,
        row_factors=table.rows,
        column_factors=table.columns,
        rows=_ordered({row for row, _ in cells}, table.rows),
        columns=_ordered({column for _, column in cells}, table.columns),
        cells=cells,
        labels=table.labels,
        denominator=table.denominator,
    )


def percent(estimate: Mapping[str, Any] | None) -> str:
    """A cell's text: the value in per cent with one decimal, a dash where it is undefined, nothing where there is no cell."""
    if estimate is None:
        return ""
    return "–" if estimate["value"] is None else f"{100 * estimate['value']:.1f}"


def interval(estimate: Mapping[str, Any] | None) -> str:
    """A cell's interval in per cent, e.g. "61.2–70.4"; empty where there is none."""
    if estimate is None or estimate["low"] is None:
        return ""
    return f"{100 * estimate['low']:.1f}–{100 * estimate['high']:.1f}"


def _key(group: Mapping[str, Any], factors: Sequence[str]) -> Key:
    return tuple(str(group.get(factor)) for factor in factors)


def _ordered(keys: set[Key], factors: Sequence[str]) -> tuple[Key, ...]:
    return tuple(
        sorted(keys, key=lambda key: [_rank(factor, level) for factor, level in zip(factors, key, strict=True)])
    )


def _rank(factor: str, level: str) -> tuple[int, str]:
    if level == OVERALL:
        return (1_000, "")
    known = ORDERS.get(factor, ())
    return (known.index(level) if level in known else 500, level)
