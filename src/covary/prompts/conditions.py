"""A condition: how an item is asked. Prompt, mode, languages, thinking, sampling, replicates; the variant belongs to the item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from covary.prompts.requests import Thinking

OF_ITEM = "item"
"""Stands for 'the item's own language' where a condition names a language."""

Given = Literal["auto", "picture", "text"]


@dataclass(frozen=True)
class Condition:
    """One declared way of asking. Languages are ISO codes, or "item" for the item's own.

    `select` keeps the items whose column holds one of the values; `models` empty means all of the study's.
    `given`: what stands for a picture: the picture, its description in words ("text"), or "auto" by the model's inputs.
    """

    name: str
    prompt: str
    instruction_language: str = "en"
    reasoning_language: str = OF_ITEM
    answer_language: str = OF_ITEM
    strict: bool = False  # code-switched prompts: the problem's restatement stands in the reasoning language too
    thinking: Thinking = "default"
    given: Given = "auto"
    replicates: int = 1
    sampling: Mapping[str, Any] = field(default_factory=dict[str, Any])
    select: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    per_answer_type: int | None = None  # at most so many source items of each answer type, drawn by seed
    models: tuple[str, ...] = ()
    scorers: tuple[str, ...] = ()

    def language(self, asked: str, of_item: str) -> str:
        """The ISO code that a declared language stands for, for an item in `of_item`."""
        return of_item if asked == OF_ITEM else asked
