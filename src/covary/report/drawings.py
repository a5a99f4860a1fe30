"""Figures of sheets, as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from covary.report.figures import MOST_SERIES, PALETTE, Spec, forest, themed
from covary.report.grid import ORDERS
from covary.report.sheet import Sheet
from covary.report.told import tip

MOST_ROWS = 60
TIERS = {tier: rank for rank, tier in enumerate(ORDERS["resource_tier"])}
BOX = {"width": 250, "height": 86, "gap": 26}


def plain(sheet: Sheet) -> Spec | None:
    """A dot for every row: its first share (else its first number) with its interval, labelled by the row's texts."""
    frame = sheet.frame.head(MOST_ROWS)
    value = next((name for name in frame.columns if name in sheet.percent), None) or next(
        (name for name in frame.columns if sheet.is_number(name)), None
    )
    if value is None or frame.is_empty():
        return None
    first = next(at for at, name in enumerate(frame.columns) if sheet.is_number(name))
    labels = frame.columns[:first] or [name for name in frame.columns if frame.schema[name] == pl.String][:1]
    factor, unit = (100, "%") if value in sheet.percent else (1, "")
    rows: list[dict[str, Any]] = []
    for row in frame.filter(pl.col(value).is_not_null()).iter_rows(named=True):
        label = " / ".join(str(row[name]) for name in labels if row[name] is not None)
        low, high = (factor * row[end] if row.get(end) is not None else None for end in ("low", "high"))
        told = tip(label, factor * row[value], low, high, row.get("source_items"), unit)
        rows.append({"label": label, "value": factor * row[value], "low": low, "high": high, "tip": told})
    if not rows:
        return None
    y = {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 480}}
    x = {"type": "quantitative", "title": sheet.heading(value), "axis": {"grid": True}}
    rule = {
        "mark": {"type": "rule", "strokeWidth": 1.6, "color": PALETTE[0]},
        "encoding": {"y": y, "x": {"field": "low", **x}, "x2": {"field": "high"}},
    }
    points = {
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1, "color": PALETTE[0]},
        "encoding": {"y": y, "x": {"field": "value", **x}},
    }
    layers = [rule, points] if any(row["low"] is not None for row in rows) else [points]
    return themed({"data": {"values": rows}, "width": 380, "height": {"step": 19}, "layer": layers})


def language_groups(sheet: Sheet) -> Spec | None:
    """Accuracy by group of languages, a panel per grouping and condition, a colour and shape per model."""
    frame = sheet.frame.filter(pl.col("accuracy").is_not_null())
    models = frame["model"].unique(maintain_order=True).to_list()
    if frame.is_empty() or len(models) > MOST_SERIES:
        return plain(sheet)
    scorers = frame["scorer"].n_unique() > 1
    rows: list[dict[str, Any]] = [
        {
            "level": f"{row['level']} ({row['languages']})",
            "panel": row["grouping"] + "; " + row["condition"] + (f"; {row['scorer']}" if scorers else ""),
            "model": row["model"],
            **_rate(row),
        }
        for row in frame.iter_rows(named=True)
    ]
    ranked = sorted(rows, key=lambda row: TIERS.get(row["level"].split()[0], 0))
    y = {
        "field": "level",
        "type": "nominal",
        "title": None,
        "sort": list(dict.fromkeys(row["level"] for row in ranked)),
    }
    shift = {"yOffset": {"field": "model", "sort": models}}
    x = {
        "type": "quantitative",
        "title": "accuracy (%); in brackets: number of languages",
        "scale": {"domain": [0, 100]},
    }
    colour = {"field": "model", "type": "nominal", "sort": models, "title": "model", "scale": {"range": list(PALETTE)}}
    shape = {"field": "model", "type": "nominal", "sort": models, "legend": None}
    return themed(
        {
            "data": {"values": rows},
            "facet": {"row": _panels("panel")},
            "spec": {
                "width": 400,
                "height": {"step": 14},
                "layer": [
                    {
                        "mark": {"type": "rule", "strokeWidth": 1.6},
                        "encoding": {
                            "y": y,
                            **shift,
                            "x": {"field": "low", **x},
                            "x2": {"field": "high"},
                            "color": colour,
                        },
                    },
                    {
                        "mark": {"type": "point", "filled": True, "size": 62, "opacity": 1},
                        "encoding": {"y": y, **shift, "x": {"field": "accuracy", **x}, "color": colour, "shape": shape},
                    },
                ],
            },
            "resolve": {"scale": {"y": "independent"}},
        }
    )


