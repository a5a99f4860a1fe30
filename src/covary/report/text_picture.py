"""A table of words as a picture: for sheets without a number to plot (cues and answers of a case, conventions, marked cells)."""

from __future__ import annotations

import textwrap
from typing import Any

from covary.report.figures import PALETTE, Spec, themed
from covary.report.sheet import Sheet

WIDEST, HEAD = 46, 16  # characters of a line, of a heading's line; longer texts are folded
MOST_ROWS = 60
CHARACTER, LINE, GAP = 6.6, 15, 18  # pixels
SHIFTED = "→"
SAFE = str.maketrans({SHIFTED: "»", "↑": "max", "↓": "min"})  # arrows that the bundled fonts lack


def drawn(sheet: Sheet) -> Spec | None:
    """The table's first rows in print; None for an empty one. An answer that moved is orange, too."""
    frame = sheet.frame.head(MOST_ROWS)
    if frame.is_empty():
        return None
    heads = [sheet.heading(name) for name in frame.columns]
    rows = list(Sheet(sheet.name, sheet.caption, frame, percent=sheet.percent, points=sheet.points).texts())
    folded = [
        [textwrap.wrap(text, WIDEST if at else HEAD) or [""] for text in row] for at, row in enumerate([heads, *rows])
    ]
    left, tops, cells = 0.0, _tops(folded), []
    for column in range(len(heads)):
        for at, row in enumerate(folded):
            cells += _lines(row[column], left, tops[at], head=at == 0)
        left += CHARACTER * max(len(line) for row in folded for line in row[column]) + GAP
    width, height = left - GAP, tops[-1]
    place = {
        "x": {"field": "x", "type": "quantitative", "axis": None, "scale": {"domain": [0, width]}},
        "y": {"field": "y", "type": "quantitative", "axis": None, "scale": {"domain": [0, height], "reverse": True}},
    }
    text = {"type": "text", "align": "left", "baseline": "top", "fontSize": 12}
    colour = {"condition": {"test": "datum.moved", "value": PALETTE[1]}, "value": "#1a1d21"}
    layers: list[dict[str, Any]] = [
        {
            "transform": [{"filter": f"{'' if head else '!'}datum.head"}],
            "mark": {**text, "fontWeight": "bold" if head else "normal"},
            "encoding": {**place, "text": {"field": "text"}, "color": colour},
        }
        for head in (True, False)
    ]
    rule = {
        "mark": {"type": "rule", "color": "#1a1d21"},
        "encoding": {"y": {"datum": tops[1] - 4, "type": "quantitative"}},
    }
    return themed(
        {
            "data": {"values": cells},
            "width": width,
            "height": height,
            "view": {"stroke": None},
            "layer": [*layers, rule],
        }
    )


def _tops(folded: list[list[list[str]]]) -> list[float]:
    """Where each row begins, from the top; the last is the table's end."""
    tops = [0.0]
    for at, row in enumerate(folded):
        tops.append(tops[-1] + LINE * max(len(cell) for cell in row) + (10 if at == 0 else 5))
    return tops


def _lines(lines: list[str], x: float, y: float, *, head: bool) -> list[dict[str, Any]]:
    moved = not head and lines[0].startswith(SHIFTED)
    return [
        {"x": x, "y": y + LINE * at, "text": line.translate(SAFE), "head": head, "moved": moved}
        for at, line in enumerate(lines)
    ]
