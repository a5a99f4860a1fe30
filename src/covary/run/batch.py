"""Provider batch files: requests out and results in, as JSON lines in OpenAI's form.

A line out holds the request's body and its id; lines in come in any order, in any number of files, whole or in part. Every line
that names a request becomes a response, an error too; what is missing, unknown or unreadable is told, never guessed.
"""

from __future__ import annotations

import base64
import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
import polars as pl

from covary import digest, schema
from covary.errors import DataError, StoreError, UsageError, nearest
from covary.prompts.requests import Model
from covary.run.reply import read_failure, read_reply
from covary.run.transport import Answer, Failure, ReadPicture

ROWS_AT_ONCE = 20_000
MAX_LINE_BYTES = 64 << 20
PICTURES_KEPT = 64
BETTER = {"ok": 0, "truncated": 1, "refused": 2, "error": 3}


@dataclass(frozen=True)
class Limits:
    """What a provider takes in one file, and the address that each line names."""

    requests_per_file: int = 50_000
    bytes_per_file: int = 200_000_000
    url: str = "/v1/chat/completions"


class BatchFile(NamedTuple):
    """One file written: where, for which model, how many requests and bytes."""

    path: Path
    model: str
    requests: int
    size: int


@dataclass(frozen=True)
class BatchRead:
    """What came back: responses (schema.RESPONSES, origin `batch`) and what could not be one.

    missing: planned requests that no file answers (to be sent again). unknown: ids that were not planned. conflicts: requests with
    more than one different answer, of which the best, then the first by content, is kept. unreadable: `file:line: why`.
    """

    responses: pl.DataFrame
    missing: list[str] = field(default_factory=list[str])
    unknown: list[str] = field(default_factory=list[str])
    conflicts: list[str] = field(default_factory=list[str])
    unreadable: list[str] = field(default_factory=list[str])


def write(
    requests: pl.DataFrame,
    models: Iterable[Model],
    folder: str | Path,
    limits: Limits = Limits(),
    read_picture: ReadPicture | None = None,
) -> list[BatchFile]:
    """Batch files for requests (schema.REQUESTS), each of one model and within the limits, in the requests' order.

    A model's `transport` may hold `extra_body` (fields added to each body) and `rename` (field → the provider's name for it).
    The folder must hold no batch file yet: a provider is paid for each file. Raises UsageError or DataError before anything stands
    in the folder under its final name.
    """
    known = {model.name: model for model in models}
    for name in requests["model"].unique().sort():
        if name not in known:
            raise UsageError(
                f"the requests name a model {name!r} that the study does not declare{nearest(name, known)}"
            )
    target = Path(folder)
    if target.is_dir() and (old := sorted(target.glob("*.jsonl"))):
        raise UsageError(
            f"{target} already holds batch files ({old[0].name}); name an empty folder, or delete them if they were never sent"
        )
    picture = _pictures(read_picture)
    pending: list[tuple[Path, BatchFile]] = []
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in requests["model"].unique(maintain_order=True):
            lines = _lines(requests.filter(pl.col("model") == name), known[name], limits, picture)
            pending += _write_files(lines, name, target, limits)
        for partial, file in pending:
            partial.replace(file.path)
    except OSError as error:
        raise StoreError(f"batch files can't be written to {target}: {error.strerror or error}") from None
    finally:
        for partial, _ in pending:
            partial.unlink(missing_ok=True)
    return [file for _, file in pending]


def read(
    paths: Iterable[str | Path], requests: pl.DataFrame | None = None, received_at: datetime | None = None
) -> BatchRead:
    """The responses in result and error files (folders: every .jsonl in them); the same for every order of files and lines.

    requests (schema.REQUESTS), where given, says what was asked. received_at: when the results were had, in UTC.
    Raises DataError for a path that can't be read, and for a file of requests given in place of results.
    """
    unreadable: list[str] = []
    pieces = _pieces(_rows(_files(paths), received_at, unreadable), ROWS_AT_ONCE)
    frames = [_best(pl.DataFrame(piece, schema=_READ_SCHEMA, orient="row")) for piece in pieces]
    found = _best(pl.concat([pl.DataFrame(schema=_READ_SCHEMA), *frames]))
    planned = (found if requests is None else requests).select("request_id").unique()
    known = found.join(planned, on="request_id", how="semi", maintain_order="left")
    return BatchRead(
        schema.RESPONSES.check(known.drop("rank", "content", "differs")),
        _ids(planned.join(found, on="request_id", how="anti")),
        _ids(found.join(planned, on="request_id", how="anti")),
        _ids(known.filter("differs")),
        sorted(unreadable),
    )


