"""A served model is ready when it is used, tells why it ended, and never outlives us."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from covary.errors import ModelError, UsageError
from covary.run.http import Endpoint, HttpTransport
from covary.run.ray import _KeptOpen
from covary.run.served import Program
from covary.run.transport import Answer, Failure, Request

STAND_IN = str(Path(__file__).with_name("stand_in_server.py"))
COMMAND = [sys.executable, STAND_IN, "--port", "{port}"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups are a POSIX matter")


def asked(program: Program, request: Request) -> Answer | Failure:
    async def once() -> Answer | Failure:
        inner = HttpTransport(Endpoint(program.base_url))
        try:
            return await _KeptOpen(inner, program).send(request, 20)
        finally:
            await inner.close()

    return asyncio.run(once())


def gone(pid: int) -> bool:
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def pid_in(answer: Answer | Failure) -> int:
    assert isinstance(answer, Answer), answer
    return int(str(answer.model_reported).removeprefix("pid-"))


def test_a_program_answers_once_it_is_ready_and_is_gone_when_it_is_stopped(request_of: Callable[..., Request]) -> None:
    program = Program(COMMAND)
    program.wait_ready(60)
    pid = pid_in(asked(program, request_of("hi")))
    assert program.ended is None
    program.stop()
    assert gone(pid)


def test_a_program_that_dies_stops_the_model_with_its_status_and_last_line(request_of: Callable[..., Request]) -> None:
    program = Program(COMMAND)
    program.wait_ready(60)
    outcome = asked(program, request_of("die"))
    for _ in range(100):
        if program.ended:
            break
        time.sleep(0.05)
    outcome = asked(program, request_of("hi"))
    assert outcome == Failure("the model server ended with status 7: out of memory", "stop")
    program.stop()


def test_a_program_that_does_not_start_says_why() -> None:
    program = Program([sys.executable, "-c", "import sys; sys.exit('no such model {port}')"])
    with pytest.raises(ModelError, match=r"ended with status 1: no such model \d+"):
        program.wait_ready(60)
    program.stop()


def test_a_program_that_is_never_ready_is_ended() -> None:
    program = Program([*COMMAND, "--deaf"])
    with pytest.raises(ModelError, match=r"not ready within 5 s: (still loading|it wrote nothing)"):
        program.wait_ready(5)
    assert program.ended is not None


OWNER = """
import sys, time
from covary.run.served import Program
program = Program(sys.argv[1:])
program.wait_ready(60)
print(program.base_url, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc")
def test_a_program_never_outlives_a_killed_owner(request_of: Callable[..., Request]) -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER, *COMMAND], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        base_url = owner.stdout.readline().strip()

        async def once() -> Answer | Failure:
            transport = HttpTransport(Endpoint(base_url))
            try:
                return await transport.send(request_of("hi"), 20)
            finally:
                await transport.close()

        pid = pid_in(asyncio.run(once()))
        os.kill(owner.pid, signal.SIGKILL)
    assert gone(pid)


def test_a_command_without_a_port_is_refused() -> None:
    with pytest.raises(UsageError, match=r"where its port belongs \(\{port\}\)"):
        Program(["vllm", "serve", "m"])


def test_a_program_that_is_not_installed_is_refused() -> None:
    with pytest.raises(UsageError, match="'no-such-program' of a model server is not on this machine"):
        Program(["no-such-program", "{port}"])
