"""Prints seconds and peak memory of the whole report stage, as `covary run` and `covary report` call it, from 10⁴ to 10⁶ scores.

    python benchmarks/analysis/stage.py [--largest 1000000] [--keep DIR]

A study folder is made for each size: 10 conditions × 10 models, a fifth as many source items in five languages, a journal with a
response text of 600 characters for every score. Then, each in a process of its own: `estimates` (all default tables and contrasts),
`tables` (these, and every exhibit as CSV and LaTeX), `page` (the exhibits again with figures, page and items browser).
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
from speed import SIZES, scores

from covary import schema
from covary.cli.estimating import estimate_stage, frame_of
from covary.cli.folder import open_study
from covary.cli.scoring import scores_of
from covary.cli.stages import Planned
from covary.store.journal import Journal
from covary.store.tables import read_table, write_table

STUDY = 'name = "speed"\n[[items]]\nsource = "templates"\n[[scorers]]\nname = "mathematics"\n'
LANGUAGES = {"l0": "en", "l1": "fr", "l2": "bn", "l3": "kk", "l4": "fi"}
TEXT = "So x = 3, and that is the answer. " * 18
PARTS = ("estimates", "tables", "page")


def make(root: Path, rows: int) -> None:
    """A study folder with so many scores."""
    frame = scores(rows, len(LANGUAGES)).with_columns(pl.col("language").replace_strict(LANGUAGES))
    root.mkdir(parents=True)
    (root / "study.toml").write_text(STUDY, encoding="utf-8")
    items = frame.select("source_id", "item_id", "language").unique("item_id", maintain_order=True)
    write_table(_filled(items, schema.ITEMS, variant=pl.lit("{}"),
        format=pl.lit("open"), question=pl.lit("What is x?"), target=pl.lit("3"), answer_type=pl.lit("Numerical"),
        meta=pl.lit("{}"), provenance=pl.lit("{}")), root / "items.parquet")  # fmt: skip
    keyed = frame.with_columns(
        request_id=pl.format("{}", pl.int_range(pl.len())).str.zfill(64), replicate=pl.lit(0, dtype=pl.Int32)
    )
    write_table(_filled(keyed, schema.LINKS), root / "links.parquet")
    write_table(_filled(keyed, schema.SCORES, scorer=pl.lit("mathematics"), scorer_version=pl.lit(1, dtype=pl.Int32),
        answer=pl.lit("3"), reason=pl.lit("value"), detail=pl.lit("{}")), root / "scores.parquet")  # fmt: skip
    with Journal.open(root / "journal.sqlite") as journal:
        for part in keyed.select("request_id").iter_slices(100_000):
            journal.add_frame(_filled(part, schema.RESPONSES, status=pl.lit("ok"), text=pl.lit(TEXT),
                completion_tokens=pl.lit(150, dtype=pl.Int64), attempts=pl.lit(1, dtype=pl.Int32), detail=pl.lit("{}"),
                origin=pl.lit("sent"), received_at=pl.lit(datetime(2026, 1, 1, tzinfo=UTC))))  # fmt: skip


def _filled(frame: pl.DataFrame, table: schema.Table, **columns: pl.Expr) -> pl.DataFrame:
    made = frame.with_columns(**columns)
    missing = [
        pl.lit(None, dtype=dtype).alias(name) for name, dtype in table.schema.items() if name not in made.columns
    ]
    return made.with_columns(missing).select(pl.col(name).cast(dtype) for name, dtype in table.schema.items())


def measure(root: Path, part: str) -> str:
    """One part's seconds and peak memory, reading the folder included."""
    start, cpu = time.perf_counter(), time.process_time()
    folder = open_study(str(root))
    found, items = scores_of(folder), read_table(folder.items).collect()
    reported = estimate_stage(folder, found, items)
    size = f"{reported.estimates.height} estimates, {reported.contrasts.height} contrasts"
    if part == "tables":
        from covary.cli.writing import exhibits
        from covary.report.exhibit import Drawing, text_of

        made = [make() for make in exhibits(folder, frame_of(folder, found, items), items, reported).values()]
        shown = [exhibit for exhibit in made if exhibit is not None and not isinstance(exhibit, Drawing)]
        size = f"{len(shown)} tables, {sum(len(text_of(exhibit, form)) for exhibit in shown for form in ('csv', 'latex')):,} characters"
    elif part == "page":
        from covary.cli.writing import write_report

        write_report(
            folder, Planned(items, schema.REQUESTS.empty(), read_table(folder.links).collect()), found, reported
        )
        files = [file for file in folder.report.rglob("*") if file.is_file()]
        size = f"{len(files)} files, {sum(file.stat().st_size for file in files) / 1e6:.0f} MB, page {(folder.report / 'index.html').stat().st_size / 1e6:.1f} MB"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    wall, spent = time.perf_counter() - start, time.process_time() - cpu
    return f"{found.height:>9,} scores  {part:<9}  {wall:6.2f} s (CPU {spent:6.2f} s)  peak {peak:.2f} GiB  {size}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--keep", type=Path, help="where the study folders are made, and stay")
    parser.add_argument("--one", nargs=2, metavar=("DIR", "PART"), help="one part of one folder, in this process")
    given = parser.parse_args()
    if given.one:
        print(measure(Path(given.one[0]), given.one[1]), flush=True)
        return
    with tempfile.TemporaryDirectory() as passing:
        for rows in (size for size in SIZES if size <= given.largest):
            root = (given.keep or Path(passing)) / f"scores-{rows}"
            if not root.exists():
                make(root, rows)
            for part in PARTS:
                if part != "page":
                    (root / "estimates.parquet").unlink(missing_ok=True)
                subprocess.run([sys.executable, __file__, "--one", str(root), part], check=True)


if __name__ == "__main__":
    main()
