"""Items × conditions × models → requests and links.

A cell that a model can't fill (no vision, thinking can't be switched, no text in the instruction language) keeps its
link, with a null request and the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec
import polars as pl

from covary import schema
from covary.digest import Draw
from covary.errors import StudyError
from covary.prompts.conditions import OF_ITEM, Condition
from covary.prompts.requests import (
    Call,
    Model,
    PictureLimits,
    Plan,
    picture_message,
    plan_chunks,
    text_message,
)
from covary.prompts.templates import Template, find

LETTERS = "ABCDEFGHIJ"
SHOWN = ["item_id", "language", "question", "solution", "options", "conversation", "picture", "answer_type", "meta"]
"""The columns of an item that a prompt may show."""
PIECE = 8192
"""Items whose texts are kept while all models are planned for them."""
REPLY_FORMATS = {
    "quantity": "Give only the value and its unit: [value] [unit].",
    "option": "Give only one of these expressions: {options}.",
}


class Sent(NamedTuple):
    """A picture as a request shows it: the digest of the bytes that will be sent, and their kind."""

    sha256: str
    mime: str = "image/png"


Fit = Callable[[str, PictureLimits], Sent]
"""A picture's SHA-256 and a model's limits → what is sent of it."""


def plan(
    items: pl.DataFrame,
    conditions: Sequence[Condition],
    models: Sequence[Model],
    templates: Mapping[str, Template] | None = None,
    seed: int = 0,
    fit: Fit | None = None,
) -> Plan:
    """Distinct requests and the links of every item × condition × model × replicate.

    fit: brings pictures within a model's limits; without it they are taken for PNG files and sent as they are.
    Raises StudyError when a condition selects no item or names an unknown model or prompt, or a model has limits and there is
    no `fit`.
    """
    pieces = list(plan_pieces(items, conditions, models, templates, seed, fit))
    requests = pl.concat([schema.REQUESTS.empty(), *(piece.requests for piece in pieces)])
    return Plan(requests, pl.concat([schema.LINKS.empty(), *(piece.links for piece in pieces)]))


def plan_pieces(
    items: pl.DataFrame,
    conditions: Sequence[Condition],
    models: Sequence[Model],
    templates: Mapping[str, Template] | None = None,
    seed: int = 0,
    fit: Fit | None = None,
) -> Iterator[Plan]:
    """The same plan in pieces, for plans that don't fit in memory: write each and forget it. A request is in the piece where it
    occurs first and in no other, whatever conditions and models share it."""
    known: set[bytes] = set()
    for condition in conditions:
        template = find(condition.prompt, templates)
        chosen = select(items, condition, seed)
        able: list[Model] = []
        for model in _models_of(condition, models):
            why = unfillable(condition, template, model)
            if why:
                yield _empty_cells(chosen, condition, model, why)
            else:
                able.append(model)
        for piece in chosen.select(SHOWN).iter_slices(PIECE) if able else ():
            prompts = _Prompts(piece, condition, template)
            for model in able:
                yield from plan_chunks(_calls(prompts, model, fit or _as_it_is), model, known=known)


def select(items: pl.DataFrame, condition: Condition, seed: int) -> pl.DataFrame:
    """The items that a condition asks about, in the table's order."""
    chosen = items
    for column, values in condition.select.items():
        if column not in chosen.columns:
            raise StudyError(f"condition {condition.name!r} selects by {column!r}, which is no column of the items")
        chosen = chosen.filter(pl.col(column).is_in(list(values)))
    if condition.per_answer_type is not None:
        chosen = chosen.filter(pl.col("source_id").is_in(_sample(chosen, condition.per_answer_type, seed)))
    if chosen.is_empty():
        wanted = ", ".join(f"{key} in {list(values)}" for key, values in condition.select.items()) or "all"
        raise StudyError(f"condition {condition.name!r} selects no item ({wanted}); the study has {items.height} items")
    return chosen


def unfillable(condition: Condition, template: Template, model: Model) -> str | None:
    """Why a model can't serve a condition at all, or None."""
    if condition.given == "picture" and "image" not in model.inputs:
        return f"{model.name} takes no pictures"
    thinks = model.thinks or ("switch" if model.thinking_on or model.thinking_off else "never")
    if condition.thinking == "on" and (thinks == "never" or (thinks == "switch" and model.thinking_on is None)):
        return f"{model.name} declares no way to switch thinking on"
    if condition.thinking == "off" and (thinks == "always" or (thinks == "switch" and model.thinking_off is None)):
        return f"{model.name} declares no way to switch thinking off"
    if condition.instruction_language != OF_ITEM and condition.instruction_language not in template.texts:
        raise StudyError(
            f"condition {condition.name!r}: prompt {template.name!r} has no text in {condition.instruction_language!r};"
            f" it has {', '.join(sorted(template.texts))}"
        )
    return None


def sampling(condition: Condition, model: Model) -> dict[str, Any]:
    """Body fields of a request: the condition's sampling, what the model's transport adds to every body, and its switch for
    thinking. All of them determine the answer, so all of them are content."""
    switch = {"on": model.thinking_on, "off": model.thinking_off, "default": None}[condition.thinking]
    return {**condition.sampling, **(model.transport.get("extra_body") or {}), **(switch or {})}


