"""What a study declares of its report: tables, figures and published values to compare with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

OVERALL = "Overall"
"""The level that a marginal takes in a table."""


@dataclass(frozen=True)
class Table:
    """One metric of one scorer, rows and columns by factors. `overall` adds a marginal level for these factors.

    Denominator "all": a null counts as 0 (the conservative policy of both papers); "judged": nulls are left out.
    `best` marks the best value of every column, ties included. `change` names a column factor: cells at its other levels
    show the change from its first level, in percentage points with an arrow. `also`: further scorers whose rows count.
    """

    name: str
    caption: str
    scorer: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    metric: str = "accuracy"
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
    unit: Literal["percent", "share", "count"] = "percent"
