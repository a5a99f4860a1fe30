"""Estimates of a declared table → a grid: row labels, column labels level by level, one estimate a cell.

Every renderer (terminal, CSV, LaTeX, HTML) draws the same grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    best: str = "none"
    change: str | None = None

    def label(self, level: str) -> str:
        """A level's shown name."""
        return self.labels.get(level, level)

    def cell(self, row: Key, column: Key) -> Mapping[str, Any] | None:
        """The estimate at a place, or None."""
        return self.cells.get((row, column))


def folded(wide: Grid) -> Grid:
    """The grid with its first column factor moved into the rows, for narrow places. Marks of best and change don't carry over."""
    cells = {((*row, column[0]), column[1:]): cell for (row, column), cell in wide.cells.items()}
    filled = [(*row, column[0]) for row in wide.rows for column in wide.columns if (row, column) in wide.cells]
    return replace(
        wide,
        row_factors=(*wide.row_factors, wide.column_factors[0]),
        column_factors=wide.column_factors[1:],
        rows=tuple(dict.fromkeys(filled)),
        columns=tuple(dict.fromkeys(column[1:] for column in wide.columns)),
        cells=cells,
        best="none",
        change=None,
    )


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
        best=table.best,
        change=table.change,
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


def best(grid: Grid) -> frozenset[tuple[Key, Key]]:
    """Places that hold their column's best value as shown; several where they tie, none in a column of one value."""
    if grid.best == "none":
        return frozenset()
    choose = max if grid.best == "highest" else min
    found: set[tuple[Key, Key]] = set()
    for column in grid.columns:
        shown = {row: round(100 * cell["value"], 1) for row in grid.rows if (cell := _defined(grid, row, column))}
        if len(shown) > 1:
            top = choose(shown.values())
            found |= {(row, column) for row, value in shown.items() if value == top}
    return frozenset(found)


def change(grid: Grid, row: Key, column: Key) -> float | None:
    """A cell's change, in percentage points, from the first level of the factor that the grid declares; None where there is
    no such factor or value, and at the first level itself."""
    if grid.change is None or grid.change not in grid.column_factors:
        return None
    at = grid.column_factors.index(grid.change)
    first = next((key for key in grid.columns if _without(key, at) == _without(column, at)), column)
    here, there = _defined(grid, row, column), _defined(grid, row, first)
    if first == column or here is None or there is None:
        return None
    return 100 * (here["value"] - there["value"])


def arrow(points: float | None) -> str:
    """A change as text, e.g. "▲ 0.9" or "▼ 3.7"; "=" where nothing of it shows, empty where there is none."""
    if points is None:
        return ""
    return "=" if abs(points) < 0.05 else f"{'▲' if points > 0 else '▼'} {abs(points):.1f}"


def _defined(grid: Grid, row: Key, column: Key) -> Mapping[str, Any] | None:
    cell = grid.cell(row, column)
    return cell if cell is not None and cell["value"] is not None else None


def _without(key: Key, at: int) -> Key:
    return (*key[:at], *key[at + 1 :])


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
