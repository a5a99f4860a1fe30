"""What every transport must do, as one suite. Subclass it, give `transport`, and name the class Test…

class TestMine(TransportContract):
    def transport(self) -> Transport: ...
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from covary import digest, schema
from covary.prompts.requests import Call, Model, picture_message, plan_calls, text_message
from covary.run.transport import Answer, Failure, Request, Transport

T = TypeVar("T")


def request_of(
    text: str = "Say yes.",
    model: Model | None = None,
    *,
    picture: str | None = None,
    replicate: int = 0,
    **sampling: Any,
) -> Request:
    """One request as the loop would hand it over."""
    message = picture_message(text, picture) if picture else text_message("user", text)
    call = Call("item", "condition", [message], {"temperature": 0, "max_tokens": 8, **sampling}, replicate)
    key, _, content = plan_calls([call], model or Model("m")).requests.row(0)
    return Request(digest.RequestId(key), content.encode())


class TransportContract:
    """The suite. `model` names the model of the requests; `patience_s` bounds one honest answer."""

    model = Model("m")
    patience_s = 10.0

    def transport(self) -> Transport:
        raise NotImplementedError

    def using(self, work: Callable[[Transport], Awaitable[T]]) -> T:
        async def main() -> T:
            transport = self.transport()
            try:
                return await work(transport)
            finally:
                await transport.close()

        return asyncio.run(main())

    def request(self, text: str = "Say yes.", **more: Any) -> Request:
        return request_of(text, self.model, **more)

    def test_slots_are_a_positive_number_or_none(self) -> None:
        async def work(transport: Transport) -> int | None:
            return transport.slots

        slots = self.using(work)
        assert slots is None or slots >= 1

    def test_a_send_brings_an_answer_that_a_response_row_can_hold(self) -> None:
        answer = self.using(lambda transport: transport.send(self.request(), self.patience_s))
        assert isinstance(answer, Answer), answer
        assert answer.status in schema.STATUSES
        assert answer.text is not None or answer.status != "ok"
        json.loads(digest.canonical_json(answer.detail))
        for tokens in (answer.prompt_tokens, answer.completion_tokens, answer.reasoning_tokens):
            assert tokens is None or tokens >= 0

    def test_too_short_a_timeout_is_a_failure_that_can_heal_and_comes_soon(self) -> None:
        started = time.monotonic()
        failure = self.using(
            lambda transport: transport.send(self.request("Count to a thousand.", max_tokens=500), 0.001)
        )
        assert isinstance(failure, Failure)
        assert failure.heal == "retry"
        assert time.monotonic() - started < self.patience_s

    def test_a_cancelled_send_leaves_the_transport_usable(self) -> None:
        async def work(transport: Transport) -> Answer | Failure:
            task = asyncio.ensure_future(transport.send(self.request("Count to a thousand.", max_tokens=500), 60.0))
            await asyncio.sleep(0.05)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return await transport.send(self.request(), self.patience_s)

        assert isinstance(self.using(work), Answer)

    def test_sends_may_overlap(self) -> None:
        async def work(transport: Transport) -> list[Answer | Failure]:
            texts = ("Say one.", "Say two.", "Say three.")
            return list(
                await asyncio.gather(*(transport.send(self.request(text), 3 * self.patience_s) for text in texts))
            )

        assert all(isinstance(outcome, Answer) for outcome in self.using(work))

    def test_a_picture_that_cannot_be_shown_is_given_up_not_raised(self) -> None:
        failure = self.using(lambda transport: transport.send(self.request(picture="0" * 64), self.patience_s))
        assert isinstance(failure, Failure)
        assert failure.heal == "give_up"

    def test_closing_twice_is_closing(self) -> None:
        async def work(transport: Transport) -> None:
            await transport.close()

        self.using(work)
