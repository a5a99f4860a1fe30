"""Clean solutions in other words: controls that tell whether a model notices an error or merely an edit.

The rows are those of `perturb` (FAULTS), begun for problems whose planted errors were accepted, and go through the same two
passes: written in all languages at once, checked by rule (numbers, formulas and lines kept, words changed), then confirmed by
a verifier in every language.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import polars as pl

from covary.build.perturb import (
    CONFIRMING,
    FAULTS,
    SAMPLING,
    after_each,
    begun,
    by_id,
    confirmed,
    numbered,
    shown,
    tried_again,
)
from covary.build.perturb_checks import reworded
from covary.build.replies import Reply
from covary.items.draw import canonical
from covary.prompts.requests import Call, Model, Plan, plan_calls, text_message
from covary.prompts.templates import find


def start(faults: pl.DataFrame) -> pl.DataFrame:
    """A row for each problem whose errors were accepted."""
    accepted = faults.filter(pl.col("state") == "accepted")
    rows = [
        begun(row["source_id"], row["strategy"], row["items"], "paraphrase") for row in accepted.iter_rows(named=True)
    ]
    return pl.DataFrame(rows, schema=FAULTS)


def plan_paraphrase(
    items: pl.DataFrame, controls: pl.DataFrame, model: Model, sampling: Mapping[str, Any] = SAMPLING
) -> Plan:
    """Requests of the problems that have no paraphrase yet."""
    return plan_calls(_writing_calls(items, controls, sampling), model)


def read_paraphrase(
    items: pl.DataFrame, controls: pl.DataFrame, links: pl.DataFrame, responses: pl.DataFrame, model: Model, rounds: int
) -> pl.DataFrame:
    """The rows with what was written: whatever breaks a rule is asked again, after `rounds` flagged."""
    known = by_id(items)

    def after(row: dict[str, Any], reply: Reply) -> dict[str, Any]:
        forms = [known[item_id] for item_id in row["items"]]
        wrong = [reply.reason] if reply.content is None else reworded(reply.content, forms)
        row["log"] = [*row["log"], f"paraphrase {model.name} #{row['round']}: {'; '.join(wrong) or 'keeps the rules'}"]
        if wrong or reply.content is None:
            return tried_again(row, rounds)
        solutions = {code: [line.strip() for line in lines] for code, lines in reply.content["solutions"].items()}
        return {**row, "solutions": canonical(solutions), "state": "to confirm"}

    return after_each(controls, "to write", links, responses, after)


def plan_comparison(
    items: pl.DataFrame, controls: pl.DataFrame, model: Model, sampling: Mapping[str, Any] = CONFIRMING
) -> Plan:
    """Requests of the rows that wait for a verifier, one for each language."""
    return plan_calls(_comparing_calls(items, controls, sampling), model)


def read_comparison(
    controls: pl.DataFrame, links: pl.DataFrame, responses: pl.DataFrame, model: Model, rounds: int
) -> pl.DataFrame:
    """Accepted where the verifier finds it right and complete in every language; else written anew."""

    def wrong(_: dict[str, Any], reply: Reply) -> list[str]:
        if reply.content is None:
            return [reply.reason]
        return [f"not {what}" for what in ("right", "complete") if reply.content.get(what) is not True]

    return confirmed(controls, links, responses, model, rounds, wrong, "right and complete")


def _writing_calls(items: pl.DataFrame, controls: pl.DataFrame, sampling: Mapping[str, Any]) -> Iterator[Call]:
    known = by_id(items)
    template = find("paraphrase")
    for row in controls.filter(pl.col("state") == "to write").iter_rows(named=True):
        message = text_message("user", template.fill("en", shown([known[item_id] for item_id in row["items"]])))
        yield Call(row["fault"], f"paraphrase/{row['strategy']}", [message], sampling, row["round"])


def _comparing_calls(items: pl.DataFrame, controls: pl.DataFrame, sampling: Mapping[str, Any]) -> Iterator[Call]:
    known = by_id(items)
    template = find("confirm-paraphrase")
    for row in controls.filter(pl.col("state") == "to confirm").iter_rows(named=True):
        solutions: dict[str, list[str]] = msgspec.json.decode(row["solutions"])
        for item_id in row["items"]:
            form = known[item_id]
            values = {name: form[name] for name in ("question", "solution")}
            values["text"] = numbered(solutions[form["language"]])
            message = text_message("user", template.fill("en", values))
            yield Call(row["fault"], f"compare/{row['strategy']}/{form['language']}", [message], sampling, row["round"])
