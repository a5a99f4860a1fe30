"""RQ1 to RQ3: background inference against the reply, by cue level, mode, concept and culture, with the gap and baselines."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from covary.analysis import contrasts
from covary.analysis.contrasts import Contrast
from covary.culture.units import accepted
from covary.report.capri_frame import (
    OBJECTIVE,
    Shown,
    Study,
    grouped_by_sharing,
    in_words,
    of_scorer,
    rate,
    regrouped,
    stacked,
)

METRIC_AND_DOLLARS = "(always metric and US dollars)"
ALWAYS_US = "(always the US)"
TRIVIAL = "trivial"
GAP_LEVEL = "ImplicitFull"


def tasks(rows: pl.DataFrame) -> pl.DataFrame:
    """Background (country) and reply (quantity) rows of the concepts that have a right answer; clusters join pictures that
    shared a background request."""
    bg = grouped_by_sharing(of_scorer(rows, "country", "bg", OBJECTIVE))
    return pl.concat([bg, of_scorer(rows, "quantity", "vqa", OBJECTIVE)])


def tables(rows: pl.DataFrame, study: Study) -> list[Shown]:
    """The tables of RQ1 to RQ3."""
    both = tasks(rows)
    if both.is_empty():
        return []
    by_level = stacked(
        [
            rate(both, ["line", "mode", "task", "cue_level"], "capri-levels", study.seed),
            baselines(both, ["cue_level"], "capri-levels", study.seed),
        ]
    )
    found = [
        Shown(
            "capri-levels",
            "Background inference (bg) and reply (vqa): share (%) right, by cue level. Concepts with a right answer.",
            by_level,
            ("line", "mode", "task"),
            ("cue_level",),
        )
    ]
    for factor, caption in (("domain", "by concept"), ("culture", "by culture")):
        name = f"capri-levels-by-{'concept' if factor == 'domain' else factor}"
        estimates = stacked(
            [
                rate(both, ["line", "mode", "task", factor, "cue_level"], name, study.seed),
                baselines(both, [factor, "cue_level"], name, study.seed),
            ]
        )
        shown = f"Background inference (bg) and reply (vqa): share (%) right, {caption}."
        found.append(Shown(name, shown, estimates, ("line", "mode", "task", factor), ("cue_level",)))
    gaps = gap(rows, study, ["cue_level"])
    if gaps.height:
        found.append(
            Shown(
                "capri-gap",
                "The gap: background inference minus reply (percentage points), paired by item, intervals by picture. "
                "Positive: the country is known more often than acted on.",
                gaps,
                ("line", "mode"),
                ("cue_level",),
            )
        )
    splits: list[pl.DataFrame] = []
    for factor, word in (("culture", "culture"), ("domain", "concept")):
        split = gap(rows, study, [factor], level=GAP_LEVEL)
        if split.height:
            splits.append(split)
            caption = f"The gap at {GAP_LEVEL} by {word} (percentage points); p values by Holm over the {word}s of a model and mode."
            found.append(Shown(f"capri-gap-by-{word}", caption, split, ("line", "mode"), (factor,)))
    if splits:
        tests = pl.concat([in_words(part) for part in (gaps, *splits)], how="diagonal")
        caption = "Tests of the gap (points), Holm over the levels, the cultures, and the concepts of a model and mode."
        found.append(
            Shown(
                "capri-gap-tests",
                caption,
                tests.select(*_first(tests, ("line", "mode", "cue_level", "culture", "domain"))),
            )
        )
    for factor, name, caption in (
        ("cue_level", "capri-modes", "What reasoning changes in the reply (percentage points), paired by item."),
        ("culture", "capri-modes-by-culture", f"What reasoning changes in the reply at {GAP_LEVEL}, by culture (points); Holm over all."),
        ("domain", "capri-modes-by-concept", f"What reasoning changes in the reply at {GAP_LEVEL}, by concept (points); Holm over all."),
    ):  # fmt: skip
        changes = modes(both if factor == "cue_level" else both.filter(pl.col("cue_level") == GAP_LEVEL), study, factor)
        if changes.height:
            found.append(Shown(name, caption, changes, ("line", "change"), (factor,)))
    return found


def gap(rows: pl.DataFrame, study: Study, by: Sequence[str], level: str | None = None) -> pl.DataFrame:
    """Estimates of bg − vqa per line × mode × `by`, one family (Holm) per line and mode.

    Each mode of the reply is set beside the background of the same thinking: direct beside direct, chain of thought and
    pragmatic beside chain of thought; where that was not asked, beside the one that was.
    """
    beside = _beside(rows)
    if beside.is_empty():
        return pl.DataFrame()
    if level is not None:
        beside = beside.filter(pl.col("cue_level") == level)
    contrast = Contrast("gap", "task", ("bg", "vqa"), by=["line", "mode", *by], blocked_by=["item_id", "cue_level"])
    parts = [
        contrasts.estimate(
            part, contrast, cluster="cluster", denominator="judged", family=f"gap of {line}, {mode}", seed=study.seed
        )
        for (line, mode), part in beside.group_by("line", "mode", maintain_order=True)
        if part["task"].n_unique() == 2
    ]
    return pl.concat(parts) if parts else pl.DataFrame()


def _first(frame: pl.DataFrame, names: Sequence[str]) -> list[str]:
    """A frame's columns, these before the others."""
    return [*names, *(name for name in frame.columns if name not in names)]


