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
COLUMNS = (
    "item_id",
    "condition",
    "request_id",
    "source_id",
    "culture",
    "cue_level",
    "domain",
    "cluster",
    "scorer",
    "said",
)
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
    columns: dict[str, list[str]] = {name: [] for name in COLUMNS}
    for name, role in CONDITIONS.items():
        null: dict[str, str] = {}  # a background question is the same for all pictures of a concept: one answer a run
        for at, concept in enumerate(chosen):
            _add_picture(columns, f"p{at:03d}", concepts[concept], role, name, null, rng)
    rows = _judged(pl.DataFrame(columns))
    return rows.with_columns(
        pl.lit("known").alias("model"),
        pl.lit(0, dtype=pl.Int32).alias("replicate"),
        pl.lit("en").alias("language"),
        pl.lit("{}").alias("detail"),
    )


def _add_picture(
    columns: dict[str, list[str]],
    picture: str,
    concept: str,
    role: tuple[str, str],
    condition: str,
    null: dict[str, str],
    rng: np.random.Generator,
) -> None:
    """Add all rows about one picture under one condition."""
    task, mode = role
    cultures = cultures_of(concept)
    size = SCAFFOLDS * len(cultures)
    temper = rng.choice([-1.0, 1.0])
    usual = rng.integers(5, size=SCAFFOLDS)
    sources = [f"{picture}-{number}" for number in range(SCAFFOLDS) for _ in cultures]
    names = list(cultures) * SCAFFOLDS
    for level in LEVELS:
        if level == "Null":
            place = concept if task == "bg" else picture
            said = [null.setdefault(place, _uncued(task, concept, usual[0], rng))] * size
            requests = [f"{condition}/{place}"] * size
        elif level == "Neutral":
            said = [word for at in usual for word in [_uncued(task, concept, at, rng)] * len(cultures)]
            requests = [f"{condition}/{source}" for source in sources]
        else:
            said = _cued(task, mode, concept, level, cultures, temper, usual, rng).ravel().tolist()
            requests = [f"{condition}/{source}/{level}/{name}" for source, name in zip(sources, names, strict=True)]
        scorer = "country" if task == "bg" else "option" if concept in OPTIONS else "quantity"
        added = {scorer: said}
        if task == "vqa" and mode != "direct":
            added["depth"] = _depths(mode, level, len(cultures), rng)
        for name, words in added.items():
            columns["item_id"] += [
                f"{source}/{culture}/{level}" for source, culture in zip(sources, names, strict=True)
            ]
            columns["source_id"] += sources
            columns["culture"] += names
            columns["request_id"] += requests
            columns["said"] += words
            for column, value in (
                ("condition", condition), ("cue_level", level), ("domain", concept), ("cluster", picture), ("scorer", name)
            ):  # fmt: skip
                columns[column] += [value] * size


def _depths(mode: str, level: str, cultures: int, rng: np.random.Generator) -> list[str]:
    """A depth for each distinct request: one at Null, one for each scaffold at Neutral, shared by all cultures."""
    asked = {"Null": 1, "Neutral": SCAFFOLDS}.get(level, SCAFFOLDS * cultures)
    drawn = np.repeat(rng.choice(4, size=asked, p=DEPTHS[mode]), SCAFFOLDS * cultures // asked)
    return [f"L{at}" for at in drawn]


def _uncued(task: str, concept: str, usual: int, rng: np.random.Generator) -> str:
    return OPTIONS[concept][usual] if task == "vqa" and concept in OPTIONS else _habit(task, concept, rng)


def _judged(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with answer, value and reason by the scorers, each distinct text judged once."""
    keys = ["scorer", "domain", "culture", "said"]
    distinct = rows.select(keys).unique()
    verdicts = [_verdict(*row) for row in distinct.iter_rows()]
    judged = distinct.with_columns(
        pl.Series("answer", [verdict[0] for verdict in verdicts], dtype=pl.String),
        pl.Series("value", [verdict[1] for verdict in verdicts], dtype=pl.Float64),
        pl.Series("reason", [verdict[2] for verdict in verdicts], dtype=pl.String),
    )
    return rows.join(judged, on=keys, maintain_order="left").drop("said")


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


@cache
def _verdict(scorer: str, concept: str, culture: str, said: str) -> tuple[str | None, float | None, str]:
    if scorer == "depth":
        found = Depth()(Case(None, reasoning=TRACE_OF[said], domain="temperature"))
        return found.answer, found.value, found.reason
    judge = {"country": Country, "option": Option, "quantity": Quantity}[scorer]()
    unit = said if concept == "price" else respond.UNIT.get(concept, ("", ""))[said == "imperial"]
    text = COUNTRY.get(said, "unknown") if scorer == "country" else said if scorer == "option" else f"12 {unit}"
    found = judge(Case(text, culture=culture, domain=concept, task="bg" if scorer == "country" else "vqa"))
    return found.answer, found.value, found.reason
