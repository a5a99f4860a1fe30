"""What a run is asked to do and what it tells: works, limits, outcome; the sources, sinks and hooks that it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Protocol

import polars as pl

from covary.run.budget import Price, Spent
from covary.run.transport import Request, Transport

Settle = Callable[[Sequence[str]], set[str]]
"""Ids → those that need no sending. Called from the source, in the loop's disk thread."""

Source = Callable[[Settle], Iterator[Sequence[Request]]]
"""Yields the requests that are not settled, piece by piece (an empty piece is fine); reads a body only when it is needed."""

Follow = Callable[[pl.DataFrame], pl.DataFrame | None]
"""Acknowledged responses (schema.RESPONSES, a piece at a time, each once) → further requests (schema.REQUESTS), or None.

Called in the disk thread for what was found as well as for what was just answered, so that a resumed run asks the same.
"""


class Sink(Protocol):
    """Where responses go. `append` returns when its rows (in the column order of schema.RESPONSES) are on disk."""

    def settled(self, ids: Sequence[str], *, retry_errors: bool = False) -> tuple[set[str], set[str]]: ...

    def append(self, rows: Iterable[Sequence[object]]) -> object: ...

    def frame(self, request_ids: Iterable[str] | None = None) -> pl.DataFrame: ...


@dataclass(frozen=True)
class Limits:
    """How a model is asked. Seconds are of monotonic time.

    concurrency: sends under way at most; the loop finds what the server bears below that. attempt_timeout_s: one send.
    deadline_s: one request from its first send, waits included. max_attempts: sends of one request that fail by
    themselves (an overloaded or absent server doesn't count). outage_s: how long a server may answer nothing before the
    model is stopped; start_s: the same while it has never answered. stop_grace_s: after Ctrl-C, how long to wait for
    what is under way. commit_window_s: how long an answer may wait before it is written.
    """

    concurrency: int = 64
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    attempt_timeout_s: float = 600.0
    deadline_s: float = 3600.0
    max_attempts: int = 8
    outage_s: float = 300.0
    start_s: float = 10.0
    stop_grace_s: float = 60.0
    commit_window_s: float = 0.1


@dataclass(frozen=True)
class Work:
    """One model's part of a run. `total`: its distinct requests, settled ones included. Equal `endpoint`s share a gate.

    `transport` may be a function that makes it: it is called (beside the event loop) when there is something to send.
    """

    model: str
    transport: Transport | Callable[[], Transport]
    source: Source
    total: int
    limits: Limits = field(default_factory=Limits)
    endpoint: str = ""
    price: Price | None = None
    found: int = 0  # of the total, known to be answered already; the source passes them over
    found_errors: int = 0  # the same for errors


@dataclass(frozen=True)
class Part:
    """What became of one model's requests. total = found + found_errors + ok + truncated + refused + errors + left."""

    total: int = 0
    found: int = 0
    found_errors: int = 0
    ok: int = 0
    truncated: int = 0
    refused: int = 0
    errors: int = 0
    left: int = 0
    stopped: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What a run did. `stopped`: why something was left, one line each; empty when every request has ended."""

    by_model: Mapping[str, Part]
    spent: Spent
    stopped: tuple[str, ...]
    interrupted: bool
    shared: int
    elapsed_s: float

    @property
    def total(self) -> int:
        """Distinct requests."""
        return self._sum("total")

    @property
    def found(self) -> int:
        """Answered before this run."""
        return self._sum("found")

    @property
    def ok(self) -> int:
        """Answered in this run."""
        return self._sum("ok")

    @property
    def truncated(self) -> int:
        """Cut off by the token limit in this run."""
        return self._sum("truncated")

    @property
    def refused(self) -> int:
        """Refused in this run."""
        return self._sum("refused")

    @property
    def errors(self) -> int:
        """Ended with an error, in this run or in an earlier one."""
        return self._sum("errors") + self._sum("found_errors")

    @property
    def left(self) -> int:
        """Without an end."""
        return self._sum("left")

    @property
    def done(self) -> int:
        """Answered, now or before."""
        return self.found + self.ok + self.truncated + self.refused

    @property
    def unresolved(self) -> int:
        """Requests without an answer: the exit status isn't 0 while there are any."""
        return self.errors + self.left

    def _sum(self, name: str) -> int:
        return sum(getattr(part, name) for part in self.by_model.values())


def added(outcomes: Sequence[Outcome]) -> Outcome:
    """Several runs, one after the other, as one."""
    parts: dict[str, Part] = {}
    spent = Spent()
    for outcome in outcomes:
        for name, part in outcome.by_model.items():
            parts[name] = _both(parts[name], part) if name in parts else part
        for count in (
            "sends",
            "prompt_tokens",
            "completion_tokens",
            "reasoning_tokens",
            "money",
            "unreported",
            "reported",
        ):
            setattr(spent, count, getattr(spent, count) + getattr(outcome.spent, count))
        spent.currency = spent.currency or outcome.spent.currency
    return Outcome(
        parts,
        spent,
        tuple(dict.fromkeys(line for outcome in outcomes for line in outcome.stopped)),
        any(outcome.interrupted for outcome in outcomes),
        sum(outcome.shared for outcome in outcomes),
        sum(outcome.elapsed_s for outcome in outcomes),
    )


def _both(one: Part, other: Part) -> Part:
    counts = {
        entry.name: getattr(one, entry.name) + getattr(other, entry.name)
        for entry in fields(Part)
        if entry.name != "stopped"
    }
    return Part(**counts, stopped=one.stopped or other.stopped)
