"""Scaffolds: conversations about a picture with two typed cue slots, drawn from a grammar.

The grammar is four lists of exchanges in package data: openings and middles by concept and conversation type, closings
by conversation type, frames by cue type and conversation type. A scaffold is a plan (an order of exchanges) with one
exchange for each place, the least used first. A candidate too near to an earlier one of its concept is drawn anew.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple, Protocol

from covary.build.cues import (
    CONVERSATION_TYPES,
    ConversationType,
    Cue,
    Detail,
    Part,
    Scaffold,
    Statement,
    Turn,
    five_grams,
    jaccard,
    masked,
)
from covary.culture.knowledge import CULTURES, Knowledge
from covary.digest import Draw

LIMIT = 0.5  # share of word 5-grams that two scaffolds of a concept may have in common
AIM = 0.25  # what the draw tries for before it settles for less
TRIES = 12
WITHOUT_GB = ("distance", "size")  # the United Kingdom mixes systems there (paper, appendix A.1)

QUESTIONS: Mapping[str, str] = {
    "temperature": "What temperature does the picture show?",
    "distance": "How far apart are the two things in the picture?",
    "speed": "What speed does the picture show?",
    "size": "How large is the floor of the room in the picture?",
    "price": "What price does the picture show?",
    "time_expression": "Which part of the day is it in the picture?",
    "quantifiers": "How much is there in the picture, compared with when it is full?",
}
PLANS: tuple[tuple[str, ...], ...] = (
    ("opening", "cue1", "middle", "cue2", "closing"),
    ("opening", "middle", "cue1", "cue2", "closing"),
    ("opening", "cue1", "cue2", "middle", "closing"),
    ("opening", "middle", "cue1", "middle", "cue2", "closing"),
    ("opening", "cue1", "cue2", "closing"),
)
GREETED: tuple[str, ...] = ("greeted", "middle", "cue2", "closing")
DETAILS: Mapping[str, tuple[str, ...]] = {
    "relation": ("sister", "brother", "cousin", "best friend", "colleague", "uncle"),
    "device": ("phone", "tablet", "laptop", "old computer"),
    "pet": ("dog", "cat", "parrot", "rabbit"),
    "weekday": ("Tuesday", "Wednesday", "Thursday"),
}
# What a user says before they turn to something else, when the assistant has just asked.
TURNS_AWAY = (
    "Hard to say.",
    "Good question.",
    "I'd have to think about that.",
    "It depends, really.",
    "I'll tell you another time.",
    "You'd have to see it.",
    "Let me think about it.",
    "I couldn't say.",
)
_SLOT = re.compile(r"\{(\w+)(?:\|([^}]*))?\}")
_GREETING = re.compile(r"^(?:Hello again|Hello|Hi|Hey there|Good day)[,!.]\s+|^Hello! ")


class Pictured(Protocol):
    """What a scaffold needs of a picture."""

    @property
    def picture_id(self) -> str: ...
    @property
    def concept(self) -> str: ...
    @property
    def caption(self) -> str: ...


class Exchange(NamedTuple):
    """A user's line and the assistant's reply; `ask` is what the assistant adds to its turn before."""

    user: str
    reply: str
    ask: str = ""


class Grammar(NamedTuple):
    """The exchanges by (concept, conversation type), conversation type, or (cue type, conversation type)."""

    openings: Mapping[tuple[str, str], tuple[Exchange, ...]]
    middles: Mapping[tuple[str, str], tuple[Exchange, ...]]
    closings: Mapping[str, tuple[Exchange, ...]]
    frames: Mapping[tuple[str, str], tuple[Exchange, ...]]


def cultures_of(concept: str) -> tuple[str, ...]:
    """The cultures that a concept is asked for: all ten, without GB where it mixes systems."""
    return tuple(culture for culture in CULTURES if not (concept in WITHOUT_GB and culture == "GB"))


def scaffolds(pictures: Iterable[Pictured], knowledge: Knowledge, seed: int = 0) -> tuple[Scaffold, ...]:
    """Three scaffolds for each picture, in the order of the pictures and of CONVERSATION_TYPES."""
    grammar = load_grammar()
    used: Counter[tuple[str, ...]] = Counter()
    seen: dict[str, list[frozenset[tuple[str, ...]]]] = {}
    built: list[Scaffold] = []
    for picture in pictures:
        others = seen.setdefault(picture.concept, [])
        for conversation_type in CONVERSATION_TYPES:
            scaffold, choices = _new(picture, conversation_type, grammar, knowledge, used, others, seed)
            used.update(choices)
            others.append(five_grams(masked(scaffold)))
            built.append(scaffold)
    return tuple(built)


def cue_types(concept: str, conversation_type: str, knowledge: Knowledge, *, alone: bool) -> tuple[str, ...]:
    """Cue types with a frame for the conversation type and a usable value in every culture of the concept."""
    grammar = load_grammar()
    return tuple(
        name
        for name in knowledge.types
        if (name, conversation_type) in grammar.frames
        and all(knowledge.usable(name, culture, concept, alone=alone) for culture in cultures_of(concept))
    )


@functools.cache
def load_grammar() -> Grammar:
    """The bundled grammar."""
    folder = resources.files("covary.build") / "scaffold_data"
    openings, middles, closings, frames = (
        tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
        for name in ("openings", "middles", "closings", "frames")
    )
    return Grammar(
        _by_pair(openings),
        _by_pair(middles),
        {kind: tuple(Exchange(*lines) for lines in exchanges) for kind, exchanges in closings.items()},
        {
            (name, kind): tuple(Exchange(user, reply, ask) for ask, user, reply in exchanges)
            for name, table in frames.items()
            for kind, exchanges in table.items()
        },
    )


def slot_parts(
    text: str, cue: tuple[int, str, str] | None = None, details: Mapping[str, Detail] | None = None
) -> list[Part]:
    """A grammar line as parts: {v} or {v|neutral} is the cue (slot, type, neutral), other names are placebo slots."""
    parts: list[Part] = []
    end = 0
    for match in _SLOT.finditer(text):
        parts.append(text[end : match.start()])
        end = match.end()
        if match[1] == "v" and cue is not None:
            parts.append(Cue(1 if cue[0] == 1 else 2, cue[1], match[2] or cue[2]))
        else:
            parts.append((details or {})[match[1]])
    parts.append(text[end:])
    return [part for part in parts if part != ""]


def _by_pair(table: Mapping[str, Mapping[str, Sequence[Any]]]) -> dict[tuple[str, str], tuple[Exchange, ...]]:
    return {
        (concept, kind): tuple(Exchange(*lines) for lines in exchanges)
        for concept, kinds in table.items()
        for kind, exchanges in kinds.items()
    }


def _new(
    picture: Pictured,
    kind: ConversationType,
    grammar: Grammar,
    knowledge: Knowledge,
    used: Counter[tuple[str, ...]],
    others: Sequence[frozenset[tuple[str, ...]]],
    seed: int,
) -> tuple[Scaffold, list[tuple[str, ...]]]:
    best: tuple[float, Scaffold, list[tuple[str, ...]]] | None = None
    for attempt in range(TRIES):
        draw = Draw(seed, "scaffold", picture.picture_id, kind, attempt)
        scaffold, choices = _candidate(picture, kind, grammar, knowledge, used, draw, seed)
        grams = five_grams(masked(scaffold))
        nearness = max((jaccard(grams, other) for other in others), default=0.0)
        if best is None or nearness < best[0]:
            best = (nearness, scaffold, choices)
        if nearness <= AIM:
            break
    assert best is not None
    return best[1], best[2]


def _candidate(
    picture: Pictured,
    kind: ConversationType,
    grammar: Grammar,
    knowledge: Knowledge,
    used: Counter[tuple[str, ...]],
    draw: Draw,
    seed: int,
) -> tuple[Scaffold, list[tuple[str, ...]]]:
    choices: list[tuple[str, ...]] = []

    def least_used(label: str, options: Sequence[Any], *scope: str) -> Any:
        keys = [(label, *scope, str(option)) for option in options]
        fewest = min(used[key] + choices.count(key) for key in keys)
        index = draw.choice([i for i, key in enumerate(keys) if used[key] + choices.count(key) <= fewest])
        choices.append(keys[index])
        return options[index]

    concept = picture.concept
    first = least_used("cue1", cue_types(concept, kind, knowledge, alone=True), concept)
    family = knowledge.types[first].family
    second = least_used(
        "cue2",
        [
            name
            for name in cue_types(concept, kind, knowledge, alone=False)
            if knowledge.types[name].family != family and name != "greeting"
        ],
        concept,
    )
    steps = GREETED if first == "greeting" else least_used("plan", PLANS, concept, kind)
    exchanges: list[tuple[str, Exchange]] = []
    for step in steps:
        if step in ("cue1", "cue2"):
            name = first if step == "cue1" else second
            exchanges.append((step, least_used(step, grammar.frames[name, kind], concept, name, kind)))
        elif step == "closing":
            exchanges.append((step, least_used(step, grammar.closings[kind], concept)))
        elif step == "middle":
            exchanges.append((step, least_used(step, grammar.middles[concept, kind], concept)))
        else:
            exchanges.append((step, least_used("opening", grammar.openings[concept, kind], concept)))
    details = {name: _detail(values, draw) for name, values in DETAILS.items()}
    slots = {"cue1": (1, first), "cue2": (2, second)}
    turns = _turns(exchanges, slots, picture, knowledge, details, lambda: least_used("away", TURNS_AWAY, concept))
    identity = f"capri-{seed}-{picture.picture_id}-{kind}"
    return Scaffold(identity, picture.picture_id, concept, kind, turns, QUESTIONS[concept]), choices


def _detail(values: Sequence[str], draw: Draw) -> Detail:
    value, other = draw.sample(values, 2)
    return Detail(value, other)


def _turns(
    exchanges: Sequence[tuple[str, Exchange]],
    slots: Mapping[str, tuple[int, str]],
    picture: Pictured,
    knowledge: Knowledge,
    details: Mapping[str, Detail],
    turn_away: Any,
) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    for position, (step, exchange) in enumerate(exchanges):
        cue = (*slots[step], knowledge.types[slots[step][1]].neutral) if step in slots else None
        user = exchange.user.replace("{np}", thing(picture.caption))
        if exchange.ask:
            _ask(turns, exchange.ask)
        parts = slot_parts(user, cue, details)
        if position == 0:
            parts = _opened(parts, greeted=step == "greeted", greeting=knowledge.types.get("greeting"))
        elif not exchange.ask and step != "closing" and _ends_with_question(turns):
            parts = [f"{turn_away()} ", *parts]
        turns += [Turn("user", tuple(parts)), Turn("assistant", (exchange.reply,))]
    return tuple(turns)


def thing(caption: str) -> str:
    """A caption as a noun phrase within a sentence.

    >>> thing("A wall clock over a sink.")
    'a wall clock over a sink'
    """
    text = caption.strip().removesuffix(".")
    return text[0].lower() + text[1:] if re.match(r"(?:An?|The|Two|Three|Some)\b", text) else text


def _opened(parts: list[Part], *, greeted: bool, greeting: Any) -> list[Part]:
    if greeted:
        first = _GREETING.sub("", parts[0]) if isinstance(parts[0], str) else parts[0]
        if isinstance(first, str) and first:
            first = first[0].upper() + first[1:]
        return [Cue(1, "greeting", greeting.neutral), " ", Statement("start"), first, *parts[1:], Statement("end")]
    head = _GREETING.match(parts[0]) if isinstance(parts[0], str) else None
    if head is None or not isinstance(parts[0], str):
        return [Statement("start"), *parts, Statement("end")]
    rest = parts[0][head.end() :]
    hello = head[0].strip().rstrip(",.!") + ("!" if head[0].strip()[-1] == "!" else ".")
    return [hello + " ", Statement("start"), rest[0].upper() + rest[1:] if rest else rest, *parts[1:], Statement("end")]


def _ask(turns: list[Turn], ask: str) -> None:
    last = turns[-1]
    text = "".join(part for part in last.parts if isinstance(part, str))
    kept = [sentence for sentence in re.split(r"(?<=[.!?])\s+", text) if not sentence.endswith("?")]
    turns[-1] = Turn("assistant", (" ".join([*kept, ask]),))


def _ends_with_question(turns: Sequence[Turn]) -> bool:
    last = turns[-1].parts[-1]
    return isinstance(last, str) and last.endswith("?")
