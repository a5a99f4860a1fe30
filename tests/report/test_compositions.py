"""Tables of language composition: one denominator, printed counts brought to it, one table a place."""

from __future__ import annotations

import polars as pl
import pytest

from covary.report.compositions import MOST_PLACES, makers
from covary.report.material import Material
from covary.report.published import COMPOSITION, composition_key, read_published
from covary.report.slips import slips
from covary.studies.builtin import companion

PUBLISHED = read_published(companion("mathmist_published.csv") or "", "mathmist_published.csv")
MODELS = ("deepseek-r1-7b", "gpt-oss-20b", "mathstral-7b", "qwen3-8b")


def material(*answers: str | None, models: int = 1) -> Material:
    rows = [
        {"scorer": "language", "answer": answer, "model": f"m{model}", "condition": "cot", "language": "bn"}
        for answer in answers
        for model in range(models)
    ]
    columns = ("scorer", "answer", "model", "condition", "language")
    return Material(
        pl.DataFrame(rows, schema={name: pl.String() for name in columns}),
        pl.DataFrame(),
        pl.DataFrame(),
        {},
        pl.DataFrame,
    )


def test_labels_and_combinations_share_one_denominator() -> None:
    (name, make), *rest = makers(material("bn", "bn", "en", "bn+en", None), []).items()
    assert (name, rest) == ("language-composition-m0-cot-bn", [])
    sheet = make()
    assert sheet.frame.to_dict(as_series=False) == {
        "found": ["Bangla", "English", "mixed", "mixed: Bangla + English"],
        "n": [2, 1, 1, 1],
        "share": [0.5, 0.25, 0.25, 0.25],
    }
    assert "of the 4 traces with prose" in sheet.note


def test_printed_counts_stand_beside_ours() -> None:
    place = {"table": COMPOSITION, "model": "m0", "condition": "cot", "language": "bn", "metric": "count"}
    printed = [{**place, "category": "Bangla", "value": "9"}, {**place, "category": "Chinese", "value": "1"}]
    (make,) = makers(material("bn", "en"), printed).values()
    assert make().frame.to_dicts() == [
        {"found": "Bangla", "n": 1, "share": 0.5, "printed_n": 9, "printed_share": 0.9},
        {"found": "English", "n": 1, "share": 0.5, "printed_n": 0, "printed_share": 0.0},
        {"found": "Chinese", "n": 0, "share": 0.0, "printed_n": 1, "printed_share": 0.1},
    ]


def test_many_places_are_left_to_the_table_of_all() -> None:
    assert makers(material("bn", models=MOST_PLACES + 1), []) == {}


def test_the_printed_tables_are_eight() -> None:
    made = makers(material(), PUBLISHED)
    wanted = [f"{COMPOSITION}-{model}-code-switch-bn-{language}" for model in MODELS for language in ("bn", "en")]
    assert list(made) == wanted
    assert all("not computable" in make().note for make in made.values())


@pytest.mark.parametrize("name", makers(material(), PUBLISHED))
def test_a_printed_table_adds_up_over_one_denominator(name: str) -> None:
    frame = makers(material(), PUBLISHED)[name]().frame
    mixture = frame["found"].str.starts_with("mixed: ")
    singles, combinations = frame.filter(~mixture), frame.filter(mixture)
    assert singles["printed_share"].sum() == pytest.approx(1)
    (mixed,) = singles.filter(pl.col("found") == "mixed").iter_rows(named=True)
    assert combinations["printed_share"].sum() == pytest.approx(mixed["printed_share"])
    # 1,445 problems were asked, and every trace has a label in print.
    assert singles["printed_n"].sum() == 1445


def test_printed_proportions_of_labels_are_those_of_the_one_denominator() -> None:
    made = makers(material(), PUBLISHED)
    shares = {
        (name, row["found"]): row["printed_share"]
        for name, make in made.items()
        for row in make().frame.iter_rows(named=True)
    }
    rows = [row for row in PUBLISHED if row["table"] == COMPOSITION and row["metric"] == "proportion_percent"]
    off: list[tuple[str, ...]] = []
    for row in rows:
        place = (row["model"], row["condition"], row["language"])
        found = "mixed" if row["category"] == "Mixed" else row["category"]
        if abs(100 * shares["-".join((COMPOSITION, *place)), found] - float(row["value"])) > 0.051:
            off.append((*place, row["category"]))
    told = [(slip.model, slip.condition, slip.language, slip.category) for slip in slips(rows_with_counts())
            if slip.metric == "proportion_percent"]  # fmt: skip
    assert len(rows) == 32
    assert off == told


def rows_with_counts() -> list[dict[str, str]]:
    return [row for row in PUBLISHED if row["table"] == COMPOSITION]


def test_printed_labels_are_read_whatever_their_order() -> None:
    assert composition_key("mixed:English+Bangla") == composition_key("mixed:Bangla+English")
