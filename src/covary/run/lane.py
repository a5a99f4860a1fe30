"""One model at work: its requests that wait, are under way, or have ended. State of the loop, kept inside it."""

from __future__ import annotations

import asyncio
from collections import deque

from covary.run.pacing import Gate
from covary.run.transport import Request, Transport
from covary.run.work import Part, Work


class Job:
    __slots__ = ("attempts", "faults", "first_at", "request", "timeouts")

    def __init__(self, request: Request) -> None:
        self.request = request
        self.attempts = self.faults = self.timeouts = 0
        self.first_at = 0.0


class Known:
    """What a look at the sink found; filled beside the event loop, taken over inside it."""

    def __init__(self) -> None:
        self.answered = self.failed = 0
        self.ids: list[str] = []

    def taken_by(self, lane: Lane) -> list[str]:
        lane.found += self.answered
        lane.found_errors += self.failed
        ids = self.ids
        self.answered = self.failed = 0
        self.ids = []
        return ids


class Lane:
    """One model at work."""

    def __init__(self, work: Work, gate: Gate) -> None:
        self.work = work
        self.gate = gate
        self.total = work.total
        self.slots = work.limits.concurrency
        self.transport: Transport | None = None
        self.starting = asyncio.Lock()
        self.ready: deque[Job] = deque()
        self.idle: deque[asyncio.Future[None]] = deque()
        self.hungry = asyncio.Event()
        self.open = 0  # jobs not yet acknowledged
        self.delayed = 0
        self.follow_ups = 0  # of them, those from follow that wait in ready
        self.exhausted = False
        self.stopped: str | None = None
        self.found, self.found_errors = work.found, work.found_errors
        self.ended = {"ok": 0, "truncated": 0, "refused": 0, "error": 0}
        self.silent = 0  # attempts without any answer in time since the last answer

    @property
    def low(self) -> bool:
        return len(self.ready) < 2 * self.slots + 64 and self.delayed < 4 * self.slots + 256

    @property
    def at_rest(self) -> bool:
        return self.exhausted and not self.open

    def push(self, job: Job, *, first: bool = False) -> None:
        if first:
            self.ready.appendleft(job)
        else:
            self.ready.append(job)
        while self.idle:
            future = self.idle.popleft()
            if not future.done():
                future.set_result(None)
                return

    def part(self) -> Part:
        ended = self.ended
        left = self.total - self.found - self.found_errors - sum(ended.values())
        return Part(
            self.total,
            self.found,
            self.found_errors,
            ended["ok"],
            ended["truncated"],
            ended["refused"],
            ended["error"],
            max(0, left),
            self.stopped,
        )
