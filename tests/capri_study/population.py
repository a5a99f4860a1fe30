"""Scores of the known model on pictures drawn from a population, by vectors: for coverage over many seeds.

Pictures are drawn independently, their concept too, because that is what an interval by picture assumes. Answers take the way of
real ones: what is said becomes a text, and the scorers judge each distinct text once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import polars as pl
from tests.capri_study import respond
from tests.capri_study.respond import (
    ADAPTS,
    COUNTRY,
    COUNTRY_PRIOR,
    CUED,
    DEPTHS,
    KNOWS,
    LEVELS,
    MOVES,
    OPTIONS,
    TEMPER,
)

from covary.report.capri_frame import CULTURES
from covary.scoring.case import Case
from covary.scoring.countries import Country
from covary.scoring.depth import Depth
from covary.scoring.options import Option
from covary.scoring.quantities import Quantity

WEIGHTS = {
    "temperature": 33,
    "distance": 32,
    "speed": 18,
    "size": 24,
    "price": 21,
    "time_expression": 24,
    "quantifiers": 20,
}
SCAFFOLDS = 3
CONDITIONS = {
    "bg-direct": ("bg", "direct"),
    "bg-cot": ("bg", "cot"),
    "vqa-direct": ("vqa", "direct"),
    "vqa-cot": ("vqa", "cot"),
    "vqa-pragmatic": ("vqa", "pragmatic"),
}
TRACE_OF = {
    "L0": respond.TRACES["L0"],
    "L1": respond.TRACES["L1"].format(cue="Felipe Neto"),
    "L2": respond.TRACES["L2"].format(country="Brazil"),
    "L3": respond.TRACES["L3"].format(country="Brazil", unit="Celsius"),
}


def cultures_of(concept: str) -> tuple[str, ...]:
    """The cultures that a concept is asked of."""
    return tuple(c for c in CULTURES if not (c == "GB" and concept in ("distance", "size")))


def scores(seed: int, pictures: int, concepts: Sequence[str] = tuple(WEIGHTS)) -> pl.DataFrame:
    """Scores with factors of one run over that many pictures of these concepts."""
    rng = np.random.default_rng(seed)
    weights = np.array([WEIGHTS[concept] for concept in concepts], dtype=float)
    chosen = rng.choice(len(concepts), size=pictures, p=weights / weights.sum())
    parts = [
        _picture_rows(f"p{at:03d}", concepts[concept], CONDITIONS[name], name, rng)
        for name in CONDITIONS
        for at, concept in enumerate(chosen)
    ]
    rows = pl.concat(parts)
    return rows.with_columns(
        pl.lit("known").alias("model"),
        pl.lit(0, dtype=pl.Int32).alias("replicate"),
        pl.lit("en").alias("language"),
    )


def _picture_rows(
    picture: str, concept: str, role: tuple[str, str], condition: str, rng: np.random.Generator
) -> pl.DataFrame:
    task, mode = role
    cultures = cultures_of(concept)
    shape = (SCAFFOLDS, len(cultures), len(LEVELS))
    temper = rng.choice([-1.0, 1.0])
    said = np.empty(shape, dtype=object)
    usual = rng.integers(5, size=SCAFFOLDS)
    asked_at_null = _null_answer(condition, task, concept, rng)
    for k, level in enumerate(LEVELS):
        if level in CUED:
            said[:, :, k] = _cued(task, mode, concept, level, cultures, temper, usual, rng)
        elif level == "Null":
            said[:, :, k] = asked_at_null
        else:
            kept = [OPTIONS[concept][at] for at in usual] if task == "vqa" and concept in OPTIONS else None
            drawn = kept or [_habit(task, concept, rng) for _ in range(SCAFFOLDS)]
            said[:, :, k] = np.array(drawn, dtype=object)[:, None]
    scaffold, culture, level_at = (axis.ravel() for axis in np.indices(shape))
    level = np.array(LEVELS, dtype=object)[level_at]
    sources = np.array([f"{picture}-{s}" for s in range(SCAFFOLDS)], dtype=object)[scaffold]
    names = np.array(cultures, dtype=object)[culture]
    null = f"{condition}/{concept if task == 'bg' else picture}"
    request = [
        null if lev == "Null" else f"{condition}/{src}" if lev == "Neutral" else f"{condition}/{src}/{lev}/{cul}"
        for lev, src, cul in zip(level, sources, names, strict=True)
    ]
    base = pl.DataFrame(
        {
            "item_id": [f"{src}/{cul}/{lev}" for src, cul, lev in zip(sources, names, level, strict=True)],
            "condition": [condition] * len(request),
            "request_id": request,
            "source_id": sources.tolist(),
            "culture": names.tolist(),
            "cue_level": level.tolist(),
            "domain": [concept] * len(request),
            "cluster": [picture] * len(request),
            "said": said.ravel().tolist(),
        }
    )
    main = _judged(base, task, concept)
    if task == "bg" or mode == "direct":
        return main
    depth = rng.choice(4, size=len(request), p=DEPTHS[mode])
    return pl.concat([main, _deep(base, [("L0", "L1", "L2", "L3")[at] for at in depth])])


_NULL: dict[tuple[int, str, str], str] = {}


def _null_answer(condition: str, task: str, concept: str, rng: np.random.Generator) -> str:
    """The answer at Null: a background question is the same for all pictures of a concept, so it is drawn once a run."""
    if task == "vqa":
        return str(rng.choice(OPTIONS[concept])) if concept in OPTIONS else _habit(task, concept, rng)
    key = (id(rng), condition, concept)
    if key not in _NULL:
        _NULL.clear() if len(_NULL) > 64 else None
        _NULL[key] = _habit(task, concept, rng)
    return _NULL[key]


def _habit(task: str, concept: str, rng: np.random.Generator) -> str:
    if task == "bg":
        return str(rng.choice(list(COUNTRY_PRIOR), p=list(COUNTRY_PRIOR.values())))
    if concept == "price":
        return "USD" if rng.random() < respond.DOLLAR_PRIOR else "EUR"
    return "metric" if rng.random() < respond.METRIC_PRIOR else "imperial"


def _cued(
    task: str,
    mode: str,
    concept: str,
    level: str,
    cultures: Sequence[str],
    temper: float,
    usual: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    shape = (SCAFFOLDS, len(cultures))
    options = concept in OPTIONS and task == "vqa"
    mean = KNOWS[level] if task == "bg" else MOVES[mode][level] if options else ADAPTS[mode][level]
    hit = rng.random(shape) < mean + temper * TEMPER * min(mean, 1 - mean)
    if task == "bg":
        return np.where(hit, np.array(cultures, dtype=object)[None, :], "unknown")
    if options:
        words = np.array(OPTIONS[concept], dtype=object)
        return np.where(hit, words[rng.integers(5, size=shape)], words[usual][:, None])
    gold = np.array([respond.gold(culture, concept) for culture in cultures], dtype=object)[None, :]
    habit = np.array([_habit(task, concept, rng) for _ in range(hit.size)], dtype=object).reshape(shape)
    return np.where(hit, gold, habit)


def _judged(base: pl.DataFrame, task: str, concept: str) -> pl.DataFrame:
    scorer = "country" if task == "bg" else "option" if concept in OPTIONS else "quantity"
    verdicts = [
        _verdict(scorer, concept, culture, said) for culture, said in base.select("culture", "said").iter_rows()
    ]
    return base.drop("said").with_columns(
        pl.lit(scorer).alias("scorer"),
        pl.Series("answer", [verdict[0] for verdict in verdicts], dtype=pl.String),
        pl.Series("value", [verdict[1] for verdict in verdicts], dtype=pl.Float64),
        pl.Series("reason", [verdict[2] for verdict in verdicts], dtype=pl.String),
        pl.lit("{}").alias("detail"),
    )


def _deep(base: pl.DataFrame, depths: Sequence[str]) -> pl.DataFrame:
    return base.drop("said").with_columns(
        pl.lit("depth").alias("scorer"),
        pl.Series("answer", [_depth(depth) for depth in depths], dtype=pl.String),
        pl.lit(0.0).alias("value"),
        pl.lit("").alias("reason"),
        pl.lit("{}").alias("detail"),
    )


@cache
def _verdict(scorer: str, concept: str, culture: str, said: str) -> tuple[str | None, float | None, str]:
    judge = {"country": Country, "option": Option, "quantity": Quantity}[scorer]()
    unit = said if concept == "price" else respond.UNIT.get(concept, ("", ""))[said == "imperial"]
    text = COUNTRY.get(said, "unknown") if scorer == "country" else said if scorer == "option" else f"12 {unit}"
    found = judge(Case(text, culture=culture, domain=concept, task="bg" if scorer == "country" else "vqa"))
    return found.answer, found.value, found.reason


@cache
def _depth(depth: str) -> str | None:
    return Depth()(Case(None, reasoning=TRACE_OF[depth], domain="temperature")).answer
