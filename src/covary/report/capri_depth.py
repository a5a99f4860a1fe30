"""RQ2: how deep reasoning traces go, as shares of L0 to L3, under our reading and the paper's literal one."""

from __future__ import annotations

import polars as pl

from covary.report.capri_frame import OBJECTIVE, Shown, Study, of_scorer, shares

DEPTHS = ("L0", "L1", "L2", "L3")
LEVEL = "ImplicitFull"


def tables(rows: pl.DataFrame, study: Study) -> list[Shown]:
    """The distribution at ImplicitFull in both readings, and in ours by cue level, concept and culture."""
    traces = of_scorer(rows, "depth", "vqa", OBJECTIVE).filter(pl.col("answer").is_in(DEPTHS))
    if traces.is_empty():
        return []
    literal = traces.with_columns(answer=pl.col("detail").str.json_path_match("$.level_literal"))
    at_full = pl.col("cue_level") == LEVEL
    every = ("line", "mode", "cue_level")
    split = [
        _shown(f"capri-depth-by-{word}", f"Reasoning depth at {LEVEL} by {word}: share (%) of traces.", traces.filter(at_full), study,
               ("line", "mode", factor))
        for factor, word in (("domain", "concept"), ("culture", "culture"))
    ]  # fmt: skip
    return [
        *split,
        _shown("capri-depth", f"Reasoning depth at {LEVEL}: share (%) of traces.", traces.filter(at_full), study),
        _shown(
            "capri-depth-literal",
            f"Reasoning depth at {LEVEL} in the paper's literal reading: share (%) of traces.",
            literal.filter(at_full),
            study,
        ),
        _shown("capri-depth-by-level", "Reasoning depth by cue level: share (%) of traces.", traces, study, every),
    ]


def _shown(
    name: str, caption: str, traces: pl.DataFrame, study: Study, by: tuple[str, ...] = ("line", "mode")
) -> Shown:
    return Shown(name, caption, shares(traces, by, DEPTHS, "depth", name, study.seed), by, ("depth",))
