"""A judge model as a pass: undecided cells → requests, replies → scores. Unresolved is null, never 0.

    plan(scores, items, judges, policy) → Plan and the cells it serves      (then the one run)
    read(judging, responses, policy) → scores of scorer "judge"
    settled(scores) → scores of scorer "<rule>+judge": the rule's value where it decided, else the judge's

Rules first: only cells that the rule scorer left undecided are sent, or all of them for an audit. Several judges and replicates
make a panel, decided by majority; a tie is null. The reply is JSON; a reply that is cut off, refused or holds no verdict
is null with its reason, even where a "yes" stands in the middle of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import msgspec
import polars as pl

from covary import digest, schema
from covary.errors import StudyError
from covary.prompts.requests import Call, Model, Plan, answered, merge, plan_calls, text_message
from covary.prompts.templates import Template, find

VERSION = 1
CELL = ["item_id", "condition", "model", "replicate"]
Which = Literal["undecided", "all"]


@dataclass(frozen=True)
class Policy:
    """How judging is done. `of`: the rule scorer judged after; `with_question`: whether the judge sees the question.

    `swapped`: the two answers change places too, and both orders must agree (a control of order effects).
    """

    of: str = "mathematics"
    which: Which = "undecided"
    prompt: str = "judge-equivalence"
    proof_prompt: str = "judge-equivalence"
    with_question: bool = False
    swapped: bool = False
    replicates: int = 1
    sampling: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0, "max_tokens": 512})


class Judging(NamedTuple):
    """Requests and links of a judging pass, and the scored cells that each link's item_id stands for.

    `restates`: the answer only repeats what stands in the question, so that a "same conclusion" proves nothing.
    """

    plan: Plan
    cells: pl.DataFrame  # cell, the key of schema.SCORES without scorer, restates


class Reply(NamedTuple):
    """What a judge said: value 1, 0 or None; its confidence; its reason, or why there is no verdict."""

    value: float | None
    confidence: float | None
    reason: str


class Judged:
    """The scorer of a study's judge where no pass has run: nothing is judged yet."""

    name = "judge"
    version = VERSION

    def __init__(self, **policy: Any) -> None:
        self.policy = msgspec.convert(policy, Policy)

    def __call__(self, case: object) -> Any:
        from covary.scoring.case import Judgement

        return Judgement(None, None, "no judging pass has been run")


def plan(scores: pl.DataFrame, items: pl.DataFrame, judges: Sequence[Model], policy: Policy) -> Judging:
    """The pass over cells that need a judge: those with an answer whose rule score is null ("undecided"), or all.

    Raises StudyError without a judge. A cell without an extracted answer is never sent: there is nothing to judge.
    """
    if not judges:
        raise StudyError('judging needs a model with role = "judge" in the study')
    rows = scores.filter((pl.col("scorer") == policy.of) & pl.col("answer").is_not_null())
    if policy.which == "undecided":
        rows = rows.filter(pl.col("value").is_null())
    known = items.select("item_id", "question", "target", "answer_type", "format", "meta")
    rows = rows.join(known, on="item_id", how="inner", maintain_order="left")
    cells = [
        {
            "cell": cell_id(row),
            **{name: row[name] for name in CELL},
            "restates": restates(row["answer"], row["question"]),
        }
        for row in rows.iter_rows(named=True)
    ]
    plans = [plan_calls(_calls(rows, judge, policy), judge) for judge in judges]
    columns = {"cell": pl.String(), **{name: schema.SCORES.schema[name] for name in CELL}, "restates": pl.Boolean()}
    return Judging(merge(plans), pl.DataFrame(cells, schema=columns))


