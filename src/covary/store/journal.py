"""The response journal: every answer that was paid for, in one SQLite file (schema.RESPONSES plus what kept failing).

One writer (see `lock`), any number of readers. `append` returns when its rows are on disk: they then survive the death of
the process and of the machine. An answer (ok, truncated, refused) is never overwritten; an error is replaced by whatever
comes later. Figures behind the choices: docs/decisions/020-journal.md.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple

import polars as pl
from polars.io.plugins import register_io_source

from covary import schema
from covary.digest import sha256_hex
from covary.errors import DataError, StoreError
from covary.store.lock import WriterLock
from covary.store.migrations import PAGE_BYTES, check, migrate

ASK = 500  # ids in one question
CHUNK = 4096  # rows in one exported frame
MOST_ROWS = 1 << 40  # no journal has a row beyond it
STEADY = 32  # unreadable rows that are passed one by one before the steps double
ANSWERED_BY = ("status", "text", "reasoning")  # what two journals must agree on

Row = Sequence[object]
"""A response in the column order of schema.RESPONSES: request_id as 64 hex digits, received_at in µs since 1970 UTC."""

NAMES = tuple(column.name for column in schema.RESPONSES.columns)
STORED = ("id", *NAMES[1:])
ANSWER_COLUMNS = ", ".join(STORED)
COPIED = ", ".join(
    "CASE origin WHEN 'imported' THEN origin ELSE 'borrowed' END" if name == "origin" else name for name in STORED
)  # what comes from another study's journal is marked as such
EXPORTED = dict(zip(NAMES, ("lower(hex(id))", *STORED[1:]), strict=True))
EXPORT = ", ".join(EXPORTED.values())
INSERT = f"INSERT OR IGNORE INTO responses ({ANSWER_COLUMNS}) VALUES ({', '.join('?' * len(STORED))})"
UPSERT_FAILURE = (
    f"INSERT INTO failures ({ANSWER_COLUMNS}, round) SELECT {', '.join(f'?{n}' for n in range(1, len(STORED) + 2))} "
    "WHERE NOT EXISTS (SELECT 1 FROM responses WHERE id = ?1) ON CONFLICT (id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in (*STORED[1:], "round") if name != "attempts")
    + ", attempts = failures.attempts + excluded.attempts"
)
STATUS, ATTEMPTS = NAMES.index("status"), NAMES.index("attempts")


class Appended(NamedTuple):
    """How many rows were new, and how many were already answered (the older answer stays)."""

    new: int
    already: int


class Counts(NamedTuple):
    """Rows by status."""

    ok: int = 0
    truncated: int = 0
    refused: int = 0
    error: int = 0

    @property
    def answered(self) -> int:
        """All but errors."""
        return self.ok + self.truncated + self.refused


class Merged(NamedTuple):
    """What a merge brought: new answers and errors, answers that were there already, and ids answered differently.

    In a conflict the answer that was there first stays; `conflicts` lists the first 20 ids; `damaged` names the sources
    that could be read only in part.
    """

    new: int
    errors: int
    already: int
    n_conflicts: int
    conflicts: tuple[str, ...]
    damaged: tuple[str, ...] = ()


class Journal:
    """An open journal. Make it with `Journal.open`; its methods may be called from one thread at a time."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: WriterLock | None, round_number: int) -> None:
        self.path = path
        self.borrowed = 0
        self._connection = connection
        self._lock = lock
        self._round = round_number
        self._last_before: int = (
            connection.execute("SELECT ifnull(max(seq), 0) FROM responses").fetchone()[0] if lock else 0
        )
        self._others = 0
        self._mutex = threading.RLock()

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        write: bool = True,
        wait_s: float = 0.0,
        also: Iterable[str | Path] = (),
        damaged: bool = False,
    ) -> Journal:
        """The journal at `path`; made (with its folder) when it isn't there and `write` is set.

        `wait_s`: how long to wait for another writer to end. `also`: journals of other studies; an answer found there
        counts as known and is copied. `damaged`: read past missing pages (for `merge`). Raises StoreError when the file can't be opened, is damaged, or is being written.
        """
        path = Path(path)
        if not write and not path.exists():
            raise StoreError(f"there is no journal at {path}; run the study first, or give the right path")
        lock: WriterLock | None = None
        if write:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(f"can't make the folder {path.parent}: {error.strerror}") from None
            lock = WriterLock(path.with_name(path.name + ".lock"), wait_s)
        try:
            connection = _connect(path, write, damaged)
            journal = cls(path, connection, lock, _next_round(connection) if write else 0)
            for other in also:
                journal.read_also(other)
        except StoreError:
            if lock:
                lock.release()
            raise
        except sqlite3.Error as error:
            if lock:
                lock.release()
            raise _store_error(path, error) from None
        return journal

    def append(self, rows: Iterable[Row]) -> Appended:
        """Write responses; when this returns they are on disk. An id that is answered already keeps its answer.

        Rows with status `error` go to the failures, and add their attempts to those before.
        """
        answers: list[tuple[object, ...]] = []
        failures: list[tuple[object, ...]] = []
        for row in rows:
            stored = (bytes.fromhex(str(row[0])), *row[1:])
            if row[STATUS] == "error":
                failures.append((*stored, self._round))
            else:
                answers.append(stored)
        with self._transaction() as connection:
            before = connection.total_changes
            if answers and connection.execute("SELECT 1 FROM failures LIMIT 1").fetchone():
                answers = [self._after_failures(connection, row) for row in answers]
                before = connection.total_changes
            if answers:
                connection.executemany(INSERT, answers)
            if failures:
                connection.executemany(UPSERT_FAILURE, failures)
            new = connection.total_changes - before
        return Appended(new, len(answers) + len(failures) - new)

    def add_frame(self, frame: pl.DataFrame, origin: str | None = None) -> Appended:
        """Write a frame of schema.RESPONSES (recorded outputs of others, batch results), optionally with one origin."""
        schema.RESPONSES.check(frame)
        frame = frame.select(NAMES)
        if origin is not None:
            frame = frame.with_columns(origin=pl.lit(origin))
        frame = frame.with_columns(pl.col("received_at").dt.timestamp("us"))
        new = already = 0
        for part in frame.iter_slices(CHUNK):
            try:
                appended = self.append(part.iter_rows())
            except ValueError:
                bad = part.filter(~pl.col("request_id").str.contains("^([0-9a-f]{2})+$"))["request_id"]
                raise DataError(f"responses: request_id must be hex digits, found {bad[0]!r}") from None
            new, already = new + appended.new, already + appended.already
        return Appended(new, already)

    def settled(self, ids: Sequence[str], *, retry_errors: bool = False) -> tuple[set[str], set[str]]:
        """Those of the ids that need no sending: (answered here or in a journal read also, failed).

        With `retry_errors` a failure counts only when it was met since this journal was opened.
        """
        failed: set[str] = set()
        with self._guard():
            answered = self._among("responses", ids)
            if self._others and len(answered) < len(ids):
                answered |= self._borrow([key for key in ids if key not in answered])
            missing = [key for key in ids if key not in answered]
            if missing and self._connection.execute("SELECT 1 FROM failures LIMIT 1").fetchone():
                failed = self._among("failures", missing, f"AND round = {self._round}" if retry_errors else "")
        return answered, failed

    def counts(self) -> Counts:
        """Rows by status."""
        with self._guard():
            rows = self._connection.execute("SELECT status, count(*) FROM responses GROUP BY status").fetchall()
            failed = self._connection.execute("SELECT count(*) FROM failures").fetchone()[0]
        return Counts(**dict(rows), error=failed)

    def borrowed_counts(self) -> Counts:
        """Rows by status of what was taken from other studies' journals."""
        with self._guard():
            rows = self._connection.execute(
                "SELECT status, count(*) FROM responses WHERE origin = 'borrowed' GROUP BY status"
            ).fetchall()
        return Counts(**dict(rows))

    def taken_over(self) -> pl.DataFrame:
        """The answers that this run didn't ask for and that a reader should know of: all that were borrowed from another study's
        journal, and those cut off or refused that were there before this one was opened. Columns request_id, status, borrowed."""
        with self._guard():
            rows = self._connection.execute(
                "SELECT lower(hex(id)), status, origin = 'borrowed' FROM responses "
                "WHERE origin = 'borrowed' OR (status <> 'ok' AND seq <= ?)",
                (self._last_before,),
            ).fetchall()
        columns = {"request_id": pl.String(), "status": pl.String(), "borrowed": pl.Boolean()}
        return pl.DataFrame(rows, schema=columns, orient="row")

    def fingerprint(self) -> str:
        """A digest that changes whenever the journal's content does: for stages that redo only what changed."""
        with self._guard():
            answers = self._connection.execute("SELECT count(*), max(seq) FROM responses").fetchone()
            failures = self._connection.execute(
                "SELECT count(*), max(seq), max(received_at), total(attempts) FROM failures"
            ).fetchone()
        return sha256_hex(repr((answers, failures)).encode())

    def has_imported(self) -> bool:
        """Whether any response is another tool's recorded one."""
        with self._guard():
            found = self._connection.execute("SELECT 1 FROM responses WHERE origin = 'imported' LIMIT 1").fetchone()
        return found is not None

    def chunks(self, *, after: int = 0, size: int = CHUNK, columns: Sequence[str] = NAMES) -> Generator[pl.DataFrame]:
        """All responses and failures as frames of schema.RESPONSES (or some of its columns: the others aren't read), `size` rows
        each, in order of arrival, failures last."""
        tables: tuple[Literal["responses", "failures"], ...] = ("responses", "failures")
        for table in tables:
            last = after if table == "responses" else 0
            while rows := self.rows_after(table, last, size, columns):
                last = rows[-1][0]
                yield _frame([row[1:] for row in rows], columns)

    def rows_after(
        self, table: Literal["responses", "failures"], seq: int, size: int, columns: Sequence[str] = NAMES
    ) -> list[tuple[Any, ...]]:
        """Up to `size` rows after a place, as (place, *columns of schema.RESPONSES)."""
        wanted = ", ".join(EXPORTED[name] for name in columns)
        with self._guard():
            return self._connection.execute(
                f"SELECT seq, {wanted} FROM {table} WHERE seq > ? ORDER BY seq LIMIT ?", (seq, size)
            ).fetchall()

    def frame(self, request_ids: Iterable[str] | None = None) -> pl.DataFrame:
        """Responses (and failures) of these requests as one frame of schema.RESPONSES; all of them when None."""
        if request_ids is None:
            return pl.concat([schema.RESPONSES.empty(), *self.chunks()])
        parts = [schema.RESPONSES.empty()]
        for some in _slices(list(request_ids), ASK):
            keys, marks = [bytes.fromhex(key) for key in some], ",".join("?" * len(some))
            with self._guard():
                rows = [
                    row
                    for table in ("responses", "failures")
                    for row in self._connection.execute(f"SELECT {EXPORT} FROM {table} WHERE id IN ({marks})", keys)
                ]
            parts.append(_frame(rows))
        return pl.concat(parts)

    def scan(self) -> pl.LazyFrame:
        """The responses as a lazy frame that streams from the file: what doesn't fit in memory never has to."""

        def read(
            columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
        ) -> Iterator[pl.DataFrame]:
            left = n_rows
            named = set(columns or NAMES) | set(() if predicate is None else predicate.meta.root_names())
            for part in self.chunks(size=batch_size or CHUNK, columns=[name for name in NAMES if name in named]):
                kept = part if left is None else part.head(left)
                left = None if left is None else left - kept.height
                kept = kept if predicate is None else kept.filter(predicate)
                yield kept if columns is None else kept.select(columns)
                if left == 0:
                    return

        return register_io_source(read, schema=schema.RESPONSES.schema)

    def write_parquet(self, path: str | Path) -> None:
        """The responses as one Parquet file (schema.RESPONSES), streamed."""
        try:
            self.scan().sink_parquet(path, compression="zstd")
        except OSError as error:
            raise StoreError(f"can't write {path}: {error}") from None

    def read_also(self, other: str | Path) -> None:
        """Count answers of another journal as known: they are copied when asked for. Its errors are not."""
        other = Path(other)
        if not other.exists():
            raise StoreError(f"there is no journal at {other} to read from")
        with self._guard(other):
            self._others += 1
            name = f"other{self._others}"
            self._connection.execute(f"ATTACH DATABASE ? AS {name}", (f"file:{_quoted(other)}?mode=ro",))
            if not self._connection.execute(f"SELECT 1 FROM {name}.sqlite_master WHERE name = 'responses'").fetchone():
                raise StoreError(f"{other} is no journal of covary")

    def close(self) -> None:
        """Close the file and let other writers in. A second call does nothing."""
        with self._mutex:
            try:
                self._connection.close()
            finally:
                if self._lock:
                    self._lock.release()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _guard(self, path: Path | None = None) -> Generator[None]:
        with self._mutex:
            try:
                yield
            except sqlite3.Error as error:
                raise _store_error(path or self.path, error) from None

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        with self._guard():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _after_failures(self, connection: sqlite3.Connection, row: tuple[object, ...]) -> tuple[object, ...]:
        failed = connection.execute("DELETE FROM failures WHERE id = ? RETURNING attempts", (row[0],)).fetchall()
        if not failed:
            return row
        attempts = row[ATTEMPTS]
        assert isinstance(attempts, int)
        return (*row[:ATTEMPTS], attempts + failed[0][0], *row[ATTEMPTS + 1 :])

    def _among(self, table: str, ids: Sequence[str], condition: str = "") -> set[str]:
        found: set[str] = set()
        for some in _slices(ids, ASK):
            marks = ",".join("?" * len(some))
            rows = self._connection.execute(
                f"SELECT id FROM {table} WHERE id IN ({marks}) {condition}", [bytes.fromhex(key) for key in some]
            )
            found.update(row[0].hex() for row in rows)
        return found

    def _borrow(self, ids: Sequence[str]) -> set[str]:
        found: set[str] = set()
        for number in range(1, self._others + 1):
            there = self._among(f"other{number}.responses", [key for key in ids if key not in found])
            for some in _slices(sorted(there), ASK):
                marks = ",".join("?" * len(some))
                with self._transaction() as connection:
                    connection.execute(
                        f"INSERT OR IGNORE INTO main.responses ({ANSWER_COLUMNS}) SELECT {COPIED} "
                        f"FROM other{number}.responses WHERE id IN ({marks})",
                        [bytes.fromhex(key) for key in some],
                    )
                    connection.executemany("DELETE FROM failures WHERE id = ?", [(bytes.fromhex(key),) for key in some])
            self.borrowed += len(there)
            found |= there
        return found


