"""Sending a study's requests: by the loop of this process or on a cluster, with the passes that follow on answers."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from covary.cli.folder import Folder
from covary.cli.stages import Planned
from covary.errors import UsageError, nearest
from covary.prompts.requests import Model

if TYPE_CHECKING:
    from covary.run.budget import Spent
    from covary.run.work import Follow, Outcome
    from covary.store.journal import Journal


@dataclass(frozen=True)
class Limits:
    """Bounds given on the command line; None: the study's, or none."""

    concurrency: int | None = None
    requests: int | None = None
    tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True)
class Cluster:
    """A Ray cluster to run on, and what its actors are. `serve`: model → the command of a server that each actor starts."""

    on: str
    actors: int | None = None
    cpus: float = 1
    gpus: float = 0
    serve: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])


@dataclass(frozen=True)
class Sending:
    """How requests are sent. `read`: journals of other studies whose answers count."""

    limits: Limits = Limits()
    retry_errors: bool = False
    read: tuple[Path, ...] = ()
    cluster: Cluster | None = None
    quiet: bool = False


class TakenOver(NamedTuple):
    """Answers that this run didn't ask for and that aren't whole: cut off, refused, or errors from before; and what came from
    other studies' journals: all, and those of them that aren't whole."""

    truncated: int
    refused: int
    errors: int
    borrowed: int
    borrowed_truncated: int
    borrowed_refused: int

    @property
    def words(self) -> str:
        """One line for a user; empty where there is nothing to say."""
        parts: list[str] = []
        if self.truncated or self.refused or self.errors:
            parts.append(
                f"not asked again, and none of them a whole answer: {self.truncated:,} cut off, {self.refused:,} refused, {self.errors:,} "
                "errors (--retry-errors sends errors again)"
            )
        if self.borrowed:
            parts.append(
                f"taken from other studies' journals: {self.borrowed:,} answers, of them {self.borrowed_truncated:,} cut off, "
                f"{self.borrowed_refused:,} refused"
            )
        return "; ".join(parts)


def cluster(
    on: str | None, actors: int | None, cpus: float | None, gpus: float | None, serve: Sequence[str]
) -> Cluster | None:
    """The cluster that options of the command line describe. Raises UsageError for actors without a cluster."""
    if on is None:
        if actors is not None or cpus is not None or gpus is not None or serve:
            raise UsageError("--serve, --actors, --cpus-per-actor and --gpus-per-actor are for a run with --on ray")
        return None
    return Cluster(on, actors, 1 if cpus is None else cpus, gpus or 0, dict(map(_served, serve)))


def ask(
    folder: Folder, planned: Planned, sending: Sending, judging: bool, judge: str | None, stop_at_success: bool
) -> tuple[Outcome, TakenOver]:
    """Send the plan's requests, judges' and later attempts among them as answers come in. `judging`: ask judges too."""
    from covary.cli import stopping

    rule = stopping.declared(folder.study, stop_at_success)
    _check(folder, planned, sending)
    with _journal(folder, sending) as journal:
        stopping.keep(folder, rule)
        table = stopping.first_requests(folder, planned, rule) if rule else folder.requests
        further = stopping.follow(folder, planned, rule) if rule else None
        if sending.cluster is None:
            follow = stopping.joined([_judges(folder, planned, judge) if judging else None, further])
            outcome = _by_loop(folder, planned, table, sending, journal, follow)
        else:
            outcome = _by_steps(folder, table, sending, sending.cluster, journal, further)
        return outcome, _taken_over(journal, outcome, planned.links)


def ask_pass(folder: Folder, requests: pl.DataFrame, sending: Sending, spent: Spent | None) -> Outcome:
    """Send the requests of a later pass, into the same journal, within what the run has left of its budget; what stops is told."""
    planned = Planned(pl.DataFrame(), requests, pl.DataFrame())
    with _journal(folder, sending) as journal:
        outcome = _by_loop(folder, planned, requests, sending, journal, None, spent)
    for line in outcome.stopped:
        print(f"covary: {line}", file=sys.stderr)
    return outcome


def _judges(folder: Folder, planned: Planned, judge: str | None) -> Follow | None:
    from covary.cli.judging import pipeline

    return pipeline(folder, planned, judge)


