"""Tags of items: answer type, subdomain, whether a figure is missing, whether the forms of a problem are the same problem.

    tags = by_rule(items); plan_tags / read_tags and plan_alignment / read_alignment for what rules leave open; apply(items, tags)

Rules come first: words of the question, the shape of the answer, the numbers of both forms. A model is asked only where `open`
says so. A label that an item has is kept; where a rule sees another, the row says so, for the review.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec
import polars as pl

from covary import schema
from covary.build.choices_notation import notation
from covary.build.replies import reply_of
from covary.build.translate_checks import numbers_differ
from covary.errors import DataError
from covary.items.draw import canonical
from covary.prompts.plan import language_name
from covary.prompts.requests import Call, Model, Plan, answered, plan_calls, text_message
from covary.prompts.templates import find

VERSION = 1
SAMPLING: Mapping[str, Any] = {"temperature": 0, "max_tokens": 256}
TYPES = ("Numerical", "Symbolic", "Proof")
TAGS = pl.Schema(
    {
        "item_id": pl.String(),
        "source_id": pl.String(),
        "language": pl.String(),
        "answer_type": pl.String(),  # as the rule or the model sees it; null: left open
        "labelled": pl.String(),  # as the item has it; null: it has none
        "domain": pl.String(),
        "needs_figure": pl.Boolean(),
        "aligned": pl.Boolean(),  # with the reference form; null: left open, or the reference itself
        "why": pl.String(),
    }
)


def by_rule(items: pl.DataFrame) -> pl.DataFrame:
    """A tag row for each item, by rules alone. Raises DataError for an empty table."""
    if items.is_empty():
        raise DataError("tag: expected at least one item, found none")
    rows: list[dict[str, Any]] = []
    for _, group in items.group_by("source_id", maintain_order=True):
        forms = group.to_dicts()
        reference = next((form for form in forms if form["language"] == "en"), forms[0])
        domain = _domain(reference) if reference["language"] == "en" else None
        figure = any(re.search(_data()["figure"]["pattern"], form["question"], re.IGNORECASE) for form in forms)
        rows += [_tag(form, reference, domain, figure) for form in forms]
    return pl.DataFrame(rows, schema=TAGS)


def plan_tags(items: pl.DataFrame, tags: pl.DataFrame, model: Model, sampling: Mapping[str, Any] = SAMPLING) -> Plan:
    """Requests for items whose type or subdomain the rules left open."""
    return plan_calls(_tag_calls(items, tags, sampling), model)


def read_tags(tags: pl.DataFrame, links: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
    """Tags with a model's answers where the rules left them open; a reply that can't be used leaves them open."""
    replies = _replies(links, responses)
    rows: list[dict[str, Any]] = []
    for row in tags.iter_rows(named=True):
        content = replies.get(row["item_id"])
        if content is None or content.get("answer_type") not in TYPES or content.get("domain") not in domains():
            rows.append(row)
            continue
        figure = content.get("needs_figure") is True or row["needs_figure"]
        new = {
            "answer_type": row["answer_type"] or content["answer_type"],
            "domain": row["domain"] or content["domain"],
        }
        rows.append({**row, **new, "needs_figure": figure, "why": f"{row['why']}; asked a model"})
    return pl.DataFrame(rows, schema=TAGS)


def plan_alignment(
    items: pl.DataFrame, tags: pl.DataFrame, model: Model, sampling: Mapping[str, Any] = SAMPLING
) -> Plan:
    """Requests for forms that the rules couldn't show to be their reference's problem."""
    return plan_calls(_alignment_calls(items, tags, sampling), model)


def read_alignment(tags: pl.DataFrame, links: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
    """Tags with a model's word on open forms. "same" with a difference named behind it is no word."""
    replies = _replies(links, responses)
    rows: list[dict[str, Any]] = []
    for row in tags.iter_rows(named=True):
        content = replies.get(row["item_id"])
        same = None if content is None else content.get("same")
        if not isinstance(same, bool) or (same and content and content.get("difference")):
            rows.append(row)
            continue
        said = "the model sees one problem" if same else f"the model: {str((content or {}).get('difference'))[:120]}"
        rows.append({**row, "aligned": same, "why": f"{row['why']}; {said}"})
    return pl.DataFrame(rows, schema=TAGS)


def apply(items: pl.DataFrame, tags: pl.DataFrame) -> pl.DataFrame:
    """Items with their tags: type and subdomain where they had none, the rest in meta.tags; without those that need a figure."""
    known = {row["item_id"]: row for row in tags.iter_rows(named=True)}
    rows: list[dict[str, Any]] = []
    for item in items.iter_rows(named=True):
        tag = known[item["item_id"]]
        if tag["needs_figure"] and item["picture"] is None:
            continue
        meta = msgspec.json.decode(item["meta"])
        kept = {name: tag[name] for name in ("answer_type", "domain", "aligned", "why")}
        meta["tags"] = {name: value for name, value in kept.items() if value is not None} | {"version": VERSION}
        kind = item["answer_type"] if tag["labelled"] else tag["answer_type"] or item["answer_type"]
        rows.append({**item, "answer_type": kind, "domain": item["domain"] or tag["domain"], "meta": canonical(meta)})
    return schema.ITEMS.from_rows(rows)


