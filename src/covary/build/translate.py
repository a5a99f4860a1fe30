"""Translation as passes over pieces: translate, verify until accepted or flagged, translate back, put together.

    pieces = start(items, to)
    while open: plan_translation / read_translation, then plan_verification / read_verification       (the one run between)
    plan_back / read_back (`backtranslate`), then assemble(items, pieces)

A piece is one text (question, solution, target, option) of one item in one target language. Equal texts are one request.
Between the passes every text goes through `translate_checks`: chatter, lost numbers and cut text never reach a verifier. A
text of mathematics alone is carried over by rule, with the language's decimal mark; no model is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import polars as pl

from covary import digest, schema
from covary.build.glossary import conventions_text, has_glossary, terms_text
from covary.build.replies import Reply, reply_of, text_of
from covary.build.translate_checks import problems, with_marks, without_emphasis, wordless
from covary.errors import DataError, UsageError
from covary.items.draw import canonical
from covary.items.languages import language
from covary.items.variants import identity, parse_variant
from covary.prompts.plan import language_name
from covary.prompts.requests import Call, Model, Plan, answered, plan_calls, text_message
from covary.prompts.templates import Template, find

VERSION = 1
SAMPLING: Mapping[str, Any] = {"temperature": 0, "max_tokens": 4096}
PIECES = pl.Schema(
    {
        "piece": pl.String(),
        "item_id": pl.String(),
        "source_id": pl.String(),
        "source": pl.String(),  # language of the original
        "language": pl.String(),  # language wanted
        "field": pl.String(),  # question, solution, target, option:0 …
        "original": pl.String(),
        "context": pl.String(),  # the question, for a solution
        "text": pl.String(),  # the translation so far; null: none yet
        "state": pl.String(),  # to translate, to verify, accepted, flagged
        "round": pl.Int32(),  # rounds used
        "seen": pl.List(pl.String()),  # texts that a verifier gave, to find circles
        "log": pl.List(pl.String()),  # what happened, in order
        "chrf": pl.Float64(),  # of the back-translation; null: none made
    }
)


class Translated(NamedTuple):
    """Items made (schema.ITEMS), and pieces that were flagged: item_id, source_id, language, field, reason."""

    items: pl.DataFrame
    flagged: pl.DataFrame


def start(items: pl.DataFrame, to: Sequence[str]) -> pl.DataFrame:
    """Pieces of every item that is not yet there in a wanted language, from its English form, else its first.

    Raises DataError for an empty table, UsageError for no target language or an unknown one.
    """
    if items.is_empty():
        raise DataError("translate: expected at least one item, found none")
    wanted = [language(word).code for word in dict.fromkeys(to)]
    if not wanted:
        raise UsageError("translate: expected at least one target language, found none")
    rows: list[dict[str, Any]] = []
    for form, have in _originals(items):
        for code in wanted:
            if code not in have:
                rows += _pieces(form, code)
    return pl.DataFrame(rows, schema=PIECES)


def notices(to: Iterable[str]) -> list[str]:
    """What should be said before a translation starts: languages without a glossary."""
    return [
        f"{language(code).name} ({code}) has no glossary: terms are left to the model and its verifier"
        for code in to
        if not has_glossary(language(code).code)
    ]


def plan_translation(pieces: pl.DataFrame, model: Model, sampling: Mapping[str, Any] = SAMPLING) -> Plan:
    """Requests of the pieces that have no text yet; a later round asks anew as another replicate."""
    return plan_calls(_translation_calls(pieces, sampling), model)


def read_translation(
    pieces: pl.DataFrame, links: pl.DataFrame, responses: pl.DataFrame, model: Model, rounds: int
) -> pl.DataFrame:
    """Pieces with their translations: a clean one goes on to be verified; a bad one is asked again, after `rounds` flagged."""
    replies = _replies(links, responses, "translate")

    def after(row: dict[str, Any], reply: Reply) -> dict[str, Any]:
        text = text_of(reply, "translation")
        wrong = [reply.reason] if reply.content is None else ["the reply holds no translation"] if text is None else []
        if text is not None:
            text = without_emphasis(with_marks(text, row["source"], row["language"]), row["original"])
            wrong = problems(row["original"], text, row["source"], row["language"])
        said = f"translate {model.name} #{row['round']}: {'; '.join(wrong) or 'clean'}"
        done = row["round"] + 1
        if wrong:
            state = "flagged" if done >= rounds else "to translate"
            return {**row, "state": state, "round": done, "log": [*row["log"], said]}
        return {**row, "text": text, "state": "to verify", "log": [*row["log"], said]}

    return _each(pieces, "to translate", replies, after)


def plan_verification(pieces: pl.DataFrame, model: Model, sampling: Mapping[str, Any] = SAMPLING) -> Plan:
    """Requests of the pieces that wait for a verifier."""
    return plan_calls(_verification_calls(pieces, sampling), model)


def read_verification(
    pieces: pl.DataFrame, links: pl.DataFrame, responses: pl.DataFrame, model: Model, rounds: int
) -> pl.DataFrame:
    """Pieces after a verifier: approved → accepted; corrected and clean → to be verified again; else flagged after `rounds`.

    A verdict that contradicts itself (approved, with another text behind it) is no verdict.
    """
    replies = _replies(links, responses, "verify")

    def after(row: dict[str, Any], reply: Reply) -> dict[str, Any]:
        verdict, text, reason = _verdict(row, reply)
        said = f"verify {model.name} #{row['round']}: {reason}"
        done = row["round"] + 1
        changes: dict[str, Any] = {"round": done, "log": [*row["log"], said]}
        if verdict == "approved":
            return {**row, **changes, "state": "accepted"}
        if verdict == "corrected" and text is not None:
            if text in row["seen"] or text == row["text"]:
                changes["log"][-1] += "; the verifier goes in circles"
                return {**row, **changes, "state": "flagged"}
            changes |= {"text": text, "seen": [*row["seen"], row["text"]]}
        return {**row, **changes, "state": "flagged" if done >= rounds else "to verify"}

    return _each(pieces, "to verify", replies, after)


def is_open(pieces: pl.DataFrame) -> bool:
    """Whether any piece still waits for a pass."""
    return pieces["state"].is_in(["to translate", "to verify"]).any()


def assemble(items: pl.DataFrame, pieces: pl.DataFrame, made: Mapping[str, Any]) -> Translated:
    """New items of all whose pieces are accepted; `made` (model, rounds) goes into their provenance.

    An item with one flagged or open piece is left out whole, and the piece is listed.
    """
    known = {row["item_id"]: row for row in items.iter_rows(named=True)}
    rows: list[dict[str, Any]] = []
    for (item_id, code), group in pieces.group_by("item_id", "language", maintain_order=True):
        if (group["state"] == "accepted").all():
            rows.append(_item(known[str(item_id)], str(code), group, made))
    bad = pieces.filter(pl.col("state") != "accepted")
    flagged = bad.select(
        "item_id",
        "source_id",
        "language",
        "field",
        reason=pl.when(pl.col("state") == "flagged")
        .then(pl.col("log").list.last())
        .otherwise(pl.concat_str(pl.lit("not finished: "), pl.col("state"))),
    )
    return Translated(schema.ITEMS.from_rows(rows), flagged)


def _originals(items: pl.DataFrame) -> Iterator[tuple[dict[str, Any], set[str]]]:
    """For each set of forms that differ in language alone: the form to translate from, and the languages that are there."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in items.iter_rows(named=True):
        rest = {key: value for key, value in parse_variant(row["variant"]).items() if key != "language"}
        groups.setdefault((row["source_id"], canonical(rest)), []).append(row)
    for forms in groups.values():
        yield (
            next((form for form in forms if form["language"] == "en"), forms[0]),
            {form["language"] for form in forms},
        )


