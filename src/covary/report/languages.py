"""What differs between languages: accuracy by family, script and tier, spread, consistency, and languages of the reasoning."""

from __future__ import annotations

import polars as pl

from covary.analysis import consistency
from covary.report.material import Material, judged, opened, rates
from covary.report.sheet import Sheet
from covary.scoring.language import DENOMINATOR, composition

GROUPINGS = ("language_family", "script", "resource_tier")
CELL = ["scorer", "condition", "model"]


def by_group(material: Material) -> Sheet | None:
    """Accuracy by language family, script and resource tier, with the number of languages behind each."""
    rows = _several_languages(material, 3)
    spoken = rows.select(*CELL, "language", *GROUPINGS).unique()
    parts: list[pl.DataFrame] = []
    for grouping in GROUPINGS:
        known = rows.filter(pl.col(grouping).is_not_null())
        if known.is_empty():
            continue
        languages = spoken.group_by([*CELL, grouping]).agg(languages=pl.col("language").n_unique().cast(pl.Int64))
        found = rates(known, [*CELL, grouping], material.seed).join(languages, on=[*CELL, grouping], how="left")
        parts.append(found.rename({grouping: "level"}).with_columns(grouping=pl.lit(grouping.replace("_", " "))))
    if not parts:
        return None
    frame = pl.concat(parts).select(
        *CELL, "grouping", "level", "languages", pl.exclude(*CELL, "grouping", "level", "languages")
    )
    return Sheet(
        "language-groups",
        "Accuracy by language family, script and resource tier.",
        frame,
        "A level of one language says what that language does, not what its group does. Nulls count as wrong.",
        percent=("accuracy", "low", "high"),
    )


def spread(material: Material) -> Sheet | None:
    """Mean accuracy over languages and its standard deviation, both by n and by n − 1."""
    rows = _several_languages(material, 3)
    if rows.is_empty():
        return None
    found = rates(rows, [*CELL, "language"], material.seed)
    frame = found.group_by(CELL, maintain_order=True).agg(
        languages=pl.len().cast(pl.Int64),
        mean=pl.col("accuracy").mean(),
        sd_population=pl.col("accuracy").std(ddof=0),
        sd_sample=pl.col("accuracy").std(ddof=1),
        lowest=pl.col("accuracy").min(),
        lowest_in=pl.col("language").sort_by("accuracy", "language").first(),
        highest=pl.col("accuracy").max(),
        highest_in=pl.col("language").sort_by("accuracy", "language").last(),
    )
    return Sheet(
        "language-spread",
        "Mean accuracy over languages, and how far languages lie apart.",
        frame,
        "Every language weighs the same. sd population divides by the number of languages, sd sample by one less.",
        percent=("mean", "sd_population", "sd_sample", "lowest", "highest"),
    )


def consistent(material: Material) -> Sheet | None:
    """How far the languages of one source item stand or fall together."""
    rows = _several_languages(material, 2)
    if rows.is_empty():
        return None
    found = opened(consistency.across(rows, "language", CELL, cluster="cluster", seed=material.seed), CELL)
    frame = found.pivot("name", index=CELL, values="value", maintain_order=True)
    counts = found.group_by(CELL).agg(source_items=pl.col("n_items").max())
    return Sheet(
        "consistency",
        "Source items answered alike in all their languages.",
        frame.join(counts, on=CELL, how="left", maintain_order="left"),
        "Flips: right in one language and wrong in another. Agreement: the chance that two languages drawn at random are both "
        "right or both wrong. Nulls count as wrong.",
        percent=tuple(consistency.MEASURES),
    )


def composed(material: Material) -> Sheet | None:
    """Languages of the reasoning: single languages and mixtures, per model, question language and condition."""
    frame = composition_of(material.frame)
    if frame.is_empty():
        return None
    return Sheet(
        "language-composition",
        "Languages of the reasoning by model, condition and language of the question.",
        frame,
        f"Every share is of the {DENOMINATOR} of its model, condition and question language, combinations of mixed traces too; "
        "so they add up to the share of mixed.",
        percent=("share",),
    )


def composition_of(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns model, condition, language (of the question), part, found, n, share, of; no row where nothing was classified."""
    rows = frame.filter(pl.col("scorer") == "language")
    if rows.is_empty():
        return pl.DataFrame()
    by = ["model", "condition", "language"]
    return composition(rows, by).select(*by, "part", pl.col("name").alias("found"), "n", "share", of="n_denominator")


def _several_languages(material: Material, least: int) -> pl.DataFrame:
    rows = judged(material.frame)
    return rows.filter(pl.col("language").n_unique().over(CELL) >= least)


def obeyed(material: Material) -> Sheet | None:
    """Accuracy given that the asked language of reasoning was obeyed, and given that it wasn't."""
    key = ["item_id", "condition", "model", "replicate"]
    obeying = material.frame.filter((pl.col("scorer") == "language") & pl.col("value").is_not_null()).select(
        *key, language_asked=pl.when(pl.col("value") >= 0.5).then(pl.lit("obeyed")).otherwise(pl.lit("not obeyed"))
    )
    rows = pl.DataFrame() if obeying.is_empty() else judged(material.frame).join(obeying, on=key, how="inner")
    if rows.is_empty():
        return None
    frame = rates(rows, ["scorer", "condition", "model", "language", "language_asked"], material.seed)
    return Sheet(
        "accuracy-given-language",
        "Accuracy by whether the asked language of reasoning was obeyed.",
        frame,
        "Groups that answers sort themselves into: a difference is no effect of obeying. Nulls count as wrong.",
        percent=("accuracy", "low", "high"),
    )
