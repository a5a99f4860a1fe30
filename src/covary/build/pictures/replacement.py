"""A user's own photograph, or a generated picture, in the place of a drawn one: with licence, true value and check."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from covary.build.pictures.image_file import image_file
from covary.build.pictures.spec import Concept, PictureSpec
from covary.build.pictures.words import unit_words
from covary.digest import sha256_hex
from covary.errors import DataError, nearest

LEAST_SIDE = 768  # pixels, of the shorter side
PHOTOGRAPH = "photograph"  # the scene of a replaced picture

# Licences that allow use with changes, as the study's pictures are passed on. "own-work": the user made it and says so.
LICENCES = (
    "CC0-1.0",
    "CC-BY-2.0",
    "CC-BY-2.5",
    "CC-BY-3.0",
    "CC-BY-4.0",
    "CC-BY-SA-2.0",
    "CC-BY-SA-3.0",
    "CC-BY-SA-4.0",
    "PDDL-1.0",
    "public-domain",
    "own-work",
)

# What a value can be at all, in the concept's unit.
BOUNDS: Mapping[Concept, tuple[float, float]] = {
    "temperature": (-90, 1500),
    "distance": (0.001, 1e7),
    "speed": (0.1, 2000),
    "size": (0.5, 1e5),
    "price": (0.01, 1e9),
    "time_expression": (0, 1439),
    "quantifiers": (0, 1),
}
KEPT = ("sha256", "licence", "source", "checked_by", "checked_on")  # what items tell of a replaced picture
CHECKS = ("value_readable", "no_text", "no_cultural_signal")


@dataclass(frozen=True)
class Replacement:
    """One picture to be used instead of a drawn one, and the check that a person made of it.

    `value` and `tolerance` are in the concept's unit (spec.UNITS). `description` is the reading in words for the
    text-only route. The three checks are answers to: can the value be read from the picture alone, is it free of
    letters and words, is it free of flags, landmarks and other signs of a country. `reading` is what the person who
    checked read off before looking up the value.
    """

    picture_id: str
    sha256: str  # of the file's bytes
    licence: str  # one of LICENCES
    source: str  # author and place, as the licence asks for
    value: float
    tolerance: float
    description: str
    reading: float
    value_readable: bool
    no_text: bool
    no_cultural_signal: bool
    checked_by: str
    checked_on: str  # ISO date
    caption: str | None = None  # None: the drawn picture's caption fits


def replacement_of(row: Mapping[str, Any], where: str = "row") -> Replacement:
    """A record from a mapping (a line of a JSONL file). Raises DataError for a missing, unknown or ill-typed key."""
    kinds = {field.name: str(field.type) for field in fields(Replacement)}
    for key in row:
        if key not in kinds:
            raise DataError(f"{where}: unknown key {key!r}{nearest(key, kinds)}")
    for name, kind in kinds.items():
        if name not in row and name != "caption":
            raise DataError(f"{where}: key {name!r} is missing (expected {kind})")
        if name in row and not _is(row[name], kind):
            raise DataError(f"{where}: {name!r} must be {kind}, found {row[name]!r}")
    checked: dict[str, Any] = dict(row)
    return Replacement(**checked)


def faults(record: Replacement, spec: PictureSpec, data: bytes) -> list[str]:
    """Everything that speaks against a replacement, one line each; empty when it may be used."""
    low, high = BOUNDS[spec.concept]
    found = [
        (record.picture_id != spec.picture_id, f"it is for {record.picture_id}, not for {spec.picture_id}"),
        (record.sha256 != sha256_hex(data), f"its sha256 is {sha256_hex(data)}, the record says {record.sha256}"),
        (record.licence not in LICENCES, f"licence {record.licence!r} is none of {', '.join(LICENCES)}"),
        (not record.source.strip(), "source is empty: name the author and the place"),
        (not (math.isfinite(record.value) and low <= record.value <= high), f"value {record.value} is outside {low} to {high}"),
        (not (math.isfinite(record.tolerance) and record.tolerance >= 0), f"tolerance {record.tolerance} must be 0 or more"),
        (not abs(record.reading - record.value) <= record.tolerance, f"the check read {record.reading}, more than {record.tolerance} from {record.value}"),
        (not record.checked_by.strip(), "checked_by is empty"),
        (not _is_date(record.checked_on), f"checked_on must be an ISO date, found {record.checked_on!r}"),
        (not record.description.strip(), "description is empty: the text-only route needs it"),
    ]  # fmt: skip
    words = [word for text in (record.description, record.caption or "") for word in unit_words(text)]
    return (
        [fault for wrong, fault in found if wrong]
        + [f"check {name!r} was not passed" for name in CHECKS if not getattr(record, name)]
        + [f"its words name a unit: {word!r}" for word in words]
        + _file_faults(data)
    )


def replaced(spec: PictureSpec, record: Replacement, data: bytes) -> PictureSpec:
    """The specification with a picture of the user's in its place: scene "photograph", the file's digest among its
    parameters. Raises DataError with every fault when the record or the file does not pass."""
    against = faults(record, spec, data)
    if against:
        raise DataError(f"replacement of {spec.picture_id}: " + "; ".join(against))
    return replace(
        spec,
        scene=PHOTOGRAPH,
        value=record.value,
        tolerance=record.tolerance,
        caption=record.caption or spec.caption,
        description=record.description,
        parameters={**spec.parameters, **{name: getattr(record, name) for name in KEPT}},
    )


def with_replacements(
    specs: Iterable[PictureSpec], records: Iterable[Replacement], bytes_of: Mapping[str, bytes]
) -> tuple[PictureSpec, ...]:
    """All specifications, some replaced; `bytes_of` maps SHA-256 to a file's bytes. Raises DataError when a record
    names no picture, comes twice, lacks its file, or does not pass."""
    known = {spec.picture_id: spec for spec in specs}
    done: dict[str, PictureSpec] = {}
    for record in records:
        if record.picture_id not in known:
            raise DataError(f"replacement of {record.picture_id!r}: no such picture{nearest(record.picture_id, known)}")
        if record.picture_id in done:
            raise DataError(f"replacement of {record.picture_id!r} comes twice")
        if record.sha256 not in bytes_of:
            raise DataError(f"replacement of {record.picture_id!r}: no file has the sha256 {record.sha256}")
        done[record.picture_id] = replaced(known[record.picture_id], record, bytes_of[record.sha256])
    return tuple(done.get(name, spec) for name, spec in known.items())


def _file_faults(data: bytes) -> list[str]:
    try:
        kind = image_file(data)
    except DataError as error:
        return [str(error)]
    short = min(kind.width, kind.height)
    return [f"its shorter side has {short} pixels, at least {LEAST_SIDE} are wanted"] if short < LEAST_SIDE else []


def _is(value: object, kind: str) -> bool:
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "float":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, str) or (value is None and "None" in kind)


def _is_date(text: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return False
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True
