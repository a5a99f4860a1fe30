"""Whether a model answers and what it supports, found by asking it a handful of small questions over its own transport."""

from __future__ import annotations

import asyncio
import struct
import time
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from covary.digest import RequestId, sha256_hex
from covary.errors import DataError
from covary.prompts.requests import Call, Model, picture_message, plan_calls, text_message
from covary.run.plan import transport_of
from covary.run.transport import Answer, Failure, Request, Transport

QUESTION = "What is 17 + 25? Reply with the number only."
STORY = "Write one sentence about something surprising in a garden."
COLOUR = "One colour fills this picture. Which? Reply with one word."
ANSWER_TOKENS = 512  # enough for a thinking model to begin, and to end where it thinks little
STORY_TOKENS = 24
PATIENCE_S = 120.0
MOST_TRIES = 3
SHORT_WAIT_S = 0.5
LONGEST_WAIT_S = 5.0


class CheckResult(NamedTuple):
    """What a model did. None: not asked, or not to be told from the answers.

    error: why it does not answer, or what it refuses though it answers. pictures: it names the colours of two pictures.
    thinking: reasoning came by default. on, off: the declared switch really gives reasoning, or really none. repeatable: the same
    text twice at temperature 0. seed: the same text twice above it with one seed.
    """

    model: str
    answers: bool
    error: str | None = None
    reported: str | None = None
    latency_s: float | None = None
    pictures: bool | None = None
    pictures_declared: bool = False
    thinking: bool | None = None
    on: bool | None = None
    off: bool | None = None
    repeatable: bool | None = None
    seed: bool | None = None

    @property
    def line(self) -> str:
        """All of it in one line."""
        if not self.answers:
            return f"{self.model}: does not answer: {self.error}"
        facts = [
            f"{self.model}: answers ({self.latency_s:.1f} s" + (f", as {self.reported})" if self.reported else ")"),
            self._inputs(),
            *self._thinking(),
            _told(self.repeatable, "repeats itself at temperature 0", "does NOT repeat itself at temperature 0"),
            _told(self.seed, "keeps a seed", "ignores a seed"),
            f"but: {self.error}" if self.error else "",
        ]
        return "; ".join(fact for fact in facts if fact)

    @property
    def as_declared(self) -> bool:
        """It answers, and nothing that its declaration says was found false."""
        return (
            self.answers
            and self.on is not False
            and self.off is not False
            and not (self.pictures_declared and not self.pictures)
        )

    def _inputs(self) -> str:
        if self.pictures:
            return "text and pictures" + ("" if self.pictures_declared else " (pictures are not declared)")
        return "text only" + (" (pictures are declared, and it does NOT see them)" if self.pictures_declared else "")

    def _thinking(self) -> list[str]:
        told = [
            _told(self.on, "thinking on works", "thinking on gives NO reasoning"),
            _told(self.off, "thinking off works", "thinking off STILL reasons"),
        ]
        return [*told, _told(self.thinking, "thinks by default", "no thinking by default")]


def check(model: Model, transport: Transport | None = None) -> CheckResult:
    """What a model does, asked over its declared transport, or over one that was opened with this module's `read_picture`.

    Raises UsageError for a transport that is badly declared, and WeightsError for weights that can't be had.
    """
    opened = transport or transport_of(model, read_picture)

    async def examined() -> CheckResult:
        try:
            return await examine(model, opened)
        finally:
            await opened.close()

    return asyncio.run(examined())


async def examine(model: Model, transport: Transport) -> CheckResult:
    """`check` within a running event loop: up to eleven small questions, one after the other; the transport stays open."""
    ask = _Asker(model, transport)
    began = time.monotonic()
    sampling: dict[str, Any] = {"temperature": 0, "max_tokens": ANSWER_TOKENS}
    first, refused = await ask(QUESTION, sampling), None
    if isinstance(first, Failure) and first.heal == "give_up":
        refused, sampling = f"refuses temperature 0 with max_tokens: {first.error}", {}
        began = time.monotonic()
        first = await ask(QUESTION, sampling)
    latency_s = time.monotonic() - began
    if isinstance(first, Failure) or first.status in ("refused", "error"):
        return CheckResult(model.name, False, first.error or "it refused a sum")
    again = None if refused else await ask(QUESTION, sampling)
    return CheckResult(
        model=model.name,
        answers=True,
        error=refused,
        reported=first.model_reported,
        latency_s=latency_s,
        pictures=await _sees(ask, sampling),
        pictures_declared="image" in model.inputs,
        thinking=reasons(first),
        on=await _switched(ask, sampling, model.thinking_on, True),
        off=await _switched(ask, sampling, model.thinking_off, False),
        repeatable=_same(first, again),
        seed=None if refused else await _keeps_seed(ask),
    )


