"""The whole process of two other harnesses on the same 2,000 requests, each in a virtual environment of its own.

Only when asked (`bench.py --only harnesses`): installing them takes minutes and the network.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

CACHE = Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "covary-benchmarks"
N = 2000
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


def lm_eval(port: int, folder: Path) -> list[str]:
    programs = environment("lm-eval", "lm-eval[api]")
    data = folder / "lm-eval.jsonl"
    data.write_text("".join(json.dumps({"question": f"Question {n}", "target": "80"}) + "\n" for n in range(N)))
    (folder / "loopback.yaml").write_text(LM_EVAL_TASK.format(data=data))
    arguments = f"model=loopback,base_url=http://127.0.0.1:{port}/v1/chat/completions,num_concurrent={CONCURRENCY},tokenizer_backend=None"
    return [
        str(programs / "lm_eval"),
        *("--model", "local-chat-completions", "--model_args", arguments, "--apply_chat_template"),
        *("--tasks", "loopback", "--include_path", str(folder), "--output_path", str(folder / "out"), "--log_samples"),
    ]


def inspect(port: int, folder: Path) -> list[str]:
    programs = environment("inspect", "inspect-ai", "openai")
    data = folder / "inspect.jsonl"
    data.write_text("".join(json.dumps({"input": f"Question {n}", "target": "80"}) + "\n" for n in range(N)))
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


def compare(port: int, covary_s: Callable[[], float], repeats: int, folder: Path) -> dict[str, Any]:
    """Seconds of each whole process, run in turn, and how many times faster covary's is."""
    commands = {"lm_eval": lm_eval(port, folder), "inspect": inspect(port, folder)}
    seconds: dict[str, list[float]] = {"covary": [], **{name: [] for name in commands}}
    surroundings = {**os.environ, "LOCAL_API_KEY": "none", "OPENAI_API_KEY": "none", "HF_HUB_OFFLINE": "1"}
    for _ in range(repeats):
        seconds["covary"].append(covary_s())
        for name, command in commands.items():
            started = time.perf_counter()
            subprocess.run(command, check=True, env=surroundings, stdout=subprocess.DEVNULL, cwd=folder)
            seconds[name].append(time.perf_counter() - started)
    middle = {name: median(values) for name, values in seconds.items()}
    return {"seconds": middle, **{f"times_faster_than_{name}": middle[name] / middle["covary"] for name in commands}}
