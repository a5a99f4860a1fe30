"""`covary lint`: what it reads, prints and exits with."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from covary import lint as linter
from covary.cli.linting import lint, pooled
from covary.errors import DataError, UsageError
from covary.items.draw import draw
from covary.lint.runner import PIECE


def _file(folder: Path, question: str) -> str:
    path = folder / "set.jsonl"
    path.write_text(
        json.dumps({"id": "a", "problem": question, "target": "4", "answer_type": "Numerical"}) + "\n", "utf-8"
    )
    return str(path)


def test_an_error_exits_with_one_and_is_kept_in_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        lint(_file(tmp_path, "What is $2+2?"), None, ["question=problem"], False, tmp_path / "fix.jsonl")
    assert left.value.code == 1
    assert "odd-dollars" in capsys.readouterr().out
    assert json.loads((tmp_path / "fix.jsonl").read_text("utf-8").splitlines()[0])["rule"] == "odd-dollars"


def test_a_clean_file_exits_with_nothing_and_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lint(_file(tmp_path, "What is $2+2$?"), None, ["question=problem"], True, None)
    told = json.loads(capsys.readouterr().out)
    assert (told["items"], told["errors"], told["findings"]) == (1, 0, [])


def test_a_folder_without_items_and_a_bad_column_say_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"expected study\.toml"):
        lint(str(tmp_path))
    with pytest.raises(UsageError, match="OURS=THEIRS"):
        lint(str(tmp_path), None, ["question"])


def test_a_pool_of_processes_finds_the_same_in_the_same_order() -> None:
    items = draw(3, 13, ["en"])
    assert items["source_id"].n_unique() > PIECE  # two pieces at least
    broken = items.with_columns(question=pl.col("question") + pl.lit(" $x"))
    rules = ["odd-dollars", "duplicate-question"]
    found = linter.run(broken, rules, workers=pooled)
    assert found.height >= items.height
    assert found.equals(linter.run(broken, rules))
