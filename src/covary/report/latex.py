"""A grid or sheet as a LaTeX table (booktabs), ready to \\input; every text is escaped.

A table that is wider than the text is scaled down to it (graphicx). One of many rows is a longtable, which goes on over pages, in
smaller print the wider it is, its long texts in columns that break. What is the same in every row is told in the caption.

The first line names the engine. Latin text compiles with pdfLaTeX and T1 fonts. Text in other scripts (Bangla questions,
Kazakh answers) is not transliterated: it needs LuaLaTeX or XeLaTeX with a font that holds the script.
"""

from __future__ import annotations

import re
import unicodedata

from covary.report.grid import Grid, arrow, best, change, interval, percent
from covary.report.sheet import Sheet
from covary.report.terminal import caption

MOST_ROWS = 40
"""Rows that a page holds; a sheet of more is a longtable."""
RULES = "".join(rf"\providecommand{{\{rule}}}{{\hline}}" for rule in ("toprule", "midrule", "bottomrule"))
FALLBACKS = RULES + r"\providecommand{\resizebox}[3]{#3}"
"""Plain rules where booktabs isn't loaded, and natural widths where graphicx isn't."""
BREAKS = (28, 20, 14, 10)
"""Characters of a text before its column of a longtable breaks it: the first bound with which all columns fit."""
SIZES = ((r"\normalsize", 65), (r"\footnotesize", 82), (r"\scriptsize", 94), (r"\tiny", 132))
"""Characters of a size that a line of article's text holds; GAP: those that the space between columns takes."""
GAP = 3
LANDSCAPE = 1.55
"""How much more a line of a turned page holds."""
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
    """A table environment of a sheet, a longtable where it is long; its note stands in the caption."""
    shown = sheet.narrowed()
    rows = list(shown.texts())
    head = ["    " + " & ".join(escape(shown.heading(name)) for name in shown.frame.columns) + r" \\"]
    body = ["    " + " & ".join(escape(text) for text in row) + r" \\" for row in rows]
    title = f"{shown.caption} {shown.note}".strip()
    if len(rows) <= MOST_ROWS:
        columns = "".join("r" if shown.is_number(name) else "l" for name in shown.frame.columns)
        return _environment(shown.name, title, columns, head, body)
    return _long(shown, title, rows, body)


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
        rf"  \label{{{_label(name)}}}",
        r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        *head,
        r"    \midrule",
        *body,
        r"    \bottomrule",
        r"  \end{tabular}}",
        r"\end{table}",
        "",
    ]
    return _headed(lines, "booktabs, graphicx")


def _long(sheet: Sheet, title: str, rows: list[list[str]], body: list[str]) -> str:
    """A longtable in the largest print that holds its columns; headings stand in several lines, long texts break."""
    names = sheet.frame.columns
    words = [max(len(word) for word in sheet.heading(name).split()) for name in names]
    widths = [max(words[at], *(len(row[at]) for row in rows)) for at in range(len(names))]
    bounded, turned, size = _fitted(widths, [sheet.is_number(name) for name in names])
    columns = "".join(
        "r"
        if sheet.is_number(name)
        else "l"
        if width == bound
        else rf">{{\raggedright\arraybackslash}}p{{{bound / 2:g}em}}"
        for name, width, bound in zip(names, widths, bounded, strict=True)
    )
    head = "    " + " & ".join(_stacked(sheet.heading(name), sheet.is_number(name)) for name in names) + r" \\"
    rules = [r"    \toprule", head, r"    \midrule"]
    lines = [
        *([r"\begin{landscape}"] if turned else []),
        rf"{{{size}\setlength{{\tabcolsep}}{{3pt}}",
        rf"\begin{{longtable}}{{{columns}}}",
        rf"    \caption{{{escape(title)}}}\label{{{_label(sheet.name)}}}\\",
        *rules,
        r"    \endfirsthead",
        *rules,
        r"    \endhead",
        r"    \bottomrule",
        r"    \endfoot",
        *body,
        r"\end{longtable}}",
        *([r"\end{landscape}"] if turned else []),
        "",
    ]
    return _headed(lines, "array, booktabs, longtable" + (", lscape" if turned else ""))


def _fitted(widths: list[int], numbers: list[bool]) -> tuple[list[int], bool, str]:
    """Characters of each column, whether the page is turned, and the size of print with which all columns fit (or nearly)."""
    found = (widths, True, SIZES[-1][0])
    for turned in (False, True):
        for most in BREAKS:
            bounded = [width if number else min(width, most) for width, number in zip(widths, numbers, strict=True)]
            total = sum(bounded) + GAP * len(bounded)
            found = (bounded, True, SIZES[-1][0])
            for size, holds in SIZES:
                if total <= holds * (LANDSCAPE if turned else 1):
                    return bounded, turned, size
    return found


def _stacked(heading: str, is_number: bool) -> str:
    words = r"\\".join(escape(word) for word in heading.split())
    return rf"\shortstack[{'r' if is_number else 'l'}]{{{words}}}"


def _headed(lines: list[str], packages: str) -> str:
    text = "\n".join(lines)
    first = f"% engine: {engine(text)}; packages: {packages}, and [T1]{{fontenc}} for pdflatex"
    return f"{first}\n{FALLBACKS}\n{text}"


def _label(name: str) -> str:
    return "tab:" + re.sub("[^a-z0-9-]", "-", name.lower())


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