def reasons(answer: Answer) -> bool:
    """Reasoning came with an answer, as a text of its own or counted."""
    return bool((answer.reasoning or "").strip() or answer.reasoning_tokens)


def read_picture(sha256: str) -> bytes:
    """The check's own pictures by the digest of their bytes: what a transport needs to be checked."""
    if sha256 not in PICTURES:
        raise DataError(f"{sha256} is none of the pictures of a model check")
    return PICTURES[sha256]


class _Asker:
    """Asks one model one question, again when the failure may heal."""

    def __init__(self, model: Model, transport: Transport) -> None:
        self._model = model
        self._transport = transport

    async def __call__(
        self, question: str, sampling: Mapping[str, Any], picture: str | None = None
    ) -> Answer | Failure:
        message = picture_message(question, picture) if picture else text_message("user", question)
        row = plan_calls([Call("check", "check", [message], sampling)], self._model).requests.row(0, named=True)
        request = Request(RequestId(row["request_id"]), row["content"].encode())
        for attempt in range(MOST_TRIES):
            outcome = await self._transport.send(request, PATIENCE_S)
            if isinstance(outcome, Answer) or outcome.heal != "retry" or attempt == MOST_TRIES - 1:
                return outcome
            await asyncio.sleep(
                min(SHORT_WAIT_S if outcome.retry_after_s is None else outcome.retry_after_s, LONGEST_WAIT_S)
            )
        raise AssertionError("unreachable")


async def _sees(ask: _Asker, sampling: Mapping[str, Any]) -> bool | None:
    """Both pictures' colours named. One answer with another colour, or a refusal of pictures, is no; a passing failure is None."""
    for sha256, colour in COLOURS.items():
        outcome = await ask(COLOUR, sampling, sha256)
        if isinstance(outcome, Failure):
            return None if outcome.heal == "retry" else False
        if colour not in (outcome.text or "").lower():
            return False
    return True


async def _switched(
    ask: _Asker, sampling: Mapping[str, Any], fields: Mapping[str, Any] | None, wanted: bool
) -> bool | None:
    if fields is None:
        return None
    outcome = await ask(QUESTION, {**sampling, **fields})
    return reasons(outcome) is wanted if isinstance(outcome, Answer) else None


async def _keeps_seed(ask: _Asker) -> bool | None:
    """One seed gives one text and another seed another; a model that says the same to every seed tells nothing."""
    sampling = {"temperature": 1, "max_tokens": STORY_TOKENS, "seed": 1}
    first, again = await ask(STORY, sampling), await ask(STORY, sampling)
    if not _same(first, again):
        return _same(first, again)
    other = await ask(STORY, {**sampling, "seed": 2})
    return None if _same(first, other) is not False else True


def _same(first: Answer | Failure, again: Answer | Failure | None) -> bool | None:
    if not isinstance(first, Answer) or not isinstance(again, Answer):
        return None
    return (first.text, first.reasoning) == (again.text, again.reasoning)


def _told(fact: bool | None, yes: str, no: str) -> str:
    return "" if fact is None else yes if fact else no


def _png(red: int, green: int, blue: int, side: int = 64) -> bytes:
    """A picture filled with one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes((red, green, blue)) * side) * side
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


_DRAWN = {"green": _png(0, 160, 0), "red": _png(220, 0, 0)}
PICTURES: Mapping[str, bytes] = {sha256_hex(data): data for data in _DRAWN.values()}
COLOURS: Mapping[str, str] = {sha256_hex(data): colour for colour, data in _DRAWN.items()}