def _rate(row: Mapping[str, Any]) -> dict[str, Any]:
    accuracy, low, high = (None if row[name] is None else 100 * row[name] for name in ("accuracy", "low", "high"))
    name = f"{row['model']}, {row['condition']}, {row['level']}"
    told = tip(name, accuracy or 0.0, low, high, row["source_items"])
    return {"accuracy": accuracy, "low": low, "high": high, "tip": told}


def composition(sheet: Sheet) -> Spec | None:
    """Stacked shares of single languages and mixed traces, a bar per model, condition and question language."""
    frame = sheet.frame.filter(pl.col("part") == "language")
    if frame.is_empty():
        return None
    common = frame.group_by("found").agg(pl.col("n").sum()).sort("n", descending=True)["found"].to_list()
    kept = common[: MOST_SERIES - 1]
    by = ["model", "condition", "language"]
    pooled = (
        frame.with_columns(found=pl.when(pl.col("found").is_in(kept)).then("found").otherwise(pl.lit("other")))
        .group_by(*by, "found", maintain_order=True)
        .agg(pl.col("n").sum(), pl.col("share").sum(), pl.col("of").first())
    )
    rows = [
        {
            "label": f"{row['model']} / {row['condition']} / {row['language']}",
            "found": row["found"],
            "share": 100 * row["share"],
            "tip": f"{row['model']}, {row['condition']}, {row['language']}: {row['found']} in {row['n']:,} of {row['of']:,} "
            f"traces with prose ({100 * row['share']:.2f} %)",
        }
        for row in pooled.iter_rows(named=True)
    ]
    order = [*kept, *(["other"] if len(common) > len(kept) else [])]
    return themed(
        {
            "data": {"values": rows},
            "width": 380,
            "height": {"step": 22},
            "mark": {"type": "bar", "stroke": "#ffffff", "strokeWidth": 1},
            "encoding": {
                "y": {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 420}},
                "x": {
                    "field": "share",
                    "type": "quantitative",
                    "title": "% of traces with prose",
                    "scale": {"domain": [0, 100]},
                },
                "color": {
                    "field": "found",
                    "type": "nominal",
                    "sort": order,
                    "title": "language",
                    "scale": {"domain": order, "range": list(PALETTE)},
                },
            },
        }
    )


def distractors(sheet: Sheet) -> Spec | None:
    """How often options of each kind were chosen (dots), beside blind choice (open marks)."""
    rows: list[dict[str, Any]] = []
    for row in sheet.frame.head(MOST_ROWS).iter_rows(named=True):
        label = " / ".join(str(row[name]) for name in ("condition", "model", "language", "kind"))
        for column, what in (("of_answers", "chosen"), ("chance", "by blind choice")):
            if row[column] is not None:
                told = tip(f"{label}, {what}", 100 * row[column], None, None, None)
                rows.append(
                    {
                        "label": label,
                        "what": what,
                        "share": 100 * row[column],
                        "tip": f"{told}; {row['offered']:,} answers",
                    }
                )
    if not rows:
        return None
    order = ["chosen", "by blind choice"]
    scale = {"domain": order, "range": [PALETTE[0], PALETTE[1]]}
    legend = {"title": None, "orient": "top"}
    what = {"field": "what", "type": "nominal", "sort": order}
    return themed(
        {
            "data": {"values": rows},
            "width": 380,
            "height": {"step": 19},
            "mark": {"type": "point", "size": 62, "opacity": 1, "strokeWidth": 2},
            "encoding": {
                "y": {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 480}},
                "x": {"field": "share", "type": "quantitative", "title": "% of answers", "scale": {"domain": [0, 100]}},
                "color": {**what, "scale": scale, "legend": legend},
                "shape": {**what, "scale": {"domain": order, "range": ["circle", "diamond"]}, "legend": legend},
            },
        }
    )


