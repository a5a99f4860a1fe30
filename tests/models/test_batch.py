"""Batch files: every request goes out once within the limits, and every line that comes back is accounted for."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covary import schema
from covary.digest import sha256_hex
from covary.errors import DataError, UsageError
from covary.prompts.requests import Call, Model, merge, picture_message, plan_calls, text_message
from covary.run import batch
from covary.run.batch import Limits

MODEL = Model("m", served_name="vendor/m-1")
PICTURE = b"\x89PNG bytes"


def requests_of(count: int, model: Model = MODEL, text: str = "question") -> pl.DataFrame:
    calls = [
        Call(f"i{n}", "zero-shot", [text_message("user", f"{text} {n}")], {"temperature": 0, "max_tokens": 8})
        for n in range(count)
    ]
    return plan_calls(calls, model).requests


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def result(request_id: str, text: str = "4", **choice: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    body = {
        "model": "vendor/m-1-2025",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3},
    }
    return {"id": "b1", "custom_id": request_id, "response": {"status_code": 200, "body": body}, "error": None}


def save(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


# Out


def test_a_line_is_the_request_with_its_id(tmp_path: Path) -> None:
    requests = requests_of(1)
    [file] = batch.write(requests, [MODEL], tmp_path)
    assert lines_of(file.path) == [
        {
            "custom_id": requests["request_id"][0],
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": {
                "model": "vendor/m-1",
                "messages": [{"role": "user", "content": "question 0"}],
                "max_tokens": 8,
                "temperature": 0,
            },
        }
    ]
    assert (file.model, file.requests, file.size) == ("m", 1, file.path.stat().st_size)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(count=st.integers(0, 40), per_file=st.integers(1, 12), kilobytes=st.integers(1, 4))
def test_every_request_goes_out_once_and_no_file_exceeds_a_limit(
    tmp_path_factory: pytest.TempPathFactory, count: int, per_file: int, kilobytes: int
) -> None:
    folder = tmp_path_factory.mktemp("batch")
    requests = requests_of(count)
    files = batch.write(requests, [MODEL], folder, Limits(per_file, kilobytes * 1000))
    ids = [line["custom_id"] for file in files for line in lines_of(file.path)]
    assert ids == requests["request_id"].to_list()
    assert all(len(lines_of(file.path)) == file.requests <= per_file for file in files)
    assert all(file.path.stat().st_size == file.size <= kilobytes * 1000 for file in files)
    assert sorted(folder.iterdir()) == sorted(file.path for file in files)


def test_a_file_holds_one_model_only(tmp_path: Path) -> None:
    other = Model("other / model")
    plan = merge([plan_calls([], MODEL)])._replace(requests=pl.concat([requests_of(3), requests_of(3, other)]))
    mixed = plan.requests.sort("request_id")
    files = batch.write(mixed, [MODEL, other], tmp_path)
    assert len(files) == 2
    for file in files:
        assert len({line["body"]["model"] for line in lines_of(file.path)}) == 1
        assert "/" not in file.path.name and " " not in file.path.name


def test_pictures_are_inlined_and_read_once(tmp_path: Path) -> None:
    reads: list[str] = []

    def read_picture(sha256: str) -> bytes:
        reads.append(sha256)
        return PICTURE

    calls = [Call(f"i{n}", "vqa", [picture_message(f"How far? {n}", sha256_hex(PICTURE))], {}) for n in range(3)]
    [file] = batch.write(plan_calls(calls, MODEL).requests, [MODEL], tmp_path, read_picture=read_picture)
    first = lines_of(file.path)[0]["body"]["messages"][0]["content"]
    url = "data:image/png;base64," + base64.b64encode(PICTURE).decode()
    assert first == [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "How far? 0"}]
    assert reads == [sha256_hex(PICTURE)]


def test_pictures_without_a_folder_of_pictures_are_refused(tmp_path: Path) -> None:
    plan = plan_calls([Call("i", "vqa", [picture_message("?", "0" * 64)], {})], MODEL)
    with pytest.raises(UsageError, match="no folder of pictures was given"):
        batch.write(plan.requests, [MODEL], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_the_provider_wants_named_otherwise_is_renamed_and_extra_fields_are_added(tmp_path: Path) -> None:
    model = Model("m", transport={"rename": {"max_tokens": "max_completion_tokens"}, "extra_body": {"store": False}})
    [file] = batch.write(requests_of(1, model), [model], tmp_path)
    body = lines_of(file.path)[0]["body"]
    assert body["max_completion_tokens"] == 8 and body["store"] is False and "max_tokens" not in body


def test_a_request_larger_than_a_file_may_be_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    requests = requests_of(3, text="x" * 2000)
    with pytest.raises(DataError, match=r"alone is 2,\d\d\d bytes, more than the 1,000"):
        batch.write(requests, [MODEL], tmp_path, Limits(bytes_per_file=1000))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_batch_files_is_refused(tmp_path: Path) -> None:
    batch.write(requests_of(1), [MODEL], tmp_path)
    with pytest.raises(UsageError, match="already holds batch files"):
        batch.write(requests_of(1), [MODEL], tmp_path)


def test_requests_of_an_undeclared_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a model 'm' that the study does not declare"):
        batch.write(requests_of(1), [Model("m2")], tmp_path)


# In


def test_a_result_becomes_a_response_with_all_that_it_tells(tmp_path: Path) -> None:
    now = datetime(2026, 1, 2, tzinfo=UTC)
    path = save(tmp_path / "r.jsonl", [result("a" * 64, "<think>2 + 2</think>4")])
    [row] = batch.read([path], received_at=now).responses.to_dicts()
    assert row == {
        "request_id": "a" * 64,
        "status": "ok",
        "text": "4",
        "reasoning": "2 + 2",
        "finish_reason": "stop",
        "error": None,
        "prompt_tokens": 9,
        "completion_tokens": 3,
        "reasoning_tokens": None,
        "latency_s": None,
        "attempts": 1,
        "model_reported": "vendor/m-1-2025",
        "detail": "{}",
        "origin": "batch",
        "received_at": now,
    }


def test_errors_are_kept_as_responses_whatever_their_form(tmp_path: Path) -> None:
    lines = [
        {"custom_id": "a", "response": None, "error": {"code": "batch_expired", "message": "too late"}},
        {
            "custom_id": "b",
            "response": {"status_code": 400, "body": {"error": {"message": "bad field"}}},
            "error": None,
        },
        {"custom_id": "c", "response": None, "error": "broken"},
        {"custom_id": "d", "response": None, "error": None},
        result("e", "cut", finish_reason="length"),
        result("f", "", finish_reason="content_filter"),
        {"custom_id": "g", "response": {"status_code": 200, "body": {"choices": []}}, "error": None},
        {"custom_id": "h", "response": {"status_code": 200, "body": "no object"}, "error": None},
    ]
    rows = {row["request_id"]: row for row in batch.read([save(tmp_path / "e.jsonl", lines)]).responses.to_dicts()}
    assert {key: row["status"] for key, row in rows.items()} == {
        **dict.fromkeys("abcdgh", "error"),
        "e": "truncated",
        "f": "refused",
    }
    assert rows["a"]["error"] == "batch_expired: too late"
    assert "bad field" in rows["b"]["error"]
    assert all("\n" not in row["error"] for row in rows.values() if row["error"])


@settings(max_examples=25, deadline=None)
@given(
    texts=st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["1", "2", None])), max_size=25),
    seed=st.integers(0, 99),
    files=st.integers(1, 4),
)
def test_the_order_of_lines_and_files_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[int, str | None]], seed: int, files: int
) -> None:
    lines: list[dict[str, Any]] = [
        result(f"id{number}", text) if text else {"custom_id": f"id{number}", "error": {"message": "x"}}
        for number, text in texts
    ]
    folder = tmp_path_factory.mktemp("results")
    straight = batch.read([save(folder / "all.jsonl", lines)])
    shuffled = list(lines)
    random.Random(seed).shuffle(shuffled)
    parts = [save(folder / f"part{n}.jsonl", shuffled[n::files]) for n in range(files)]
    again = batch.read(parts[::-1])
    assert again.responses.equals(straight.responses)
    assert again.conflicts == straight.conflicts
    answers: dict[int, set[str | None]] = {}
    for number, text in texts:
        answers.setdefault(number, set()).add(text)
    assert straight.responses["request_id"].to_list() == sorted(f"id{number}" for number in answers)
    assert straight.conflicts == sorted(f"id{n}" for n, said in answers.items() if len(said - {None}) > 1)
    assert set(straight.responses.filter(pl.col("status") == "error")["request_id"]) == {
        f"id{n}" for n, said in answers.items() if said == {None}
    }


def test_every_request_is_accounted_for_and_partial_results_are_taken(tmp_path: Path) -> None:
    requests = requests_of(5)
    ids = requests["request_id"].to_list()
    output = save(tmp_path / "output.jsonl", [result(ids[3]), result(ids[0]), result("stranger")])
    errors = save(tmp_path / "errors.jsonl", [{"custom_id": ids[1], "error": {"code": "server_error"}}])
    with output.open("ab") as file:
        file.write(b'{"custom_id": "' + ids[2].encode() + b'", "response": {"status_co')  # cut off by a full disk
    read = batch.read([output, errors], requests)
    assert set(read.responses["request_id"]) == {ids[0], ids[1], ids[3]}
    assert read.missing == sorted([ids[2], ids[4]])
    assert read.unknown == ["stranger"]
    assert len(read.unreadable) == 1 and read.unreadable[0].startswith(f"{output}:4: ")
    assert set(read.responses["request_id"]) | set(read.missing) == set(ids)


def test_an_answer_outweighs_the_error_of_an_earlier_batch(tmp_path: Path) -> None:
    save(tmp_path / "1-errors.jsonl", [{"custom_id": "a", "error": {"message": "expired"}}])
    save(tmp_path / "2-output.jsonl", [result("a")])
    read = batch.read([tmp_path])
    assert read.responses["status"].to_list() == ["ok"] and read.conflicts == []


def test_a_round_trip_answers_every_request(tmp_path: Path) -> None:
    requests = requests_of(30)
    files = batch.write(requests, [MODEL], tmp_path / "out", Limits(requests_per_file=7))
    (tmp_path / "in").mkdir()
    for file in files:
        answers = [result(line["custom_id"], line["body"]["messages"][0]["content"]) for line in lines_of(file.path)]
        save(tmp_path / "in" / file.path.name, answers[::-1])
    read = batch.read([tmp_path / "in"], requests)
    assert (read.missing, read.unknown, read.conflicts, read.unreadable) == ([], [], [], [])
    assert set(read.responses["request_id"]) == set(requests["request_id"])
    schema.RESPONSES.check(read.responses)


def test_broken_text_is_mended_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    surrogate = json.dumps(result("a", "x")).replace('"x"', '"\\ud800x"').encode()
    not_utf8 = json.dumps(result("b", "x")).replace('"x"', '"@"').encode().replace(b"@", b"\xff")
    path.write_bytes(b"\xef\xbb\xbf" + surrogate + b"\r\n\n" + not_utf8 + b"\n")
    read = batch.read([path])
    assert dict(zip(read.responses["request_id"], read.responses["text"], strict=True)) == {
        "a": "\ufffdx",
        "b": "\ufffd",
    }


def test_the_request_file_given_in_place_of_the_results_is_refused(tmp_path: Path) -> None:
    [file] = batch.write(requests_of(1), [MODEL], tmp_path)
    with pytest.raises(DataError, match="is a request, not a result"):
        batch.read([file.path])


@pytest.mark.parametrize("make", [lambda path: path / "none.jsonl", lambda path: path], ids=["no file", "empty folder"])
def test_results_that_are_not_there_are_one_line(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    with pytest.raises(DataError, match=r"no batch results at|holds no \.jsonl file"):
        batch.read([make(tmp_path)])


def test_a_line_without_end_is_bounded_and_the_next_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MAX_LINE_BYTES", 1000)
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'{"custom_id": "' + b"x" * 5000 + b'"}\n' + json.dumps(result("a")).encode() + b"\n")
    read = batch.read([path])
    assert read.responses["request_id"].to_list() == ["a"] and len(read.unreadable) == 1
