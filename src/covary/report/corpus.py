"""Corpus statistics: how many source items and forms there are of every format, answer type and domain."""

from __future__ import annotations

import polars as pl

from covary.report.material import Material
from covary.report.sheet import Sheet

ALL = "all"


def statistics(material: Material) -> Sheet | None:
    """Counts by format × answer type × domain, with totals of each answer type, each format and everything."""
    items = material.items.with_columns(pl.col("domain").fill_null("not told"))
    if items.is_empty():
        return None
    levels = (["format", "answer_type", "domain"], ["format", "answer_type"], ["format"], [])
    parts = [_counted(items, by) for by in levels]
    order = [pl.col(name) == ALL for name in ("format", "answer_type", "domain")]
    counted = pl.concat(parts).unique(["format", "answer_type", "domain"], keep="first", maintain_order=True)
    frame = counted.sort(order[0], "format", order[1], "answer_type", order[2], "domain")
    repeated = frame.filter(pl.col("domain") == "not told").select("format", "answer_type")
    single = frame.group_by("format", "answer_type").agg(lines=pl.len()).filter(pl.col("lines") == 2)
    drop = (
        repeated.join(single, on=["format", "answer_type"])
        .select("format", "answer_type")
        .with_columns(domain=pl.lit("not told"))
    )
    return Sheet(
        "corpus",
        "The items: source items and their parallel forms.",
        frame.join(drop, on=["format", "answer_type", "domain"], how="anti", maintain_order="left"),
        "Share: of the forms of one format; forms are counted in all languages. A subdomain that items don't tell has no line.",
        percent=("share",),
    )


def _counted(items: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    counts = {
        "source_items": pl.col("source_id").n_unique().cast(pl.Int64),
        "languages": pl.col("language").n_unique().cast(pl.Int64),
        "forms": pl.len().cast(pl.Int64),
    }
    counted = items.group_by(by).agg(**counts) if by else items.select(**counts)
    whole = items.group_by("format").agg(whole=pl.len())
    shared = counted.join(whole, on="format", how="left") if by else counted.with_columns(whole=pl.lit(items.height))
    missing = [pl.lit(ALL).alias(name) for name in ("format", "answer_type", "domain") if name not in by]
    return shared.with_columns(*missing, share=pl.col("forms") / pl.col("whole")).select(
        "format", "answer_type", "domain", *counts, "share"
    )
