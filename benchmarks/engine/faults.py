"""Every fault that a server can show, on a real socket, and what became of six requests under it, as a Markdown table.

    python -m benchmarks.engine.faults

The faults are those of `tests/run/test_under_fire.py`, which holds the outcomes; here they are run and told.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
from tests.run.faults import Reply, Script, free_port, problem, said, serving
from tests.run.test_under_fire import GIVEN_UP, HEALING, QUICK, STOPPING, first_then, model_at, planned, texts

from covary.run.execute import Outcome
from covary.run.plan import run_plan
from covary.store.journal import Journal

N = 6
JSON = ("Content-Type", "application/json")
# An answer with one character to be broken.
BROKEN = said("a ? b").body
MARKED: dict[str, Reply] = {
    "`finish_reason` length": said("half an ans", "length"),
    "`finish_reason` content_filter": said("", "content_filter"),
    "a refusal field": said(None, refusal="I can't help with that."),
    "invalid UTF-8": Reply(200, BROKEN.replace(b"?", b"\xff")),
    "a lone surrogate": Reply(200, BROKEN.replace(b"?", b"\\ud800")),
    "two Content-Type headers": Reply(200, said("yes").body, (JSON, ("Content-Type", "text/plain"))),
    "a wrong content type": Reply(200, said("yes").body, (("Content-Type", "text/plain"),)),
}


def cases() -> Iterator[tuple[str, Script]]:
    """(fault, script): what heals happens once a request, the rest always."""
    for name, reply in HEALING.items():
        yield f"{name}, once", first_then(reply)
    yield (
        "500, without end, of one request",
        lambda sent: problem(500, "oops") if sent.text == "Question 2" else said("yes"),
    )
    yield (
        "a hang, without end, of one request",
        lambda sent: Reply(wait_s=2.0) if sent.text == "Question 2" else said("yes"),
    )
    for name, (reply, _) in GIVEN_UP.items():
        yield f"{name}, of one request", lambda sent, reply=reply: reply if sent.text == "Question 2" else said("yes")
    for name, (reply, _) in STOPPING.items():
        yield name, lambda sent, reply=reply: reply
    for name in ("401", "404 model", "quota exhausted"):
        yield f"{name}, after three answers", _after_three(STOPPING[name][0])
    for name, reply in MARKED.items():
        yield name, lambda sent, reply=reply: reply


def main() -> None:
    print("| fault | sends | what became of six requests |\n|---|---|---|")
    for name, script in cases():
        with serving(script) as server, tempfile.TemporaryDirectory() as folder:
            outcome, rows = _run(server.url, Path(folder))
            print(f"| {name} | {server.counts.total()} | {_words(outcome, rows)} |", flush=True)
    for name, run in ELSEWHERE.items():
        with tempfile.TemporaryDirectory() as folder:
            outcome, rows, sends = run(Path(folder))
            print(f"| {name} | {sends} | {_words(outcome, rows)} |", flush=True)


def _run(url: str, folder: Path) -> tuple[Outcome, pl.DataFrame]:
    model = model_at(url)
    with Journal.open(folder / "journal.sqlite") as journal:
        outcome = run_plan(planned(texts(N), model), {"m": model}, journal, limits=QUICK)
        return outcome, journal.frame()


def _words(outcome: Outcome, rows: pl.DataFrame) -> str:
    counted = {
        "ok": outcome.ok,
        "cut off": outcome.truncated,
        "refused": outcome.refused,
        "error": outcome.errors,
        "left": outcome.left,
    }
    parts = [", ".join(f"{count} {what}" for what, count in counted.items() if count)]
    parts += rows["error"].drop_nulls().unique().to_list()[:1]
    parts += outcome.stopped
    return ": ".join(parts).replace("|", "\\|")


def _after_three(reply: Reply) -> Script:
    answered = 0
    lock = threading.Lock()

    def script(_: object) -> Reply:
        nonlocal answered
        with lock:
            answered += 1
            return said("yes") if answered <= 3 else reply

    return script


def _absent(folder: Path) -> tuple[Outcome, pl.DataFrame, int]:
    return *_run(f"http://127.0.0.1:{free_port()}/v1", folder), 0


def _no_such_host(folder: Path) -> tuple[Outcome, pl.DataFrame, int]:
    return *_run("http://no-such-host.invalid/v1", folder), 0


def _gone_and_back(folder: Path) -> tuple[Outcome, pl.DataFrame, int]:
    port = free_port()
    done: list[tuple[Outcome, pl.DataFrame]] = []
    thread = threading.Thread(target=lambda: done.append(_run(f"http://127.0.0.1:{port}/v1", folder)))
    with serving(lambda sent: said("yes") if sent.text == "Question 0" else Reply(wait_s=0.4), port) as before:
        thread.start()
        while before.counts.total() < N:
            time.sleep(0.01)
        time.sleep(0.1)
    time.sleep(1.5)
    with serving(lambda sent: said("yes"), port) as after:
        thread.join()
    return *done[0], before.counts.total() + after.counts.total()


ELSEWHERE: dict[str, Callable[[Path], tuple[Outcome, pl.DataFrame, int]]] = {
    "nothing listens": _absent,
    "the host name doesn't exist": _no_such_host,
    "the server goes under six sends and is back after 1.5 s": _gone_and_back,
}


if __name__ == "__main__":
    main()
