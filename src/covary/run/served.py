"""A model server as a program of ours: started on a free port, waited for, and gone when we are, even when we are killed.

this process ──stdin (its end is our end)──▶ guard ──▶ program and its children (a process group)
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from covary.errors import ModelError, UsageError

PORT = "{port}"
READY_S = 1800.0  # loading a large model onto a GPU takes minutes
POLL_S = 0.2
STOP_S = 20.0
LOG_TAIL_BYTES = 4000
# Ray kills the children of a worker that ends. So the child of ours is only a relay of the guard's status: when it is killed, the
# guard lives on until it reads the end of its input, and takes the program with it.
GUARD = """
import os, signal, subprocess, sys, threading
signal.signal(signal.SIGINT, signal.SIG_IGN)
guard = os.fork()
if guard:
    os._exit(os.waitstatus_to_exitcode(os.waitpid(guard, 0)[1]) & 255)
os.setsid()
program = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True)
def end(how):
    try:
        os.killpg(program.pid, how)
    except ProcessLookupError:
        pass
def watch():
    while os.read(0, 1):
        pass
    end(signal.SIGTERM)
    try:
        program.wait(10)
    except subprocess.TimeoutExpired:
        pass
    end(signal.SIGKILL)
threading.Thread(target=watch, daemon=True).start()
status = program.wait()
end(signal.SIGKILL)
os._exit(status if status >= 0 else 128 - status)
"""


class Program:
    """A running model server. `command` holds `{port}` where the port belongs, e.g. vllm serve MODEL --port {port}.

    Raises UsageError for a command without a port or a program that isn't there.
    """

    def __init__(self, command: Sequence[str]) -> None:
        if not any(PORT in word for word in command):
            raise UsageError(
                f"the command of a model server must say where its port belongs ({PORT}), found {' '.join(command)!r}"
            )
        if shutil.which(command[0]) is None:
            raise UsageError(
                f"the program {command[0]!r} of a model server is not on this machine; install it there or give its path"
            )
        self.port = _free_port()
        self._log = tempfile.NamedTemporaryFile(prefix="covary-server-", suffix=".log")  # noqa: SIM115 (closed by stop)
        self._said: str | None = None
        words = [word.replace(PORT, str(self.port)) for word in command]
        self._guard = subprocess.Popen(
            [sys.executable, "-c", GUARD, *words], stdin=subprocess.PIPE, stdout=self._log, stderr=subprocess.STDOUT
        )

    @property
    def base_url(self) -> str:
        """Where it answers, up to /chat/completions."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def ended(self) -> str | None:
        """Why it no longer runs: its status and the last line it wrote. None: it runs."""
        status = self._guard.poll()
        return None if status is None else f"the model server ended with status {status}: {self._last_line()}"

    def wait_ready(self, most_s: float = READY_S) -> None:
        """Returns when it lists its models. Raises ModelError when it ends, or takes longer than `most_s`."""
        deadline = time.monotonic() + most_s
        while not self._answers():
            if ended := self.ended:
                raise ModelError(ended)
            if time.monotonic() > deadline:
                last = self._last_line()
                self.stop()
                raise ModelError(f"the model server was not ready within {most_s:.0f} s: {last}")
            time.sleep(POLL_S)

    def stop(self) -> None:
        """End it and its children."""
        if self._guard.stdin is not None:
            self._guard.stdin.close()
        try:
            self._guard.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()
        self._said = self._last_line()
        self._log.close()

    def _answers(self) -> bool:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with direct.open(f"{self.base_url}/models", timeout=2) as reply:
                return reply.status == 200
        except (urllib.error.URLError, OSError, ValueError):
            return False

    def _last_line(self) -> str:
        if self._said is not None:
            return self._said
        data = Path(self._log.name).read_bytes()[-LOG_TAIL_BYTES:]
        lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
        return lines[-1][:300] if lines else "it wrote nothing"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
