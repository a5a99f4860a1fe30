"""What labels say of the scores, by hand-made cases."""

from __future__ import annotations

import json

import polars as pl
import pytest

from covary import schema
from covary.errors import DataError
from covary.report import audit


def score(
    item: str, scorer: str, value: float | None, answer: str = "4", model: str = "m", votes: object = None
) -> dict[str, object]:
    return {
        "item_id": item,
        "condition": "c",
        "model": model,
        "replicate": 0,
        "scorer": scorer,
        "scorer_version": 1,
        "answer": answer,
        "value": value,
        "reason": "r",
        "detail": json.dumps({"votes": votes} if votes else {}),
    }


def vote(value: float) -> dict[str, object]:
    return {"value": value, "confidence": 0.9, "reason": "x"}


def test_error_rates_are_exact_and_unclear_labels_are_left_out() -> None:
    rows = [
        {
            "item_id": f"i{n}",
            "condition": "c",
            "model": "m",
            "replicate": 0,
            "scorer": "s",
            "value": 1.0,
            "confidence": None,
            "label": label,
        }
        for n, label in enumerate(["right"] * 9 + ["wrong", "unclear"])
    ]
    reviewed = audit.labelled(enumerate(rows, 1), "review.jsonl")
    (found,) = audit.error_rates(reviewed, ("scorer",))
    # 1 wrong of 10: Clopper-Pearson 95 % is 0.25 % to 44.5 %.
    assert (found["looked_at"], found["wrong"]) == (10, 1)
    assert found["low"] == pytest.approx(0.0025, abs=1e-4)
    assert found["high"] == pytest.approx(0.4450, abs=1e-4)


def test_an_unlabelled_file_and_an_unknown_label_are_told() -> None:
    with pytest.raises(DataError, match="no row is labelled yet"):
        audit.labelled([(1, {"label": None})], "r.jsonl")
    with pytest.raises(DataError, match=r"r\.jsonl:3: label must be right, wrong or unclear"):
        audit.labelled([(3, {"label": "ok"})], "r.jsonl")


def test_controls_compare_orders_lengths_and_families() -> None:
    both_orders = {"j #0": vote(1.0), "j swapped #0": vote(0.0)}
    rows = [
        score("i1", "mathematics", 1.0, "4"),
        score("i1", "judge", 1.0, votes={"j #0": vote(1.0), "j swapped #0": vote(1.0)}),
        score("i2", "mathematics", 0.0, "44444", model="kin"),
        score("i2", "judge", 1.0, model="kin", votes=both_orders),
        score("i3", "mathematics", 0.0, "4444444444"),
        score("i3", "judge", 0.0, votes={"j #0": vote(0.0)}),
    ]
    found = audit.controls(schema.SCORES.from_rows(rows), {"j": "F", "kin": "F", "m": "G"}, "mathematics")
    told = {(row["control"], row["level"]): (row["share"], row["n"]) for row in found}
    assert told[("order", "as given against swapped")] == (0.5, 2)
    assert told[("verbosity", "short")] == (1.0, 1)
    assert told[("verbosity", "middle")] == (0.0, 1)
    assert told[("self-preference", "own family")] == (0.0, 1)
    assert told[("self-preference", "other families")] == (1.0, 2)
    assert told[("self-preference, passed though the rule says wrong", "own family")] == (1.0, 1)
    assert told[("self-preference, passed though the rule says wrong", "other families")] == (0.0, 1)


def test_a_pair_judged_both_ways_is_a_conflict() -> None:
    items = pl.DataFrame({"item_id": ["i1", "i2"], "target": ["4", "4"]})
    rows = [score("i1", "s", 1.0), score("i2", "s", 0.0)]
    assert audit.conflicts(schema.SCORES.from_rows(rows), items, "s").to_dicts() == [
        {"answer": "4", "target": "4", "right": 1, "wrong": 1}
    ]
