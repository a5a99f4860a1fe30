"""Pictures by a model, in one pass: it draws each specification as SVG, and everything it drew goes to a review queue.

SVG is text, so the pass works with any chat endpoint. What comes back is untrusted: only plain shapes are let through.
An answer may also hold a raster picture as a data URI. Nothing is used before a person has read the value off it and
approved it: an approved row becomes a Replacement.
"""

from __future__ import annotations

import base64
import binascii
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import polars as pl
import resvg_py

from covary.build.pictures.image_file import image_file
from covary.build.pictures.replacement import LEAST_SIDE, Replacement
from covary.build.pictures.spec import Concept, PictureSpec
from covary.digest import sha256_hex
from covary.errors import DataError
from covary.prompts.requests import Call, Model, Plan, answered, plan_calls, text_message

PASS = "pictures"
VERSION = 1  # of the prompt
SAMPLING: Mapping[str, Any] = {"temperature": 0, "max_tokens": 8000}
MOST_CHARACTERS, MOST_ELEMENTS, MOST_BYTES, MOST_PIXELS = 400_000, 1_500, 12_000_000, 4096
MOST_DEEP = 16  # nested elements; the renderer recurses
MOST_LAYERS = 60  # elements with an opacity of their own, a clip or a gradient: each costs a layer of the whole canvas
LEAST_DASH = 1.0
REVIEW = {
    "picture_id": pl.String(),
    "request_id": pl.String(),
    "verdict": pl.String(),  # pending: a person decides; flagged: it can't be used
    "reasons": pl.List(pl.String()),
    "sha256": pl.String(),
    "width": pl.Int32(),
    "height": pl.Int32(),
    # filled in by the reviewer; `reading` before `value` is looked up
    "reading": pl.Float64(),
    "value": pl.Float64(),
    "value_readable": pl.Boolean(),
    "no_text": pl.Boolean(),
    "no_cultural_signal": pl.Boolean(),
    "checked_by": pl.String(),
    "checked_on": pl.String(),
}
_SHAPES = frozenset(
    [
        "svg",
        "g",
        "defs",
        "rect",
        "circle",
        "ellipse",
        "line",
        "polyline",
        "polygon",
        "path",
        "linearGradient",
        "radialGradient",
        "stop",
        "clipPath",
        "title",
        "desc",
    ]
)
_SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_DATA_URI = re.compile(r"data:image/(?:png|jpeg);base64,([A-Za-z0-9+/=\s]+)")
_ASKED: Mapping[Concept, str] = {
    "temperature": "Give the instrument two scales for the same quantity, the two in common use, without saying which.",
    "distance": "Let the gap be judged from a ruler with two scales, or from things of well-known size.",
    "speed": "Give the instrument two scales for the same quantity, the two in common use, without saying which.",
    "size": "Let the room be judged from rulers with two scales along its walls, or from things of well-known size.",
    "price": "Write the amount as plain digits, without a currency, a decimal point or a grouping mark.",
    "time_expression": "Use a clock with hands, and show a piece of sky that tells the half of the day.",
    "quantifiers": "Show how much there could be at most, so that the share can be judged.",
}


class PictureReading(NamedTuple):
    """What the pass gave: one review row per response, and the pictures' bytes by SHA-256."""

    review: pl.DataFrame
    bytes_of: Mapping[str, bytes]


def plan_pictures(
    specs: Iterable[PictureSpec], model: Model, sampling: Mapping[str, Any] = SAMPLING, replicates: int = 1
) -> Plan:
    """One request for each picture and replicate."""
    return plan_calls(
        (
            Call(spec.picture_id, PASS, [text_message("user", picture_prompt(spec))], sampling, replicate)
            for spec in specs
            for replicate in range(replicates)
        ),
        model,
    )


def picture_prompt(spec: PictureSpec) -> str:
    """The instruction for one picture, with the reading that it must show."""
    return (
        "Draw a picture as one SVG document, 1024 wide and 768 high, in the style of a clear, plain illustration.\n\n"
        f"Scene: {spec.caption}\nWhat a careful viewer must be able to read off it: {spec.description}\n\n"
        "What you must keep to:\n"
        "1. The reading is exact: place hands, needles, columns and ends where the numbers say.\n"
        "2. No letters, words, unit signs, flags, brands or landmarks. Digits only where the thing itself carries them.\n"
        "3. Don't use text elements: draw digits as paths. No images, links, scripts, styles or fonts.\n"
        f"4. {_ASKED[spec.concept]}\n\n"
        "Answer with the SVG document and nothing else."
    )


def render_safely(svg: str) -> bytes:
    """PNG bytes of an SVG that passed `safe_svg`. Raises DataError when it can't be rendered."""
    try:
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, width=1024, height=768))
    except ValueError as error:
        raise DataError(f"the SVG can't be rendered: {error}") from None


