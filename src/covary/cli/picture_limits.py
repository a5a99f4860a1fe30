"""Pictures within the limits that a study's models declare: made smaller once, kept by digest, and written down.

`pictures/sent.jsonl` has a line for each picture that was made smaller: its digest and the limits, what is sent instead, and the
size of both. A picture that has its line is not drawn again, so a newer renderer doesn't change what was planned.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from covary.errors import DataError
from covary.prompts.plan import Fit, Sent
from covary.prompts.requests import PictureLimits
from covary.store.pictures import PictureFolder

RECORD = "sent.jsonl"
Key = tuple[str, PictureLimits]


@contextmanager
def fitting(folder: Path) -> Generator[Fit, None, None]:
    """What brings the pictures of a folder within limits; on leaving, what was made smaller is in its record."""
    pictures, record = PictureFolder(folder), folder / RECORD
    rows = {_key(row): row for row in _rows(record)}
    known = len(rows)
    done: dict[Key, Sent] = {}

    def fit(sha256: str, limits: PictureLimits) -> Sent:
        key = (sha256, limits)
        if key not in done:
            done[key] = _recorded(rows, key, pictures) or _fitted(rows, key, pictures)
        return done[key]

    yield fit
    if len(rows) > known:
        lines = sorted(msgspec.json.encode(row) for row in rows.values())
        part = folder / f".{RECORD}.part"
        part.write_bytes(b"".join(line + b"\n" for line in lines))
        part.replace(record)
        print(f"covary: {len(rows) - known} pictures made smaller for the models' limits: {record}", file=sys.stderr)


def _recorded(rows: dict[Key, dict[str, Any]], key: Key, pictures: PictureFolder) -> Sent | None:
    row = rows.get(key)
    return Sent(row["sent"], row["mime"]) if row and row["sent"] in pictures else None


def _fitted(rows: dict[Key, dict[str, Any]], key: Key, pictures: PictureFolder) -> Sent:
    from covary.build.pictures.image_file import image_file
    from covary.build.pictures.resize import fitted

    sha256, limits = key
    data = pictures.read(sha256)
    made = fitted(data, limits)
    if made.data != data:
        before = image_file(data)
        rows[key] = {
            "picture": sha256,
            "limits": msgspec.to_builtins(limits),
            "sent": pictures.add(made.data),
            "mime": made.mime,
            "size": [made.width, made.height, len(made.data)],
            "size_before": [before.width, before.height, len(data)],
        }
    return Sent(made.sha256, made.mime)


def _rows(record: Path) -> list[dict[str, Any]]:
    if not record.is_file():
        return []
    try:
        return [msgspec.json.decode(line) for line in record.read_bytes().splitlines()]
    except msgspec.DecodeError as error:
        raise DataError(f"{record}: {error}; delete the file to make the pictures anew") from None


def _key(row: dict[str, Any]) -> Key:
    return row["picture"], msgspec.convert(row["limits"], PictureLimits)
