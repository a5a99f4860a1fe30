"""Warm-up problems: the same numbers in seven languages, targets recomputed by hand-written rules."""

from __future__ import annotations

import json

import pytest

from covary.errors import UsageError
from covary.items.languages import BUNDLED
from covary.items.warmup import problems, warmup

RULES = {
    "sum": lambda p: p["a"] + p["b"],
    "product": lambda p: p["a"] * p["b"],
    "unknown": lambda p: p["b"] - p["a"],
    "square": lambda p: p["a"] + p["a"] + p["a"] + p["a"],
    "rectangle": lambda p: p["b"] * p["a"],
    "half": lambda p: p["a"] // 2,
    "change": lambda p: p["a"] - p["b"],
    "distance": lambda p: p["t"] * p["v"],
}
BENGALI = str.maketrans("০১২৩৪৫৬৭৮৯", "0123456789")


def test_targets_follow_from_the_numbers_in_every_language() -> None:
    for row in warmup(3, 5, BUNDLED).iter_rows(named=True):
        meta = json.loads(row["meta"])
        parameters = {name: int(value) for name, value in meta["parameters"].items()}
        expected = RULES[meta["template"].removeprefix("warm-up-")](parameters)
        assert int(row["target"].translate(BENGALI)) == expected


def test_every_problem_speaks_all_languages_and_shares_its_source() -> None:
    items = warmup(1, 2, BUNDLED)
    assert items.height == len(problems()) * 2 * 7
    assert items.group_by("source_id").len()["len"].unique().to_list() == [7]
    assert not items["question"].str.contains("{", literal=True).any()
    with pytest.raises(UsageError, match="has no text in"):
        warmup(1, 1, ["de"])
