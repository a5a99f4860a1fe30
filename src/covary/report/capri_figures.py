"""The figures of the CAPRI study as Vega-Lite specifications over its tables: numbers 3 to 7, 11 and 12 of the paper, in our style.

Colour never speaks alone: dashes, shapes or printed words repeat it. Which lines of checkpoints a figure shows is declared in the
study's options (`best_of_family`, `largest_of_family`); where none of those was run, all are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import polars as pl

from covary.report.capri_frame import CULTURES, LEVELS, MODES, OBJECTIVE, Shown, Study
from covary.report.capri_rates import METRIC_AND_DOLLARS, TRIVIAL
from covary.report.figures import PALETTE, Spec, themed

Row = dict[str, Any]
Drawn = tuple[str, str, Spec]
BG, VQA = "background (which country?)", "reply (in the user's unit)"
SHORT = {
    "ImplicitCue1": "Cue 1",
    "ImplicitCue2": "Cue 2",
    "ImplicitFull": "Implicit",
    "ExplicitFull": "Explicit",
}
X_LEVELS = tuple(SHORT.get(level, level) for level in LEVELS)
TIE = "tie"
TIMES = ("morning", "noon", "afternoon", "evening", "night", TIE)
TIME_COLOURS = ("#f0e442", "#e69f00", "#d55e00", "#56b4e9", "#0072b2", "#d9dde3")
DEPTH_COLOURS = ("#d9dde3", "#9ecae1", "#4292c6", "#084594")
REST, MOST_SHARES = "other", 6
GREYS = {"unknown": "#d9dde3", "none": "#e8eaee", REST: "#a9b0b8"}
MOST_COLUMNS = 3
PANEL_WIDTH = 230
DODGE = 5  # pixels between the lines of a panel, so that their intervals don't hide each other


def drawn(made: Mapping[str, Shown], study: Study) -> list[Drawn]:
    """Every figure whose table is there and not empty."""
    drawers = (_rq1, _rq2, _rq3, _priors_of_country, _priors_of_unit, _rq5, _depth, _clock)
    return [figure for draw in drawers for figure in draw(made, study)]


def _rq1(made: Mapping[str, Shown], study: Study) -> Iterable[Drawn]:
    rows = _chosen(_rows(made, "capri-levels"), study, "best_of_family")
    shown = [row for row in rows if row["mode"] == "direct"]
    if shown:
        spec = _lines(shown, "series", (BG, VQA), _panels(shown, study), _baseline(made))
        yield (
            "figure-3",
            "Direct answers: is the country known, and is it acted on? Dotted: always metric and US dollars.",
            spec,
        )


def _rq2(made: Mapping[str, Shown], study: Study) -> Iterable[Drawn]:
    rows = _chosen(_rows(made, "capri-levels"), study, "best_of_family")
    reply = [{**row, "series": f"reply, {row['mode']}"} for row in rows if row["series"] == VQA]
    beside = _best_background(rows)
    if len({row["mode"] for row in reply}) > 1:
        series = ("background", *(f"reply, {mode}" for mode in MODES))
        spec = _lines([*beside, *reply], "series", series, _panels(reply, study), _baseline(made))
        yield "figure-4", "What reasoning changes in the reply, with background inference beside it.", spec


def _rq3(made: Mapping[str, Shown], study: Study) -> Iterable[Drawn]:
    rows = _rows(made, "capri-levels")
    replies = [{**row, "series": VQA} for row in rows if row["series"] == VQA and row["mode"] == "pragmatic"]
    background = [{**row, "series": BG} for row in _best_background(rows)]
    sized = _sized({row["line"] for row in replies}, study)
    if replies:
        both = [row for row in [*background, *replies] if row["line"] in sized]
        spec = _lines(both, "series", (BG, VQA), sized, None, _between(both))
        yield (
            "figure-5",
            "The gap by size of model, under pragmatic reasoning. Shaded: between background and reply; where background lies above, "
            "the country is known and not acted on.",
            spec,
        )


def _priors_of_country(made: Mapping[str, Shown], study: Study) -> Iterable[Drawn]:
    rows = _by_size([row for row in _rows(made, "capri-prior-country") if row["mode"] == "direct"], study)
    if rows:
        requests = max(row["n"] for row in rows)
        caption = f"Country named without any cue ({requests} distinct requests a model)."
        yield (
            "figure-6a",
            caption,
            _stacked(
                _few(rows, "answer", ("line",)),
                "line",
                "answer",
                "share of distinct requests (%)",
                order=_panels(rows, study),
            ),
        )


def _priors_of_unit(made: Mapping[str, Shown], study: Study) -> Iterable[Drawn]:
    rows = [row for row in _rows(made, "capri-prior-unit") if row["mode"] == "direct"]
    rows = _chosen(rows, study, "largest_of_family")
    if rows:
        few = _few(rows, "answer", ("line", "domain"))
        panels = _panels(rows, study)
        spec = _stacked(few, "domain", "answer", "share of pictures (%)", panel="line", panels=panels, order=OBJECTIVE)
        yield "figure-6b", "Unit system or currency used without any cue.", spec


def _rq5(made: Mapping[str, Shown], study: Study) -> Iterable[Drawn]:
    rows = _chosen(_rows(made, "capri-inter"), study, "largest_of_family")
    shown = [{**row, "series": row["mode"]} for row in rows if row["cue_level"] in X_LEVELS]
    if shown:
        spec = _lines(
            shown, "series", MODES, _panels(shown, study), None, title="pairs of cultures that differ (%)", whole=False
        )
        yield (
            "figure-7",
            "Divergence between cultures (D_inter) by cue level. Null and Neutral share their prompt: 0.",
            spec,
        )


def _depth(made: Mapping[str, Shown], study: Study) -> Iterable[Drawn]:
    rows = _by_size(_rows(made, "capri-depth"), study)
    rows = [{**row, "condition": f"{row['line']}, {row['mode']}"} for row in rows]
    if rows:
        spec = _stacked(rows, "condition", "depth", "share of traces (%)", colours=DEPTH_COLOURS)
        yield (
            "figure-11",
            "How deep reasoning goes at ImplicitFull: no cue, cue named, identity stated, identity drives the answer.",
            spec,
        )


def _clock(made: Mapping[str, Shown], study: Study) -> Iterable[Drawn]:
    table = made.get("capri-clock")
    if table is None or table.frame.is_empty():
        return
    lines = _declared(set(table.frame["line"]), study, "largest_of_family")
    for line in lines:
        part = table.frame.filter((pl.col("line") == line) & (pl.col("mode") == "direct"))
        hours = [name for name in part.columns if ":" in name]
        rows = [
            {
                "level": SHORT.get(row["cue_level"], row["cue_level"]),
                "culture": row["culture"],
                "hour": hour,
                "answer": TIE if " / " in row[hour] else row[hour],
                "text": "=" if " / " in row[hour] else row[hour][:2],
            }
            for row in part.iter_rows(named=True)
            for hour in hours
            if row[hour]
        ]
        if rows:
            yield (
                f"figure-12-{line}" if len(lines) > 1 else "figure-12",
                f"{line}: time of day chosen for clocks on the hour, by cue level and culture (first letters; =: a tie).",
                _grid(rows, hours),
            )


def _rows(made: Mapping[str, Shown], name: str) -> list[Row]:
    """The cells of a table that have a value, as rows with per cents and shown names."""
    table = made.get(name)
    if table is None or table.frame.is_empty():
        return []
    found: list[Row] = []
    for cell in table.frame.iter_rows(named=True):
        group: dict[str, str] = msgspec.json.decode(cell["group"])
        if cell["value"] is None or group.get("mode") == TRIVIAL:
            continue
        level = group.get("cue_level", "")
        found.append(
            {
                **group,
                "cue_level": SHORT.get(level, level),
                "series": {"bg": BG, "vqa": VQA}.get(group.get("task", ""), ""),
                "value": 100 * cell["value"],
                "low": None if cell["low"] is None else 100 * cell["low"],
                "high": None if cell["high"] is None else 100 * cell["high"],
                "n": cell["n_items"],
            }
        )
    return found


def _baseline(made: Mapping[str, Shown]) -> float | None:
    """What always metric and US dollars scores, in per cent."""
    table = made.get("capri-levels")
    if table is None:
        return None
    part = table.frame.filter(pl.col("group").str.contains(METRIC_AND_DOLLARS, literal=True))
    return None if part.is_empty() else 100 * float(part["value"][0])


def _best_background(rows: Sequence[Row]) -> list[Row]:
    """Background rows of the deepest mode asked, per line, as one series."""
    asked: dict[str, str] = {}
    for row in rows:
        if row["series"] == BG and MODES.index(row["mode"]) >= MODES.index(asked.get(row["line"], MODES[0])):
            asked[row["line"]] = row["mode"]
    return [
        {**row, "series": "background"} for row in rows if row["series"] == BG and row["mode"] == asked.get(row["line"])
    ]


def _chosen(rows: Sequence[Row], study: Study, option: str) -> list[Row]:
    lines = _declared({row["line"] for row in rows}, study, option)
    return [row for row in rows if row["line"] in lines]


def _declared(lines: Iterable[str], study: Study, option: str) -> list[str]:
    """The declared lines that were run, in declared order; all where none of them was."""
    known = sorted(lines)
    wanted = [str(name) for name in study.options.get(option, ()) if name in known]
    return wanted or known


def _panels(rows: Sequence[Row], study: Study) -> tuple[str, ...]:
    """The lines of these rows by family and size."""
    return _sized({row["line"] for row in rows}, study)


def _by_size(rows: Sequence[Row], study: Study) -> list[Row]:
    rank = {line: at for at, line in enumerate(_panels(rows, study))}
    return sorted(rows, key=lambda row: rank[row["line"]])


def _columns(panels: int) -> int:
    """How many panels stand side by side: three, but two where four would leave two places empty."""
    return 2 if panels == 4 else min(panels, MOST_COLUMNS)


def _sized(lines: Iterable[str], study: Study) -> tuple[str, ...]:
    """Lines by family and size."""
    size = {
        model.checkpoint_of or model.name: (model.family or "", model.parameters_b or 0.0) for model in study.models
    }
    return tuple(sorted(lines, key=lambda line: (*size.get(line, ("", 0.0)), line)))


def _between(rows: Sequence[Row]) -> list[Row]:
    """Per line and level the two ends of the shaded area."""
    ends: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        ends.setdefault((row["line"], row["cue_level"]), {})[row["series"]] = row["value"]
    return [
        {"line": line, "cue_level": level, "from": pair[VQA], "to": pair[BG]}
        for (line, level), pair in ends.items()
        if len(pair) == 2
    ]


def _few(rows: Sequence[Row], field: str, by: Sequence[str]) -> list[Row]:
    """Shares with all but the commonest answers pooled, "unknown" and "none" last."""
    total: dict[str, float] = {}
    for row in rows:
        total[row[field]] = total.get(row[field], 0.0) + row["value"]
    kept = sorted(total, key=lambda name: (name in GREYS, -total[name]))
    named = [name for name in kept if name not in GREYS][:MOST_SHARES] + [n for n in kept if n in GREYS]
    pooled: dict[tuple[str, ...], Row] = {}
    for row in rows:
        name = row[field] if row[field] in named else REST
        key = (*(row[factor] for factor in by), name)
        before = pooled.get(key)
        pooled[key] = {**row, field: name, "value": row["value"] + (before["value"] if before else 0.0)}
    rank = {name: at for at, name in enumerate([*named, REST])}
    return sorted(pooled.values(), key=lambda row: rank[row[field]])


def _lines(
    rows: Sequence[Row],
    field: str,
    series: Sequence[str],
    panels: Sequence[str],
    baseline: float | None = None,
    shaded: Sequence[Row] = (),
    *,
    title: str = "%",
    whole: bool = True,
) -> Spec:
    """Lines over cue levels with intervals, a panel per line of checkpoints."""
    present = [name for name in series if any(row[field] == name for row in rows)]
    order = list(panels)
    rows = [row for row in rows if row["cue_level"] in X_LEVELS]  # controls have tables of their own
    levels = [level for level in X_LEVELS if any(row["cue_level"] == level for row in rows)]
    x = {"field": "cue_level", "type": "ordinal", "sort": levels, "title": None, "axis": {"labelAngle": -40},
         "scale": {"type": "band", "domain": levels, "padding": 0}}  # fmt: skip
    y = {"type": "quantitative", "title": title, "scale": {"domain": [0, 100]} if whole else {"zero": True}}
    legend = {
        "title": None,
        "orient": "top",
        "columns": 4,
        "labelLimit": 260,
        "symbolSize": 110,
        "symbolStrokeWidth": 0,
    }
    look = {
        "color": {"field": field, "type": "nominal", "sort": present, "legend": legend,
                  "scale": {"domain": present, "range": list(PALETTE[: len(present)])}},
        "strokeDash": {"field": field, "type": "nominal", "sort": present,
                       "scale": {"domain": present, "range": [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]][: len(present)]}},
        "shape": {"field": field, "type": "nominal", "sort": present, "scale": {"domain": present}},
    }  # fmt: skip
    half = 0 if shaded else DODGE * (len(present) - 1) / 2
    middle = PANEL_WIDTH / len(levels) / 2
    aside = {"field": field, "type": "nominal", "sort": present,
             "scale": {"domain": present, "range": [middle - half, middle + half]}}  # fmt: skip
    bars = {"x": x, "xOffset": aside, "y": {"field": "low", **y}, "y2": {"field": "high"}, "color": look["color"]}
    line = {
        "x": x,
        "xOffset": aside,
        "y": {"field": "value", **y},
        "color": look["color"],
        "strokeDash": look["strokeDash"],
    }
    points = {
        "x": x,
        "xOffset": aside,
        "y": {"field": "value", **y},
        "color": look["color"],
        "shape": look["shape"],
        "tooltip": _tooltip(),
    }
    only = {"filter": f"isValid(datum['{field}'])"}
    layers: list[Spec] = [
        {"transform": [only], "mark": {"type": "rule", "strokeWidth": 1.2, "opacity": 0.75}, "encoding": bars},
        {"transform": [only], "mark": {"type": "line", "strokeWidth": 2}, "encoding": line},
        {"transform": [only], "mark": {"type": "point", "filled": True, "size": 52, "opacity": 1}, "encoding": points},
    ]
    if shaded:
        area = {"x": x, "y": {"field": "from", **y}, "y2": {"field": "to"}}
        only_area = {"filter": "isValid(datum['from'])"}
        layers.insert(
            0,
            {"transform": [only_area], "mark": {"type": "area", "color": "#9aa3ad", "opacity": 0.3}, "encoding": area},
        )
    if baseline is not None:
        rule = {"type": "rule", "strokeDash": [1, 3], "color": "#444"}
        layers.append({"mark": rule, "encoding": {"y": {"datum": baseline, "type": "quantitative"}}})
    return themed(
        {
            "data": {"values": [*rows, *(row for row in shaded if row["cue_level"] in X_LEVELS)]},
            "facet": {"field": "line", "type": "nominal", "title": None, "sort": order,
                      "header": {"labelFontWeight": "bold", "labelLimit": 300}},
            "columns": _columns(len(order)),
            "resolve": {"axis": {"x": "independent"}},
            "spec": {"width": PANEL_WIDTH, "height": 190, "layer": layers},
        }
    )  # fmt: skip


def _stacked(
    rows: Sequence[Row],
    y: str,
    part: str,
    title: str,
    *,
    panel: str | None = None,
    panels: Sequence[str] = (),
    order: Sequence[str] = (),
    colours: Sequence[str] = PALETTE,
) -> Spec:
    """Stacked bars of shares, each share that has room printed with its name."""
    parts = list(dict.fromkeys(row[part] for row in rows))
    free = iter(colours)
    colours = [GREYS[part_name] if part_name in GREYS else next(free) for part_name in parts]
    ordered: list[Row] = []
    ends: dict[tuple[str, str], float] = {}
    for row in rows:
        key = (row.get(panel or "", ""), row[y])
        start = ends.get(key, 0.0)
        ends[key] = start + row["value"]
        ordered.append({**row, "start": start, "end": ends[key], "middle": start + row["value"] / 2})
    axis = {"type": "quantitative", "title": title, "scale": {"domain": [0, 100]}}
    names = {"field": y, "type": "nominal", "title": None, "sort": list(order or dict.fromkeys(row[y] for row in rows)),
             "axis": {"labelLimit": 260}}  # fmt: skip
    legend = {"title": None, "orient": "top", "columns": 5}
    colour = {
        "field": part,
        "type": "nominal",
        "sort": parts,
        "legend": legend,
        "scale": {"domain": parts, "range": colours},
    }
    fits = f"datum.value >= 1.5 * (length(datum['{part}']) + 3)"
    label = {"expr": f"{fits} ? datum['{part}'] + ' ' + format(datum.value, '.0f') : ''"}
    dark = {"expr": f"indexof({_dark(parts, colours)}, datum['{part}']) >= 0 ? '#ffffff' : '#111111'"}
    layers: list[Spec] = [
        {
            "mark": {"type": "bar", "stroke": "#ffffff", "height": {"band": 0.82}},
            "encoding": {"y": names, "x": {"field": "start", **axis}, "x2": {"field": "end"}, "color": colour},
        },
        {
            "mark": {"type": "text", "fontSize": 11, "text": label, "fill": dark},
            "encoding": {"y": names, "x": {"field": "middle", **axis}},
        },
    ]
    inner: Spec = {"width": 520 if panel is None else 430, "height": {"step": 26}, "layer": layers}
    if panel is None:
        return themed({"data": {"values": ordered}, **inner})
    facet = {
        "row": {
            "field": panel,
            "type": "nominal",
            "title": None,
            "sort": list(panels),
            "header": {"labelAngle": 0, "labelAlign": "left"},
        }
    }
    return themed({"data": {"values": ordered}, "facet": facet, "spec": inner})


def _grid(rows: Sequence[Row], hours: Sequence[str]) -> Spec:
    """Hours × cultures, a panel per cue level."""
    x = {"field": "hour", "type": "ordinal", "sort": list(hours), "title": None, "axis": {"labelAngle": 0}}
    y = {"field": "culture", "type": "nominal", "title": None, "sort": list(CULTURES)}
    colour = {"field": "answer", "type": "nominal", "sort": list(TIMES), "legend": {"title": None, "orient": "top"},
              "scale": {"domain": list(TIMES), "range": list(TIME_COLOURS)}}  # fmt: skip
    return themed(
        {
            "data": {"values": list(rows)},
            "facet": {"field": "level", "type": "nominal", "title": None, "sort": list(X_LEVELS)},
            "columns": 2,
            "spec": {
                "width": {"step": 38},
                "height": {"step": 17},
                "layer": [
                    {"mark": {"type": "rect", "stroke": "#ffffff"}, "encoding": {"x": x, "y": y, "color": colour}},
                    {
                        "mark": {"type": "text", "fontSize": 9},
                        "encoding": {
                            "x": x,
                            "y": y,
                            "text": {"field": "text"},
                            "color": {"condition": {"test": "datum.answer === 'night'", "value": "#ffffff"}, "value": "#111111"},
                        },
                    },
                ],
            },
        }
    )  # fmt: skip


def _dark(parts: Sequence[str], colours: Sequence[str]) -> str:
    """The parts whose colour needs white print, as a JSON list."""
    dark = {"#0072B2", "#D55E00", "#000000", "#4292c6", "#084594"}
    return msgspec.json.encode([part for part, colour in zip(parts, colours, strict=False) if colour in dark]).decode()


def _tooltip() -> list[dict[str, str]]:
    return [{"field": name} for name in ("line", "series", "cue_level", "value", "low", "high", "n")]
