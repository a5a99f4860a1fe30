"""Grids and what is drawn from them: order, marginals, escaping, and LaTeX that compiles."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

from covary.report.csv import to_csv
from covary.report.declared import Table
from covary.report.estimates import table_estimates
from covary.report.grid import folded, grid, interval, percent
from covary.report.latex import escape, to_latex
from covary.report.page import spans

TABLE = Table(
    name="t",
    caption="Accuracy (%) by type & language: 100 % of $x_1$",
    scorer="s",
    rows=("model",),
    columns=("language", "answer_type"),
    overall=("answer_type",),
)


def frame() -> pl.DataFrame:
    rows = [
        (f"{kind}{number}", "m_1", language, kind, 1.0 if number < right else 0.0)
        for language, shares in {"bn": (1, 2), "en": (3, 4)}.items()
        for kind, right in zip(("Numerical", "Proof"), shares, strict=True)
        for number in range(4)
    ]
    columns = ("source_id", "model", "language", "answer_type", "value")
    return pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        scorer=pl.lit("s"),
        condition=pl.lit("c"),
        cluster=pl.col("source_id"),
        item_id=pl.col("source_id") + pl.col("language"),
    )


def test_a_grid_holds_every_cell_and_the_marginals_in_a_fixed_order() -> None:
    made = grid(table_estimates(frame(), TABLE), TABLE)
    assert made.columns == (
        ("bn", "Numerical"),
        ("bn", "Proof"),
        ("bn", "Overall"),
        ("en", "Numerical"),
        ("en", "Proof"),
        ("en", "Overall"),
    )
    # bn: 1/4, 2/4, together 3/8; en: 3/4, 4/4, together 7/8.
    assert [percent(made.cell(("m_1",), column)) for column in made.columns] == [
        "25.0",
        "50.0",
        "37.5",
        "75.0",
        "100.0",
        "87.5",
    ]
    assert percent(None) == ""
    assert percent({"value": None}) == "–"
    assert interval({"low": None, "high": None}) == ""


def test_headings_join_neighbours_under_one_level() -> None:
    made = grid(table_estimates(frame(), TABLE), TABLE)
    assert [(span.text, span.width) for span in spans(made, 0)] == [("bn", 3), ("en", 3)]
    assert [span.width for span in spans(made, 1)] == [1] * 6


def test_csv_holds_figures_and_never_a_formula() -> None:
    odd = frame().with_columns(model=pl.lit("=1+1"))
    rows = list(csv.DictReader(io.StringIO(to_csv(grid(table_estimates(odd, TABLE), TABLE)))))
    assert len(rows) == 6
    assert {row["n_items"] for row in rows} == {"4", "8"}


def test_latex_escapes_what_it_shows() -> None:
    assert escape(r"50 % of $x_1$ & \input{/etc/passwd}") == (
        r"50 \% of \$x\_1\$ \& \textbackslash{}input\{/etc/passwd\}"
    )
    assert r"\multicolumn{3}{c}{bn}" in to_latex(grid(table_estimates(frame(), TABLE), TABLE))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is missing (Debian package texlive-latex-base)")
def test_latex_tables_compile(tmp_path: Path) -> None:
    made = grid(table_estimates(frame(), TABLE), TABLE)
    document = (
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}\\begin{document}\n"
        + to_latex(made)
        + to_latex(made, with_intervals=True)
        + "\\end{document}\n"
    )
    (tmp_path / "t.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "t.pdf").stat().st_size > 5000


def test_a_cell_of_which_nothing_was_judged_has_no_rate() -> None:
    unjudged = frame().with_columns(value=pl.when(pl.col("language") == "bn").then(None).otherwise(pl.col("value")))
    assert grid(table_estimates(unjudged, TABLE), TABLE).columns[0] == ("en", "Numerical")


def test_a_folded_grid_keeps_every_cell() -> None:
    wide = grid(table_estimates(frame(), TABLE), TABLE)
    narrow = folded(wide)
    assert narrow.rows == (("m_1", "bn"), ("m_1", "en"))
    assert narrow.columns == (("Numerical",), ("Proof",), ("Overall",))
    assert percent(narrow.cell(("m_1", "en"), ("Overall",))) == "87.5"
    assert len(narrow.cells) == len(wide.cells)
