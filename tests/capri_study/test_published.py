"""The paper's printed numbers agree with each other as far as they can be checked, and come out of our own tables' rules."""

from __future__ import annotations

from collections import defaultdict

import polars as pl
import pytest
from tests.capri_study.respond import UNIT, gold

from covary.report import capri_annotation
from covary.report.capri_published import CELLS_OF_TABLE_2, Cell, compared, corpus_of, read_published
from covary.report.grid import OVERALL
from covary.studies import builtin

CULTURES = 10


@pytest.fixture(scope="module")
def cells() -> tuple[Cell, ...]:
    text = builtin.companion("capri_published.csv")
    assert text is not None
    return read_published(text)


def test_every_cell_of_table_2_is_a_whole_number_of_132_answers(cells: tuple[Cell, ...]) -> None:
    for cell in _of(cells, "table-2"):
        if cell.culture != OVERALL:
            moved = round(cell.value * CELLS_OF_TABLE_2 / 100)
            assert round(100 * moved / CELLS_OF_TABLE_2, 1) == cell.value


def test_the_means_of_table_2_follow_from_its_counts(cells: tuple[Cell, ...]) -> None:
    counts: dict[tuple[str, str], int] = defaultdict(int)
    means: dict[tuple[str, str], float] = {}
    for cell in _of(cells, "table-2"):
        if cell.culture == OVERALL:
            means[(cell.line, cell.metric)] = cell.value
        else:
            counts[(cell.line, cell.metric)] += round(cell.value * CELLS_OF_TABLE_2 / 100)
    assert len(means) == 6
    for key, mean in means.items():
        assert round(100 * counts[key] / (CULTURES * CELLS_OF_TABLE_2), 1) == mean


def test_table_1_adds_up(cells: tuple[Cell, ...]) -> None:
    for metric in ("pictures", "scaffolds", "conversations"):
        found = {cell.concept: cell.value for cell in _of(cells, "table-1") if cell.metric == metric}
        assert sum(value for concept, value in found.items() if concept != "total") == found["total"]


@pytest.mark.parametrize("factor", ["culture", "concept"])
@pytest.mark.parametrize("metric", ["qualified", "eval", "control"])
def test_counts_of_table_6_add_up_to_table_5(cells: tuple[Cell, ...], factor: str, metric: str) -> None:
    summed: dict[str, float] = defaultdict(float)
    for cell in _of(cells, "table-6"):
        if cell.metric == metric:
            summed[getattr(cell, factor)] += cell.value
    printed = {
        getattr(cell, factor): cell.value
        for cell in _of(cells, "table-5")
        if cell.metric == metric and getattr(cell, factor) not in ("", OVERALL)
    }
    # The US has no control group: nothing is printed for it.
    assert printed == {name: value for name, value in summed.items() if name in printed}
    assert len(printed) in (5, 10, 9)


@pytest.mark.parametrize("group", ["eval", "control"])
def test_percentages_of_table_5_follow_from_whole_answers_of_table_6(cells: tuple[Cell, ...], group: str) -> None:
    full = {(cell.culture, cell.concept, cell.metric): cell.value for cell in _of(cells, "table-6")}
    printed = {
        (cell.culture, cell.concept): cell.value for cell in _of(cells, "table-5") if cell.metric == f"{group} %"
    }
    for (culture, concept), value in printed.items():
        chosen = [
            (full[(c, k, group)], full.get((c, k, f"{group} %"), 0.0))
            for (c, k, metric) in full
            if metric == group and culture in (c, "", OVERALL) and concept in (k, "", OVERALL)
        ]
        right = sum(round(total * percent / 100) for total, percent in chosen)
        assert round(100 * right / sum(total for total, _ in chosen), 1) == pytest.approx(value, abs=0.05)


def test_recorded_corpus_counts_become_shares(cells: tuple[Cell, ...]) -> None:
    found = {(row["concept"], row["unit"]): row["share"] for row in corpus_of(cells).iter_rows(named=True)}
    assert found[("distance", "imperial")] == 40
    assert found[("price", "USD")] == pytest.approx(66.1)  # 113 / (113 + 58)


def _of(cells: tuple[Cell, ...], table: str) -> list[Cell]:
    return [cell for cell in cells if cell.table == table]


def test_an_annotation_file_with_the_printed_counts_gives_tables_5_and_6(cells: tuple[Cell, ...]) -> None:
    annotations = capri_annotation.read_annotations(_annotation_file(_of(cells, "table-6")))
    made = {table.name: table for table in capri_annotation.tables(annotations)}
    printed = [cell for cell in cells if cell.table in ("table-5", "table-6")]
    found = compared(made, printed).frame
    # Israel's size has no qualified answer: a printed 0 % of nothing is undefined here. France's size control likewise.
    undefined = (
        found.filter(pl.col("verdict") != "equal").select("culture", "concept", "metric", "value", "verdict").rows()
    )
    assert undefined == [
        ("FR", "size", "control %", 0.0, "not computable"),
        ("IL", "size", "eval %", 0.0, "not computable"),
        ("IL", "size", "control %", 0.0, "not computable"),
    ]


def _annotation_file(cells: list[Cell]) -> str:
    """Rows that have the printed counts: right answers first, items that were released but not kept by idle annotators."""
    groups: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for cell in cells:
        groups[(cell.culture, cell.concept)][cell.metric] = cell.value
    lines = ["annotator,culture,concept,item,group,answer,performed,qualified"]
    for (culture, concept), count in groups.items():
        idle, everyone = int(count["not performed"]), int(count["annotators"])
        kept = [
            (
                group,
                "US" if group == "control" else culture,
                at < round(count[group] * count.get(f"{group} %", 0) / 100),
            )
            for group in ("eval", "control")
            for at in range(int(count.get(group, 0)))
        ]
        busy = everyone - idle
        for at, (group, of, right) in enumerate(kept):
            answer = _answer(of, concept) if right else "no idea"
            lines.append(f"busy{at % max(busy, 1)},{culture},{concept},{at},{group},{answer},true,true")
        for at in range(max(int(count["items"]) - len(kept), idle)):
            item = len(kept) + at if len(kept) + at < count["items"] else 0
            lines.append(f"idle{at % max(idle, 1)},{culture},{concept},{item},eval,x,false,false")
        lines += [f"busy{at},{culture},{concept},0,eval,,true,false" for at in range(len(kept), busy)]
    return "\n".join(lines)


def _answer(culture: str, concept: str) -> str:
    unit = gold(culture, concept)
    return f"12 {unit if concept == 'price' else UNIT[concept][unit == 'imperial']}"
