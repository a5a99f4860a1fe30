"""Prints what scoring from disk costs, from 10⁴ to 10⁶ responses: processor time, peak memory, a rerun that finds nothing new.

    python benchmarks/scoring/scale.py [--largest 1000000] [--keep DIR]

A study folder is made for each size, nine tenths of it answered: 5 conditions, 2 languages, answers of about 600 characters to sums. Then, each in a process of
its own: `score` (all of it), `again` (nothing has changed), `further` (the last tenth of the answers has come in).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from covary import schema
from covary.cli.folder import open_study
from covary.cli.scoring import score_stage
from covary.cli.stages import Options, plan_stage
from covary.store.journal import Journal

SIZES = (10_000, 100_000, 1_000_000)
CONDITIONS, LANGUAGES, PIECE = 5, ("en", "fi"), 50_000
WORKING = "First the numbers are written below each other, then every column is added from the right. " * 6
PARTS = ("score", "again", "further")
STUDY = """\
name = "scale"
[[items]]
source = "file"
path = "items.jsonl"
[[models]]
name = "recorded"
transport = { kind = "fake", answers = ["0"] }
[[scorers]]
name = "mathematics"
"""
CONDITION = """
[[conditions]]
name = "c%d"
prompt = "solve-direct"
sampling = { max_tokens = %d }
scorers = ["mathematics"]
"""


def make(root: Path, size: int) -> None:
    """A planned study folder whose journal holds so many responses."""
    root.mkdir(parents=True)
    sources = size // CONDITIONS // len(LANGUAGES)
    rows = (
        {
            "source_id": str(n),
            "language": code,
            "question": f"{n} + {n} = ?",
            "target": str(2 * n),
            "answer_type": "Numerical",
        }
        for n in range(sources)
        for code in LANGUAGES
    )
    with (root / "items.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    declared = STUDY + "".join(CONDITION % (number, 100 + number) for number in range(CONDITIONS))
    (root / "study.toml").write_text(declared, encoding="utf-8")
    ids = plan_stage(open_study(str(root)), Options()).links["request_id"]
    answer_to(root, ids.head(int(0.9 * len(ids))))


def answer_to(root: Path, ids: pl.Series) -> None:
    """Put an answer to each request into the journal."""
    with Journal.open(root / "journal.sqlite") as journal:
        for part in pl.DataFrame({"request_id": ids, "sum": range(len(ids))}).iter_slices(PIECE):
            journal.add_frame(_answered(part))


def _answered(asked: pl.DataFrame) -> pl.DataFrame:
    made = asked.with_columns(
        status=pl.lit("ok"),
        text=pl.format("{}So the sum is <final>{}</final>", pl.lit(WORKING), "sum"),
        attempts=pl.lit(1),
        detail=pl.lit("{}"),
        origin=pl.lit("sent"),
        received_at=pl.lit(datetime(2026, 1, 1, tzinfo=UTC)),
    )
    empty = schema.RESPONSES.schema.keys() - set(made.columns)
    return made.with_columns(pl.lit(None).alias(name) for name in empty).select(
        pl.col(name).cast(dtype) for name, dtype in schema.RESPONSES.schema.items()
    )


def measure(root: Path, part: str) -> str:
    """One part in this process: seconds of scoring, processor seconds of all (planning and scoring processes too), peak memory."""
    folder = open_study(str(root))
    planned = plan_stage(folder, Options())
    start = time.perf_counter()
    score_stage(folder, planned)
    wall = time.perf_counter() - start
    own, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = sum(usage.ru_utime + usage.ru_stime for usage in (own, theirs))
    return f"{part:8} {wall:8.1f} s {cpu:8.1f} CPU-s {own.ru_maxrss / 2**10:6.0f} MiB"


def main() -> None:
    """Print a line per size and part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        print(measure(given.keep, given.part))
        return
    with tempfile.TemporaryDirectory() as passing:
        for size in (size for size in SIZES if size <= given.largest):
            root = (given.keep or Path(passing)) / str(size)
            make(root, size)
            print(f"{size:,} cells, journal {(root / 'journal.sqlite').stat().st_size / 2**20:,.0f} MiB", flush=True)
            for part in PARTS:
                if part == "further":
                    ids = plan_stage(open_study(str(root)), Options()).links["request_id"]
                    answer_to(root, ids.tail(-int(0.9 * len(ids))))
                words = [sys.executable, __file__, "--part", part, "--keep", str(root)]
                subprocess.run(words, check=True)


if __name__ == "__main__":
    main()
