"""Sheets that any study can show: numbers by hand, every format, and LaTeX that compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from covary.analysis.pairing import Contrast
from covary.digest import canonical_json
from covary.errors import UsageError
from covary.report import standard
from covary.report.declared import Table
from covary.report.estimates import contrast_estimates, table_estimates
from covary.report.exhibit import as_bytes
from covary.report.grid import arrow, best, change, grid
from covary.report.latex import engine
from covary.report.material import Material
from covary.report.sheet import Sheet

FAMILIES = {
    "bn": ("Indo-European", "Beng", "low"),
    "en": ("Indo-European", "Latn", "high"),
    "kk": ("Turkic", "Cyrl", "low"),
}
# Right answers of 4 source items: bn 1, en 4, kk 2.
RIGHT = {"bn": (0,), "en": (0, 1, 2, 3), "kk": (0, 1)}


def score(number: int, language: str, **others: Any) -> dict[str, Any]:
    family, script, tier = FAMILIES[language]
    return {
        "source_id": f"s{number}",
        "item_id": f"s{number}-{language}",
        "cluster": f"s{number}",
        "language": language,
        "language_family": family,
        "script": script,
        "resource_tier": tier,
        "format": "open",
        "answer_type": "Numerical",
        "domain": "Algebra",
        "culture": None,
        "cue_level": None,
        "perturbation": None,
        "scorer": "mathematics",
        "condition": "zero-shot",
        "model": "m",
        "replicate": 0,
        "request_id": f"r{number}{language}",
        "answer": "২",
        "value": 1.0 if number in RIGHT[language] else 0.0,
        "reason": "value",
        "detail": "{}",
        **others,
    }


def material(*extra: dict[str, Any], items: pl.DataFrame | None = None, **options: Any) -> Material:
    rows = [score(number, language) for number in range(4) for language in FAMILIES]
    frame = pl.DataFrame([*rows, *extra], infer_schema_length=None).with_columns(
        pl.col("culture", "cue_level", "perturbation").cast(pl.String)
    )
    contrasts = contrast_estimates(frame, [Contrast("language", "language", ("bn", "en"))], "mathematics")
    usage = pl.DataFrame(
        {
            "model": ["m", "m", "m"],
            "condition": ["zero-shot"] * 3,
            "request_id": ["a", "a", "b"],  # one request serves two cells
            "status": ["ok", "ok", "truncated"],
            "prompt_tokens": [10, 10, 20],
            "completion_tokens": [5, 5, None],
            "reasoning_tokens": [None, None, None],
            "latency_s": [1.0, 1.0, 3.0],
            "money": [0.5, 0.5, None],
            "currency": ["EUR", "EUR", "EUR"],
        },
        schema_overrides={"reasoning_tokens": pl.Int64},
    )
    made = frame.unique("item_id", maintain_order=True).select(
        "source_id", "item_id", "language", "format", "answer_type", "domain", "perturbation", meta=pl.lit("{}")
    )
    return Material(frame, made if items is None else items, contrasts, options, lambda: usage)


def sheet(name: str, of: Material | None = None) -> Sheet:
    made = standard.sheet(name, of or material())
    assert made is not None
    return made


def test_the_corpus_counts_source_items_and_forms() -> None:
    first = sheet("corpus").frame.row(0, named=True)
    assert (first["source_items"], first["languages"], first["forms"], first["share"]) == (4, 3, 12, 1.0)


def test_groups_of_languages_tell_how_many_they_are() -> None:
    rows = {row["level"]: row for row in sheet("language-groups").frame.iter_rows(named=True)}
    # Indo-European: bn 1 and en 4 of 8; low: bn 1 and kk 2 of 8.
    assert (rows["Indo-European"]["accuracy"], rows["Indo-European"]["languages"]) == (5 / 8, 2)
    assert (rows["low"]["accuracy"], rows["low"]["languages"]) == (3 / 8, 2)
    assert rows["Turkic"]["languages"] == 1


def test_the_spread_over_languages_names_both_deviations() -> None:
    row = sheet("language-spread").frame.row(0, named=True)
    # 1/4, 4/4, 2/4: mean 7/12; squares of the deviations sum to 7/24.
    assert row["mean"] == pytest.approx(7 / 12)
    assert row["sd_population"] == pytest.approx((7 / 24 / 3) ** 0.5)
    assert row["sd_sample"] == pytest.approx((7 / 24 / 2) ** 0.5)
    assert (row["lowest_in"], row["highest_in"]) == ("bn", "en")


def test_flips_are_counted_both_ways() -> None:
    row = sheet("discordance").frame.row(0, named=True)
    assert (row["pairs"], row["right_only_at_a"], row["right_only_at_b"], row["flips"]) == (4, 0, 3, 0.75)


def test_a_request_that_serves_two_cells_is_paid_once() -> None:
    row = sheet("usage").frame.row(0, named=True)
    assert (row["cells"], row["requests"], row["prompt_tokens"], row["completion_tokens"]) == (3, 2, 30, 5)
    assert (row["money"], row["failed"], row["not_reported"], row["reasoning_tokens"]) == (0.5, 1, 1, None)


def test_distractors_are_set_beside_chance() -> None:
    meta = canonical_json(
        {"distractors": {"B": {"pool": "calculation", "kind": "sign"}, "C": {"pool": "concept", "kind": "unit"}}}
    )
    items = pl.DataFrame(
        [
            {
                "source_id": f"q{n}",
                "item_id": f"q{n}",
                "language": "en",
                "format": "mcq",
                "options": ["1", "2", "3"],
                "target": "A",
                "meta": meta.decode(),
            }
            for n in range(4)
        ]
    )
    chosen = [
        score(n, "en", item_id=f"q{n}", source_id=f"q{n}", format="mcq", scorer="mcq", condition="mcq", answer=letter)
        for n, letter in enumerate("AABB")
    ]
    rows = {
        row["kind"]: row for row in sheet("distractors", material(*chosen, items=items)).frame.iter_rows(named=True)
    }
    assert (rows["key"]["of_answers"], rows["key"]["of_wrong_choices"]) == (0.5, None)
    assert (rows["calculation"]["of_answers"], rows["calculation"]["of_wrong_choices"]) == (0.5, 1.0)
    assert rows["concept"]["chance"] == pytest.approx(1 / 3)


def test_failures_of_traces_are_shares_of_traces_with_quotes() -> None:
    spans = canonical_json({"spans": [{"label": "loop", "quote": "আবার, again"}]}).decode()
    extra = [
        score(n, "en", scorer="trace", value=float(n == 0), answer="loop" if n == 0 else None, detail=spans)
        for n in range(4)
    ]
    made = material(*extra)
    assert sheet("trace-failures", made).frame.row(0, named=True)["loop"] == 0.25
    assert sheet("trace-examples", made).frame.row(0)[-1] == "আবার, again"


def test_repeats_give_pass_at_k() -> None:
    extra = [score(n, "en", condition="again", replicate=r, value=float(r == n)) for n in range(4) for r in range(3)]
    rows = {row["name"]: row["value"] for row in sheet("pass-at-k", material(*extra)).frame.iter_rows(named=True)}
    # Three of four items are right in one of three attempts: pass@1 = 3/4 · 1/3, pass@3 = 3/4.
    assert rows["pass@1"] == pytest.approx(0.25)
    assert rows["pass@3"] == pytest.approx(0.75)


def test_detection_without_controls_says_what_f1_is_worth() -> None:
    solutions = pl.DataFrame(
        [
            {
                "source_id": f"p{n}",
                "item_id": f"p{n}",
                "language": "en",
                "format": "solution",
                "perturbation": "strategy-3",
                "meta": '{"faulty":true}',
            }
            for n in range(4)
        ]
    )
    extra = [
        score(n, "en", item_id=f"p{n}", format="solution", scorer="detection", value=float(n < 3)) for n in range(4)
    ]
    made = sheet("error-detection", material(*extra, items=solutions))
    row = made.frame.row(0, named=True)
    assert (row["sensitivity"], row["specificity"]) == (0.75, None)
    assert row["F1"] == pytest.approx(1.5 / 1.75)
    assert "function of accuracy" in made.note


def test_declared_facts_become_a_table_and_a_figure() -> None:
    made = material(
        related=[{"data_set": "A", "parallel": True}],
        pipeline=[{"stage": "One", "step": "Read", "does": "ছবি"}, {"stage": "Two", "step": "Say", "does": "Қазақша"}],
    )
    assert list(sheet("related", made).texts()) == [["A", "yes"]]
    assert as_bytes(sheet("pipeline", made), "png").startswith(b"\x89PNG")


def test_best_values_and_changes_are_marked_from_what_is_declared() -> None:
    table = Table("t", "T", "mathematics", ("model",), ("language",), best="highest", change="language")
    rows = material(*(score(n, "en", model="other", value=1.0) for n in range(4))).frame
    made = grid(table_estimates(rows, table), table)
    assert best(made) == {(("m",), ("en",)), (("other",), ("en",))}  # a tie marks both
    # bn 25 %, en 100 %.
    assert change(made, ("m",), ("en",)) == pytest.approx(75.0)
    assert (change(made, ("m",), ("bn",)), change(made, ("other",), ("en",))) == (None, None)
    assert [arrow(points) for points in (75.0, -3.71, 0.01, None)] == ["▲ 75.0", "▼ 3.7", "=", ""]


def test_a_scorer_without_rows_gives_way_to_its_stand_ins() -> None:
    table = Table("t", "T", "recorded", ("model",), ("language",))
    assert table_estimates(material().frame, table).is_empty()
    assert table_estimates(material().frame, table, instead={"recorded": ["mathematics"]}).height == 3


def test_every_sheet_has_every_format_or_a_clear_refusal() -> None:
    made = material()
    for name in standard.MAKERS:
        shown = standard.sheet(name, made)
        if shown is None:
            continue
        for form in ("csv", "latex", "html", "parquet"):
            assert as_bytes(shown, form)
        try:
            drawn = as_bytes(shown, "svg")
            assert b"<svg" in drawn
            assert b"aria-" not in drawn
        except UsageError as error:
            assert "can't be drawn" in str(error)


def test_latex_names_the_engine_that_its_scripts_need() -> None:
    assert engine("naïve façade, żółć") == "pdflatex"
    assert engine("Bangla ২ and қазақ") == "lualatex or xelatex, with fonts that hold: Bengali, Cyrillic"


PACKAGES = "array,graphicx,longtable,lscape"
"""All in Debian's texlive-latex-base; booktabs, if it is there, makes better rules."""


