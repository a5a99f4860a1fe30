"""The seam between the loop and whatever answers: one request in, one attempt's outcome out.

Every transport (HTTP, embedded llama.cpp, scripted fake) keeps this protocol and passes the same contract suite
(tests/run/contract.py). Fields that say what went wrong in more detail (`unreachable`, tokens of a failed attempt) have
defaults: a transport that doesn't know them leaves them out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from covary.digest import RequestId
from covary.schema import Status

ReadPicture = Callable[[str], bytes]
"""SHA-256 of a picture → its bytes; raises DataError for an unknown one."""

Heal = Literal["retry", "give_up", "stop"]
"""What the loop should do after a failed attempt: try again, mark this request, or stop everything for this model."""


class Request(NamedTuple):
    """One call as the loop hands it to a transport. `content` is canonical JSON: messages, model, replicate, sampling."""

    request_id: RequestId
    content: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What an attempt brought: a response's columns (schema.RESPONSES), as far as the transport knows them."""

    status: Status
    text: str | None = None
    reasoning: str | None = None
    finish_reason: str | None = None
    error: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    model_reported: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt that brought no answer: one clear line, whether it can heal, and the wait that the server asked for."""

    error: str
    heal: Heal
    retry_after_s: float | None = None
    slow_down: bool = False  # the server is overloaded (429, 503, 529): lower the concurrency
    unreachable: bool = False  # no server answered at all (refused, no such host): the request is not to blame
    prompt_tokens: int | None = None  # reported although the attempt failed: they are paid for
    completion_tokens: int | None = None


class Transport(Protocol):
    """Sends requests of one model. `send` never raises for what a server does; cancelling it is always safe.

    It ends by itself within about `timeout_s` seconds (a Failure that can heal); the loop cuts it off a little later.
    """

    slots: int | None
    """How many sends may be under way at most; None: as many as the loop likes."""

    async def send(self, request: Request, timeout_s: float) -> Answer | Failure: ...

    async def close(self) -> None: ...
