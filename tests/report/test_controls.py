"""Control characters in names and answers reach neither a terminal nor the engine that draws figures."""

from __future__ import annotations

import io
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text
from tests.cli.test_commands import covary
from tests.cli.test_end_to_end import study

from covary.report import figures
from covary.report.controls import visible
from covary.report.terminal import Screen

ESCAPE = "\x1b"
EVIL = f"a{ESCAPE}[31mb\x07\x9b31mc\rd\x00\uffff"


def test_a_control_character_is_a_sign_and_line_ends_stay() -> None:
    assert visible("a\x1b[1mb\tc\nd\x7f\x9b") == "a␛[1mb\tc\nd␡\ufffd"


@given(st.text())
def test_what_is_visible_holds_no_control_character(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    assert not {code for code in map(ord, shown) if (code < 32 and code not in (9, 10)) or 127 <= code < 160}


def test_a_screen_sends_no_control_character_of_a_text() -> None:
    out = io.StringIO()
    screen = Screen(file=out, force_terminal=True, color_system=None)
    table = Table("head")
    table.add_row(Text(EVIL))
    screen.print(table)
    screen.print(EVIL)
    assert not set(out.getvalue()) & set("\x1b\x07\x9b\r\x00")


def test_a_figure_is_drawn_from_labels_with_control_characters() -> None:
    values = [{"label": EVIL, "value": 1.0, "tip": EVIL}]
    spec = {
        "data": {"values": values},
        "mark": "point",
        "encoding": {"y": {"field": "label", "type": "nominal"}, "x": {"field": "value", "type": "quantitative"}},
    }
    assert "␛[31m" in figures.to_svg(spec)
    assert figures.to_png(spec).startswith(b"\x89PNG")


def test_a_study_whose_names_and_answers_hold_escapes_runs_to_its_report(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", f"<final>2{ESCAPE}[31m</final>", "<final>3</final>", r"\input{x}<final>\a</final>")
    path = folder / "study.toml"
    path.write_text(path.read_text().replace('"short"', '"sh\\u001b[31mort"').replace("Only a test.", "N\\u001b[31m"))
    items = folder / "items.jsonl"
    rows = [json.loads(line) for line in items.read_text().splitlines()]
    evil = [{**row, "question": ESCAPE + row["question"], "source_id": f"{ESCAPE}{row['source_id']}"} for row in rows]
    items.write_text("".join(json.dumps(row) + "\n" for row in evil))
    shown = [covary("run", str(folder)), covary("items", "show", str(items))]
    shown += [covary("report", str(folder), "--table", name) for name in ("usage", "contrasts")]
    for done in shown:
        assert done.returncode == 0, done.stderr
        assert ESCAPE not in done.stdout + done.stderr
