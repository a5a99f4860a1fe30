"""Ctrl-C in any command: one line, and a status that isn't success."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

from covary.cli.deaf import deaf

STUDY = """\
name = "silent"

[[models]]
name = "silent"
transport = {{ kind = "http", base_url = "http://127.0.0.1:{port}/v1" }}
"""


def test_ctrl_c_outside_a_run_is_one_line_and_status_130(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        (tmp_path / "study.toml").write_text(STUDY.format(port=server.getsockname()[1]))
        command = [sys.executable, "-m", "covary", "models", "check", "silent", "--study", str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            connection, _ = server.accept()  # the command waits for an answer from here on
            with connection:
                process.send_signal(signal.SIGINT)
                _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.startswith("covary: interrupted")
    assert told.count("\n") == 1


def test_a_process_that_a_command_starts_never_hears_ctrl_c() -> None:
    line = "import sys; print(sys.stdin.readline())"
    with deaf():
        process = subprocess.Popen(
            [sys.executable, "-c", line], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate("still here", timeout=60)
    assert (process.returncode, told.strip()) == (0, "still here")
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())
