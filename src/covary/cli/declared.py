"""What a study file declares and its shape alone can't show to be wrong, checked before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from covary.errors import StudyError, UsageError, nearest
from covary.items.languages import language
from covary.prompts.conditions import OF_ITEM
from covary.studies.declaration import Study

OPTIONS = (
    "annotations",
    "best_of_family",
    "cases",
    "cluster",
    "corpus_counts",
    "human_ranges",
    "instead",
    "largest_of_family",
    "pipeline",
    "published",
    "related",
    "related_caption",
    "related_note",
    "tables",
)
STEP = ("stage", "step")
LONGEST = 120
_NAME = re.compile(r"[^\x00-\x1f/\\.\x7f][^\x00-\x1f/\\\x7f]*")


def check(study: Study, where: str) -> None:
    """Raises StudyError for a table whose name is no file name, a limit below 1, an unknown option, or an unknown language."""
    for table in study.tables:
        if not _NAME.fullmatch(table.name) or len(table.name.encode()) > LONGEST:
            raise StudyError(
                f"{where}: tables: expected a name for a file, without / or \\ and at most {LONGEST} bytes long, found {table.name[:40]!r}"
            )
    for source in study.items:
        if source.limit is not None and source.limit < 1:
            raise StudyError(f"{where}: items.limit: expected 1 or more, found {source.limit}")
    _check_options(study.options, where)
    for condition in study.conditions:
        for key in ("instruction_language", "reasoning_language", "answer_language"):
            _check_language(str(getattr(condition, key)), f"{where}: condition {condition.name!r}: {key}")


def _check_options(options: Mapping[str, Any], where: str) -> None:
    for key in options:
        if key not in OPTIONS:
            raise StudyError(f"{where}: unknown key {key!r} in options{nearest(key, OPTIONS)}")
    if not isinstance(options.get("cluster", ""), str):
        raise StudyError(f"{where}: options.cluster: expected the name of a key of meta, found {options['cluster']!r}")
    rows = options.get("pipeline", ())
    for row in cast("list[Any]", rows) if isinstance(rows, list) else ():
        missing = [key for key in STEP if not isinstance(row, dict) or not isinstance(row.get(key), str)]
        if missing:
            raise StudyError(f"{where}: options.pipeline: expected a text for {', '.join(missing)} in each table")


def _check_language(code: str, place: str) -> None:
    if code == OF_ITEM:
        return
    try:
        known = language(code).code
    except UsageError as error:
        raise StudyError(f"{place}: {str(error).removeprefix('language: ')}") from None
    if known != code:
        raise StudyError(f"{place}: expected a code, found {code!r}; use {known!r}")
