"""Facts that a study declares for its report: other data sets beside it (`options.related`), steps of its making
(`options.pipeline`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import polars as pl

from covary.errors import StudyError
from covary.report.material import Material
from covary.report.sheet import Sheet


def related(material: Material) -> Sheet | None:
    """Data sets side by side, as declared."""
    frame = _declared(material.options, "related")
    note = str(material.options.get("related_note", ""))
    return (
        None
        if frame is None
        else Sheet(
            "related",
            "Data sets of mathematical problems side by side."
            if not material.options.get("related_caption")
            else str(material.options["related_caption"]),
            frame,
            note,
        )
    )


def pipeline(material: Material) -> Sheet | None:
    """The steps of making and evaluating, as declared: stage, step, what it does, what it yields."""
    frame = _declared(material.options, "pipeline")
    return (
        None
        if frame is None
        else Sheet("pipeline", "How the items are made, and how models are evaluated on them.", frame)
    )


def _declared(options: Mapping[str, Any], key: str) -> pl.DataFrame | None:
    rows = options.get(key)
    if not rows:
        return None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in cast("list[Any]", rows)):
        raise StudyError(f"options.{key}: expected a list of tables, [[options.{key}]]")
    return pl.DataFrame(cast("Sequence[Mapping[str, Any]]", rows), infer_schema_length=None)
