"""The plan on a real local Ray: everything is answered once, a killed worker or node loses little, a rerun sends what is left."""

from __future__ import annotations

import asyncio
import collections
import importlib.util
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from aiohttp import web
from tests.cli.test_commands import covary

from covary import schema
from covary.errors import RunError, UsageError
from covary.prompts.requests import Call, Model, plan_calls, text_message
from covary.run import ray as on_ray
from covary.run.plan import run_plan
from covary.run.ray import PartFiles, responses, run_on_ray
from covary.run.work import Limits
from covary.store.journal import Journal

needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="ray is not installed (pip install covary[ray])"
)
FAKE = Model("fake", transport={"kind": "fake"})


def planned(count: int, model: Model = FAKE) -> pl.DataFrame:
    calls = [Call(f"i{n}", "c", [text_message("user", f"question {n}")], {"temperature": 0}) for n in range(count)]
    return plan_calls(calls, model).requests


class Server:
    """A chat-completions server on the loopback that counts what it is asked, and waits a little before it answers."""

    def __init__(self, latency_s: float) -> None:
        self.asked: collections.Counter[str] = collections.Counter()
        self.failing: set[str] = set()
        self._latency_s = latency_s
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        self._ready.wait(10)

    def model(self, **transport: Any) -> Model:
        return Model("served", transport={"kind": "http", "base_url": f"http://127.0.0.1:{self.port}/v1", **transport})

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        application = web.Application()
        application.router.add_post("/v1/chat/completions", self._answer)
        runner = web.AppRunner(application)
        self._loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, "127.0.0.1", 0)
        self._loop.run_until_complete(site.start())
        self.port = runner.addresses[0][1]
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())

    async def _answer(self, request: web.Request) -> web.Response:
        question = (await request.json())["messages"][-1]["content"]
        self.asked[question] += 1
        await asyncio.sleep(self._latency_s)
        if question in self.failing:
            return web.json_response({"error": {"message": "bad question"}}, status=400)
        message = {"role": "assistant", "content": f"answer to {question}"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 5, "completion_tokens": 3}
        return web.json_response({"model": "served-1", "choices": [choice], "usage": usage})


@pytest.fixture
def server() -> Iterator[Callable[[float], Server]]:
    servers: list[Server] = []

    def start(latency_s: float = 0.0) -> Server:
        servers.append(Server(latency_s))
        return servers[-1]

    yield start
    for started in servers:
        started.close()


# Without a cluster


def test_what_is_done_already_needs_no_cluster_and_no_ray(tmp_path: Path) -> None:
    requests = planned(5)
    parts = PartFiles(tmp_path / "responses", "earlier")
    parts.append(
        [
            (key, "ok", "x", None, "stop", None, 1, 1, None, 0.1, 1, "m", "{}", "sent", 0)
            for key in requests["request_id"]
        ]
    )
    outcome = run_on_ray(requests, {"fake": FAKE}, tmp_path, on="ray://nowhere:1")
    assert (outcome.total, outcome.found, outcome.left) == (5, 5, 0)


def row_of(key: str, status: str = "ok", text: str | None = "x") -> tuple[object, ...]:
    error = "bad" if status == "error" else None
    return (key, status, text, None, "stop", error, 1, 1, None, 0.1, 1, "m", "{}", "sent", 1_700_000_000_000_000)


