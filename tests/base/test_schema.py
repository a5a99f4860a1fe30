"""Tables keep their declared columns, types and keys."""

from __future__ import annotations

import polars as pl
import pytest

from covary import schema
from covary.errors import DataError

LINK = {"item_id": "i", "condition": "c", "model": "m", "replicate": 0, "request_id": "r", "reason": None}


def test_every_column_is_documented() -> None:
    for table in schema.TABLES.values():
        assert table.grain
        for column in table.columns:
            assert len(column.meaning) > 5, (table.name, column.name)


def test_empty_tables_pass_their_own_check() -> None:
    for table in schema.TABLES.values():
        assert table.check(table.empty()).height == 0


def test_a_missing_key_in_a_row_is_null_and_an_unknown_one_is_refused() -> None:
    assert schema.LINKS.from_rows([{k: v for k, v in LINK.items() if k != "reason"}])["reason"][0] is None
    with pytest.raises(DataError, match="unknown column 'colour'"):
        schema.LINKS.from_rows([{**LINK, "colour": "red"}])


def test_faults_are_told_with_column_and_place() -> None:
    good = schema.LINKS.from_rows([LINK])
    with pytest.raises(DataError, match="'model' is missing"):
        schema.LINKS.check(good.drop("model"))
    with pytest.raises(DataError, match="'replicate' must be Int32, found Int64"):
        schema.LINKS.check(good.with_columns(pl.col("replicate").cast(pl.Int64)))
    with pytest.raises(DataError, match="'model' is empty in row 0"):
        schema.LINKS.from_rows([{**LINK, "model": None}])
    with pytest.raises(DataError, match="comes twice"):
        schema.LINKS.from_rows([LINK, LINK])


def test_extra_columns_are_kept_behind() -> None:
    frame = schema.LINKS.from_rows([LINK]).select(pl.lit(1).alias("mine"), pl.all())
    assert schema.LINKS.check(frame).columns == [*schema.LINKS.schema, "mine"]
