"""Scores of a CAPRI run, arranged: what each condition stands for, which checkpoints belong together, what was answered once.

Columns added to scores with factors: `task` (bg, vqa), `mode` (direct, cot, pragmatic) and `line`: the model, with sibling
checkpoints (one answers directly, one thinks) under one name, marked where pictures were told in words. An answer that was cut
off or refused counts as wrong, as in the paper; one that never came is left out and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec
import polars as pl

from covary import digest
from covary.analysis import summaries
from covary.prompts.conditions import Condition
from covary.prompts.requests import Model
from covary.prompts.templates import Template, find
from covary.report.declared import OVERALL

OBJECTIVE = ("temperature", "distance", "speed", "size", "price")
SUBJECTIVE = ("time_expression", "quantifiers")
CONCEPTS = (*OBJECTIVE, *SUBJECTIVE)
LEVELS = ("Null", "Neutral", "ImplicitCue1", "ImplicitCue2", "ImplicitFull", "ExplicitFull")
MODES = ("direct", "cot", "pragmatic")
TASKS = ("bg", "vqa")
CULTURES = ("US", "CN", "IL", "GB", "FR", "KR", "JP", "IN", "IR", "BR")
DENOMINATOR = "answered"
IN_WORDS = " [pictures told in words]"
SHOWN_TO_BOTH = " [background sees the picture]"
_POINTS = {"value": "points", "low": "low", "high": "high"}
FAILED_ITSELF = ("truncated", "refused")  # what a model did, not what befell the request
MEAN = OVERALL


class Study(Protocol):
    """What the tables need to know of a study."""

    @property
    def seed(self) -> int: ...
    @property
    def models(self) -> Sequence[Model]: ...
    @property
    def conditions(self) -> Sequence[Condition]: ...
    @property
    def options(self) -> Mapping[str, Any]: ...


class Shown(NamedTuple):
    """A table of the study: estimates to be laid out by `rows` and `columns` (factors of their group), or, where both are
    empty, a plain frame to be shown as it is."""

    name: str
    caption: str
    frame: pl.DataFrame
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


def arranged(frame: pl.DataFrame, study: Study, templates: Mapping[str, Template] | None = None) -> pl.DataFrame:
    """The rows that were asked, with `task`, `mode`, `line`, and values as the docstring of this module says."""
    asked = frame.filter(pl.col("request_id").is_not_null())
    joined = asked.join(_roles(study, templates), on="condition", how="inner").join(
        _lines(study, asked["model"].unique().sort().to_list()), on="model", how="left"
    )
    failed = pl.col("reason").str.starts_with(FAILED_ITSELF[0]) | pl.col("reason").str.starts_with(FAILED_ITSELF[1])
    return _marked(joined, study).with_columns(
        value=pl.when(pl.col("value").is_null() & failed).then(0.0).otherwise(pl.col("value"))
    )


def of_scorer(rows: pl.DataFrame, scorer: str, task: str, concepts: Sequence[str] = CONCEPTS) -> pl.DataFrame:
    """Rows of one scorer, task and set of concepts."""
    return rows.filter((pl.col("scorer") == scorer) & (pl.col("task") == task) & pl.col("domain").is_in(list(concepts)))


def largest_and_direct(rows: pl.DataFrame, study: Study) -> pl.DataFrame:
    """Rows of direct answers of the largest model of each family (options.largest_of_family); where none of these was run, or none
    answered directly, the others stay."""
    largest = [str(name) for name in study.options.get("largest_of_family", ())]
    for column, wanted in (("line", largest), ("mode", ["direct"])):
        kept = rows.filter(pl.col(column).is_in(wanted))
        rows = rows if kept.is_empty() else kept
    return rows


def once(rows: pl.DataFrame) -> pl.DataFrame:
    """One row for each distinct request: what Null and Neutral share between cultures was answered once."""
    return rows.unique(["line", "mode", "scorer", "request_id"], keep="first", maintain_order=True)


def grouped_by_sharing(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows whose `cluster` also joins pictures that shared a request of that cue level (the question alone, without a
    conversation, is the same for all pictures of a concept: one answer, however many rows)."""
    shared = (
        rows.group_by("cue_level", "request_id")
        .agg(pl.col("cluster").unique(), pl.col("cluster").min().alias("first"))
        .filter(pl.col("cluster").list.len() > 1)
        .explode("cluster")
        .group_by("cue_level", "cluster")
        .agg(joined=pl.col("first").min())
    )
    return (
        rows.join(shared, on=["cue_level", "cluster"], how="left", maintain_order="left")
        .with_columns(cluster=pl.coalesce(pl.lit("with ") + pl.col("joined"), pl.col("cluster")))
        .drop("joined")
    )


def rate(rows: pl.DataFrame, by: Sequence[str], name: str, seed: int, cluster: str = "cluster") -> pl.DataFrame:
    """Estimates of a rate per `by`, with `n_requests`, the number of distinct requests behind each."""
    found = summaries.rate(rows, by, cluster=cluster, denominator="judged", name=name, seed=seed)
    return with_requests(found, rows, by).with_columns(denominator=pl.lit(DENOMINATOR))


