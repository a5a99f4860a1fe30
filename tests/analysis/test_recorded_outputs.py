"""Language contrasts of MathMist's own recorded outputs: how many are left once corrected.

Needs the folder named by COVARY_DATA. The verdicts are the upstream judge's; a missing one counts as wrong, as in the paper.
"""

import gzip
import json
import os
from pathlib import Path

import polars as pl
import pytest

from covary.analysis import contrasts, summaries
from covary.analysis.words import words

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif("COVARY_DATA" not in os.environ, reason="COVARY_DATA is not set"),
]

DATA = Path(os.environ.get("COVARY_DATA", "")) / "mathmist"
SETTINGS = ("zero-shot", "code-switch", "cross-lingual-150")


@pytest.fixture(scope="module")
def scores():
    rows = []
    for path in sorted(path for setting in SETTINGS for path in (DATA / "recorded" / setting).glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                condition = f"code-switch {row['cot_lang']}" if "cot_lang" in row else row["setting"]
                language = row.get("lang") or row["question_lang"]
                value = {"yes": 1.0, "no": 0.0}.get(row["decision"])
                rows.append((row["id"], language, condition, row["model"], row["answer_type"].strip(), value))
    columns = ["source_id", "language", "condition", "model", "answer_type", "value"]
    return pl.DataFrame(rows, schema=columns, orient="row")


@pytest.fixture(scope="module")
def compared(scores):
    declared = [
        contrast
        for by in (["condition", "model"], ["condition", "model", "answer_type"])
        for contrast in contrasts.all_pairs(scores, "language", reference="en", by=by)
    ]
    return contrasts.estimate(scores, declared).filter(pl.col("n_pairs") > 0)


def test_of_84_language_contrasts_four_stay_significant_after_holm(compared):
    # Every language against English, per condition and model, overall and by answer type: one family of 84.
    assert compared.height == 84
    assert (compared["p_value"] <= 0.05).sum() == 22
    left = compared.filter(pl.col("p_adjusted") <= 0.05)
    assert left.height == 4
    assert set(left["name"]) == {"bn - en"}
    assert set(left["group"].str.json_path_match("$.condition")) == {"zero-shot"}


def test_a_quarter_of_them_pass_only_uncorrected(compared):
    assert (compared["p_fdr"] <= 0.05).sum() == 16
    assert compared.filter((pl.col("p_value") <= 0.05) & (pl.col("p_adjusted") > 0.05)).height == 18


def test_nine_of_36_cross_lingual_contrasts_by_type_cannot_reach_significance_by_themselves(compared):
    by_type = compared.filter(
        pl.col("group").str.contains("answer_type") & pl.col("group").str.contains("cross-lingual-150")
    )
    assert by_type.height == 36
    assert by_type["note"].str.contains("cannot reach significance").sum() == 9


def test_the_largest_gap_reads_as_a_sentence(compared):
    row = compared.sort("p_value").row(0, named=True)
    assert words(row).startswith(
        "answer_type Numerical, condition zero-shot, model qwen3-8b: bn against en: 17.4 points higher"
    )


def test_zero_shot_accuracies_equal_the_published_ones(scores):
    found = summaries.rate(scores.filter(condition="zero-shot"), ["model", "language"])
    ours = {
        (group["model"], group["language"]): value * 100
        for group, value in zip(map(json.loads, found["group"]), found["value"], strict=True)
    }
    tables = json.loads((DATA / "reference" / "paper_tables.json").read_text(encoding="utf-8"))["cells"]
    published = {
        (cell["model"], cell["language"]): cell["value"]
        for cell in tables
        if (cell["table"], cell["setting"], cell["category"]) == ("tab:zero_cot", "zero-shot", "Overall")
    }
    assert len(ours) == 6
    assert all(value == pytest.approx(published[key], abs=0.01) for key, value in ours.items())
