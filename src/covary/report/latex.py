"""A grid or sheet as a LaTeX table (booktabs), ready to \\input; every text is escaped.

The first line names the engine. Latin text compiles with pdfLaTeX and T1 fonts. Text in other scripts (Bangla questions,
Kazakh answers) is not transliterated: it needs LuaLaTeX or XeLaTeX with a font that holds the script.
"""

from __future__ import annotations

import re
import unicodedata

from covary.report.grid import Grid, arrow, best, change, interval, percent
from covary.report.sheet import Sheet
from covary.report.terminal import caption

LATIN_END = 0x17F  # of Latin Extended-A, which T1 fonts hold

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
    "▲": r"$\uparrow$",
    "▼": r"$\downarrow$",
    "√": r"$\surd$",
    "′": r"$'$",
    "σ": r"$\sigma$",
    "→": r"$\rightarrow$",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    '"': r"\textquotedbl{}",
}
_PATTERN = re.compile("|".join(re.escape(character) for character in _SPECIAL))


def to_latex(grid: Grid, with_intervals: bool = False) -> str:
    """A table environment: a heading row per column factor, values in per cent, optionally intervals in small print."""
    width = len(grid.columns)
    marked = best(grid)
    head = [_heading(grid, level, width) for level in range(len(grid.column_factors))]
    body = [_row(grid, row, with_intervals, marked) for row in grid.rows]
    return _environment(grid.name, f"{grid.caption} {caption(grid)}", f"l{'r' * width}", head, body)


def sheet_latex(sheet: Sheet) -> str:
    """A table environment of a sheet; its note stands in the caption. A long one is scaled to the width of the text."""
    columns = "".join("r" if sheet.is_number(name) else "l" for name in sheet.frame.columns)
    head = ["    " + " & ".join(escape(sheet.heading(name)) for name in sheet.frame.columns) + r" \\"]
    body = ["    " + " & ".join(escape(text) for text in row) + r" \\" for row in sheet.texts()]
    return _environment(sheet.name, f"{sheet.caption} {sheet.note}".strip(), columns, head, body)


def engine(text: str) -> str:
    """What compiles a text: "pdflatex", or "lualatex or xelatex" with the scripts that a font must hold."""
    others = {
        character for character in text if ord(character) > LATIN_END and unicodedata.category(character)[0] in "LMN"
    }
    scripts = sorted({unicodedata.name(character, "UNKNOWN").split()[0].title() for character in others})
    return f"lualatex or xelatex, with fonts that hold: {', '.join(scripts)}" if scripts else "pdflatex"


def _environment(name: str, title: str, columns: str, head: list[str], body: list[str]) -> str:
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{escape(title)}}}",
        rf"  \label{{tab:{re.sub('[^a-z0-9-]', '-', name.lower())}}}",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        *head,
        r"    \midrule",
        *body,
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
        "",
    ]
    text = "\n".join(lines)
    return f"% engine: {engine(text)}; packages: booktabs, and [T1]{{fontenc}} for pdflatex\n{text}"


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


def _row(
    grid: Grid, row: tuple[str, ...], with_intervals: bool, marked: frozenset[tuple[tuple[str, ...], tuple[str, ...]]]
) -> str:
    cells: list[str] = []
    for column in grid.columns:
        estimate = grid.cell(row, column)
        ends = interval(estimate) if with_intervals else ""
        text = escape(percent(estimate))
        text = rf"\textbf{{{text}}}" if (row, column) in marked else text
        moved = escape(arrow(change(grid, row, column)))
        text += rf" {{\footnotesize {moved}}}" if moved else ""
        cells.append(text + (rf" {{\scriptsize [{escape(ends)}]}}" if ends else ""))
    return "    " + " & ".join([escape(" / ".join(grid.label(level) for level in row)), *cells]) + r" \\"
