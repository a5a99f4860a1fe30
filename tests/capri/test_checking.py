"""A set's folder is checked with its pictures from the command line, a published one by its mapped columns."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.pictures.test_ocr import needs_tesseract, with_word

from covary.build import pictures
from covary.build.capri import CapriSet, build_capri
from covary.cli.capri import build_set
from covary.cli.capri_checking import check_folder
from covary.cli.linting import lint
from covary.exchange.capri import write_folder

SPEC = next(spec for spec in pictures.specifications() if spec.concept == "price")


@pytest.fixture(scope="module")
def small() -> CapriSet:
    return build_capri(pictures=[SPEC])


def test_a_built_set_is_linted_when_it_is_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build_set(tmp_path / "set", 0, "start-of-neutral", [], None, None, ["speed"])
    told = capsys.readouterr().out
    assert "concept total, pictures 18, scaffolds 54, conversations 540" in told
    assert told.endswith("lint: no findings\n")


def test_a_planted_cue_is_told_with_exit_status_1(
    small: CapriSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    neutral = pl.col("cue_level") == "Neutral"
    planted = [{"role": "user", "text": "I live near the Eiffel Tower in France."}]
    items = small.items.with_columns(
        conversation=pl.when(neutral).then(pl.lit(pl.Series([planted], dtype=small.items.schema["conversation"]))).otherwise("conversation")
    )  # fmt: skip
    write_folder(items, small.bytes_of, tmp_path / "set")
    with pytest.raises(SystemExit):
        check_folder(tmp_path / "set", {}, ocr=False)
    told = capsys.readouterr().out
    assert "error given-away" in told and "'France'" in told


def test_a_published_set_is_checked_by_its_columns(
    small: CapriSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = small.items.select(
        scaffold="source_id",
        country="culture",
        level="cue_level",
        kind="domain",
        asked="question",
        talk="conversation",
        shown=pl.lit("shown.png"),
    )
    rows.write_ndjson(tmp_path / "set.jsonl")
    (tmp_path / "shown.png").write_bytes(next(iter(small.bytes_of.values())))
    columns = {
        "source": "scaffold", "culture": "country", "cue_level": "level", "concept": "kind", "question": "asked",
        "conversation": "talk", "picture": "shown",
    }  # fmt: skip
    check_folder(tmp_path, columns, ocr=False)
    assert "lint: no findings" in capsys.readouterr().out


def test_the_lint_command_takes_a_sets_folder(
    small: CapriSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_folder(small.items, small.bytes_of, tmp_path / "set")
    lint(str(tmp_path / "set"))
    assert "180 items" in capsys.readouterr().out


@needs_tesseract
def test_letters_on_a_picture_are_read_when_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = build_capri(pictures=[SPEC], render=lambda spec: with_word(spec, "OPEN"))
    write_folder(built.items, built.bytes_of, tmp_path / "set")
    with pytest.raises(SystemExit):
        check_folder(tmp_path / "set", {}, ocr=True)
    told = capsys.readouterr().out
    assert "error text-in-picture" in told and "OPEN" in told
