"""Models that follow a script, run through the real loop and journal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl

from covary.prompts.requests import Model, Plan
from covary.run.fake import FakeTransport, last_text
from covary.run.plan import run_plan
from covary.run.transport import Answer, Request
from covary.store.journal import Journal

MODEL = Model("m", transport={"kind": "fake"})
Says = Callable[[str], str | Answer]


def ask(folder: Path, plan: Plan, says: Says) -> pl.DataFrame:
    """Responses to a plan; `says` gives a prompt's answer, a text or a whole Answer."""

    def script(request: Request, before: int) -> Answer:
        found = says(last_text(request))
        return found if isinstance(found, Answer) else Answer("ok", text=found, finish_reason="stop")

    with Journal.open(folder / "journal.sqlite") as journal:
        run_plan(plan.requests, {MODEL.name: MODEL}, journal, transport_for=lambda _: FakeTransport(script))
        return journal.frame(plan.requests["request_id"].to_list())


def json_reply(**content: object) -> str:
    return json.dumps(content, ensure_ascii=False)


TRUNCATED = Answer("truncated", text='{"translation": "Laske summa', finish_reason="length")
REFUSED = Answer("refused", text=None, error="the model refused", finish_reason="content_filter")
