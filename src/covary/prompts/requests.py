"""Requests as content: models, messages, sampling → requests and links.

A pass (solve, judge, translate, …) is `plan(table, …) -> Plan`, then the one run, then `read(…) -> table`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import msgspec
import polars as pl

from covary import digest, schema

Thinking = Literal["on", "off", "default"]


@dataclass(frozen=True)
class PictureLimits:
    """What a model takes of a picture; one that is larger is made smaller before its request is made. None: no limit."""

    max_pixels: int | None = None  # width × height
    max_side: int | None = None  # pixels of the longer side
    max_bytes: int | None = None


@dataclass(frozen=True)
class Model:
    """One model of a study: its identity (part of every request), its facts for tables, and its transport (part of none).

    `revision` or `weights_sha256` pin what answers; `route` says how direct and thinking are reached.
    """

    name: str
    served_name: str = ""  # the name sent to the server; `name` where empty
    revision: str | None = None
    weights_sha256: str | None = None
    family: str | None = None
    parameters_b: float | None = None
    developer: str | None = None
    developer_country: str | None = None
    licence: str | None = None
    inputs: tuple[Literal["text", "image"], ...] = ("text",)
    pictures: PictureLimits = PictureLimits()
    role: Literal["subject", "judge"] = "subject"  # a judge is asked only by passes, never by a study's conditions
    # "never", "always", or "switch" by the body fields below; None: "switch" where any is declared, else "never"
    thinks: Literal["never", "always", "switch"] | None = None
    thinking_on: Mapping[str, Any] | None = None
    thinking_off: Mapping[str, Any] | None = None
    checkpoint_of: str | None = None  # what sibling checkpoints (one thinks, one doesn't) have in common
    transport: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def identity(self) -> dict[str, str]:
        """What of the model enters a request: its served name, and revision or weights digest where declared."""
        known = {"name": self.served_name or self.name, "revision": self.revision, "digest": self.weights_sha256}
        return {key: value for key, value in known.items() if value is not None}


class Call(NamedTuple):
    """One cell that needs an answer: which row, under which condition, by which messages."""

    item_id: str
    condition: str
    messages: list[dict[str, Any]]
    sampling: Mapping[str, Any]
    replicate: int = 0


class Plan(NamedTuple):
    """Distinct requests (schema.REQUESTS) and the links (schema.LINKS) that say which cells each serves."""

    requests: pl.DataFrame
    links: pl.DataFrame


def text_message(role: Literal["system", "user", "assistant"], text: str) -> dict[str, Any]:
    """One message that is text only."""
    return {"role": role, "content": text}


def picture_message(text: str, sha256: str, mime: str = "image/png") -> dict[str, Any]:
    """One user message with a picture (by the digest of the bytes that will be sent) and a text."""
    return {
        "role": "user",
        "content": [{"type": "image", "sha256": sha256, "mime": mime}, {"type": "text", "text": text}],
    }


def plan_calls(calls: Iterable[Call], model: Model) -> Plan:
    """A plan of one model's calls: equal content gives one request, however many cells it serves."""
    chunks = list(plan_chunks(calls, model))
    if not chunks:
        return Plan(schema.REQUESTS.empty(), schema.LINKS.empty())
    return Plan(pl.concat([chunk.requests for chunk in chunks]), pl.concat([chunk.links for chunk in chunks]))


