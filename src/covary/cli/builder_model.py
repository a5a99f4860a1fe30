"""A model of a study, asked by a command that builds: through the study's journal, so that a second call goes on where it stopped."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import polars as pl

from covary.cli.folder import Folder, open_study
from covary.errors import UsageError, nearest
from covary.prompts.requests import Model, Plan


class Asker:
    """A model of a study, asked through the study's journal."""

    def __init__(self, study: str, model: str) -> None:
        self.folder: Folder = open_study(study)
        known = {entry.name: entry for entry in self.folder.study.models}
        if model not in known:
            raise UsageError(f"study {self.folder.study.name!r} has no model {model!r}{nearest(model, known)}")
        self.model: Model = known[model]
        self.unanswered = 0
        self._stopped: list[str] = []

    def sampling(self, base: Mapping[str, Any]) -> dict[str, Any]:
        """The pass's sampling with what the model's transport adds to every body."""
        return {**base, **(self.model.transport.get("extra_body") or {})}

    def ask(self, plan: Plan) -> pl.DataFrame:
        """Answers to a plan; what failed or was not sent is left out, and counted in `unanswered`."""
        from covary.run.plan import run_plan
        from covary.run.progress import progress_for
        from covary.store.journal import Journal
        from covary.store.pictures import PictureFolder

        ids = plan.requests["request_id"].to_list()
        pictures = PictureFolder(self.folder.pictures).read if self.folder.pictures.is_dir() else None
        with Journal.open(self.folder.journal) as journal:
            if ids:
                outcome = run_plan(
                    plan.requests,
                    {self.model.name: self.model},
                    journal,
                    progress=progress_for("auto"),
                    retry_errors=True,
                    read_picture=pictures,
                )
                self._stopped += list(outcome.stopped)
            found = journal.frame(ids)
        good = found.filter(pl.col("status") != "error")
        self.unanswered = len(ids) - good.height
        return good

    def finish(self, line: str, unfinished: bool) -> None:
        """Say how it went; exit status 1 where something is unfinished and another run would go on."""
        if line:
            print(line)
        for stop in dict.fromkeys(self._stopped):
            note(stop)
        if unfinished:
            note("not finished: run the same command again to go on")
            raise SystemExit(1)


def note(line: str) -> None:
    """Say something beside the output."""
    print(f"covary: {line}", file=sys.stderr)
