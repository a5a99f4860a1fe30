"""What a terminal shows: every word whole on 80 columns, nothing lost, nothing read as markup."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from rich.console import Console

from covary.report.grid import Grid
from covary.report.page import alone
from covary.report.sheet import Sheet
from covary.report.terminal import NOTHING, caption, print_contrasts, print_grid, print_sheet

MODELS = ("gemini-2.5-flash-lite", "deepseek-r1-7b")


def printed(shown: Grid | Sheet, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    if isinstance(shown, Grid):
        print_grid(shown, console)
    else:
        print_sheet(shown, console)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert max(len(line) for line in text.splitlines()) <= width
    return text


def wide(columns: int) -> Sheet:
    frame = pl.DataFrame(
        {"model": MODELS, "condition": ["code-switch-en", "zero-shot"]}
        | {f"completion_tokens_{number}": [1_234_567, number] for number in range(columns)}
    )
    return Sheet("wide", "What a run took.", frame, "A note.")


@pytest.mark.parametrize("columns", [1, 5, 14])
def test_a_sheet_is_legible_on_80_columns_however_wide_it_is(columns: int) -> None:
    text = printed(wide(columns))
    for word in (*MODELS, "code-switch-en", "1,234,567", "completion"):
        assert word in text
    parts = text.count("What a run took")
    assert text.count(MODELS[0]) == parts
    assert text.count("A note.") == 1


def test_parts_are_numbered_and_hold_every_column_once() -> None:
    text = printed(wide(14))
    assert "part 1 of" in text
    assert text.count("1,234,567") == 14


def test_what_is_the_same_in_every_row_is_told_once() -> None:
    frame = pl.DataFrame({"model": MODELS, "scorer": ["mathematics"] * 2, "money": [None, None], "n": [3, 3]})
    text = printed(Sheet("s", "C", frame.with_columns(pl.col("money").cast(pl.Float64))))
    assert text.count("mathematics") == 1
    assert "In every row: scorer mathematics; money –." in text


def test_model_text_is_never_markup() -> None:
    sheet = Sheet("s", "[bold]C[/bold]", pl.DataFrame({"words": ["[red]x[/red]", "[/]"], "n": [1, 2]}), "[link=x]")
    text = printed(sheet)
    for word in ("[bold]C[/bold]", "[red]x[/red]", "[/]", "[link=x]"):
        assert word in text


def grid(columns: int, n_items: int = 1, n_null: int = 1) -> Grid:
    cell: Mapping[str, Any] = {
        "value": 0.5, "low": 0.123, "high": 0.987, "n_items": n_items, "n_excluded": 0, "n_null": n_null, "method": "Wilson",
    }  # fmt: skip
    levels = [(f"culture-{number:02}",) for number in range(columns)]
    return Grid(
        name="g", caption="C", row_factors=("model",), column_factors=("culture",), rows=tuple((m,) for m in MODELS),
        columns=tuple(levels), cells={((m,), level): cell for m in MODELS for level in levels}, labels={}, denominator="all",
    )  # fmt: skip


def test_a_grid_of_one_factor_too_wide_for_the_terminal_stands_in_parts() -> None:
    text = printed(grid(12))
    assert text.count("12.3–98.7") == 24
    assert all(f"culture-{number:02}" in text for number in range(12))


def test_captions_count_in_grammar() -> None:
    assert caption(grid(1)).startswith("1 source item a cell; denominator all (nulls count as wrong; 2 nulls in all).")
    assert caption(grid(1, n_items=1200, n_null=0)).startswith("1,200 source items a cell; denominator all")
    one = grid(1)
    single = {key: {**cell, "n_null": int(key[0] == (MODELS[0],))} for key, cell in one.cells.items()}
    assert "1 null in all" in caption(replace(one, cells=single))


def contrast(name: str, p: float | None) -> dict[str, Any]:
    return {
        "name": name, "group": "{}", "level_a": "bn", "level_b": "en", "value": None, "note": "no pair", "p_adjusted": p,
    }  # fmt: skip


def test_every_declared_contrast_has_its_sentence_before_a_second_one_of_another() -> None:
    console = Console(file=io.StringIO(), width=80)
    print_contrasts([contrast("strong", 0.001 * number) for number in range(30)] + [contrast("weak", 0.9)], console, 12)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert (text.count("• strong"), text.count("• weak")) == (11, 1)
    assert "19 further contrasts stand in the report." in text


def test_a_grid_without_a_cell_says_so_everywhere() -> None:
    empty = replace(grid(1), rows=(), columns=(), cells={})
    assert NOTHING in printed(empty)
    assert NOTHING in alone("g", "C", empty, None)
