"""MathMist's accuracy tables from its recorded decisions: what covary computes equals what was printed.

The computation sees corpus, questions and recorded runs only; the folder of reference values is out of its reach and
serves to know which cells can be reproduced at all.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import msgspec
import polars as pl
import pytest

from covary.exchange import mathmist
from covary.report.estimates import table_estimates
from covary.scoring import registry
from covary.scoring.apply import apply
from covary.scoring.factors import with_factors
from covary.studies import builtin

pytestmark = pytest.mark.data
STUDY = builtin.study("mathmist")
Cell = tuple[str, str, str, str, str]
REFERENCE_TABLES = {
    "tab:zero_cot": "zero-shot-and-cot",
    "tab:zero_cot_en_bn_category_wise": "zero-shot-and-cot-by-type",
    "tab:code_switch_breakdown": "code-switch",
    "tab:zero_shot_mcq": "mcq",
    "tab:perturbation_eval": "perturbation",
}
REFERENCE_CONDITIONS = {"cot": "code-switch-en", "cot_en": "code-switch-en", "cot_bn": "code-switch-bn", "mcq": ""}


@pytest.fixture(scope="module")
def folder(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data without its reference values."""
    root = tmp_path_factory.mktemp("mathmist")
    for name in ("corpus", "mcq", "perturbed", "recorded"):
        (root / name).symlink_to((data / "mathmist" / name).resolve())
    return root


@pytest.fixture(scope="module")
def scored(folder: Path) -> pl.DataFrame:
    items = pl.concat([mathmist.read_items(folder, part) for part in ("corpus", "mcq", "perturbed")])
    recorded = mathmist.read_recorded(folder, items)
    assert recorded.left_out == ()
    scorers = {name: registry.build(name) for name in registry.IMPORTED_ONLY}
    conditions = [
        replace(condition, scorers=tuple(name for name in condition.scorers if name in scorers))
        for condition in STUDY.conditions
    ]
    scores = apply(items, recorded.links, recorded.responses, conditions, scorers)
    return with_factors(scores, items, STUDY.models)


def cells(scored: pl.DataFrame) -> dict[Cell, dict[str, object]]:
    found: dict[Cell, dict[str, object]] = {}
    for table in STUDY.tables:
        for row in table_estimates(scored, table).iter_rows(named=True):
            group = msgspec.json.decode(row["group"])
            key = (group["model"], group["language"], group.get("condition", ""), group.get("answer_type", "Overall"))
            found[(table.name, *key)] = row
    return found


def published() -> dict[Cell, float]:
    rows = csv.DictReader(io.StringIO(builtin.companion("mathmist_published.csv") or ""))
    return {
        (
            row["table"],
            row["model"],
            row["language"],
            "" if row["table"] == "mcq" else row["condition"],
            row["category"],
        ): float(row["value"])
        for row in rows
        if row["metric"] == "accuracy"
    }


def exact_cells(data: Path) -> set[Cell]:
    """Cells that the reference calls exact."""
    found: set[Cell] = set()
    for cell in json.loads((data / "mathmist" / "reference" / "reproduction.json").read_text())["cells"]:
        if cell["status"] != "exact" or cell["table"] not in REFERENCE_TABLES:
            continue
        if cell["metric"] not in ("accuracy_percent", "error_detection_percent", "error_identification_percent"):
            continue
        condition = REFERENCE_CONDITIONS.get(cell["setting"], cell["setting"])
        condition = {"error_detection_percent": "detect", "error_identification_percent": "identify"}.get(
            cell["metric"], condition
        )
        category = cell.get("category") or "Overall"
        found.add((REFERENCE_TABLES[cell["table"]], cell["model"], cell["language"], condition, category))
    return found


def test_every_cell_called_exact_is_reproduced_at_the_printed_precision(scored: pl.DataFrame, data: Path) -> None:
    ours, printed, wanted = cells(scored), published(), exact_cells(data)
    # 6 + 24 zero-shot, 22 + 48 chain of thought and code-switch, 24 MCQ, 12 perturbation: no cell may vanish unseen.
    assert len(wanted) == 136
    for cell in sorted(wanted):
        assert round(100 * float(str(ours[cell]["value"])), 2) == pytest.approx(printed[cell], abs=0.0051), cell


def test_cells_of_models_that_published_no_outputs_are_absent_not_zero(scored: pl.DataFrame) -> None:
    models = {cell[1] for cell in cells(scored)}
    assert models == {"gpt-oss-20b", "qwen3-8b", "deepseek-r1-7b", "phi-4"}


def test_flipping_one_recorded_decision_moves_its_cell_by_one_over_n(scored: pl.DataFrame) -> None:
    cell: Cell = ("zero-shot-and-cot-by-type", "qwen3-8b", "bn", "zero-shot", "Symbolic")
    chosen = (
        (pl.col("model") == "qwen3-8b")
        & (pl.col("language") == "bn")
        & (pl.col("condition") == "zero-shot")
        & (pl.col("answer_type") == "Symbolic")
        & (pl.col("scorer") == "recorded")
    )
    first = scored.filter(chosen & (pl.col("value") == 0))["item_id"][0]
    flipped = scored.with_columns(
        value=pl.when(chosen & (pl.col("item_id") == first)).then(1.0).otherwise(pl.col("value"))
    )
    before, after = cells(scored), cells(flipped)
    assert before[cell]["n_items"] == 290
    assert float(str(after[cell]["value"])) - float(str(before[cell]["value"])) == pytest.approx(1 / 290, abs=1e-12)
    changed = {key for key in before if before[key]["value"] != after[key]["value"]}
    # Its type cell, its overall by type, and the overall of the first table.
    assert changed == {cell, (*cell[:4], "Overall"), ("zero-shot-and-cot", *cell[1:4], "Overall")}


def test_null_stays_null_and_both_denominators_are_named(scored: pl.DataFrame) -> None:
    judged = replace(STUDY.tables[0], denominator="judged")
    cut = scored.with_columns(
        value=pl.when(pl.col("item_id") == scored["item_id"][0]).then(None).otherwise(pl.col("value"))
    )
    by_all = table_estimates(cut, STUDY.tables[0])
    by_judged = table_estimates(cut, judged)
    assert set(by_all["denominator"]) == {"all"}
    assert set(by_judged["denominator"]) == {"judged"}
    assert by_judged["n_excluded"].sum() > 0
    assert by_judged["n_rows"].sum() < by_all["n_rows"].sum()
