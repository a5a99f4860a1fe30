"""A released folder: loads offline, says what it holds, and can be checked by its digests."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest

from covary.cli.linting import read_target
from covary.errors import DataError, UsageError
from covary.exchange.publish import write_release
from covary.items.draw import draw
from covary.lint.runner import run


@pytest.fixture(scope="module")
def items() -> pl.DataFrame:
    return draw(0, 1, ["en", "bn", "fi"])


@pytest.fixture(scope="module")
def folder(items: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("release") / "set"
    write_release(items, run(items), out, date="2026-01-31")
    return out


def test_datasets_loads_every_language_offline(
    folder: Path, items: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    datasets = pytest.importorskip("datasets", reason="the extra covary[datasets] is not installed")
    for code in ("en", "bn", "fi"):
        loaded = datasets.load_dataset(str(folder), code, split="test", cache_dir=str(tmp_path / "cache"))
        own = items.filter(pl.col("language") == code)
        assert loaded["item_id"][:] == own["item_id"].to_list()
        assert loaded["question"][:] == own["question"].to_list()


def test_every_file_has_its_digest(folder: Path) -> None:
    listed = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} - {"SHA256SUMS"}
    assert set(listed) == found
    for path, digest in listed.items():
        assert hashlib.sha256((folder / path).read_bytes()).hexdigest() == digest


def test_croissant_names_files_digests_fields_and_licence(folder: Path) -> None:
    data = json.loads((folder / "croissant.json").read_text())
    assert data["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert data["license"] == "Apache-2.0"
    assert data["datePublished"] == "2026-01-31"
    assert data["citeAs"].startswith("@misc{set, title = {set}, year = {2026}")
    assert "covary bundled templates" in data["citeAs"]
    for file in data["distribution"]:
        assert hashlib.sha256((folder / file["contentUrl"]).read_bytes()).hexdigest() == file["sha256"]
    columns = set(pl.read_parquet(folder / "data/en.parquet").columns)
    for record_set in data["recordSet"]:
        assert {field["source"]["extract"]["column"] for field in record_set["field"]} == columns - {"conversation"}


def test_mlcroissant_reads_the_metadata(folder: Path) -> None:
    croissant = pytest.importorskip("mlcroissant", reason="mlcroissant (extra covary[datasets]) is not installed")
    data = croissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert not data.metadata.ctx.issues.errors
    assert not data.metadata.ctx.issues.warnings


def test_the_card_tells_counts_sources_licence_and_lint(folder: Path, items: pl.DataFrame) -> None:
    card = (folder / "README.md").read_text()
    assert f"{items.height:,} items of {items['source_id'].n_unique():,} problems in 3 languages" in card
    assert "license: apache-2.0" in card
    assert f"- covary bundled templates: {items.height:,} items" in card
    report = json.loads((folder / "lint.json").read_text())
    for rule, count in report["counts"].items():
        assert f"| {rule} | {count} |" in card


def test_the_same_items_and_date_give_the_same_bytes_and_may_be_written_again(
    folder: Path, items: pl.DataFrame, tmp_path: Path
) -> None:
    for _ in range(2):
        write_release(items, run(items), tmp_path / "set", date="2026-01-31")
    assert (tmp_path / "set/SHA256SUMS").read_bytes() == (folder / "SHA256SUMS").read_bytes()


def test_a_folder_with_other_things_in_it_and_an_empty_set_are_refused(items: pl.DataFrame, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"letter\.txt"):
        write_release(items, run(items.head(0)), tmp_path)
    with pytest.raises(DataError, match="at least one item"):
        write_release(items.clear(), run(items.head(0)), tmp_path / "new")


def test_a_released_folder_reads_back_as_the_items_it_was_made_of(folder: Path, items: pl.DataFrame) -> None:
    again = read_target(str(folder), None, []).sort("item_id")
    same = ["item_id", "source_id", "language", "question", "solution", "target"]
    assert again.select(same).equals(items.sort("item_id").select(same))
    assert run(again).height == run(items).height
