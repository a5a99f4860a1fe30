"""What a text is cut into (tokens), how digits are punctuated (marks), and the refusal of what can't be read."""

from __future__ import annotations

from typing import NamedTuple

from covary.mathematics.tree import Num


class Unread(Exception):  # noqa: N818
    """The text can't be read as mathematics as a whole. The message says where it stopped."""


class Token(NamedTuple):
    """kind: num sym word func op rel sep open close cmd mark. `spaced`: a blank stands before it."""

    kind: str
    text: str
    spaced: bool = False
    number: Num | None = None


class Marks(NamedTuple):
    """How digits are punctuated. comma: groups thousands, marks decimals, or separates a list; dot_groups: 1.234 is 1234."""

    comma: str
    dot_groups: bool = False
    blank_groups: bool = True