def told(items: pl.DataFrame, tags: pl.DataFrame) -> list[str]:
    """The corpus table (type, subdomain, problems) and what the tags say of the set, a line each."""
    firsts = items.unique("source_id", keep="first", maintain_order=True)
    counted = firsts.group_by("answer_type", "domain").len().sort("answer_type", "domain")
    lines = [f"{kind} / {domain or 'open'}: {count}" for kind, domain, count in counted.iter_rows()]
    other = tags.filter(pl.col("labelled").is_not_null() & (pl.col("labelled") != pl.col("answer_type"))).height
    lines += [
        f"problems: {firsts.height}, items: {items.height}",
        f"left out because a figure is missing: {tags['needs_figure'].sum()}",
        f"forms whose numbers are not their reference's: {tags.filter(~pl.col('aligned')).height}",
        f"labels that the rules see otherwise: {other}",
        f"left open: {tags.filter(pl.col('answer_type').is_null() | pl.col('domain').is_null()).height}",
    ]
    return lines


@cache
def _data() -> dict[str, Any]:
    text = resources.files("covary.build").joinpath("builders_data/subdomains.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def domains() -> tuple[str, ...]:
    """The subdomains that a problem may have."""
    return tuple(
        sorted(
            {name for kind in _data()["type"] for name in (kind["else"], *(rule[0] for rule in kind["rules"])) if name}
        )
    )


def answer_type_of(question: str, target: str | None, language: str) -> str | None:
    """The answer type by rule: asked to prove → Proof; else by the shape of the answer; None where it can't be told."""
    pattern = _data()["proof"].get(language)
    if pattern and re.search(pattern, question, re.IGNORECASE):
        return "Proof"
    if not target:
        return None
    bare = re.sub(
        r"\\(?:text|mathrm)\s*\{[^{}]*\}|\\[a-zA-Z]+|[A-Za-z]\s*(?:_\w+)?\s*=|[^\W\d_]{2,}|\{|\}", " ", target
    )
    if re.search(r"(?<![^\W\d_])[a-zA-Zα-ω](?![^\W\d_])", bare):
        return "Symbolic"
    return "Numerical" if notation(target, language).places else None


def _tag(form: Mapping[str, Any], reference: Mapping[str, Any], domain: str | None, figure: bool) -> dict[str, Any]:
    kind = answer_type_of(form["question"], form["target"], form["language"])
    aligned, why = (None, "reference") if form is reference else _alignment(form, reference)
    labelled = form["answer_type"] if form["answer_type"] in TYPES else None
    return {
        "item_id": form["item_id"],
        "source_id": form["source_id"],
        "language": form["language"],
        "answer_type": kind,
        "labelled": labelled,
        "domain": form["domain"] or domain,
        "needs_figure": figure,
        "aligned": aligned,
        "why": why,
    }


def _domain(form: Mapping[str, Any]) -> str | None:
    kind = (
        form["answer_type"] if form["answer_type"] in TYPES else answer_type_of(form["question"], form["target"], "en")
    )
    table = next((entry for entry in _data()["type"] if entry["name"] == kind), None)
    if table is None:
        return None
    text = f"{form['question']}\n{form['target'] or ''}"
    found = next((name for name, pattern in table["rules"] if re.search(pattern, text, re.IGNORECASE)), table["else"])
    return found or None


def _alignment(form: Mapping[str, Any], reference: Mapping[str, Any]) -> tuple[bool | None, str]:
    """Same numbers in question and target: aligned. Other numbers in both: not. Else open."""
    question = numbers_differ(reference["question"], form["question"])
    target = numbers_differ(reference["target"] or "", form["target"] or "")
    if not question and not target:
        digits = Counter(re.findall(r"\d", reference["question"]))
        return (True, "same numbers") if sum(digits.values()) >= 2 else (None, "too few numbers to tell")
    if question and target:
        return False, "numbers of question and target differ"
    return None, "numbers of the question differ" if question else "numbers of the target differ"


def _tag_calls(items: pl.DataFrame, tags: pl.DataFrame, sampling: Mapping[str, Any]) -> Iterator[Call]:
    template = find("tag")
    missing = tags.filter(pl.col("answer_type").is_null() | pl.col("domain").is_null())["item_id"]
    for row in items.filter(pl.col("item_id").is_in(missing.implode())).iter_rows(named=True):
        values = {
            "rules": ", ".join(f'"{name}"' for name in domains()),
            "source_language": language_name(row["language"], "en"),
            "question": row["question"],
            "target": row["target"] or "not known",
        }
        yield Call(row["item_id"], "tag", [text_message("user", template.fill("en", values))], sampling)


def _alignment_calls(items: pl.DataFrame, tags: pl.DataFrame, sampling: Mapping[str, Any]) -> Iterator[Call]:
    template = find("align")
    left = set(tags.filter(pl.col("aligned").is_null() & ~pl.col("why").str.starts_with("reference"))["item_id"])
    for _, group in items.group_by("source_id", maintain_order=True):
        forms = group.to_dicts()
        reference = next((form for form in forms if form["language"] == "en"), forms[0])
        for form in forms:
            if form["item_id"] not in left:
                continue
            values = {
                "source_language": language_name(reference["language"], "en"),
                "target_language": language_name(form["language"], "en"),
                "text": f"{reference['question']}\nAnswer: {reference['target'] or 'not known'}",
                "translation": f"{form['question']}\nAnswer: {form['target'] or 'not known'}",
            }
            yield Call(form["item_id"], "align", [text_message("user", template.fill("en", values))], sampling)


def _replies(links: pl.DataFrame, responses: pl.DataFrame) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in answered(links, responses).iter_rows(named=True):
        reply = reply_of(row["text"], row["status"], row["error"])
        if reply.content is not None:
            found[row["item_id"]] = reply.content
    return found
