"""What a study declares of its report: tables, figures and published values to compare with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

OVERALL = "Overall"
"""The level that a marginal takes in a table."""
RATE_SCORERS_EXCLUDED = frozenset({"trace", "language", "sections", "depth", "plausibility"})
"""Scorers whose value is no rate of right answers."""


@dataclass(frozen=True)
class Table:
    """The mean score of one scorer, rows and columns by factors. `overall` adds a marginal level for these factors.

    Denominator "all": a null counts as 0 (the conservative policy of both papers); "judged": nulls are left out.
    `best` marks the best value of every column, ties included. `change` names a column factor: cells at its other levels
    show the change from its first level, in percentage points with an arrow. `also`: further scorers whose rows count.
    """

    name: str
    caption: str
    scorer: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    denominator: Literal["all", "judged"] = "all"
    select: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    overall: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    best: Literal["none", "highest", "lowest"] = "none"
    change: str | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Published:
    """Printed values to compare with, cell by cell: a CSV file beside the study, or package data of a built-in one."""

    source: str
    file: str


def default_tables(scores: pl.DataFrame) -> list[Table]:
    """One table for each scorer of rates that judged anything: models in rows, condition and language in columns."""
    judged = scores.filter(pl.col("value").is_not_null())["scorer"].unique().sort()
    return [
        Table(
            name=f"accuracy-{scorer}",
            caption=f"Mean score (%) of scorer {scorer} by model, condition and language.",
            scorer=scorer,
            rows=("model",),
            columns=("condition", "language"),
        )
        for scorer in judged
        if scorer not in RATE_SCORERS_EXCLUDED
    ]
