"""Which of the cues that the items show have been verified: what a reader must know before trusting a country's numbers."""

from __future__ import annotations

import polars as pl

from covary.report.capri_frame import CULTURES, Shown, ranked_as

LEVEL = "ImplicitFull"
CUES = pl.List(pl.Struct({"type": pl.String, "value": pl.String, "verified": pl.Boolean}))


def tables(items: pl.DataFrame) -> list[Shown]:
    """Cue values by country: how many a library or a person has confirmed; nothing where items don't tell their cues."""
    frame = verified(items)
    caption = (
        "Cue values shown, by country: confirmed by a library or by a person of the country, and conversations with a cue that "
        "nobody confirmed. A country's numbers are as good as its cues."
    )
    return [Shown("capri-cues", caption, frame)] if frame.height else []


def verified(items: pl.DataFrame) -> pl.DataFrame:
    """One row per country: distinct cue values, those verified and not, conversations, those with an unverified cue."""
    shown = items.filter(pl.col("cue_level") == LEVEL).select(
        "item_id", "culture", cue=pl.col("meta").str.json_path_match("$.cues").str.json_decode(CUES)
    )
    each = shown.explode("cue").unnest("cue").drop_nulls("value")
    values = each.unique(["culture", "type", "value"]).group_by("culture").agg(
        pl.len().alias("cue values"), pl.col("verified").sum(), pl.col("verified").not_().sum().alias("unverified")
    )  # fmt: skip
    talks = each.group_by("culture", "item_id").agg(pl.col("verified").all()).group_by("culture").agg(
        pl.len().alias("conversations"), pl.col("verified").not_().sum().alias("with an unverified cue")
    )  # fmt: skip
    return values.join(talks, on="culture").sort(ranked_as("culture", CULTURES), "culture")