def merge(sources: Sequence[str | Path], into: str | Path, *, wait_s: float = 0.0) -> Merged:
    """Bring the answers of other journals into one; doing it twice changes nothing. Errors come along where no answer is.

    Of a damaged source, what can still be read is brought. Raises StoreError for a source that is no journal.
    """
    new = errors = already = n_conflicts = 0
    conflicts: list[str] = []
    damaged: list[str] = []
    with Journal.open(into, wait_s=wait_s) as journal:
        for source in sources:
            if Path(source).resolve() == Path(into).resolve():
                continue
            parts = Salvage(Path(source))
            for part in parts:
                answers, failed = part.filter(pl.col("status") != "error"), part.filter(pl.col("status") == "error")
                here = journal.frame(part["request_id"])
                both = answers.join(here.filter(pl.col("status") != "error"), on="request_id", suffix="_here")
                differ = both.filter(
                    pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_here")) for name in ANSWERED_BY)
                )
                n_conflicts += differ.height
                conflicts.extend(differ["request_id"].head(20 - len(conflicts)))
                already += both.height
                new += journal.add_frame(answers).new
                errors += journal.add_frame(failed.join(here, on="request_id", how="anti")).new
            if parts.missed:
                damaged.append(f"{source}: {parts.missed} places can't be read")
    return Merged(new, errors, already, n_conflicts, tuple(conflicts), tuple(damaged))