def consistency(sheet: Sheet) -> Spec | None:
    """Source items all right, mixed and all wrong as stacked bars."""
    parts = {"all right": PALETTE[0], "flips": PALETTE[4], "all wrong": "#9aa3ad"}
    if not set(parts) <= set(sheet.frame.columns):
        return plain(sheet)
    rows = [
        {
            "label": f"{row['scorer']} / {row['condition']} / {row['model']}",
            "part": part,
            "share": 100 * row[part],
            "rank": rank,
            "tip": tip(
                f"{row['scorer']}, {row['condition']}, {row['model']}, {part}",
                100 * row[part],
                None,
                None,
                row["source_items"],
            ),
        }
        for row in sheet.frame.head(MOST_ROWS).iter_rows(named=True)
        for rank, part in enumerate(parts)
        if row[part] is not None
    ]
    if not rows:
        return None
    scale = {"domain": list(parts), "range": list(parts.values())}
    return themed(
        {
            "data": {"values": rows},
            "width": 380,
            "height": {"step": 19},
            "mark": {"type": "bar", "stroke": "#ffffff", "strokeWidth": 1},
            "encoding": {
                "y": {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 480}},
                "x": {
                    "field": "share",
                    "type": "quantitative",
                    "title": "% of source items",
                    "scale": {"domain": [0, 100]},
                },
                "color": {
                    "field": "part",
                    "type": "nominal",
                    "sort": list(parts),
                    "scale": scale,
                    "legend": {"title": None, "orient": "top"},
                },
                "order": {"field": "rank", "type": "quantitative"},
            },
        }
    )


def contrasts(sheet: Sheet) -> Spec | None:
    """The forest plot."""
    return forest(sheet.frame)


def discordance(sheet: Sheet) -> Spec | None:
    """Flips both ways as bars to the left and right of nothing, the contrasts with the most flips first."""
    frame = sheet.frame.sort("flips", descending=True, maintain_order=True).head(MOST_ROWS // 2)
    rows: list[dict[str, Any]] = []
    for row in frame.iter_rows(named=True):
        label = f"{row['a']} | {row['b']} ({row['within']})" if row["within"] else f"{row['a']} | {row['b']}"
        for level, side, sign in (("a", "first", -1), ("b", "second", 1)):
            n, share = row[f"right_only_at_{level}"], 100 * row[f"right_only_at_{level}"] / row["pairs"]
            rows.append(
                {
                    "label": label,
                    "side": f"right only at the {side} level",
                    "share": sign * share,
                    "tip": f"{label}: right only at {row[level]} in {n:,} of {row['pairs']:,} pairs ({share:.2f} %)",
                }
            )
    if not rows:
        return None
    return themed(
        {
            "data": {"values": rows},
            "width": 400,
            "height": {"step": 17},
            "mark": {"type": "bar"},
            "encoding": {
                "y": {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 460}},
                "x": {
                    "field": "share",
                    "type": "quantitative",
                    "title": "% of pairs",
                    "axis": {"labelExpr": "abs(datum.value)"},
                },
                "color": {
                    "field": "side",
                    "type": "nominal",
                    "title": None,
                    "scale": {"range": [PALETTE[1], PALETTE[0]]},
                    "legend": {"orient": "top", "labelLimit": 300},
                },
            },
        }
    )


def sample_size(sheet: Sheet) -> Spec | None:
    """The smallest difference shown against the number of items, a line per contrast."""
    frame = sheet.frame.filter(pl.col("smallest_difference").is_not_null())
    names = frame["contrast"].unique(maintain_order=True).to_list()
    if frame.is_empty() or len(names) > MOST_SERIES:
        return None
    rows = [
        {
            "contrast": f"{row['contrast']} ({100 * row['flips']:.0f} % flips)",
            "items": row["source_items"],
            "difference": 100 * row["smallest_difference"],
            "tip": f"{row['contrast']}: {row['source_items']:,} source items show {100 * row['smallest_difference']:.2f} points",
        }
        for row in frame.iter_rows(named=True)
    ]
    series = {"field": "contrast", "type": "nominal", "sort": None, "title": "contrast"}
    line = {"strokeDash": {**series, "legend": None}}
    points = {"shape": {**series, "legend": None}}
    return themed(
        {
            "data": {"values": rows},
            "width": 420,
            "height": 260,
            "layer": [
                {"mark": {"type": "line"}, "encoding": line},
                {"mark": {"type": "point", "filled": True, "size": 55, "opacity": 1}, "encoding": points},
            ],
            "encoding": {
                "x": {
                    "field": "items",
                    "type": "quantitative",
                    "title": "source items",
                    "scale": {"type": "log", "domain": [45, 3300], "nice": False},
                    "axis": {
                        "values": sorted({row["items"] for row in rows}),
                        "labelOverlap": False,
                        "labelAngle": -45,
                    },
                },
                "y": {"field": "difference", "type": "quantitative", "title": "smallest difference shown (points)"},
                "color": {**series, "scale": {"range": list(PALETTE)}, "legend": {"labelLimit": 300}},
            },
        }
    )