def read_pictures(
    links: pl.DataFrame, responses: pl.DataFrame, render: Callable[[str], bytes] = render_safely
) -> PictureReading:
    """Pictures from the pass. One that can be shown waits as "pending"; the rest is "flagged" with its reasons.

    `render` gets SVG that passed `safe_svg`; a caller that wants a time limit passes one that renders in a worker.
    """
    rows: list[dict[str, Any]] = []
    bytes_of: dict[str, bytes] = {}
    for row in answered(links.filter(pl.col("condition") == PASS), responses).iter_rows(named=True):
        data, reason = _picture(row["text"], row["status"], render)
        entry: dict[str, Any] = {"picture_id": row["item_id"], "request_id": row["request_id"], "verdict": "flagged"}
        entry["reasons"] = [reason] if reason else []
        if data is not None:
            kind, key = image_file(data), sha256_hex(data)
            bytes_of[key] = data
            entry |= {"verdict": "pending", "sha256": key, "width": kind.width, "height": kind.height}
        rows.append(entry)
    return PictureReading(pl.DataFrame(rows, schema=REVIEW), bytes_of)


def approved(review: pl.DataFrame, specs: Iterable[PictureSpec], licence: str, source: str) -> list[Replacement]:
    """Replacements from the rows that a reviewer set to "approved"; `source` names the model. Raises DataError for an
    approved row without a picture, or with a field of the check left empty."""
    known = {spec.picture_id: spec for spec in specs}
    records: list[Replacement] = []
    needed = [name for name in list(REVIEW)[4:] if name not in ("width", "height")]
    for row in review.filter(pl.col("verdict") == "approved").iter_rows(named=True):
        empty = [name for name in needed if row[name] is None]
        if empty or row["picture_id"] not in known:
            what = f"{empty[0]} is empty" if empty else "there is no such picture"
            raise DataError(f"approved picture {row['picture_id']!r}: {what}")
        spec = known[row["picture_id"]]
        check = {name: row[name] for name in needed}
        records.append(
            Replacement(
                picture_id=spec.picture_id, licence=licence, source=source, tolerance=spec.tolerance,
                description=spec.description, **check,
            )
        )  # fmt: skip
    return records


def safe_svg(text: str) -> str:
    """The SVG text itself when it holds plain shapes only. Raises DataError for anything that could read a file, run,
    need a font or swamp the renderer."""
    if len(text) > MOST_CHARACTERS:
        raise DataError(f"the SVG has {len(text)} characters, at most {MOST_CHARACTERS} are taken")
    if "<!" in text or "<?" in text:
        raise DataError("the SVG has a declaration, comment or instruction; only elements are taken")
    if text.count("<") > 2 * MOST_ELEMENTS:
        raise DataError(f"the SVG has more than {MOST_ELEMENTS} elements")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise DataError(f"the SVG is not well-formed: {error}") from None
    layers, waiting = 0, [(root, 1)]
    while waiting:
        element, depth = waiting.pop()
        waiting += [(child, depth + 1) for child in element]
        layers += _layers(element)
        if depth > MOST_DEEP or layers > MOST_LAYERS:
            raise DataError(f"the SVG nests deeper than {MOST_DEEP} or has more than {MOST_LAYERS} layers")
        _plain_shape(element)
    return text


def _layers(element: ElementTree.Element) -> int:
    return sum(key in ("opacity", "clip-path") or "url(" in value for key, value in element.attrib.items())


def _plain_shape(element: ElementTree.Element) -> None:
    name = element.tag.rpartition("}")[2]
    if name not in _SHAPES:
        raise DataError(f"the SVG has a <{name}> element; only plain shapes are taken")
    for key, value in element.attrib.items():
        plain = key.rpartition("}")[2].lower()
        if plain in ("href", "style", "filter", "mask") or plain.startswith("on"):
            raise DataError(f"the SVG has a {plain!r} attribute, which is not taken")
        if "url(" in value and not re.fullmatch(r"url\(#[\w.-]+\)", value):
            raise DataError("the SVG refers to something outside itself")
        if plain == "stroke-dasharray" and not all(_long_dash(dash) for dash in re.split(r"[\s,]+", value.strip())):
            raise DataError(f"the SVG has a dash shorter than {LEAST_DASH:g}")


def _long_dash(text: str) -> bool:
    return text == "none" or (re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text) is not None and float(text) >= LEAST_DASH)


def _picture(text: str | None, status: str | None, render: Callable[[str], bytes]) -> tuple[bytes | None, str | None]:
    if status != "ok" or text is None:
        return None, f"no answer to read (status {status or 'missing'})"
    try:
        return _raster(text, render), None
    except DataError as error:
        return None, str(error)


def _raster(text: str, render: Callable[[str], bytes]) -> bytes:
    if found := _SVG.search(text):
        return render(safe_svg(found.group()))
    if found := _DATA_URI.search(text):
        if len(found[1]) > MOST_BYTES * 4 // 3:
            raise DataError(f"the picture is larger than {MOST_BYTES} bytes")
        try:
            data = base64.b64decode("".join(found[1].split()), validate=True)
        except binascii.Error:
            raise DataError("the picture's base64 is broken") from None
        kind = image_file(data)
        if not LEAST_SIDE <= min(kind.width, kind.height) <= max(kind.width, kind.height) <= MOST_PIXELS:
            raise DataError(
                f"the picture is {kind.width} × {kind.height} pixels; sides of {LEAST_SIDE} to {MOST_PIXELS} are taken"
            )
        return data
    raise DataError("the answer holds neither an SVG document nor a picture")