def modes(both: pl.DataFrame, study: Study, factor: str = "cue_level") -> pl.DataFrame:
    """Contrasts of the reply's modes per line × cue level (or another factor); one family (Holm) a pair of modes."""
    reply = both.filter(pl.col("task") == "vqa")
    known = set(reply["mode"].unique())
    found: list[pl.DataFrame] = []
    for a, b in (("cot", "direct"), ("pragmatic", "cot"), ("pragmatic", "direct")):
        lines = reply.filter(pl.col("mode").is_in([a, b])).group_by("line").agg(pl.col("mode").n_unique())
        both_modes = lines.filter(pl.col("mode") == 2)["line"]
        if {a, b} <= known and both_modes.len():
            part = reply.filter(pl.col("line").is_in(both_modes.implode()))
            contrast = Contrast(f"{a} - {b}", "mode", (a, b), by=["line", factor], blocked_by=["item_id"])
            made = contrasts.estimate(
                part, contrast, cluster="cluster", denominator="judged", family="modes", seed=study.seed
            )
            found.append(regrouped(made, change=f"{a} against {b}"))
    return pl.concat(found) if found else pl.DataFrame()


def baselines(both: pl.DataFrame, by: Sequence[str], name: str, seed: int) -> pl.DataFrame:
    """What two rules without any model score on the same items: always metric and US dollars, always the US."""
    items = both.unique(["item_id", "task"], maintain_order=True).with_columns(mode=pl.lit(TRIVIAL))
    made: list[pl.DataFrame] = []
    for task in ("bg", "vqa"):
        part = items.filter(pl.col("task") == task)
        if part.is_empty():
            continue
        rules = {ALWAYS_US: ("imperial", "USD")}
        if task == "vqa":
            rules = {METRIC_AND_DOLLARS: ("metric", "USD"), **rules}
        for label, (system, currency) in rules.items():
            answers = [
                float(culture == "US") if task == "bg" else _fits(culture, concept, system, currency)
                for culture, concept in part.select("culture", "domain").iter_rows()
            ]
            scored = part.with_columns(value=pl.Series(answers, dtype=pl.Float64), line=pl.lit(label))
            made.append(rate(scored, ["line", "mode", "task", *by], name, seed))
    return stacked(made)


def _fits(culture: str, concept: str, system: str, currency: str) -> float | None:
    gold = accepted(culture, concept)
    return float((currency if concept == "price" else system) in gold) if gold else None


def _beside(rows: pl.DataFrame) -> pl.DataFrame:
    """Reply rows and the background rows that each mode is set beside, these under the reply's mode."""
    both = tasks(rows)
    found: list[pl.DataFrame] = []
    for _, part in both.group_by("line", maintain_order=True):
        asked = set(part.filter(pl.col("task") == "bg")["mode"].unique())
        for mode in part.filter(pl.col("task") == "vqa")["mode"].unique(maintain_order=True):
            wanted = "direct" if mode == "direct" else "cot"
            chosen = wanted if wanted in asked else next(iter(sorted(asked)), None)
            if chosen is None:
                continue
            bg = part.filter((pl.col("task") == "bg") & (pl.col("mode") == chosen)).with_columns(mode=pl.lit(mode))
            vqa = part.filter((pl.col("task") == "vqa") & (pl.col("mode") == mode))
            clusters = bg.select("item_id", joined="cluster").unique("item_id")
            vqa = vqa.join(clusters, on="item_id", how="left", maintain_order="left").with_columns(
                cluster=pl.coalesce("joined", "cluster")
            )
            found.append(pl.concat([bg, vqa.drop("joined")]))
    return pl.concat(found) if found else both.clear()
