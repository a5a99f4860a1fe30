"""The five tables (and their links): columns, types, meaning, and the check that a frame keeps them.

Items, requests, links, responses, scores, estimates. A stage takes and returns polars frames that pass `Table.check`.
JSON columns hold canonical JSON texts; times are UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, get_args

import polars as pl

from covary.errors import DataError

Status = Literal["ok", "truncated", "refused", "error"]
STATUSES: tuple[Status, ...] = get_args(Status)
AnswerType = Literal["Numerical", "Symbolic", "Proof", "quantity", "option", "country", "yes_no", "text"]

TEXT = pl.String()
TURNS = pl.List(pl.Struct({"role": pl.String(), "text": pl.String()}))


class Column(NamedTuple):
    """One column: its polars type, whether null is allowed, and its meaning (unit; what null says)."""

    name: str
    dtype: pl.DataType
    nullable: bool
    meaning: str


class Table(NamedTuple):
    """A table's name, grain, key columns and columns. Extra columns are allowed and kept."""

    name: str
    grain: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """Column name → polars type, in order."""
        return {column.name: column.dtype for column in self.columns}

    def empty(self) -> pl.DataFrame:
        """A frame with the table's columns and no row."""
        return pl.DataFrame(schema=self.schema)

    def from_rows(self, rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
        """A checked frame from mappings; a column that a row lacks is null. Keys outside the table are refused."""
        records = [dict(row) for row in rows]
        unknown = {key for record in records for key in record} - self.schema.keys()
        if unknown:
            raise DataError(f"{self.name}: unknown column {sorted(unknown)[0]!r}; expected {', '.join(self.schema)}")
        return self.check(pl.DataFrame(records, schema=self.schema) if records else self.empty())

    def check(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame itself, with the table's columns first. Raises DataError for a missing column, another type, a null
        where none is allowed, or a repeated key."""
        for column in self.columns:
            if column.name not in frame.columns:
                raise DataError(f"{self.name}: column {column.name!r} is missing ({column.meaning})")
            found = frame.schema[column.name]
            if found != column.dtype:
                raise DataError(f"{self.name}: column {column.name!r} must be {column.dtype}, found {found}")
            if not column.nullable and frame[column.name].null_count():
                row = frame[column.name].is_null().arg_true()[0]
                raise DataError(f"{self.name}: column {column.name!r} is empty in row {row} ({column.meaning})")
        if self.key and frame.height and frame.select(pl.struct(self.key).is_duplicated().any()).item():
            first = frame.filter(pl.struct(self.key).is_duplicated()).row(0, named=True)
            raise DataError(
                f"{self.name}: {self.grain}, but this key comes twice: " + str({k: first[k] for k in self.key})
            )
        rest = [name for name in frame.columns if name not in self.schema]
        return frame.select([*self.schema, *rest])


ITEMS = Table(
    "items",
    "one row per parallel form of a source item",
    ("item_id",),
    (
        Column("source_id", TEXT, False, "what the parallel forms share; the cluster of every paired analysis"),
        Column("item_id", TEXT, False, "digest of (source_id, variant)"),
        Column("variant", TEXT, False, "canonical JSON object of all that sets this form apart"),
        Column("language", TEXT, False, "ISO 639-1 code of the question"),
        Column("culture", TEXT, True, "ISO 3166 alpha-2 code; null where no culture is meant"),
        Column(
            "cue_level",
            TEXT,
            True,
            "Null, Neutral, ImplicitCue1, ImplicitCue2, ImplicitFull, ExplicitFull, or a control",
        ),
        Column(
            "perturbation", TEXT, True, "strategy-1, -2, -3, rule:<error type>, clean, paraphrase; null: untouched item"
        ),
        Column("format", TEXT, False, "open, mcq, solution (a solution to be checked), conversation"),
        Column("question", TEXT, False, "the text shown"),
        Column("solution", TEXT, True, "worked solution; for format 'solution' the one shown"),
        Column("options", pl.List(TEXT), True, "option texts in shown order, without letters"),
        Column("conversation", TURNS, True, "turns before the question"),
        Column("picture", TEXT, True, "SHA-256 of the picture's bytes"),
        Column("target", TEXT, True, "reference answer; null only where the scorer needs none"),
        Column("answer_type", TEXT, False, "Numerical, Symbolic, Proof, quantity, option, country, yes_no, text"),
        Column("domain", TEXT, True, "subdomain of mathematics, or concept"),
        Column("meta", TEXT, False, "canonical JSON object of what a study adds (errors, cues, template, chapter …)"),
        Column(
            "provenance", TEXT, False, "canonical JSON object: source, licence, seed, model, prompt, checks, review"
        ),
    ),
)

REQUESTS = Table(
    "requests",
    "one row per distinct call",
    ("request_id",),
    (
        Column("request_id", TEXT, False, "SHA-256 of the request's canonical JSON"),
        Column("model", TEXT, False, "the study's name of the model"),
        Column("content", TEXT, False, "canonical JSON: messages, model, replicate, sampling"),
    ),
)

LINKS = Table(
    "links",
    "one row per item × condition × model × replicate",
    ("item_id", "condition", "model", "replicate"),
    (
        Column("item_id", TEXT, False, "the item, or the row that a pass works on"),
        Column("condition", TEXT, False, "name of the condition or pass"),
        Column("model", TEXT, False, "the study's name of the model"),
        Column("replicate", pl.Int32(), False, "0, 1, …"),
        Column("request_id", TEXT, True, "the call that serves it; null where the model can't fill the cell"),
        Column("reason", TEXT, True, "why there is no request; null otherwise"),
    ),
)

RESPONSES = Table(
    "responses",
    "one row per answered request",
    ("request_id",),
    (
        Column("request_id", TEXT, False, "the request answered"),
        Column("status", TEXT, False, "ok, truncated, refused, error"),
        Column("text", TEXT, True, "the answer without its reasoning; null when nothing came"),
        Column("reasoning", TEXT, True, "reasoning kept apart (reasoning_content, think tags); null: none"),
        Column("finish_reason", TEXT, True, "as the server said it"),
        Column("error", TEXT, True, "one line for status error or refused; null otherwise"),
        Column("prompt_tokens", pl.Int64(), True, "as reported; null: not reported"),
        Column("completion_tokens", pl.Int64(), True, "as reported, reasoning included"),
        Column("reasoning_tokens", pl.Int64(), True, "as reported"),
        Column("latency_s", pl.Float64(), True, "seconds of the attempt that ended it"),
        Column("attempts", pl.Int32(), False, "sends so far; 0 for imported ones"),
        Column("model_reported", TEXT, True, "the model name, revision or fingerprint that the server reported"),
        Column("detail", TEXT, False, "canonical JSON: weights digest, slots, threads, cache, provider fields"),
        Column("origin", TEXT, False, "sent, imported, batch, or borrowed: taken from another study's journal"),
        Column("received_at", pl.Datetime("us", "UTC"), True, "when it was acknowledged; null for imported ones"),
    ),
)

SCORES = Table(
    "scores",
    "one row per item × condition × model × replicate × scorer",
    ("item_id", "condition", "model", "replicate", "scorer"),
    (
        Column("item_id", TEXT, False, "the item scored"),
        Column("condition", TEXT, False, "its condition"),
        Column("model", TEXT, False, "the model that answered"),
        Column("replicate", pl.Int32(), False, "0, 1, …"),
        Column("request_id", TEXT, True, "the response judged; null where there is none"),
        Column("scorer", TEXT, False, "name of the scorer"),
        Column("scorer_version", pl.Int32(), False, "bumped when scores may differ"),
        Column("answer", TEXT, True, "what was extracted; null: nothing"),
        Column("value", pl.Float64(), True, "in [0, 1]; null: not judged, see reason"),
        Column("reason", TEXT, False, "why this value, or why none: the rule that decided"),
        Column("detail", TEXT, False, "canonical JSON: evidence, spans, levels"),
    ),
)

ESTIMATES = Table(
    "estimates",
    "one row per number in a table or figure",
    (),
    (
        Column("name", TEXT, False, "the metric's or contrast's name"),
        Column("group", TEXT, False, "canonical JSON object: factor → level"),
        Column("value", pl.Float64(), True, "null: undefined, see note"),
        Column("low", pl.Float64(), True, "lower end of the interval"),
        Column("high", pl.Float64(), True, "upper end of the interval"),
        Column("confidence", pl.Float64(), True, "the interval's level, e.g. 0.95"),
        Column("p_value", pl.Float64(), True, "two-sided; null for a plain metric"),
        Column("p_adjusted", pl.Float64(), True, "after correction within the declared family"),
        Column("n_items", pl.Int64(), False, "source items (clusters) used"),
        Column("n_rows", pl.Int64(), False, "rows used"),
        Column("n_excluded", pl.Int64(), False, "rows left out because their value is null"),
        Column(
            "n_null", pl.Int64(), False, "rows whose value is null: left out, or counted as 0 under denominator all"
        ),
        Column("denominator", TEXT, False, "all, judged, obeyed …"),
        Column("method", TEXT, False, "of the interval or test"),
        Column("note", TEXT, True, "a warning or the reason of a null"),
    ),
)

TABLES: dict[str, Table] = {table.name: table for table in (ITEMS, REQUESTS, LINKS, RESPONSES, SCORES, ESTIMATES)}
