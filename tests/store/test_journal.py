"""The journal: what is acknowledged stays, answers are never overwritten, damage is told."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covary import schema
from covary.digest import sha256_hex
from covary.errors import CovaryError, DataError, StoreError
from covary.store.journal import Journal, merge
from covary.store.migrations import STEPS, Step, migrate


def key(number: int) -> str:
    return sha256_hex(b"%d" % number)


def row(
    number: int, status: str = "ok", text: str | None = "an answer", attempts: int = 1, **columns: Any
) -> tuple[Any, ...]:
    known = {
        "request_id": key(number),
        "status": status,
        "text": None if status == "error" else text,
        "error": "status 500" if status == "error" else None,
        "attempts": attempts,
        "detail": "{}",
        "origin": "sent",
        "received_at": 1_700_000_000_000_000 + number,
        **columns,
    }
    return tuple(known.get(column.name) for column in schema.RESPONSES.columns)


def test_what_was_appended_comes_back_as_a_responses_table(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "deep" / "journal.sqlite") as journal:
        appended = journal.append([row(1, prompt_tokens=5, latency_s=0.25), row(2, "truncated"), row(3, "error")])
        frame = schema.RESPONSES.check(journal.frame())
        assert appended == (3, 0)
        assert journal.counts() == (1, 1, 0, 1)
    assert frame["request_id"].to_list() == [key(1), key(2), key(3)]
    first = frame.row(0, named=True)
    assert (first["text"], first["prompt_tokens"], first["latency_s"]) == ("an answer", 5, 0.25)
    assert first["received_at"] == datetime.fromtimestamp(1_700_000_000, UTC).replace(microsecond=1)


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(schema.STATUSES), st.text(max_size=5)), max_size=30))
@settings(max_examples=15, deadline=None)
def test_appending_again_changes_nothing_and_the_first_answer_stays(entries: list[tuple[int, str, str]]) -> None:
    rows = [row(number, status, text) for number, status, text in entries]
    expected: dict[str, str] = {}  # the first answer wins; an error stays only where no answer ever comes
    for number, status, _ in entries:
        if expected.get(key(number), "error") == "error":
            expected[key(number)] = status
    folder = Path(os.environ.get("TMPDIR", "/tmp")) / f"covary-journal-{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with Journal.open(folder / "journal.sqlite") as journal:
            for one in rows:
                journal.append([one])
            once = journal.frame().sort("request_id")
            journal.append([one for one in rows if one[1] != "error"])
            assert journal.frame().sort("request_id").equals(once)
    finally:
        shutil.rmtree(folder)
    assert dict(zip(once["request_id"], once["status"], strict=True)) == expected


def test_an_answer_takes_the_place_of_its_error_and_counts_its_attempts(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j") as journal:
        journal.append([row(1, "error", attempts=3)])
        journal.append([row(1, "error", attempts=2)])
        assert journal.frame()["attempts"].to_list() == [5]
        assert journal.append([row(1, attempts=1)]) == (1, 0)
        assert journal.counts() == (1, 0, 0, 0)
        assert journal.frame()["attempts"].to_list() == [6]
        assert journal.append([row(1, "error")]).new == 0
        assert journal.frame()["status"].to_list() == ["ok"]


def test_settled_tells_answers_from_errors_and_retried_errors_count_once_a_round(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j") as journal:
        journal.append([row(1), row(2, "error"), row(3, "refused")])
        ids = [key(number) for number in range(5)]
        assert journal.settled(ids) == ({key(1), key(3)}, {key(2)})
        assert journal.settled(ids, retry_errors=True)[1] == {key(2)}  # met in this round
    with Journal.open(tmp_path / "j") as journal:
        assert journal.settled(ids)[1] == {key(2)}
        assert journal.settled(ids, retry_errors=True)[1] == set()


def test_a_second_writer_is_refused_and_may_wait_while_readers_read(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Journal.open(path) as journal:
        journal.append([row(1)])
        with pytest.raises(StoreError, match=f"is being written by another run \\(process {os.getpid()}, since"):
            Journal.open(path)
        with Journal.open(path, write=False) as reader:
            assert reader.counts().ok == 1
    with Journal.open(path, wait_s=1.0):
        pass


def test_a_frame_is_imported_with_its_origin_and_bad_ids_are_told(tmp_path: Path) -> None:
    recorded = pl.DataFrame(
        [row(1, received_at=None), row(2, received_at=None)], schema={**schema.RESPONSES.schema}, orient="row"
    )
    with Journal.open(tmp_path / "j") as journal:
        assert journal.add_frame(recorded, "imported") == (2, 0)
        assert journal.add_frame(recorded, "imported") == (0, 2)
        assert journal.frame()["origin"].to_list() == ["imported"] * 2
        assert journal.frame()["received_at"].null_count() == 2
        with pytest.raises(DataError, match="must be hex digits, found 'item-7'"):
            journal.add_frame(recorded.with_columns(request_id=pl.Series([key(9), "item-7"])))
        assert journal.counts().ok == 2


def test_scan_and_parquet_hold_what_frame_holds(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j") as journal:
        journal.append([row(number, text=f"text {number}") for number in range(9000)])
        journal.append([row(10_000, "error")])
        frame = journal.frame()
        assert journal.scan().collect().equals(frame)
        assert journal.scan().filter(pl.col("status") == "error").select("request_id").collect().height == 1
        assert journal.scan().head(5).collect().height == 5
        journal.write_parquet(tmp_path / "out.parquet")
        assert pl.read_parquet(tmp_path / "out.parquet").equals(frame)
        assert journal.frame([key(3), key(10_000), key(77_777)])["request_id"].to_list() == [key(3), key(10_000)]
        assert [chunk.height for chunk in journal.chunks(after=8998)] == [2, 1]


def test_the_fingerprint_changes_with_the_content_only(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j") as journal:
        journal.append([row(1)])
        before = journal.fingerprint()
        journal.append([row(1)])
        assert journal.fingerprint() == before
        journal.append([row(2, "error")])
        assert journal.fingerprint() != before
    with Journal.open(tmp_path / "j") as journal:
        middle = journal.fingerprint()
        journal.append([row(2, "error")])
        assert journal.fingerprint() != middle


def test_another_studys_answers_are_taken_over_its_errors_are_not(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "other") as other:
        other.append([row(1), row(2, "truncated"), row(3, "error")])
    with Journal.open(tmp_path / "j", also=[tmp_path / "other"]) as journal:
        journal.append([row(2, "error")])
        ids = [key(number) for number in range(1, 5)]
        assert journal.settled(ids) == ({key(1), key(2)}, set())
        assert journal.borrowed == 2
        assert sorted(journal.frame()["status"]) == ["ok", "truncated"]
    with pytest.raises(StoreError, match="no journal at"):
        Journal.open(tmp_path / "j", also=[tmp_path / "nowhere"])
    with Journal.open(tmp_path / "j"):  # the lock was given back
        pass


def test_merging_is_idempotent_and_tells_conflicts(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "a") as journal:
        journal.append([row(1), row(2, text="from a"), row(3, "error"), row(4, "error")])
    with Journal.open(tmp_path / "b") as journal:
        journal.append([row(2, text="from b"), row(3), row(5, "refused")])
    sources = [tmp_path / "a", tmp_path / "b"]
    merged = merge(sources, tmp_path / "all")
    assert (merged.new, merged.errors, merged.n_conflicts, merged.conflicts) == (4, 2, 1, (key(2),))
    with Journal.open(tmp_path / "all", write=False) as journal:
        once = journal.frame().sort("request_id")
        assert journal.counts() == (3, 0, 1, 1)
        assert journal.frame([key(2)])["text"].to_list() == ["from a"]
    again = merge([*sources, tmp_path / "all"], tmp_path / "all")
    assert (again.new, again.errors) == (0, 0)
    with Journal.open(tmp_path / "all", write=False) as journal:
        assert journal.frame().sort("request_id").equals(once)


def test_merging_in_any_order_gives_the_same_requests(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "a") as journal:
        journal.append([row(1), row(2, "error")])
    with Journal.open(tmp_path / "b") as journal:
        journal.append([row(2), row(3)])
    found = []
    for name, sources in (("ab", ["a", "b"]), ("ba", ["b", "a"])):
        merge([tmp_path / source for source in sources], tmp_path / name)
        with Journal.open(tmp_path / name, write=False) as journal:
            found.append(journal.frame().select("request_id", "status", "text").sort("request_id"))
    assert found[0].equals(found[1])


def test_a_newer_a_foreign_and_a_broken_file_are_told_in_one_line(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "newer") as journal:
        journal.append([row(1)])
    connection = sqlite3.connect(tmp_path / "newer")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    foreign = sqlite3.connect(tmp_path / "foreign")
    foreign.execute("CREATE TABLE t (x)")
    foreign.commit()
    foreign.close()
    (tmp_path / "broken").write_bytes(b"not a database, but long enough to look like one" * 50)
    for name, words in (
        ("newer", "version 99; this covary reads up to"),
        ("foreign", "no journal of covary"),
        ("broken", "is damaged"),
        ("missing", "there is no journal at"),
    ):
        with pytest.raises(StoreError, match=words) as caught:
            Journal.open(tmp_path / name, write=name != "missing")
        assert "\n" not in str(caught.value)


def test_a_migration_runs_once_in_a_transaction_and_a_failed_one_changes_nothing(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j") as journal:
        journal.append([row(1)])
    path = tmp_path / "j"
    connection = sqlite3.connect(path, isolation_level=None)
    bad = (*STEPS, Step("bad", ("ALTER TABLE responses ADD COLUMN cost REAL", "ALTER TABLE nowhere ADD COLUMN x")))
    with pytest.raises(StoreError, match=f"version {len(STEPS) + 1} \\(bad\\)"):
        migrate(connection, path, bad)
    columns = [entry[1] for entry in connection.execute("PRAGMA table_info(responses)")]
    assert "cost" not in columns
    good = (*STEPS, Step("cost", ("ALTER TABLE responses ADD COLUMN cost REAL",)))
    assert migrate(connection, path, good) == len(good)
    assert migrate(connection, path, good) == len(good)
    assert connection.execute("SELECT count(*) FROM responses").fetchone() == (1,)
    connection.close()


def _crashed_copy(tmp_path: Path, batches: int) -> Path:
    """A journal as a killed process leaves it: some commits are only in the write-ahead log."""
    with Journal.open(tmp_path / "live") as journal:
        for batch in range(batches):
            journal.append([row(batch * 10 + number, text="x" * 2000) for number in range(10)])
        for suffix in ("", "-wal"):
            shutil.copy(f"{tmp_path / 'live'}{suffix}", f"{tmp_path / 'copy'}{suffix}")
    return tmp_path / "copy"


def test_a_log_cut_anywhere_keeps_every_commit_before_the_cut(tmp_path: Path) -> None:
    path = _crashed_copy(tmp_path, batches=20)
    log = Path(f"{path}-wal")
    whole = log.read_bytes()
    counts: list[int] = []
    for cut in range(len(whole), 0, -len(whole) // 12):
        log.write_bytes(whole[:cut])
        shutil.copy(path, tmp_path / "case")
        shutil.copy(log, tmp_path / "case-wal")
        with Journal.open(tmp_path / "case", write=True) as journal:
            found = journal.counts().ok if cut > 40_000 else 0
            counts.append(found)
            assert found % 10 == 0  # whole commits only
            journal.append([row(999_999)])
        for suffix in ("", "-wal", "-shm"):
            Path(f"{tmp_path / 'case'}{suffix}").unlink(missing_ok=True)
    assert counts[0] == 200
    assert counts == sorted(counts, reverse=True)


def test_a_file_that_lost_its_end_is_told_and_merge_saves_what_is_there(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "whole") as journal:
        journal.append([row(number, text="x" * 2000) for number in range(500)])
    data = (tmp_path / "whole").read_bytes()
    (tmp_path / "cut").write_bytes(data[: len(data) * 2 // 3])
    with pytest.raises(StoreError, match="is damaged; `covary merge` brings what can still be read"):
        Journal.open(tmp_path / "cut")
    merged = merge([tmp_path / "cut"], tmp_path / "saved")
    assert 250 <= merged.new <= 340
    assert merged.damaged
    assert merge([tmp_path / "cut"], tmp_path / "saved").new == 0


def test_the_merge_command_tells_what_came_what_was_in_conflict_and_what_was_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from covary.cli.merging import merge as merge_command

    for name, text in (("a", "one"), ("b", "another")):
        with Journal.open(tmp_path / name) as journal:
            journal.append([row(number, text=text if number < 2 else "x" * 2000) for number in range(400)])
    data = (tmp_path / "a").read_bytes()
    (tmp_path / "cut").write_bytes(data[: len(data) * 2 // 3])
    merge_command([tmp_path / "a", tmp_path / "b", tmp_path / "cut"], tmp_path / "all", False)
    said = capsys.readouterr()
    assert "400 new answers," in said.out
    assert "2 requests were answered differently; the first answer stays: " in said.out
    assert f"damaged: {tmp_path / 'cut'}: " in said.err
    merge_command([tmp_path / "a", tmp_path / "b"], tmp_path / "all", True)
    assert '"new": 0' in capsys.readouterr().out


READ_ONLY = """
import os, sys
from pathlib import Path
from covary.errors import CovaryError
from covary.store.journal import Journal
if os.getuid() == 0:
    os.setuid(65534)
