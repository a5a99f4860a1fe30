"""Real processes: killed at any moment, interrupted, two at once. No acknowledged answer is lost or paid for twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.run.faults import FaultServer, Reply, Sent, said, serving

from covary.prompts.requests import Call, Model, plan_calls, text_message
from covary.store.journal import Journal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

ROOT = Path(__file__).parents[2]


def started(
    folder: Path, server: FaultServer, n: int, concurrency: int = 16, wait_s: float = 0.0
) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.run.runner", str(folder), server.url, str(n), str(concurrency), str(wait_s)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def acknowledged(folder: Path) -> set[str]:
    log = folder / "acknowledged.log"
    return set(log.read_text().split()) if log.exists() else set()


def in_journal(folder: Path) -> set[str]:
    with Journal.open(folder / "journal.sqlite", write=False) as journal:
        return set(journal.frame()["request_id"])


def ids_by_text(n: int) -> dict[str, str]:
    model = Model("m")
    calls = [Call(str(number), "c", [text_message("user", f"Question {number}")], {}) for number in range(n)]
    return {f"Question {number}": key for number, key in enumerate(plan_calls(calls, model).links["request_id"])}


def wait_until(server: FaultServer, sends: int, process: subprocess.Popen[str]) -> None:
    while server.counts.total() < sends and process.poll() is None:
        time.sleep(0.005)


def slow(sent: Sent) -> Reply:
    return Reply(200, said(f"answer to {sent.text}").body, wait_s=0.03)


def killed_at_random_moments(folder: Path, kills: int, n: int, seed: int) -> list[str]:
    """Kill a run again and again, check after each, then let one end. A log line for each kill."""
    drawn = random.Random(seed)
    keys = ids_by_text(n)
    concurrency = 16
    lines: list[str] = []
    with serving(slow) as server:
        server.keep = False
        for kill in range(kills):
            before = server.counts.copy()
            known = acknowledged(folder)
            process = started(folder, server, n, concurrency)
            wait_until(server, before.total() + drawn.randint(1, n // kills), process)
            time.sleep(drawn.random() * 0.12)  # anywhere in a commit window
            process.send_signal(signal.SIGKILL)
            process.communicate()
            held = in_journal(folder) if (folder / "journal.sqlite").exists() else set()
            assert acknowledged(folder) <= held, "an acknowledged response was lost"
            sent = {keys[text] for text in server.counts if server.counts[text] > before[text]}
            assert not sent & known, "an acknowledged request was sent again"
            again = sum(count > 1 for count in server.counts.values())
            lines.append(
                f"kill {kill + 1}: {server.counts.total()} sent, {len(held)} held, {again} sent more than once"
            )
        process = started(folder, server, n, concurrency)
        said_out, said_err = process.communicate(timeout=120)
        assert process.returncode == 0, said_err
        assert in_journal(folder) == set(keys.values())
        # What a kill can cost: what was under way, and what one commit window (0.2 s at most) had not yet written.
        window = int(0.2 * concurrency / 0.03) + concurrency
        wasted = server.counts.total() - n
        lines.append(f"end: {said_out.strip()}; {wasted} sends were wasted by {kills} kills")
        assert wasted <= kills * (window + concurrency)
    return lines


def test_a_run_killed_at_five_random_moments_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    killed_at_random_moments(tmp_path, kills=5, n=800, seed=1)


@pytest.mark.slow
def test_a_run_killed_at_twenty_random_moments_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    for line in killed_at_random_moments(tmp_path, kills=20, n=4000, seed=2):
        print(line)


def test_ctrl_c_waits_for_what_is_under_way_and_exits_with_a_status(tmp_path: Path) -> None:
    with serving(slow) as server:
        process = started(tmp_path, server, 5000)
        wait_until(server, 100, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 1
        assert "Traceback" not in err
        assert "interrupted" in out
        assert len(in_journal(tmp_path)) == server.counts.total()  # nothing that was sent is lost
        sends = int(out.split("sends ")[1].split()[0])
        assert sends == server.counts.total()


def test_a_second_ctrl_c_drops_what_is_under_way_and_keeps_what_came(tmp_path: Path) -> None:
    def script(sent: Sent) -> Reply:
        return said("yes") if sent.before == 0 and int(sent.text.split()[1]) < 50 else Reply(wait_s=60.0)

    with serving(script) as server:
        process = started(tmp_path, server, 1000)
        wait_until(server, 50 + 16, process)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=15)
        assert process.returncode == 1
        assert "Ctrl-C again drops them" in err
        assert "Traceback" not in err
        assert len(in_journal(tmp_path)) == 50


def test_of_two_runs_on_one_study_the_second_refuses_or_waits_and_sends_nothing_twice(tmp_path: Path) -> None:
    with serving(slow) as server:
        first = started(tmp_path, server, 600)
        wait_until(server, 50, first)
        refused = started(tmp_path, server, 600)
        waiting = started(tmp_path, server, 600, wait_s=60.0)
        _, err = refused.communicate(timeout=30)
        assert refused.returncode == 1
        assert f"is being written by another run (process {first.pid}, since" in err
        assert len(err.strip().splitlines()) == 1
        out, _ = waiting.communicate(timeout=60)
        first.communicate(timeout=30)
        assert (first.returncode, waiting.returncode) == (0, 0)
        assert "ok 0, found 600" in out
        assert server.counts.total() == 600


def test_the_lock_of_a_dead_process_holds_nobody_up(tmp_path: Path) -> None:
    with serving(slow) as server:
        process = started(tmp_path, server, 1000)
        wait_until(server, 20, process)
        process.kill()
        process.communicate()
        with Journal.open(tmp_path / "journal.sqlite"):
            assert (tmp_path / "journal.sqlite.lock").exists()
