"""Structured replies of models: the one JSON object in a text, with LaTeX that JSON's escapes would have damaged put right.

A reply that is cut off, refused, or holds no object or several is no reply; the reason says which.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

MOST_CHARACTERS = 60_000
# LaTeX commands that begin like an escape of JSON: \frac is not form feed + "rac".
_COMMANDS = frozenset(
    [
        "bar",
        "begin",
        "beta",
        "big",
        "bigg",
        "bigl",
        "bigr",
        "binom",
        "bmod",
        "boldsymbol",
        "bot",
        "boxed",
        "bullet",
        "frac",
        "forall",
        "flat",
        "frown",
        "nabla",
        "ne",
        "neg",
        "neq",
        "nexists",
        "ni",
        "nmid",
        "not",
        "notin",
        "nparallel",
        "nu",
        "rangle",
        "rceil",
        "rfloor",
        "rho",
        "right",
        "rightarrow",
        "rightleftharpoons",
        "rm",
        "tan",
        "tanh",
        "tau",
        "text",
        "textbf",
        "textit",
        "textrm",
        "tfrac",
        "therefore",
        "theta",
        "tilde",
        "times",
        "to",
        "top",
        "triangle",
        "uparrow",
        "underbrace",
        "underline",
        "underset",
        "uplus",
        "upsilon",
    ]
)
_ESCAPE = re.compile(r"\\(\\|u[0-9a-fA-F]{4}|[a-zA-Z]+|.)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|�")


class Reply(NamedTuple):
    """The object of a reply, or None with the reason; `mended`: LaTeX escapes had to be put right."""

    content: dict[str, Any] | None
    reason: str = ""
    mended: bool = False


def reply_of(text: str | None, status: str | None, error: str | None = None) -> Reply:
    """The JSON object of a response. Words around it are passed over; a second object makes it void."""
    if status is None:
        return Reply(None, "no response yet")
    if status != "ok":
        return Reply(None, f"response {status}" + (f": {error}" if error else ""))
    if not text or not text.strip():
        return Reply(None, "an empty reply")
    if len(text) > MOST_CHARACTERS:
        return Reply(None, f"a reply of more than {MOST_CHARACTERS} characters")
    raw = list(_objects(text))
    if len(raw) != 1:
        return Reply(None, "no whole JSON object in the reply" if not raw else f"{len(raw)} JSON objects in the reply")
    mended = _ESCAPE.sub(_doubled, raw[0])
    try:
        found = msgspec.json.decode(mended)
    except (msgspec.DecodeError, UnicodeError):
        try:
            found = msgspec.json.decode(_lines_escaped(mended))
        except (msgspec.DecodeError, UnicodeError) as damage:
            return Reply(None, f"damaged JSON: {damage}")
    if not isinstance(found, dict):
        return Reply(None, "the reply is no JSON object")
    return Reply(found, mended=mended != raw[0])


def text_of(reply: Reply, key: str) -> str | None:
    """A text of the reply, blanks around it cut; None where it isn't there, isn't a text, is empty or holds control characters."""
    value = (reply.content or {}).get(key)
    if not isinstance(value, str) or not value.strip() or _CONTROL.search(value):
        return None
    return value.strip()


def _objects(text: str) -> list[str]:
    """Outermost {…} that start at a key or are empty; braces inside JSON texts (LaTeX) don't count."""
    found: list[str] = []
    at = 0
    opening = re.compile(r"\{\s*(?:\"|\})")
    while len(found) < 3 and (start := opening.search(text, at)):
        end = _closing(text, start.start())
        if end is None:
            return found
        found.append(text[start.start() : end])
        at = end
    return found


def _closing(text: str, start: int) -> int | None:
    depth, quoted, at = 0, False, start
    while at < len(text):
        char = text[at]
        if quoted:
            if char == "\\":
                at += 1
            elif char == '"':
                quoted = False
        elif char == '"':
            quoted = True
        elif char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return None


def _doubled(found: re.Match[str]) -> str:
    """An escape as it was meant: a LaTeX command keeps its backslash."""
    word = found[1]
    if word == "\\" or word[0] in '"/' or (word[0] == "u" and len(word) == 5 and word not in _COMMANDS):
        return found.group()
    if word[0] in "bfnrt" and word not in _COMMANDS:
        return found.group()
    return "\\" + found.group()


def _lines_escaped(text: str) -> str:
    """The object with raw line ends inside its texts written as escapes."""
    return re.sub(
        r'"(?:[^"\\]|\\.)*"', lambda part: part.group().replace("\n", "\\n").replace("\t", " "), text, flags=re.DOTALL
    )