try:
    with Journal.open(sys.argv[1], write=sys.argv[2] == "write") as journal:
        print(journal.counts().ok)
except CovaryError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_a_read_only_folder_can_be_read_and_refuses_writing_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    with Journal.open(folder / "journal.sqlite") as journal:
        journal.append([row(1)])
    for part in (folder, tmp_path, *tmp_path.parents):
        if part.stat().st_uid == os.getuid() and part != Path("/"):
            part.chmod(part.stat().st_mode | 0o055)
    folder.chmod(0o555)
    try:
        said = {}
        for mode in ("write", "read"):
            command = [sys.executable, "-c", READ_ONLY, str(folder / "journal.sqlite"), mode]
            said[mode] = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    finally:
        folder.chmod(0o755)
    assert "choose a folder that you may write to" in said["write"]
    assert "\n" not in said["write"]
    assert said["read"] == "1"


FULL = """
import resource, signal, sys
from covary.errors import StoreError
from covary.store.journal import Journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
sys.path.insert(0, sys.argv[2])
from tests.store.test_journal import row
acknowledged = 0
with Journal.open(sys.argv[1]) as journal:
    try:
        for number in range(0, 10_000, 10):
            journal.append([row(number + offset, text="x" * 2000) for offset in range(10)])
            acknowledged += 10
    except StoreError as error:
        print(acknowledged, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_disk_that_takes_no_more_is_told_and_what_was_acknowledged_is_there(tmp_path: Path) -> None:
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", FULL, str(tmp_path / "j"), root]
    said = subprocess.run(command, capture_output=True, text=True)
    acknowledged, _, line = said.stdout.strip().partition(" ")
    assert "run again" in line, said
    assert int(acknowledged) >= 10
    with Journal.open(tmp_path / "j") as journal:
        assert journal.counts().ok >= int(acknowledged)
        journal.append([row(number) for number in range(10_000)])
        assert journal.counts().ok == 10_000


def test_a_full_database_is_told_and_takes_rows_again_when_there_is_space(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j") as journal:
        journal.append([row(1)])
        connection = journal._connection  # pyright: ignore[reportPrivateUsage]
        connection.execute("PRAGMA max_page_count = 20")
        with pytest.raises(StoreError, match="the disk is full; free some space"):
            journal.append([row(number, text="x" * 5000) for number in range(2, 500)])
        assert journal.counts().ok == 1
        connection.execute("PRAGMA max_page_count = 1000000")
        assert journal.append([row(number) for number in range(2, 500)]).new == 498


def test_errors_of_the_store_are_errors_of_covary() -> None:
    assert issubclass(StoreError, CovaryError)
