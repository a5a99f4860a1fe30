"""Texts with marked spans: pieces to show one after another, long texts cut to their ends and to what lies around the spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

CUT = "cut"
"""Kind of a piece that stands for what is not shown."""
HEAD, TAIL = 500, 700
BEFORE, INSIDE, AFTER = 250, 500, 250
"""Characters shown before a span, at either end inside it, and after it."""
MOST_MARKED = 8
LEAST_CUT = 100


class Piece(NamedTuple):
    """A part of a text: `kind` is a span's label, CUT for the note in place of a gap, and empty for the rest."""

    text: str
    kind: str = ""


def pieces(text: str, spans: Sequence[Mapping[str, Any]] = (), whole: int = HEAD + TAIL) -> list[Piece]:
    """The text in pieces. Up to `whole` characters (and a little) it is all there; beyond, gaps are told with their length.

    `spans`: mappings with start, end (in code points) and label; where they overlap, the one that starts first counts.
    """
    marked = _apart(spans, len(text))
    shown = [(0, len(text))] if len(text) <= whole + LEAST_CUT else _windows(len(text), marked)
    found: list[Piece] = []
    at = 0
    for start, end in shown:
        if start > at:
            found.append(Piece(f"[… {start - at:,} characters not shown …]", CUT))
        found += _between(text, start, end, marked)
        at = end
    return found


def _apart(spans: Sequence[Mapping[str, Any]], length: int) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    for span in sorted(spans, key=lambda span: (span["start"], span["end"])):
        start, end = max(span["start"], found[-1][1] if found else 0), min(span["end"], length)
        if start < end:
            found.append((start, end, str(span["label"])))
    return found


def _windows(length: int, marked: Sequence[tuple[int, int, str]]) -> list[tuple[int, int]]:
    """Ranges that are shown, apart from each other by more than a few characters."""
    wanted = [(0, HEAD), (length - TAIL, length)]
    for start, end, _ in marked[:MOST_MARKED]:
        wanted += [(start - BEFORE, min(end, start + INSIDE)), (max(start, end - INSIDE), end + AFTER)]
    merged: list[tuple[int, int]] = []
    for start, end in sorted((max(0, start), min(length, end)) for start, end in wanted):
        if merged and start <= merged[-1][1] + LEAST_CUT:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _between(text: str, start: int, end: int, marked: Sequence[tuple[int, int, str]]) -> list[Piece]:
    found: list[Piece] = []
    at = start
    for first, last, label in marked:
        first, last = max(first, start), min(last, end)
        if first < last:
            found += [Piece(text[at:first])] if first > at else []
            found.append(Piece(text[first:last], label))
            at = last
    return [*found, Piece(text[at:end])] if at < end else found
