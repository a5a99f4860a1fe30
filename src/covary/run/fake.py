"""A transport that follows a script: for tests, and for trying a study without a model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from covary.errors import UsageError
from covary.run.transport import Answer, Failure, Request

Script = Callable[[Request, int], Answer | Failure]
"""(request, how many sends of it came before) → what this send brings."""


class FakeTransport:
    """Answers from a script, after a latency; remembers every send. Keeps the transport protocol, timeouts included."""

    def __init__(self, script: Script | None = None, *, latency_s: float = 0.0, slots: int | None = None) -> None:
        """Without a script every request is answered with its last message's text."""
        self.slots = slots
        self.sent: list[str] = []
        self.closed = False
        self.most_under_way = 0
        self._script = script or _echo
        self._latency_s = latency_s
        self._counts: dict[str, int] = {}
        self._under_way = 0

    @classmethod
    def from_declaration(cls, declared: Mapping[str, Any]) -> FakeTransport:
        """A transport from a study's declaration: answers (texts given in turn, by digest of the request), latency_s."""
        answers = declared.get("answers")
        if answers is None:
            return cls(latency_s=float(declared.get("latency_s", 0.0)))
        if not isinstance(answers, list) or not answers or not all(isinstance(text, str) for text in answers):
            raise UsageError(f"a fake transport's answers must be a list of texts, found {answers!r}")
        return cls(_choosing(answers), latency_s=float(declared.get("latency_s", 0.0)))

    async def send(self, request: Request, timeout_s: float) -> Answer | Failure:
        """What the script says for this send."""
        before = self._counts.get(request.request_id, 0)
        self._counts[request.request_id] = before + 1
        self.sent.append(request.request_id)
        self._under_way += 1
        self.most_under_way = max(self.most_under_way, self._under_way)
        try:
            await asyncio.sleep(min(self._latency_s, timeout_s))
        finally:
            self._under_way -= 1
        if self._latency_s > timeout_s:
            return Failure(f"no complete answer within {timeout_s:g} s", "retry")
        return self._script(request, before)

    async def close(self) -> None:
        """Nothing to close; noted."""
        self.closed = True


def _echo(request: Request, before: int) -> Answer:
    text = last_text(request)
    return Answer(
        "ok", text=text, finish_reason="stop", prompt_tokens=len(text.split()), completion_tokens=len(text.split())
    )


def _choosing(answers: Sequence[str]) -> Script:
    def script(request: Request, before: int) -> Answer:
        return Answer("ok", text=answers[int(request.request_id[:8], 16) % len(answers)], finish_reason="stop")

    return script


def last_text(request: Request) -> str:
    """The text of a request's last message."""
    content = msgspec.json.decode(request.content)["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return " ".join(part["text"] for part in content if part.get("type") == "text")
