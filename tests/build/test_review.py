"""The human check: who is drawn, what comes back, and what it says of the set."""

from __future__ import annotations

import math

import msgspec
import polars as pl
import pytest

from covary.build.review import clopper_pearson, corrected, queue, read, sample, stage_lines
from covary.errors import DataError, UsageError
from covary.items.draw import draw


@pytest.fixture(scope="module")
def items() -> pl.DataFrame:
    return draw(0, 1, ["en", "bn"])


def test_a_fifth_of_every_language_and_type_is_drawn_and_the_same_for_a_seed(items: pl.DataFrame) -> None:
    rows = sample(items, 0.2, seed=3)
    for (language, kind), group in items.group_by("language", "answer_type"):
        drawn = [row for row in rows if (row["language"], row["answer_type"]) == (language, kind)]
        assert len(drawn) == math.ceil(0.2 * group.height)
    assert sample(items, 0.2, seed=3) == rows
    assert sample(items, 0.2, seed=4) != rows


def test_the_interval_is_clopper_pearsons() -> None:
    # 2 of 50, 95 %: [0.0049, 0.1371], as R's binom.test(2, 50) prints it
    low, high = clopper_pearson(2, 50)
    assert (round(low or 0, 4), round(high or 0, 4)) == (0.0049, 0.1371)
    assert clopper_pearson(0, 0) == (None, None)
    assert clopper_pearson(5, 5)[1] == 1.0


def test_the_decision_follows_the_upper_end(items: pl.DataFrame) -> None:
    rows = sample(items, 1.0)
    assert read(items, rows).decision == "incomplete"
    fine = read(items, [{**row, "verdict": "ok"} for row in rows], most=0.05)
    # no error in n: the upper end is 1 - 0.025^(1/n)
    assert fine.high == pytest.approx(1 - 0.025 ** (1 / items.height))
    assert fine.decision == "release"
    bad = read(items, [{**row, "verdict": "error" if at < 9 else "ok"} for at, row in enumerate(rows)])
    assert (bad.errors, bad.decision) == (9, "hold")
    assert sum(stratum.errors for stratum in bad.strata) == 9
    assert "Clopper" in bad.line


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"verdict": "fine"}, "verdict 'fine'"),
        ({"item_id": "nobody"}, "not among the items"),
        ({"seal": "0"}, "has changed since"),
        ({"corrections": {"colour": "red"}}, "can't be corrected"),
        ({"corrections": {"question": 3}}, "fields to texts"),
    ],
)
def test_a_bad_row_is_told_with_its_number(items: pl.DataFrame, change: dict[str, object], message: str) -> None:
    rows = sample(items)
    with pytest.raises(DataError, match=message) as told:
        read(items, [rows[0], {**rows[1], **change}])
    assert "review row 2" in str(told.value)


def test_a_row_that_comes_twice_is_refused(items: pl.DataFrame) -> None:
    row = sample(items)[0]
    with pytest.raises(DataError, match="comes twice"):
        read(items, [row, row])


def test_corrections_are_applied_counted_and_remembered(items: pl.DataFrame) -> None:
    rows = queue(items, "collector")
    rows[0] |= {"verdict": "error", "corrections": {"question": "Anew.", "domain": rows[0]["domain"]}, "note": "OCR"}
    done = corrected(items, rows, "collector")
    assert (done.seen, done.corrected, done.fields) == (items.height, 1, 1)
    changed = done.items.filter(pl.col("item_id") == rows[0]["item_id"]).row(0, named=True)
    assert changed["question"] == "Anew."
    entry = msgspec.json.decode(changed["provenance"])["reviews"][0]
    assert entry == {
        "stage": "collector",
        "verdict": "error",
        "changed": {"question": rows[0]["question"]},
        "note": "OCR",
    }
    again = corrected(done.items, queue(done.items, "aligner"), "aligner")
    assert (again.seen, again.corrected) == (items.height, 0)
    assert stage_lines(again.items) == [
        f"collector: 1 of {items.height} corrected, question 1",
        f"aligner: 0 of {items.height} corrected",
    ]


def test_an_empty_set_and_an_impossible_share_are_refused(items: pl.DataFrame) -> None:
    with pytest.raises(DataError, match="at least one item"):
        sample(items.clear())
    with pytest.raises(UsageError, match="a share"):
        sample(items, 1.5)
