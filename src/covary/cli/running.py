"""`covary run` and `covary score`: the stages in order, what happened in words, and an exit status that says whether all is done."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from covary.analysis import stopping
from covary.cli import sending as sends
from covary.cli.folder import Folder, open_study
from covary.cli.scoring import score_stage
from covary.cli.stages import ORDER, Options, Planned, items_stage, narrowed, plan_stage
from covary.errors import UsageError, nearest

if TYPE_CHECKING:
    from covary.run.execute import Outcome

UNRESOLVED = 1


@dataclass(frozen=True)
class Chosen:
    """What of a study is asked for, and where it works."""

    data: Path | None = None
    models: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    limit: int | None = None
    out: Path | None = None

    @property
    def options(self) -> Options:
        return Options(self.data, self.models, self.conditions, self.limit)


def run(
    study: str,
    chosen: Chosen,
    sending: sends.Sending,
    only: str | None = None,
    until: str | None = None,
    judge: str | None = None,
    stop_at_success: bool = False,
    as_json: bool = False,
) -> None:
    """Run a study's stages, up to one, or one alone. Exit status 1 while any request is unresolved."""
    only = _stage(only, until)
    folder = narrowed(open_study(study, chosen.out), chosen.options)
    told: dict[str, Any] = {"study": folder.study.name, "folder": str(folder.root)}
    quiet = sending.quiet
    if only == "items":
        items = items_stage(folder, chosen.options)
        _tell({**told, "items": items.height}, as_json, quiet, f"{items.height:,} items in {folder.items}")
        return
    planned = plan_stage(folder, chosen.options)
    if planned.links.is_empty() and chosen.options.replay is None:
        raise UsageError(
            f"study {folder.study.name!r} asks nothing: it needs a [[conditions]] table, and a model that is no judge"
        )
    told |= {"items": planned.items.height, "cells": planned.links.height, "requests": planned.requests.height}
    if only == "plan":
        _tell(told, as_json, quiet, f"{planned.requests.height:,} requests in {folder.requests}")
        return
    sending = replace(sending, quiet=quiet or as_json)
    outcome = None
    if only in (None, "run") and not planned.requests.is_empty():
        outcome, taken_over = sends.ask(folder, planned, sending, only is None, judge, stop_at_success)
        told |= {**_outcome(outcome), "taken_over": taken_over._asdict()}
        if taken_over.words and not sending.quiet:
            print(taken_over.words)
    later = _Later(sending, outcome)
    if only != "run":
        last = only or until or ORDER[-1]
        told |= _score_and_report(folder, planned, sending.quiet, last, judge, later if only is None else None)
    if later.outcomes:
        told |= _spent(later.outcomes[-1])
    if as_json:
        print(json.dumps(told, ensure_ascii=False))
    if outcome is not None:
        for line in outcome.stopped:
            print(f"covary: {line}", file=sys.stderr)
    if any(each.interrupted for each in later.outcomes):
        raise SystemExit(130)
    if any(each.unresolved for each in later.outcomes):
        raise SystemExit(UNRESOLVED)


def _stage(only: str | None, until: str | None) -> str | None:
    """The one stage that is asked for; what comes before "items", "plan" and "run" is made with them anyway."""
    for option, stage in (("--only", only), ("--until", until)):
        if stage is not None and stage not in ORDER:
            raise UsageError(f"{option} {stage!r}: no such stage{nearest(stage, ORDER)}")
    if only and until:
        raise UsageError("--only and --until exclude each other")
    return until if until in ("items", "plan", "run") else only


def score(study: str, chosen: Chosen, as_json: bool) -> None:
    """Score what was answered, and say how it went by scorer."""
    folder = narrowed(open_study(study, chosen.out), chosen.options)
    if not folder.journal.exists():
        raise UsageError(f"{folder.root} has no responses yet; covary run {study} makes them")
    from covary.cli.judging import judge_stage

    planned = plan_stage(folder, chosen.options)
    told = _scores(judge_stage(folder, planned, score_stage(folder, planned, as_json), None, None).scores)
    if as_json:
        print(json.dumps({"study": folder.study.name, "folder": str(folder.root), **told}, ensure_ascii=False))
        return
    for scorer, counts in told["scores"].items():
        reasons = "; ".join(f"{count:,} × {reason}" for reason, count in counts["why_null"].items())
        print(f"{scorer}: {counts['judged']:,} judged, {counts['null']:,} not" + (f" ({reasons})" if reasons else ""))


class _Later:
    """Sends what later passes ask, after a run (None: nothing was sent) and within the same budget; an interrupted run sends no more."""

    def __init__(self, sending: sends.Sending, first: Outcome | None) -> None:
        self.outcomes = [first] if first is not None else []
        self._sending = sending

    def __call__(self, folder: Folder, planned: Planned) -> None:
        if any(outcome.interrupted for outcome in self.outcomes):
            return
        spent = self.outcomes[-1].spent if self.outcomes else None
        self.outcomes.append(sends.ask_pass(folder, planned.requests, self._sending, spent))


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "done": outcome.done,
        "sent_ok": outcome.ok,
        "truncated": outcome.truncated,
        "refused": outcome.refused,
        "errors": outcome.errors,
        "left": outcome.left,
        **_spent(outcome),
        "stopped": list(outcome.stopped),
    }


def _spent(outcome: Outcome) -> dict[str, Any]:
    return {
        "prompt_tokens": outcome.spent.prompt_tokens,
        "completion_tokens": outcome.spent.completion_tokens,
        "money": outcome.spent.money,
    }


def _score_and_report(
    folder: Folder, planned: Planned, quiet: bool, last: str, judge: str | None, send: Any
) -> dict[str, Any]:
    from covary.cli.judging import judge_stage

    if not folder.journal.exists():
        raise UsageError(f"{folder.root} has no responses yet; run without --only first")
    judged = judge_stage(folder, planned, score_stage(folder, planned, quiet), judge, send)
    scores = judged.scores
    told = _scores(scores)
    if left_out := stopping.left_out(scores):
        told["attempts_left_out"] = left_out
        if not quiet:
            print(f"{left_out:,} attempts were not asked, since an earlier one was right")
    if judged.cells:
        told |= {"judged_cells": judged.cells, "saved_by_rules": judged.saved}
        if not quiet:
            print(f"judge: {judged.cells:,} cells needed one; rules decided {judged.saved:,} without")
    if last == "score":
        return told
    from covary.cli.estimating import estimate_stage
    from covary.cli.reporting import print_summary
    from covary.cli.writing import report_stage

    reported = estimate_stage(folder, scores, planned.items)
    page = report_stage(folder, planned, scores, reported)
    if not quiet:
        print_summary(folder, reported)
        print(f"report: {page}")
    return {**told, "estimates": reported.estimates.height, "report": str(page)}


def _scores(scores: pl.DataFrame) -> dict[str, Any]:
    """By scorer: how many were judged, how many not, and the commonest reasons why not."""
    found: dict[str, Any] = {}
    for (scorer,), rows in scores.group_by("scorer", maintain_order=True):
        nulls = rows.filter(pl.col("value").is_null())
        why = nulls["reason"].str.split(":").list.first().value_counts(sort=True).head(5)
        found[str(scorer)] = {
            "judged": rows.height - nulls.height,
            "null": nulls.height,
            "why_null": dict(why.iter_rows()),
        }
    return {"scores": found}


def _tell(told: dict[str, Any], as_json: bool, quiet: bool, line: str) -> None:
    if as_json:
        print(json.dumps(told, ensure_ascii=False))
    elif not quiet:
        print(line)
