"""All figures of the engine in one run, as ratios to a raw aiohttp client on the same machine at the same time.

    python benchmarks/engine/bench.py [--repeats 5] [--only speed,pictures,…,harnesses] [--out results.json]

Each figure is the median over pairs that run in turn, each client in a process of its own, against the loopback server of
this folder. `harnesses` installs lm-evaluation-harness and Inspect AI into virtual environments of their own; it runs
only when named.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
PYTHON = sys.executable
SECTIONS = ("speed", "pictures", "memory", "resume", "plan", "merge", "first", "fire")

# (latency ms, concurrency, requests, goal: requests/s as a share of raw aiohttp's)
CELLS = ((50, 64, 5000, 0.9), (50, 256, 10000, 0.75), (0, 64, 10000, 0.6))

# A study of 100,000 items and ten conditions, and half of its answers in a journal.
PLANNED = 1_000_000
STUDY = """
name = "large"
[[items]]
source = "file"
path = "items.jsonl"
[[models]]
name = "m"
transport = { kind = "http", base_url = "http://127.0.0.1:PORT/v1" }
[[scorers]]
name = "mathematics"
[[contrasts]]
name = "Finnish against English"
factor = "language"
levels = ["fi", "en"]
scorer = "mathematics"
"""
CONDITION = """
[[conditions]]
name = "c{number}"
prompt = "solve-direct"
scorers = ["mathematics"]
sampling = {{ temperature = 0, max_tokens = {tokens} }}
"""


@contextmanager
def server(latency_ms: float, *more: str) -> Iterator[int]:
    """The port of a loopback server in a process of its own."""
    process = subprocess.Popen(
        [PYTHON, str(HERE / "server.py"), "--latency-ms", str(latency_ms), *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout and process.stdin
    try:
        yield int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait()


def client(kind: str, port: int, n: int, concurrency: int, folder: str, *more: str) -> dict[str, Any]:
    """One client's figures."""
    command = [PYTHON, str(HERE / "clients.py"), kind, str(port), str(n), str(concurrency), folder, *more]
    started = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures["done"] == n, figures
    return {**figures, "command_s": time.perf_counter() - started}


def newest_journal(folder: str) -> Path:
    return max(Path(folder).glob("journal-*.sqlite"), key=lambda path: path.stat().st_mtime_ns)


def pairs(port: int, n: int, concurrency: int, folder: str, repeats: int, *more: str) -> dict[str, Any]:
    """Medians over `repeats` triples run in turn: raw aiohttp on asyncio, the same on uvloop, covary."""
    runs: list[dict[str, dict[str, Any]]] = []
    for _ in range(repeats):
        run = {
            "raw": client("raw", port, n, concurrency, folder, *more),
            "raw_uvloop": client("raw", port, n, concurrency, folder, "--loop", "uvloop", *more),
            "covary": client("covary", port, n, concurrency, folder, *more),
        }
        journal = newest_journal(folder)
        run["covary"]["journal_bytes"] = journal.stat().st_size / n
        journal.unlink()
        runs.append(run)

    def middle(who: str, what: str) -> float:
        return median(run[who][what] for run in runs)

    return {
        "n": n,
        "concurrency": concurrency,
        "raw_per_s": n / middle("raw", "wall_s"),
        "raw_uvloop_per_s": n / middle("raw_uvloop", "wall_s"),
        "covary_per_s": n / middle("covary", "wall_s"),
        "ratio": median(run["raw"]["wall_s"] / run["covary"]["wall_s"] for run in runs),
        "ratio_uvloop": median(run["raw_uvloop"]["wall_s"] / run["covary"]["wall_s"] for run in runs),
        "raw_cpu_s_per_1000": middle("raw", "cpu_s") * 1000 / n,
        "raw_uvloop_cpu_s_per_1000": middle("raw_uvloop", "cpu_s") * 1000 / n,
        "covary_cpu_s_per_1000": middle("covary", "cpu_s") * 1000 / n,
        "covary_peak_mib": middle("covary", "peak_mib"),
        "journal_bytes_per_answer": middle("covary", "journal_bytes"),
        "answer_bytes": 2000,
    }


