"""The loop's parts: pacing, budget, progress, thinking, waits, and planning by canonical content."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary import digest
from covary.errors import UsageError
from covary.prompts.requests import Call, Model, canonical_messages, picture_message, plan_calls, text_message
from covary.run.budget import Budget, Price, Spent, price_of
from covary.run.execute import Limits
from covary.run.pacing import Bucket, Gate, backoff_s
from covary.run.plan import limits_of
from covary.run.progress import Live, Pace, Plain, Quiet, Snapshot, progress_for
from covary.run.reply import server_wait_s
from covary.run.thinking import split

T = TypeVar("T")


def looping(work: Callable[[], Awaitable[T]]) -> T:
    async def main() -> T:
        return await work()

    return asyncio.run(main())


# --- pacing ---


@given(st.integers(1, 60), st.floats(0, 1, exclude_max=True))
def test_backoff_is_uniform_below_a_doubling_bound_of_at_most_thirty_seconds(fault: int, draw: float) -> None:
    bound = min(30.0, 0.5 * 2 ** (fault - 1))
    assert backoff_s(fault, draw) == pytest.approx(bound * draw)
    assert 0 <= backoff_s(fault) <= bound


def test_a_bucket_lets_a_burst_through_and_then_its_rate() -> None:
    bucket = Bucket(600, now=0.0)  # 10 a second, 20 at once
    for _ in range(20):
        assert bucket.wait_s(1, 0.0) == 0
        bucket.take(1)
    assert bucket.wait_s(1, 0.0) == pytest.approx(0.1)
    assert bucket.wait_s(1, 0.1) == pytest.approx(0.0)
    bucket.take(-5)  # a correction gives back
    assert bucket.wait_s(5, 0.1) == 0
    assert bucket.wait_s(1000, 0.1) < float("inf")  # more than the burst passes when the bucket is full


def _window(gate: Gate, overloads: int, now: float) -> None:
    for number in range(max(4, int(gate.limit))):
        if number < overloads:
            gate.failed(now, now, True)
        else:
            gate.answered(now, now)


def test_few_overloads_leave_the_limit_alone_many_lower_it_most_halve_it() -> None:
    async def work() -> list[float]:
        limits: list[float] = []
        for share in (0.1, 0.3, 0.9):
            gate = Gate(64, now=0.0)
            _window(gate, int(64 * share), 1.0)
            limits.append(gate.limit)
        return limits

    assert looping(work) == [64, 48, 32]


def test_the_limit_doubles_back_to_where_it_was_cut_and_then_grows_by_addition() -> None:
    async def work() -> list[float]:
        gate = Gate(64, now=0.0)
        for second in range(1, 6):  # 64 → 32 → 16 → 8 → 4 → 2
            _window(gate, 1000, float(second))
        seen = [gate.limit]
        for second in range(6, 13):
            _window(gate, 0, float(second))
            seen.append(gate.limit)
        return seen

    # The first cut of the row went to 32: up to there it doubles, then 64 / 32 = 2 are added a window.
    assert looping(work) == [2, 4, 8, 16, 32, 34, 36, 38]


def test_sends_from_before_a_cut_cut_no_further() -> None:
    async def work() -> float:
        gate = Gate(64, now=0.0)
        _window(gate, 64, 1.0)
        for _ in range(64):
            gate.failed(1.1, 0.5, True)
        return gate.limit

    assert looping(work) == 32


def test_a_gate_lets_in_no_more_than_its_limit_and_forgets_who_gave_up() -> None:
    async def work() -> int:
        gate = Gate(2, now=0.0)
        await gate.enter(0)
        await gate.enter(0)
        third = asyncio.ensure_future(gate.enter(0))
        fourth = asyncio.ensure_future(gate.enter(0))
        await asyncio.sleep(0)
        assert not third.done()
        third.cancel()
        gate.leave(0, None)
        await fourth
        gate.leave(0, None)
        gate.leave(0, None)
        return gate.active

    assert looping(work) == 0


# --- budget ---


def test_money_is_tokens_times_the_price_of_a_million() -> None:
    spent = Spent(currency="EUR")
    spent.add(1_000_000, 500_000, 100_000, Price(2.0, 6.0, "EUR"))
    spent.add(None, None, None, Price(2.0, 6.0, "EUR"))
    assert (spent.money, spent.tokens, spent.reasoning_tokens, spent.unreported) == (5.0, 1_500_000, 100_000, 1)


def test_a_budget_reckons_with_what_is_under_way() -> None:
    spent = Spent(sends=1)
    spent.add(60, 40, None, None)
    assert spent.reached(Budget(tokens=300), under_way=1) is None  # 100 + 2 · 100
    assert spent.reached(Budget(tokens=299), under_way=1) == "the budget of 299 tokens is used (100 so far)"
    assert spent.reached(Budget(), under_way=10) is None


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"inptu": 1}, "did you mean 'input'"),
        ({"input": "1"}, "must be a number"),
        ({"output": -1}, "must be a number"),
    ],
)
def test_a_wrong_price_is_told(declared: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        price_of(declared, "m")


def test_a_models_own_limits_come_first_and_wrong_ones_are_told() -> None:
    model = Model("m", transport={"concurrency": 3, "timeout_s": 7})
    limits = limits_of(model, Limits(concurrency=50, max_attempts=2))
    assert (limits.concurrency, limits.attempt_timeout_s, limits.max_attempts) == (3, 7.0, 2)
    with pytest.raises(UsageError, match=r"transport\.concurrency must be a number above 0, found 0"):
        limits_of(Model("m", transport={"concurrency": 0}), Limits())


# --- progress ---

NOW = Snapshot(1000, 200, 295, 5, 12, 8, 1, 123_456, 1.5, "EUR", 25.0, 12.0)


def test_plain_progress_is_one_line_with_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    plain = Plain(out, every_s=0)
    plain.show(NOW)
    assert out.getvalue() == (
        "500 of 1,000 requests done; 200 found, 12 shared, 5 failed, 1 to be sent again, 123,456 tokens, 1.50 EUR, 25/s; "
        "20 s left\n"
    )


def test_a_live_bar_shows_notes_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    live = Live(out)
    live.show(NOW)
    live.note("model '[red]x[/red]': stopped")
    live.end(NOW)
    assert "model '[red]x[/red]': stopped" in out.getvalue()


def told_each_second(endings: list[float], until: int) -> list[float]:
    """The pace as told once a second, of requests that end at these moments."""
    pace = Pace(0.0)
    return [pace.per_s(float(now), sum(moment <= now for moment in endings)) for now in range(1, until)]


def test_the_pace_of_a_slow_model_stands_still_between_its_answers() -> None:
    # Eight sends under way, each of 20 s: waves of eight, 0.4 a second.
    waves = [20.0 * wave for wave in range(1, 16) for _ in range(8)]
    told = told_each_second(waves, 300)
    assert set(told[:19]) == {0.0}  # not known before the first answer
    assert set(told[19:]) == {0.4}
    # One at a time, 20 s each: 0.05 a second.
    assert set(told_each_second([20.0 * number for number in range(1, 16)], 300)[19:]) == {0.05}


def test_the_pace_follows_a_change_and_falls_when_nothing_comes() -> None:
    fast = [0.1 * number for number in range(1, 301)]  # ten a second for half a minute
    slow = [30.0 + number for number in range(1, 61)]  # then one a second
    told = told_each_second(fast + slow, 120)
    assert told[28] == pytest.approx(10.0, rel=0.05)
    assert told[88] == pytest.approx(1.0, rel=0.05)
    assert told[-1] < 0.7  # half a minute of silence


def test_progress_is_live_on_a_terminal_only() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert isinstance(progress_for("auto", Terminal()), Live)
    assert isinstance(progress_for("auto", io.StringIO()), Plain)
    assert isinstance(progress_for("quiet", Terminal()), Quiet)


# --- waits, thinking ---


@pytest.mark.parametrize(
    ("retry_after", "milliseconds", "date", "wait_s"),
    [
        ([], None, None, None),
        (["3"], None, None, 3.0),
        (["0.5", "2"], None, None, 2.0),
        (["-4"], None, None, 0.0),
        (["soon"], None, None, None),
        (["nan"], None, None, None),
        (["1e99"], None, None, None),
        ([], "250", None, 0.25),
        (["Wed, 21 Oct 2015 07:28:30 GMT"], None, "Wed, 21 Oct 2015 07:28:00 GMT", 30.0),
        (["Wed, 21 Oct 2015 07:27:00 GMT"], None, "Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        (["Thu, 01 Jan 1970 00:16:50 GMT"], None, None, 10.0),  # 1,010 s, now is 1,000 s
    ],
)
def test_the_wait_that_a_server_asks_for(
    retry_after: list[str], milliseconds: str | None, date: str | None, wait_s: float | None
) -> None:
    assert server_wait_s(retry_after, milliseconds, date, 1000.0) == wait_s


@given(st.text(max_size=30).filter(lambda text: "<" not in text and "[" not in text and "◁" not in text))
def test_reasoning_and_answer_come_apart_whatever_they_say(text: str) -> None:
    assert split(text) == (None, text)
    assert split(f"<think>{text}</think>42") == (text.strip(), "42")
    assert split(f"{text}</think>\n42") == (text.strip(), "42")
    assert split(f"[THINK]{text}") == (text.strip(), None)


# --- planning ---

MESSAGES = st.lists(
    st.one_of(
        st.builds(text_message, st.sampled_from(["system", "user", "assistant"]), st.text()),
        st.builds(picture_message, st.text(), st.just("0" * 64)),
    ),
    max_size=3,
)


@given(MESSAGES)
def test_the_short_way_to_canonical_messages_gives_the_same_bytes(messages: list[dict[str, Any]]) -> None:
    assert canonical_messages(messages) == digest.canonical_json(messages)


def test_the_short_way_holds_for_every_character() -> None:
    for start in range(0, 0x110000, 0x1000):
        text = "".join(chr(point) for point in range(start, start + 0x1000) if not 0xD800 <= point < 0xE000)
        assert canonical_messages([text_message("user", text)]) == digest.canonical_json([text_message("user", text)])


def test_a_lone_surrogate_in_a_message_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match="lone surrogate"):
        plan_calls([Call("i", "c", [text_message("user", "a\ud800")], {})], Model("m"))


def test_messages_with_numbers_go_the_long_way() -> None:
    messages = [{"role": "user", "content": "x", "weight": 1.0}]
    assert (
        canonical_messages(messages) == digest.canonical_json(messages) == b'[{"content":"x","role":"user","weight":1}]'
    )


def test_samplings_that_are_equal_in_python_but_not_in_json_stay_apart() -> None:
    calls = [Call("i", "c", [text_message("user", "x")], {"logprobs": value}) for value in (True, 1, 1.0, None)]
    assert plan_calls(calls, Model("m")).requests.height == 3  # 1 and 1.0 are one
