"""Sheets and figures that any study can show, made when asked for: names, and what makes each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from covary.report import answers, corpus, drawings, effects, languages, related, usage, variants
from covary.report.figures import Spec
from covary.report.material import Material
from covary.report.sheet import Sheet

MAKERS: Mapping[str, Callable[[Material], Sheet | None]] = {
    "corpus": corpus.statistics,
    "related": related.related,
    "pipeline": related.pipeline,
    "language-groups": languages.by_group,
    "language-spread": languages.spread,
    "consistency": languages.consistent,
    "language-composition": languages.composed,
    "accuracy-given-language": languages.obeyed,
    "error-detection": answers.detected,
    "distractors": answers.distractors,
    "pass-at-k": answers.repeated,
    "trace-failures": answers.failures,
    "trace-examples": answers.trace_examples,
    "contrasts": effects.contrasts,
    "discordance": effects.discordance,
    "sample-size": effects.sample_sizes,
    "replicates": effects.replicates,
    "variants": variants.side_by_side,
    "usage": usage.usage,
}
DRAWINGS: Mapping[str, Callable[[Sheet], Spec | None]] = {
    "pipeline": drawings.pipeline,
    "language-groups": drawings.language_groups,
    "language-composition": drawings.composition,
    "consistency": drawings.consistency,
    "distractors": drawings.distractors,
    "contrasts": drawings.contrasts,
    "discordance": drawings.discordance,
    "sample-size": drawings.sample_size,
}
"""Figures of their own; every other sheet is drawn as `drawings.plain` does."""


def sheet(name: str, material: Material) -> Sheet | None:
    """A sheet by name; None where the study has nothing for it."""
    return MAKERS[name](material)


def drawing(made: Sheet) -> Spec | None:
    """A sheet's figure; None where it has nothing to draw."""
    draw: Any = DRAWINGS.get(made.name, drawings.plain)
    return draw(made)
