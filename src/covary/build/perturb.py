"""Solutions with errors planted by a model, in all languages of a problem at once, and confirmed by a verifier.

    faults = start(items, "strategy-1")
    while open: plan_perturbation / read_perturbation, then plan_confirmation / read_confirmation     (the one run between)
    controls = paraphrase.start(faults), then the same two passes of `paraphrase`: clean solutions in other words
    assemble(items, faults, controls)

A row is one problem. One reply gives the solution in every language with the same number of lines and one list of errors
(type, line, explanation), so that types and places agree. `perturb_checks` reads every rule that needs no model; then a
verifier must find each declared error where it is declared. What fails is asked anew, at most `rounds` times, then flagged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import polars as pl

from covary import digest, schema
from covary.build.perturb_checks import problems
from covary.build.perturb_rules import STRATEGIES
from covary.build.replies import Reply, reply_of
from covary.build.translate import Translated
from covary.errors import DataError, UsageError, nearest
from covary.items.draw import canonical
from covary.items.variants import identity
from covary.prompts.plan import language_name
from covary.prompts.requests import Call, Model, Plan, answered, plan_calls, text_message
from covary.prompts.templates import find

VERSION = 2
SAMPLING: Mapping[str, Any] = {"temperature": 0.7, "max_tokens": 8192}
CONFIRMING: Mapping[str, Any] = {"temperature": 0, "max_tokens": 2048}
MEANINGS = {
    "step omission": "a step that the conclusion needs is left out without a word",
    "incorrect rule": "a rule, formula or theorem is applied that does not hold here",
    "faulty causality": "one thing is given as the reason for another although it is none",
    "overgeneralization": "a claim for all cases is drawn from one or a few",
    "logical fallacy": "a conclusion is drawn by an invalid form of argument, such as affirming the consequent",
}
FAULTS = pl.Schema(
    {
        "fault": pl.String(),
        "source_id": pl.String(),
        "strategy": pl.String(),
        "items": pl.List(pl.String()),  # the forms' item_ids
        "solutions": pl.String(),  # JSON: language → lines; null: none yet
        "errors": pl.String(),  # JSON: list of {type, line, explanation {language: text}}
        "state": pl.String(),  # to write, to confirm, accepted, flagged
        "round": pl.Int32(),
        "log": pl.List(pl.String()),
    }
)


def start(items: pl.DataFrame, strategy: str) -> pl.DataFrame:
    """A row for each problem with a solution and a target. Raises UsageError for an unknown strategy, DataError where nothing
    can be perturbed."""
    if strategy not in STRATEGIES:
        raise UsageError(f"strategy {strategy!r}: no such strategy{nearest(strategy, STRATEGIES)}")
    usable = items.filter(
        (pl.col("format") == "open") & pl.col("solution").is_not_null() & pl.col("target").is_not_null()
    )
    if usable.is_empty():
        raise DataError("perturb: expected at least one open item with a solution and a target, found none")
    rows = [
        begun(str(source), strategy, forms["item_id"].to_list())
        for (source,), forms in usable.group_by("source_id", maintain_order=True)
    ]
    return pl.DataFrame(rows, schema=FAULTS)


def begun(source: str, strategy: str, items: list[str], *kind: str) -> dict[str, Any]:
    """A row of FAULTS of which nothing is written yet; `kind` tells apart what is written for one problem by one strategy."""
    return {
        "fault": digest.digest([source, strategy, *kind])[:24],
        "source_id": source,
        "strategy": strategy,
        "items": items,
        "state": "to write",
        "round": 0,
        "log": [],
    }


def plan_perturbation(
    items: pl.DataFrame, faults: pl.DataFrame, model: Model, sampling: Mapping[str, Any] = SAMPLING
) -> Plan:
    """Requests of the problems that have no faulty solution yet."""
    return plan_calls(_writing_calls(items, faults, sampling), model)


def read_perturbation(
    items: pl.DataFrame, faults: pl.DataFrame, links: pl.DataFrame, responses: pl.DataFrame, model: Model, rounds: int
) -> pl.DataFrame:
    """The rows with what was written: whatever breaks a rule is asked again, after `rounds` flagged."""
    known = by_id(items)

    def after(row: dict[str, Any], reply: Reply) -> dict[str, Any]:
        forms = [known[item_id] for item_id in row["items"]]
        wrong = [reply.reason] if reply.content is None else problems(reply.content, forms, STRATEGIES[row["strategy"]])
        log = [*row["log"], f"perturb {model.name} #{row['round']}: {'; '.join(wrong) or 'keeps the rules'}"]
        if wrong or reply.content is None:
            return tried_again({**row, "log": log}, rounds)
        solutions = {code: [line.strip() for line in lines] for code, lines in reply.content["solutions"].items()}
        errors = sorted(reply.content["errors"], key=lambda error: error["line"])
        return {
            **row,
            "log": log,
            "solutions": canonical(solutions),
            "errors": canonical(errors),
            "state": "to confirm",
        }

    return after_each(faults, "to write", links, responses, after)


def plan_confirmation(
    items: pl.DataFrame, faults: pl.DataFrame, model: Model, sampling: Mapping[str, Any] = CONFIRMING
) -> Plan:
    """Requests of the rows that wait for a verifier: one for each language, since each must hold the errors."""
    return plan_calls(_confirming_calls(items, faults, sampling), model)


def read_confirmation(
    items: pl.DataFrame, faults: pl.DataFrame, links: pl.DataFrame, responses: pl.DataFrame, model: Model, rounds: int
) -> pl.DataFrame:
    """Accepted where the verifier finds every declared error in its line in every language and no hint; else written anew."""

    def wrong(row: dict[str, Any], reply: Reply) -> list[str]:
        return _unconfirmed(msgspec.json.decode(row["errors"]), reply)

    return confirmed(faults, links, responses, model, rounds, wrong, "every error found in its line")


def confirmed(
    faults: pl.DataFrame,
    links: pl.DataFrame,
    responses: pl.DataFrame,
    model: Model,
    rounds: int,
    wrong: Callable[[dict[str, Any], Reply], Sequence[str]],
    well: str,
) -> pl.DataFrame:
    """The rows that a verifier has seen in every language: accepted where `wrong` finds nothing in its replies."""
    replies: dict[str, list[tuple[str, Reply]]] = {}
    for row in answered(links, responses).iter_rows(named=True):
        if row["status"] is not None:
            code = row["condition"].rpartition("/")[2]
            replies.setdefault(row["item_id"], []).append((code, reply_of(row["text"], row["status"], row["error"])))
    rows: list[dict[str, Any]] = []
    for row in faults.iter_rows(named=True):
        found = replies.get(row["fault"], [])
        if row["state"] != "to confirm" or len(found) < len(row["items"]):
            rows.append(row)
            continue
        told = [f"{code}: {why}" for code, reply in found for why in wrong(row, reply)]
        row["log"] = [*row["log"], f"confirm {model.name} #{row['round']}: {'; '.join(told) or well}"]
        rows.append(tried_again(row, rounds) if told else {**row, "state": "accepted"})
    return pl.DataFrame(rows, schema=FAULTS)


def is_open(faults: pl.DataFrame) -> bool:
    """Whether any row still waits for a pass."""
    return faults["state"].is_in(["to write", "to confirm"]).any()


def assemble(items: pl.DataFrame, faults: pl.DataFrame, controls: pl.DataFrame, made: Mapping[str, Any]) -> Translated:
    """Items of format "solution": for each problem whose errors and whose paraphrase were accepted the faulty solution, the
    clean one and the paraphrase, in every language.

    What is flagged or unfinished is listed with its reason.
    """
    known = by_id(items)
    reworded = {row["source_id"]: row for row in controls.iter_rows(named=True)}
    rows: list[dict[str, Any]] = []
    flags: list[dict[str, Any]] = []
    for fault in faults.iter_rows(named=True):
        forms = [known[item_id] for item_id in fault["items"]]
        last = reworded.get(fault["source_id"], fault)  # no paraphrase is begun before the errors are accepted
        if fault["state"] == "accepted" and last is not fault and last["state"] == "accepted":
            rows += [
                _item(form, fault, last, kind, made)
                for form in forms
                for kind in (fault["strategy"], "clean", "paraphrase")
            ]
            continue
        reason = last["log"][-1] if last["state"] == "flagged" else f"not finished: {last['state']}"
        flags += [
            {
                **{name: form[name] for name in ("item_id", "source_id", "language")},
                "field": "solution",
                "reason": reason,
            }
            for form in forms
        ]
    columns = {name: pl.String() for name in ("item_id", "source_id", "language", "field", "reason")}
    return Translated(schema.ITEMS.from_rows(rows), pl.DataFrame(flags, schema=columns))


def by_id(items: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """Items by their id."""
    return {row["item_id"]: row for row in items.iter_rows(named=True)}


def tried_again(row: dict[str, Any], rounds: int) -> dict[str, Any]:
    """A row whose reply won't do: to be written anew, or flagged after the last round."""
    done = row["round"] + 1
    return {
        **row,
        "round": done,
        "state": "flagged" if done >= rounds else "to write",
        "solutions": None,
        "errors": None,
    }


