"""Case tables: one scaffold, its cue substitutions per culture, and what was answered at three levels, shifts marked."""

from __future__ import annotations

import json
from collections.abc import Sequence

import polars as pl

from covary.report.capri_frame import CULTURES, SUBJECTIVE, Shown, Study, largest_and_direct, of_scorer

LEVELS = ("Neutral", "ImplicitFull", "ExplicitFull")
SHIFT = "→ "
MOST = 2


def tables(rows: pl.DataFrame, study: Study, items: pl.DataFrame) -> list[Shown]:
    """A case table per line and mode for the study's declared cases (options.cases: scaffold ids), or, for direct answers of the
    largest model of each family (options.largest_of_family, where they were run), for the two scaffolds that moved most."""
    answers = of_scorer(rows, "option", "vqa", SUBJECTIVE).filter(
        pl.col("cue_level").is_in(LEVELS) & (pl.col("replicate") == 0)
    )
    declared = [str(name) for name in study.options.get("cases", ())]
    if not declared:
        answers = largest_and_direct(answers, study)
    found: list[Shown] = []
    for (line, mode), part in answers.group_by("line", "mode", maintain_order=True):
        for source in declared or most_moved(part):
            cells = part.filter(pl.col("source_id") == source)
            if cells.height:
                caption = f"{line}, {mode}: {source}. {_about(cells, items)}{SHIFT.strip()} marks an answer that differs from Neutral."
                found.append(Shown(f"capri-case-{len(found) + 1}", caption, case(cells, items)))
    return found


def case(cells: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """One row per culture: cue 1, cue 2, and the answers at Neutral, ImplicitFull and ExplicitFull, shifts marked."""
    answers = {
        (culture, level): answer or "no answer"
        for culture, level, answer in cells.select("culture", "cue_level", "answer").iter_rows()
    }
    cues = _substitutions(cells, items)
    found: list[dict[str, str]] = []
    for culture in sorted({culture for culture, _ in answers}, key=_rank):
        neutral = answers.get((culture, LEVELS[0]), "")
        first, second = cues.get(culture, ("", ""))
        shown = {level: _marked(answers.get((culture, level), ""), neutral) for level in LEVELS[1:]}
        found.append({"culture": culture, "cue 1": first, "cue 2": second, LEVELS[0]: neutral, **shown})
    return pl.DataFrame(found)


def most_moved(part: pl.DataFrame, most: int = MOST) -> Sequence[str]:
    """The scaffolds with most answers that differ from Neutral, the first by name where they tie."""
    neutral = part.filter(pl.col("cue_level") == LEVELS[0]).select("source_id", "culture", before="answer")
    moved = part.join(neutral, on=["source_id", "culture"], how="inner").filter(pl.col("answer") != pl.col("before"))
    return (
        moved.group_by("source_id")
        .len()
        .sort(["len", "source_id"], descending=[True, False])["source_id"]
        .head(most)
        .to_list()
    )


def _about(cells: pl.DataFrame, items: pl.DataFrame) -> str:
    """What the picture shows, and the question; nothing where the items don't say."""
    known = items.filter(pl.col("item_id").is_in(cells["item_id"].implode()))
    if known.is_empty() or "question" not in known.columns:
        return ""
    shown = str(json.loads(known["meta"][0]).get("caption", "")).rstrip(".")
    return f"Picture: {shown}. “{known['question'][0]}” " if shown else ""


def _substitutions(cells: pl.DataFrame, items: pl.DataFrame) -> dict[str, tuple[str, str]]:
    full = cells.filter(pl.col("cue_level") == "ImplicitFull").select("item_id", "culture")
    found: dict[str, tuple[str, str]] = {}
    for culture, meta in full.join(items.select("item_id", "meta"), on="item_id").select("culture", "meta").iter_rows():
        values = [str(cue.get("value", "")) for cue in json.loads(meta).get("cues", ())]
        found[culture] = (values[0] if values else "", values[1] if len(values) > 1 else "")
    return found


def _marked(answer: str, neutral: str) -> str:
    return f"{SHIFT}{answer}" if answer and answer != neutral else answer


def _rank(culture: str) -> tuple[int, str]:
    return (CULTURES.index(culture) if culture in CULTURES else len(CULTURES), culture)