def compiled(folder: Path, texts: list[str]) -> str:
    """What pdflatex says of tables, one a page. It must succeed, and no float may be longer than the page."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is missing (Debian package texlive-latex-base)")
    head = f"\\documentclass{{article}}\\usepackage[T1]{{fontenc}}\\usepackage{{{PACKAGES}}}\\begin{{document}}\n"
    (folder / "t.tex").write_text(head + "\n\\clearpage\n".join(texts) + "\\end{document}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "t.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Float too large" not in done.stdout
    return done.stdout


def test_every_latin_sheet_compiles(tmp_path: Path) -> None:
    made = material(related=[{"data_set": "A & B_1", "parallel": True, "note": "100 % √2 ▲ → d′"}])
    shown = [one for name in standard.MAKERS if (one := standard.sheet(name, made)) is not None and name != "variants"]
    texts = [as_bytes(one, "latex").decode() for one in shown]
    assert len(texts) > 7
    assert all(text.startswith("% engine: pdflatex") for text in texts)
    compiled(tmp_path, texts)


def test_a_long_sheet_goes_on_over_pages_and_a_wide_one_stays_on_the_paper(tmp_path: Path) -> None:
    long = {"name": [f"contrast {number}" for number in range(120)], "note": ["a_note & more words " * 6] * 119 + ["-"]}
    numbers = {f"number of_things {number}": [12.345] * 120 for number in range(15)}
    texts = [
        as_bytes(Sheet("long", "C", pl.DataFrame(long)), "latex").decode(),
        as_bytes(Sheet("both", "C", pl.DataFrame(long | numbers)), "latex").decode(),
        as_bytes(
            Sheet("wide", "C", pl.DataFrame(numbers | {"n": [f"{n:090}" for n in range(120)]}).head(9)), "latex"
        ).decode(),
    ]
    assert ["longtable" in text.splitlines()[0] for text in texts] == [True, True, False]
    assert "lscape" in texts[1].splitlines()[0]
    said = compiled(tmp_path, texts)
    over = [float(points) for points in re.findall(r"Overfull .hbox \(([0-9.]+)pt", said)]
    assert max(over, default=0) < 40


def test_a_small_p_is_never_shown_as_nothing() -> None:
    frame = pl.DataFrame({"p_value": [0.00094, 0.5, 0.0, None], "share": [0.5, 0.001, 0.0, None]})
    shown = list(Sheet("x", "X", frame, percent=("share",)).texts())
    assert shown == [["0.00094", "50.0"], ["0.50", "0.1"], ["0.00", "0.0"], ["–", "–"]]


def test_answers_that_wait_for_a_judge_give_no_rate() -> None:
    # By rules alone an identification can only be judged wrong: 0 % would be a wrong number.
    waiting = [
        score(0, "bn", condition="identify", scorer="identification", value=0.0),
        score(1, "bn", condition="identify", scorer="identification", value=None, reason="needs a judge"),
    ]
    frame = material(*waiting).frame
    table = Table(name="t", caption="", scorer="identification", rows=("model",), columns=("language",))
    assert table_estimates(frame, table).is_empty()
    settled = frame.with_columns(reason=pl.lit("value"))
    assert table_estimates(settled, table)["value"].to_list() == [0.0]
    judged = frame.with_columns(scorer=pl.lit("identification+judge"))
    assert table_estimates(judged, replace(table, scorer="identification+judge")).height > 0


def test_replicates_are_weighed_against_items_from_a_contrasts_own_variance() -> None:
    # Two repeats an item and side; bn: right in one of two, en: right in both. Within: 1/2 + 0; between: 0 after noise.
    again = [
        score(number, language, replicate=1, value=value, request_id=f"again{number}{language}")
        for number in range(4)
        for language, value in (("bn", 0.0 if number in RIGHT["bn"] else 1.0), ("en", 1.0))
    ]
    sheet = standard.sheet("replicates", material(*again))
    assert sheet is not None
    rows = sheet.frame.to_dicts()
    assert [(row["replicates"], row["source_items"], row["calls"]) for row in rows] == [
        (1, 8, 8), (2, 4, 8), (3, 2, 8), (5, 1, 8),
    ]  # fmt: skip
    assert rows[0]["sd_within"] == pytest.approx(0.5**0.5)
    assert rows[0]["sd_between"] == 0
    assert rows[0]["standard_error"] == pytest.approx((0.5 / 8) ** 0.5)
    assert standard.sheet("replicates", material()) is None
