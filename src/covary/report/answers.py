"""What answers are like: choices by distractor kind, error detection with controls, repeated attempts, faults of traces."""

from __future__ import annotations

from typing import Any

import msgspec
import polars as pl

from covary import schema
from covary.analysis import attempts, detection
from covary.report import traces
from covary.report.material import Material, judged, opened, rates
from covary.report.sheet import Sheet

CELL = ["scorer", "condition", "model"]
F1_ALONE = (
    "Without clean solutions F1 is a function of accuracy, 2a / (1 + a), and says nothing more; specificity, d′ and balanced "
    "accuracy can't be known."
)
F1_BOTH = (
    "Sensitivity: faulty solutions called faulty. Specificity: clean ones called clean. d′ sets both against guessing."
)
UNKNOWN_KIND = "not told"


def distractors(material: Material) -> Sheet | None:
    """How often options of each kind were chosen, beside how often chance would choose them."""
    items = material.items.filter(pl.col("format") == "mcq")
    rows = material.frame.filter(
        (pl.col("format") == "mcq") & (pl.col("scorer") == "mcq") & pl.col("answer").is_not_null()
    )
    if items.is_empty() or rows.is_empty():
        return None
    offered = pl.DataFrame(
        [entry for item in items.iter_rows(named=True) for entry in _options(item)],
        schema={"item_id": pl.String(), "letter": pl.String(), "kind": pl.String(), "options": pl.Int64()},
        orient="row",
    )
    by = ["condition", "model", "language"]
    answered = rows.filter(pl.col("answer").is_in(["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"]))
    cells = answered.select(*by, "item_id", "answer").join(offered, on="item_id", how="inner")
    wrong = pl.col("chosen") & (pl.col("kind") != "key")
    frame = (
        cells.with_columns(chosen=pl.col("answer") == pl.col("letter"))
        .group_by([*by, "kind"])
        .agg(
            offered=pl.len().cast(pl.Int64),
            chosen=pl.col("chosen").sum().cast(pl.Int64),
            wrong=wrong.sum(),
            by_chance=(1 / pl.col("options")).sum(),
        )
        .with_columns(
            of_answers=pl.col("chosen") / pl.col("by_chance").sum().over(by),
            chance=pl.col("by_chance") / pl.col("by_chance").sum().over(by),
            of_wrong_choices=pl.when(pl.col("kind") != "key").then(pl.col("wrong") / pl.col("wrong").sum().over(by)),
        )
        .drop("wrong", "by_chance")
        .sort([*by, pl.col("kind") != "key", "kind"])
    )
    note = "Of answers: share of the answers that name an option. Chance: the share that blind choice would give."
    if frame.filter(pl.col("kind") == UNKNOWN_KIND).height:
        note += f" “{UNKNOWN_KIND}”: the items don't say how the distractor was made."
    return Sheet(
        "distractors",
        "Options chosen, by kind, beside chance.",
        frame,
        note,
        percent=("of_answers", "chance", "of_wrong_choices"),
    )


def detected(material: Material) -> Sheet | None:
    """Detection of planted errors: sensitivity, and with clean controls specificity, balanced accuracy, d′, precision, F1."""
    solutions = material.items.filter(pl.col("format") == "solution")
    rows = judged(material.frame.filter(pl.col("format") == "solution"))
    if solutions.is_empty() or rows.is_empty():
        return None
    faulty = pl.col("meta").str.json_path_match("$.faulty").replace_strict({"true": True, "false": False}, default=None)
    known = solutions.select("item_id", faulty=pl.coalesce(faulty, pl.col("perturbation") != "clean"))
    by = [*CELL, "language"]
    found = detection.measures(rows.join(known, on="item_id"), by, cluster="cluster", seed=material.seed)
    frame = opened(found, by).pivot("name", index=by, values="value", maintain_order=True).sort(by)
    controls = frame["specificity"].null_count() < frame.height
    return Sheet(
        "error-detection",
        "Detecting planted errors, and naming them.",
        frame,
        f"{F1_BOTH if controls else F1_ALONE} Nulls count as wrong.",
        percent=tuple(name for name in frame.columns if name not in by and name != "d-prime"),
    )


