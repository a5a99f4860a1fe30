"""What contrasts say beyond their differences: who flips, and how large an effect a number of items can show."""

from __future__ import annotations

import msgspec
import polars as pl

from covary.analysis import power
from covary.analysis.pairing import Contrast
from covary.errors import DataError
from covary.report.estimates import of_scorers
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
    curves = {share: power.curve(SIZES, share) for share in {round(share, 2) for share in shares["share"]} if share > 0}
    parts = [
        curves[round(share, 2)].select(
            contrast=pl.lit(name), flips=pl.lit(share), source_items="n_items", smallest_difference="smallest_effect"
        )
        for name, share in shares.iter_rows()
        if round(share, 2) in curves
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


def replicates(material: Material) -> Sheet | None:
    """What the calls of each contrast would buy as more items or as more replicates, from its own variance between items and within
    them; None where nothing was asked twice on both sides."""
    rows = material.contrasts
    if rows.is_empty() or "scorer" not in rows.columns or not material.frame["replicate"].max():
        return None
    simple = rows.filter(pl.col("across").is_null() & (pl.col("n_items") > 1))
    parts = [
        table
        for (name, scorer), group in simple.group_by("name", "scorer", maintain_order=True)
        if (table := _bought(str(name), str(scorer), group, material)) is not None
    ]
    if not parts:
        return None
    return Sheet(
        "replicates",
        "More items or more repeats: the standard error that the same number of calls buys.",
        pl.concat(parts),
        "Calls: per side, as many as the contrast's largest group has now. Sd between: of an item's true difference; sd within: of one "
        "pair of repeats. For the same calls more items always give the smaller error; repeats pay where items have run out.",
        points=("sd_between", "sd_within", "standard_error"),
    )


def _bought(name: str, scorer: str, group: pl.DataFrame, material: Material) -> pl.DataFrame | None:
    levels = [msgspec.json.decode(text) for text in group["group"]]
    fixed = {factor: level for factor, level in levels[0].items() if all(other[factor] == level for other in levels)}
    contrast = Contrast(
        name,
        group["factor"][0],
        (group["level_a"][0], group["level_b"][0]),
        {factor: level for factor, level in fixed.items() if level is not None},
        [factor for factor in levels[0] if factor not in fixed],
    )
    level = pl.col(contrast.factor).is_in(contrast.levels)
    rows = of_scorers(material.frame.filter(level), (scorer,), {}, material.options.get("instead"))
    try:
        found = power.components(rows, contrast, cluster="cluster")
    except DataError:
        return None
    calls = round(int(str(group["n_items"].max())) * found.replicates)
    return power.replicates_against_items(found, calls).select(
        contrast=pl.lit(name),
        scorer=pl.lit(scorer),
        calls=pl.lit(calls, dtype=pl.Int64),
        sd_between=pl.lit(found.between**0.5),
        sd_within=pl.lit(found.within**0.5),
        replicates=pl.col("replicates").cast(pl.Int64),
        source_items=pl.col("n_items").cast(pl.Int64),
        standard_error="standard_error",
    )


def _within(group: str) -> str:
    return ", ".join(str(level) for level in msgspec.json.decode(group).values())
