"""Answers and traces read per second by one process on one core: repeats the rows of two JSON Lines files, all distinct.

    python benchmarks/culture/speed.py [ANSWERS.jsonl [TRACES.jsonl]]

Rows as `covary try capri-answer` and `covary try depth` take them; without files the golden answers of the tests, and the labelled sets
of the folder that COVARY_DATA names. Each answer gets another number, so that nothing could be remembered.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from covary.scoring import depth, quantities

ROUNDS = 100


def distinct(rows: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """The rows, ROUNDS times, the digits of each text raised by the round."""
    return [
        {**row, key: re.sub(r"\d+", lambda digits, add=number: str(int(digits[0]) + add), row[key])}
        for number in range(ROUNDS)
        for row in rows
    ]


def rate(read: Callable[[Iterable[dict[str, Any]]], Iterable[Any]], rows: list[dict[str, Any]]) -> float:
    """Rows per second of processor time, after one warming round."""
    list(read(rows[: len(rows) // ROUNDS]))
    start = time.process_time()
    for _ in read(rows):
        pass
    return len(rows) / (time.process_time() - start)


def files(given: list[str]) -> dict[str, Path]:
    """The files to read: those given, else what is at hand."""
    if given:
        return dict(zip(("answers", "traces"), map(Path, given), strict=False))
    data = os.environ.get("COVARY_DATA")
    if data:
        return {"answers": Path(data, "culture/scoring_dev.jsonl"), "traces": Path(data, "culture/depth_dev.jsonl")}
    return {"answers": Path(__file__).parents[2] / "tests/scoring_culture/golden.jsonl"}


def main(given: list[str]) -> None:
    reads = {"answers": ("text", quantities.try_rows), "traces": ("trace", depth.try_rows)}
    for name, path in files(given).items():
        key, read = reads[name]
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        print(
            f"{name}: {rate(read, distinct(rows, key)):,.0f} a second of processor time ({len(rows) * ROUNDS:,} read)"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