class Salvage:
    """The rows of a journal, whole or damaged, as frames; `missed` counts the places that couldn't be read.

    Past a hole it goes on row by row, then in doubling steps: a lost end costs some tens of looks, and a hole hides at
    most as many readable rows as it is long.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.missed = 0

    def __iter__(self) -> Iterator[pl.DataFrame]:
        tables: tuple[Literal["responses", "failures"], ...] = ("responses", "failures")
        with Journal.open(self.path, write=False, damaged=True) as journal:
            for table in tables:
                yield from self._table(journal, table)

    def _table(self, journal: Journal, table: Literal["responses", "failures"]) -> Iterator[pl.DataFrame]:
        kept: list[tuple[Any, ...]] = []
        for row in self._rows(journal, table):
            kept.append(row[1:])
            if len(kept) == CHUNK:
                yield _frame(kept)
                kept = []
        if kept:
            yield _frame(kept)

    def _rows(self, journal: Journal, table: Literal["responses", "failures"]) -> Iterator[tuple[Any, ...]]:
        last, size, misses = 0, CHUNK, 0
        while last < MOST_ROWS:
            try:
                rows = journal.rows_after(table, last, size)
            except StoreError:
                rows = None
            if rows == []:
                return
            if rows and all(after[0] > before[0] for before, after in pairwise([(last,), *rows])):
                last, misses = rows[-1][0], 0
                yield from rows
            elif size > 1:
                size = 1  # one at a time, to lose no readable row
            else:  # nothing, or rows from elsewhere: a broken tree may lead anywhere
                self.missed += misses == 0
                misses += 1
                last += 1 << max(0, misses - STEADY)


def _connect(path: Path, write: bool, damaged: bool) -> sqlite3.Connection:
    where = f"file:{_quoted(path)}"
    connection = sqlite3.connect(
        where if write else where + "?mode=ro", uri=True, isolation_level=None, check_same_thread=False, timeout=10
    )
    try:
        if write:
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            migrate(connection, path)
        else:
            if damaged:
                connection.execute(
                    "PRAGMA writable_schema = ON"
                )  # else a file shorter than it says can't be read at all
            connection = _readable(connection, where)
            check(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _readable(connection: sqlite3.Connection, where: str) -> sqlite3.Connection:
    """The connection, or one that takes the file as it lies where the folder can't be written (no index of the WAL)."""
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        if "unable to open" not in str(error) and "readonly" not in str(error):
            raise
        connection.close()
        connection = sqlite3.connect(where + "?immutable=1", uri=True, isolation_level=None, check_same_thread=False)
    return connection


