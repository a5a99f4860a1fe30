"""Scaffolds by a model, in two passes with a check after each: write the scaffold, then fill its slots.

Each pass plans requests and reads responses. What fails a check is kept out and comes back as a review row with its
reasons, for a person to mend; nothing is repaired in silence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from covary.build.cues import (
    CONVERSATION_TYPES,
    ConversationType,
    Cue,
    Part,
    Scaffold,
    Statement,
    Turn,
    five_grams,
    jaccard,
    masked,
)
from covary.build.scaffold import LIMIT, QUESTIONS, Pictured, cultures_of
from covary.culture.knowledge import COUNTRY_NAMES, Knowledge
from covary.lint.culture import names_in
from covary.prompts.requests import Call, Model, Plan, answered, plan_calls, text_message

SCAFFOLD_PASS = "capri-scaffold"
FILL_PASS = "capri-fill"
VERSION = 1  # of the two prompts
SAMPLING: Mapping[str, Any] = {"temperature": 0, "max_tokens": 1500}
REVIEW = {
    "item_id": pl.String(),
    "pass": pl.String(),
    "verdict": pl.String(),
    "reasons": pl.List(pl.String()),
    "text": pl.String(),
}
LEAST_TURNS = 5
_MARK = re.compile(r"\[#cue([12])\]")
_KIND_WORDS: Mapping[ConversationType, str] = {
    "chit_chat": "a relaxed chat without any goal",
    "information_seeking": "a conversation in which the user wants to understand something",
    "customer_support": "a conversation between a customer and the support desk of a company",
}


class ScaffoldReading(NamedTuple):
    """What a scaffold pass gave: the scaffolds that passed every check, and one review row for each response."""

    scaffolds: tuple[Scaffold, ...]
    review: pl.DataFrame


class FillReading(NamedTuple):
    """What a fill pass gave: (scaffold_id, culture) → the two values, and one review row for each response."""

    fillings: Mapping[tuple[str, str], tuple[str, str]]
    review: pl.DataFrame


def plan_scaffolds(
    pictures: Iterable[Pictured], source: Knowledge, model: Model, sampling: Mapping[str, Any] = SAMPLING
) -> Plan:
    """First pass: one request for each picture and conversation type. The model sees the caption, never the value."""
    return plan_calls(
        (
            Call(
                scaffold_key(picture, kind),
                SCAFFOLD_PASS,
                [text_message("user", scaffold_prompt(picture, kind, source))],
                sampling,
            )
            for picture in pictures
            for kind in CONVERSATION_TYPES
        ),
        model,
    )


def scaffold_prompt(picture: Pictured, kind: ConversationType, source: Knowledge) -> str:
    """The instruction for one scaffold."""
    types = "\n".join(
        f'- {name}: for instance in place of "{source.types[name].neutral}"'
        for name in _offered(picture.concept, source)
    )
    return (
        f"Write a natural English dialogue between a user and an assistant. It is {_KIND_WORDS[kind]}, and it turns around "
        f"a picture that the user has: {picture.caption}\n\n"
        "The dialogue is a scaffold: it must suit a user from any country. Two things of the user's own life come up in "
        "passing, and each is a gap to be filled in later. Write the first gap as [#cue1] and the second as [#cue2].\n\n"
        "What you must keep to:\n"
        f"1. At least {LEAST_TURNS + 1} turns, the user first, then taking turns. Something follows the second gap.\n"
        "2. Each gap stands exactly once, in a user's turn, [#cue1] in an earlier turn than [#cue2].\n"
        "3. Choose the kind of thing for each gap from the list below, two different kinds. The words around a gap must "
        "read well whatever value of that kind is put there, and must not hint at a country.\n"
        "4. Nowhere name a unit of measurement, a currency, a country, a language, or the value that the picture shows. "
        "Avoid words that only one English-speaking country uses.\n"
        f"5. Don't ask the final question ({QUESTIONS[picture.concept]}); it is added later.\n\n"
        f"Kinds of things:\n{types}\n\n"
        'Answer with one JSON object and nothing else: {"cue1": kind, "cue2": kind, "turns": [{"role": "user" or '
        '"assistant", "text": …}, …]}'
    )


def read_scaffolds(
    links: pl.DataFrame, responses: pl.DataFrame, pictures: Iterable[Pictured], source: Knowledge
) -> ScaffoldReading:
    """Scaffolds from the first pass. Each is checked for slots, types, turns and give-aways; the rest goes to review."""
    wanted: dict[str, tuple[Pictured, ConversationType]] = {
        scaffold_key(picture, kind): (picture, kind) for picture in pictures for kind in CONVERSATION_TYPES
    }
    built: list[Scaffold] = []
    review: list[tuple[str, str, str, list[str], str | None]] = []
    for row in answered(links.filter(pl.col("condition") == SCAFFOLD_PASS), responses).iter_rows(named=True):
        picture, kind = wanted[row["item_id"]]
        scaffold, reasons = scaffold_of(row["text"], row["status"], picture, kind, source)
        if scaffold is not None:
            reasons = [*reasons, *too_near(scaffold, built)]
        if scaffold is not None and not reasons:
            built.append(scaffold)
        review.append((row["item_id"], SCAFFOLD_PASS, "flagged" if reasons else "accepted", reasons, row["text"]))
    return ScaffoldReading(tuple(built), pl.DataFrame(review, schema=REVIEW, orient="row"))


def plan_fills(
    scaffolds: Iterable[Scaffold], source: Knowledge, model: Model, sampling: Mapping[str, Any] = SAMPLING
) -> Plan:
    """Second pass: one request for each scaffold and culture of its concept."""
    return plan_calls(
        (
            Call(
                f"{scaffold.scaffold_id}/{culture}",
                FILL_PASS,
                [text_message("user", fill_prompt(scaffold, culture, source))],
                sampling,
            )
            for scaffold in scaffolds
            for culture in cultures_of(scaffold.concept)
        ),
        model,
    )


def fill_prompt(scaffold: Scaffold, culture: str, source: Knowledge) -> str:
    """The instruction for filling one scaffold for one culture, with the values that may be used."""
    lists = "\n".join(
        f"[#cue{cue.slot}]: "
        + " | ".join(
            value.value for value in source.usable(cue.cue_type, culture, scaffold.concept, alone=cue.slot == 1)
        )
        for cue in scaffold.cues
    )
    return (
        f"Below is a dialogue with two gaps, [#cue1] and [#cue2]. The user is from {COUNTRY_NAMES[culture]}. Fill each gap "
        "with the value from its list that reads most naturally there.\n"
        "Change nothing else: not a word, not a comma. Don't name the country.\n\n"
        f"Values:\n{lists}\n\nDialogue:\n{json.dumps(_marked(scaffold), ensure_ascii=False, indent=1)}\n\n"
        "Answer with the filled dialogue as the same JSON list and nothing else."
    )


def read_fills(
    links: pl.DataFrame, responses: pl.DataFrame, scaffolds: Iterable[Scaffold], source: Knowledge
) -> FillReading:
    """Fillings from the second pass. A response that changed anything but the slots, or used other values, is flagged."""
    wanted = {
        f"{scaffold.scaffold_id}/{culture}": (scaffold, culture)
        for scaffold in scaffolds
        for culture in cultures_of(scaffold.concept)
    }
    fillings: dict[tuple[str, str], tuple[str, str]] = {}
    review: list[tuple[str, str, str, list[str], str | None]] = []
    for row in answered(links.filter(pl.col("condition") == FILL_PASS), responses).iter_rows(named=True):
        scaffold, culture = wanted[row["item_id"]]
        filling, reasons = filling_of(row["text"], row["status"], scaffold, culture, source)
        if filling is not None and not reasons:
            fillings[scaffold.scaffold_id, culture] = filling
        review.append((row["item_id"], FILL_PASS, "flagged" if reasons else "accepted", reasons, row["text"]))
    return FillReading(fillings, pl.DataFrame(review, schema=REVIEW, orient="row"))


def too_near(scaffold: Scaffold, others: Iterable[Scaffold]) -> list[str]:
    """A reason for each scaffold of the same concept that shares more than half of its word 5-grams, slots masked."""
    grams = five_grams(masked(scaffold))
    return [
        f"shares {shared:.0%} of its word 5-grams with {other.scaffold_id}"
        for other in others
        if other.concept == scaffold.concept and (shared := jaccard(grams, five_grams(masked(other)))) > LIMIT
    ]


def scaffold_key(picture: Pictured, kind: str) -> str:
    """What names a picture and conversation type in links and review rows."""
    return f"{picture.picture_id}/{kind}"


def _offered(concept: str, source: Knowledge) -> list[str]:
    return [
        name
        for name in source.types
        if all(source.usable(name, culture, concept, alone=True) for culture in cultures_of(concept))
    ]


def _json(text: str | None, status: str | None) -> tuple[Any, list[str]]:
    if status != "ok" or text is None:
        return None, [f"no answer to read (status {status or 'missing'})"]
    inner = re.sub(r"^```(?:json)?\s*|\s*```$", "", text.strip())
    try:
        return json.loads(inner), []
    except (json.JSONDecodeError, RecursionError):
        return None, ["not one JSON value"]


def _turn_list(value: Any) -> list[tuple[str, str]] | None:
    if not isinstance(value, list):
        return None
    turns: list[tuple[str, str]] = []
    for entry in value:  # pyright: ignore[reportUnknownVariableType]
        if (
            not isinstance(entry, dict)
            or not isinstance(entry.get("role"), str)
            or not isinstance(entry.get("text"), str)
        ):
            return None
        turns.append((str(entry["role"]), str(entry["text"])))
    return turns


def scaffold_of(
    text: str | None, status: str | None, picture: Pictured, kind: ConversationType, source: Knowledge
) -> tuple[Scaffold | None, list[str]]:
    """The scaffold that an answer of the first pass holds, or None with every reason against it."""
    data, reasons = _json(text, status)
    if reasons:
        return None, reasons
    turns = _turn_list(data.get("turns")) if isinstance(data, dict) else None
    if turns is None or not isinstance(data.get("cue1"), str) or not isinstance(data.get("cue2"), str):
        return None, ["expected an object with cue1, cue2 and turns of role and text"]
    types = (str(data["cue1"]), str(data["cue2"]))
    reasons = [
        *_type_faults(types, picture.concept, source),
        *_turn_faults(turns),
        *_give_aways(turns, picture.concept),
    ]
    if reasons:
        return None, reasons
    parts = [_parts(text, types, source, first=index == 0) for index, (_, text) in enumerate(turns)]
    return (
        Scaffold(
            f"capri-model-{picture.picture_id}-{kind}",
            picture.picture_id,
            picture.concept,
            kind,
            tuple(
                Turn("user" if role == "user" else "assistant", tuple(own))
                for (role, _), own in zip(turns, parts, strict=True)
            ),
            QUESTIONS[picture.concept],
        ),
        [],
    )


def _type_faults(types: tuple[str, str], concept: str, source: Knowledge) -> list[str]:
    offered = _offered(concept, source)
    faults = [f"cue type {name!r} was not offered" for name in types if name not in offered]
    if not faults and source.types[types[0]].family == source.types[types[1]].family:
        faults.append(f"cue types {types[0]} and {types[1]} are of one family")
    return faults


def _turn_faults(turns: Sequence[tuple[str, str]]) -> list[str]:
    marks = [(index, mark) for index, (_, text) in enumerate(turns) for mark in _MARK.findall(text)]
    faults: list[str] = []
    if len(turns) < LEAST_TURNS:
        faults.append(f"{len(turns)} turns, at least {LEAST_TURNS} are wanted")
    if any(role != ("user", "assistant")[index % 2] for index, (role, _) in enumerate(turns)):
        faults.append("turns don't alternate between user and assistant")
    if [mark for _, mark in marks] != ["1", "2"]:
        faults.append(f"slots must be [#cue1] then [#cue2], once each; found {[mark for _, mark in marks]}")
    elif marks[0][0] >= marks[1][0]:
        faults.append("both slots in one turn")
    elif any(turns[index][0] != "user" for index, _ in marks):
        faults.append("a slot in the assistant's turn")
    elif marks[1][0] == len(turns) - 1:
        faults.append("nothing follows the second slot")
    return faults


def _give_aways(turns: Sequence[tuple[str, str]], concept: str) -> list[str]:
    found = {span: noun for _, text in turns for noun, span in names_in(text, concept)}
    return [
        f"names a {noun}: {span!r}" if noun != "dialect" else f"word of one country: {span!r}"
        for span, noun in found.items()
    ]


def _parts(text: str, types: tuple[str, str], source: Knowledge, *, first: bool) -> list[Part]:
    parts: list[Part] = []
    end = 0
    for match in _MARK.finditer(text):
        parts.append(text[end : match.start()])
        slot = 1 if match[1] == "1" else 2
        parts.append(Cue(slot, types[slot - 1], source.types[types[slot - 1]].neutral))
        end = match.end()
    parts.append(text[end:])
    kept = [part for part in parts if part != ""]
    return [Statement("start"), *kept, Statement("end")] if first else kept


def _marked(scaffold: Scaffold) -> list[dict[str, str]]:
    return [{"role": turn.role, "text": "".join(_shown(part) for part in turn.parts)} for turn in scaffold.turns]


def _shown(part: Part) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Cue):
        return f"[#cue{part.slot}]"
    return "" if isinstance(part, Statement) else part.value


def filling_of(
    text: str | None, status: str | None, scaffold: Scaffold, culture: str, source: Knowledge
) -> tuple[tuple[str, str] | None, list[str]]:
    """The two values of an answer of the second pass, or None with every reason against it."""
    data, reasons = _json(text, status)
    if reasons:
        return None, reasons
    turns = _turn_list(data)
    marked = _marked(scaffold)
    if turns is None or len(turns) != len(marked):
        return None, [f"expected a list of {len(marked)} turns"]
    found: dict[int, str] = {}
    for index, ((role, said), wanted) in enumerate(zip(turns, marked, strict=True), start=1):
        pattern = _MARK.sub(lambda mark: f"\0{mark[1]}\0", wanted["text"])
        regex = re.sub(
            "\0([12])\0", r"(?P<cue\1>.+?)", re.escape(pattern).replace("\\\0", "\0").replace("\\\x00", "\0")
        )
        match = re.fullmatch(regex, said, re.DOTALL)
        if role != wanted["role"] or match is None:
            reasons.append(f"turn {index} was changed outside its slot")
        else:
            found |= {int(name[-1]): value for name, value in match.groupdict().items()}
    for cue in scaffold.cues:
        allowed = [value.value for value in source.usable(cue.cue_type, culture, scaffold.concept, alone=cue.slot == 1)]
        if cue.slot in found and found[cue.slot] not in allowed:
            reasons.append(f"slot {cue.slot}: {found[cue.slot]!r} is not among the values for {culture}")
    return ((found[1], found[2]) if not reasons else None), reasons
