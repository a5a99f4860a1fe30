"""Items tables from rows of others: columns mapped, ids made, and every fault told in one line.

Pure: it takes parsed rows or a frame. Reading the file (Parquet, JSON lines, CSV) is the caller's, who also names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import polars as pl

from covary import schema
from covary.errors import DataError, UsageError, nearest
from covary.items.draw import canonical
from covary.items.languages import language
from covary.items.variants import KEYS, identity

# columns that a user's table may fill; the others are made here
FILLED = (
    *("source_id", "language", "culture", "cue_level", "perturbation", "format", "question", "solution", "options"),
    *("target", "answer_type", "domain"),
)
DEFAULTS = {"format": "open", "answer_type": "text", "language": "en"}
ANSWER_TYPES = get_args(schema.AnswerType)


def load_items(
    rows: pl.DataFrame | Sequence[Mapping[str, Any]],
    origin: str,
    columns: Mapping[str, str] | None = None,
    defaults: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """A checked items frame (schema.ITEMS).

    origin: the name that errors show before the row's number (from 1). columns: items column → the table's own column,
    e.g. {"question": "problem", "source_id": "uid"}; a column that is not mapped is looked for under its own name.
    defaults: values for columns that the table lacks, e.g. {"language": "bn"}. A table that has every items column
    that may not be empty is checked and passed on. Other columns go to `meta`. Languages may be names or codes.

    Raises DataError for: a mapped column that isn't there, no question column, an empty question, a missing target (Proof
    items too; only cue sets with answer_type "country" or "option" may go without), an unknown language or answer type, and
    two rows with the same source_id and variant.
    """
    table = list(rows.iter_rows(named=True)) if isinstance(rows, pl.DataFrame) else [dict(row) for row in rows]
    if not table:
        raise DataError(f"{origin}: expected at least one item, found none")
    present = list(dict.fromkeys(name for row in table for name in row))
    if {column.name for column in schema.ITEMS.columns if not column.nullable} <= set(present) and not columns:
        return schema.ITEMS.check(pl.DataFrame(table, schema=schema.ITEMS.schema))
    own = _own_columns(present, columns or {}, origin)
    filled = DEFAULTS | dict(defaults or {})
    seen: dict[str, int] = {}
    records = [_record(row, number, own, filled, origin, seen) for number, row in enumerate(table, 1)]
    return schema.ITEMS.from_rows(records)


def _own_columns(present: Sequence[str], columns: Mapping[str, str], origin: str) -> dict[str, str]:
    """Items column → the table's column, for those that the table has."""
    for name, column in columns.items():
        if name not in FILLED:
            raise UsageError(f"column map: expected an items column, found {name!r}{nearest(name, FILLED)}")
        if column not in present:
            raise DataError(f"{origin}: no column {column!r} for {name}{nearest(column, present)}")
    own = {name: columns.get(name, name) for name in FILLED if columns.get(name, name) in present}
    if "source_id" not in own and "id" in present:
        own["source_id"] = "id"
    for needed in ("source_id", "question"):
        if needed not in own:
            raise DataError(
                f"{origin}: no column for {needed}; name one with a column map such as {needed}=..., found columns "
                + ", ".join(present)
            )
    return own


def _record(
    row: Mapping[str, Any],
    number: int,
    own: Mapping[str, str],
    defaults: Mapping[str, str],
    origin: str,
    seen: dict[str, int],
) -> dict[str, Any]:
    at = f"{origin}:{number}"
    found: dict[str, Any] = {name: _clean(row.get(column)) for name, column in own.items()}
    values: dict[str, Any] = {**defaults, **{name: value for name, value in found.items() if value is not None}}
    for needed in ("source_id", "question"):
        if not values.get(needed):
            raise DataError(f"{at}: {needed} is empty; every item needs one")
    values["source_id"] = str(values["source_id"])
    values["language"] = _language(str(values["language"]), at)
    _check_answer(values, at)
    variant = {key: str(values[key]) for key in KEYS if values.get(key) and (key != "format" or values[key] != "open")}
    named = identity(values["source_id"], variant)
    if named.item_id in seen:
        raise DataError(
            f"{at}: source_id {values['source_id']!r} with variant {named.variant} is in row {seen[named.item_id]} already; "
            "ids must differ, or a column must tell the variants apart"
        )
    seen[named.item_id] = number
    rest = {name: value for name, value in row.items() if name not in own.values() and value is not None}
    return {**values, **named._asdict(), "meta": canonical(_plain(rest)), "provenance": canonical({"source": origin})}


def _clean(value: Any) -> Any:
    """A cell without outer blanks; an empty text is no value."""
    if isinstance(value, str):
        return value.strip() or None
    return value


def _language(word: str, at: str) -> str:
    try:
        return language(word).code
    except UsageError as error:
        raise DataError(f"{at}: {error}") from None


def _check_answer(values: dict[str, Any], at: str) -> None:
    if values["answer_type"] not in ANSWER_TYPES:
        word = str(values["answer_type"])
        raise DataError(f"{at}: expected an answer type, found {word!r}{nearest(word, ANSWER_TYPES)}")
    if values.get("target") is None and values["answer_type"] not in ("country", "option"):
        raise DataError(f"{at}: item {values['source_id']!r} has no target; give one, or leave the row out")
    for name in ("question", "solution", "target", "domain", "culture", "cue_level", "perturbation", "format"):
        if values.get(name) is not None and not isinstance(values[name], str):
            values[name] = str(values[name])
    options = values.get("options")
    if options is not None and not (isinstance(options, list) and all(isinstance(entry, str) for entry in options)):
        raise DataError(f"{at}: options must be a list of texts, found {options!r}")


def _plain(value: Any) -> Any:
    """What canonical JSON can hold: dates and other objects as texts."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)
