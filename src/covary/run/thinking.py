"""Reasoning and answer, told apart where a model writes both into one text."""

from __future__ import annotations

import re
from typing import NamedTuple

TAGS = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "seed:think")
PAIRS = [(f"<{tag}>", f"</{tag}>") for tag in TAGS] + [("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷")]
CLOSING = dict(PAIRS)
CLOSE = re.compile("|".join(re.escape(closing) for closing in CLOSING.values()))
OPENING = re.compile(r"\s*(" + "|".join(re.escape(opening) for opening in CLOSING) + ")")


class Parts(NamedTuple):
    """An answer's two parts. reasoning None: there was none. text None: the reasoning never ended."""

    reasoning: str | None
    text: str | None


def split(text: str) -> Parts:
    """The reasoning inside think tags, and what follows them.

    Tags count only where reasoning can stand: at the start, or closed without having been opened (the chat template
    opened it). A tag later in the answer is the model's text.

    >>> split("<think>2+2</think>\\n\\n4")
    Parts(reasoning='2+2', text='4')
    >>> split("2+2</think>4")
    Parts(reasoning='2+2', text='4')
    >>> split("<think>2+")
    Parts(reasoning='2+', text=None)
    >>> split("4")
    Parts(reasoning=None, text='4')
    """
    opened = OPENING.match(text)
    if opened:
        reasoning, closing, rest = text[opened.end() :].partition(CLOSING[opened.group(1)])
        if not closing:
            return Parts(reasoning.strip(), None)
        return Parts(reasoning.strip(), rest.lstrip())
    closed = CLOSE.search(text)
    if closed and not _opened_before(text, closed):
        return Parts(text[: closed.start()].strip(), text[closed.end() :].lstrip())
    return Parts(None, text)


def _opened_before(text: str, closed: re.Match[str]) -> bool:
    opening = next(opening for opening, closing in PAIRS if closing == closed.group())
    return opening in text[: closed.start()]
