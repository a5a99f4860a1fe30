"""The whole process of two other harnesses and of `covary run` on the same questions: items read, answers scored, logs and report
written. Each harness has a virtual environment of its own.

Only when asked (`bench.py --only harnesses`): installing them takes minutes and the network.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

CACHE = Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "covary-benchmarks"
CONCURRENCY = 256

LM_EVAL_TASK = """
task: loopback
dataset_path: json
dataset_kwargs:
  data_files: {data}
test_split: train
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{target}}}}"
generation_kwargs: {{until: [], max_gen_toks: 512, temperature: 0}}
metric_list: [{{metric: exact_match}}]
"""

INSPECT_TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

@task
def loopback():
    return Task(dataset=json_dataset({data!r}), solver=generate(), scorer=includes())
"""


def environment(name: str, *packages: str) -> Path:
    """The programs of a virtual environment that holds these packages; made once."""
    folder = CACHE / name
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(folder / "bin" / "pip"), "install", "-q", *packages], check=True)
        (folder / "ready").touch()
    return folder / "bin"


STUDY = """
name = "loopback"
[[items]]
source = "file"
path = "items.jsonl"
[[models]]
name = "loopback"
transport = {{ kind = "http", base_url = "http://127.0.0.1:{port}/v1", concurrency = {concurrency} }}
[[conditions]]
name = "direct"
prompt = "solve-direct"
sampling = {{ temperature = 0, max_tokens = 512 }}
scorers = ["mathematics"]
[[scorers]]
name = "mathematics"
"""


def covary(port: int, folder: Path, n: int) -> list[str]:
    """All of it, with the report's figures, statistics and items browser, which the others don't make."""
    study = folder / "study"
    study.mkdir()
    (study / "study.toml").write_text(STUDY.format(port=port, concurrency=CONCURRENCY))
    common = {"target": "80", "answer_type": "Numerical", "language": "en"}
    rows = ({"source_id": str(number), "question": f"Question {number}", **common} for number in range(n))
    (study / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [sys.executable, "-c", "from covary.cli import main; main()", "run", str(study), "--quiet"]


def covary_answers(port: int, folder: Path, n: int) -> list[str]:
    """Until every answer is in the journal."""
    return [*covary(port, folder, n), "--only", "run"]


def covary_scored(port: int, folder: Path, n: int) -> list[str]:
    """Answered and scored, as the others do it: no report."""
    return [*covary(port, folder, n), "--until", "score"]


def lm_eval(port: int, folder: Path, n: int) -> list[str]:
    programs = environment("lm-eval", "lm-eval[api]")
    data = folder / "lm-eval.jsonl"
    data.write_text(
        "".join(json.dumps({"question": f"Question {number}", "target": "80"}) + "\n" for number in range(n))
    )
    (folder / "loopback.yaml").write_text(LM_EVAL_TASK.format(data=data))
    arguments = f"model=loopback,base_url=http://127.0.0.1:{port}/v1/chat/completions,num_concurrent={CONCURRENCY},tokenizer_backend=None"
    return [
        str(programs / "lm_eval"),
        *("--model", "local-chat-completions", "--model_args", arguments, "--apply_chat_template"),
        *("--tasks", "loopback", "--include_path", str(folder), "--output_path", str(folder / "out"), "--log_samples"),
    ]


def inspect(port: int, folder: Path, n: int) -> list[str]:
    programs = environment("inspect", "inspect-ai", "openai")
    data = folder / "inspect.jsonl"
    data.write_text("".join(json.dumps({"input": f"Question {number}", "target": "80"}) + "\n" for number in range(n)))
    (folder / "loopback.py").write_text(INSPECT_TASK.format(data=str(data)))
    return [
        str(programs / "inspect"),
        *("eval", "loopback.py", "--model", "openai-api/local/loopback"),
        *(
            "--model-base-url",
            f"http://127.0.0.1:{port}/v1",
            "--max-connections",
            str(CONCURRENCY),
            "--display",
            "none",
        ),
        *("--max-samples", str(CONCURRENCY), "--log-dir", str(folder / "logs")),
    ]


def answered(name: str, folder: Path) -> int:
    """How many requests a run says were answered."""
    if name == "lm_eval":
        [samples] = (folder / "out").rglob("samples_*.jsonl")
        rows = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
        return sum(bool(row["resps"][0][0]) for row in rows)
    if name == "inspect":
        [log] = (folder / "logs").glob("*.eval")
        dump = [str(CACHE / "inspect" / "bin" / "inspect"), "log", "dump", "--header-only", str(log)]
        header = json.loads(subprocess.run(dump, stdout=subprocess.PIPE, text=True, check=True).stdout)
        return header["results"]["completed_samples"] if header["status"] == "success" else 0
    from covary.store.journal import Journal

    with Journal.open(folder / "study" / "journal.sqlite", write=False) as journal:
        return journal.counts().ok


def compare(port: int, repeats: int, n: int) -> dict[str, Any]:
    """Seconds of each whole process, run in turn, each time in a new folder, and how many times faster covary's is."""
    commands: dict[str, Callable[[int, Path, int], list[str]]] = {
        "covary": covary,
        "covary_scored": covary_scored,
        "covary_answers": covary_answers,
        "lm_eval": lm_eval,
        "inspect": inspect,
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    surroundings = {**os.environ, "LOCAL_API_KEY": "none", "OPENAI_API_KEY": "none", "HF_HUB_OFFLINE": "1"}
    for _ in range(repeats):
        for name, command in commands.items():
            with tempfile.TemporaryDirectory() as folder:
                words = command(port, Path(folder), n)
                with (Path(folder) / "said.log").open("w+") as said:
                    started = time.perf_counter()
                    status = subprocess.run(words, env=surroundings, stdout=said, stderr=said, cwd=folder).returncode
                    seconds[name].append(time.perf_counter() - started)
                    said.seek(0)
                    assert status == 0, f"{name} ended with {status}: {said.read()[-2000:]}"
                found = answered(name, Path(folder))
                assert found == n, f"{name} answered {found} of {n}"
    middle = {name: median(values) for name, values in seconds.items()}
    ratios = {
        f"{ours}_times_faster_than_{name}": middle[name] / middle[ours]
        for ours in ("covary", "covary_scored", "covary_answers")
        for name in ("lm_eval", "inspect")
    }
    return {"n": n, "seconds": middle, **ratios}
