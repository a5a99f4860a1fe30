"""The figures of a run of bench.py as the Markdown table of the README.

python benchmarks/engine/tell.py results.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def rows(figures: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(what, measured, goal) of every figure."""
    for name, cell in figures.get("speed", {}).items():
        rates = f"{cell['covary_per_s']:,.0f}/s against {cell['raw_per_s']:,.0f}/s"
        yield f"requests/s, {name}", f"{cell['ratio']:.2f} × raw aiohttp ({rates})", f"≥ {cell['goal_ratio']} ×"
        bare = f"{cell['raw_cpu_s_per_1000']:.2f}"
        yield f"CPU, {name}", f"{cell['covary_cpu_s_per_1000']:.2f} s per 1,000 (raw {bare})", "≤ 0.35 s"
        yield f"journal, {name}", f"{cell['journal_bytes_per_answer']:,.0f} bytes an answer of 2,000", "≤ 2,500"
    if cell := figures.get("pictures"):
        yield (
            "1,000 requests with a 200 KB picture",
            f"{cell['ratio']:.2f} × raw aiohttp ({cell['covary_per_s']:,.0f}/s)",
            "≥ 1 ×",
        )
        yield "their CPU", f"{cell['cpu_s']:.2f} s (raw {cell['raw_cpu_s_per_1000']:.2f})", "≤ 1.5 s"
    if cell := figures.get("memory"):
        yield "peak memory, 200,000 requests", f"{cell['peak_mib_200000']:.0f} MiB", "≤ 150 MB"
        yield "its growth from 2,000 requests", f"{cell['growth_mib']:.1f} MiB", "≤ 10 MB"
    if cell := figures.get("resume"):
        found = f"{cell['process_s']:.1f} s ({cell['process_cpu_s']:.1f} s of CPU)"
        yield "100,000 requests, all done already: whole process", found, "≤ 2 s"
    for form, cell in figures.get("plan", {}).items():
        spent = f"{cell['seconds']:.1f} s ({cell['cpu_s']:.1f} s of CPU), {cell['peak_mib']:,.0f} MiB"
        yield f"`covary plan`, 1,000,000 pairs: {form}", spent, "≤ 20 s, ≤ 1,536 MiB"
    for what, cell in figures.get("merge", {}).items():
        spent = f"{cell['seconds']:.1f} s ({cell['cpu_s']:.1f} s of CPU), {cell['peak_mib']:,.0f} MiB"
        yield f"`covary merge` of two journals into {what}", spent, ""
    if cell := figures.get("first"):
        yield "command to first request, from a table", f"{cell['seconds']:.2f} s", "≤ 1 s"
        yield "`covary run` to first request, 2,000 items to be planned", f"{cell['command_s']:.2f} s", "≤ 1 s"
    if cell := figures.get("fire"):
        yield "under fire", f"{cell['fire']:.1f} s; clean {cell['clean']:.1f} s", "≤ 2 × clean + asked waits"
    if cell := figures.get("harnesses"):
        forms = {
            "covary": "`covary run`, report and all",
            "covary_scored": "`covary run --until score`",
            "covary_answers": "`covary run --only run`",
        }
        for ours, what in forms.items():
            for name, goal in (("lm_eval", "≥ 5 ×"), ("inspect", "≥ 15 ×")):
                seconds = f"{cell['seconds'][ours]:.1f} s against {cell['seconds'][name]:.1f} s"
                measured = f"{cell[f'{ours}_times_faster_than_{name}']:.1f} × ({seconds})"
                yield f"{what}, {cell['n']:,} requests, 50 ms, 256 at a time, against {name}", measured, goal


def main() -> None:
    figures = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(f"Load average {figures['load_before']:.1f} before and {figures['load_after']:.1f} after, ", end="")
    print(f"{figures['processors']} processors, Python {figures['python']}, {figures['repeats']} repeats.\n")
    print("| figure | measured | goal |\n|---|---|---|")
    for row in rows(figures):
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
