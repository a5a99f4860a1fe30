"""Items tables of users: JSON Lines or Parquet in, with columns mapped; JSON Lines or Parquet out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from covary import schema
from covary.errors import DataError, UsageError
from covary.exchange.rows import read_rows
from covary.items.loading import load_items

FORMS = (".jsonl", ".jsonl.gz", ".parquet")


def read_items_file(path: Path, columns: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Items (schema.ITEMS) of a file. `columns`: our column name → the file's. Errors name file and row."""
    name = path.name.lower()
    if name.endswith((".jsonl", ".jsonl.gz")):
        rows: pl.DataFrame | list[dict[str, Any]] = [row for _, row in read_rows(path)]
    elif name.endswith(".parquet"):
        rows = _parquet(path)
    else:
        raise DataError(f"{path}: expected a file ending in {', '.join(FORMS)}")
    return load_items(rows, str(path), columns)


def write_items_file(items: pl.DataFrame, path: Path) -> None:
    """Write items as JSON Lines or Parquet, by the file's ending."""
    schema.ITEMS.check(items)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        items.write_parquet(path, compression="zstd")
    elif path.suffix == ".jsonl":
        encode = msgspec.json.Encoder().encode
        with path.open("wb") as file:
            for row in items.iter_rows(named=True):
                file.write(encode(_without_nulls(row)) + b"\n")
    else:
        raise UsageError(f"{path}: expected a file ending in .jsonl or .parquet")


def _without_nulls(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value is not None}


def _parquet(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"{path}: is no readable Parquet file: {str(error).splitlines()[0]}") from None
