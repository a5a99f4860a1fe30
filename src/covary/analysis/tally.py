"""Scores as sums per cell and cluster: the one pass over the rows that every estimate starts from.

A cell is one combination of the levels of the `by` factors; a cluster is what repeats share (a source item, a picture).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from covary import digest
from covary.analysis.intervals import Floats
from covary.errors import DataError, UsageError, nearest

Denominator = Literal["all", "judged", "obeyed"]
DENOMINATORS: tuple[Denominator, ...] = ("all", "judged", "obeyed")

MEANING: dict[str, str] = {
    "all": "every row; one without a value counts as 0, the papers' conservative policy",
    "judged": "rows that have a value",
    "obeyed": "rows that have a value and kept to the language asked for (column `obeyed`)",
}


class Tally(NamedTuple):
    """Sums per (cell, cluster), cells one after the other: entry i of cell c lies at start[c] ≤ i < start[c + 1].

    Cells are sorted by their factors and clusters by their names, so that the order of the rows changes nothing.
    """

    groups: list[str]  # canonical JSON of factor → level, one per cell
    start: NDArray[np.int64]
    cluster: NDArray[np.int64]  # the cluster's number, increasing within a cell
    total: Floats  # sum of values
    rows: Floats
    squares: Floats  # per cell: sum of squared values
    binary: NDArray[np.bool_]  # per cell: every value is 0 or 1
    n_null: NDArray[np.int64]  # per cell: rows without a value
    n_excluded: NDArray[np.int64]  # per cell: rows without a value that were left out

    @property
    def cell(self) -> NDArray[np.int64]:
        """The cell's number of each entry."""
        return np.repeat(np.arange(len(self.groups)), np.diff(self.start))

    def per_cell(self, entries: Floats) -> Floats:
        """The sum over each cell's entries."""
        return np.bincount(self.cell, weights=entries, minlength=len(self.groups)).astype(np.float64)


def tally(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    value: str = "value",
    cluster: str = "source_id",
    denominator: Denominator = "all",
) -> Tally:
    """The tally of a scores frame. Raises DataError for a missing column, UsageError for an unknown denominator."""
    needed = [*by, value, cluster, *(["obeyed"] if denominator == "obeyed" else [])]
    require(frame, needed)
    levels, cells = _cells(frame, by)
    clusters = cluster_codes(frame[cluster])
    most = int(clusters.max() or 0) + 1  # type: ignore[arg-type]
    key = cells.cast(pl.Int64) * most + clusters
    rows = pl.col("value")
    sums = (
        select(frame.lazy().with_columns(key.alias("key")), value, denominator)
        .select(
            "key",
            total=rows,
            rows=rows.is_not_null().cast(pl.UInt32),
            squares=rows**2,
            missing=pl.col("missing").cast(pl.UInt32),
            excluded=pl.col("excluded").cast(pl.UInt32),
            binary=((rows == 0) | (rows == 1)).fill_null(value=True),
        )
        .group_by("key")
        .agg(pl.exclude("binary").sum(), pl.col("binary").all())
        .sort("key")
        .with_columns(cell=pl.col("key") // most, cluster=pl.col("key") % most)
        .collect()
    )
    count = levels.height if frame.height else (0 if by else 1)
    cell = sums["cell"].to_numpy().astype(np.int64)

    def added(column: str) -> Floats:
        return np.bincount(cell, weights=sums[column].to_numpy(), minlength=count).astype(np.float64)

    kept = sums.filter(pl.col("rows") > 0)
    start = np.concatenate([[0], np.cumsum(np.bincount(kept["cell"].to_numpy(), minlength=count))]).astype(np.int64)
    return Tally(
        groups=group_labels(levels) if by else ["{}"],
        start=start,
        cluster=kept["cluster"].to_numpy().astype(np.int64),
        total=kept["total"].to_numpy().astype(np.float64),
        rows=kept["rows"].to_numpy().astype(np.float64),
        squares=added("squares"),
        binary=np.bincount(cell, weights=~sums["binary"].to_numpy(), minlength=count) == 0,
        n_null=added("missing").astype(np.int64),
        n_excluded=added("excluded").astype(np.int64),
    )


def _cells(frame: pl.DataFrame, by: Sequence[str]) -> tuple[pl.DataFrame, pl.Series]:
    """The groups' levels in order, and the number of its group for each row of the frame. Texts are compared once: as codes."""
    if not by:
        return pl.DataFrame({"": [None]}), pl.Series("cell", [0], pl.UInt32).new_from_index(0, frame.height)
    codes = frame.select(_codes(column, frame.schema[column]).alias(str(at)) for at, column in enumerate(by))
    firsts = codes.with_row_index("row").group_by(codes.columns).agg(pl.col("row").min())
    levels = frame.select(by)[firsts["row"]].with_columns(firsts).sort(by, nulls_last=True)
    numbered = levels.select(codes.columns).with_row_index("cell")
    cells = codes.join(numbered, on=codes.columns, how="left", nulls_equal=True, maintain_order="left")["cell"]
    return levels.select(by), cells


def _codes(column: str, dtype: pl.DataType) -> pl.Expr:
    return pl.col(column).cast(pl.Categorical).to_physical() if dtype == pl.String else pl.col(column)


def select(frame: pl.LazyFrame, value: str, denominator: Denominator) -> pl.LazyFrame:
    """The rows of a denominator, with `value` as a float (null: left out), and flags `missing` (the score was null) and
    `excluded` (missing, and left out for it)."""
    if denominator not in DENOMINATORS:
        raise UsageError(f"unknown denominator {denominator!r}{nearest(denominator, DENOMINATORS)}")
    if denominator == "obeyed":
        frame = frame.filter(pl.col("obeyed").fill_null(value=False))
    score = pl.col(value).cast(pl.Float64)
    filled = score.fill_null(0.0) if denominator == "all" else score
    return frame.with_columns(value=filled, missing=score.is_null(), excluded=filled.is_null())


def cluster_codes(clusters: pl.Series) -> pl.Series:
    """Clusters as numbers from 1 in the order of their names. Rows without a cluster stand together."""
    names = clusters.cast(pl.String).fill_null("")
    return names.cast(pl.Enum(names.unique().sort())).to_physical().cast(pl.Int64) + 1


def group_labels(levels: pl.DataFrame) -> list[str]:
    """Canonical JSON of factor → level, one per row."""
    return [digest.canonical_json(row).decode() for row in levels.iter_rows(named=True)]


def require(frame: pl.DataFrame, columns: Sequence[str]) -> None:
    """Raises DataError where a column is missing."""
    for column in columns:
        if column not in frame.columns:
            raise DataError(f"scores: expected a column {column!r}{nearest(column, frame.columns)}")
