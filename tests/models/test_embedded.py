"""The embedded model on real small weights: determinism, a loop that stays free, refusals before sending, a server shut off."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from covary.errors import ModelError, WeightsError
from covary.prompts.requests import Model
from covary.run import embedded, weights
from covary.run.embedded import EmbeddedTransport
from covary.run.transport import Answer, Failure, Request

Make = Callable[..., Request]
QUESTION = "A shop sells 12 boxes with 8 pens each. How many pens are there?"


@pytest.fixture(scope="module")
def small(small_weights: Path) -> Iterator[EmbeddedTransport]:
    transport = EmbeddedTransport(small_weights, name="smollm2-135m", context_tokens=512)
    yield transport
    asyncio.run(transport.close())


def ask(transport: EmbeddedTransport, request: Request, timeout_s: float = 60) -> Answer | Failure:
    return asyncio.run(transport.send(request, timeout_s))


def answer_of(outcome: Answer | Failure) -> Answer:
    assert isinstance(outcome, Answer), outcome
    return outcome


# Answers


def test_an_answer_says_what_made_it(small: EmbeddedTransport, request_of: Make) -> None:
    answer = answer_of(ask(small, request_of("hi", temperature=0, max_tokens=40)))
    assert answer.status == "ok" and answer.finish_reason == "stop" and answer.text
    assert answer.model_reported == "smollm2-135m"
    assert answer.prompt_tokens and answer.completion_tokens and answer.prompt_tokens > 20
    detail = dict(answer.detail)
    assert detail.pop("engine").startswith("xllamacpp 20")
    assert detail == {
        "cache_prompt": False,
        "context_tokens": 512,
        "slots": 1,
        "threads": embedded.usable_threads(),
        "weights_sha256": weights.CATALOGUE["smollm2-135m"].sha256,
    }


def test_an_answer_cut_by_the_token_limit_is_truncated(small: EmbeddedTransport, request_of: Make) -> None:
    answer = answer_of(ask(small, request_of(QUESTION, temperature=0, max_tokens=5)))
    assert (answer.status, answer.finish_reason, answer.completion_tokens) == ("truncated", "length", 5)


def test_the_newer_name_of_the_token_limit_is_kept(small: EmbeddedTransport, request_of: Make) -> None:
    answer = answer_of(ask(small, request_of(QUESTION, temperature=0, max_completion_tokens=5)))
    assert answer.completion_tokens == 5


def test_fields_of_every_body_are_added_and_a_request_may_have_its_own(small_weights: Path, request_of: Make) -> None:
    transport = EmbeddedTransport(small_weights, name="m", context_tokens=512, extra_body={"max_tokens": 3})
    assert answer_of(ask(transport, request_of(QUESTION, temperature=0))).completion_tokens == 3
    assert answer_of(ask(transport, request_of(QUESTION, temperature=0, max_tokens=5))).completion_tokens == 5
    asyncio.run(transport.close())
    with pytest.raises(ModelError, match="extra_body must be a table"):
        embedded.open_embedded(Model("m", transport={"kind": "embedded", "extra_body": "max_tokens=3"}))


def test_text_parts_are_read_like_a_text(small: EmbeddedTransport, request_of: Make) -> None:
    plain = answer_of(ask(small, request_of(QUESTION, temperature=0, max_tokens=12)))
    parts = answer_of(ask(small, request_of([{"type": "text", "text": QUESTION}], temperature=0, max_tokens=12)))
    assert parts.text == plain.text


# Determinism


IN_ANOTHER_PROCESS = """
import asyncio, sys
from pathlib import Path
from covary.run.embedded import EmbeddedTransport
from covary.run.transport import Request
async def main():
    transport = EmbeddedTransport(Path(sys.argv[1]), name="m", context_tokens=512, threads=int(sys.argv[2]))
    for content in sys.argv[3:]:
        answer = await transport.send(Request(content[:64], content.encode()), 60)
        print(repr(answer.text))
    await transport.close()
