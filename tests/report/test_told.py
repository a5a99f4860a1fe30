"""Figures that tell their figures: titles on marks, series by name, one small script, nothing fetched."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

import polars as pl
import pytest
from markupsafe import Markup

from covary.report import drawings, figures, told
from covary.report.exhibit import Drawing, as_bytes
from covary.report.page import Figure, alone
from covary.report.sheet import Sheet

EVIL = '<script>alert("x")</script> & ১'
COLOUR = {"field": "series", "type": "nominal", "scale": {"range": list(figures.PALETTE)}}
Y = {"field": "label", "type": "nominal"}


def spec(*rows: dict[str, Any], mark: str = "point") -> told.Spec:
    x = {"field": "value", "type": "quantitative"}
    return figures.themed({"data": {"values": list(rows)}, "mark": mark, "encoding": {"x": x, "y": Y, "color": COLOUR}})


TWO = ({"label": "a", "series": EVIL, "value": 40.0, "n": 12}, {"label": "b", "series": "other", "value": 60.0, "n": 7})


def test_a_tip_tells_value_interval_and_number() -> None:
    assert told.tip("m / bn", 40.123, 30.0, 50.987, 1452) == (
        "m / bn: 40.12 % (95 % interval 30.00 to 50.99; 1,452 source items)"
    )
    assert told.tip("m", 2.0, None, None, None, "points") == "m: 2.00 points"


def test_every_mark_carries_its_rows_tip_as_an_escaped_title() -> None:
    svg = figures.to_svg(spec({**TWO[0], "tip": f"{EVIL}: 40.00 %"}, TWO[1]))
    assert svg.count("<title>") == 2
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg
    # A row without a tip tells all its fields.
    assert "<title>label: b; series: other; value: 60.00; n: 7</title>" in svg


def test_series_are_named_with_their_colours_and_a_single_one_is_not_offered() -> None:
    names = [part.name for part in told.series(figures.to_svg(spec(*TWO)))]
    assert names == [EVIL, "other"]
    assert told.series(figures.to_svg(spec(TWO[0]))) == []


def test_lines_belong_to_the_series_of_their_colour() -> None:
    x = {"field": "value", "type": "quantitative"}
    both = {"data": {"values": list(TWO)}, "encoding": {"x": x, "y": Y, "color": COLOUR}}
    svg = figures.to_svg(figures.themed({**both, "layer": [{"mark": "line"}, {"mark": "point"}]}))
    line = re.search(r"role-mark layer_0[^>]*>(.*?)</g></g>", svg, re.S)
    assert line is not None
    assert line[1].count("<path") == line[1].count("data-series=")


@pytest.mark.parametrize("mark", ["bar", "rule", "rect", "square"])
def test_no_spoken_part_is_left_of_the_drawing(mark: str) -> None:
    svg = figures.to_svg(spec(*TWO, mark=mark))
    assert "aria-" not in svg
    assert "role=" not in svg


def page(figure: Figure | None) -> str:
    sheet = Sheet("s", "A caption", pl.DataFrame({"model": [EVIL], "share": [0.5]}), percent=("share",))
    return alone("s", "A caption", sheet, figure)


def test_the_page_allows_its_own_script_alone_and_fetches_nothing() -> None:
    text = page(Figure("s", Markup(figures.to_svg(spec(*TWO))), EVIL))
    script = re.search(r"<script>(.*)</script>", text, re.S)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    assert "default-src 'none'" in text
    assert text.count("<script") == 1
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", text)
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "fetch(", "XMLHttp", "import("):
        assert word not in script[1]
    assert len(script[1]) < 5_000


def test_figures_stand_without_the_script_and_controls_wait_for_it() -> None:
    text = page(Figure("s", Markup(figures.to_svg(spec(*TWO))), "A caption"))
    body = text[: text.index("<script>")]
    assert body.count("<title>") == 2 + 1  # two marks, and the page's own
    assert re.search(r'<fieldset class="series" hidden>', body)
    assert body.count('type="checkbox"') == 2


def test_a_figure_without_a_table_is_a_page_too() -> None:
    text = as_bytes(Drawing("figure-1", "What is drawn.", spec(*TWO)), "html").decode()
    assert '<figure id="figure-figure-1"' in text
    assert "<table" not in text


def test_choices_of_options_stand_beside_blind_choice() -> None:
    row = {
        "condition": "mcq",
        "model": "m",
        "language": "bn",
        "kind": "sign",
        "offered": 40,
        "of_answers": 0.5,
        "chance": 0.25,
    }
    made = drawings.distractors(Sheet("distractors", "C", pl.DataFrame([row]), percent=("of_answers", "chance")))
    assert made is not None
    svg = figures.to_svg(made)
    assert "mcq / m / bn / sign, chosen: 50.00 %; 40 answers" in svg
    assert "mcq / m / bn / sign, by blind choice: 25.00 %; 40 answers" in svg


def test_shares_of_consistency_stack_in_a_fixed_order() -> None:
    row = {
        "scorer": "s",
        "condition": "c",
        "model": "m",
        "all right": 0.5,
        "all wrong": 0.3,
        "flips": 0.2,
        "source_items": 10,
    }
    made = drawings.consistency(
        Sheet("consistency", "C", pl.DataFrame([row]), percent=("all right", "all wrong", "flips"))
    )
    assert made is not None
    assert [part.name for part in told.series(figures.to_svg(made))] == ["all right", "flips", "all wrong"]
