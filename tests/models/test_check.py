"""A model check tells what a model does, not what it declares; one line, whatever happens."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from covary.errors import DataError
from covary.prompts.requests import Model
from covary.run import check as checking
from covary.run.check import CheckResult, check
from covary.run.embedded import EmbeddedTransport
from covary.run.transport import Answer, Failure, Request

Reply = Callable[[Mapping[str, Any], str, bytes | None], Answer | Failure]


class Scripted:
    """A transport whose answers a function gives: (sampling, question, picture) → outcome."""

    slots: int | None = None

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.sent = 0

    async def send(self, request: Request, timeout_s: float) -> Answer | Failure:
        self.sent += 1
        content = json.loads(request.content)
        parts = content["messages"][-1]["content"]
        if isinstance(parts, str):
            return self.reply(content["sampling"], parts, None)
        return self.reply(content["sampling"], parts[1]["text"], checking.read_picture(parts[0]["sha256"]))

    async def close(self) -> None: ...


def checked(reply: Reply, **facts: Any) -> CheckResult:
    result = check(Model("m", **facts), Scripted(reply))
    assert "\n" not in result.line
    return result


def text_model(sampling: Mapping[str, Any], question: str, picture: bytes | None) -> Answer | Failure:
    if picture:
        return Failure("no pictures here", "give_up")
    return Answer("ok", text=f"{question} {sampling.get('seed')}", model_reported="m-1")


def test_a_plain_text_model_is_told_in_one_line() -> None:
    result = checked(text_model)
    assert result.answers and result.as_declared
    assert (result.pictures, result.thinking, result.on, result.off, result.repeatable, result.seed) == (
        False,
        False,
        None,
        None,
        True,
        True,
    )
    assert result.line.startswith("m: answers (0.0 s, as m-1); text only; no thinking by default; repeats itself")


def test_a_model_that_does_not_answer_gives_the_reason() -> None:
    result = checked(lambda *_: Failure("status 401: the key is missing or wrong", "stop"))
    assert not result.answers and not result.as_declared
    assert result.line == "m: does not answer: status 401: the key is missing or wrong"


def test_a_passing_failure_is_tried_again() -> None:
    failures = iter([Failure("busy", "retry", retry_after_s=0.0)] * 2)

    def reply(sampling: Mapping[str, Any], question: str, picture: bytes | None) -> Answer | Failure:
        return next(failures, None) or text_model(sampling, question, picture)

    assert checked(reply).answers


def test_a_model_that_refuses_temperature_0_is_asked_without_and_it_is_told() -> None:
    def reply(sampling: Mapping[str, Any], question: str, picture: bytes | None) -> Answer | Failure:
        if sampling:
            return Failure("status 400: unsupported value: temperature", "give_up")
        return text_model(sampling, question, picture)

    result = checked(reply)
    assert result.answers and result.repeatable is None and result.seed is None
    assert "but: refuses temperature 0" in result.line


def colours(seen: bool) -> Reply:
    def reply(sampling: Mapping[str, Any], question: str, picture: bytes | None) -> Answer | Failure:
        if picture is None:
            return text_model(sampling, question, None)
        index = list(checking.PICTURES.values()).index(picture)
        return Answer("ok", text=f"It is {list(checking.COLOURS.values())[index]}." if seen else "Green")

    return reply


def test_pictures_are_seen_only_by_a_model_that_names_both_colours() -> None:
    assert checked(colours(True), inputs=("text", "image")).line.count("text and pictures;") == 1
    blind = checked(colours(False), inputs=("text", "image"))
    assert blind.pictures is False and not blind.as_declared
    assert "does NOT see them" in blind.line
    assert "(pictures are not declared)" in checked(colours(True)).line


def thinking_model(obeys: bool) -> Reply:
    def reply(sampling: Mapping[str, Any], question: str, picture: bytes | None) -> Answer | Failure:
        on = sampling.get("think", True) or not obeys
        return Answer("ok", text="42", reasoning="17 + 25 is 42" if on else "")

    return reply


def test_a_thinking_switch_counts_only_when_the_reasoning_really_goes() -> None:
    switch: dict[str, Any] = {"thinking_on": {"think": True}, "thinking_off": {"think": False}}
    good = checked(thinking_model(True), **switch)
    assert (good.on, good.off, good.thinking) == (True, True, True)
    bad = checked(thinking_model(False), **switch)
    assert (bad.on, bad.off) == (True, False) and not bad.as_declared
    assert "thinking off STILL reasons" in bad.line


def test_reasoning_that_is_only_counted_counts() -> None:
    assert checking.reasons(Answer("ok", text="42", reasoning_tokens=12))
    assert not checking.reasons(Answer("ok", text="42", reasoning="\n", reasoning_tokens=0))


def test_a_model_that_changes_its_answer_is_told() -> None:
    count = iter(range(100))
    result = checked(lambda *_: Answer("ok", text=str(next(count))))
    assert (result.repeatable, result.seed) == (False, False)
    assert "does NOT repeat itself at temperature 0; ignores a seed" in result.line


def test_a_model_that_always_says_the_same_tells_nothing_of_its_seed() -> None:
    assert checked(lambda *_: Answer("ok", text="same")).seed is None


def test_the_check_asks_little() -> None:
    transport = Scripted(thinking_model(True))
    check(Model("m", thinking_on={"think": True}, thinking_off={"think": False}), transport)
    assert transport.sent <= 11


def test_the_declared_transport_is_opened_and_closed() -> None:
    result = check(Model("m", transport={"kind": "fake", "answers": ["42"]}))
    assert result.answers and result.repeatable


def test_only_the_check_s_own_pictures_are_read() -> None:
    with pytest.raises(DataError, match="none of the pictures"):
        checking.read_picture("0" * 64)


def test_the_embedded_model_repeats_itself_and_keeps_its_seed(
    small_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "ANSWER_TOKENS", 6)
    monkeypatch.setattr(checking, "STORY_TOKENS", 6)

    transport = EmbeddedTransport(small_weights, name="smollm2-135m", context_tokens=512)
    result = check(Model("smollm2-135m"), transport)
    assert (result.answers, result.pictures, result.repeatable, result.seed) == (True, False, True, True)