asyncio.run(main())
"""


def test_temperature_0_gives_the_same_text_in_another_process_with_other_threads_and_in_another_order(
    small: EmbeddedTransport, small_weights: Path, request_of: Make
) -> None:
    questions = [QUESTION, "Écris une phrase sur la mer.", "২ + ২ কত?"]
    requests = [request_of(question, temperature=0, max_tokens=16) for question in questions]
    here = [repr(answer_of(ask(small, request)).text) for request in requests]
    threads = 1 if embedded.usable_threads() > 1 else 2
    command = [sys.executable, "-c", IN_ANOTHER_PROCESS, str(small_weights), str(threads)]
    contents = [request.content.decode() for request in requests]
    there = subprocess.run([*command, *contents], capture_output=True, text=True, check=True)
    assert there.stdout.splitlines() == here
    assert [repr(answer_of(ask(small, request)).text) for request in reversed(requests)] == here[::-1]


def test_above_temperature_0_a_rerun_gives_the_same_text_and_replicates_differ(
    small: EmbeddedTransport, request_of: Make
) -> None:
    def texts(**sampling: Any) -> list[str | None]:
        sent = [
            request_of("Tell a story.", replicate, temperature=1.0, max_tokens=6, **sampling) for replicate in (0, 1)
        ]
        return [answer_of(ask(small, request)).text for request in sent]

    first, second = texts()
    assert texts() == [first, second] and first != second
    first, second = texts(seed=7)
    assert texts(seed=7) == [first, second] and first != second


def test_the_seed_that_was_used_is_in_the_detail(small: EmbeddedTransport, request_of: Make) -> None:
    answer = answer_of(ask(small, request_of("Hi", 2, temperature=0.5, max_tokens=1, seed=7)))
    assert answer.detail["seed"] == 9  # the given seed and the replicate


# Refusals


def test_a_picture_is_refused_before_anything_is_loaded(tmp_path: Path, request_of: Make) -> None:
    transport = EmbeddedTransport(tmp_path / "never-read.gguf", name="m")
    outcome = ask(transport, request_of([{"type": "image", "sha256": "0" * 64, "mime": "image/png"}]))
    assert outcome == Failure("the embedded model reads text only, and this request holds a picture", "give_up")


def test_a_prompt_longer_than_the_context_is_given_up_with_both_numbers(
    small: EmbeddedTransport, request_of: Make
) -> None:
    outcome = ask(small, request_of("word " * 600, temperature=0, max_tokens=5))
    assert isinstance(outcome, Failure) and outcome.heal == "give_up"
    assert "embedded model's context 512" in outcome.error


@pytest.mark.parametrize("sampling", [{"temperature": "hot"}, {"temperature": 0, "n": 3}])
def test_sampling_that_the_model_can_not_do_is_given_up(
    small: EmbeddedTransport, request_of: Make, sampling: dict[str, Any]
) -> None:
    outcome = ask(small, request_of("Hi", max_tokens=2, **sampling))
    assert isinstance(outcome, Failure) and outcome.heal == "give_up" and "\n" not in outcome.error


def test_a_file_that_is_no_model_stops_the_run_with_one_line(tmp_path: Path, request_of: Make) -> None:
    (tmp_path / "m.gguf").write_bytes(b"GGUF" + bytes(1_000))
    outcome = ask(EmbeddedTransport(tmp_path / "m.gguf", name="m"), request_of("Hi"))
    assert isinstance(outcome, Failure) and outcome.heal == "stop"
    assert "can't be loaded" in outcome.error and "\n" not in outcome.error


def test_weights_with_another_digest_are_never_loaded(tmp_path: Path, request_of: Make) -> None:
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    transport = EmbeddedTransport(tmp_path / "m.gguf", name="m", sha256="0" * 64)
    with pytest.raises(WeightsError, match="nothing was loaded"):
        transport.load()
    outcome = ask(transport, request_of("Hi"))
    assert isinstance(outcome, Failure) and outcome.heal == "stop"


# The loop stays free


def test_the_event_loop_runs_while_the_model_works(small: EmbeddedTransport, request_of: Make) -> None:
    async def both() -> int:
        ticks = 0
        sending = asyncio.create_task(small.send(request_of(QUESTION, temperature=0, max_tokens=40), 60))
        while not sending.done():
            await asyncio.sleep(0.001)
            ticks += 1
        answer_of(sending.result())
        return ticks

    assert asyncio.run(both()) > 20


def test_a_cancelled_send_stops_the_model_and_the_next_answer_is_right(small_weights: Path, request_of: Make) -> None:
    request = request_of("Name three rivers.", temperature=0, max_tokens=6)
    endless = request_of("Count.", temperature=0, max_tokens=30_000, ignore_eos=True)  # a quarter of an hour and more

    async def cancel_then_ask() -> tuple[Answer | Failure, Answer | Failure]:
        transport = EmbeddedTransport(small_weights, name="m", context_tokens=32_768)
        before = await transport.send(request, 60)
        sending = asyncio.create_task(transport.send(endless, 600))
        await asyncio.sleep(0.3)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        after = await transport.send(request, 120)
        await transport.close()
        return before, after

    before, after = asyncio.run(cancel_then_ask())
    assert answer_of(before).text == answer_of(after).text


def test_a_deadline_ends_an_attempt_as_one_that_may_heal(small: EmbeddedTransport, request_of: Make) -> None:
    endless = request_of("Count for ever.", temperature=0, max_tokens=400, ignore_eos=True)
    outcome = ask(small, endless, timeout_s=0.2)
    assert outcome == Failure("no complete answer within 0.2 s", "retry")


CTRL_C = """
import asyncio, sys
from pathlib import Path
from covary import digest
from covary.run.embedded import EmbeddedTransport
from covary.run.transport import Request
body = digest.request_content(b'{"name":"m"}', digest.canonical_json([{"role": "user", "content": "Count."}]),
                              digest.canonical_json({"max_tokens": 4000, "temperature": 0, "ignore_eos": True}), 0)
