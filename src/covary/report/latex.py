"""A grid as a LaTeX table (booktabs), ready to \\input; every text is escaped."""

from __future__ import annotations

import re

from covary.report.grid import Grid, interval, percent
from covary.report.terminal import caption

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "−": r"$-$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "∆": r"$\Delta$",
    "…": r"\ldots{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    '"': r"\textquotedbl{}",
}
_PATTERN = re.compile("|".join(re.escape(character) for character in _SPECIAL))


def to_latex(grid: Grid, with_intervals: bool = False) -> str:
    """A table environment: a heading row per column factor, values in per cent, optionally intervals in small print."""
    width = len(grid.columns)
    head = [_heading(grid, level, width) for level in range(len(grid.column_factors))]
    body = [_row(grid, row, with_intervals) for row in grid.rows]
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            rf"  \caption{{{escape(grid.caption)} {escape(caption(grid))}}}",
            rf"  \label{{tab:{re.sub('[^a-z0-9-]', '-', grid.name.lower())}}}",
            rf"  \begin{{tabular}}{{l{'r' * width}}}",
            r"    \toprule",
            *head,
            r"    \midrule",
            *body,
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def escape(text: str) -> str:
    """Text as LaTeX that prints it literally; control characters become spaces."""
    clean = re.sub(r"[\x00-\x1f\x7f]+", " ", text)
    return _PATTERN.sub(lambda found: _SPECIAL[found[0]], clean)


def _heading(grid: Grid, level: int, width: int) -> str:
    cells: list[str] = []
    start = 0
    while start < width:
        end = start + 1
        while end < width and grid.columns[end][: level + 1] == grid.columns[start][: level + 1]:
            end += 1
        text = escape(grid.label(grid.columns[start][level]))
        cells.append(text if end - start == 1 else rf"\multicolumn{{{end - start}}}{{c}}{{{text}}}")
        start = end
    first = escape(" / ".join(grid.row_factors)) if level == len(grid.column_factors) - 1 else ""
    return "    " + " & ".join([first, *cells]) + r" \\"


def _row(grid: Grid, row: tuple[str, ...], with_intervals: bool) -> str:
    cells: list[str] = []
    for column in grid.columns:
        estimate = grid.cell(row, column)
        ends = interval(estimate) if with_intervals else ""
        cells.append(escape(percent(estimate)) + (rf" {{\scriptsize [{escape(ends)}]}}" if ends else ""))
    return "    " + " & ".join([escape(" / ".join(grid.label(level) for level in row)), *cells]) + r" \\"
