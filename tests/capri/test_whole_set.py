"""The whole set with its pictures, written by two processes; and the cue values beside an independent draft."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from covary.culture import knowledge
from covary.exchange.capri import read_folder
from covary.lint import culture as lint

BUILD = """
import sys
from pathlib import Path
from covary.build.capri import build_capri
from covary.exchange.capri import write_folder
built = build_capri()
write_folder(built.items, built.bytes_of, Path(sys.argv[1]))
"""


@pytest.mark.slow
def test_two_processes_write_the_same_bytes_and_the_set_lints_clean(tmp_path: Path) -> None:
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-c", BUILD, str(tmp_path / seed)], check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        )
    sums = [(tmp_path / seed / "SHA256SUMS").read_bytes() for seed in ("1", "2")]
    assert sums[0] == sums[1]
    assert sums[0].count(b"\n") == 172 + 3
    found = read_folder(tmp_path / "1")
    assert len(found.bytes_of) == 172
    assert all(data.startswith(b"\x89PNG") for data in found.bytes_of.values())
    assert lint.check(found.items, pictures=found.bytes_of) == []


@pytest.mark.data
def test_no_value_fits_fewer_cultures_here_than_in_the_independent_draft() -> None:
    folder = os.environ.get("COVARY_DATA")
    if not folder:
        pytest.skip("set COVARY_DATA to the folder that holds culture/cues_draft.csv")
    ours: defaultdict[str, set[str]] = defaultdict(set)
    for entry in knowledge.load().every():
        ours[entry.value.casefold().removeprefix("the ")] |= entry.cultures
    wider = set()
    with (Path(folder) / "culture" / "cues_draft.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            value = row["value"].casefold().removeprefix("the ")
            stress = row["cue_type"] in ("name_ambiguous", "city_ambiguous")
            if value in ours and row["country"] not in ours[value] and not stress:
                wider.add(value)
    # Heights are written here as each country writes them; street-level floors by the local word.
    assert wider == {"1.75 m", "ground floor"}