def speed(repeats: int) -> dict[str, Any]:
    found = {}
    for latency_ms, concurrency, n, goal in CELLS:
        with server(latency_ms) as port, tempfile.TemporaryDirectory() as folder:
            client("prepare", port, n, 1, folder)
            cell = pairs(port, n, concurrency, folder, repeats)
            found[f"{latency_ms} ms, {concurrency} at a time"] = {**cell, "goal_ratio": goal}
    return found


def pictures(repeats: int) -> dict[str, Any]:
    more = ("--picture-bytes", "200000")
    with server(0) as port, tempfile.TemporaryDirectory() as folder:
        client("prepare", port, 1000, 1, folder, *more)
        cell = pairs(port, 1000, 32, folder, repeats, *more)
    return {**cell, "goal_ratio": 1.0, "cpu_s": cell["covary_cpu_s_per_1000"], "goal_cpu_s": 1.5}


def memory(repeats: int) -> dict[str, Any]:
    peaks = {}
    with server(0) as port, tempfile.TemporaryDirectory() as folder:
        for n in (2000, 200_000):
            client("prepare", port, n, 1, folder)
            peaks[n] = client("covary", port, n, 64, folder)["peak_mib"]
            newest_journal(folder).unlink()
    return {"peak_mib_2000": peaks[2000], "peak_mib_200000": peaks[200_000], "growth_mib": peaks[200_000] - peaks[2000]}


def resume(repeats: int) -> dict[str, Any]:
    n = 100_000
    with server(0) as port, tempfile.TemporaryDirectory() as folder:
        client("prepare", port, n, 1, folder)
        client("covary", port, n, 64, folder)
        newest_journal(folder).rename(Path(folder) / "journal.sqlite")
        again = [client("resume", port, n, 64, folder) for _ in range(repeats)]
    return {
        "n": n,
        "loop_s": median(run["wall_s"] for run in again),
        "process_cpu_s": median(run["process_cpu_s"] for run in again),
        "process_s": median(run["command_s"] for run in again),
        "peak_mib": median(run["peak_mib"] for run in again),
        "goal_process_s": 2.0,
    }