async def main():
    transport = EmbeddedTransport(Path(sys.argv[1]), name="m", context_tokens=8192)
    transport.load()
    print("ready", flush=True)
    await transport.send(Request(digest.request_id(body), body), 600)
asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT to one child is a POSIX matter")
def test_ctrl_c_ends_the_process_at_the_next_token(small_weights: Path) -> None:
    command = [sys.executable, "-c", CTRL_C, str(small_weights)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=60)  # 4,000 tokens take longer than that
    assert complaint.strip().endswith("KeyboardInterrupt")
    assert process.returncode == -signal.SIGINT


def test_a_closed_transport_says_so(small_weights: Path, request_of: Make) -> None:
    async def closed() -> Answer | Failure:
        transport = EmbeddedTransport(small_weights, name="m")
        await transport.close()
        return await transport.send(request_of("Hi"), 5)

    assert asyncio.run(closed()) == embedded.CLOSED


# Nobody else may talk to it

LISTENING = """
import os, sys, tempfile
from pathlib import Path
from covary.run.embedded import EmbeddedTransport
transport = EmbeddedTransport(Path(sys.argv[1]), name="m", context_tokens=256)
transport.load()
own = [os.path.realpath(f"/proc/self/fd/{fd}").rsplit("/", 1)[1] for fd in os.listdir("/proc/self/fd")]
rows = [line.split() for table in ("tcp", "tcp6") for line in open(f"/proc/self/net/{table}")]
print([row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in own])
print(os.listdir(tempfile.gettempdir()), os.environ["OMP_WAIT_POLICY"])
"""


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="reads Linux's table of sockets")
def test_the_model_listens_on_no_port_and_leaves_no_socket_file(small_weights: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    environment.pop("OMP_WAIT_POLICY", None)
    command = [sys.executable, "-c", LISTENING, str(small_weights)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert shown.stdout.splitlines() == ["[]", "[] PASSIVE"]
    assert shown.stderr == ""


# The machine


def test_a_missing_openmp_runtime_names_the_package_to_install(tmp_path: Path) -> None:
    import importlib.util

    spec = importlib.util.find_spec("xllamacpp")
    assert spec is not None and spec.origin is not None
    package = Path(spec.origin).parent
    copy = tmp_path / "xllamacpp"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    library = next((path for path in copy.glob("*.so") if b"libgomp.so.1" in path.read_bytes()), None)
    if library is None:
        pytest.skip("this build brings its own OpenMP runtime")
    library.write_bytes(library.read_bytes().replace(b"libgomp.so.1\0", b"libgomp.so.X\0"))
    code = (
        "from covary.errors import ModelError\nfrom covary.run import embedded\n"
        "try: embedded.load_library()\nexcept ModelError as error: print(error)"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert "libgomp1 (Debian, Ubuntu)" in shown.stdout and shown.stdout.count("\n") == 1


def test_a_processor_without_the_needed_instructions_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match="this one lacks avx2, bmi2"):
        embedded.check_processor("processor : 0\nflags\t\t: fpu sse2 fma f16c\n")
    embedded.check_processor("flags : fma f16c avx2 bmi2 sse2\n")
    embedded.check_processor("no such line")


# Declared models


def test_a_declared_model_names_the_catalogue_s_digest_and_opens(small_weights: Path) -> None:
    model = embedded.declared("smollm2-135m")
    assert model.identity == {"name": "smollm2-135m", "digest": weights.CATALOGUE["smollm2-135m"].sha256}
    assert embedded.open_embedded(model).slots == 1


def test_a_path_of_one_s_own_file_opens(small_weights: Path) -> None:
    transport = embedded.open_embedded(
        Model("mine", transport={"weights": str(small_weights), "slots": 2, "threads": 1})
    )
    assert transport.slots == 2


@pytest.mark.parametrize(
    ("transport", "message"),
    [
        ({"weigths": "x"}, "did you mean 'weights'"),
        ({"weights": "none.gguf"}, "no weights file at none.gguf"),
        ({"weights": "smollm2-135m", "threads": 0}, "threads must be a whole number above 0, found 0"),
        ({"weights": "smollm2-135m", "slots": True}, "slots must be a whole number above 0, found True"),
    ],
)
def test_a_wrong_setting_is_one_line(small_weights: Path, transport: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        embedded.open_embedded(Model("m", transport=transport))


def test_another_declared_digest_is_refused() -> None:
    with pytest.raises(ModelError, match="weights_sha256 is 00"):
        embedded.open_embedded(Model("m", weights_sha256="00", transport={"weights": "smollm2-135m"}))


def test_importing_the_module_loads_no_library() -> None:
    code = "import json, sys; import covary.run.embedded; print(json.dumps('xllamacpp' in sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(shown.stdout) is False
