"""Scaffolds and fillings by a model, after review: a file of review rows becomes what the set is built from.

A row that the checks accepted, or a person approved (perhaps after mending its text), is read again by the same checks. A row
that was flagged or rejected is left out; its picture and conversation type keep the grammar's scaffold, its culture a drawn value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from covary.build.cues import CONVERSATION_TYPES, ConversationType, Scaffold
from covary.build.fill import FILL_PASS, SCAFFOLD_PASS, filling_of, scaffold_key, scaffold_of, too_near
from covary.build.scaffold import Pictured, cultures_of
from covary.culture.knowledge import Knowledge
from covary.errors import DataError, nearest

USED = ("accepted", "approved")
LEFT_OUT = ("flagged", "rejected")


class Written(NamedTuple):
    """What a review file gives: scaffolds, and (scaffold_id, culture) → two values."""

    scaffolds: tuple[Scaffold, ...]
    fillings: Mapping[tuple[str, str], tuple[str, str]]


def reviewed(rows: Iterable[tuple[str, Mapping[str, Any]]], pictures: Iterable[Pictured], source: Knowledge) -> Written:
    """Scaffolds and fillings of review rows (place in the file, row). Raises DataError, with the place, for an unknown item,
    pass or verdict, and for a used row that fails a check."""
    known: dict[str, tuple[Pictured, ConversationType]] = {
        scaffold_key(picture, kind): (picture, kind) for picture in pictures for kind in CONVERSATION_TYPES
    }
    used = [(place, row) for place, row in rows if _is_used(place, row)]
    scaffolds: list[Scaffold] = []
    for place, row in used:
        if row["pass"] == SCAFFOLD_PASS:
            picture, kind = known[_one_of(row["item_id"], known, place)]
            made, reasons = scaffold_of(row["text"], "ok", picture, kind, source)
            near = [] if made is None else too_near(made, scaffolds)
            scaffolds.append(_sound(made, [*reasons, *near], place))
    asked = {
        f"{scaffold.scaffold_id}/{culture}": (scaffold, culture)
        for scaffold in scaffolds
        for culture in cultures_of(scaffold.concept)
    }
    fillings: dict[tuple[str, str], tuple[str, str]] = {}
    for place, row in used:
        if (
            row["pass"] == FILL_PASS and row["item_id"] in asked
        ):  # a filling of a scaffold that is left out goes with it
            scaffold, culture = asked[row["item_id"]]
            values, reasons = filling_of(row["text"], "ok", scaffold, culture, source)
            fillings[scaffold.scaffold_id, culture] = _sound(values, reasons, place)
    return Written(tuple(scaffolds), fillings)


def in_place_of(written: Sequence[Scaffold], drawn: Sequence[Scaffold]) -> tuple[Scaffold, ...]:
    """The grammar's scaffolds, those by a model in place of the ones for the same picture and conversation type."""
    own = {(scaffold.picture_id, scaffold.conversation_type): scaffold for scaffold in written}
    return tuple(own.get((scaffold.picture_id, scaffold.conversation_type), scaffold) for scaffold in drawn)


def _is_used(place: str, row: Mapping[str, Any]) -> bool:
    for key in ("item_id", "pass", "verdict", "text"):
        if key not in row:
            raise DataError(f"{place}: key {key!r} is missing")
    _one_of(row["pass"], (SCAFFOLD_PASS, FILL_PASS), place)
    return _one_of(row["verdict"], (*USED, *LEFT_OUT), place) in USED


def _one_of(word: Any, known: Iterable[str], place: str) -> str:
    words = list(known)
    if word not in words:
        raise DataError(f"{place}: {word!r} is not known{nearest(str(word), words)}")
    return word


def _sound(made: Any, reasons: Sequence[str], place: str) -> Any:
    if made is None or reasons:
        raise DataError(f"{place}: {'; '.join(reasons)}; set its verdict to rejected, or mend its text")
    return made
