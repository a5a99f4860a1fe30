"""Scores joined to what they are analysed by: factors of the item, the model and the language."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from covary.errors import UsageError
from covary.items.languages import language
from covary.prompts.requests import Model

ITEM_FACTORS = ["source_id", "language", "culture", "cue_level", "perturbation", "format", "answer_type", "domain"]


def with_factors(
    scores: pl.DataFrame, items: pl.DataFrame, models: Iterable[Model] = (), cluster_in_meta: str | None = None
) -> pl.DataFrame:
    """Scores with the items' factors, `model_family`, `language_family`, `script`, `resource_tier`, and `cluster`.

    `cluster` is the source item, or the value of a key of `meta` (CAPRI: its picture): what paired analysis resamples.
    """
    joined = scores.join(items.select("item_id", *ITEM_FACTORS, _cluster(cluster_in_meta)), on="item_id", how="left")
    return joined.join(_language_facts(items), on="language", how="left").join(
        _model_facts(models), on="model", how="left"
    )


def _cluster(key: str | None) -> pl.Expr:
    if key is None:
        return pl.col("source_id").alias("cluster")
    return pl.col("meta").str.json_path_match(f"$.{key}").fill_null(pl.col("source_id")).alias("cluster")


def _language_facts(items: pl.DataFrame) -> pl.DataFrame:
    facts = {code: _facts_of(code) for code in items["language"].unique().sort()}
    return pl.DataFrame(
        [(code, *found) for code, found in facts.items()],
        schema={name: pl.String() for name in ("language", "language_family", "script", "resource_tier")},
        orient="row",
    )


def _facts_of(code: str) -> tuple[str | None, str | None, str | None]:
    try:
        known = language(code)
    except UsageError:
        return None, None, None
    return known.family, known.script, known.tier


def _model_facts(models: Iterable[Model]) -> pl.DataFrame:
    return pl.DataFrame(
        [(model.name, model.family, model.developer_country, model.parameters_b) for model in models],
        schema={
            "model": pl.String(),
            "model_family": pl.String(),
            "developer_country": pl.String(),
            "parameters_b": pl.Float64(),
        },
        orient="row",
    )
