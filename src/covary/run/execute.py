"""The one loop: requests in, acknowledged responses out; resumed by set difference, paced, within deadlines and a budget.

    source ──settled?──▶ ready ──gate──▶ transport ──▶ outbox ──commit──▶ sink ──follow──▶ more requests
                           ▲                 │
                           └──── backoff ◀───┘

Each model is a lane with its own source, so that a slow one doesn't hold up the others; lanes of one endpoint share its
gate. Requests are read piece by piece and forgotten once acknowledged: memory is bounded by concurrency, not by the
number of requests. Everything that touches the disk happens in one thread beside the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Coroutine, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import time
from typing import Any, TypeVar, cast

from covary.digest import RequestId, canonical_json
from covary.errors import RunError
from covary.run.budget import Budget, Spent
from covary.run.lane import Job, Known, Lane
from covary.run.pacing import Gate, backoff_s
from covary.run.progress import Pace, Progress, Quiet, Snapshot
from covary.run.transport import Answer, Failure, Request, Transport
from covary.run.work import Follow, Limits, Outcome, Part, Settle, Sink, Source, Work

__all__ = ["Follow", "Limits", "Outcome", "Part", "Settle", "Sink", "Source", "Work", "execute"]

T = TypeVar("T")

COMMIT_ROWS = 1000  # commit at once when so many wait
OUTBOX_BOUND = 8000  # stop taking requests while the disk lags so far behind
FOLLOW_BOUND = 4096  # stop reading sources while so many follow-up requests wait
CUT_OFF_S = 5.0  # a transport that doesn't keep its own timeout is cut off so much later
TICK_S = 0.25
MAX_TIMEOUTS = 3  # of one request
FEW = 8  # open requests whose failures say nothing of the server

Row = tuple[object, ...]


async def execute(
    works: Sequence[Work],
    sink: Sink,
    *,
    progress: Progress | None = None,
    budget: Budget | None = None,
    retry_errors: bool = False,
    follow: Follow | None = None,
    shared: int = 0,
    spent: Spent | None = None,
) -> Outcome:
    """Answer every request of the works and record it in the sink.

    Returns when each request has ended, or when what is left can't go on (a model that stops, a budget, Ctrl-C): the
    outcome says why in one line each. Raises StoreError when the sink fails; what it acknowledged is safe. `shared`: how
    many cells are served by another cell's request, for the display. `spent`: what earlier passes of the same run have used; the
    budget holds for all, and the outcome's is the sum. Transports are closed at the end.
    """
    return await _Run(works, sink, progress or Quiet(), budget or Budget(), retry_errors, follow, shared, spent).run()


class _Run:
    def __init__(
        self,
        works: Sequence[Work],
        sink: Sink,
        progress: Progress,
        budget: Budget,
        retry_errors: bool,
        follow: Follow | None,
        shared: int,
        spent: Spent | None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._started_at = self._loop.time()
        self._sink = sink
        self._progress = progress
        self._budget = budget
        self._has_budget = budget != Budget()
        self._retry_errors = retry_errors
        self._follow = follow
        self._shared = shared
        currency = next((work.price.currency for work in works if work.price), None)
        self._spent = replace(spent, currency=spent.currency or currency) if spent else Spent(currency=currency)
        gates: dict[str, Gate] = {}
        self._lanes: dict[str, Lane] = {}
        for work in works:
            limits = work.limits
            gate = gates.setdefault(
                work.endpoint or work.model,
                Gate(limits.concurrency, limits.requests_per_minute, limits.tokens_per_minute, self._started_at),
            )
            self._lanes[work.model] = Lane(work, gate)
        self._tasks: list[asyncio.Task[None]] = []
        self._thread = ThreadPoolExecutor(1, "covary-disk")
        self._open: dict[str, Lane] = {}
        # Follow-ups are planned in a thread of their own, so that planning never holds up a commit.
        self._follow_thread = ThreadPoolExecutor(1, "covary-follow")
        self._following = asyncio.Lock()
        self._to_follow: list[str] = []
        self._to_follow_filled = asyncio.Event()
        self._n_following = 0
        self._acknowledged_meanwhile: set[str] = set()  # since the follow-ups' last look at the sink
        self._outbox: list[Row] = []
        self._outbox_filled = asyncio.Event()
        self._hurry = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()
        self._committing = False
        self._commit_lock = asyncio.Lock()
        self._under_way = 0
        self._cut_off_at: dict[asyncio.Task[None], float] = {}
        self._stopping: str | None = None
        self._interrupted = False
        self._finished = asyncio.Event()
        self._crash: BaseException | None = None
        self._window = min((work.limits.commit_window_s for work in works), default=0.1)
        self._pace = Pace(self._started_at)

    async def run(self) -> Outcome:
        """Start the tasks, wait for the end, put everything away."""
        committing = self._task(self._commit())
        self._task(self._tick())
        if self._follow:
            self._task(self._follow_acknowledged())
        for lane in self._lanes.values():
            self._task(self._feed(lane))
        self._check_finished()
        with self._signals():
            try:
                await self._finished.wait()
            finally:
                await _cancelled([task for task in self._tasks if task is not committing])
                await self._last_commit()
                await _cancelled([committing])
                await self._close_transports()
                self._thread.shutdown(wait=True)
                self._follow_thread.shutdown(wait=True)
                self._progress.end(self._snapshot())
        if self._crash is not None:
            raise self._crash
        return self._outcome()

    # --- taking requests in -------------------------------------------------------------------------------------------

    async def _feed(self, lane: Lane) -> None:
        known = Known()
        pieces = lane.work.source(lambda ids: self._settle(ids, known))
        while not (self._stopping or lane.stopped):
            while not (lane.low and self._waiting_follow_ups() < FOLLOW_BOUND):
                lane.hungry.clear()
                await lane.hungry.wait()
            piece = await self._on_disk_thread(lambda: next(pieces, None))
            found = known.taken_by(lane)
            if self._follow and found:
                await self._follow_up(found)
            if piece is None:
                break
            if piece:
                await self._start(lane)
            for request in piece:
                self._enqueue(lane, request)
        lane.exhausted = True
        self._check_finished()

    async def _start(self, lane: Lane) -> None:
        """Make the lane's transport and its workers, once."""
        async with lane.starting:
            if lane.transport is not None:
                return
            given = lane.work.transport
            transport = await asyncio.to_thread(given) if callable(given) else given
            lane.slots = min(lane.slots, transport.slots or lane.slots)
            lane.transport = transport
        for _ in range(lane.slots if self._follow else min(lane.slots, lane.total)):
            self._task(self._work(lane, transport))

    def _settle(self, ids: Sequence[str], known: Known) -> set[str]:
        answered, failed = self._sink.settled(ids, retry_errors=self._retry_errors)
        known.answered += len(answered)
        known.failed += len(failed)
        if self._follow:
            known.ids.extend(key for key in ids if key in answered or key in failed)
        return answered | failed

    def _enqueue(self, lane: Lane, request: Request) -> bool:
        if request.request_id in self._open or request.request_id in self._acknowledged_meanwhile:
            lane.total -= 1
            self._shared += 1
            return False
        self._open[request.request_id] = lane
        lane.open += 1
        lane.push(Job(request))
        return True

    async def _follow_up(self, ids: Sequence[str]) -> None:
        """Ask `follow` about acknowledged responses and take in what it wants, and what that leads to where it is known."""
        async with self._following:
            while ids and not self._stopping:
                found: list[str] = []
                self._acknowledged_meanwhile.clear()
                for lane, requests, known in await self._on_follow_thread(lambda ids=ids: self._wanted(ids)):
                    lane.total += len(requests) + known.answered + known.failed
                    found.extend(known.taken_by(lane))
                    if lane.stopped or not requests:
                        continue  # a stopped lane's requests are left, not kept
                    await self._start(lane)
                    for request in requests:
                        lane.follow_ups += self._enqueue(lane, request)
                ids = found

    def _wanted(self, ids: Sequence[str]) -> list[tuple[Lane, list[Request], Known]]:
        assert self._follow is not None
        requests = self._follow(self._sink.frame(ids))
        wanted: list[tuple[Lane, list[Request], Known]] = []
        if requests is None or requests.is_empty():
            return wanted
        for (model,), some in requests.unique("request_id", maintain_order=True).group_by("model", maintain_order=True):
            lane = self._lanes.get(str(model))
            if lane is None:
                raise RunError(f"a follow-up request is for the model {model!r}, which this run doesn't have")
            known = Known()
            settled = self._settle(some["request_id"].to_list(), known)
            left = [
                Request(RequestId(key), content.encode())
                for key, content in some.select("request_id", "content").iter_rows()
                if key not in settled
            ]
            wanted.append((lane, left, known))
        return wanted

    async def _follow_acknowledged(self) -> None:
        while True:
            await self._to_follow_filled.wait()
            self._to_follow_filled.clear()
            ids, self._to_follow = self._to_follow, []
            await self._follow_up(ids)
            self._n_following -= len(ids)
            self._check_finished()

    def _waiting_follow_ups(self) -> int:
        return sum(lane.follow_ups for lane in self._lanes.values() if not lane.stopped) if self._follow else 0

    # --- sending ------------------------------------------------------------------------------------------------------

    async def _work(self, lane: Lane, transport: Transport) -> None:
        while True:
            while not lane.ready or lane.stopped or self._stopping or not self._drained.is_set():
                if lane.ready and not (lane.stopped or self._stopping):
                    await self._drained.wait()
                    continue
                future: asyncio.Future[None] = self._loop.create_future()
                lane.idle.append(future)
                await future
            job = lane.ready.popleft()
            if lane.follow_ups:
                lane.follow_ups -= 1
                self._feed_all()
            elif lane.low:
                lane.hungry.set()
            await self._attempt(lane, transport, job)

    async def _attempt(self, lane: Lane, transport: Transport, job: Job) -> None:
        gate, limits = lane.gate, lane.work.limits
        reserved = await gate.enter(_tokens_guess(job.request) if limits.tokens_per_minute else 0.0)
        if self._has_budget and not self._stopping:
            reached = self._spent.reached(self._budget, self._under_way)
            if reached:
                self._stop(reached)
        if self._stopping or lane.stopped:
            gate.leave(reserved, 0)
            lane.push(job, first=True)
            return
        sent_at = self._loop.time()
        if not job.attempts:
            job.first_at = sent_at
        timeout_s = min(limits.attempt_timeout_s, max(1.0, job.first_at + limits.deadline_s - sent_at))
        job.attempts += 1
        self._under_way += 1
        self._spent.sends += 1
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._cut_off_at[task] = sent_at + timeout_s + CUT_OFF_S
        outcome: Answer | Failure = Failure(f"no complete answer within {timeout_s:g} s", "retry")
        try:
            outcome = await transport.send(job.request, timeout_s)
        except asyncio.CancelledError:
            if task in self._cut_off_at:
                raise
            task.uncancel()  # the tick cut this send off
        finally:
            self._cut_off_at.pop(task, None)
            self._under_way -= 1
            gate.leave(reserved, _tokens_of(outcome))
        now = self._loop.time()
        if isinstance(outcome, Answer):
            self._answered(lane, job, outcome, now, sent_at)
        else:
            self._failed(lane, job, outcome, now, sent_at, timeout_s)
        if self._stopping or lane.stopped:
            self._check_finished()

    def _answered(self, lane: Lane, job: Job, answer: Answer, now: float, sent_at: float) -> None:
        lane.gate.answered(now, sent_at)
        lane.silent = 0
        self._spent.add(answer.prompt_tokens, answer.completion_tokens, answer.reasoning_tokens, lane.work.price)
        self._record(job, answer, now - sent_at)

    def _failed(self, lane: Lane, job: Job, failure: Failure, now: float, sent_at: float, timeout_s: float) -> None:
        limits, gate = lane.work.limits, lane.gate
        if failure.prompt_tokens is not None or failure.completion_tokens is not None:
            self._spent.add(failure.prompt_tokens, failure.completion_tokens, None, lane.work.price)
        if failure.heal == "stop":
            lane.push(job, first=True)
            self._stop_lane(lane, failure.error)
            return
        if failure.heal == "give_up":
            gate.answered(now, sent_at)
            self._record(job, Answer("error", error=failure.error), now - sent_at)
            return
        blameless = failure.slow_down or failure.unreachable
        timed_out = not blameless and now - sent_at >= 0.98 * timeout_s
        if timed_out:
            job.timeouts += 1
            lane.silent += 1
        else:
            gate.failed(now, sent_at, blameless, failure.retry_after_s)
        job.faults += 1
        reason = self._hopeless(lane, failure, now)
        if reason:
            lane.push(job, first=True)
            self._stop_lane(lane, reason)
            return
        asked_s = failure.retry_after_s  # the server knows best; a little spread keeps the waiting apart
        wait_s = backoff_s(job.faults) if asked_s is None else asked_s + backoff_s(1)
        late = now + wait_s > job.first_at + limits.deadline_s and not failure.unreachable
        if late or job.timeouts >= MAX_TIMEOUTS or (not blameless and job.attempts >= limits.max_attempts):
            tries = f"{job.attempts} attempt{'s' if job.attempts > 1 else ''}"
            self._record(job, Answer("error", error=f"{failure.error} (after {tries})"), now - sent_at)
            return
        lane.delayed += 1
        self._loop.call_later(wait_s, self._again, lane, job)

    def _again(self, lane: Lane, job: Job) -> None:
        lane.delayed -= 1
        lane.push(job, first=True)

    def _hopeless(self, lane: Lane, failure: Failure, now: float) -> str | None:
        """Why the model should be stopped, when nothing heals."""
        limits, gate = lane.work.limits, lane.gate
        if failure.retry_after_s and failure.retry_after_s > limits.deadline_s:
            return f"the server asks to wait {failure.retry_after_s:,.0f} s, longer than a request may take: {failure.error}"
        if lane.silent > 3 * lane.slots + MAX_TIMEOUTS:
            return f"nothing is answered in time: {failure.error}"
        patience = limits.start_s if failure.unreachable and not gate.has_answered else limits.outage_s
        since = max(gate.failing_since or now, gate.closed_until)
        blames_request = not (failure.slow_down or failure.unreachable)
        if blames_request and lane.open <= FEW:
            return None  # the last few requests may be at fault, not the server: they end by their attempts
        if now - since > patience:
            return f"no answer for {now - since:.0f} s: {failure.error}"
        return None

    def _record(self, job: Job, answer: Answer, latency_s: float) -> None:
        self._outbox.append(
            (
                job.request.request_id,
                answer.status,
                answer.text,
                answer.reasoning,
                answer.finish_reason,
                answer.error,
                answer.prompt_tokens,
                answer.completion_tokens,
                answer.reasoning_tokens,
                round(latency_s, 4),
                job.attempts,
                answer.model_reported,
                canonical_json(answer.detail).decode() if answer.detail else "{}",
                "sent",
                int(time() * 1e6),
            )
        )
        self._outbox_filled.set()
        if len(self._outbox) >= COMMIT_ROWS or not (
            self._under_way or any(lane.ready for lane in self._lanes.values())
        ):
            self._hurry.set()
        if len(self._outbox) >= OUTBOX_BOUND:
            self._drained.clear()

    # --- acknowledging ------------------------------------------------------------------------------------------------

    async def _commit(self) -> None:
        while True:
            await self._outbox_filled.wait()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._window):
                    await self._hurry.wait()
            await self._commit_outbox()
            self._check_finished()

    async def _commit_outbox(self) -> None:
        async with self._commit_lock:
            rows, self._outbox = self._outbox, []
            self._outbox_filled.clear()
            self._hurry.clear()
            self._committing = True
            await self._on_disk_thread(lambda: self._sink.append(rows))
            self._acknowledged(rows)
            self._drained.set()
            self._committing = False

    def _acknowledged(self, rows: Sequence[Row]) -> None:
        for row in rows:
            lane = self._open.pop(str(row[0]))
            lane.open -= 1
            lane.ended[str(row[1])] += 1
        if self._follow:
            ids = [str(row[0]) for row in rows]
            self._acknowledged_meanwhile.update(ids)
            self._to_follow.extend(ids)
            self._n_following += len(ids)
            self._to_follow_filled.set()

    async def _last_commit(self) -> None:
        """Write what was received before the end; where writing is what failed, try once more and keep the first error."""
        try:
            await self._commit_outbox()
        except RunError as error:
            self._crash = self._crash or error

    async def _close_transports(self) -> None:
        for lane in self._lanes.values():
            given = lane.work.transport
            transport = lane.transport or (None if callable(given) else given)
            if transport is not None:
                await transport.close()

    # --- ending -------------------------------------------------------------------------------------------------------

    def _check_finished(self) -> None:
        if self._under_way or self._outbox or self._committing:
            return
        if self._stopping or (
            not self._n_following and all(lane.stopped or lane.at_rest for lane in self._lanes.values())
        ):
            self._finished.set()

    def _stop(self, reason: str) -> None:
        """Send nothing more; what is under way may end."""
        if not self._stopping:
            self._stopping = reason
            self._progress.note(reason)
            self._check_finished()

    def _stop_lane(self, lane: Lane, reason: str) -> None:
        if lane.stopped is None:
            lane.stopped = f"model {lane.work.model!r}: {reason}"
            self._progress.note(lane.stopped)
            self._feed_all()

    def _interrupt(self) -> None:
        if self._interrupted:
            self._finished.set()
            return
        self._interrupted = True
        grace_s = max((lane.work.limits.stop_grace_s for lane in self._lanes.values()), default=0.0)
        self._stop(
            f"stopping: {self._under_way} answers are under way, waiting up to {grace_s:g} s for them; "
            "Ctrl-C again drops them"
            if self._under_way
            else "stopped"
        )
        self._loop.call_later(grace_s, self._finished.set)

    @contextlib.contextmanager
    def _signals(self) -> Generator[None]:
        """The first SIGINT or SIGTERM stops cleanly, the second at once. Only where signals can be had."""
        kinds = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
        caught: list[signal.Signals] = []
        for kind in kinds:
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                self._loop.add_signal_handler(kind, self._interrupt)
                caught.append(kind)
        try:
            yield
        finally:
            for kind in caught:
                self._loop.remove_signal_handler(kind)

    def _feed_all(self) -> None:
        for lane in self._lanes.values():
            lane.hungry.set()

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task: asyncio.Task[None] = self._loop.create_task(work)
        task.add_done_callback(self._ended)
        self._tasks.append(task)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self._crash = self._crash or error
            self._finished.set()

    async def _on_disk_thread(self, function: Callable[[], T]) -> T:
        return await self._loop.run_in_executor(self._thread, function)

    async def _on_follow_thread(self, function: Callable[[], T]) -> T:
        return await self._loop.run_in_executor(self._follow_thread, function)

    # --- telling ------------------------------------------------------------------------------------------------------

    async def _tick(self) -> None:
        """Show how far things are, and cut off transports that don't keep their timeout (cheaper than a timer a send)."""
        while True:
            self._progress.show(self._snapshot())
            await asyncio.sleep(TICK_S)
            now = self._loop.time()
            for task in [task for task, end in self._cut_off_at.items() if end < now]:
                del self._cut_off_at[task]
                task.cancel()

    def _snapshot(self) -> Snapshot:
        now = self._loop.time()
        lanes = self._lanes.values()
        ended = sum(sum(lane.ended.values()) for lane in lanes)
        failed = sum(lane.ended["error"] for lane in lanes)
        return Snapshot(
            total=sum(lane.total for lane in lanes),
            found=sum(lane.found + lane.found_errors for lane in lanes),
            answered=ended - failed,
            failed=failed,
            shared=self._shared,
            under_way=self._under_way,
            waiting=sum(lane.delayed for lane in lanes),
            tokens=self._spent.tokens,
            money=self._spent.money,
            currency=self._spent.currency,
            rate=self._pace.per_s(now, ended),
            elapsed_s=now - self._started_at,
            note=next((f"waiting {w:.0f} s as asked" for lane in lanes if (w := lane.gate.closed_until - now) > 0), ""),
        )

    def _outcome(self) -> Outcome:
        parts = {lane.work.model: lane.part() for lane in self._lanes.values()}
        reasons = [part.stopped for part in parts.values() if part.stopped]
        if self._stopping:
            reasons.append("interrupted" if self._interrupted else self._stopping)
        return Outcome(
            parts, self._spent, tuple(reasons), self._interrupted, self._shared, self._loop.time() - self._started_at
        )


async def _cancelled(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _tokens_guess(request: Request) -> float:
    """Tokens that a request may use, before any answer has told: four bytes each, and 256 to answer."""
    return len(request.content) / 4 + 256


def _tokens_of(outcome: Answer | Failure) -> int | None:
    """Tokens that a send used; None: an answer that doesn't say."""
    if outcome.prompt_tokens is None and outcome.completion_tokens is None:
        return 0 if isinstance(outcome, Failure) else None
    return (outcome.prompt_tokens or 0) + (outcome.completion_tokens or 0)
