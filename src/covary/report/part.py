"""What a reader of a part of a run must know: cells that have no response yet stand in the tables as nulls."""

from __future__ import annotations

import polars as pl

from covary.analysis.stopping import NOT_YET

ANSWER = ("item_id", "condition", "model", "replicate")


def still_open(scores: pl.DataFrame) -> str | None:
    """A sentence on the cells without a response; None where every cell has one."""
    cells = scores.group_by(ANSWER).agg(waits=(pl.col("reason") == NOT_YET).any())
    missing = cells["waits"].sum()
    if not missing:
        return None
    return (
        f"Only a part has been run: {missing:,} of {cells.height:,} answers are still missing. Where nulls count as wrong, so do these; "
        "run it again before quoting a number."
    )
