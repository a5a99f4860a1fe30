"""Requests as content: models, messages, sampling → requests and links.

A pass (solve, judge, translate, …) is `plan(table, …) -> Plan`, then the one run, then `read(…) -> table`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import msgspec
import polars as pl

from covary import digest, schema

Thinking = Literal["on", "off", "default"]


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
    # body fields that switch thinking on or off; None: this model can't be switched that way
    thinking_on: Mapping[str, Any] | None = None
    thinking_off: Mapping[str, Any] | None = None
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
    return {"role": "user", "content": [{"type": "image", "sha256": sha256, "mime": mime}, {"type": "text", "text": text}]}


def plan_calls(calls: Iterable[Call], model: Model) -> Plan:
    """A plan of one model's calls: equal content gives one request, however many cells it serves."""
    identity = digest.canonical_json(model.identity)
    content_of: dict[str, str] = {}
    links: list[tuple[str, str, str, int, str, None]] = []
    for call in calls:
        content = digest.request_content(
            identity, digest.canonical_json(call.messages), digest.canonical_json(call.sampling), call.replicate
        )
        key = digest.request_id(content)
        content_of.setdefault(key, content.decode())
        links.append((call.item_id, call.condition, model.name, call.replicate, key, None))
    requests = pl.DataFrame(
        {"request_id": list(content_of), "model": [model.name] * len(content_of), "content": list(content_of.values())},
        schema=schema.REQUESTS.schema,
    )
    return Plan(requests, pl.DataFrame(links, schema=schema.LINKS.schema, orient="row"))


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
