"""Wrong options by a model as a pass: candidates in the reference language, carried to the others place by place.

    plan_choices(items, model, k) / read_choices(items, links, responses) → candidates by source_id, for `choices.build_choices`

What the model gives is a candidate like those made by rule: the equivalence checker still decides. An option that is not
written like the key (other words, other LaTeX) is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import polars as pl

from covary.build.choices import aligned, sources_of
from covary.build.choices_notation import Notation, changed, notation
from covary.build.choices_pools import POOLS, Candidate
from covary.build.replies import reply_of
from covary.prompts.requests import Call, Model, Plan, answered, plan_calls, text_message
from covary.prompts.templates import find

SAMPLING: Mapping[str, Any] = {"temperature": 0, "max_tokens": 1024}
SPARE = 3  # more than are needed, since some will not pass
MOST_OPTIONS = 20


def plan_choices(items: pl.DataFrame, model: Model, k: int, sampling: Mapping[str, Any] = SAMPLING) -> Plan:
    """A request for each problem, asked in its reference form."""
    return plan_calls(_calls(items, k, sampling), model)


def read_choices(items: pl.DataFrame, links: pl.DataFrame, responses: pl.DataFrame) -> dict[str, list[Candidate]]:
    """Candidates by source_id; none for a reply that can't be used."""
    replies = {
        row["item_id"]: reply_of(row["text"], row["status"], row["error"])
        for row in answered(links, responses).iter_rows(named=True)
    }
    found: dict[str, list[Candidate]] = {}
    for source, form in _references(items):
        reply = replies.get(source)
        options = (reply.content or {}).get("options") if reply else None
        target = notation(str(form["target"]), form["language"])
        found[source] = [
            candidate
            for option in (options if isinstance(options, list) else [])[:MOST_OPTIONS]
            if isinstance(option, dict) and (candidate := _candidate(option, target, form["language"])) is not None
        ]
    return found


def _references(items: pl.DataFrame) -> Iterator[tuple[str, dict[str, Any]]]:
    for source, forms in sources_of(items):
        kept, _ = aligned(forms)
        if kept:
            yield source, kept[0]


def _calls(items: pl.DataFrame, k: int, sampling: Mapping[str, Any]) -> Iterator[Call]:
    template = find("choices")
    for source, form in _references(items):
        values = {
            "count": str(k + SPARE),
            "question": form["question"],
            "solution": form["solution"] or "none",
            "target": form["target"],
        }
        yield Call(source, "choices", [text_message("user", template.fill("en", values))], sampling)


def _candidate(option: Mapping[str, Any], target: Notation, language: str) -> Candidate | None:
    """An option as a change of the key's places; None where it is written in another way."""
    text, pool = option.get("text"), option.get("pool")
    if not isinstance(text, str) or pool not in POOLS:
        return None
    own = notation(text.strip(), language)
    if [place.kind for place in own.places] != [place.kind for place in target.places]:
        return None
    changes: dict[int, Fraction | str] = {}
    for index, (new, old) in enumerate(zip(own.places, target.places, strict=True)):
        if new.said != old.said:
            changes[index] = new.value if new.value is not None else new.text
    if not changes or changed(target, changes) != text.strip():
        return None
    return Candidate(pool, f"model: {str(option.get('kind') or 'not said')[:40]}", changes)