def test_a_block_taken_up_again_knows_what_its_killed_worker_had_written(tmp_path: Path) -> None:
    killed = PartFiles(tmp_path, "b")
    killed.append([row_of("aa"), row_of("bb", "error", None)])
    again = PartFiles(tmp_path, "b")
    assert again.settled(["aa", "bb", "cc"]) == ({"aa"}, {"bb"})
    again.append([row_of("cc")])
    assert again.join() == (2, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["b.parquet"]
    frame = pl.read_parquet(tmp_path / "b.parquet")
    assert sorted(frame["request_id"]) == ["aa", "bb", "cc"]
    schema.RESPONSES.check(frame)


def test_a_worker_killed_while_it_joined_its_parts_leaves_no_response_twice(tmp_path: Path) -> None:
    block = PartFiles(tmp_path / "responses", "b")
    block.append([row_of("aa"), row_of("bb", "error", None)])
    block.append([row_of("bb")])
    for path in list((tmp_path / "responses").iterdir()):
        (tmp_path / "responses" / f"copy-{path.name}").write_bytes(path.read_bytes())
    found = responses(tmp_path).collect().sort("request_id")
    assert found["request_id"].to_list() == ["aa", "bb"] and found["status"].to_list() == ["ok", "ok"]


def test_other_blocks_whose_names_begin_alike_are_not_taken(tmp_path: Path) -> None:
    PartFiles(tmp_path, "run-000001").append([row_of("aa")])
    assert PartFiles(tmp_path, "run-00000").settled(["aa"]) == (set(), set())


@pytest.mark.parametrize("on", ["", "spark", "ray://", "local"])
def test_another_cluster_address_is_a_usage_error(tmp_path: Path, on: str) -> None:
    with pytest.raises(UsageError, match="expected ray, ray://auto or ray://HOST:PORT"):
        run_on_ray(planned(1), {"fake": FAKE}, tmp_path, on=on)


def test_an_unknown_model_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown model 'fake'"):
        run_on_ray(planned(1), {"faked": FAKE}, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_without_ray_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"covary\[ray\]"):
        run_on_ray(planned(1), {"fake": FAKE}, tmp_path)


def test_blocks_are_of_one_model_and_hold_every_request_once(tmp_path: Path) -> None:
    other = Model("other")
    requests = pl.concat([planned(5), planned(7, other)]).sort("request_id")
    blocks = on_ray._write_blocks(requests.lazy(), tmp_path, 3)
    assert sorted((block.model, block.rows) for block in blocks) == [
        *[("fake", 2), ("fake", 3)],
        *[("other", 1), ("other", 3), ("other", 3)],
    ]
    assert sorted(key for block in blocks for key in pl.read_parquet(block.path)["request_id"]) == sorted(
        requests["request_id"]
    )


def test_an_embedded_model_gets_its_actor_s_threads_unless_the_study_says_otherwise() -> None:
    assert on_ray._fitted(Model("m", transport={"kind": "embedded"}), 3).transport["threads"] == 3
    assert on_ray._fitted(Model("m", transport={"kind": "embedded", "threads": 5}), 3).transport["threads"] == 5
    assert on_ray._fitted(FAKE, 3) == FAKE


def test_a_block_that_kills_every_worker_is_left_with_its_reason(tmp_path: Path) -> None:
    [block] = on_ray._write_blocks(planned(3).lazy(), tmp_path, 10)
    for number in range(8):
        block.path.with_name(f"{block.path.name}.{number}.begun").touch()
    setup = on_ray._Setup({"fake": FAKE}, tmp_path / "responses", Limits(), 1, 1, None, None, {})
    worker = on_ray.BlockWorker(setup)
    row = {"path": str(block.path), "model": "fake", "rows": 3}
    result = worker(row)
    assert (result["answered"], result["failed"]) == (0, 0)
    assert result["stopped"] == f"8 workers died over the block {block.path.stem}"
    [other] = on_ray._write_blocks(planned(3).lazy(), tmp_path / "other", 10)
    assert worker({**row, "path": str(other.path)})["answered"] == 3


def test_answers_of_an_earlier_run_go_to_the_journal_and_leave_the_folder(tmp_path: Path) -> None:
    block = PartFiles(tmp_path / "responses", "b")
    block.append([row_of("aa"), row_of("bb", "error", None)])
    PartFiles(tmp_path / "responses", "c").append([row_of("aa", "error", None)])
    with Journal.open(tmp_path / "journal.sqlite") as journal:
        on_ray._take_up(tmp_path, journal)
        on_ray._take_up(tmp_path, journal)
        found = journal.frame().sort("request_id")
        assert found["request_id"].to_list() == ["aa", "bb"] and found["status"].to_list() == ["ok", "error"]
    assert list((tmp_path / "responses").iterdir()) == []


# A cluster of this machine


@needs_ray
def test_a_small_run_on_ray_fills_the_journal_like_a_run_without(
    tmp_path: Path, server: Callable[[float], Server]
) -> None:
    here = server(0.0)
    here.failing = {"question 7"}
    model = here.model()
    requests = planned(60, model)
    done = {"request_id": requests["request_id"][0], "status": "ok", "attempts": 1, "detail": "{}", "origin": "sent"}
    with Journal.open(tmp_path / "ray.sqlite") as journal:
        journal.add_frame(schema.RESPONSES.from_rows([done]))
        outcome = run_on_ray(
            requests,
            {"served": model},
            tmp_path / "shared",
            journal=journal,
            actors=1,
            block_rows=25,
            cpus_per_actor=0.5,
        )
        assert (outcome.total, outcome.found, outcome.ok, outcome.errors, outcome.left) == (60, 1, 58, 1, 0)
        assert outcome.spent.completion_tokens == 58 * 3
        assert max(here.asked.values()) == 1 and "question 0" not in here.asked
        assert not list((tmp_path / "shared").rglob("*.parquet"))
        again = run_on_ray(requests, {"served": model}, tmp_path / "shared", journal=journal)
        assert (again.found, again.errors, again.left) == (59, 1, 0)
        on_the_cluster = journal.frame().sort("request_id")
    with Journal.open(tmp_path / "plain.sqlite") as journal:
        run_plan(requests, {"served": model}, journal)
        alone = journal.frame().sort("request_id")
    same = ["request_id", "status", "text", "error", "prompt_tokens", "model_reported", "origin", "attempts"]
    rest = pl.col("request_id") != done["request_id"]
    assert on_the_cluster.filter(rest).select(same).equals(alone.filter(rest).select(same))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Three node processes of one Ray cluster, and this process connected to it."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_health_check_period_ms", "1000")
    ray = pytest.importorskip("ray", reason="ray is not installed (pip install covary[ray])")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [made.add_node(num_cpus=1) for _ in range(2)]
    ray.init(address=made.address, log_to_driver=False)
    made.worker_nodes_for_test = nodes
    yield made
    ray.shutdown()
    made.shutdown()