def _next_round(connection: sqlite3.Connection) -> int:
    return int(
        connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'round' RETURNING value").fetchall()[0][0]
    )


def _frame(rows: Sequence[Sequence[Any]], names: Sequence[str] = NAMES) -> pl.DataFrame:
    stored = {**schema.RESPONSES.schema, "received_at": pl.Int64()}
    columns = {name: stored[name] for name in names}
    frame = pl.DataFrame(rows, schema=columns, orient="row") if rows else pl.DataFrame(schema=columns)
    return frame.cast({name: schema.RESPONSES.schema[name] for name in names if name == "received_at"})


def _slices(entries: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (entries[start : start + size] for start in range(0, len(entries), size))


def _quoted(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _store_error(path: Path, error: sqlite3.Error) -> StoreError:
    text = str(error)
    if "full" in text:
        advice = "the disk is full; free some space and run again: what was acknowledged is safe"
    elif "readonly" in text or "unable to open" in text:
        advice = "it can't be opened or written; check the path and its permissions"
    elif "malformed" in text or "not a database" in text:
        advice = "it is damaged; `covary merge` brings what can still be read into a new journal"
    elif "disk I/O" in text:
        advice = "the disk didn't take or give the data; check its space and health, then run again"
    else:
        advice = "what was acknowledged is safe; run again"
    return StoreError(f"{path}: {text}: {advice}")
