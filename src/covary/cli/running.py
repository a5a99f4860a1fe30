"""`covary run` and `covary score`: the stages in order, what happened in words, and an exit status that says whether all is done."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from covary.cli.folder import Folder, open_study
from covary.cli.stages import ORDER, Options, Planned, items_stage, narrowed, plan_stage, score_stage
from covary.errors import UsageError, nearest
from covary.prompts.requests import Model

if TYPE_CHECKING:
    from covary.run.execute import Outcome

UNRESOLVED = 1


@dataclass(frozen=True)
class Limits:
    """Bounds given on the command line; None: the study's, or none."""

    concurrency: int | None = None
    requests: int | None = None
    tokens: int | None = None
    money: float | None = None


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
    only: str | None,
    retry_errors: bool,
    limits: Limits,
    read: tuple[Path, ...],
    on: str | None,
    judge: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run a study's stages, or one. Exit status 1 while any request is unresolved."""
    if only is not None and only not in ORDER:
        raise UsageError(f"--only {only!r}: no such stage{nearest(only, ORDER)}")
    folder = narrowed(open_study(study, chosen.out), chosen.options)
    told: dict[str, Any] = {"study": folder.study.name, "folder": str(folder.root)}
    if only == "items":
        items = items_stage(folder, chosen.options)
        _tell({**told, "items": items.height}, as_json, quiet, f"{items.height:,} items in {folder.items}")
        return
    planned = plan_stage(folder, chosen.options)
    told |= {"items": planned.items.height, "cells": planned.links.height, "requests": planned.requests.height}
    if only == "plan":
        _tell(told, as_json, quiet, f"{planned.requests.height:,} requests in {folder.requests}")
        return
    outcome = None
    if only in (None, "run") and not planned.requests.is_empty():
        from covary.cli.judging import pipeline

        follow = pipeline(folder, planned, judge) if only is None and on is None else None
        outcome = _send(folder, planned, folder.requests, retry_errors, limits, read, on, quiet or as_json, follow)
        told |= _outcome(outcome)
    if only != "run":
        send = _sender(retry_errors, limits, read, quiet or as_json) if only is None else None
        told |= _score_and_report(folder, planned, as_json or quiet, only, judge, send)
    if as_json:
        print(json.dumps(told, ensure_ascii=False))
    if outcome is not None and (outcome.unresolved or outcome.interrupted):
        for line in outcome.stopped:
            print(f"covary: {line}", file=sys.stderr)
        raise SystemExit(130 if outcome.interrupted else UNRESOLVED)


def score(study: str, chosen: Chosen, as_json: bool) -> None:
    """Score what was answered, and say how it went by scorer."""
    folder = narrowed(open_study(study, chosen.out), chosen.options)
    if not folder.journal.exists():
        raise UsageError(f"{folder.root} has no responses yet; covary run {study} makes them")
    scores = score_stage(folder, plan_stage(folder, chosen.options))
    told = _scores(scores)
    if as_json:
        print(json.dumps({"study": folder.study.name, "folder": str(folder.root), **told}, ensure_ascii=False))
        return
    for scorer, counts in told["scores"].items():
        reasons = "; ".join(f"{count:,} × {reason}" for reason, count in counts["why_null"].items())
        print(f"{scorer}: {counts['judged']:,} judged, {counts['null']:,} not" + (f" ({reasons})" if reasons else ""))


def _sender(retry_errors: bool, limits: Limits, read: tuple[Path, ...], quiet: bool) -> Any:
    """What a later pass sends its requests with: the same limits, the same journal."""

    def send(folder: Folder, planned: Planned) -> None:
        outcome = _send(folder, planned, planned.requests, retry_errors, limits, read, None, quiet)
        for line in outcome.stopped:
            print(f"covary: {line}", file=sys.stderr)

    return send


def _send(
    folder: Folder,
    planned: Planned,
    requests: pl.DataFrame | Path,
    retry_errors: bool,
    limits: Limits,
    read: tuple[Path, ...],
    on: str | None,
    quiet: bool,
    follow: Any = None,
) -> Outcome:
    from covary.run.budget import Budget
    from covary.run.execute import Limits as RunLimits
    from covary.run.plan import run_plan
    from covary.run.progress import progress_for
    from covary.store.journal import Journal

    models = {model.name: model for model in folder.study.models}
    _have_weights(models, planned)
    declared = folder.study.budget
    budget = Budget(
        limits.requests or declared.requests, limits.tokens or declared.tokens, limits.money or declared.money
    )
    run_limits = RunLimits(concurrency=limits.concurrency) if limits.concurrency else None
    with Journal.open(folder.journal, also=read) as journal:
        if on is not None:
            if budget != Budget():
                raise UsageError("a budget can't be kept on a cluster; leave it out, or run without --on")
            from covary.run.ray import run_on_ray

            return run_on_ray(
                requests,
                models,
                folder.root / "cluster",
                on=on,
                journal=journal,
                limits=run_limits,
                retry_errors=retry_errors,
                read_picture=_reader(folder),
                progress=progress_for("quiet" if quiet else "auto"),
            )
        return run_plan(
            requests,
            models,
            journal,
            progress=progress_for("quiet" if quiet else "auto"),
            limits=run_limits,
            budget=budget,
            retry_errors=retry_errors,
            follow=follow,
            read_picture=_reader(folder),
            shared=planned.links["request_id"].drop_nulls().len() - planned.requests.height,
        )


def _have_weights(models: Mapping[str, Model], planned: Planned) -> None:
    """Fetch the weights of embedded models that will be asked, with progress shown, before anything else begins."""
    asked = set(planned.requests["model"].unique())
    for model in models.values():
        declared = model.transport
        if model.name in asked and declared.get("kind") == "embedded" and not declared.get("path"):
            from covary.cli.modelling import DownloadLine
            from covary.run import weights

            name = str(declared.get("weights", model.name))
            weights.fetch(name, progress=DownloadLine(name))


def _reader(folder: Folder) -> Any:
    from covary.store.pictures import PictureFolder

    return PictureFolder(folder.pictures).read if folder.pictures.is_dir() else None


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "done": outcome.done,
        "sent_ok": outcome.ok,
        "truncated": outcome.truncated,
        "refused": outcome.refused,
        "errors": outcome.errors,
        "left": outcome.left,
        "prompt_tokens": outcome.spent.prompt_tokens,
        "completion_tokens": outcome.spent.completion_tokens,
        "money": outcome.spent.money,
        "stopped": list(outcome.stopped),
    }


def _score_and_report(
    folder: Folder, planned: Planned, quiet: bool, only: str | None, judge: str | None, send: Any
) -> dict[str, Any]:
    from covary.cli.judging import judge_stage
    from covary.cli.reporting import estimate_stage, print_summary, write_report

    if not folder.journal.exists():
        raise UsageError(f"{folder.root} has no responses yet; run without --only first")
    judged = judge_stage(folder, planned, score_stage(folder, planned), judge, send)
    scores = judged.scores
    told = _scores(scores)
    if judged.cells:
        told |= {"judged_cells": judged.cells, "saved_by_rules": judged.saved}
        if not quiet:
            print(f"judge: {judged.cells:,} cells needed one; rules decided {judged.saved:,} without")
    if only == "score":
        return told
    reported = estimate_stage(folder, scores, planned.items)
    page = write_report(folder, planned, scores, reported)
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
