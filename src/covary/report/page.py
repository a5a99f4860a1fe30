"""The report page: one self-contained HTML file. Everything shown is escaped; nothing is fetched; the one script that may run makes
figures answer. The items browser is a page of its own."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, NamedTuple

import polars as pl
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from covary import __version__
from covary.analysis.words import words
from covary.prompts.conditions import Condition
from covary.prompts.requests import Model
from covary.prompts.templates import Template, find
from covary.report import told
from covary.report.declared import RATE_SCORERS_EXCLUDED
from covary.report.examples import Example, Shown
from covary.report.grid import Grid, arrow, best, change, interval, percent
from covary.report.published import DIFFERS, WITHIN, counts
from covary.report.sheet import Sheet
from covary.report.terminal import NOTHING, caption
from covary.report.traces import Trace

HEADLINES, MOST_FURTHER = 8, 200
MOST_NOTES = 6
FIGURE = re.compile(r"\d[\d.]*")
MOST_ROWS = 60
"""Rows of a sheet that the page shows; its CSV holds all."""


class Sentence(NamedTuple):
    """One contrast in words."""

    name: str
    words: str


class Figure(NamedTuple):
    """A figure as SVG text made by us (never a model's), and its caption."""

    name: str
    svg: Markup
    caption: str


class Prompt(NamedTuple):
    """What a condition asked with."""

    condition: str
    name: str
    version: int
    facts: str
    text: str


class ScorerRow(NamedTuple):
    """How a scorer fared."""

    name: str
    version: int
    judged: int
    null: int
    reasons: tuple[tuple[str, int], ...]


class PublishedLine(NamedTuple):
    """Printed values of one table beside ours: how many are equal, within, differ, can't be computed; those that differ."""

    table: str
    counts: str
    differing: tuple[str, ...]


class Span(NamedTuple):
    """A heading cell over several columns."""

    text: str
    width: int


@dataclass(frozen=True)
class Page:
    """All that the page shows."""

    title: str
    description: str
    notice: str
    written_at: str
    counts: str
    overview: Sequence[tuple[str, str]]
    exhibits: Sequence[Grid | Sheet]
    headlines: Sequence[Sentence]
    further: Sequence[Sentence]
    examples: Sequence[Example]
    scorers: Sequence[ScorerRow]
    models: Sequence[Model]
    prompts: Sequence[Prompt]
    warnings: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    traces: Sequence[Trace] = ()
    published: Sequence[PublishedLine] = ()
    slips: Sequence[Mapping[str, Any]] = ()
    version: str = __version__


def render(page: Page) -> str:
    """The page as HTML text."""
    return _environment().get_template("page.html.j2").render(page=page, mark=mark, verdict=verdict, variant=variant)


def alone(name: str, title: str, exhibit: Grid | Sheet | None, figure: Figure | None) -> str:
    """One table, its figure, or both, as a page of its own."""
    template = _environment().get_template("alone.html.j2")
    return template.render(name=name, caption_of=title, exhibit=exhibit, figure=figure, version=__version__)


def overview(frame: pl.DataFrame, items: pl.DataFrame) -> list[tuple[str, str]]:
    """The study's size in numbers: (what, how many)."""
    asked = frame.filter(pl.col("request_id").is_not_null())
    names = (("source items", "source_id"), ("languages", "language"), ("conditions", "condition"), ("models", "model"))
    sizes = [(what, f"{asked[column].n_unique():,}") for what, column in names]
    answered = asked.select(pl.struct("item_id", "condition", "model", "replicate").n_unique()).item()
    unjudged = frame.filter(pl.col("value").is_null()).height
    return [
        *sizes,
        ("forms of items", f"{items.height:,}"),
        ("answers", f"{answered:,}"),
        ("scores", f"{frame.height:,} ({unjudged:,} not judged)"),
    ]


def warnings(contrasts: pl.DataFrame, estimates: pl.DataFrame, conditions: Iterable[Condition]) -> list[str]:
    """What a reader should know before quoting a number: notes of contrasts and of table cells, counted; idle replicates."""
    told: list[str] = []
    for frame, what in ((contrasts, "contrasts"), (estimates, "table cells")):
        if "note" not in frame.columns:
            continue
        notes = frame["note"].drop_nulls().to_list()
        kinds = Counter(FIGURE.sub("0", note) for note in notes)
        examples = {FIGURE.sub("0", note): note for note in reversed(notes)}
        told += [
            f"{count:,} of {frame.height:,} {what}{', one of them' if count > 1 else ''}: {examples[kind]}"
            for kind, count in kinds.most_common(MOST_NOTES)
        ]
    for condition in conditions:
        if condition.replicates > 1 and condition.sampling.get("temperature") == 0:
            told.append(f"{condition.name}: {condition.replicates} replicates at temperature 0 are hardly independent.")
    return told


def sentences(contrasts: pl.DataFrame) -> tuple[list[Sentence], list[Sentence]]:
    """Contrasts in words: the headlines (smallest corrected p first, undefined last), and the rest up to a bound that is told."""
    if contrasts.is_empty():
        return [], []
    ranked = contrasts.sort("p_adjusted", "p_value", nulls_last=True, maintain_order=True)
    shown = ranked.head(HEADLINES + MOST_FURTHER)
    lines = [Sentence(str(row["name"]), words(row)) for row in shown.iter_rows(named=True)]
    left = ranked.height - len(lines)
    more = [Sentence("and so on", f"{left:,} more stand in the table contrasts.")] if left else []
    return lines[:HEADLINES], [*lines[HEADLINES:], *more]


def scorer_rows(scores: pl.DataFrame) -> list[ScorerRow]:
    """One row per scorer: judged, not judged, and why not."""
    rows: list[ScorerRow] = []
    for (name, version), group in scores.group_by("scorer", "scorer_version", maintain_order=True):
        nulls = group.filter(pl.col("value").is_null())
        reasons = nulls["reason"].str.slice(0, 120).value_counts(sort=True).head(4)
        rows.append(
            ScorerRow(
                str(name), int(str(version)), group.height - nulls.height, nulls.height, tuple(reasons.iter_rows())
            )
        )
    return rows


def published_lines(compared: pl.DataFrame) -> list[PublishedLine]:
    """One line per published table, with its differing cells spelt out."""
    lines: list[PublishedLine] = []
    for (table,), group in compared.group_by("table", maintain_order=True):
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts(group).items() if count)
        differing = tuple(
            " ".join(str(row[name]) for name in ("model", "language", "condition", "category", "metric") if row[name])
            + f": printed {row['value']:g}, ours {row['ours']:.2f}"
            for row in group.filter(pl.col("verdict").is_in([DIFFERS, WITHIN])).iter_rows(named=True)
        )
        lines.append(PublishedLine(str(table), told, differing))
    return lines


