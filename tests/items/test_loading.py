"""Rows of others become items, and every fault is told in one line that names the row."""

from __future__ import annotations

import json

import polars as pl
import pytest

from covary import digest, schema
from covary.errors import DataError, UsageError
from covary.items.draw import draw
from covary.items.loading import load_items

ROW = {"source_id": "q1", "language": "en", "question": "1 + 1 = ?", "target": "2", "answer_type": "Numerical"}


def test_rows_with_own_names_are_mapped_and_the_rest_is_kept_in_meta() -> None:
    rows = [{"uid": 7, "problem": " 1 + 1 = ? ", "gold": 2, "chapter": 3, "lang": "Finnish"}]
    items = load_items(
        rows, "my.jsonl", {"source_id": "uid", "question": "problem", "target": "gold", "language": "lang"}
    )
    row = schema.ITEMS.check(items).row(0, named=True)
    assert (row["source_id"], row["question"], row["target"], row["language"]) == ("7", "1 + 1 = ?", "2", "fi")
    assert row["item_id"] == digest.item_id("7", {"language": "fi"})
    assert json.loads(row["meta"]) == {"chapter": 3} and json.loads(row["provenance"]) == {"source": "my.jsonl"}
    assert (row["format"], row["answer_type"]) == ("open", "text")


def test_defaults_fill_what_the_table_lacks_and_a_column_id_is_the_source() -> None:
    items = load_items([{"id": "a", "question": "?", "target": "1"}], "x", defaults={"language": "bn"})
    assert items["language"].to_list() == ["bn"] and items["source_id"].to_list() == ["a"]


def test_the_same_source_in_two_variants_is_two_items() -> None:
    items = load_items([ROW, ROW | {"language": "fr"}, ROW | {"format": "mcq", "options": ["1", "2"]}], "x")
    assert items["item_id"].n_unique() == 3 and items["options"].to_list() == [None, None, ["1", "2"]]


def test_an_items_table_is_checked_and_passed_on() -> None:
    items = draw(1, 1, ["en", "kk"])
    assert load_items(items, "items.parquet").equals(items)
    with pytest.raises(DataError, match="comes twice"):
        load_items(pl.concat([items, items]), "items.parquet")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([ROW, ROW], r"my\.jsonl:2: source_id 'q1' with variant {\"language\":\"en\"} is in row 1 already"),
        ([ROW, ROW | {"source_id": "q2", "target": ""}], r"my\.jsonl:2: item 'q2' has no target"),
        ([ROW | {"target": None, "answer_type": "Proof"}], "has no target"),
        ([ROW | {"language": "Finish"}], r"my\.jsonl:1: language: .* found 'Finish', did you mean 'finnish'"),
        ([ROW | {"language": "xx"}], "known: bn, en"),
        ([ROW | {"answer_type": "numerical"}], "found 'numerical', did you mean 'Numerical'"),
        ([ROW | {"question": "  "}], r"my\.jsonl:1: question is empty"),
        ([ROW | {"options": "A,B"}], "options must be a list of texts"),
        ([{"question": "?"}], "no column for source_id; .* found columns question"),
        ([], "expected at least one item, found none"),
    ],
)
def test_a_faulty_row_gets_one_line(rows, message) -> None:
    with pytest.raises(DataError, match=message) as caught:
        load_items(rows, "my.jsonl")
    assert "\n" not in str(caught.value)


def test_a_wrong_column_map_names_the_nearest_column() -> None:
    with pytest.raises(DataError, match="no column 'probelm' for question, did you mean 'problem'"):
        load_items([{"id": 1, "problem": "?"}], "x", {"question": "probelm"})
    with pytest.raises(UsageError, match="found 'qestion', did you mean 'question'"):
        load_items([ROW], "x", {"qestion": "question"})
