"""The paper's printed numbers beside ours, cell by cell, and what they say of each other.

Columns of the file: table, line (of checkpoints), culture, concept, mode, metric, value (per cent unless the metric says else).
The paper's set isn't the one that covary builds, so a difference is a fact to look at and no error.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
import polars as pl

from covary.errors import DataError
from covary.report.capri_frame import MEAN, Shown

SOURCE = "CAPRI, arXiv 2606.17688"
COLUMNS = ("table", "line", "culture", "concept", "mode", "metric", "value")
Verdict = Literal["equal", "within interval", "differs", "not computable"]
LEVEL_OF = {"D_impl": "ImplicitFull", "D_expl": "ExplicitFull"}
Asked = Mapping[tuple[str, str], Collection[str]]
HALF_A_DIGIT = 0.05 + 1e-9
WHOLE_TABLES = ("figure-11", "figure-6a", "figure-6b")  # printed without decimals
CELLS_OF_TABLE_2 = 132  # 44 pictures of subjective concepts × 3 conversations
SHARE = " share"
RESTS = {"metric": "imperial", "imperial": "metric"}


class Cell(NamedTuple):
    """One printed number."""

    table: str
    line: str
    culture: str
    concept: str
    mode: str
    metric: str
    value: float


def read_published(text: str, where: str = "published values") -> tuple[Cell, ...]:
    """The cells of a file. Raises DataError for a missing column or a value that is no number."""
    reader = csv.DictReader(io.StringIO(text))
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise DataError(f"{where}: expected columns {', '.join(COLUMNS)}; missing {', '.join(missing)}")
    cells: list[Cell] = []
    for number, row in enumerate(reader, 2):
        try:
            texts = {name: row[name] for name in COLUMNS[:-1]}
            cells.append(Cell(**texts, value=float(row["value"])))
        except (TypeError, ValueError):
            raise DataError(f"{where}:{number}: value must be a number, found {row['value']!r}") from None
    return tuple(cells)


def asked_of(rows: pl.DataFrame) -> Asked:
    """The modes that each line of checkpoints was asked in, by task."""
    found: dict[tuple[str, str], set[str]] = {}
    for line, task, mode in rows.select("line", "task", "mode").unique().iter_rows():
        found.setdefault((line, task), set()).add(mode)
    return found


def compared(made: Mapping[str, Shown], cells: Sequence[Cell], asked: Asked | None = None) -> Shown:
    """Each printed number beside ours, where a table of this run has its cell: equal, within our interval, differs, or not
    computable and why. `asked`: see `asked_of`."""
    lookup = {name: _by_group(table) for name, table in made.items() if table.rows}
    counted = {table: made[name].frame for table, name in _PLAIN.items() if name in made}
    rows: list[dict[str, Any]] = []
    for cell in cells:
        if cell.table == "corpus":
            continue
        ours = _ours(cell, lookup, counted)
        rows.append(
            {
                **cell._asdict(),
                "ours": ours.value,
                "low": ours.low,
                "high": ours.high,
                "verdict": _verdict(cell, ours),
                "why": "" if ours.value is not None else _why(cell, made, asked or {}),
            }
        )
    types = {name: pl.Float64() for name in ("value", "ours", "low", "high")}
    caption = f"Printed in {SOURCE} and found here (%). Another set of items: a difference is no error."
    frame = pl.DataFrame(rows, schema_overrides=types, infer_schema_length=None)
    return Shown("capri-published", caption, frame)


def corpus_of(cells: Sequence[Cell]) -> pl.DataFrame:
    """The paper's recorded term counts in the shape of `capri_priors.read_corpus`; a share's rest is the other system's."""
    rows: list[tuple[str, str, float | None, float | None]] = []
    for cell in cells:
        if cell.table != "corpus":
            continue
        if cell.metric.endswith(SHARE):
            system = cell.metric.removesuffix(SHARE)
            rows += [(cell.concept, system, cell.value, None), (cell.concept, RESTS[system], 100 - cell.value, None)]
        else:
            unit, _, _ = cell.metric.partition(" millions")
            rows.append((cell.concept, unit, None, cell.value * 1e6))
    frame = pl.DataFrame(
        list(dict.fromkeys(rows)),
        schema={"concept": pl.String(), "unit": pl.String(), "share": pl.Float64(), "count": pl.Float64()},
        orient="row",
    )
    total = pl.col("count").sum().over("concept")
    return frame.with_columns(
        share=pl.coalesce("share", (100 * pl.col("count") / total).round(1)),
        corpus=pl.lit("web text, as the paper searched it"),
        source=pl.lit(SOURCE),
    )


