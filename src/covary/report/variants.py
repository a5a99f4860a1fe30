"""Variants side by side: how the forms of a few source items were answered and judged, those that disagree first."""

from __future__ import annotations

import polars as pl

from covary.report.examples import choose
from covary.report.material import Material, judged
from covary.report.sheet import Sheet

SOURCES = 30
ANSWER_BOUND = 60
VARIANTS = ("language", "culture", "cue_level", "perturbation", "format")


def side_by_side(material: Material) -> Sheet | None:
    """One row per source item × condition × model, one column per variant: the verdict and the answer read."""
    rows = choose(judged(material.frame), SOURCES, per_example=12)
    if rows.is_empty():
        return None
    index = ["source_id", "scorer", "condition", "model"]
    counts = rows.group_by(index).agg(pl.col(name).n_unique() for name in VARIANTS)
    varying = [name for name in VARIANTS if int(str(counts[name].max())) > 1] or ["language"]
    variant = pl.concat_str([pl.col(name) for name in varying], separator=" / ", ignore_nulls=True)
    verdict = (
        pl.when(pl.col("value").is_null())
        .then(pl.lit("?"))
        .when(pl.col("value") >= 0.5)
        .then(pl.lit("right"))
        .otherwise(pl.lit("wrong"))
    )
    answer = pl.col("answer").fill_null("").str.replace_all(r"\s+", " ").str.head(ANSWER_BOUND)
    shown = rows.with_columns(
        variant=variant,
        shown=pl.concat_str([verdict, pl.when(answer != "").then(pl.lit(": ") + answer).otherwise(pl.lit(""))]),
    )
    wide = shown.unique([*index, "variant"], keep="first", maintain_order=True).pivot(
        "variant", index=index, values="shown"
    )
    levels = sorted(name for name in wide.columns if name not in index)
    return Sheet(
        "variants",
        "Variants side by side: verdict, and the answer read.",
        wide.select(*index, *levels),
        f"Source items whose variants disagree come first, {SOURCES} at most. The items browser shows all of them.",
        keys=len(index),
    )
