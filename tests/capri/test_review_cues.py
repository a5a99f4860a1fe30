"""A country's cue values are judged on a sheet; the verdicts change what is built and what counts as verified."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest

from covary.build import pictures
from covary.build.capri import build_capri
from covary.cli.capri_cues import read_sheet, reviewed_base, write_sheet
from covary.culture import knowledge
from covary.errors import DataError
from covary.exchange.capri import card


def filled(path: Path, verdicts: dict[str, str]) -> None:
    """Fill in a sheet's verdicts by value."""
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    for row in rows:
        if row["value"] in verdicts:
            row |= {"verdict": verdicts[row["value"]], "reviewer": "Kim", "date": "2026-11-30"}
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(out.getvalue(), encoding="utf-8")


def test_a_sheets_verdicts_are_kept_and_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dishes = [value.value for value in knowledge.load().usable("dish", "KR", "price", alone=True)]
    sheet, reviews = tmp_path / "KR.csv", tmp_path / "reviews.csv"
    write_sheet("KR", sheet, None)
    filled(sheet, {dishes[0]: "wrong", dishes[1]: "right"})
    read_sheet(sheet, reviews)
    assert "2 verdicts (1 right, 1 wrong, 0 unsure)" in capsys.readouterr().out
    read_sheet(sheet, reviews)  # again: the same verdicts are kept once
    assert len(reviews.read_text(encoding="utf-8-sig").splitlines()) == 1 + 2

    base = reviewed_base(reviews)
    left = {value.value: value.verified for value in base.usable("dish", "KR", "price", alone=True)}
    assert dishes[0] not in left and left[dishes[1]]
    specs = [spec for spec in pictures.specifications() if spec.concept == "price"]
    items = build_capri(pictures=specs, render=lambda spec: spec.picture_id.encode(), source=base).items
    shown = [cue for meta in items.filter(pl.col("culture") == "KR")["meta"] for cue in json.loads(meta)["cues"]]
    assert dishes[0] not in {cue["value"] for cue in shown}
    assert all(cue["verified"] for cue in shown if cue["value"] == dishes[1])
    of_korea = [line for line in card(items, base).splitlines() if line.startswith("| KR |")]
    assert of_korea != [line for line in card(items).splitlines() if line.startswith("| KR |")]
    assert of_korea[0].endswith("| 1 |")  # one value confirmed by a person


def test_a_bad_sheet_gets_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="unknown culture 'KO'"):
        write_sheet("KO", tmp_path / "KO.csv", None)
    write_sheet("KR", tmp_path / "KR.csv", None)
    dish = knowledge.load().usable("dish", "KR", "price", alone=True)[0].value
    filled(tmp_path / "KR.csv", {dish: "splendid"})
    with pytest.raises(DataError, match=r"review sheet, line \d+: .*splendid"):
        read_sheet(tmp_path / "KR.csv", tmp_path / "reviews.csv")
