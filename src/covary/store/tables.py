"""Tables as Parquet files: written whole or not at all, in row groups small enough to be read piece by piece."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl
from polars.io.plugins import register_io_source

from covary import schema
from covary.errors import DataError, StoreError
from covary.prompts.requests import Plan

ROW_GROUP = 4096


def write_table(frame: pl.DataFrame | pl.LazyFrame, path: str | Path) -> None:
    """Write a table; a reader sees the old file or the whole new one, never a part."""
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.lazy().sink_parquet(part, compression="zstd", compression_level=1, row_group_size=ROW_GROUP)
        part.replace(path)
    except OSError as error:
        raise StoreError(f"can't write {path}: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def write_chunks(chunks: Iterable[pl.DataFrame], columns: dict[str, pl.DataType], path: str | Path) -> None:
    """Write a table that comes in pieces, without ever holding more than a few of them."""

    def read(
        wanted: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        for chunk in chunks:
            yield chunk.select(wanted or list(columns))

    write_table(register_io_source(read, schema=columns), path)


def write_plan(chunks: Iterable[Plan], requests: str | Path, links: str | Path) -> None:
    """Write a plan that comes in pieces (`plan_chunks`): its requests as they come, its links at the end."""
    kept: list[pl.DataFrame] = []

    def pieces() -> Iterator[pl.DataFrame]:
        for chunk in chunks:
            kept.append(chunk.links)
            yield chunk.requests

    write_chunks(pieces(), schema.REQUESTS.schema, requests)
    write_table(pl.concat([schema.LINKS.empty(), *kept]), links)


def read_table(path: str | Path) -> pl.LazyFrame:
    """A table, lazily. Raises DataError when the file isn't there or is no Parquet file."""
    try:
        frame = pl.scan_parquet(path, glob=False)
        frame.collect_schema()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"can't read the table {path}: {str(error).splitlines()[0]}") from None
    return frame
