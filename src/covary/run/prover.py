"""A symbolic prover in a process of its own: sympy, started ahead, given a tree and a budget, ended when it is late.

The worker gets our expression tree as JSON, never text to parse, and answers with one word. Its budget is processor time, so
that a busy machine finds the same proofs as an idle one. Run as a module it is the worker.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from covary.mathematics.tree import Add, Call, Const, Mul, Node, Num, Pow, Sym

BUDGET_S = 0.7  # of processor time
PATIENCE = 30  # times the budget: how long an answer is waited for, on a busy machine
OVERDRAWN = 1.3  # times the budget: from there the worker is ended, whatever it is in the middle of
START_S = 20.0
MAX_NODES = 200
MEMORY_BYTES = 400 * 2**20  # of the worker's data
KNOWN_CALLS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "ln",
        "abs",
        "root",
        "percent",
        "deg",
        "log",
    ]
)


class Untold(Exception):  # noqa: N818
    """The tree holds what the worker isn't told of."""


class SympyProver:
    """Proofs within a budget, by a worker that is started at once (`ahead`) or for the first question, and again after it had to
    be killed. One that isn't started ahead is waited for, so that no answer hangs on when it was asked.

    Safe to share between threads: one question at a time. Use as a context manager, or call `close`.
    """

    def __init__(self, budget_s: float = BUDGET_S, ahead: bool = True) -> None:
        self._budget_s = budget_s
        self._start_s = 0.0 if ahead else START_S
        self._lock = threading.Lock()
        self._worker: subprocess.Popen[bytes] | None = None
        self._ready = False
        if ahead:
            self._start()

    def equal(self, left: Node, right: Node) -> bool | None:
        """Whether the two are equal wherever both are defined: True, False, or None where no proof was found in time."""
        try:
            question = json.dumps([self._budget_s, _told(left), _told(right)])
        except Untold:
            return None
        if question.count("[") > MAX_NODES:
            return None
        with self._lock:
            return {"equal": True, "different": False}.get(self._ask(question))

    def warm(self, wait_s: float = START_S) -> bool:
        """Wait until the worker can answer; whether it can. A question to one that is still starting gets None."""
        with self._lock:
            return self._worker is not None and self._warmed(self._worker, wait_s)

    def close(self) -> None:
        """End the worker."""
        with self._lock:
            self._kill()

    def __enter__(self) -> SympyProver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> None:
        self._worker = subprocess.Popen(
            [sys.executable, "-m", "covary.run.prover"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._ready = False

    def _kill(self) -> None:
        worker, self._worker = self._worker, None
        if worker is None:
            return
        worker.kill()
        worker.wait()
        for stream in (worker.stdin, worker.stdout):
            if stream is not None:
                stream.close()

    def _ask(self, question: str) -> str:
        """The worker's word; an empty one when it is late or gone, and then another worker is started."""
        if self._worker is None:
            self._start()
        worker = self._worker
        assert worker is not None and worker.stdin is not None and worker.stdout is not None
        wait_s = PATIENCE * self._budget_s
        if not self._warmed(worker, max(wait_s, self._start_s)):
            return ""
        try:
            worker.stdin.write(question.encode() + b"\n")
            worker.stdin.flush()
        except BrokenPipeError:
            self._kill()
            return ""
        answer = self._line(worker, wait_s)
        if answer not in ("equal", "different", "unknown"):
            self._kill()
            self._start()
        return answer

    def _warmed(self, worker: subprocess.Popen[bytes], wait_s: float) -> bool:
        """Whether the worker has said that it is ready; one that ended instead is replaced."""
        if not self._ready:
            self._ready = self._line(worker, wait_s) == "ready"
            if not self._ready and worker.poll() is not None:
                self._kill()
        return self._ready

    def _line(self, worker: subprocess.Popen[bytes], wait_s: float) -> str:
        assert worker.stdout is not None
        ready, _, _ = select.select([worker.stdout], [], [], wait_s)
        return worker.stdout.readline().decode().strip() if ready else ""


def _told(node: Node) -> list[Any]:
    match node:
        case Num(value):
            if value.p.bit_length() + value.q.bit_length() > 2000:
                raise Untold
            return ["num", str(value.p), str(value.q)]
        case Sym(name):
            return ["sym", name]
        case Const(name) if name in ("pi", "e", "i"):
            return ["const", name]
        case Add(terms):
            return ["add", *map(_told, terms)]
        case Mul(factors):
            return ["mul", *map(_told, factors)]
        case Pow(base, exponent):
            return ["pow", _told(base), _told(exponent)]
        case Call(name, args) if name in KNOWN_CALLS:
            return ["call", name, *map(_told, args)]
        case _:
            raise Untold


# The worker


def _serve() -> None:
    """Answer questions, a line each, until the input ends."""
    _limit_memory()
    import sympy

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    answers.write("ready\n")
    for line in sys.stdin:
        budget_s, *trees = json.loads(line)
        try:
            with _processor_time(budget_s):
                left, right = (_built(told, sympy) for told in trees)
                verdict = _verdict(left, right, sympy)
        except (Exception, Late):  # whatever sympy raises on hostile input is no proof; the loop must go on
            verdict = "unknown"
        answers.write(verdict + "\n")


class Late(BaseException):
    """The budget is spent. No Exception: those sympy catches on its way."""


@contextmanager
def _processor_time(budget_s: float) -> Generator[None]:
    """Raise Late when so much has been used; end the process, if that isn't heard, a little later."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def late(number: int, frame: object) -> None:
        raise Late

    signal.signal(signal.SIGPROF, late)
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, OVERDRAWN * budget_s)
        signal.setitimer(signal.ITIMER_PROF, budget_s)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))


def _built(told: list[Any], sympy: Any) -> Any:
    kind, *rest = told
    if kind == "num":
        return sympy.Rational(int(rest[0]), int(rest[1]))
    if kind == "sym":
        return sympy.Symbol("s_" + rest[0].encode().hex())
    if kind == "const":
        return {"pi": sympy.pi, "e": sympy.E, "i": sympy.I}[rest[0]]
    if kind == "call":
        return _called(rest[0], [_built(part, sympy) for part in rest[1:]], sympy)
    parts = [_built(part, sympy) for part in rest]
    if kind == "add":
        return sympy.Add(*parts)
    if kind == "mul":
        return sympy.Mul(*parts)
    return sympy.Pow(*parts)


def _called(name: str, args: list[Any], sympy: Any) -> Any:
    if name == "root":
        return sympy.Pow(args[1], 1 / args[0])
    if name == "percent":
        return args[0] / 100
    if name == "deg":
        return args[0] * sympy.pi / 180
    if name == "log":
        return sympy.log(args[-1]) / sympy.log(args[0] if len(args) == 2 else 10)
    functions = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "ln": "log", "abs": "Abs"}
    return getattr(sympy, functions.get(name, name))(*args)


def _verdict(left: Any, right: Any, sympy: Any) -> str:
    difference = sympy.simplify(left - right)
    if difference == 0:
        return "equal"
    if difference.is_number and difference.is_zero is False:
        return "different"
    if not difference.is_number and sympy.expand(difference).is_zero is False:
        return "different"
    return "unknown"


if __name__ == "__main__":
    _serve()
