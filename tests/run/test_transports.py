"""The transports keep the contract; the HTTP transport reads what servers say."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Generator
from typing import Any

import pytest
from tests.run.contract import TransportContract, request_of
from tests.run.faults import FaultServer, Reply, Sent, problem, said, serving

from covary.digest import sha256_hex
from covary.errors import UsageError
from covary.prompts.requests import Model
from covary.run.fake import FakeTransport
from covary.run.http import Endpoint, HttpTransport
from covary.run.plan import transport_of
from covary.run.transport import Answer, Failure, Request, Transport


def _polite(sent: Sent) -> Reply:
    if "thousand" in sent.text:
        return Reply(body=said("1, 2, 3").body, wait_s=0.5)
    return said("yes")


@pytest.fixture(scope="module")
def server() -> Generator[FaultServer]:
    with serving(_polite) as running:
        yield running


class TestHttp(TransportContract):
    @pytest.fixture(autouse=True)
    def _at(self, server: FaultServer) -> None:
        self.url = server.url

    def transport(self) -> Transport:
        return HttpTransport(Endpoint(self.url))


class TestFake(TransportContract):
    def transport(self) -> Transport:
        def script(request: Request, before: int) -> Answer | Failure:
            if b'"image"' in request.content:
                return Failure("the model takes no pictures", "give_up")
            return Answer("ok", text="yes")

        return FakeTransport(script, latency_s=0.01)


def ask(endpoint: Endpoint, request: Request, read_picture: Any = None, timeout_s: float = 5.0) -> Answer | Failure:
    async def main() -> Answer | Failure:
        transport = HttpTransport(endpoint, read_picture)
        try:
            return await transport.send(request, timeout_s)
        finally:
            await transport.close()

    return asyncio.run(main())


def asked(reply: Reply, **sampling: Any) -> tuple[Answer | Failure, Sent]:
    with serving(lambda sent: reply) as running:
        outcome = ask(Endpoint(running.url), request_of(**sampling))
        return outcome, running.requests[0]


def test_the_body_holds_the_served_name_the_messages_and_the_sampling() -> None:
    _, sent = asked(said("yes"), top_p=0.5)
    assert sent.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Say yes."}],
        "temperature": 0,
        "max_tokens": 8,
        "top_p": 0.5,
    }


def test_extra_body_fields_are_added_and_fields_renamed() -> None:
    with serving(_polite) as running:
        endpoint = Endpoint(running.url, extra_body={"user": "x"}, rename={"max_tokens": "max_completion_tokens"})
        ask(endpoint, request_of())
        assert running.requests[0].body["user"] == "x"
        assert running.requests[0].body["max_completion_tokens"] == 8
        assert "max_tokens" not in running.requests[0].body
        ask(endpoint, request_of(user="y"))  # the request has its own already, as planned ones do
        assert running.requests[1].body["user"] == "y"


def test_a_picture_goes_out_as_a_data_uri_and_is_read_once() -> None:
    data = b"\x89PNG fake"
    reads: list[str] = []

    def read(digest: str) -> bytes:
        reads.append(digest)
        return data

    async def main(url: str) -> None:
        transport = HttpTransport(Endpoint(url), read)
        for number in range(3):
            await transport.send(request_of(f"What is it? {number}", picture=sha256_hex(data)), 5.0)
        await transport.close()

    with serving(_polite) as running:
        asyncio.run(main(running.url))
        part = running.requests[0].body["messages"][0]["content"][0]
    uri = "data:image/png;base64," + base64.b64encode(data).decode()
    assert part == {"type": "image_url", "image_url": {"url": uri}}
    assert reads == [sha256_hex(data)]


def test_the_base_url_may_be_any_path_or_the_full_address() -> None:
    assert str(Endpoint("http://h:1/v1").url) == "http://h:1/v1/chat/completions"
    assert str(Endpoint("https://h/v1beta/openai/").url) == "https://h/v1beta/openai/chat/completions"
    assert str(Endpoint("http://h/x/chat/completions?api-version=2").url) == "http://h/x/chat/completions?api-version=2"


@pytest.mark.parametrize("address", ["", "localhost:8000", "ftp://h/v1", "http://", "http://[", "x"])
def test_what_is_no_address_is_told_at_once(address: str) -> None:
    with pytest.raises(UsageError, match="base_url must be an address like"):
        HttpTransport(Endpoint(address))


def test_a_missing_key_is_told_by_the_name_of_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(UsageError, match="SOME_KEY holds no key"):
        HttpTransport(Endpoint("http://h/v1", key_env="SOME_KEY"))


def test_a_key_with_a_line_break_is_refused_without_showing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-hidden\r\nX-Evil: 1")
    with pytest.raises(UsageError) as caught:
        HttpTransport(Endpoint("http://h/v1", key_env="SOME_KEY"))
    assert "sk-hidden" not in str(caught.value)


def test_an_unknown_transport_key_gets_the_nearest_word() -> None:
    with pytest.raises(UsageError, match="did you mean 'base_url'"):
        transport_of(Model("m", transport={"kind": "http", "base_ulr": "http://h/v1"}))


@pytest.mark.parametrize(
    ("reply", "status", "text", "reasoning"),
    [
        (said("4"), "ok", "4", None),
        (said(""), "ok", "", None),
        (said("4", reasoning_content="2+2"), "ok", "4", "2+2"),
        (said("4", reasoning="2+2"), "ok", "4", "2+2"),
        (said("<think>2+2</think>\n\n4"), "ok", "4", "2+2"),
        (said("2+2\n</think>\n\n4"), "ok", "4", "2+2"),
        (said("<think>2+", "length"), "truncated", None, "2+"),
        (said("4 and", "length"), "truncated", "4 and", None),
        (said("I", "content_filter"), "refused", "I", None),
        (said(None, refusal="I can't help with that."), "refused", None, None),
        (said("Use </think> and <think> tags"), "ok", "and <think> tags", "Use"),
        (said("See <think>x</think>"), "ok", "See <think>x</think>", None),
    ],
)
def test_what_a_model_said_is_told_apart(reply: Reply, status: str, text: str | None, reasoning: str | None) -> None:
    outcome, _ = asked(reply)
    assert isinstance(outcome, Answer)
    assert (outcome.status, outcome.text, outcome.reasoning) == (status, text, reasoning)
    assert (outcome.prompt_tokens, outcome.completion_tokens, outcome.model_reported) == (7, 3, "served")


def test_a_refusal_is_kept_as_the_error_line() -> None:
    outcome, _ = asked(said(None, refusal="I can't\nhelp with that."))
    assert isinstance(outcome, Answer)
    assert outcome.error == "I can't help with that."


PAGE = b"<html><head><title>502 Bad\nGateway</title></head></html>"


@pytest.mark.parametrize(
    ("reply", "heal", "words"),
    [
        (problem(400, "This model's maximum context length is 4096 tokens"), "give_up", "context is too long"),
        (problem(400, "bad temperature"), "give_up", "bad temperature"),
        (problem(401, "Incorrect API key"), "stop", "key is missing or wrong"),
        (problem(402, "pay"), "stop", "must be paid"),
        (problem(403, "no access"), "stop", "may not do this"),
        (problem(403, "flagged by moderation"), "give_up", "refused by the provider"),
        (problem(404, "The model `x` does not exist"), "stop", "no such model or address"),
        (problem(413, ""), "give_up", "too large"),
        (problem(429, "slow down"), "retry", "too many requests"),
        (problem(429, "You exceeded your current quota", "insufficient_quota"), "stop", "quota is used up"),
        (problem(500, "image input is not supported - hint: mmproj"), "give_up", "takes no pictures"),
        (problem(500, "oops"), "retry", "status 500: oops"),
        (problem(503, "Loading model"), "retry", "Loading model"),
        (problem(529), "retry", "overloaded"),
        (Reply(502, PAGE, (("Content-Type", "text/html"),)), "retry", "502 Bad Gateway"),
        (Reply(200, PAGE, (("Content-Type", "text/html"),)), "retry", "a web page"),
        (Reply(200, said("x").body[:40]), "retry", "broken JSON"),
        (Reply(200, b""), "retry", "found nothing"),
        (Reply(200, b"[]"), "retry", "expected a JSON object"),
        (Reply(200, b'{"choices": []}'), "retry", "no choices"),
        (Reply(200, b'{"choices": [{"finish_reason": "stop"}]}'), "retry", "no message"),
        (Reply(200, b'{"error": {"message": "upstream died", "code": 502}}'), "retry", "upstream died"),
        (Reply(200, said("x").body, cut=30), "retry", "the connection broke"),
        (Reply(reset=True), "retry", "the connection broke"),
        (
            Reply(200, said("x").body, (("Content-Length", "9"), ("Content-Length", "5"))),
            "retry",
            "the connection broke",
        ),
        (Reply(307, b"", (("Location", "http://u:pw@elsewhere/v1?k=1"),)), "stop", "redirects to http://elsewhere/v1;"),
        (Reply(200, b"", (("Content-Length", str(1 << 40)),)), "give_up", "larger than"),
    ],
)
def test_what_failed_is_told_in_one_line_with_what_can_heal_it(reply: Reply, heal: str, words: str) -> None:
    outcome, _ = asked(reply)
    assert isinstance(outcome, Failure), outcome
    assert outcome.heal == heal
    assert words in outcome.error
    assert "\n" not in outcome.error
    assert "pw" not in outcome.error


def test_a_body_without_declared_length_is_cut_off_at_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("covary.run.http.MAX_REPLY_BYTES", 100_000)
    chunk = b"%x\r\n%b\r\n" % (50_000, b"x" * 50_000)
    outcome, _ = asked(Reply(200, chunk * 4 + b"0\r\n\r\n", (("Transfer-Encoding", "chunked"),)))
    assert isinstance(outcome, Failure)
    assert outcome.heal == "give_up"


def test_invalid_utf8_and_lone_surrogates_become_replacement_characters() -> None:
    for raw in (b"a\xffb", b"a\\ud800b"):
        body = said("MARK").body.replace(b"MARK", raw)
        outcome, _ = asked(Reply(200, body))
        assert isinstance(outcome, Answer)
        assert outcome.text == "a�b"


def test_equal_headers_twice_do_no_harm() -> None:
    outcome, _ = asked(Reply(200, said("yes").body, (("Content-Type", "application/json"),) * 2 + (("X-A", "1"),) * 2))
    assert isinstance(outcome, Answer)


def test_the_answer_survives_a_wrong_content_type() -> None:
    outcome, _ = asked(Reply(200, said("yes").body, (("Content-Type", "text/plain"),)))
    assert isinstance(outcome, Answer)


def test_a_slow_drip_and_a_hang_end_at_the_timeout() -> None:
    for reply in (Reply(200, said("yes").body, drip_s=0.1), Reply(wait_s=3.0)):
        with serving(lambda sent, reply=reply: reply) as running:
            outcome = ask(Endpoint(running.url), request_of(), timeout_s=0.3)
        assert isinstance(outcome, Failure)
        assert outcome.error == "no complete answer within 0.3 s"
        assert outcome.heal == "retry"


def test_an_unknown_host_is_told_by_its_name() -> None:
    outcome = ask(Endpoint("http://no-such-host.invalid/v1"), request_of())
    assert isinstance(outcome, Failure)
    assert outcome.unreachable
    assert "'no-such-host.invalid' can't be resolved" in outcome.error


def test_tokens_of_an_attempt_without_answer_are_reported() -> None:
    outcome, _ = asked(Reply(200, b'{"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}'))
    assert isinstance(outcome, Failure)
    assert (outcome.prompt_tokens, outcome.completion_tokens) == (5, 2)


def test_the_key_is_cut_out_of_whatever_a_server_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-very/secret-0123"
    monkeypatch.setenv("SOME_KEY", key)
    slashed = Reply(body=said(f"you sent {key}").body.replace(b"/", b"\\/"))
    lettered = Reply(body=said("KEY").body.replace(b"KEY", "".join(f"\\u{ord(letter):04x}" for letter in key).encode()))
    repeated = (problem(401, f"Incorrect key {key}"), said(f"you sent {key}"), problem(500, f"trace: Bearer {key}"))
    repeated = (*repeated, problem(500, "x" * 290 + key))
    for reply in (*repeated, slashed, lettered, said("x", reasoning_content=key), Reply(200, key.encode())):
        with serving(lambda sent, reply=reply: reply) as running:
            outcome = ask(Endpoint(running.url, key_env="SOME_KEY"), request_of())
            assert running.requests[0].headers["authorization"] == f"Bearer {key}"
        assert key[:8] not in repr(outcome)
        assert "[key" in repr(outcome)