def _check(folder: Folder, planned: Planned, sending: Sending) -> None:
    """What can be known to be wrong before a journal is opened."""
    if sending.cluster is not None:
        if _budget(folder, sending) != _no_budget():
            raise UsageError("a budget can't be kept on a cluster; leave it out, or run without --on")
        asked = set(planned.requests["model"].unique())
        for name in sending.cluster.serve:
            if name not in asked:
                raise UsageError(f"--serve {name}: this run asks no such model{nearest(name, sorted(asked))}")


def _journal(folder: Folder, sending: Sending) -> Journal:
    from covary.store.journal import Journal

    return Journal.open(folder.journal, also=sending.read)


def _by_loop(
    folder: Folder,
    planned: Planned,
    requests: pl.DataFrame | Path,
    sending: Sending,
    journal: Journal,
    follow: Follow | None,
    spent: Spent | None = None,
) -> Outcome:
    from covary.run.plan import run_plan
    from covary.run.progress import progress_for

    models = {model.name: model for model in folder.study.models}
    _have_weights(models, planned)
    cells = planned.links["request_id"].drop_nulls().len() if planned.links.width else 0
    return run_plan(
        requests,
        models,
        journal,
        progress=progress_for("quiet" if sending.quiet else "auto"),
        limits=_run_limits(sending),
        budget=_budget(folder, sending),
        retry_errors=sending.retry_errors,
        follow=follow,
        read_picture=_reader(folder),
        shared=max(0, cells - planned.requests.height),
        spent=spent,
    )


def _on_cluster(
    folder: Folder, requests: pl.DataFrame | Path, sending: Sending, cluster: Cluster, journal: Journal
) -> Outcome:
    from covary.run.progress import progress_for
    from covary.run.ray import run_on_ray

    return run_on_ray(
        requests,
        {model.name: model for model in folder.study.models},
        folder.root / "cluster",
        on=cluster.on,
        journal=journal,
        actors=cluster.actors,
        cpus_per_actor=cluster.cpus,
        gpus_per_actor=cluster.gpus,
        limits=_run_limits(sending),
        retry_errors=sending.retry_errors,
        read_picture=_reader(folder),
        serve=cluster.serve,
        progress=progress_for("quiet" if sending.quiet else "auto"),
    )


def _by_steps(
    folder: Folder, table: Path, sending: Sending, cluster: Cluster, journal: Journal, further: Follow | None
) -> Outcome:
    """On a cluster nothing is asked on the way: later attempts are runs of their own."""
    from covary.cli import stopping
    from covary.run.work import added

    if further is None:
        return _on_cluster(folder, table, sending, cluster, journal)
    steps = stopping.attempts(pl.read_parquet(table, glob=False), further, journal.frame)
    return added([_on_cluster(folder, step, sending, cluster, journal) for step in steps])


def _taken_over(journal: Journal, outcome: Outcome, links: pl.DataFrame) -> TakenOver:
    """What was there already, of the plan's requests."""
    found = journal.taken_over().join(links.select("request_id"), on="request_id", how="semi")

    def count(*statuses: str, borrowed: bool = False) -> int:
        return found.filter(pl.col("status").is_in(statuses) & (pl.col("borrowed") | (not borrowed))).height

    return TakenOver(
        count("truncated"),
        count("refused"),
        sum(part.found_errors for part in outcome.by_model.values()),
        count("ok", "truncated", "refused", borrowed=True),
        count("truncated", borrowed=True),
        count("refused", borrowed=True),
    )


def _run_limits(sending: Sending) -> Any:
    from covary.run.work import Limits as RunLimits

    return RunLimits(concurrency=sending.limits.concurrency) if sending.limits.concurrency else None


def _budget(folder: Folder, sending: Sending) -> Any:
    from covary.run.budget import Budget

    given, declared = sending.limits, folder.study.budget
    return Budget(given.requests or declared.requests, given.tokens or declared.tokens, given.money or declared.money)


def _no_budget() -> Any:
    from covary.run.budget import Budget

    return Budget()


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


def _served(option: str) -> tuple[str, list[str]]:
    """A model's name and the command that serves it, from NAME=COMMAND."""
    import shlex

    name, found, command = option.partition("=")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--serve {option!r}: {str(error).lower()}") from None
    if not (name and found and words):
        raise UsageError(
            f"--serve {option!r}: expected MODEL=COMMAND, e.g. qwen='vllm serve Qwen/Qwen3-8B --port {{port}}'"
        )
    return name, words