def shares(
    rows: pl.DataFrame, by: Sequence[str], answers: Sequence[str], factor: str, name: str, seed: int
) -> pl.DataFrame:
    """Share of each of the answers per `by`, the answer in the group under `factor`; together they are all rows."""
    if rows.is_empty():
        return pl.DataFrame()
    parts: list[pl.DataFrame] = []
    for answer in answers:
        chosen = rows.with_columns(value=(pl.col("answer") == answer).cast(pl.Float64))
        parts.append(regrouped(rate(chosen, by, name, seed), **{factor: answer}))
    return pl.concat(parts)


def with_requests(found: pl.DataFrame, rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Estimates with `n_requests`, counted in the rows that they come from."""
    if "request_id" not in rows.columns or rows.is_empty():
        return found.with_columns(n_requests=pl.lit(None, dtype=pl.Int64))
    counts = rows.group_by(list(by)).agg(pl.col("request_id").n_unique().cast(pl.Int64).alias("n_requests"))
    labels = [digest.canonical_json({key: row[key] for key in by}).decode() for row in counts.iter_rows(named=True)]
    return found.join(
        counts.select("n_requests", group=pl.Series(labels, dtype=pl.String)),
        on="group",
        how="left",
        maintain_order="left",
    )


def regrouped(found: pl.DataFrame, **levels: str) -> pl.DataFrame:
    """Estimates with further factors in their group."""
    groups = [digest.canonical_json({**msgspec.json.decode(group), **levels}).decode() for group in found["group"]]
    return found.with_columns(group=pl.Series(groups, dtype=pl.String))


def in_words(tests: pl.DataFrame) -> pl.DataFrame:
    """Contrasts as a plain frame: their factors, the difference in points with its interval, p by Holm within the family, its
    size, and what the test can't reach."""
    groups = pl.DataFrame([msgspec.json.decode(group) for group in tests["group"]], infer_schema_length=None)
    points = [(100 * pl.col(name)).round(1).alias(shown) for name, shown in _POINTS.items()]
    facts = tests.select(
        *points, pl.col("p_adjusted").round(4), "family_size", "n_items", note=pl.col("note").fill_null("")
    )
    return groups.hstack(facts)


def ranked_as(column: str, order: Sequence[str]) -> pl.Expr:
    """The place of a column's values in an order, for sorting; unknown ones last."""
    return pl.col(column).replace_strict({name: at for at, name in enumerate(order)}, default=len(order))


def stacked(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Estimates of several sources in one frame, missing columns null."""
    filled = [part for part in parts if part.height]
    return pl.concat(filled, how="diagonal_relaxed") if filled else pl.DataFrame()


def _roles(study: Study, templates: Mapping[str, Template] | None) -> pl.DataFrame:
    rows: list[tuple[str, str, str]] = []
    for condition in study.conditions:
        template = find(condition.prompt, templates)
        if template.task not in TASKS:
            continue
        thinks = template.mode == "cot" or condition.thinking == "on"
        mode = "pragmatic" if template.mode == "pragmatic" else "cot" if thinks else "direct"
        rows.append((condition.name, template.task, mode))
    schema = {"condition": pl.String(), "task": pl.String(), "mode": pl.String()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _lines(study: Study, names: Sequence[str]) -> pl.DataFrame:
    known = {model.name: model for model in study.models}
    lines = [(name, known[name].checkpoint_of or name if name in known else name) for name in names]
    return pl.DataFrame(lines, schema={"model": pl.String(), "line": pl.String()}, orient="row")


def _marked(rows: pl.DataFrame, study: Study) -> pl.DataFrame:
    """Lines whose pictures were told in words carry it in their name; background rows, which have none, go with both. Where a
    background condition shows the picture, its rows, and those of the reply to set beside them, are a line of their own."""
    sees = {model.name for model in study.models if "image" in model.inputs}
    told = [condition.name for condition in study.conditions if condition.given == "text"]
    shown = [condition.name for condition in study.conditions if condition.given == "picture"]
    in_words = pl.col("condition").is_in(told) | ~pl.col("model").is_in(sorted(sees))
    vqa = rows.filter(pl.col("task") == "vqa").with_columns(words=in_words)
    routes = vqa.select("line", "words").unique()
    blind = (
        rows.filter((pl.col("task") == "bg") & ~pl.col("condition").is_in(shown))
        .join(routes, on="line", how="left")
        .with_columns(pl.col("words").fill_null(value=False))
    )
    seen = rows.filter((pl.col("task") == "bg") & pl.col("condition").is_in(shown)).with_columns(
        words=pl.lit(value=False)
    )
    beside = vqa.filter(~pl.col("words") & pl.col("line").is_in(seen["line"].unique().implode()))
    own = pl.concat([seen, beside], how="diagonal").with_columns(pl.col("line") + SHOWN_TO_BOTH)
    both = pl.concat([blind, vqa, own if seen.height else own.clear()], how="diagonal")
    label = pl.when(pl.col("words")).then(pl.col("line") + IN_WORDS).otherwise(pl.col("line"))
    return both.with_columns(line=label).drop("words")