# Out


def _lines(requests: pl.DataFrame, model: Model, limits: Limits, picture: Any) -> Iterator[bytes]:
    extra = dict(model.transport.get("extra_body") or {})
    rename = dict(model.transport.get("rename") or {})
    for key, content in requests.select("request_id", "content").iter_rows():
        asked = msgspec.json.decode(content)
        sampling = {rename.get(name, name): value for name, value in asked["sampling"].items()}
        body = {"model": asked["model"]["name"], "messages": _messages(asked["messages"], picture), **sampling, **extra}
        line = msgspec.json.encode({"custom_id": key, "method": "POST", "url": limits.url, "body": body}) + b"\n"
        if len(line) > limits.bytes_per_file:
            raise DataError(
                f"request {key} alone is {len(line):,} bytes, more than the {limits.bytes_per_file:,} of one batch file"
            )
        yield line


def _messages(messages: Sequence[Mapping[str, Any]], picture: Any) -> list[dict[str, Any]]:
    return [
        {**message, "content": [_part(part, picture) for part in message["content"]]}
        if isinstance(message["content"], list)
        else dict(message)
        for message in messages
    ]


def _part(part: Mapping[str, Any], picture: Any) -> dict[str, Any]:
    if part.get("type") != "image":
        return dict(part)
    return {"type": "image_url", "image_url": {"url": picture(part["sha256"], part["mime"])}}


def _pictures(read_picture: ReadPicture | None) -> Any:
    @functools.lru_cache(maxsize=PICTURES_KEPT)
    def data_uri(sha256: str, mime: str) -> str:
        if read_picture is None:
            raise UsageError("the requests show pictures, but no folder of pictures was given")
        return f"data:{mime};base64,{base64.b64encode(read_picture(sha256)).decode()}"

    return data_uri


def _write_files(lines: Iterator[bytes], model: str, folder: Path, limits: Limits) -> list[tuple[Path, BatchFile]]:
    """Files under provisional names, with what they will be called."""
    stem = f"{re.sub(r'[^A-Za-z0-9._-]+', '-', model).strip('-.') or 'model'}-{digest.sha256_hex(model.encode())[:6]}"
    written: list[tuple[Path, BatchFile]] = []
    held = next(lines, None)
    while held is not None:
        number = len(written) + 1
        partial = folder / f"{stem}-{number:05d}.partial"
        count = size = 0
        written.append((partial, BatchFile(folder / f"{stem}-{number:05d}.jsonl", model, 0, 0)))
        with partial.open("wb") as file:
            while held is not None and count < limits.requests_per_file and size + len(held) <= limits.bytes_per_file:
                file.write(held)
                count, size = count + 1, size + len(held)
                held = next(lines, None)
        written[-1] = (partial, written[-1][1]._replace(requests=count, size=size))
    return written


# In


class _Reply(msgspec.Struct):
    status_code: int = 200
    body: msgspec.Raw = msgspec.Raw(b"")


class _Line(msgspec.Struct):
    custom_id: str
    response: _Reply | None = None
    error: Any = None
    method: str | None = None


LINE = msgspec.json.Decoder(_Line)
_READ_SCHEMA = {**schema.RESPONSES.schema, "rank": pl.Int8(), "content": pl.String(), "differs": pl.Boolean()}


def _files(paths: Iterable[str | Path]) -> Iterator[Path]:
    for path in map(Path, paths):
        if not path.exists():
            raise DataError(f"no batch results at {path}; give the files that the provider wrote, or their folder")
        inside = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        if not inside:
            raise DataError(f"{path} holds no .jsonl file; give the folder with the provider's results")
        yield from inside


