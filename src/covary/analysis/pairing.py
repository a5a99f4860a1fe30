"""Scores → differences per pairing unit and cluster, for one contrast.

A unit is a cluster, or a cluster × the levels of the `blocked_by` columns. Each side of a unit is the mean of its rows
(replicates); a unit without rows on every side is left out and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from covary.analysis.intervals import Floats
from covary.analysis.tally import Denominator, cluster_codes, require, select
from covary.errors import UsageError

Pair = tuple[str, str]
ALL = "all"  # the one group of a contrast without `by`
ANSWER_FACTORS = ("condition", "model", "scorer")  # the same item under both levels; other factors vary the item


@dataclass(frozen=True)
class Contrast:
    """A declared comparison: level a of a factor minus level b, paired within clusters.

    `fixed`: rows to look at (column → level). `by`: one estimate per combination of these columns' levels. `blocked_by`:
    columns that a pair must share besides the cluster; None: item_id for the factors condition, model and scorer, else
    nothing. `across` makes it an interaction: (a − b at the second factor's first level) − (a − b at its second).
    `family`: the tests that it is corrected with.
    """

    name: str
    factor: str
    levels: Pair
    fixed: Mapping[str, str] = field(default_factory=dict[str, str])
    by: Sequence[str] = ()
    blocked_by: Sequence[str] | None = None
    across: tuple[str, Pair] | None = None
    family: str = ""

    def __post_init__(self) -> None:
        for factor, (a, b) in self.factors.items():
            if a == b:
                raise UsageError(
                    f"contrast {self.name!r}: expected two different levels of {factor!r}, found {a!r} twice"
                )
        for column in self.factors:
            if column in self.by or column in self.fixed or column in (self.blocked_by or ()):
                raise UsageError(
                    f"contrast {self.name!r}: {column!r} is compared, so it can't be in by, fixed or blocked_by"
                )

    @property
    def factors(self) -> dict[str, Pair]:
        """The compared factors and their two levels: one, or two for an interaction."""
        return {self.factor: self.levels, **(dict([self.across]) if self.across else {})}

    def blocks(self, frame: pl.DataFrame) -> list[str]:
        """The columns that a pair must share besides its cluster."""
        if self.blocked_by is not None:
            return [column for column in self.blocked_by if column not in self.by]
        return ["item_id"] if set(self.factors) <= set(ANSWER_FACTORS) and "item_id" in frame.columns else []


class Pairs(NamedTuple):
    """One group's paired differences, summed per cluster (sorted by cluster)."""

    levels: dict[str, str | None]  # of by and fixed
    difference: Floats  # per cluster: sum over its units
    units: Floats  # per cluster
    mean_a: float  # of the first side, over units (for an interaction: of the first difference)
    mean_b: float
    up: int  # units whose difference is positive
    down: int
    matched: bool  # yes/no values, one row per side, one unit per cluster: McNemar's case
    n_rows: int
    n_excluded: int  # rows left out because their value is null
    n_unpaired: int  # rows left out because their unit lacks a side


def prepare(
    frame: pl.DataFrame, contrasts: Sequence[Contrast], value: str, cluster: str, denominator: Denominator
) -> pl.DataFrame:
    """The columns that the contrasts need, factors as categories, so that each contrast is one quick pass."""
    columns = sorted({
        column for c in contrasts for column in [*c.factors, *c.fixed, *c.by, *c.blocks(frame)]
    })  # fmt: skip
    require(frame, [*columns, value, cluster, *(["obeyed"] if denominator == "obeyed" else [])])
    texts = [pl.col(column).cast(pl.String).cast(pl.Categorical).alias(f"={column}") for column in columns]
    coded = frame.lazy().with_columns(_cluster=cluster_codes(frame[cluster]))
    return select(coded, value, denominator).select(*texts, "value", cluster="_cluster").collect()


def pair(prepared: pl.DataFrame, contrast: Contrast, blocks: Sequence[str]) -> list[Pairs]:
    """The paired differences of every group of a contrast, sorted by the groups' levels."""
    by = [f"={column}" for column in contrast.by]
    signs = _corner_signs(contrast)
    rows = prepared.lazy().filter(_wanted(contrast))
    used = pl.col("value").is_not_null()
    corners = [_corner(contrast, corner) for corner in range(len(signs))]
    rows = rows.select(
        *by, "cluster", *(f"={column}" for column in blocks),
        *(pl.when(inside & used).then("value").otherwise(0.0).alias(f"v{i}") for i, inside in enumerate(corners)),
        *((inside & used).cast(pl.UInt32).alias(f"n{i}") for i, inside in enumerate(corners)),
        binary=pl.col("value").is_in([0.0, 1.0]) | ~used,
        excluded=(~used).cast(pl.UInt32),
    )  # fmt: skip
    unit_keys = [*by, "cluster", *(f"={column}" for column in blocks)]
    counts = [pl.col(f"n{i}") for i in range(len(signs))]
    sides = [sign * pl.col(f"v{i}") / counts[i] for i, sign in enumerate(signs)]
    units = (
        rows.group_by(unit_keys)
        .agg(pl.exclude("binary").sum(), pl.col("binary").all())
        .with_columns(
            full=pl.all_horizontal(count > 0 for count in counts),
            rows=pl.sum_horizontal(counts),
            difference=pl.sum_horizontal(sides),
            first=pl.sum_horizontal(sides[: max(1, len(sides) // 2)]),
        )
        .collect()
    )
    found = _grouped(contrast, units if by else units.with_columns(pl.lit(0).alias(ALL)), by or [ALL], len(signs))
    return sorted(found, key=lambda pairs: [(level is None, level or "") for level in pairs.levels.values()])


def _corner_signs(contrast: Contrast) -> list[int]:
    return [1, -1, -1, 1] if contrast.across else [1, -1]


def _corner(contrast: Contrast, corner: int) -> pl.Expr:
    """Rows of one corner: level a or b, and for an interaction of the second factor's first or second level."""
    inside = pl.col(f"={contrast.factor}") == contrast.levels[corner % 2]
    if contrast.across:
        factor, levels = contrast.across
        inside &= pl.col(f"={factor}") == levels[corner // 2]
    return inside


def _wanted(contrast: Contrast) -> pl.Expr:
    wanted = pl.lit(value=True)
    for column, level in contrast.fixed.items():
        wanted &= pl.col(f"={column}") == level
    for column, levels in contrast.factors.items():
        wanted &= (pl.col(f"={column}") == levels[0]) | (pl.col(f"={column}") == levels[1])
    return wanted


def _grouped(contrast: Contrast, units: pl.DataFrame, by: list[str], corners: int) -> list[Pairs]:
    """Pairs of each group, all groups in one pass."""
    full, difference = pl.col("full"), pl.col("difference")
    facts = units.group_by(by).agg(
        mean_a=pl.col("first").filter(full).mean(),
        mean=difference.filter(full).mean(),
        up=(full & (difference > 1e-12)).sum(),
        down=(full & (difference < -1e-12)).sum(),
        single=((pl.col("rows") == 2) & pl.col("binary") | ~full).all(),
        units=full.sum(),
        n_rows=pl.col("rows").filter(full).sum(),
        n_excluded=pl.col("excluded").sum(),
        n_unpaired=pl.col("rows").filter(~full).sum(),
    )
    clusters = units.filter(full).group_by(*by, "cluster").agg(difference.sum(), units=pl.len()).sort("cluster")
    parts = clusters.partition_by(by, as_dict=True, maintain_order=True)
    return [
        _pairs(contrast, fact, parts.get(tuple(fact[name] for name in by), clusters.clear()), corners)
        for fact in facts.iter_rows(named=True)
    ]


def _pairs(contrast: Contrast, fact: Mapping[str, Any], clusters: pl.DataFrame, corners: int) -> Pairs:
    mean_a, mean = (float("nan") if fact[name] is None else fact[name] for name in ("mean_a", "mean"))
    levels = {column: fact[f"={column}"] for column in contrast.by}
    return Pairs(
        levels={**{name: None if level is None else str(level) for name, level in levels.items()}, **contrast.fixed},
        difference=clusters["difference"].to_numpy().astype(np.float64),
        units=clusters["units"].to_numpy().astype(np.float64),
        mean_a=mean_a,
        mean_b=mean_a - mean,
        up=fact["up"],
        down=fact["down"],
        matched=corners == 2 and clusters.height == fact["units"] and fact["single"],
        n_rows=fact["n_rows"],
        n_excluded=fact["n_excluded"],
        n_unpaired=fact["n_unpaired"],
    )
