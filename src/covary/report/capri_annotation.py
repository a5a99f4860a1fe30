"""Human annotation of the set: a file of answers → accuracy by concept and by culture, and the full table of groups.

The file is a CSV with one row per answer: annotator, culture, concept, item, group (eval: a conversation of that culture;
control: an American one), answer, performed (whether the annotator did the task at all), qualified (whether the row counts:
a filter declared before the data is seen). An answer is right when it is in a unit or currency usual for the culture of the
conversation, by the same scorer as for models.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import polars as pl

from covary.culture.units import CONCEPTS, accepted
from covary.errors import DataError, nearest
from covary.report.capri_frame import CULTURES, Shown
from covary.scoring.quantities import read_quantity

COLUMNS = ("annotator", "culture", "concept", "item", "group", "answer", "performed", "qualified")
GROUPS = ("eval", "control")
CONTROL_CULTURE = "US"
YES, NO = ("true", "yes", "1"), ("false", "no", "0")
TOTAL = "Mean / total"


def read_annotations(text: str, where: str = "annotations") -> pl.DataFrame:
    """Checked rows of an annotation file, with `right`. Raises DataError for a missing column or a bad value (file:line)."""
    reader = csv.DictReader(io.StringIO(text))
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise DataError(f"{where}: expected columns {', '.join(COLUMNS)}; missing {', '.join(missing)}")
    rows: list[dict[str, str | bool | None]] = []
    for number, row in enumerate(reader, 2):
        place = f"{where}:{number}"
        for name, known in (("culture", CULTURES), ("concept", CONCEPTS), ("group", GROUPS)):
            if row[name] not in known:
                raise DataError(f"{place}: {name} can't be {row[name]!r}{nearest(str(row[name]), known)}")
        performed, qualified = (_flag(row[name], name, place) for name in ("performed", "qualified"))
        texts = {name: str(row[name] or "") for name in COLUMNS[:6]}
        rows.append({**texts, "performed": performed, "qualified": qualified, "right": _right(texts)})
    schema = {
        **{name: pl.String() for name in COLUMNS[:6]},
        **{n: pl.Boolean() for n in ("performed", "qualified", "right")},
    }
    return pl.DataFrame(rows, schema=schema)


def tables(annotations: pl.DataFrame) -> list[Shown]:
    """The summary by concept and by culture, and the full table by culture and concept."""
    summary = pl.concat([summarised(annotations, "concept", CONCEPTS), summarised(annotations, "culture", CULTURES)])
    return [
        Shown(
            "capri-annotation",
            "People's accuracy (%) by concept and by culture; control: American conversations.",
            summary,
        ),
        Shown(
            "capri-annotation-full", "Annotators, instances and accuracy (%) by culture and concept.", full(annotations)
        ),
    ]


def summarised(annotations: pl.DataFrame, factor: str, levels: Sequence[str]) -> pl.DataFrame:
    """One row per level: qualified instances, and count and accuracy of the evaluation and control groups; the last row pools
    them (each answer counts once)."""
    counted = annotations.filter("qualified")
    rows = [
        {"by": factor, "level": level, **_groups(counted.filter(pl.col(factor) == level))}
        for level in levels
        if not counted.filter(pl.col(factor) == level).is_empty()
    ]
    return pl.DataFrame([*rows, {"by": factor, "level": TOTAL, **_groups(counted)}], infer_schema_length=None)


def full(annotations: pl.DataFrame) -> pl.DataFrame:
    """One row per culture × concept: annotators, those who didn't perform, items released, qualified instances, groups."""
    rows: list[dict[str, object]] = []
    for culture in CULTURES:
        for concept in CONCEPTS:
            part = annotations.filter((pl.col("culture") == culture) & (pl.col("concept") == concept))
            if part.is_empty():
                continue
            idle = part.group_by("annotator").agg(pl.col("performed").all()).filter(~pl.col("performed"))
            rows.append(
                {
                    "culture": culture,
                    "concept": concept,
                    "annotators": part["annotator"].n_unique(),
                    "not performed": idle.height,
                    "items": part["item"].n_unique(),
                    **_groups(part.filter("qualified")),
                }
            )
    return pl.DataFrame(rows, infer_schema_length=None)


def _groups(part: pl.DataFrame) -> dict[str, int | float | None]:
    found: dict[str, int | float | None] = {"qualified": part.height}
    for group in GROUPS:
        rows = part.filter(pl.col("group") == group)
        found[group] = rows.height
        found[f"{group} %"] = round(100 * int(rows["right"].sum()) / rows.height, 1) if rows.height else None
    return found


def _right(row: dict[str, str]) -> bool:
    culture = CONTROL_CULTURE if row["group"] == "control" else row["culture"]
    reading = read_quantity(row["answer"], row["concept"])
    return reading.status in ("one", "multiple") and not accepted(culture, row["concept"]).isdisjoint(reading.values)


def _flag(value: str | None, name: str, place: str) -> bool:
    word = (value or "").strip().lower()
    if word not in (*YES, *NO):
        raise DataError(f"{place}: {name} must be one of {', '.join((*YES, *NO))}, found {value!r}")
    return word in YES
