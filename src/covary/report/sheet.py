"""A sheet: a plain table of the report, one row a line, with a caption, a note, and its columns' units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

UNDEFINED = "–"
SMALL = 0.095
"""Below it two decimals would round too much away: two significant digits are shown."""
LONGEST = 400
"""Characters of a text that a cell shows."""


@dataclass(frozen=True)
class Sheet:
    """`frame` as it is exported; `percent` names the columns that hold shares and are shown in per cent."""

    name: str
    caption: str
    frame: pl.DataFrame
    note: str = ""
    percent: tuple[str, ...] = ()
    points: tuple[str, ...] = ()  # columns of differences of shares, shown in percentage points
    keys: int = 0  # how many of the first columns name a row; 0: those before the first number

    def heading(self, column: str) -> str:
        """A column's heading with its unit."""
        unit = " (%)" if column in self.percent else " (points)" if column in self.points else ""
        return column.replace("_", " ") + unit

    def is_number(self, column: str) -> bool:
        """Whether a column is set to the right."""
        return self.frame.schema[column].is_numeric()

    def texts(self) -> Iterator[list[str]]:
        """Rows as they are shown."""
        for row in self.frame.iter_rows():
            yield [self._text(name, value) for name, value in zip(self.frame.columns, row, strict=True)]

    def narrowed(self) -> Sheet:
        """The sheet without the columns that say the same in every row; its note tells them. For print and terminals."""
        rows = list(self.texts())
        told: dict[str, str] = {}
        for at, name in enumerate(self.frame.columns[1:], 1):
            texts = {row[at] for row in rows}
            if len(rows) > 1 and len(texts) == 1 and (not self.is_number(name) or texts == {UNDEFINED}):
                told[name] = texts.pop()
        if not told:
            return self
        listed = "; ".join(f"{self.heading(name)} {text}" for name, text in told.items())
        keys = self.keys and self.keys - sum(name in told for name in self.frame.columns[: self.keys])
        note = f"In every row: {listed}. {self.note}".strip()
        return replace(self, frame=self.frame.drop(list(told)), note=note, keys=keys)

    def _text(self, column: str, value: Any) -> str:
        if value is None:
            return UNDEFINED
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float):
            if column not in self.percent and column not in self.points and 0 < abs(value) < SMALL:
                return f"{value:.2g}"
            return f"{100 * value:.1f}" if column in self.percent or column in self.points else f"{value:.2f}"
        if isinstance(value, int):
            return f"{value:,}"
        text = str(value)
        return text if len(text) <= LONGEST else text[:LONGEST] + "…"
