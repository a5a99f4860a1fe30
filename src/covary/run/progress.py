"""How far a run is: one snapshot, and who shows it (a terminal's live line, plain lines, nobody)."""

from __future__ import annotations

import sys
import time
from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, Protocol, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

PLAIN_EVERY_S = 30.0
SPAN_S = 15.0
SPAN_ENDINGS = 40


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A run at one moment. done = answered + failed, acknowledged; left = total - done - found."""

    total: int  # distinct requests, found ones included
    found: int  # answered before this run, or in another journal
    answered: int  # ok, truncated or refused in this run
    failed: int  # ended with an error in this run
    shared: int  # cells and requests served by an equal request
    under_way: int
    waiting: int  # for their next attempt
    tokens: int
    money: float
    currency: str | None
    rate: float  # requests ended per second, of late
    elapsed_s: float
    note: str = ""  # what the run waits for

    @property
    def done(self) -> int:
        """Requests that need nothing more."""
        return self.found + self.answered + self.failed

    @property
    def left(self) -> int:
        """Requests without an end."""
        return max(0, self.total - self.done)

    @property
    def seconds_left(self) -> float | None:
        """None: not known yet."""
        return self.left / self.rate if self.rate > 0 else None


class Pace:
    """Requests ended per second, of late: over the last seconds, or as far back as it takes to see some endings.

    Answers of slow models come in waves, one for each send under way. So the measure ends at the last ending, not now, and goes
    down only when the silence is longer than any before it within the span.
    """

    def __init__(self, started_at: float) -> None:
        self._seen: deque[tuple[float, int]] = deque([(started_at, 0)])  # moments at which the count had grown

    def per_s(self, now: float, ended: int) -> float:
        """The pace at a moment, when so many have ended since the start."""
        seen = self._seen
        if ended > seen[-1][1]:
            seen.append((now, ended))
        while len(seen) > 2 and now - seen[1][0] > SPAN_S and ended - seen[1][1] >= SPAN_ENDINGS:
            seen.popleft()
        (since, before), (last, _) = seen[0], seen[-1]
        longest = max((later[0] - earlier[0] for earlier, later in pairwise(seen)), default=0.0)
        taken = max(last, now - longest) - since
        return (ended - before) / taken if taken > 0 else 0.0


class Progress(Protocol):
    """Shows a run. Called from the event loop about four times a second; must be quick and must not raise."""

    def show(self, now: Snapshot) -> None: ...

    def note(self, line: str) -> None: ...

    def end(self, now: Snapshot) -> None: ...


class Quiet:
    """Shows nothing."""

    def show(self, now: Snapshot) -> None: ...

    def note(self, line: str) -> None: ...

    def end(self, now: Snapshot) -> None: ...


class Plain:
    """One line now and then, for logs."""

    def __init__(self, stream: TextIO | None = None, every_s: float = PLAIN_EVERY_S) -> None:
        self._stream = stream or sys.stderr
        self._every_s = every_s
        self._next = time.monotonic() + every_s

    def show(self, now: Snapshot) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._every_s
            self._print(summary(now))

    def note(self, line: str) -> None:
        self._print(line)

    def end(self, now: Snapshot) -> None:
        self._print(summary(now))

    def _print(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


class Live:
    """A bar that is drawn anew, for a terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def show(self, now: Snapshot) -> None:
        bar, task = self._started()
        bar.update(task, completed=now.done, total=now.total, counts=counts(now), left=time_left(now))

    def note(self, line: str) -> None:
        bar, _ = self._started()
        bar.console.print(line, markup=False, highlight=False)

    def end(self, now: Snapshot) -> None:
        self.show(now)
        if self._bar:
            self._bar.stop()
            self._bar = None

    def _started(self) -> tuple[RichProgress, TaskID]:
        if self._bar is None or self._task is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            self._bar = Progress(
                BarColumn(bar_width=24),
                MofNCompleteColumn(),
                TextColumn("{task.fields[counts]}", markup=False),
                TextColumn("{task.fields[left]}", markup=False),
                console=Console(file=self._stream),
                auto_refresh=False,
            )
            self._task = self._bar.add_task("", total=None, counts="", left="")
            self._bar.start()
        self._bar.refresh()
        return self._bar, self._task


def progress_for(kind: Literal["auto", "live", "plain", "quiet"] = "auto", stream: TextIO | None = None) -> Progress:
    """A bar on a terminal, lines elsewhere, or what is asked for."""
    if kind == "quiet":
        return Quiet()
    out: TextIO = stream or sys.stderr
    if kind == "live" or (kind == "auto" and out.isatty()):
        return Live(out)
    return Plain(out)


def summary(now: Snapshot) -> str:
    """The snapshot in one plain line."""
    return f"{now.done:,} of {now.total:,} requests done; {counts(now)}; {time_left(now)}"


def counts(now: Snapshot) -> str:
    """Everything but the bar and the time."""
    parts = [
        f"{now.found:,} found" if now.found else "",
        f"{now.shared:,} shared" if now.shared else "",
        f"{now.failed:,} failed" if now.failed else "",
        f"{now.waiting:,} to be sent again" if now.waiting else "",
        f"{now.tokens:,} tokens",
        f"{now.money:.2f} {now.currency}" if now.currency else "",
        f"{now.rate:.1f}/s" if now.rate < 10 else f"{now.rate:.0f}/s",
        now.note,
    ]
    return ", ".join(part for part in parts if part)


def time_left(now: Snapshot) -> str:
    """Time used once nothing is left, else time left."""
    if not now.left:
        return f"took {duration(now.elapsed_s)}"
    return "time left unknown" if now.seconds_left is None else f"{duration(now.seconds_left)} left"


def duration(seconds: float) -> str:
    """Seconds as people read them.

    >>> [duration(s) for s in (0.4, 75, 3700, 200000)]
    ['0 s', '1 min 15 s', '1 h 1 min', '2 d 7 h']
    """
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"
