"""Prints seconds (wall and CPU) and peak memory of all default estimates and contrasts, from 10⁴ to 10⁶ scores.

    python benchmarks/analysis/speed.py [--largest 1000000]

Each size runs in a process of its own, so that its peak memory is its own. The scores have 10 conditions and 10 models;
the items are either single ones, or a fifth as many source items in five languages.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import numpy as np
import polars as pl

CONDITIONS = MODELS = 10
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)


def scores(rows: int, languages: int) -> pl.DataFrame:
    """Yes/no scores whose chance varies by source item, language and model."""
    items = rows // (CONDITIONS * MODELS)
    sources = items // languages
    draws = np.random.default_rng(7)
    source, language = np.divmod(np.tile(np.arange(sources * languages), CONDITIONS * MODELS), languages)
    cell = np.repeat(np.arange(CONDITIONS * MODELS), sources * languages)
    chance = np.clip(draws.random(sources)[source] + 0.02 * (cell % MODELS) - 0.03 * language, 0, 1)
    value = (draws.random(len(cell)) < chance).astype(np.float64)
    return pl.DataFrame({"source": source, "language": language, "cell": cell, "value": value}).select(
        pl.format("source-{}", "source").alias("source_id"),
        pl.format("item-{}-{}", "source", "language").alias("item_id"),
        pl.format("l{}", "language").alias("language"),
        pl.format("condition-{}", pl.col("cell") // MODELS).alias("condition"),
        pl.format("model-{}", pl.col("cell") % MODELS).alias("model"),
        pl.when(pl.int_range(pl.len()) % 97 != 0).then("value").alias("value"),
    )


def measure(rows: int, languages: int) -> str:
    frame = scores(rows, languages)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    start, cpu_before = time.perf_counter(), time.process_time()
    from covary.analysis import defaults  # its import is part of the time

    estimated = defaults.rates(frame)
    after_rates = time.perf_counter()
    compared = defaults.compared(frame)
    end, cpu = time.perf_counter(), time.process_time() - cpu_before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return (
        f"{frame.height:>9,} rows  {languages} languages  rates {after_rates - start:6.2f} s ({estimated.height} rows)  "
        f"contrasts {end - after_rates:6.2f} s ({compared.height} rows)  in all {end - start:6.2f} s, of CPU {cpu:6.2f} s  "
        f"peak {peak:.2f} GiB (scores alone {before:.2f})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--one", type=int, nargs=2, metavar=("ROWS", "LANGUAGES"), help="one size, in this process")
    given = parser.parse_args()
    if given.one:
        print(measure(*given.one), flush=True)
        return
    for languages in (1, 5):
        for rows in (size for size in SIZES if size <= given.largest):
            subprocess.run([sys.executable, __file__, "--one", str(rows), str(languages)], check=True)


if __name__ == "__main__":
    main()
