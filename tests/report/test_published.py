"""Printed values: what contradicts itself, and what is compared over languages and traces."""

from __future__ import annotations

import csv
import io

import polars as pl

from covary import schema
from covary.digest import canonical_json
from covary.report.published import DIFFERS, EQUAL, MISSING, compare
from covary.report.slips import slips
from covary.studies import builtin

COLUMNS = ("table", "model", "language", "condition", "category", "metric", "value")


def printed(*rows: tuple[str, ...]) -> list[dict[str, str]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def test_the_slips_of_the_mathmist_tables_are_told() -> None:
    rows = list(csv.DictReader(io.StringIO(builtin.companion("mathmist_published.csv") or "")))
    found = {(slip.model, slip.language, slip.category, slip.metric): slip for slip in slips(rows)}
    # 843, 290 and 312 problems: (843 · 78.29 + 290 · 71.72 + 312 · 66.03) / 1445 = 74.32, printed 75.22.
    assert found[("gpt-oss-20b", "bn", "Overall", "accuracy")].implied == 74.32
    assert found[("gemini-2.5-flash-lite", "bn", "Overall", "accuracy")].implied == 70.93
    # 65.38 − 65.06 = 0.32, printed as a fall of 0.68; 60.34 − 40.34 = 20.00, printed 19.99.
    assert found[("gemini-2.5-flash-lite", "bn", "Proof", "delta vs zero-shot")].implied == 0.32
    assert found[("deepseek-r1-7b", "en", "Symbolic", "delta vs zero-shot")].implied == 20.0
    shares = {(model, language) for model, language, _, metric in found if metric == "proportion_of_mixed_percent"}
    assert shares == {("gpt-oss-20b", "bn"), ("qwen3-8b", "bn"), ("qwen3-8b", "en"), ("mathstral-7b", "bn")}


def test_values_that_agree_are_no_slips() -> None:
    rows = printed(
        ("t", "m", "bn", "a", "Overall", "accuracy", "50.00"),
        ("t", "m", "bn", "b", "Overall", "accuracy", "60.10"),
        ("t", "m", "bn", "b", "Overall", "delta vs a", "10.1"),
        ("t", "m", "bn", "b", "Overall", "f1", "75.08"),  # 2 · 60.1 / 160.1 = 75.078
    )
    assert slips(rows) == []


def test_a_deviation_over_languages_names_its_form_and_needs_as_many_languages() -> None:
    estimates = pl.DataFrame(
        [
            {
                "name": "x",
                "group": canonical_json({"model": "m", "language": code}).decode(),
                "value": value,
                "n_items": 1,
                "n_rows": 1,
                "n_excluded": 0,
                "denominator": "all",
                "method": "none",
            }
            for code, value in (("bn", 0.4), ("en", 0.5), ("fr", 0.6))
        ],
        schema=schema.ESTIMATES.schema,
    )
    rows = printed(
        ("x", "m", "all-3", "c", "Overall", "mean", "50.0"),
        ("x", "m", "all-3", "c", "Overall", "sd", "8.2"),  # √(200 / 3) = 8.165
        ("x", "m", "all-3", "c", "Overall", "sd", "10.0"),  # √(200 / 2)
        ("x", "m", "all-3", "c", "Overall", "sd", "9.0"),
        ("x", "m", "all-7", "c", "Overall", "mean", "50.0"),
    )
    found = compare(rows, estimates, schema.ITEMS.empty())
    assert found["verdict"].to_list() == [EQUAL, EQUAL, EQUAL, DIFFERS, MISSING]
    assert found["why"].to_list()[1:3] == ["population sd", "sample sd"]
    assert "printed over 7 languages, scored in 3" in found["why"][4]


def test_compositions_are_compared_where_traces_have_text() -> None:
    composed = pl.DataFrame(
        [
            ("m", "c", "bn", "language", "bn", 6, 0.6, 10),
            ("m", "c", "bn", "language", "mixed", 4, 0.4, 10),
            ("m", "c", "bn", "combination", "bn+en", 3, 0.3, 10),
        ],
        schema=["model", "condition", "language", "part", "found", "n", "share", "of"],
        orient="row",
    )
    rows = printed(
        ("language-composition", "m", "bn", "c", "Bangla", "count", "6"),
        ("language-composition", "m", "bn", "c", "Mixed", "proportion_percent", "40.0"),
        ("language-composition", "m", "bn", "c", "mixed:Bangla+English", "proportion_of_mixed_percent", "75.0"),
        ("language-composition", "m", "bn", "c", "mixed:Bangla+Thai", "count", "1"),
        ("language-composition", "other", "bn", "c", "Bangla", "count", "6"),
    )
    found = compare(rows, schema.ESTIMATES.empty(), schema.ITEMS.empty(), composed)
    assert found["verdict"].to_list() == [EQUAL, EQUAL, EQUAL, DIFFERS, MISSING]
    nothing = compare(rows, schema.ESTIMATES.empty(), schema.ITEMS.empty(), pl.DataFrame())
    assert set(nothing["verdict"]) == {MISSING}