def workers_below(root: int) -> list[int]:
    """Processes of BlockWorker actors among the descendants of a process."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
    found: list[int] = []
    for process in parents:
        above = process
        while above in parents and above != root:
            above = parents[above]
        try:
            if above == root and b"BlockWorker" in Path(f"/proc/{process}/cmdline").read_bytes():
                found.append(process)
        except OSError:
            continue
    return found


def runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def in_background(work: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()
    return thread, results


def wait_for(condition: Callable[[], bool], most_s: float = 120) -> None:
    deadline = time.monotonic() + most_s
    while not condition():
        assert time.monotonic() < deadline, "nothing happened in time"
        time.sleep(0.02)


@needs_ray
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="finds the workers in /proc")
def test_a_killed_worker_loses_only_what_was_not_yet_written_of_its_block(
    tmp_path: Path, cluster: Any, server: Callable[[float], Server]
) -> None:
    here = server(0.1)
    model = here.model(concurrency=4)
    requests = planned(400, model)
    thread, results = in_background(lambda: run_on_ray(requests, {"served": model}, tmp_path, actors=2, block_rows=200))
    wait_for(lambda: responses(tmp_path).collect().height >= 60 if (tmp_path / "responses").exists() else False)
    pids = [pid for node in cluster.worker_nodes_for_test for pid in workers_below(raylet_of(node))]
    written = set(responses(tmp_path).collect()["request_id"])
    os.kill(pids[0], signal.SIGKILL)
    thread.join(300)
    [outcome] = results
    assert (outcome.ok, outcome.left, outcome.errors) == (400, 0, 0)
    found = responses(tmp_path).collect()
    assert set(found["request_id"]) == set(requests["request_id"]) and found.height == 400
    questions = {key: f"question {n}" for n, key in enumerate(requests["request_id"])}
    assert all(here.asked[questions[key]] == 1 for key in written)
    twice = sum(count - 1 for count in here.asked.values())
    assert twice <= 4 * (1.0 / 0.1 + 2) * 2  # one commit window and the sends under way, doubled for a busy machine
    again = run_on_ray(requests, {"served": model}, tmp_path)
    assert again.found == 400 and sum(here.asked.values()) == 400 + twice


@needs_ray
@pytest.mark.slow
def test_a_lost_node_s_blocks_are_done_by_the_others(
    tmp_path: Path, cluster: Any, server: Callable[[float], Server]
) -> None:
    here = server(0.1)
    model = here.model(concurrency=4)
    requests = planned(300, model)
    thread, results = in_background(lambda: run_on_ray(requests, {"served": model}, tmp_path, actors=2, block_rows=100))
    wait_for(lambda: sum(here.asked.values()) >= 60)
    cluster.remove_node(cluster.worker_nodes_for_test[0], allow_graceful=False)
    thread.join(400)
    [outcome] = results
    assert (outcome.ok, outcome.left) == (300, 0)
    assert set(responses(tmp_path).collect()["request_id"]) == set(requests["request_id"])


@needs_ray
@pytest.mark.slow
def test_a_driver_that_is_killed_leaves_its_answers_for_the_next_run(
    tmp_path: Path, server: Callable[[float], Server]
) -> None:
    import subprocess

    here = server(0.1)
    model = here.model(concurrency=4)
    requests = planned(200, model)
    requests.write_parquet(tmp_path / "requests.parquet")
    code = (
        "import sys; from covary.prompts.requests import Model; from covary.run.ray import run_on_ray\n"
        f"model = Model('served', transport={dict(model.transport)!r})\n"
        "run_on_ray(sys.argv[1], {'served': model}, sys.argv[2], actors=1, block_rows=100)"
    )
    driver = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "requests.parquet"), str(tmp_path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for(lambda: responses(tmp_path).collect().height >= 30 if (tmp_path / "responses").exists() else False)
    driver.kill()
    driver.wait()
    written = set(responses(tmp_path).collect()["request_id"])
    with Journal.open(tmp_path / "journal.sqlite") as journal:
        outcome = run_on_ray(
            tmp_path / "requests.parquet", {"served": model}, tmp_path, journal=journal, actors=1, block_rows=100
        )
        assert journal.counts().ok == 200
    assert outcome.found >= len(written) >= 30 and outcome.left == 0
    questions = {key: f"question {n}" for n, key in enumerate(requests["request_id"])}
    assert all(here.asked[questions[key]] == 1 for key in written)


@needs_ray
@pytest.mark.slow
def test_a_server_that_is_not_there_ends_with_its_reason_and_all_is_left(tmp_path: Path) -> None:
    model = Model("gone", transport={"kind": "http", "base_url": "http://127.0.0.1:9/v1"})
    outcome = run_on_ray(
        planned(40, model), {"gone": model}, tmp_path, actors=1, block_rows=10, limits=Limits(start_s=1.0)
    )
    assert outcome.left == 40 and len(outcome.stopped) == 1 and "no server answers" in outcome.stopped[0]


@needs_ray
@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no Ray cluster for 'ray://auto'"):
        run_on_ray(planned(1), {"fake": FAKE}, tmp_path, on="ray://auto")


@needs_ray
@pytest.mark.slow
def test_embedded_models_in_two_actors_say_what_one_says_in_this_process(
    tmp_path: Path, cluster: Any, small_weights: Path
) -> None:
    model = Model("smollm2-135m", transport={"kind": "embedded", "weights": str(small_weights), "context_tokens": 512})
    calls = [
        Call(f"i{n}", "c", [text_message("user", f"Write about the number {n}.")], {"temperature": 0, "max_tokens": 12})
        for n in range(8)
    ]
    requests = plan_calls(calls, model).requests
    outcome = run_on_ray(requests, {model.name: model}, tmp_path, actors=2, block_rows=4)
    assert outcome.ok + outcome.truncated == 8
    there = responses(tmp_path).collect().sort("request_id")
    with Journal.open(tmp_path / "journal.sqlite") as journal:
        run_plan(requests, {model.name: model}, journal)
        here = journal.frame().sort("request_id")
    assert there["text"].to_list() == here["text"].to_list()
    assert '"threads":1' in there["detail"][0]


@needs_ray
@pytest.mark.slow
def test_each_actor_serves_its_own_model_and_takes_it_down(tmp_path: Path) -> None:
    command = [sys.executable, str(Path(__file__).with_name("stand_in_server.py")), "--port", "{port}"]
    model = Model("served", transport={"kind": "http", "base_url": "http://replaced.invalid/v1", "concurrency": 4})
    requests = planned(40, model)
    outcome = run_on_ray(requests, {"served": model}, tmp_path, actors=2, block_rows=10, serve={"served": command})
    assert (outcome.ok, outcome.left) == (40, 0)
    pids = set(responses(tmp_path).collect()["model_reported"])  # the stand-in reports its process
    assert 1 <= len(pids) <= 2
    wait_for(lambda: not any(runs(int(pid.removeprefix("pid-"))) for pid in pids), 60)


@needs_ray
@pytest.mark.slow
def test_a_served_model_that_does_not_start_ends_with_its_last_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no GPU {port}')"]
    model = Model("served", transport={"kind": "http", "base_url": "http://replaced.invalid/v1"})
    outcome = run_on_ray(planned(5, model), {"served": model}, tmp_path, actors=1, serve={"served": command})
    assert outcome.left == 5 and "ended with status 1: no GPU" in outcome.stopped[0]


def raylet_of(node: Any) -> int:
    return node.all_processes["raylet"][0].process.pid


# From the command line

STUDY = """\
name = "small"
[[items]]
source = "file"
path = "items.jsonl"
[[models]]
name = "m"
transport = { TRANSPORT }
[[conditions]]
name = "short"
prompt = "solve-direct"
scorers = ["mathematics"]
replicates = 3
sampling = { temperature = 1, max_tokens = 8 }
[[scorers]]
name = "mathematics"
[attempts]
stop = "first success"
"""


def study(folder: Path, transport: str, items: int) -> Path:
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY.replace("TRANSPORT", transport))
    rows = [
        {"source_id": f"s{n}", "question": f"{n} + 1?", "target": "2", "answer_type": "Numerical"} for n in range(items)
    ]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def asked_in(folder: Path) -> dict[str, str | None]:
    with Journal.open(folder / "journal.sqlite", write=False) as journal:
        return dict(journal.frame().select("request_id", "text").iter_rows())


def test_actors_are_described_by_options_that_need_a_cluster() -> None:
    from covary.cli.sending import Cluster, cluster

    serve = ["m=vllm serve Qwen/Qwen3-8B --port {port} --max-num-seqs '256'"]
    words = ["vllm", "serve", "Qwen/Qwen3-8B", "--port", "{port}", "--max-num-seqs", "256"]
    assert cluster("ray", 4, None, 1, serve) == Cluster("ray", 4, 1, 1, {"m": words})
    assert cluster(None, None, None, None, []) is None
    with pytest.raises(UsageError, match="are for a run with --on ray"):
        cluster(None, None, None, None, serve)
    for wrong in ("m", "=vllm", "m=", "m='unfinished"):
        with pytest.raises(UsageError, match="--serve"):
            cluster("ray", None, None, None, [wrong])


@needs_ray
@pytest.mark.slow
def test_attempts_stop_at_the_first_success_on_a_cluster_as_they_do_here(tmp_path: Path) -> None:
    fake = 'kind = "fake", answers = ["<final>2</final>", "<final>3</final>"]'
    there, here = (study(tmp_path / name, fake, 40) for name in ("there", "here"))
    done = covary("run", str(there), "--on", "ray", "--actors", "2", "--only", "run", "--json")
    assert done.returncode == 0, done.stderr
    assert covary("run", str(here), "--only", "run", "--json").returncode == 0
    assert asked_in(there) == asked_in(here)
    assert 40 < len(asked_in(here)) < 120
    assert json.loads(done.stdout)["done"] == len(asked_in(here))


@needs_ray
@pytest.mark.slow
def test_the_command_line_serves_a_real_model_in_an_actor(tmp_path: Path, small_weights: Path) -> None:
    """A server program in the actor, as vLLM would be one: here it answers with the embedded model over HTTP."""
    folder = study(tmp_path / "s", 'kind = "http", base_url = "http://replaced.invalid/v1", concurrency = 1', 3)
    server = f"{sys.executable} {Path(__file__).with_name('embedded_server.py')} {small_weights} --port {{port}}"
    options = ("--on", "ray", "--actors", "1", "--serve", f"m={server}", "--only", "run", "--quiet")
    done = covary("run", str(folder), *options)
    assert done.returncode == 0, done.stderr
    with Journal.open(folder / "journal.sqlite", write=False) as journal:
        answers = journal.frame()
    assert answers.height == 9  # three items, three attempts: none is right
    assert set(answers["model_reported"]) == {"smollm2-135m"}
    assert all(answers["text"].str.len_chars() > 0)
    refused = covary("run", str(folder), "--on", "ray", "--serve", f"n={server}", "--only", "run")
    assert refused.returncode == 2 and "--serve n: this run asks no such model; known: m" in refused.stderr