def _pieces(form: Mapping[str, Any], code: str) -> Iterator[dict[str, Any]]:
    texts = {"question": form["question"], "solution": form["solution"]}
    if form["format"] == "open":
        texts["target"] = form["target"]
    texts |= {f"option:{at}": option for at, option in enumerate(form["options"] or [])}
    for field, text in texts.items():
        if not text or not text.strip():
            continue
        by_rule = wordless(text)
        yield {
            "piece": digest.digest([form["item_id"], code, field])[:24],
            "item_id": form["item_id"],
            "source_id": form["source_id"],
            "source": form["language"],
            "language": code,
            "field": field,
            "original": text,
            "context": form["question"] if field == "solution" else None,
            "text": with_marks(text, form["language"], code) if by_rule else None,
            "state": "accepted" if by_rule else "to translate",
            "round": 0,
            "seen": [],
            "log": ["mathematics alone: carried over by rule"] if by_rule else [],
            "chrf": None,
        }


def _translation_calls(pieces: pl.DataFrame, sampling: Mapping[str, Any]) -> Iterator[Call]:
    for row in pieces.filter(pl.col("state") == "to translate").iter_rows(named=True):
        template = find("translate-solution" if row["field"] == "solution" else "translate-question")
        text = prompt(row, template)
        yield Call(row["piece"], "translate", [text_message("user", text)], sampling, row["round"])


def _verification_calls(pieces: pl.DataFrame, sampling: Mapping[str, Any]) -> Iterator[Call]:
    for row in pieces.filter(pl.col("state") == "to verify").iter_rows(named=True):
        template = find("verify-solution" if row["field"] == "solution" else "verify-question")
        text = prompt(row, template)
        yield Call(row["piece"], "verify", [text_message("user", text)], sampling, row["round"])


