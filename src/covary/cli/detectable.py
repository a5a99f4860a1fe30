"""What a plan could detect: for each declared contrast, its pairs and the smallest difference found with 80 % power."""

from __future__ import annotations

from typing import Any

import polars as pl

from covary.analysis.power import effect_for
from covary.studies.declaration import Study

ASSUMED_DISCORDANCE = 0.25
"""Share of pairs in which only one side is right, assumed before any answer is there (MathMist's language pairs: 0.1–0.4)."""


def smallest_effects(study: Study, items: pl.DataFrame, links: pl.DataFrame) -> list[dict[str, Any]]:
    """One row per declared contrast: smallest group of pairs, and the smallest difference it can show (percentage points)."""
    cells = links.filter(pl.col("request_id").is_not_null()).join(
        items.select("item_id", "source_id", "language", "culture", "cue_level", "answer_type", "domain", "format"),
        on="item_id",
        how="left",
    )
    found: list[dict[str, Any]] = []
    for use in study.contrasts:
        if use.factor not in cells.columns:
            continue
        rows = cells.filter(pl.col(use.factor).is_in(list(use.levels)))
        for column, level in use.fixed.items():
            rows = rows.filter(pl.col(column) == level)
        pairs = _smallest_group(rows, use.factor, list(use.by))
        effect = effect_for(pairs, ASSUMED_DISCORDANCE) if pairs else None
        shown = "no difference, however large" if effect is None else f"{100 * effect:.0f} points or more"
        found.append(
            {
                "contrast": use.name,
                "pairs": pairs,
                "smallest_effect": effect,
                "words": f"Contrast {use.name!r}: {pairs:,} pairs in its smallest group can show {shown}"
                f" (80 % power, α 0.05 uncorrected, if {ASSUMED_DISCORDANCE:.0%} of pairs differ).",
            }
        )
    return found


def _smallest_group(rows: pl.DataFrame, factor: str, by: list[str]) -> int:
    unit = ["item_id"] if factor in ("condition", "model") else ["source_id"]
    both = rows.group_by([*by, *unit]).agg(levels=pl.col(factor).n_unique()).filter(pl.col("levels") == 2)
    if both.is_empty():
        return 0
    return int(both.group_by(by).len()["len"].min() or 0) if by else both.height  # type: ignore[arg-type]