def _writing_calls(items: pl.DataFrame, faults: pl.DataFrame, sampling: Mapping[str, Any]) -> Iterator[Call]:
    known = by_id(items)
    template = find("perturb")
    for row in faults.filter(pl.col("state") == "to write").iter_rows(named=True):
        forms = [known[item_id] for item_id in row["items"]]
        values = {
            "rules": "\n".join(f"- {kind}: {MEANINGS[kind]}" for kind in STRATEGIES[row["strategy"]]),
            **shown(forms),
        }
        message = text_message("user", template.fill("en", values))
        yield Call(row["fault"], f"perturb/{row['strategy']}", [message], sampling, row["round"])


def shown(forms: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The forms of a problem as a prompt shows them, and the languages to write in."""
    text = "\n\n".join(
        f"[{form['language']}]\nProblem: {form['question']}\nCorrect solution:\n{form['solution']}\nFinal answer: {form['target']}"
        for form in forms
    )
    languages = ", ".join(f"{language_name(form['language'], 'en')} ({form['language']})" for form in forms)
    return {"target_language": languages, "text": text}


def numbered(lines: Sequence[str]) -> str:
    """Lines with their numbers."""
    return "\n".join(f"{at}: {line}" for at, line in enumerate(lines, 1))


def _confirming_calls(items: pl.DataFrame, faults: pl.DataFrame, sampling: Mapping[str, Any]) -> Iterator[Call]:
    known = by_id(items)
    template = find("confirm-errors")
    for row in faults.filter(pl.col("state") == "to confirm").iter_rows(named=True):
        solutions: dict[str, list[str]] = msgspec.json.decode(row["solutions"])
        errors: list[dict[str, Any]] = msgspec.json.decode(row["errors"])
        for item_id in row["items"]:
            form = known[item_id]
            code = form["language"]
            values = {
                "question": form["question"],
                "solution": form["solution"],
                "text": numbered(solutions[code]),
                "claims": "\n".join(
                    f"{at}. {error['type']} in line {error['line']}: {error['explanation'][code]}"
                    for at, error in enumerate(errors, 1)
                ),
            }
            message = text_message("user", template.fill("en", values))
            yield Call(row["fault"], f"confirm/{row['strategy']}/{code}", [message], sampling, row["round"])


def _unconfirmed(declared: list[dict[str, Any]], reply: Reply) -> list[str]:
    """What a verifier's reply leaves unconfirmed."""
    if reply.content is None:
        return [reply.reason]
    told = reply.content.get("errors")
    if not isinstance(told, list):
        return ["the reply lists no errors"]
    by_number = {entry.get("number"): entry for entry in told if isinstance(entry, dict)}
    wrong: list[str] = []
    for at, error in enumerate(declared, 1):
        entry = by_number.get(at)
        if entry is None or entry.get("present") is not True:
            wrong.append(f"error {at} ({error['type']}) was not found")
        elif entry.get("line") != error["line"]:
            wrong.append(f"error {at} ({error['type']}) was found in line {entry.get('line')}, not {error['line']}")
    if reply.content.get("hints") is not False:
        wrong.append("the text hints at its errors")
    return wrong


def after_each(
    faults: pl.DataFrame,
    state: str,
    links: pl.DataFrame,
    responses: pl.DataFrame,
    after: Callable[[dict[str, Any], Reply], dict[str, Any]],
) -> pl.DataFrame:
    """The rows, those of a state as their reply makes them."""
    replies = {
        row["item_id"]: reply_of(row["text"], row["status"], row["error"])
        for row in answered(links, responses).iter_rows(named=True)
        if row["status"] is not None
    }
    rows = [
        after(row, replies[row["fault"]]) if row["state"] == state and row["fault"] in replies else row
        for row in faults.iter_rows(named=True)
    ]
    return pl.DataFrame(rows, schema=FAULTS)


def _item(
    form: Mapping[str, Any], fault: Mapping[str, Any], control: Mapping[str, Any], kind: str, made: Mapping[str, Any]
) -> dict[str, Any]:
    code, faulty = form["language"], kind == fault["strategy"]
    variant = {"language": code, "format": "solution", "perturbation": kind}
    if not faulty:
        variant["matched"] = fault["strategy"]
    errors = [{**error, "explanation": error["explanation"][code]} for error in msgspec.json.decode(fault["errors"])]
    meta = msgspec.json.decode(form["meta"]) | {
        "faulty": faulty,
        "kind": fault["strategy"],
        "exact_answer": form["target"],
        "true_solution": form["solution"],
        "errors": errors if faulty else [],
        "final_answer": "right",
    }
    meta.pop("steps", None)
    if faulty:
        meta["error_description"] = "\n".join(
            f"{error['type']}, line {error['line']}: {error['explanation']}" for error in errors
        )
    log = control["log"] if kind == "paraphrase" else fault["log"]
    history = {"by": "covary perturb", "version": VERSION, "from": form["item_id"], "log": log, **made}
    written = (
        None
        if kind == "clean"
        else msgspec.json.decode(control["solutions"] if kind == "paraphrase" else fault["solutions"])
    )
    return {
        **{name: form[name] for name in schema.ITEMS.schema},
        **identity(form["source_id"], variant)._asdict(),
        "perturbation": kind,
        "format": "solution",
        "solution": "\n".join(written[code]) if written else form["solution"],
        "target": "yes" if faulty else "no",
        "meta": canonical(meta),
        "provenance": canonical({**msgspec.json.decode(form["provenance"]), "perturbation": history}),
    }
