"""Figures as Vega-Lite specifications over estimates, and their drawing by vl-convert: no browser, bundled fonts.

A figure is data: a specification that holds its own rows. Colours are Okabe and Ito's, told apart by colour-blind readers;
shapes repeat what colours say, so that print works too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, cast

import polars as pl

from covary.report import told
from covary.report.controls import visible
from covary.report.grid import Grid
from covary.report.told import Spec

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933")
FONT = "Noto Sans, Noto Sans Bengali"
MOST_SERIES = len(PALETTE)
MOST_CONTRASTS = 40
SCALE = 2.0
LOCALE = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["", ""], "minus": "\u2013"}
"""Numbers of axes: the bundled fonts have no minus sign (U+2212), so the dash stands for it."""


def of_grid(grid: Grid) -> Spec | None:
    """A dot plot of a table: its values (%) with intervals, one panel per row, one series per last column factor.

    None where the table has no value to draw.
    """
    rows = [
        {
            "row": " / ".join(grid.label(level) for level in row),
            "group": " / ".join(grid.label(level) for level in column[:-1]) or grid.label(column[-1]),
            "series": grid.label(column[-1]) if len(column) > 1 else "",
            **_cell(" / ".join(grid.label(level) for level in (*row, *column)), cell),
        }
        for row in grid.rows
        for column in grid.columns
        if (cell := grid.cell(row, column)) is not None and cell["value"] is not None
    ]
    series = list(dict.fromkeys(str(row["series"]) for row in rows))
    if not rows or len(series) > MOST_SERIES:
        return None
    groups = list(dict.fromkeys(str(row["group"]) for row in rows))
    colour = {
        "field": "series",
        "type": "nominal",
        "sort": series,
        "title": grid.column_factors[-1].replace("_", " "),
        "scale": {"range": list(PALETTE)},
    }
    y = {"field": "group", "type": "nominal", "sort": groups, "title": None}
    shift = {"yOffset": {"field": "series", "sort": series}} if len(series) > 1 else {}
    shown = {
        "color": colour,
        "shape": {"field": "series", "type": "nominal", "sort": series, "legend": None},
    }
    if len(series) <= 1:
        shown = {"color": {"value": PALETTE[0]}}
    return themed(
        {
            "data": {"values": rows},
            "facet": {
                "row": {
                    "field": "row",
                    "type": "nominal",
                    "title": None,
                    "sort": list(dict.fromkeys(str(r["row"]) for r in rows)),
                    "header": {"labelAngle": 0, "labelAlign": "left", "labelFontWeight": "bold"},
                }
            },
            "spec": {
                "width": 420,
                "height": {"step": 15 if len(series) > 1 else 22},
                "layer": [
                    {
                        "mark": {"type": "rule", "strokeWidth": 1.6},
                        "encoding": {
                            "y": y,
                            **shift,
                            "x": _percent("low"),
                            "x2": {"field": "high"},
                            "color": shown["color"],
                        },
                    },
                    {
                        "mark": {"type": "point", "filled": True, "size": 62, "opacity": 1},
                        "encoding": {"y": y, **shift, "x": _percent("value"), **shown},
                    },
                ],
            },
        }
    )


def forest(contrasts: pl.DataFrame) -> Spec | None:
    """A forest plot of contrasts (the sheet's frame): differences in percentage points with intervals; filled: significant after correction."""
    if contrasts.is_empty():
        return None
    ranked = contrasts.filter(pl.col("value").is_not_null()).sort("p_adjusted", nulls_last=True, maintain_order=True)
    rows = [_forest_row(row) for row in ranked.head(MOST_CONTRASTS).iter_rows(named=True)]
    if not rows:
        return None
    order = [str(row["label"]) for row in rows]
    y = {"field": "label", "type": "nominal", "sort": order, "title": None, "axis": {"labelLimit": 460}}
    x = {"type": "quantitative", "title": "difference (percentage points)", "axis": {"grid": True}}
    colour = {
        "field": "decided",
        "type": "nominal",
        "title": None,
        "scale": {"domain": ["significant", "not significant"], "range": [PALETTE[1], "#6b7280"]},
    }
    return themed(
        {
            "data": {"values": rows},
            "width": 380,
            "height": {"step": 20},
            "layer": [
                {"mark": {"type": "rule", "color": "#444", "strokeDash": [3, 3]}, "encoding": {"x": {"datum": 0}}},
                {
                    "mark": {"type": "rule", "strokeWidth": 1.6},
                    "encoding": {"y": y, "x": {"field": "low", **x}, "x2": {"field": "high"}, "color": colour},
                },
                {
                    "mark": {"type": "point", "filled": True, "size": 62, "opacity": 1},
                    "encoding": {
                        "y": y,
                        "x": {"field": "value", **x},
                        "color": colour,
                        "shape": {"field": "decided", "type": "nominal", "legend": None},
                    },
                },
            ],
        }
    )


def to_svg(spec: Spec) -> str:
    """The figure as SVG text whose marks are titled with their exact figures (see `told`)."""
    return told.title(_engine().vegalite_to_svg(told.describe(_drawable(spec)), format_locale=LOCALE))


def to_png(spec: Spec) -> bytes:
    """The figure as PNG, at twice the nominal size."""
    return _engine().vegalite_to_png(_drawable(spec), scale=SCALE, format_locale=LOCALE)


def to_pdf(spec: Spec) -> bytes:
    """The figure as PDF."""
    return _engine().vegalite_to_pdf(_drawable(spec), format_locale=LOCALE)


def _drawable(value: Any) -> Any:
    """A specification whose texts can stand in an SVG: the engine ends the process where one holds a control character."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list):
        return [_drawable(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {_drawable(key): _drawable(each) for key, each in cast("dict[Any, Any]", value).items()}
    return value


@cache
def _engine() -> Any:
    """vl-convert with the bundled fonts, forbidden to fetch anything."""
    import vl_convert

    vl_convert.register_font_directory(str(resources.files("covary.report") / "data" / "fonts"))
    return vl_convert


def _forest_row(row: Mapping[str, Any]) -> dict[str, Any]:
    levels = str(row["group"])
    adjusted = row["p_adjusted"]
    label = f"{row['level_a']} – {row['level_b']}" + (f" ({levels})" if levels else "")
    value, low, high = (None if row[end] is None else 100 * row[end] for end in ("value", "low", "high"))
    beside = f"; {row['n_pairs']:,} pairs" + ("" if adjusted is None else f"; p adjusted {adjusted:.3g}")
    return {
        "label": label,
        "value": value,
        "low": low,
        "high": high,
        "tip": told.tip(label, value or 0.0, low, high, None, "points") + beside,
        "decided": "significant" if adjusted is not None and adjusted <= 0.05 else "not significant",
    }


def _percent(field: str) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "title": "%", "scale": {"domain": [0, 100]}, "axis": {"grid": True}}


def _cell(name: str, cell: Mapping[str, Any]) -> dict[str, Any]:
    value, low, high = (None if cell[end] is None else 100 * cell[end] for end in ("value", "low", "high"))
    return {"value": value, "low": low, "high": high, "tip": told.tip(name, value or 0.0, low, high, cell["n_items"])}


def themed(spec: Spec) -> Spec:
    """A specification with the fonts, sizes and ground that all figures share."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        **spec,
        "config": {
            "font": FONT,
            "background": "#ffffff",
            "axis": {
                "labelFontSize": 12,
                "titleFontSize": 12,
                "gridColor": "#e3e6ea",
                "labelColor": "#1a1d21",
                "titleColor": "#1a1d21",
            },
            "legend": {"labelFontSize": 12, "titleFontSize": 12},
            "header": {"labelFontSize": 12},
            "facet": {"spacing": 10},
            "view": {"stroke": "#c9ced6"},
        },
    }
