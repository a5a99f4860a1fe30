"""Study folders in which something was deleted, cut off or changed behind covary's back: nothing stale is shown, nothing blocks."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import polars as pl
import pytest
from tests.cli.test_commands import covary
from tests.cli.test_end_to_end import study


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = study(tmp_path_factory.mktemp("ran") / "s", "<final>2</final>", "<final>3</final>")
    done = covary("run", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def folder(ran: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ran, tmp_path / "s", copy_function=shutil.copy2))


def test_tables_that_are_cut_off_are_made_anew(folder: Path) -> None:
    names = ("items", "links", "requests", "scores", "estimates", "contrasts", "usage")
    before = {name: pl.read_parquet(folder / f"{name}.parquet") for name in names}
    for name in names:
        path = folder / f"{name}.parquet"
        path.write_bytes(path.read_bytes()[:-20])
    done = covary("run", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["sent_ok"] == 0
    for name in names:
        columns = [column for column in before[name].columns if column != "provenance"]
        assert pl.read_parquet(folder / f"{name}.parquet").select(columns).equals(before[name].select(columns)), name


@pytest.mark.parametrize("text", ["[1]", "", '{"format": 1, "it', "3"])
def test_stamps_that_make_no_sense_count_for_nothing(folder: Path, text: str) -> None:
    (folder / "stamps.json").write_text(text)
    done = covary("run", str(folder), "--json")
    assert done.returncode == 0, done.stderr


def test_items_changed_under_an_old_date_are_read_anew(folder: Path) -> None:
    covary("run", str(folder), "--only", "items")
    path = folder / "items.jsonl"
    was = path.stat()
    path.write_text(path.read_text().replace('"target": "2"', '"target": "9"'))
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert path.stat().st_size == was.st_size
    assert covary("run", str(folder), "--json").returncode == 0
    targets = pl.read_parquet(folder / "items.parquet")["target"].to_list()
    assert "9" in targets and "2" not in targets
    details = pl.read_parquet(folder / "scores.parquet")["detail"].to_list()
    assert any('target: 9"' in detail for detail in details) and not any('target: 2"' in detail for detail in details)


@pytest.mark.parametrize("part", ["browse", "tables"])
def test_a_part_of_the_report_that_was_deleted_comes_back(folder: Path, part: str) -> None:
    covary("run", str(folder), "--json")
    there = sorted(path.name for path in (folder / "report" / part).iterdir())
    shutil.rmtree(folder / "report" / part)
    assert covary("run", str(folder), "--json").returncode == 0
    assert sorted(path.name for path in (folder / "report" / part).iterdir()) == there


def test_tables_that_a_study_no_longer_has_leave_the_report(folder: Path) -> None:
    tables = folder / "report" / "tables"
    assert (tables / "by-language.csv").exists()
    path = folder / "study.toml"
    path.write_text(path.read_text().replace('name = "by-language"', 'name = "by-tongue"'))
    assert covary("run", str(folder), "--json").returncode == 0
    assert (tables / "by-tongue.csv").exists()
    assert not list(tables.glob("by-language.*"))


@pytest.mark.parametrize("command", [(), ("items",)])
def test_a_command_without_more_words_shows_its_help_and_no_complaint(command: tuple[str, ...]) -> None:
    done = covary(*command)
    assert "Commands" in done.stdout
    assert done.stderr == ""
