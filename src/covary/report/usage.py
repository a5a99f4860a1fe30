"""What a study took: requests, tokens, time and money by model and condition; nothing is guessed that was not reported."""

from __future__ import annotations

import polars as pl

from covary.report.material import Material
from covary.report.sheet import Sheet

TOKENS = ("prompt_tokens", "completion_tokens", "reasoning_tokens")


def usage(material: Material) -> Sheet | None:
    """Cells, distinct requests, tokens, seconds and money; a request that serves several cells of a group counts once."""
    cells = material.usage()
    if cells.is_empty():
        return None
    by = ["model", "condition"]
    sizes = cells.group_by(by).agg(cells=pl.len().cast(pl.Int64))
    once = cells.unique([*by, "request_id"], maintain_order=True)
    spent = once.group_by(by).agg(
        requests=pl.len().cast(pl.Int64),
        failed=(pl.col("status") != "ok").sum().cast(pl.Int64),
        not_reported=pl.col("completion_tokens").is_null().sum().cast(pl.Int64),
        **{name: _sum(name) for name in TOKENS},
        median_seconds=pl.col("latency_s").median(),
        money=_sum("money"),
        currency=pl.col("currency").first(),
    )
    frame = sizes.join(spent, on=by).sort(by)
    return Sheet(
        "usage",
        "Requests, tokens, time and money.",
        frame,
        "Tokens as servers reported them; not reported: answers without a count, such as imported ones. Money: by the prices "
        "that the study declares.",
    )


def _sum(name: str) -> pl.Expr:
    return pl.when(pl.col(name).count() > 0).then(pl.col(name).sum())
