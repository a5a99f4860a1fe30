"""The log of readings made from the pictures alone: docs/pictures-readings.jsonl, one line for each picture."""

from __future__ import annotations

import json
from pathlib import Path

from covary.build.pictures import specifications

LOG = Path(__file__).parents[2] / "docs" / "pictures-readings.jsonl"
ROWS = [json.loads(line) for line in LOG.read_text().splitlines()]
SPECS = {spec.picture_id: spec for spec in specifications(0)}


def test_each_picture_was_read_once_in_a_shuffled_order():
    assert {row["picture_id"] for row in ROWS} == SPECS.keys()
    assert len(ROWS) == 172
    assert [row["order"] for row in ROWS] == list(range(1, 173))
    assert [row["picture_id"] for row in ROWS] != list(SPECS)


def test_the_log_holds_the_values_and_tolerances_of_the_set():
    for row in ROWS:
        spec = SPECS[row["picture_id"]]
        assert (row["value"], row["tolerance"]) == (spec.value, spec.tolerance), row["picture_id"]


def test_nineteen_of_twenty_readings_are_within_tolerance():
    within = [abs(row["reading"] - row["value"]) <= row["tolerance"] + 1e-9 for row in ROWS]
    assert within == [row["within"] for row in ROWS]
    assert sum(within) / len(within) >= 0.95
