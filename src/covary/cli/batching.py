"""Bodies of `covary batch`: what is left to send, as provider files; results of such files, into the journal."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from covary.cli import stopping
from covary.cli.folder import Folder, open_study
from covary.cli.stages import Options, Planned, plan_stage
from covary.errors import UsageError
from covary.store.journal import Journal
from covary.store.pictures import PictureFolder
from covary.store.tables import read_table


def write(study: str, folder: Path, data: Path | None, out: Path | None, max_requests: int, max_megabytes: int) -> None:
    """Write the requests without an answer as batch files: where attempts stop at the first success, those that are due."""
    from covary.run.batch import Limits
    from covary.run.batch import write as write_batch

    opened = open_study(study, out)
    planned = plan_stage(opened, Options(data))
    left = _left(opened, planned)
    if left.is_empty():
        print("nothing is left to send")
        return
    reader = PictureFolder(opened.pictures).read if opened.pictures.is_dir() else None
    files = write_batch(left, opened.study.models, folder, Limits(max_requests, max_megabytes * 1_000_000), reader)
    for file in files:
        print(f"{file.path}: {file.requests:,} requests to {file.model}, {file.size / 1e6:.1f} MB")


def read(study: str, files: list[Path], out: Path | None) -> None:
    """Read results into the journal, and say what is missing."""
    from covary.run.batch import read as read_batch

    opened = open_study(study, out)
    if not opened.requests.exists():
        raise UsageError(f"{opened.root} has no plan yet; covary batch write makes it")
    planned = read_table(opened.requests).collect()
    got = read_batch(files, planned, received_at=datetime.now(UTC))
    with Journal.open(opened.journal) as journal:
        appended = journal.add_frame(got.responses, origin="batch")
    print(f"{appended.new:,} new responses, {appended.already:,} there already, {len(got.missing):,} still missing")
    for what, ids in (("ids that were not planned", got.unknown), ("answered twice, differently", got.conflicts)):
        if ids:
            print(f"{len(ids):,} {what}, e.g. {ids[0]}")
    for line in got.unreadable[:5]:
        print(f"unreadable: {line}")


def _left(folder: Folder, planned: Planned) -> pl.DataFrame:
    """The requests that are due and have no answer."""
    rule = stopping.declared(folder.study)
    stopping.keep(folder, rule)
    table = stopping.first_requests(folder, planned, rule) if rule else folder.requests
    if not folder.journal.exists():
        return read_table(table).collect()
    with Journal.open(folder.journal, write=False) as journal:
        if not rule:
            return _unanswered(table, journal)
        further = stopping.follow(folder, planned, rule)
        steps = stopping.attempts(read_table(table).collect(), further, journal.frame)
        return pl.concat([step.filter(_without_answer(step["request_id"], journal)) for step in steps])


def _unanswered(table: Path, journal: Journal) -> pl.DataFrame:
    ids = read_table(table).select("request_id").collect()["request_id"]
    return read_table(table).filter(_without_answer(ids, journal)).collect()


def _without_answer(ids: pl.Series, journal: Journal) -> pl.Series:
    answered, _ = journal.settled(ids.to_list())
    return ~ids.is_in(list(answered))
