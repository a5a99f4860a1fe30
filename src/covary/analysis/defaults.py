"""What a study gets unasked: rates of every cell, and every paired contrast of every factor that varies."""

from __future__ import annotations

from itertools import chain

import polars as pl

from covary.analysis import contrasts, summaries
from covary.analysis.contrasts import Contrast
from covary.analysis.tally import Denominator

ANSWER_FACTORS = ("condition", "model")
VARIANT_FACTORS = ("language", "culture", "cue_level", "perturbation", "format")


def varying(frame: pl.DataFrame) -> tuple[list[str], list[str]]:
    """The answer factors and the variant factors that have two levels or more in the frame."""

    def several(names: tuple[str, ...]) -> list[str]:
        return [name for name in names if name in frame.columns and frame[name].drop_nulls().n_unique() > 1]

    return several(ANSWER_FACTORS), several(VARIANT_FACTORS)


def rates(frame: pl.DataFrame, *, cluster: str = "source_id", denominator: Denominator = "all") -> pl.DataFrame:
    """Rates per condition × model, and per that × each variant factor."""
    answers, variants = varying(frame)
    crossings = [answers, *([*answers, factor] for factor in variants)]
    return pl.concat(summaries.rate(frame, by, cluster=cluster, denominator=denominator) for by in crossings)


def declared(frame: pl.DataFrame) -> list[Contrast]:
    """All pairs of levels of every varying factor, each within the levels of the other answer factors and, for a variant
    factor, paired within the levels of the other variant factors. One family per factor."""
    answers, variants = varying(frame)
    of_answers = [
        contrasts.all_pairs(frame, factor, by=[other for other in answers if other != factor]) for factor in answers
    ]
    of_variants = [
        contrasts.all_pairs(frame, factor, by=answers, blocked_by=[other for other in variants if other != factor])
        for factor in variants
    ]
    return list(chain.from_iterable([*of_answers, *of_variants]))


def compared(frame: pl.DataFrame, *, cluster: str = "source_id", denominator: Denominator = "all") -> pl.DataFrame:
    """Estimates of the declared contrasts."""
    return contrasts.estimate(frame, declared(frame), cluster=cluster, denominator=denominator)