def read(judging: Judging, responses: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Scores (schema.SCORES, scorer "judge"): per cell the majority of its judges' verdicts, null on a tie or without one."""
    joined = answered(judging.plan.links, responses)
    by_cell: dict[str, list[tuple[str, Reply]]] = {}
    for row in joined.iter_rows(named=True):
        swapped = row["condition"].endswith("/swapped")
        reply = parse_reply(row["text"], row["status"], row["error"])
        label = f"{row['model']}{' swapped' if swapped else ''} #{row['replicate']}"
        by_cell.setdefault(row["item_id"], []).append((label, reply))
    first = dict(joined.select("item_id", "request_id").unique("item_id", keep="first").iter_rows())
    rows = [
        _score(cell, by_cell.get(cell["cell"], []), first.get(cell["cell"]), policy)
        for cell in judging.cells.iter_rows(named=True)
    ]
    return schema.SCORES.from_rows(rows)


def of_recorded(scores: pl.DataFrame, of: str) -> pl.DataFrame:
    """Scores of scorer "judge" taken from decisions that imported responses brought: those of cells that rules left undecided.

    Shows the whole path on recorded data: what the rules decide, what would have been asked, and what was decided there.
    """
    undecided = scores.filter((pl.col("scorer") == of) & pl.col("value").is_null() & pl.col("answer").is_not_null())
    recorded = scores.filter(pl.col("scorer") == "recorded")
    return (
        recorded.join(undecided.select(CELL), on=CELL, how="semi", nulls_equal=True)
        .with_columns(scorer=pl.lit("judge"))
        .select(list(schema.SCORES.schema))
    )


def settled(scores: pl.DataFrame, of: str) -> pl.DataFrame:
    """Scores of scorer "<of>+judge": the rule's where it decided, the judge's where it did not."""
    rules = scores.filter(pl.col("scorer") == of)
    judged = scores.filter(pl.col("scorer") == "judge").select(
        *CELL, judge_value="value", judge_reason="reason", judge_detail="detail"
    )
    both = rules.join(judged, on=CELL, how="left", maintain_order="left", nulls_equal=True)
    by_judge = pl.col("value").is_null() & pl.col("judge_reason").is_not_null()
    return both.with_columns(
        scorer=pl.lit(f"{of}+judge"),
        reason=pl.when(by_judge).then(pl.lit("judge: ") + pl.col("judge_reason")).otherwise(pl.col("reason")),
        detail=pl.when(by_judge).then(pl.col("judge_detail")).otherwise(pl.col("detail")),
        value=pl.col("value").fill_null(pl.col("judge_value")),
    ).select(list(schema.SCORES.schema))


def parse_reply(text: str | None, status: str | None, error: str | None = None) -> Reply:
    """A judge's reply. Cut off, refused, empty or without a verdict: null, with the reason."""
    if status is None:
        return Reply(None, None, "the judge has not answered yet")
    if status != "ok":
        return Reply(None, None, f"judge's reply {status}" + (f": {error}" if error else ""))
    for verdict in _objects(text or ""):
        value = {"yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}.get(str(verdict.get("equivalent")).strip().lower())
        if value is not None:
            confidence: Any = verdict.get("confidence")
            usable = isinstance(confidence, (int, float)) and 0 <= confidence <= 1
            return Reply(
                value, float(confidence) if usable else None, str(verdict.get("reason") or "no reason given")[:300]
            )
    said = re.findall(r"(?:DECISION|equivalent)\W{1,6}(YES|NO)\b", text or "", re.I)
    if said and len({word.lower() for word in said}) == 1:
        return Reply(1.0 if said[0].lower() == "yes" else 0.0, None, "decision given outside JSON")
    return Reply(None, None, "the reply holds no verdict")


def cell_id(row: Mapping[str, Any]) -> str:
    """A scored cell's id: digest of its key."""
    return digest.digest([row[name] for name in CELL])[:24]


def restates(answer: str, question: str) -> bool:
    """Whether an answer only repeats what stands in the question: no proof, whatever its conclusion.

    Compared without blanks, digits' scripts aside; an answer of fewer than 12 characters is too short to tell.
    """
    squeezed = re.sub(r"[\s$\\.,;:।]+", "", answer).casefold()
    return len(squeezed) >= 12 and squeezed in re.sub(r"[\s$\\.,;:।]+", "", question).casefold()


def _calls(rows: pl.DataFrame, judge: Model, policy: Policy) -> Iterator[Call]:
    templates = {name: find(name) for name in {policy.prompt, policy.proof_prompt}}
    for row in rows.iter_rows(named=True):
        template = templates[policy.proof_prompt if row["answer_type"] == "Proof" else policy.prompt]
        for order in ("as given", "swapped") if policy.swapped else ("as given",):
            text = _prompt(row, template, policy, order == "swapped")
            condition = f"judge/{policy.of}" + ("/swapped" if order == "swapped" else "")
            for replicate in range(policy.replicates):
                yield Call(cell_id(row), condition, [text_message("user", text)], policy.sampling, replicate)


def _prompt(row: Mapping[str, Any], template: Template, policy: Policy, swapped: bool) -> str:
    meta = msgspec.json.decode(row["meta"])
    target = (
        str(meta.get("error_description") or row["target"] or "")
        if row["format"] == "solution"
        else str(row["target"] or "")
    )
    answer = str(row["answer"])
    shown = f"Problem: {row['question']}\n" if policy.with_question else ""
    values = {
        "question": row["question"],
        "question_block": shown,
        "answer_type": row["answer_type"],
        "target": answer if swapped else target,
        "answer": target if swapped else answer,
    }
    return template.fill("en", values)


def _score(
    cell: Mapping[str, Any], replies: Sequence[tuple[str, Reply]], request_id: str | None, policy: Policy
) -> dict[str, Any]:
    values = [reply.value for _, reply in replies if reply.value is not None]
    share = sum(values) / len(values) if values else None
    value = None if share is None or share == 0.5 else float(share > 0.5)
    if share == 0.5:
        reason = "the judges disagree evenly"
    elif value is None:
        reason = replies[0][1].reason if replies else "not sent to a judge"
    else:
        reason = next(reply.reason for _, reply in replies if reply.value == value)
    votes = {
        label: {"value": reply.value, "confidence": reply.confidence, "reason": reply.reason}
        for label, reply in replies
    }
    return {
        **{name: cell[name] for name in CELL},
        "request_id": request_id,
        "scorer": "judge",
        "scorer_version": VERSION,
        "answer": None,
        "value": value,
        "reason": reason,
        "detail": digest.canonical_json(
            {"of": policy.of, "prompt": policy.prompt, "votes": votes, "restates_question": cell["restates"]}
        ).decode(),
    }


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """JSON objects in a text, the last first; bounded in number and size."""
    for match in reversed(list(re.finditer(r"\{[^{}]{0,4000}\}", text[-20_000:]))[-8:]):
        try:
            found = msgspec.json.decode(match[0])
        except (msgspec.DecodeError, UnicodeError):
            continue
        if isinstance(found, dict):
            yield found
