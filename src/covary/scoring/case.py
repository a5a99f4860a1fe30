"""What a scorer sees and gives back: a case in, a judgement out.

A scorer is a callable with a name and a version. It is pure: workers (sympy, language models) are passed to its factory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from covary.schema import Status


@dataclass(frozen=True, slots=True)
class Case:
    """One answer to be judged, with what is known of its item and condition. Missing facts are None or empty."""

    text: str | None
    reasoning: str | None = None
    status: Status = "ok"
    target: str | None = None
    answer_type: str = "text"
    language: str = "en"  # of the question
    reasoning_language: str | None = None  # asked for
    answer_language: str | None = None  # asked for
    mode: str = "direct"  # direct, cot, pragmatic
    task: str = "solve"  # solve, mcq, detect, identify, bg, vqa
    question: str | None = None
    solution: str | None = None
    options: tuple[str, ...] = ()
    culture: str | None = None
    cue_level: str | None = None
    domain: str | None = None  # subdomain or concept
    prompt: str | None = None  # the last user message, to spot echoes
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])  # of the item
    detail: Mapping[str, Any] = field(
        default_factory=dict[str, Any]
    )  # of the response; imported ones: "recorded", "extracted"


class Judgement(NamedTuple):
    """A score: value in [0, 1] or None with the reason; the answer extracted; evidence that JSON can hold."""

    answer: str | None
    value: float | None
    reason: str
    detail: Mapping[str, Any] = {}


class Scorer(Protocol):
    """Judges one case. Raises nothing for what a model wrote: failed is a Judgement with value None."""

    name: str
    version: int

    def __call__(self, case: Case) -> Judgement: ...
