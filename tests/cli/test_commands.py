"""The command line as a user meets it: help, one clear line for every mistake, exit status 2 for usage."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = (
    "",
    "init",
    "plan",
    "run",
    "score",
    "report",
    "try",
    "explain",
    "merge",
    "items",
    "items draw",
    "items show",
    "items build",
    "items translate",
    "items choices",
    "items perturb",
    "items read-pages",
    "items reviewed-pages",
    "items tag",
    "items review",
    "items publish",
    "lint",
    "audit",
    "models",
    "models list",
    "models check",
    "models fetch",
    "batch",
    "batch write",
    "batch read",
)
STUDY = """\
name = "small"
[[items]]
source = "file"
path = "items.jsonl"
columns = { source_id = "id", question = "q", target = "a", language = "lang" }

[[models]]
name = "m"
transport = { kind = "http", base_url = "http://127.0.0.1:9/v1", key_env = "COVARY_TEST_KEY" }

[[conditions]]
name = "short"
prompt = "solve-direct"
"""


def covary(*words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from covary.cli import main; main()", *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1", **env},
        check=False,
    )


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("covary: ")
    return lines[0]


def study(folder: Path, text: str = STUDY, items: str = '{"id": "1", "q": "2+2?", "a": "4", "lang": "en"}\n') -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "study.toml").write_text(text)
    (folder / "items.jsonl").write_text(items)
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_answers_help_with_an_example(command: str) -> None:
    done = covary(*command.split(), "--help")
    assert done.returncode == 0, done.stderr
    assert "Usage" in done.stdout
    if command not in ("", "items", "models", "batch"):
        assert "Example: covary" in done.stdout


def test_help_loads_none_of_the_heavy_libraries() -> None:
    heavy = (
        "polars",
        "numpy",
        "scipy",
        "sympy",
        "flint",
        "aiohttp",
        "babel",
        "lingua",
        "xllamacpp",
        "vl_convert",
        "jinja2",
    )
    code = (
        "import sys; sys.argv = ['covary', '--help']\n"
        "from covary.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["plan", "mathmst"], "no study 'mathmst'"),
        (["plan", "mathmist"], "give it with --data FOLDER"),
        (["run", "quickstart", "--only", "scor"], "did you mean 'score'"),
        (["init", "quickstrt", "x"], "did you mean 'quickstart'"),
        (["try", "mathematic", "--in", "x"], "did you mean 'mathematics'"),
        (["try", "mathematics", "--in", "absent.jsonl"], "absent.jsonl: there is no such file"),
        (["report", "quickstart", "--format", "docx"], "unknown format 'docx'"),
        (["plan", "quickstart", "--model", "gpt-9"], "has no model 'gpt-9'"),
        (["plan", "quickstart", "--condition", "slove"], "did you mean 'solve'"),
        (["items", "draw", "--languages", "en,bangl"], "did you mean 'bangla'"),
        (["items", "build", "capry", "--out", "x"], "did you mean 'capri'"),
        (["score", "quickstart"], "has no responses yet"),
        (["plan", "quickstart", "--colour"], "No such option"),
        (["merge", "absent.sqlite", "--into", "x.sqlite"], "there is no such journal"),
    ],
)
def test_a_mistake_gets_one_line_and_exit_status_2(tmp_path: Path, words: list[str], expected: str) -> None:
    done = covary(*words, cwd=tmp_path)
    assert expected in one_line(done)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ('{"id": "1", "q": "x"', "items.jsonl:1: expected one JSON object a line"),
        (
            '{"id": "1", "q": "x", "a": "4", "lang": "en"}\n{"id": "1", "q": "y", "a": "5", "lang": "en"}\n',
            "items.jsonl:2",
        ),
        ('{"id": "1", "q": "x", "a": null, "lang": "en"}\n', "items.jsonl:1"),
        ('{"id": "1", "q": "x", "a": "4", "lang": "klingon"}\n', "items.jsonl:1"),
        ("", "items.jsonl"),
    ],
    ids=["broken line", "id twice", "no target", "unknown language", "empty file"],
)
def test_a_bad_items_file_is_told_with_file_and_line(tmp_path: Path, items: str, expected: str) -> None:
    done = covary("plan", str(study(tmp_path / "s", items=items)))
    assert expected in one_line(done)
    assert done.returncode == 2


def test_wrong_encoding_is_told_with_the_byte(tmp_path: Path) -> None:
    folder = study(tmp_path / "s")
    (folder / "items.jsonl").write_bytes('{"id": "1", "q": "é", "a": "4", "lang": "fr"}\n'.encode("latin-1"))
    assert "items.jsonl:1: expected" in one_line(covary("plan", str(folder)))


def test_a_cut_archive_is_told(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", STUDY.replace("items.jsonl", "items.jsonl.gz"))
    (folder / "items.jsonl.gz").write_bytes(gzip.compress(b'{"id": "1"}\n')[:-6])
    assert "can't be read" in one_line(covary("plan", str(folder)))


def test_a_folder_of_another_format_is_refused(tmp_path: Path) -> None:
    folder = study(tmp_path / "s")
    (folder / "stamps.json").write_text(json.dumps({"format": 99, "covary": "9.9"}))
    assert "this folder has format 99 (covary 9.9)" in one_line(covary("plan", str(folder)))


def test_a_key_that_is_not_in_the_environment_is_told_before_anything_is_sent(tmp_path: Path) -> None:
    done = covary("run", str(study(tmp_path / "s")))
    assert "COVARY_TEST_KEY" in done.stderr
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr


def test_a_server_that_is_not_there_is_told_and_the_exit_status_is_1(tmp_path: Path) -> None:
    text = STUDY.replace(', key_env = "COVARY_TEST_KEY"', "")
    done = covary("run", str(study(tmp_path / "s", text)), "--quiet")
    assert done.returncode == 1
    assert "127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_plan_is_json_for_programs(tmp_path: Path) -> None:
    done = covary("plan", str(study(tmp_path / "s")), "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["distinct_requests"] == told["cells"] == told["left"] == 1


def test_init_never_overwrites(tmp_path: Path) -> None:
    assert covary("init", "mathmist", str(tmp_path / "mine")).returncode == 0
    done = covary("init", "mathmist", str(tmp_path / "mine"))
    assert "is there already" in one_line(done)
    assert done.returncode == 2