def plan_chunks(
    calls: Iterable[Call], model: Model, *, size: int = 8192, known: set[bytes] | None = None
) -> Iterator[Plan]:
    """The same plan in pieces of `size` cells, for plans that don't fit in memory: write each and forget it.

    A request is in the piece where it occurs first and in no other. `known`: requests of pieces before, which have none here;
    those of this plan are added.
    """
    identity = digest.canonical_json(model.identity)
    canonical_sampling = _Remembered()
    known = set() if known is None else known
    piece = _Piece(model.name)
    # One by one: calls that are kept would be walked through by Python's cycle collector again and again.
    for call in calls:
        content = digest.request_content(
            identity, canonical_messages(call.messages), canonical_sampling(call.sampling), call.replicate
        )
        key = digest.request_id(content)
        piece.item_ids.append(call.item_id)
        piece.conditions.append(call.condition)
        piece.replicates.append(call.replicate)
        piece.keys.append(key)
        raw = bytes.fromhex(key)
        if raw not in known:
            known.add(raw)
            piece.new_keys.append(key)
            piece.contents.append(content.decode())
        if len(piece.keys) == size:
            yield piece.plan()
            piece = _Piece(model.name)
    if piece.keys:
        yield piece.plan()


class _Piece:
    """Cells of one model column by column, and those of their requests that are new."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.item_ids: list[str] = []
        self.conditions: list[str] = []
        self.replicates: list[int] = []
        self.keys: list[str] = []
        self.new_keys: list[str] = []
        self.contents: list[str] = []

    def plan(self) -> Plan:
        """The piece as frames."""
        model = pl.lit(self.model)
        requests = pl.DataFrame(
            {"request_id": self.new_keys, "content": self.contents}, schema_overrides=schema.REQUESTS.schema
        )
        cells = {
            "item_id": self.item_ids,
            "condition": self.conditions,
            "replicate": self.replicates,
            "request_id": self.keys,
        }
        links = pl.DataFrame(cells, schema_overrides=schema.LINKS.schema)
        return Plan(
            requests.with_columns(model=model).select(list(schema.REQUESTS.schema)),
            links.with_columns(model=model, reason=pl.lit(None, pl.String)).select(list(schema.LINKS.schema)),
        )


def canonical_messages(messages: list[dict[str, Any]]) -> bytes:
    """The messages' canonical JSON (`digest.canonical_json`), by a short way where every leaf is text."""
    try:
        if all(map(_is_texts, messages)):
            return _ENCODER.encode(messages)
    except UnicodeEncodeError:
        pass  # the long way says what is wrong
    return digest.canonical_json(messages)


def merge(plans: Iterable[Plan]) -> Plan:
    """Several plans as one; requests that occur in more than one are kept once."""
    parts = list(plans)
    if not parts:
        return Plan(schema.REQUESTS.empty(), schema.LINKS.empty())
    requests = pl.concat([part.requests for part in parts]).unique("request_id", maintain_order=True)
    return Plan(requests, pl.concat([part.links for part in parts]).unique(maintain_order=True))


def answered(links: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
    """Links joined to their responses; cells without one keep nulls. What a pass's `read` starts from."""
    return links.join(responses, on="request_id", how="left", maintain_order="left")


def content_of(request: str) -> dict[str, Any]:
    """A request's content as a mapping: messages, model, replicate, sampling."""
    return msgspec.json.decode(request)


# For texts alone, msgspec's sorted JSON is the canonical JSON (a test holds this over all of Unicode).
_ENCODER = msgspec.json.Encoder(order="sorted")


def _is_texts(message: dict[str, Any]) -> bool:
    """Whether a message holds nothing but texts, and parts made of texts."""
    for key, value in message.items():
        if type(key) is not str:
            return False
        if type(value) is str:
            continue
        if type(value) is not list:
            return False
        for part in value:
            if type(part) is not dict:
                return False
            for name, text in part.items():
                if type(name) is not str or type(text) is not str:
                    return False
    return True


class _Remembered:
    """Canonical JSON of mappings that come again and again as the same object."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Mapping[str, Any], bytes]] = {}

    def __call__(self, value: Mapping[str, Any]) -> bytes:
        entry = self._known.get(id(value))
        if entry is None or entry[0] is not value:
            if len(self._known) >= 256:
                self._known.clear()
            entry = self._known[id(value)] = (value, digest.canonical_json(value))
        return entry[1]
