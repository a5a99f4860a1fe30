"""Attempts that may stop at the first success: which a run asks first, and which it asks next as answers come in.

A cell's next replicate is asked when the one before has been answered, and is not right by the study's scorer; what isn't judged
counts as not right. What was left out is noted in the folder, so that scores, estimates and report know of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import polars as pl

from covary import schema
from covary.analysis import stopping
from covary.cli.folder import Folder
from covary.cli.scoring import scoring_of
from covary.cli.stages import Planned
from covary.errors import StudyError
from covary.run.sources import PIECE, Bodies
from covary.run.work import Follow
from covary.scoring.apply import apply
from covary.store.tables import read_table, write_table
from covary.studies.declaration import Study

STAMP = "stopping"


def declared(study: Study, asked_for: bool = False) -> dict[str, str]:
    """Condition → the scorer that ends its attempts, for the conditions with replicates. Empty: all attempts are asked.

    `asked_for`: on the command line, whatever the study says. Raises StudyError when that can't be done for any condition.
    """
    if not asked_for and study.attempts.stop == "never":
        return {}
    found: dict[str, str] = {}
    for condition in study.conditions:
        scorer = study.attempts.scorer or next(iter(condition.scorers), "")
        if condition.replicates > 1 and scorer in condition.scorers:
            found[condition.name] = scorer
    if not found and asked_for:
        raise StudyError(
            f"study {study.name!r}: attempts can't stop at the first success: no condition has both replicates above 1 and the "
            f"scorer {study.attempts.scorer or 'that is to judge'}"
        )
    return found


def kept(folder: Folder) -> dict[str, str]:
    """The rule that the folder's answers were asked by."""
    return json.loads(folder.stamp(STAMP) or "{}")


def keep(folder: Folder, rule: dict[str, str]) -> None:
    """Note the rule of the conditions that are run now; what others were asked by stays."""
    now = {condition.name for condition in folder.study.conditions}
    others = {name: scorer for name, scorer in kept(folder).items() if name not in now}
    found = {**others, **rule}
    if found != kept(folder):
        folder.set_stamp(STAMP, json.dumps(found, sort_keys=True))


def mark(folder: Folder) -> None:
    """Have the folder's scores say which attempts were left out."""
    if folder.stamp(STAMP) is not None:
        write_table(stopping.marked(read_table(folder.scores).collect(), kept(folder)), folder.scores)


def first_requests(folder: Folder, planned: Planned, rule: dict[str, str]) -> Path:
    """The table of the requests that are asked before anything is known."""
    ids = stopping.firsts(planned.links, rule)["request_id"].drop_nulls()
    path = folder.root / "first-attempts.parquet"
    write_table(read_table(folder.requests).filter(pl.col("request_id").is_in(ids.implode())), path)
    return path


def follow(folder: Folder, planned: Planned, rule: dict[str, str]) -> Follow:
    """Answers → the requests of the next attempts of what isn't right yet."""
    chain = stopping.chain(planned.links, rule)
    # made beside the loop when the first answers are there: no request waits for them
    scorers = cache(scoring_of(folder).only(set(rule.values())).scorers)
    conditions = [
        replace(condition, scorers=(rule[condition.name],))
        for condition in folder.study.conditions
        if condition.name in rule
    ]
    bodies = Bodies(folder.requests)

    def further(answers: pl.DataFrame) -> pl.DataFrame | None:
        answered = chain.filter(pl.col("request_id").is_in(answers["request_id"].implode()))
        if answered.is_empty():
            return None
        scores = apply(planned.items, answered.drop("next_id"), answers, conditions, scorers(), folder.templates)
        ids = stopping.next_ids(answered, scores)
        return None if ids.is_empty() else bodies.of(ids.to_list())

    return further


def joined(follows: Sequence[Follow | None]) -> Follow | None:
    """Several hooks as one."""
    present = [each for each in follows if each is not None]
    if len(present) < 2:
        return present[0] if present else None

    def further(answers: pl.DataFrame) -> pl.DataFrame | None:
        found = [requests for each in present if (requests := each(answers)) is not None]
        return pl.concat(found).unique("request_id", maintain_order=True) if found else None

    return further


def attempts(first: pl.DataFrame, further: Follow, read: Callable[[list[str]], pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The requests attempt by attempt, where a run can't ask for more on its way: the caller sends what is yielded, and `read`
    then gives the answers to these ids."""
    step = first
    while not step.is_empty():
        yield step
        ids = step["request_id"].to_list()
        found = [further(read(ids[start : start + PIECE])) for start in range(0, len(ids), PIECE)]
        step = pl.concat([schema.REQUESTS.empty(), *(each for each in found if each is not None)]).unique(
            "request_id", maintain_order=True
        )
