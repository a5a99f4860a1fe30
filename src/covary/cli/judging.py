"""The judging pass of a study: after the rules, models with role "judge" are asked about what is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache
from typing import Any, NamedTuple

import polars as pl

from covary.cli.folder import Folder, stamp_of
from covary.cli.scoring import scoring_of
from covary.cli.stages import Planned
from covary.errors import StudyError
from covary.prompts.requests import merge
from covary.scoring.apply import apply
from covary.scoring.judge import Judging, Policy, of_recorded, settled
from covary.scoring.judge import plan as plan_judging
from covary.scoring.judge import read as read_judging
from covary.store.journal import Journal
from covary.store.tables import write_table
from covary.studies.declaration import JudgeUse

Send = Callable[[Folder, Planned], Any]
Follow = Callable[[pl.DataFrame], pl.DataFrame | None]


class Judged(NamedTuple):
    """All scores, the judge's among them, and what the pass cost: cells judged, and calls that rules saved."""

    scores: pl.DataFrame
    cells: int
    saved: int


def judge_stage(folder: Folder, planned: Planned, scores: pl.DataFrame, which: str | None, send: Send | None) -> Judged:
    """Scores with scorers "judge" and "<rule>+judge" added for each declared pass. `send` runs requests; None: read only.

    `which`: "undecided" or "all" in place of what the study declares, "none" for no judging.
    """
    if which == "none" or not folder.study.judges:
        folder.judged.unlink(missing_ok=True)
        folder.set_stamp("judged", "")
        return Judged(scores, 0, 0)
    judges = [model for model in folder.study.models if model.role == "judge"]
    cells = saved = 0
    added: list[pl.DataFrame] = []
    for use in folder.study.judges:
        if use.source == "recorded":
            verdicts = of_recorded(scores, use.of)
            added += [verdicts, settled(pl.concat([scores.filter(pl.col("scorer") == use.of), verdicts]), use.of)]
            cells += verdicts.height
            saved += scores.filter((pl.col("scorer") == use.of) & pl.col("value").is_not_null()).height
            continue
        policy = _policy(use, which)
        judging = plan_judging(scores, planned.items, judges, policy)
        if send is not None and not judging.plan.requests.is_empty():
            _write_plan(folder, use.of, judging)
            send(folder, Planned(planned.items, *judging.plan))
        verdicts = _read(folder, judging, policy)
        both = pl.concat([scores.filter(pl.col("scorer") == use.of), verdicts])
        added += [verdicts, settled(both, use.of)]
        answered = scores.filter((pl.col("scorer") == use.of) & pl.col("answer").is_not_null()).height
        cells += judging.cells.height
        saved += answered - judging.cells.height
    merged = pl.concat([scores, *added])
    write_table(merged, folder.judged)
    folder.set_stamp("judged_for", folder.stamp("score") or "")
    folder.set_stamp("judged", stamp_of("judged", folder.stamp("score"), [table.write_ndjson() for table in added]))
    return Judged(merged, cells, saved)


def pipeline(folder: Folder, planned: Planned, which: str | None) -> Follow | None:
    """What a run asks the judges while it still solves: for each piece of answers, the cells that rules leave undecided.

    The judging stage plans the same requests from all scores, so that the tables are the same with or without it.
    """
    judges = [model for model in folder.study.models if model.role == "judge"]
    if which == "none" or not folder.study.judges or not judges:
        return None
    passes = [_policy(use, which) for use in folder.study.judges if use.source == "model"]
    scoring = scoring_of(folder).only({policy.of for policy in passes})
    scorers = cache(scoring.scorers)  # made beside the loop when the first answers are there: no request waits for them

    def follow(answers: pl.DataFrame) -> pl.DataFrame | None:
        links = planned.links.filter(pl.col("request_id").is_in(answers["request_id"].implode()))
        if links.is_empty():
            return None
        scores = apply(planned.items, links, answers, scoring.conditions, scorers(), folder.templates)
        further = merge(plan_judging(scores, planned.items, judges, policy).plan for policy in passes).requests
        return None if further.is_empty() else further

    return follow


def _policy(use: JudgeUse, which: str | None) -> Policy:
    policy = Policy(**{key: value for key, value in asdict(use).items() if key != "source"})
    if which in ("undecided", "all"):
        return replace(policy, which=which)  # type: ignore[arg-type]
    if which is not None:
        raise StudyError(f"--judge {which!r}: expected undecided, all or none")
    return policy


def _write_plan(folder: Folder, of: str, judging: Judging) -> None:
    """Keep the pass's requests and links beside the study's own."""
    path = folder.root / f"judge-{of}"
    write_table(judging.plan.requests, path / "requests.parquet")
    write_table(judging.plan.links, path / "links.parquet")


def _read(folder: Folder, judging: Judging, policy: Policy) -> pl.DataFrame:
    with Journal.open(folder.journal, write=False) as journal:
        responses = journal.frame(judging.plan.requests["request_id"].to_list())
    return read_judging(judging, responses, policy)