def _rows(files: Iterator[Path], received_at: datetime | None, unreadable: list[str]) -> Iterator[tuple[object, ...]]:
    for path in files:
        for number, data in _numbered_lines(path):
            where = f"{path}:{number}"
            if data is None:
                unreadable.append(f"{where}: a line of more than {MAX_LINE_BYTES >> 20} MiB")
                continue
            try:
                line = _decoded(data)
            except (msgspec.DecodeError, ValueError, RecursionError) as error:
                unreadable.append(f"{where}: no batch result: {error}")
                continue
            if line.method is not None and line.response is None:
                raise DataError(
                    f"{where} is a request, not a result: give the files that the provider wrote, not those sent to it"
                )
            yield _row(line, received_at)


def _decoded(data: bytes) -> _Line:
    """A line; one with lone surrogates, which strict JSON refuses, is rewritten with its escapes for `read_reply` to mend."""
    try:
        return LINE.decode(data)
    except msgspec.DecodeError:
        mended: Any = json.loads(data.decode("utf-8", "replace"))
        reply = mended.get("response") if isinstance(mended, dict) else None
        if not isinstance(reply, dict):
            raise
        body = json.dumps(reply.pop("body", None)).encode()
        line = msgspec.convert(mended, _Line)
        return msgspec.structs.replace(line, response=_Reply(reply.get("status_code") or 200, msgspec.Raw(body)))


def _numbered_lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(MAX_LINE_BYTES):
                number += 1
                if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
                    _skip_line(file)
                    yield number, None
                elif text := line.removeprefix(b"\xef\xbb\xbf").strip():
                    yield number, text
    except OSError as error:
        raise DataError(f"batch results {path} can't be read: {error.strerror or error}") from None


def _skip_line(file: IO[bytes]) -> None:
    while (rest := file.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
        pass


def _row(line: _Line, received_at: datetime | None) -> tuple[object, ...]:
    outcome = _outcome(line)
    answer = Answer("error", error=outcome.error) if isinstance(outcome, Failure) else outcome
    said = [answer.status, answer.text, answer.reasoning, answer.finish_reason]
    return (
        line.custom_id.encode("utf-8", "replace").decode(),
        answer.status,
        answer.text,
        answer.reasoning,
        answer.finish_reason,
        answer.error,
        answer.prompt_tokens,
        answer.completion_tokens,
        answer.reasoning_tokens,
        None,
        1,
        answer.model_reported,
        digest.canonical_json(answer.detail).decode(),
        "batch",
        received_at,
        BETTER[answer.status],
        None if answer.status == "error" else digest.digest(said),
        False,
    )


def _outcome(line: _Line) -> Answer | Failure:
    reply = line.response
    body = bytes(reply.body) if reply is not None else b""
    if reply is not None and body not in (b"", b"null"):
        return read_reply(body) if reply.status_code == 200 else read_failure(reply.status_code, body, None)
    if line.error:
        return Failure(_told(line.error), "retry")
    return Failure("the batch result holds neither an answer nor an error", "retry")


def _told(error: Any) -> str:
    if isinstance(error, dict):
        parts = [str(error[key]) for key in ("code", "message") if error.get(key)]
        return ": ".join(parts)[:300] or "an error without a message"
    return str(error)[:300]


def _best(rows: pl.DataFrame) -> pl.DataFrame:
    """One row a request: the best status, then the smallest content; `differs` remembers that another answer came too."""
    answers = pl.col("content").drop_nulls().n_unique().over("request_id")
    return (
        rows.sort(
            "request_id", "rank", "content", "error", "detail", "prompt_tokens", "completion_tokens", nulls_last=True
        )
        .with_columns(differs=pl.col("differs").any().over("request_id") | (answers > 1))
        .unique("request_id", keep="first", maintain_order=True)
    )


def _ids(frame: pl.DataFrame) -> list[str]:
    return frame["request_id"].sort().to_list()


def _pieces(rows: Iterator[tuple[object, ...]], size: int) -> Iterator[list[tuple[object, ...]]]:
    piece: list[tuple[object, ...]] = []
    for row in rows:
        piece.append(row)
        if len(piece) == size:
            yield piece
            piece = []
    if piece:
        yield piece