def prompt(row: Mapping[str, Any], template: Template) -> str:
    """A template filled for a piece."""
    values = {
        "text": row["original"],
        "translation": row["text"] or "",
        "question": row["context"] or "",
        "source_language": language_name(row["source"], "en"),
        "target_language": language_name(row["language"], "en"),
        "glossary": terms_text(row["language"], row["source"]),
        "conventions": conventions_text(row["language"]),
    }
    return template.fill("en", values)


def _verdict(row: Mapping[str, Any], reply: Reply) -> tuple[str | None, str | None, str]:
    """(verdict, corrected text, what to log); verdict None where the reply says none that can be used."""
    if reply.content is None:
        return None, None, reply.reason
    verdict = str(reply.content.get("verdict") or "").strip().lower()
    behind = reply.content.get("text")
    text = text_of(reply, "text")
    if verdict == "approved":
        if behind in (None, "") or (text is not None and text == row["text"]):
            return "approved", None, "approved"
        return None, None, "approved, but another text stands behind it"
    if verdict != "corrected":
        return None, None, f"no verdict ({verdict[:30]!r})"
    if text is None:
        return None, None, "corrected, but no usable text"
    text = without_emphasis(with_marks(text, row["source"], row["language"]), row["original"])
    wrong = problems(row["original"], text, row["source"], row["language"])
    if wrong:
        return None, None, "corrected into a bad text: " + "; ".join(wrong)
    return "corrected", text, f"corrected ({_reasons(reply)})"


def _reasons(reply: Reply) -> str:
    reasons = (reply.content or {}).get("reasons")
    if not isinstance(reasons, list):
        return "no reason given"
    told = [
        f"{reason.get('severity')}: {str(reason.get('what') or reason.get('criterion'))[:120]}"
        for reason in reasons[:5]
        if isinstance(reason, dict)
    ]
    return "; ".join(told) or "no reason given"


def _replies(links: pl.DataFrame, responses: pl.DataFrame, condition: str) -> dict[str, Reply]:
    """Reply by piece. A verifier that says nothing but APPROVED is understood too."""
    found: dict[str, Reply] = {}
    for row in answered(links.filter(pl.col("condition") == condition), responses).iter_rows(named=True):
        text = row["text"] or ""
        if row["status"] is None:
            continue
        if condition == "verify" and row["status"] == "ok" and text.strip().strip("\"'.!*`").strip() == "APPROVED":
            found[row["item_id"]] = Reply({"verdict": "approved", "text": None})
        else:
            found[row["item_id"]] = reply_of(row["text"], row["status"], row["error"])
    return found


def _each(pieces: pl.DataFrame, state: str, replies: Mapping[str, Reply], after: Any) -> pl.DataFrame:
    """The pieces with those in a state moved on by their replies; without a reply a piece stays as it is."""
    rows = [
        after(row, replies[row["piece"]]) if row["state"] == state and row["piece"] in replies else row
        for row in pieces.iter_rows(named=True)
    ]
    return pl.DataFrame(rows, schema=PIECES)


def _item(form: Mapping[str, Any], code: str, group: pl.DataFrame, made: Mapping[str, Any]) -> dict[str, Any]:
    texts: dict[str, str] = dict(group.select("field", "text").iter_rows())
    options = [texts.get(f"option:{at}", option) for at, option in enumerate(form["options"] or [])]
    meta = msgspec.json.decode(form["meta"])
    key = "ABCDEFGHIJ".find(str(form["target"]))
    if form["format"] == "mcq" and options and len(str(form["target"])) == 1 and 0 <= key < len(options):
        meta["exact_answer"] = options[key]
    if "steps" in meta and (lines := (texts.get("solution") or "").splitlines()):
        meta["steps"] = lines[:-1]
    variant = {**parse_variant(form["variant"]), "language": code}
    checks = {
        row["field"]: {"log": row["log"], "rounds": row["round"], "chrf": row["chrf"]}
        for row in group.iter_rows(named=True)
    }
    provenance = {
        **msgspec.json.decode(form["provenance"]),
        "translation": {
            "by": "covary translate",
            "version": VERSION,
            "from": form["item_id"],
            "checks": checks,
            **made,
        },
    }
    return {
        **{name: form[name] for name in schema.ITEMS.schema},
        **identity(form["source_id"], variant)._asdict(),
        "language": code,
        "question": texts["question"],
        "solution": texts.get("solution"),
        "options": options or None,
        "target": texts.get("target", form["target"]),
        "meta": canonical(meta),
        "provenance": canonical(provenance),
    }
