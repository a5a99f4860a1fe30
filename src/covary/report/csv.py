"""A grid as CSV, one cell a row: tidy, with interval, counts and method, for spreadsheets and scripts."""

from __future__ import annotations

import csv
import io

from covary.report.grid import Grid, best, change
from covary.report.sheet import Sheet

FIGURES = (
    "value",
    "low",
    "high",
    "confidence",
    "n_items",
    "n_rows",
    "n_excluded",
    "n_null",
    "denominator",
    "method",
    "note",
)


def to_csv(grid: Grid) -> str:
    """CSV text: the factors' levels, then the estimate's figures (values in [0, 1]; an empty field is undefined)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    marks = ("best",) if grid.best != "none" else ()
    changes = (f"change from first {grid.change} (points)",) if grid.change is not None else ()
    marked = best(grid)
    writer.writerow([*grid.row_factors, *grid.column_factors, *FIGURES, *marks, *changes])
    for row in grid.rows:
        for column in grid.columns:
            cell = grid.cell(row, column)
            if cell is not None:
                fields = [*row, *column, *(cell.get(name) for name in FIGURES)]
                fields += [int((row, column) in marked)] if marks else []
                fields += [change(grid, row, column)] if changes else []
                writer.writerow([_field(field) for field in fields])
    return out.getvalue()


def sheet_csv(sheet: Sheet) -> str:
    """CSV text of a sheet: its columns as they are (shares in [0, 1]; an empty field is undefined)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(sheet.frame.columns)
    writer.writerows([_field(value) for value in row] for row in sheet.frame.iter_rows())
    return out.getvalue()


def _field(value: object) -> object:
    """Text that a spreadsheet would read as a formula is quoted with an apostrophe."""
    if isinstance(value, str) and value[:1] in "=+-@":
        return "'" + value
    return "" if value is None else value