def repeated(material: Material) -> Sheet | None:
    """Pass@k for every k up to the number of attempts."""
    found = pass_at_each(material.frame if material.attempts is None else material.attempts, material.seed)
    if found.is_empty():
        return None
    by = [*CELL, "language"]
    frame = opened(found, by).select(*by, "name", "value", "low", "high", source_items="n_items", note="note")
    return Sheet(
        "pass-at-k",
        "Share of items solved within k attempts.",
        frame.sort(by, maintain_order=True),
        "Unbiased for k up to the number of attempts. Nulls count as wrong.",
        percent=("value", "low", "high"),
    )


def pass_at_each(frame: pl.DataFrame, seed: int = 0) -> pl.DataFrame:
    """Estimates of pass@k for every k up to the number of attempts, by scorer, condition, model and language; none without
    repeated attempts."""
    if not frame["replicate"].max():
        return schema.ESTIMATES.empty()
    rows = judged(frame)
    most = 0 if rows.is_empty() else int(str(rows["replicate"].max())) + 1
    if most < 2:
        return schema.ESTIMATES.empty()
    by = [*CELL, "language"]
    several = rows.filter((pl.col("replicate").max() > 0).over(by))
    return attempts.pass_at_k(several, range(1, most + 1), by, cluster="cluster", seed=seed)


def failures(material: Material) -> Sheet | None:
    """Rates of trace failures by condition, model and language."""
    rows = material.frame.filter((pl.col("scorer") == "trace") & pl.col("value").is_not_null())
    if rows.is_empty():
        return None
    by = ["condition", "model", "language"]
    whole = rows.group_by(by).agg(traces=pl.len().cast(pl.Int64))
    labels = rows.select(*by, failure=pl.col("answer").fill_null("").str.split(", ")).explode("failure")
    anything = rates(rows, by, material.seed).select(*by, failures=pl.col("accuracy"))
    counted = labels.filter(pl.col("failure") != "").group_by([*by, "failure"]).agg(n=pl.len().cast(pl.Int64))
    shares = counted.join(whole, on=by).with_columns(share=pl.col("n") / pl.col("traces"))
    wide = shares.pivot("failure", index=by, values="share", sort_columns=True)
    names = [name for name in wide.columns if name not in by]
    frame = (
        whole.join(anything, on=by, how="left")
        .join(wide, on=by, how="left")
        .with_columns(pl.col(names).fill_null(0.0))
        .sort(by)
    )
    return Sheet(
        "trace-failures",
        "Traces in which something went wrong, and what.",
        frame.rename({"failures": "any failure"}),
        "Share of the traces that were read; a trace may show several failures.",
        percent=("any failure", *names),
    )


def trace_examples(material: Material) -> Sheet | None:
    """A few quoted spans of every kind of trace failure, each from another source item."""
    found = traces.faults(material.frame)
    if not found:
        return None
    rows = [
        (fault.label, *(fault.row[name] for name in ("model", "condition", "language", "source_id")), fault.quote)
        for fault in found
    ]
    columns = ("failure", "model", "condition", "language", "source_item", "words")
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    return Sheet(
        "trace-examples",
        "Examples of trace failures, in the model's words.",
        frame,
        "The page shows these traces with the words marked where they stand.",
    )


def _options(item: dict[str, Any]) -> list[tuple[str, str, str, int]]:
    kinds = msgspec.json.decode(item["meta"]).get("distractors") or {}
    options = item["options"] or []
    return [
        (item["item_id"], letter, "key" if letter == item["target"] else _kind(kinds.get(letter)), len(options))
        for letter, _ in zip("ABCDEFGHIJ", options, strict=False)
    ]


def _kind(told: Any) -> str:
    if isinstance(told, dict):
        return str(told.get("pool") or told.get("kind") or UNKNOWN_KIND)
    return str(told) if told else UNKNOWN_KIND
