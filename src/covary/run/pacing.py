"""How fast one endpoint is asked: adaptive concurrency, requests and tokens per minute, waits that the server asked for.

Concurrency grows by addition and shrinks by multiplication (AIMD). The signal is the share of replies that say "overloaded"
among the sends since the last change, not a single one: a server that turns down one request in ten at random is used
well by asking again, while TCP's rule would crawl at four at a time.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque

TOLERATED_SHARE = 0.25  # of overloaded replies; above it the limit falls
HEAVY_SHARE = 0.5  # from here on the limit is halved and asked-for waits hold for the whole endpoint
MIN_WINDOW = 4
GROWTH_STEPS = 32  # additive growth: from nothing to the most in this many windows
BURST_S = 2.0  # a rate limit lets through this many seconds' worth at once

BACKOFF_BASE_S = 0.5
BACKOFF_CAP_S = 30.0


def backoff_s(fault: int, draw: float | None = None) -> float:
    """The wait before the next attempt after `fault` faults: uniform between 0 and a doubling bound ("full jitter")."""
    bound = min(BACKOFF_CAP_S, BACKOFF_BASE_S * 2.0 ** min(fault - 1, 20))
    return bound * (random.random() if draw is None else draw)


class Bucket:
    """A rate limit: `per_minute` units flow in evenly; what is taken may be corrected later, below zero too."""

    def __init__(self, per_minute: float, now: float) -> None:
        self._rate = per_minute / 60
        self._most = max(1.0, self._rate * BURST_S)
        self._level = self._most
        self._at = now

    def wait_s(self, amount: float, now: float) -> float:
        """Seconds until `amount` may be taken (an amount larger than the burst passes when the bucket is full)."""
        self._level = min(self._most, self._level + (now - self._at) * self._rate)
        self._at = now
        return max(0.0, (min(amount, self._most) - self._level) / self._rate)

    def take(self, amount: float) -> None:
        """Take an amount (give back with a negative one)."""
        self._level -= amount


class Gate:
    """Lets sends to one endpoint through. Times are the event loop's monotonic seconds: no clock jump matters."""

    def __init__(
        self,
        most: int,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        now: float = 0.0,
    ) -> None:
        self.most = max(1, most)
        self.limit = float(self.most)
        self.active = 0
        self.closed_until = 0.0
        self.failing_since: float | None = None  # no answer came since the failure then
        self.has_answered = False
        self._requests = Bucket(requests_per_minute, now) if requests_per_minute else None
        self._tokens = Bucket(tokens_per_minute, now) if tokens_per_minute else None
        self._mean_tokens = 0.0
        self._seen = 0
        self._waiters: deque[tuple[asyncio.Future[None], float]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._sends = self._overloads = 0
        self._changed_at = now
        self._threshold = float(self.most)
        self._grown_since_cut = True

    async def enter(self, tokens_guess: float) -> float:
        """Wait until one more send may start; the tokens that were set aside for it. `leave` must follow."""
        tokens = self._expected(tokens_guess)
        if not self._waiters and self._wait_s(tokens) == 0.0:
            self._start(tokens)
            return tokens
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append((future, tokens))
        self._pump()
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self.leave(tokens, None)
            raise
        return tokens

    def leave(self, reserved_tokens: float, used_tokens: int | None) -> None:
        """A send ended; `used_tokens` as reported (None: not reported, what was set aside counts)."""
        self.active -= 1
        if self._tokens and used_tokens is not None:
            self._tokens.take(used_tokens - reserved_tokens)
            self._seen += 1
            self._mean_tokens += (used_tokens - self._mean_tokens) / min(self._seen, 200)
        if self._waiters:
            self._pump()

    def answered(self, now: float, sent_at: float) -> None:
        """The server did its work (an answer, or a no to this one request)."""
        self.failing_since = None
        self.has_answered = True
        if self.limit < self.most or self._overloads:
            self._learn(False, sent_at, now)

    def failed(self, now: float, sent_at: float, overloaded: bool, retry_after_s: float | None = None) -> None:
        """An attempt failed in a way that may heal. Overloads lower the limit."""
        if self.failing_since is None:
            self.failing_since = now
        if overloaded:
            self._learn(True, sent_at, now, retry_after_s or 0.0)
        elif self.limit < self.most or self._overloads:
            self._learn(False, sent_at, now)

    def _learn(self, overloaded: bool, sent_at: float, now: float, retry_after_s: float = 0.0) -> None:
        """Adapt the limit once a window of sends has ended. Sends from before the last cut say nothing new."""
        if sent_at < self._changed_at:
            return
        self._sends += 1
        self._overloads += overloaded
        if self._sends < max(MIN_WINDOW, int(self.limit)):
            return
        share = self._overloads / self._sends
        self._sends = self._overloads = 0
        if share > TOLERATED_SHARE:
            self._cut(share, now)
            if share >= HEAVY_SHARE and retry_after_s:
                self.closed_until = max(self.closed_until, now + retry_after_s)
        else:
            self._grow()
        self._pump()

    def _cut(self, share: float, now: float) -> None:
        self.limit = max(1.0, self.limit * (0.5 if share >= HEAVY_SHARE else 0.75))
        if self._grown_since_cut:
            self._threshold = self.limit
        self._grown_since_cut = False
        self._changed_at = now

    def _grow(self) -> None:
        step = self.limit if self.limit < self._threshold else self.most / GROWTH_STEPS
        self.limit = min(float(self.most), self.limit + max(1.0, step))
        self._grown_since_cut = True

    def _expected(self, guess: float) -> float:
        if self._tokens is None:
            return 0.0
        return self._mean_tokens if self._seen >= 10 else guess

    def _wait_s(self, tokens: float) -> float:
        """0: may start now; infinity: when a send ends; else seconds."""
        if self.active >= int(self.limit):
            return float("inf")
        if not (self.closed_until or self._requests or self._tokens):
            return 0.0
        now = asyncio.get_running_loop().time()
        wait = max(0.0, self.closed_until - now)
        if self._requests:
            wait = max(wait, self._requests.wait_s(1.0, now))
        if self._tokens:
            wait = max(wait, self._tokens.wait_s(tokens, now))
        return wait

    def _start(self, tokens: float) -> None:
        self.active += 1
        if self._requests:
            self._requests.take(1.0)
        if self._tokens:
            self._tokens.take(tokens)

    def _pump(self) -> None:
        while self._waiters:
            future, tokens = self._waiters[0]
            if future.done():
                self._waiters.popleft()
                continue
            wait = self._wait_s(tokens)
            if wait == 0.0:
                self._waiters.popleft()
                self._start(tokens)
                future.set_result(None)
                continue
            if wait != float("inf") and self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(wait + 0.001, self._tick)
            return

    def _tick(self) -> None:
        self._timer = None
        self._pump()
