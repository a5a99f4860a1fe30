"""The journal's schema as named steps; each is applied once, in its own transaction, and counted in `user_version`."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from covary.errors import StoreError

APPLICATION_ID = 0x636F7679  # "covy"
PAGE_BYTES = 16384


class Step(NamedTuple):
    """One change of the schema: a name for people, and its statements."""

    name: str
    statements: tuple[str, ...]


COLUMNS = """
    id BLOB NOT NULL {unique},
    status TEXT NOT NULL,
    text TEXT,
    reasoning TEXT,
    finish_reason TEXT,
    error TEXT,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    reasoning_tokens INTEGER,
    latency_s REAL,
    attempts INTEGER NOT NULL,
    model_reported TEXT,
    detail TEXT NOT NULL,
    origin TEXT NOT NULL,
    received_at INTEGER
"""

STEPS: tuple[Step, ...] = (
    Step(
        "responses and failures",
        (
            # Rows lie in order of arrival, so pages fill up; the ids' index is small. seq also tells what is new.
            f"CREATE TABLE responses (seq INTEGER PRIMARY KEY, {COLUMNS.format(unique='UNIQUE')})",
            # Errors stay apart: they are replaced or removed; answers never are. round: the opening that met the error.
            f"CREATE TABLE failures (seq INTEGER PRIMARY KEY, {COLUMNS.format(unique='UNIQUE')}, round INTEGER NOT NULL)",
            "CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
            "INSERT INTO meta VALUES ('round', 0)",
            f"PRAGMA application_id = {APPLICATION_ID}",
        ),
    ),
)


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[Step] = STEPS) -> int:
    """The journal's version after every missing step was applied. Raises StoreError for a newer or a foreign file."""
    version = check(connection, path, steps)
    for number, step in enumerate(steps[version:], start=version + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in step.statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            connection.execute("ROLLBACK")
            raise StoreError(f"{path}: can't bring the journal to version {number} ({step.name}): {error}") from None
    return len(steps)


def check(connection: sqlite3.Connection, path: Path, steps: Sequence[Step] = STEPS) -> int:
    """The version of the journal as it is. Raises StoreError where this covary can't read it."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if tables and int(connection.execute("PRAGMA application_id").fetchone()[0]) != APPLICATION_ID:
        raise StoreError(f"{path} is an SQLite file, but no journal of covary; choose another path")
    if version > len(steps):
        raise StoreError(
            f"{path} is a journal of version {version}; this covary reads up to {len(steps)}: update covary"
        )
    return version
