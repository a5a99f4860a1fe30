"""What contrasts say beyond their differences: who flips, and how large an effect a number of items can show."""

from __future__ import annotations

import msgspec
import polars as pl

from covary.analysis import power
from covary.report.material import Material
from covary.report.sheet import Sheet

SIZES = (50, 100, 150, 300, 500, 1000, 1500, 3000)


def contrasts(material: Material) -> Sheet | None:
    """The declared contrasts: differences with intervals, p as it is and corrected, and whether it could be reached at all."""
    rows = material.contrasts
    if rows.is_empty() or "smallest_p" not in rows.columns:
        return None
    columns = (
        "family",
        "name",
        "group",
        "level_a",
        "level_b",
        "value",
        "low",
        "high",
        "p_value",
        "p_adjusted",
        "p_fdr",
    )
    return Sheet(
        "contrasts",
        "Contrasts with 95 % intervals.",
        rows.select(*columns, "n_pairs", "smallest_p", "threshold", "method", "note").with_columns(
            group=pl.Series([_within(group) for group in rows["group"]], dtype=pl.String)
        ),
        "p adjusted: Holm within the family; p fdr: Benjamini–Hochberg. Where the smallest p that these pairs can reach lies "
        "above the threshold, no data could have been significant.",
        points=("value", "low", "high"),
    )


def discordance(material: Material) -> Sheet | None:
    """Per contrast: source items right at one level only, both ways."""
    rows = material.contrasts
    if rows.is_empty() or "only_a" not in rows.columns:
        return None
    kept = rows.filter(pl.col("n_pairs") > 0)
    frame = kept.select(
        contrast="name",
        within=pl.Series([_within(group) for group in kept["group"]], dtype=pl.String),
        a="level_a",
        b="level_b",
        pairs="n_pairs",
        right_only_at_a="only_a",
        right_only_at_b="only_b",
        flips=(pl.col("only_a") + pl.col("only_b")) / pl.col("n_pairs"),
        difference="value",
        p_adjusted="p_adjusted",
    )
    return Sheet(
        "discordance",
        "Who flips: items right at one level of a contrast and wrong at the other.",
        frame,
        "A small difference may hide many flips that cancel. p adjusted: within the declared family, by Holm's method.",
        percent=("flips",),
        points=("difference",),
    )


def sample_sizes(material: Material) -> Sheet | None:
    """The smallest difference that a number of items shows with 80 % power, at each contrast's own share of flips."""
    flips = discordance(material)
    if flips is None:
        return None
    shares = (
        flips.frame.filter(pl.col("flips") > 0)
        .group_by("contrast", maintain_order=True)
        .agg(share=(pl.col("flips") * pl.col("pairs")).sum() / pl.col("pairs").sum())
    )
    parts = [
        power.curve(SIZES, round(share, 2)).select(
            contrast=pl.lit(name), flips=pl.lit(share), source_items="n_items", smallest_difference="smallest_effect"
        )
        for name, share in shares.iter_rows()
        if round(share, 2) > 0
    ]
    return (
        Sheet(
            "sample-size",
            "How many items show how small a difference.",
            pl.concat(parts),
            "Exact McNemar test at 5 %, power 80 %, one comparison alone (a family of several needs more). Flips: pooled over the "
            "groups of the contrast, to a whole per cent.",
            percent=("flips",),
            points=("smallest_difference",),
        )
        if parts
        else None
    )


def _within(group: str) -> str:
    return ", ".join(str(level) for level in msgspec.json.decode(group).values())
