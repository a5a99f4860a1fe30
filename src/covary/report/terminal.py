"""Grids, sheets and contrasts on a terminal, by rich. Levels and model text are set as plain text: they may look like markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from covary.analysis.words import words
from covary.report.controls import visible
from covary.report.grid import Grid, Key, arrow, best, change, folded, interval, percent
from covary.report.sheet import Sheet

MOST_CONTRASTS = 12
NOTHING = "Nothing to show: no answer was judged, or answers wait for a judge."
WIDEST_TEXT = 40
"""Characters of a line before it is broken."""
WIDEST_NAMES = 0.5
"""Share of the terminal's width that the columns which name rows may take."""
LEAST_NAMES = 24
"""Characters that such a column keeps."""
RULES = 3
"""Characters that a column's rule and blanks take."""


class Screen(Console):
    """A console that shows control characters of what it prints and never sends them: names and answers may hold any."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """What is printed, piece by piece."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


class Column(NamedTuple):
    """A column as it is printed."""

    heading: str
    texts: Sequence[Text]
    number: bool = False

    @property
    def width(self) -> int:
        """Characters that it needs without breaking a word of its heading, or a line of its texts up to a bound."""
        lines = (min(line.cell_len, WIDEST_TEXT) for text in self.texts for line in text.split("\n"))
        return max([*lines, *(Text(word).cell_len for word in self.heading.split())], default=1) + RULES


def print_grid(grid: Grid, console: Console) -> None:
    """One table: value, interval beneath, n in the caption. A table too wide for the terminal is folded into more rows, and what is
    still too wide stands in several parts."""
    if not grid.cells:
        console.print(Text(grid.caption, "bold"), Text(NOTHING, "dim"))
        return
    while len(grid.column_factors) > 1 and sum(column.width for column in _columns(grid)) >= console.width:
        grid = folded(grid)
    names, *columns = _columns(grid)
    _print([names], columns, grid.caption, caption(grid), console)


def print_sheet(sheet: Sheet, console: Console) -> None:
    """One sheet with its note beneath, without what is the same in every row. What is too wide for the terminal stands in several parts,
    each with the columns that name the rows."""
    shown = sheet.narrowed()
    rows = list(shown.texts())
    columns = [
        Column(shown.heading(name), [Text(row[at]) for row in rows], shown.is_number(name))
        for at, name in enumerate(shown.frame.columns)
    ]
    first = next((at for at, column in enumerate(columns) if column.number), 1)
    names = max(1, shown.keys or first)
    _print(columns[:names], columns[names:], shown.caption, shown.note, console)


def print_contrasts(contrasts: Iterable[Mapping[str, Any]], console: Console, most: int = MOST_CONTRASTS) -> None:
    """A sentence or two for the clearest estimate of each contrast, then for the clearest of the others; how many more there are."""
    rows = sorted(contrasts, key=lambda row: (row["p_adjusted"] is None, row["p_adjusted"] or 0.0))
    firsts = {str(row["name"]): at for at, row in reversed(list(enumerate(rows)))}
    order = sorted(range(len(rows)), key=lambda at: (firsts[str(rows[at]["name"])] != at, at))
    shown = sorted(order[: max(most, min(len(firsts), 2 * most))])
    for row in (rows[at] for at in shown):
        console.print(f"• [bold]{escape(str(row['name']))}[/bold]: {escape(words(row))}")
    if len(rows) > len(shown):
        console.print(f"{len(rows) - len(shown):,} further contrasts stand in the report.")


def caption(grid: Grid) -> str:
    """What was counted: the denominator, how many rows were used and how many were left out."""
    cells = list(grid.cells.values())
    used = {cell["n_items"] for cell in cells}
    left_out = sum(cell.get("n_null", cell["n_excluded"]) for cell in cells)
    span = f"{min(used):,}–{max(used):,}" if len(used) > 1 else f"{next(iter(used), 0):,}"
    items = "source item" if used == {1} else "source items"
    nulls = "1 null" if left_out == 1 else f"{left_out:,} nulls"
    policy = "nulls count as wrong" if grid.denominator == "all" else "nulls are left out"
    methods = sorted({str(cell["method"]) for cell in cells if cell["low"] is not None})
    marks = " Bold: the best of its column." if grid.best != "none" else ""
    if grid.change is not None:
        marks += f" Arrows: change from the first {grid.change.replace('_', ' ')}, in percentage points."
    return (
        f"{span} {items} a cell; denominator {grid.denominator} ({policy}; {nulls} in all). "
        f"95 % intervals: {', '.join(methods) or 'none'}.{marks}"
    )


def _columns(grid: Grid) -> list[Column]:
    """The rows' names, then a column for each of the grid's."""
    marked = best(grid)
    names = [Text(" / ".join(grid.label(level) for level in row)) for row in grid.rows]
    heads = ["\n".join(grid.label(level) for level in column) for column in grid.columns]
    return [
        Column(" / ".join(grid.row_factors), names),
        *(
            Column(head, [_cell(grid, row, column, (row, column) in marked) for row in grid.rows], number=True)
            for head, column in zip(heads, grid.columns, strict=True)
        ),
    ]


def _cell(grid: Grid, row: Key, column: Key, is_best: bool) -> Text:
    cell = grid.cell(row, column)
    value = f"{percent(cell)} {arrow(change(grid, row, column))}".strip()
    ends = interval(cell)
    return Text.assemble((value, "bold" if is_best else ""), f"\n{ends}" if ends else "")


def _print(names: Sequence[Column], columns: Sequence[Column], title: str, note: str, console: Console) -> None:
    if len(names) > 1 and sum(column.width for column in (*names, *columns)) >= console.width:
        names = _narrowed(names, console.width)
    taken = _taken(names, columns, console.width - 1)
    room = console.width - 1 - taken
    parts = list(_parts(columns, room)) or [[]]
    for number, part in enumerate(parts, 1):
        of = f", part {number} of {len(parts)}" if len(parts) > 1 else ""
        table = Table()
        for column in (*names, *part):
            width = min(column.width, room if column in part else taken) - RULES
            justify = "right" if column.number else "left"
            table.add_column(escape(column.heading), justify=justify, overflow="fold", min_width=width, max_width=width)
        for row in zip(*(column.texts for column in (*names, *part)), strict=True):
            table.add_row(*row)
        console.print(Text(title.removesuffix(".") + of if of else title, "bold"), table)
    console.print(Text(note, "dim"))


def _taken(names: Sequence[Column], columns: Sequence[Column], width: int) -> int:
    """Characters that the columns which name rows take: what they need up to their share; a single one gives way, down to a least
    width, where all other columns then stand beside it."""
    needed = min(sum(column.width for column in names), int(WIDEST_NAMES * (width + 1)))
    left = width - sum(column.width for column in columns)
    return left if len(names) == 1 and LEAST_NAMES <= left < needed else needed


def _narrowed(names: Sequence[Column], width: int) -> Sequence[Column]:
    """The columns that name rows as one, where they take more than their share."""
    if sum(column.width for column in names) <= WIDEST_NAMES * width:
        return names
    rows = zip(*(column.texts for column in names), strict=True)
    return [Column(" / ".join(column.heading for column in names), [Text(" / ").join(row) for row in rows])]


def _parts(columns: Sequence[Column], room: int) -> Iterator[list[Column]]:
    """Columns in order, as many together as there is room for; one at least."""
    part: list[Column] = []
    for column in columns:
        if part and sum(entry.width for entry in part) + column.width > room:
            yield part
            part = []
        part.append(column)
    if part:
        yield part
