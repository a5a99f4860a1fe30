"""The cue compiler: one scaffold and one culture become the conversation of every cue level, from one tree.

A scaffold's turns are sequences of parts: fixed text, two cue slots, placebo slots (a non-cultural detail) and the place
where a user may say where they are from. A level only decides what the slots show and where the conversation stops, so
two levels differ there and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from covary.culture.knowledge import COUNTRY_NAMES
from covary.errors import UsageError, nearest

Level = Literal["Null", "Neutral", "ImplicitCue1", "ImplicitCue2", "ImplicitFull", "ExplicitFull"]
Control = Literal["Placebo", "NeutralCue1", "NeutralCue2", "ShuffledCues", "ExplicitConflict"]
Explicit = Literal["start-of-neutral", "end-of-neutral", "end-of-implicit"]
ConversationType = Literal["chit_chat", "information_seeking", "customer_support"]
LEVELS: tuple[Level, ...] = get_args(Level)
CONTROLS: tuple[Control, ...] = get_args(Control)
CONVERSATION_TYPES: tuple[ConversationType, ...] = get_args(ConversationType)
Filling = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue slot: first or second, its type, and the words that stand there at the Neutral level."""

    slot: Literal[1, 2]
    cue_type: str
    neutral: str


@dataclass(frozen=True, slots=True)
class Detail:
    """A placebo slot: a detail without culture, and another that may take its place."""

    value: str
    other: str


@dataclass(frozen=True, slots=True)
class Statement:
    """Where the user says where they are from: before or after the rest of the first utterance."""

    place: Literal["start", "end"]


Part = str | Cue | Detail | Statement


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance."""

    role: Literal["user", "assistant"]
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Scaffold:
    """A conversation about one picture with two typed cue slots and no culture."""

    scaffold_id: str
    picture_id: str
    concept: str
    conversation_type: ConversationType
    turns: tuple[Turn, ...]
    question: str

    @property
    def cues(self) -> tuple[Cue, Cue]:
        """The two cue slots, first and second. Raises UsageError when they aren't exactly two, in this order."""
        found = [part for turn in self.turns for part in turn.parts if isinstance(part, Cue)]
        if [cue.slot for cue in found] != [1, 2]:
            raise UsageError(
                f"scaffold {self.scaffold_id}: expected cue slots 1 and 2 in order, found {len(found)} slots"
            )
        return found[0], found[1]

    def turn_of(self, slot: Literal[1, 2]) -> int:
        """Index of the turn that holds a cue slot."""
        cue = self.cues[slot - 1]
        return next(index for index, turn in enumerate(self.turns) if cue in turn.parts)


class Utterance(NamedTuple):
    """One turn as shown."""

    role: str
    text: str


def conversation(
    scaffold: Scaffold,
    level: str,
    filling: Filling,
    culture: str,
    explicit: Explicit = "start-of-neutral",
) -> tuple[Utterance, ...]:
    """The turns before the question at one level or control.

    `filling` holds the two cue values. For ShuffledCues and ExplicitConflict the caller passes the values that the
    control asks for (the second of another culture; both of another culture); `culture` is the one that a statement names.
    """
    if level == "Null":
        return ()
    plan = _plan(level, explicit)
    turns = scaffold.turns[: _length(scaffold, plan.stop)]
    statement = statement_of(culture) if plan.statement else ""
    shown: Mapping[int, str] = {1: filling[0], 2: filling[1]} if plan.implicit else {}
    return tuple(Utterance(turn.role, _text(turn.parts, shown, plan, statement)) for turn in turns)


def statement_of(culture: str) -> str:
    """The sentence by which a user says where they are from.

    >>> statement_of("GB")
    'I am from the United Kingdom.'
    """
    if culture not in COUNTRY_NAMES:
        raise UsageError(f"unknown culture {culture!r}{nearest(culture, COUNTRY_NAMES)}")
    return f"I am from {COUNTRY_NAMES[culture]}."


def masked(scaffold: Scaffold) -> str:
    """The scaffold's text with every slot masked: what two scaffolds are compared by."""
    return " ".join(
        "".join(part if isinstance(part, str) else "" if isinstance(part, Statement) else "□" for part in turn.parts)
        for turn in scaffold.turns
    )


def five_grams(text: str) -> frozenset[tuple[str, ...]]:
    """The set of a text's word 5-grams, case and punctuation apart."""
    words = re.findall(r"[\w'□]+", text.lower())
    return frozenset(tuple(words[start : start + 5]) for start in range(len(words) - 4))


def jaccard(left: frozenset[tuple[str, ...]], right: frozenset[tuple[str, ...]]) -> float:
    """Shared share of two sets: |A ∩ B| / |A ∪ B|; 0 for two empty ones."""
    union = len(left | right)
    return len(left & right) / union if union else 0.0


class _Plan(NamedTuple):
    implicit: bool
    stop: Literal["cue1", "cue2", "end"]
    statement: Literal["start", "end"] | None = None
    placebo: bool = False


def _plan(level: str, explicit: Explicit) -> _Plan:
    place: Literal["start", "end"] = "start" if explicit == "start-of-neutral" else "end"
    plans: dict[str, _Plan] = {
        "Neutral": _Plan(False, "end"),
        "ImplicitCue1": _Plan(True, "cue1"),
        "ImplicitCue2": _Plan(True, "cue2"),
        "ImplicitFull": _Plan(True, "end"),
        "ExplicitFull": _Plan(explicit == "end-of-implicit", "end", place),
        "Placebo": _Plan(False, "end", placebo=True),
        "NeutralCue1": _Plan(False, "cue1"),
        "NeutralCue2": _Plan(False, "cue2"),
        "ShuffledCues": _Plan(True, "end"),
        "ExplicitConflict": _Plan(True, "end", place),
    }
    if level not in plans:
        raise UsageError(f"unknown cue level {level!r}{nearest(level, ['Null', *plans])}")
    return plans[level]


def _length(scaffold: Scaffold, stop: str) -> int:
    if stop == "end":
        return len(scaffold.turns)
    return scaffold.turn_of(1 if stop == "cue1" else 2) + 1


def _text(parts: Sequence[Part], shown: Mapping[int, str], plan: _Plan, statement: str) -> str:
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
        elif isinstance(part, Cue):
            text += shown[part.slot] if shown else _sentence_case(part.neutral, text)
        elif isinstance(part, Detail):
            text += part.other if plan.placebo else part.value
        elif plan.statement == part.place:
            text += f"{statement} " if part.place == "start" else f" {statement}"
    return text


def _sentence_case(words: str, before: str) -> str:
    starts = not before or before.endswith((". ", "? ", "! "))
    return words[0].upper() + words[1:] if starts and words else words
