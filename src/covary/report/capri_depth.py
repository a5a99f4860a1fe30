"""RQ2: how deep reasoning traces go, as shares of L0 to L3, under our reading and the paper's literal one."""

from __future__ import annotations

import polars as pl

from covary.report.capri_frame import OBJECTIVE, Shown, Study, of_scorer, rate, regrouped

DEPTHS = ("L0", "L1", "L2", "L3")
LEVEL = "ImplicitFull"


def tables(rows: pl.DataFrame, study: Study) -> list[Shown]:
    """The distribution at ImplicitFull, and by cue level, of both readings."""
    traces = of_scorer(rows, "depth", "vqa", OBJECTIVE).filter(pl.col("answer").is_in(DEPTHS))
    if traces.is_empty():
        return []
    literal = traces.with_columns(answer=pl.col("detail").str.json_path_match("$.level_literal"))
    at_full = pl.col("cue_level") == LEVEL
    by, by_level = ("line", "mode"), ("line", "mode", "cue_level")
    return [
        Shown("capri-depth", f"Reasoning depth at {LEVEL}: share (%) of traces, concepts with a right answer.",
              shares(traces.filter(at_full), by, "capri-depth", study), by, ("depth",)),
        Shown("capri-depth-literal", f"Reasoning depth at {LEVEL} in the paper's literal reading: share (%) of traces.",
              shares(literal.filter(at_full), by, "capri-depth-literal", study), by, ("depth",)),
        Shown("capri-depth-by-level", "Reasoning depth by cue level: share (%) of traces.",
              shares(traces, by_level, "capri-depth-by-level", study), by_level, ("depth",)),
    ]  # fmt: skip


def shares(traces: pl.DataFrame, by: tuple[str, ...], name: str, study: Study) -> pl.DataFrame:
    """Share of each depth per `by`, the depth in the group; the four sum to one."""
    if traces.is_empty():
        return pl.DataFrame()
    return pl.concat(
        regrouped(
            rate(traces.with_columns(value=(pl.col("answer") == depth).cast(pl.Float64)), by, name, study.seed),
            depth=depth,
        )
        for depth in DEPTHS
    )
