"""Grids and contrasts on a terminal, by rich. Levels and model text are escaped: they may look like markup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from covary.analysis.words import words
from covary.report.grid import Grid, arrow, best, change, folded, interval, percent
from covary.report.sheet import Sheet

MOST_CONTRASTS = 12
CELL_WIDTH, ROW_WIDTH = 12, 24


def print_grid(grid: Grid, console: Console) -> None:
    """One table: value, interval beneath, n in the caption. A table too wide for the terminal is folded into more rows."""
    while len(grid.column_factors) > 1 and len(grid.columns) * CELL_WIDTH + ROW_WIDTH > console.width:
        grid = folded(grid)
    table = Table(
        title=escape(grid.caption), title_justify="left", caption=escape(caption(grid)), caption_justify="left"
    )
    table.add_column(escape(" / ".join(grid.row_factors)))
    for column in grid.columns:
        table.add_column(escape("\n".join(grid.label(level) for level in column)), justify="right")
    marked = best(grid)
    for row in grid.rows:
        texts: list[str] = []
        for column in grid.columns:
            cell = grid.cell(row, column)
            first = f"{percent(cell)} {arrow(change(grid, row, column))}".strip()
            shown = f"[bold]{first}[/bold]" if (row, column) in marked else first
            texts.append(f"{shown}\n{interval(cell)}".strip())
        table.add_row(escape(" / ".join(grid.label(level) for level in row)), *texts)
    console.print(table)


def print_sheet(sheet: Sheet, console: Console) -> None:
    """One sheet with its note beneath."""
    table = Table(title=escape(sheet.caption), title_justify="left", caption=escape(sheet.note), caption_justify="left")
    for name in sheet.frame.columns:
        table.add_column(
            escape(sheet.heading(name)), justify="right" if sheet.is_number(name) else "left", overflow="fold"
        )
    for row in sheet.texts():
        table.add_row(*(escape(text) for text in row))
    console.print(table)


def print_contrasts(contrasts: Iterable[Mapping[str, Any]], console: Console, most: int = MOST_CONTRASTS) -> None:
    """A sentence or two for each contrast, the clearest first; how many more there are."""
    rows = sorted(contrasts, key=lambda row: (row["p_adjusted"] is None, row["p_adjusted"] or 0.0))
    for row in rows[:most]:
        console.print(f"• [bold]{escape(str(row['name']))}[/bold]: {escape(words(row))}")
    if len(rows) > most:
        console.print(f"{len(rows) - most} further contrasts stand in the report.")


def caption(grid: Grid) -> str:
    """What was counted: the denominator, how many rows were used and how many were left out."""
    cells = list(grid.cells.values())
    used = {cell["n_items"] for cell in cells}
    left_out = sum(cell.get("n_null", cell["n_excluded"]) for cell in cells)
    span = f"{min(used)}–{max(used)}" if len(used) > 1 else str(next(iter(used), 0))
    policy = "nulls count as wrong" if grid.denominator == "all" else "nulls are left out"
    methods = sorted({str(cell["method"]) for cell in cells if cell["low"] is not None})
    marks = " Bold: the best of its column." if grid.best != "none" else ""
    if grid.change is not None:
        marks += f" Arrows: change from the first {grid.change.replace('_', ' ')}, in percentage points."
    return (
        f"{span} source items a cell; denominator {grid.denominator} ({policy}; {left_out} nulls in all). "
        f"95 % intervals: {', '.join(methods) or 'none'}.{marks}"
    )