def pipeline(sheet: Sheet) -> Spec | None:
    """Declared steps as boxes, a column per stage, from left to right."""
    rows: list[dict[str, Any]] = []
    stages = sheet.frame["stage"].unique(maintain_order=True).to_list()
    for row in sheet.frame.iter_rows(named=True):
        column, place = stages.index(row["stage"]), sum(1 for other in rows if other["stage"] == row["stage"])
        left, top = column * (BOX["width"] + 44), 34 + place * (BOX["height"] + BOX["gap"])
        text = [row["step"], *_wrapped(str(row.get("does") or ""), 40)]
        rows.append(
            {
                "stage": row["stage"],
                "left": left,
                "right": left + BOX["width"],
                "top": top,
                "bottom": top + BOX["height"],
                "middle": left + BOX["width"] / 2,
                "title": text[0],
                "text": text[1:],
                "text_top": top + 34,
                "title_top": top + 17,
                "under": place > 0 and bool(row.get("follows")),
            }
        )
    if not rows:
        return None
    width, height = max(row["right"] for row in rows) + 4, max(row["bottom"] for row in rows) + 6
    x, y = (
        (lambda field: {"field": field, "type": "quantitative", "axis": None, "scale": {"domain": [-4, width]}}),
        (
            lambda field: {
                "field": field,
                "type": "quantitative",
                "axis": None,
                "scale": {"domain": [height, 0], "zero": False},
            }
        ),
    )
    heads = [
        {"stage": stage, "middle": number * (BOX["width"] + 44) + BOX["width"] / 2, "top": 14}
        for number, stage in enumerate(stages)
    ]
    down = [{"x": row["middle"], "y": row["top"] - BOX["gap"], "y2": row["top"]} for row in rows if row["under"]]
    across = [
        {
            "x": number * (BOX["width"] + 44) + BOX["width"],
            "x2": (number + 1) * (BOX["width"] + 44),
            "y": 34 + BOX["height"] / 2,
        }
        for number in range(len(stages) - 1)
    ]
    line = {"type": "rule", "color": "#444", "strokeWidth": 1.6}
    return themed(
        {
            "width": width,
            "height": height,
            "view": {"stroke": None},
            "layer": [
                {"data": {"values": down}, "mark": line, "encoding": {"x": x("x"), "y": y("y"), "y2": {"field": "y2"}}},
                {
                    "data": {"values": across},
                    "mark": line,
                    "encoding": {"x": x("x"), "x2": {"field": "x2"}, "y": y("y")},
                },
                {
                    "data": {"values": down},
                    "mark": {
                        "type": "point",
                        "shape": "triangle-down",
                        "filled": True,
                        "color": "#444",
                        "size": 60,
                        "opacity": 1,
                        "yOffset": -4,
                    },
                    "encoding": {"x": x("x"), "y": y("y2")},
                },
                {
                    "data": {"values": across},
                    "mark": {
                        "type": "point",
                        "shape": "triangle-right",
                        "filled": True,
                        "color": "#444",
                        "size": 60,
                        "opacity": 1,
                        "xOffset": -4,
                    },
                    "encoding": {"x": x("x2"), "y": y("y")},
                },
                {
                    "data": {"values": rows},
                    "mark": {"type": "rect", "fill": "#eef4f9", "stroke": PALETTE[0], "cornerRadius": 5},
                    "encoding": {"x": x("left"), "x2": {"field": "right"}, "y": y("top"), "y2": {"field": "bottom"}},
                },
                {
                    "data": {"values": heads},
                    "mark": {"type": "text", "fontSize": 14, "fontWeight": "bold"},
                    "encoding": {"x": x("middle"), "y": y("top"), "text": {"field": "stage"}},
                },
                {
                    "data": {"values": rows},
                    "mark": {"type": "text", "fontSize": 12, "fontWeight": "bold"},
                    "encoding": {"x": x("middle"), "y": y("title_top"), "text": {"field": "title"}},
                },
                {
                    "data": {"values": rows},
                    "mark": {"type": "text", "fontSize": 11, "lineHeight": 14, "baseline": "top"},
                    "encoding": {"x": x("middle"), "y": y("text_top"), "text": {"field": "text"}},
                },
            ],
        }
    )


def _panels(field: str) -> dict[str, Any]:
    return {
        "field": field,
        "type": "nominal",
        "title": None,
        "header": {"labelAngle": 0, "labelAlign": "left", "labelFontWeight": "bold"},
    }


def _wrapped(text: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(text, width)[:3]