def warnings(conditions: Iterable[Condition]) -> list[str]:
    """What a plan should say aloud before anything is spent."""
    return [
        f"condition {condition.name!r} asks for {condition.replicates} replicates at temperature 0: they measure the server's"
        " own variation, not the model's; Pass@k over them is close to Pass@1"
        for condition in conditions
        if condition.replicates > 1 and condition.sampling.get("temperature") == 0
    ]


def prompt_text(row: Mapping[str, Any], condition: Condition, template: Template, described: bool = False) -> str:
    """The user message for one item row. `described`: the picture is told in words."""
    language = str(row["language"])
    instruction = condition.language(condition.instruction_language, language)
    options = row["options"] or ()
    values = {
        "question": _question(row, described),
        "options": "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False))
        if options
        else "",
        "solution": row["solution"] or "",
        "conversation": _told(row["conversation"]) if row["conversation"] else "",
        "reply_format": REPLY_FORMATS.get(row["answer_type"], "").replace("{options}", ", ".join(options)),
        **_languages(condition, language, instruction),
    }
    return template.fill(instruction, values)


def _told(turns: Sequence[Mapping[str, str]]) -> str:
    return "".join(f"{turn['role'].capitalize()}: {turn['text']}\n" for turn in turns)


def _languages(condition: Condition, language: str, instruction: str) -> Mapping[str, str]:
    """The names of the languages that a prompt speaks of."""
    answer = condition.language(condition.answer_language, language)
    reasoning = condition.language(condition.reasoning_language, language)
    return _language_names(language, answer, reasoning, reasoning if condition.strict else language, instruction)


@cache
def _language_names(question: str, answer: str, reasoning: str, statement: str, said_in: str) -> Mapping[str, str]:
    return {
        "question_language": language_name(question, said_in),
        "answer_language": language_name(answer, said_in),
        "reasoning_language": language_name(reasoning, said_in),
        "statement_language": language_name(statement, said_in),
    }


@cache
def language_name(code: str, said_in: str) -> str:
    """A language's name as said in another language (CLDR), its code when CLDR has none."""
    from babel import Locale
    from babel.core import UnknownLocaleError

    if (code, said_in) == ("bn", "en"):
        return "Bangla"
    try:
        return Locale.parse(said_in).languages.get(code) or code
    except (UnknownLocaleError, ValueError):
        return code


def _models_of(condition: Condition, models: Sequence[Model]) -> list[Model]:
    by_name = {model.name: model for model in models}
    for name in condition.models:
        if name not in by_name:
            raise StudyError(f"condition {condition.name!r} names model {name!r}; the study has {', '.join(by_name)}")
    subjects = [model for model in models if model.role == "subject"]
    return [model for model in subjects if not condition.models or model.name in condition.models]


def _sample(items: pl.DataFrame, per_answer_type: int, seed: int) -> list[str]:
    sources = items.select("source_id", "answer_type").unique("source_id", maintain_order=True)
    return [
        source
        for (kind,), group in sources.group_by("answer_type", maintain_order=True)
        for source in Draw(seed, "per_answer_type", str(kind)).sample(group["source_id"].to_list(), per_answer_type)
    ]


def _as_it_is(sha256: str, limits: PictureLimits) -> Sent:
    if limits != PictureLimits():
        raise StudyError(f"a model declares limits on pictures ({limits}), but nothing was given that keeps to them")
    return Sent(sha256)


class _Prompts:
    """Items under a condition, and the texts that models are shown: made once, whatever the number of models."""

    def __init__(self, items: pl.DataFrame, condition: Condition, template: Template) -> None:
        self.rows = list(items.iter_rows(named=True))
        self.condition = condition
        self.with_pictures = template.task == "vqa" or (template.task == "bg" and condition.given == "picture")
        self._template = template
        self._texts: dict[tuple[int, bool], str] = {}

    def text(self, place: int, described: bool) -> str:
        """The user message for a row; `described`: its picture is told in words."""
        found = self._texts.get((place, described))
        if found is None:
            found = prompt_text(self.rows[place], self.condition, self._template, described)
            self._texts[place, described] = found
        return found


def _calls(prompts: _Prompts, model: Model, fit: Fit) -> Iterator[Call]:
    condition = prompts.condition
    body = sampling(condition, model)
    sees = "image" in model.inputs and condition.given != "text"
    for place, row in enumerate(prompts.rows):
        picture = row["picture"] if prompts.with_pictures else None
        text = prompts.text(place, picture is not None and not sees)
        if picture is not None and sees:
            message = picture_message(text, *fit(picture, model.pictures))
        else:
            message = text_message("user", text)
        for replicate in range(condition.replicates):
            yield Call(row["item_id"], condition.name, [message], body, replicate)


def _question(row: Mapping[str, Any], described: bool) -> str:
    if not described:
        return str(row["question"])
    description = msgspec.json.decode(row["meta"]).get("description")
    if not description:
        raise StudyError(f"item {row['item_id']}: no description in words stands for its picture (meta.description)")
    return f"{row['question']}\n\n(The picture in words: {description})"


def _empty_cells(items: pl.DataFrame, condition: Condition, model: Model, reason: str) -> Plan:
    links = items.select("item_id").with_columns(
        condition=pl.lit(condition.name),
        model=pl.lit(model.name),
        request_id=pl.lit(None, dtype=pl.String),
        reason=pl.lit(reason),
    )
    cells = [links.with_columns(replicate=pl.lit(number, dtype=pl.Int32)) for number in range(condition.replicates)]
    return Plan(schema.REQUESTS.empty(), pl.concat(cells).select(list(schema.LINKS.schema)))