class _Ours(NamedTuple):
    value: float | None = None
    low: float | None = None
    high: float | None = None


_PLAIN = {"table-1": "capri-counts", "table-5": "capri-annotation", "table-6": "capri-annotation-full"}


def _by_group(table: Shown) -> dict[frozenset[tuple[str, str]], _Ours]:
    return {
        frozenset(msgspec.json.decode(group).items()): _Ours(
            *(None if x is None else 100 * x for x in (value, low, high))
        )
        for group, value, low, high in table.frame.select("group", "value", "low", "high").iter_rows()
    }


def _ours(
    cell: Cell, lookup: Mapping[str, Mapping[frozenset[tuple[str, str]], _Ours]], plain: Mapping[str, pl.DataFrame]
) -> _Ours:
    who = {"line": cell.line, "mode": cell.mode}
    match cell.table:
        case "table-2":
            name = f"capri-{cell.metric.lower().replace('_', '-')}"
            levels = {**who, "culture": cell.culture, "cue_level": LEVEL_OF[cell.metric]}
        case "figure-11":
            name, levels = "capri-depth-literal", {**who, "depth": cell.metric}
        case "figure-6a":
            name, levels = "capri-prior-country", {**who, "answer": cell.metric}
        case "figure-6b":
            name, levels = "capri-prior-unit", {**who, "domain": cell.concept, "answer": cell.metric}
        case _:
            return _counted(cell, plain.get(cell.table))
    known = lookup.get(name, {})
    return known.get(frozenset(levels.items())) or _never_given(known, levels)


def _never_given(known: Mapping[frozenset[tuple[str, str]], _Ours], levels: Mapping[str, str]) -> _Ours:
    """0 % for an answer that was never given where others were; nothing for what was not asked."""
    rest = {pair for pair in levels.items() if pair[0] != "answer"}
    return _Ours(0.0) if "answer" in levels and any(rest <= group for group in known) else _Ours()


def _why(cell: Cell, made: Mapping[str, Shown], asked: Asked) -> str:
    """Why a printed cell has no number of ours."""
    if cell.table in _PLAIN:
        if _PLAIN[cell.table] in made:
            return "nothing counts there, so a share is undefined" if cell.metric.endswith("%") else "no such group"
        return "no items" if cell.table == "table-1" else "no answers of people: options.annotations names no file"
    task = "bg" if cell.table == "figure-6a" else "vqa"
    if not any(line == cell.line for line, _ in asked):
        return f"{cell.line} has no scores here"
    if cell.mode not in asked.get((cell.line, task), ()):
        return (
            f"{cell.line} was not asked {'for the background' if task == 'bg' else 'for the reply'} in mode {cell.mode}"
        )
    return "no judged answer there"


def _counted(cell: Cell, frame: pl.DataFrame | None) -> _Ours:
    """A cell of a plain table: counts of items, or of people's answers."""
    if frame is None or cell.metric not in frame.columns:
        return _Ours()
    if cell.table == "table-5":
        by, level = ("concept", cell.concept) if cell.concept else ("culture", cell.culture)
        level = "Mean / total" if level == MEAN else level
        part = frame.filter((pl.col("by") == by) & (pl.col("level") == level))
    elif cell.table == "table-6":
        part = frame.filter((pl.col("culture") == cell.culture) & (pl.col("concept") == cell.concept))
    else:
        part = frame.filter(pl.col("concept") == cell.concept)
    value = part[cell.metric][0] if part.height else None
    return _Ours(None if value is None else float(value))


def _verdict(cell: Cell, ours: _Ours) -> Verdict:
    if ours.value is None:
        return "not computable"
    if abs(ours.value - cell.value) <= (0.5 if cell.table in WHOLE_TABLES else HALF_A_DIGIT):
        return "equal"
    if ours.low is not None and ours.high is not None and ours.low <= cell.value <= ours.high:
        return "within interval"
    return "differs"
