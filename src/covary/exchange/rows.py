"""Rows of JSON Lines files (plain or gzip): one object a line, errors that name file and line."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from covary.errors import DataError

DECODER = msgspec.json.Decoder(dict[str, Any])


def read_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(1-based line number, object) of every line that isn't blank. Raises DataError for a file that can't be read, a
    line that is no JSON object, or bytes that are no UTF-8."""
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, _object(line, path, number)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise DataError(f"{path}: expected a file, found a folder") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: can't be read: {error}") from None


def _object(line: bytes, path: Path, number: int) -> dict[str, Any]:
    if number == 1 and line.startswith(b"\xef\xbb\xbf"):
        line = line[3:]
    try:
        return DECODER.decode(line)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}:{number}: expected UTF-8, found byte {line[error.start]:#04x} at column {error.start}"
        ) from None
    except msgspec.DecodeError as error:
        found = str(error)
        if "Expected `object`" in found:
            raise DataError(f"{path}:{number}: expected one JSON object a line, found something else") from None
        raise DataError(f"{path}:{number}: expected one JSON object a line: {found}") from None


def read_loose_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Every line of a file as an object; a line that is none comes as {"id": null, "error": why}, so that none is lost."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        yield _object(line, path, number)
                    except DataError as error:
                        yield {"id": None, "error": str(error)}
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except OSError as error:
        raise DataError(f"{path}: can't be read: {error.strerror}") from None
