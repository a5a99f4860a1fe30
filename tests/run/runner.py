"""A run in a process of its own, for tests that kill it.

    python runner.py FOLDER URL N CONCURRENCY [wait]

Writes each acknowledged id to FOLDER/acknowledged.log as soon as the journal has it; exits with 0 only when nothing is left.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from covary.errors import CovaryError
from covary.prompts.requests import Call, Model, plan_calls, text_message
from covary.run.execute import Limits
from covary.run.plan import run_plan
from covary.run.progress import Plain
from covary.store.journal import Journal


class TellingSink:
    """A journal that says what it acknowledged."""

    def __init__(self, journal: Journal, path: Path) -> None:
        self._journal = journal
        self._log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.settled = journal.settled

    def append(self, rows: Iterable[Sequence[object]]) -> object:
        rows = list(rows)
        appended = self._journal.append(rows)
        os.write(self._log, "".join(f"{row[0]}\n" for row in rows).encode())
        return appended

    def frame(self, request_ids: Iterable[str] | None = None) -> pl.DataFrame:
        return self._journal.frame(request_ids)


def main(folder: Path, url: str, n: int, concurrency: int, wait_s: float) -> int:
    model = Model("m", transport={"base_url": url})
    calls = (Call(str(number), "c", [text_message("user", f"Question {number}")], {}) for number in range(n))
    with Journal.open(folder / "journal.sqlite", wait_s=wait_s) as journal:
        outcome = run_plan(
            plan_calls(calls, model).requests,
            {"m": model},
            TellingSink(journal, folder / "acknowledged.log"),
            limits=Limits(concurrency=concurrency, stop_grace_s=20),
            progress=Plain(),
        )
    print(f"ok {outcome.ok}, found {outcome.found}, left {outcome.left}, sends {outcome.spent.sends}", *outcome.stopped)
    return 1 if outcome.unresolved else 0


if __name__ == "__main__":
    try:
        status = main(
            Path(sys.argv[1]),
            sys.argv[2],
            int(sys.argv[3]),
            int(sys.argv[4]),
            float(sys.argv[5]) if len(sys.argv) > 5 else 0.0,
        )
    except CovaryError as error:
        print(error, file=sys.stderr)
        status = error.exit_status
    sys.exit(status)