def prompts(conditions: Iterable[Condition], templates: Mapping[str, Template] | None) -> list[Prompt]:
    """Each condition's prompt, as written in its instruction language (the item's: English is shown)."""
    found: list[Prompt] = []
    for condition in conditions:
        template = find(condition.prompt, templates)
        language = condition.instruction_language if condition.instruction_language in template.texts else "en"
        text = template.texts.get(language) or next(iter(template.texts.values()))
        found.append(Prompt(condition.name, template.name, template.version, _facts(condition), text.strip()))
    return found


def spans(grid: Grid, level: int) -> list[Span]:
    """Heading cells of one level of column factors: neighbours under the same higher levels are joined."""
    found: list[Span] = []
    previous: tuple[str, ...] | None = None
    for column in grid.columns:
        prefix = column[: level + 1]
        if prefix == previous:
            found[-1] = Span(found[-1].text, found[-1].width + 1)
        else:
            found.append(Span(grid.label(column[level]), 1))
        previous = prefix
    return found


def variant(form: Shown) -> str:
    """A form's heading: its variant's levels and its condition."""
    levels = ", ".join(f"{key} {value}" for key, value in json.loads(form.variant).items())
    return f"{levels}; {form.condition}"


def mark(value: float | None, scorer: str = "") -> str:
    """Class of a score's mark."""
    return "open" if value is None or scorer in RATE_SCORERS_EXCLUDED else "right" if value >= 0.5 else "wrong"


def verdict(value: float | None, scorer: str = "") -> str:
    """A score in words; the colour never says it alone. Of a scorer that judges nothing right or wrong, its value."""
    if value is not None and scorer in RATE_SCORERS_EXCLUDED:
        return f"value {value:g}:"
    return "not judged:" if value is None else {1.0: "right:", 0.0: "wrong:"}.get(value, f"{value:.2f}:")


def _facts(condition: Condition) -> str:
    languages = f"instruction {condition.instruction_language}, reasoning {condition.reasoning_language}, answer {condition.answer_language}"
    sampling: Mapping[str, Any] = condition.sampling
    settings = ", ".join(f"{key} {value}" for key, value in sampling.items()) or "the server's defaults"
    return f"languages: {languages}; sampling: {settings}; replicates {condition.replicates}; thinking {condition.thinking}"


def _environment() -> Environment:
    folder = resources.files("covary.report") / "data"
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
    )
    css, script = ((folder / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    allowed = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode()
    drawing: dict[str, Any] = {
        "percent": percent,
        "interval": interval,
        "caption": caption,
        "spans": spans,
        "best": best,
    }
    drawing |= {"change": change, "arrow": arrow, "is_grid": _is_grid, "longest": MOST_ROWS, "series": told.series}
    drawing |= {"css": Markup(css), "nothing": NOTHING, "script": Markup(script), "allowed": allowed}
    environment.globals.update(drawing)
    return environment


def _is_grid(exhibit: Grid | Sheet) -> bool:
    return isinstance(exhibit, Grid)
