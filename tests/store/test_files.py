"""Pictures by digest, and tables that are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from covary import schema
from covary.digest import sha256_hex
from covary.errors import DataError, StoreError
from covary.prompts.requests import Call, Model, plan_calls, plan_chunks, text_message
from covary.store.pictures import PictureFolder
from covary.store.tables import read_table, write_plan, write_table


def test_a_picture_is_kept_once_under_its_digest(tmp_path: Path) -> None:
    folder = PictureFolder(tmp_path / "pictures")
    digest = folder.add(b"bytes")
    assert folder.add(b"bytes") == digest == sha256_hex(b"bytes")
    assert folder.read(digest) == b"bytes"
    assert digest in folder
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_a_missing_and_an_altered_picture_are_told(tmp_path: Path) -> None:
    folder = PictureFolder(tmp_path)
    digest = folder.add(b"bytes")
    (tmp_path / digest[:2] / digest).write_bytes(b"other")
    with pytest.raises(DataError, match="is damaged"):
        folder.read(digest)
    with pytest.raises(DataError, match="there is no picture 0000"):
        folder.read("0" * 64)


def test_a_failed_write_leaves_the_old_table(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_table(pl.DataFrame({"x": [1]}), path)

    def fail(value: int) -> int:
        raise OSError(28, "No space left on device")

    bad = pl.LazyFrame({"x": [2]}).select(pl.col("x").map_elements(fail, return_dtype=pl.Int64))
    with pytest.raises((StoreError, pl.exceptions.PolarsError)):
        write_table(bad, path)
    assert read_table(path).collect()["x"].to_list() == [1]
    assert [entry.name for entry in tmp_path.iterdir() if not entry.name.startswith(".")] == ["t.parquet"]
    with pytest.raises(StoreError, match="can't write"):
        write_table(pl.DataFrame({"x": [1]}), tmp_path / "t.parquet" / "below a file.parquet")


def test_what_is_no_table_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_text("no")
    for name in ("x.parquet", "missing.parquet"):
        with pytest.raises(DataError, match="can't read the table"):
            read_table(tmp_path / name)


def test_a_plan_in_pieces_is_the_plan(tmp_path: Path) -> None:
    calls = [Call(f"i{n}", "c", [text_message("user", f"Q{n // 3}")], {"temperature": 0}, n % 2) for n in range(100)]
    model = Model("m")
    whole = plan_calls(calls, model)
    write_plan(plan_chunks(calls, model, size=7), tmp_path / "requests.parquet", tmp_path / "links.parquet")
    assert schema.REQUESTS.check(read_table(tmp_path / "requests.parquet").collect()).equals(whole.requests)
    assert schema.LINKS.check(read_table(tmp_path / "links.parquet").collect()).equals(whole.links)
