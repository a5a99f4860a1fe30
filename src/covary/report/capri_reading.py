"""Was the picture read right? Reading errors told apart from the choice of a unit."""

from __future__ import annotations

import polars as pl

from covary.report.capri_frame import OBJECTIVE, Shown, Study, of_scorer, shares

OUTCOMES = ("right", "unit_slip", "conversion_error", "reading_error")


def tables(rows: pl.DataFrame, study: Study) -> list[Shown]:
    """Shares of outcomes over the answers whose amount could be judged, by concept. A unit slip is the right number under the
    wrong unit; a conversion error gives two amounts that disagree."""
    judged = of_scorer(rows, "plausibility", "vqa", OBJECTIVE).filter(pl.col("reason").is_in(OUTCOMES))
    if judged.is_empty():
        return []
    by = ("line", "mode", "domain")
    found = shares(judged.with_columns(answer=pl.col("reason")), by, OUTCOMES, "outcome", "capri-reading", study.seed)
    caption = "How the picture was read: share (%) of answers with an amount that can be judged."
    return [Shown("capri-reading", caption, found, by, ("outcome",))]