def plan(repeats: int) -> dict[str, Any]:
    """`covary plan` of a million pairs: from the items file, and again with half of the answers in the journal."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_study(folder, PLANNED // 10, 10)
        found = {"from the items": _client("plan", folder)}
        _answer_half(folder)
        found["what is left after half"] = _client("plan", folder)
    found = {form: {**cell, "goal_seconds": 20, "goal_mib": 1536} for form, cell in found.items()}
    assert found["from the items"]["left"] == PLANNED
    assert found["what is left after half"]["left"] == PLANNED // 2
    return found


def _client(kind: str, folder: str | Path) -> dict[str, Any]:
    command = [PYTHON, str(HERE / "clients.py"), kind, "0", "0", "0", str(folder)]
    started = time.perf_counter()
    told = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1])
    figures = {"seconds": time.perf_counter() - started, "cpu_s": told["process_cpu_s"], "peak_mib": told["peak_mib"]}
    return {**figures, "left": told["done"]}


def _write_study(folder: Path, items: int, conditions: int, port: int = 9) -> None:
    shown = [CONDITION.format(number=number, tokens=256 + number) for number in range(conditions)]
    (folder / "study.toml").write_text(STUDY.replace("PORT", str(port)) + "".join(shown), encoding="utf-8")
    with (folder / "items.jsonl").open("w", encoding="utf-8") as file:
        for number in range(items):
            question = f"Question {number}: how long is the rope that you see in the picture of the harbour? " * 8
            row = {"source_id": f"s{number // 2}", "language": ("en", "fi")[number % 2], "question": question}
            file.write(json.dumps({**row, "target": str(number), "answer_type": "Numerical"}) + "\n")


def _answer_half(folder: Path) -> None:
    from covary.store.journal import Journal
    from covary.store.tables import read_table

    ids = read_table(folder / "requests.parquet").select("request_id").collect()["request_id"][::2]
    fields = ("ok", "4", None, "stop", None, 9, 9, None, 0.1, 1, "m", "{}", "sent", 0)
    with Journal.open(folder / "journal.sqlite") as journal:
        for part in ids.to_frame().iter_slices(10_000):
            journal.append((key, *fields) for key in part["request_id"])


MERGED = (100_000, 1_000_000)


def merge(repeats: int) -> dict[str, Any]:
    """Two journals with a third of their answers in common, of 1 KB each, into one; then again."""
    found = {}
    for n in MERGED:
        with tempfile.TemporaryDirectory() as folder:
            _answered(Path(folder) / "left.sqlite", 0, n * 2 // 3)
            _answered(Path(folder) / "right.sqlite", n // 3, n)
            first, again = (_client("merge", folder) for _ in range(2))
            assert (first["left"], again["left"]) == (n, 0)
            found[f"{n:,} answers"] = first
            found[f"{n:,} answers, again"] = again
    return found


def _answered(path: Path, start: int, end: int) -> None:
    from covary.store.journal import Journal

    fields = (None, "stop", None, 9, 300, None, 0.1, 1, "m", "{}", "sent", 0)
    with Journal.open(path) as journal:
        for some in range(start, end, 10_000):
            numbers = range(some, min(some + 10_000, end))
            keys = ((number, hashlib.sha256(b"%d" % number).hexdigest()) for number in numbers)
            journal.append((key, "ok", f"{number} {'x' * 1000}", *fields) for number, key in keys)


def first(repeats: int) -> dict[str, Any]:
    """From the start of the command to the first byte of the first request: the loop's from a table, and `covary run` of a study
    whose items are yet to be read and planned."""
    waits: dict[str, list[float]] = {"loop": [], "covary run": []}
    with tempfile.TemporaryDirectory() as name:
        client("prepare", 9, 2000, 1, name)
        for number in range(repeats):
            with _listening() as (listening, port):
                loop = [PYTHON, str(HERE / "clients.py"), "covary", str(port), "2000", "1", name]
                waits["loop"].append(_until_asked(loop, listening))
            with _listening() as (listening, port):
                folder = Path(name) / f"study-{number}"
                folder.mkdir()
                _write_study(folder, 2000, 1, port)
                run = [PYTHON, "-c", "from covary.cli import main; main()", "run", str(folder), "--quiet"]
                waits["covary run"].append(_until_asked(run, listening))
    return {"seconds": median(waits["loop"]), "command_s": median(waits["covary run"]), "goal_s": 1.0}


@contextmanager
def _listening() -> Iterator[tuple[socket.socket, int]]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening, listening.getsockname()[1]


def _until_asked(command: list[str], listening: socket.socket) -> float:
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    connection, _ = listening.accept()
    connection.recv(1)
    waited_s = time.perf_counter() - started
    process.kill()
    process.wait()
    connection.close()
    return waited_s


def fire(repeats: int) -> dict[str, Any]:
    """The same work against a clean and a failing server: wall time, and the waits that the server asked for."""
    n, found = 5000, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, more in (("clean", ()), ("fire", ("--fire",))):
            with server(50, *more) as port:
                client("prepare", port, n, 1, folder)
                runs = [client("covary", port, n, 64, folder, "--timeout-s", "2") for _ in range(repeats)]
            found[name] = median(run["wall_s"] for run in runs)
    return {**found, "ratio": found["fire"] / found["clean"], "goal_ratio": 2.0, "asked_wait_s": 1.0, "hang_s": 2.0}


def harnesses(repeats: int, n: int = 2000) -> dict[str, Any]:
    from harnesses import compare

    with server(50) as port:
        return compare(port, repeats, n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default=",".join(SECTIONS))
    parser.add_argument("--harness-requests", type=int, default=2000, help="fewer, to see whether all is installed")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    figures: dict[str, Any] = {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "load_before": os.getloadavg()[0],
        "repeats": given.repeats,
    }
    for name in given.only.split(","):
        more = {"n": given.harness_requests} if name == "harnesses" else {}
        figures[name] = globals()[name](given.repeats, **more)
        print(json.dumps({name: figures[name]}, indent=1), flush=True)
    figures["load_after"] = os.getloadavg()[0]
    if given.out:
        given.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
