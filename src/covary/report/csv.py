"""A grid as CSV, one cell a row: tidy, with interval, counts and method, for spreadsheets and scripts."""

from __future__ import annotations

import csv
import io

from covary.report.grid import Grid

FIGURES = ("value", "low", "high", "confidence", "n_items", "n_rows", "n_excluded", "denominator", "method", "note")


def to_csv(grid: Grid) -> str:
    """CSV text: the factors' levels, then the estimate's figures (values in [0, 1]; an empty field is undefined)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*grid.row_factors, *grid.column_factors, *FIGURES])
    for row in grid.rows:
        for column in grid.columns:
            cell = grid.cell(row, column)
            if cell is not None:
                writer.writerow([*row, *column, *(_field(cell[name]) for name in FIGURES)])
    return out.getvalue()


def _field(value: object) -> object:
    """Text that a spreadsheet would read as a formula is quoted with an apostrophe."""
    if isinstance(value, str) and value[:1] in "=+-@":
        return "'" + value
    return "" if value is None else value
