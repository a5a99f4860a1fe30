"""The same plan on a Ray cluster: requests as Parquet blocks, the one loop inside actors, responses written block by block.

    requests ──anti-join settled──▶ blocks/RUN-000000.parquet … ──Ray Data──▶ actor: loop ──▶ responses/RUN-000000.PART.parquet …
                                                                                    block ended └──▶ responses/RUN-000000.parquet

The folder is one that the driver and every node see under the same path. A block's answers are on disk about every second, in part
files; whoever takes up the block of a killed worker finds them there and sends only what is missing.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import logging
import os
import secrets
import shutil
import sys
import threading
import time
from collections.abc import Coroutine, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import polars as pl

from covary import schema
from covary.digest import RequestId
from covary.errors import CovaryError, RunError, StoreError, UsageError, nearest
from covary.prompts.requests import Model
from covary.run.budget import Spent, price_of
from covary.run.execute import execute
from covary.run.plan import TransportFor, endpoint_of, limits_of, transport_of
from covary.run.progress import Progress, Quiet, Snapshot
from covary.run.served import Program
from covary.run.sources import PIECE, iterable_source, models_of, opened
from covary.run.transport import Answer, Failure, ReadPicture, Request, Transport
from covary.run.work import Limits, Outcome, Part, Sink, Work

T = TypeVar("T")

BLOCK_ROWS = 1000
COMMIT_WINDOW_S = 1.0
BLOCK_TRIES = 8  # Ray gives a dead worker's block to another without end; a block that kills each of them must end
RANK = {"ok": 0, "truncated": 1, "refused": 2, "error": 3}
RESPONSES = "responses"
BLOCKS = "blocks"


class Block(NamedTuple):
    """Requests of one model in one Parquet file."""

    path: Path
    model: str
    rows: int


def run_on_ray(
    requests: pl.DataFrame | pl.LazyFrame | str | Path,
    models: Mapping[str, Model],
    folder: str | Path,
    *,
    on: str = "ray",
    journal: Sink | None = None,
    actors: int | None = None,
    cpus_per_actor: float = 1,
    gpus_per_actor: float = 0,
    block_rows: int = BLOCK_ROWS,
    limits: Limits | None = None,
    retry_errors: bool = False,
    read_picture: ReadPicture | None = None,
    transport_for: TransportFor | None = None,
    serve: Mapping[str, Sequence[str]] | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """The outcome of running a table of requests (schema.REQUESTS) on a cluster.

    on: `ray` (a cluster of this machine), `ray://auto` (the one that this machine belongs to), or `ray://HOST:PORT`. folder: where
    every node finds it under this path; the responses are there (see `responses`). journal: what it has settled is not sent, and
    it takes up all responses, those of an earlier run that was killed too; they then leave the folder. actors: so many at most
    (None: as many as processors allow). limits: of each actor, those by the minute shared out among them. A model's key must be in
    the environment of every node. serve: model → the command of a server that each actor starts for itself, with `{port}` where its
    port belongs (`vllm serve … --port {port}`); it has the actor's GPUs.

    Raises UsageError before anything is sent, and RunError when the cluster can't be had or fails; answers on disk are kept.
    """
    started_at = time.monotonic()
    table = opened(requests)
    totals = models_of(table)
    for name in totals:
        if name not in models:
            raise UsageError(f"requests: unknown model {name!r}{nearest(name, models)}")
    place = Path(folder).resolve()
    _take_up(place, journal)
    settled = _settled(table, place, journal, retry_errors)
    blocks = _write_blocks(table.join(settled.lazy(), on="request_id", how="anti"), place, block_rows)
    tally = _Tally(sum(totals.values()), settled.height, progress or Quiet(), started_at)
    try:
        if blocks:
            with _cluster(on) as ray:
                room = ray.cluster_resources().get("CPU", 1) / cpus_per_actor if cpus_per_actor else len(blocks)
                count = max(1, min(actors or int(room), len(blocks)))
                setup = _Setup(
                    {name: models[name] for name in totals},
                    place / RESPONSES,
                    limits or Limits(),
                    count,
                    max(1, int(cpus_per_actor)),
                    read_picture,
                    transport_for,
                    serve or {},
                )
                tally.watch(_mapped(ray, blocks, setup, cpus_per_actor, gpus_per_actor))
    finally:
        outcome = _outcome(table, totals, settled, place, models, tally)
        _take_up(place, journal)
        shutil.rmtree(place / BLOCKS, ignore_errors=True)
    return outcome


def responses(folder: str | Path) -> pl.LazyFrame:
    """The responses (schema.RESPONSES) that a folder holds, one a request: the best, where a block was worked on twice."""
    files = sorted((Path(folder) / RESPONSES).glob("*.parquet"))
    if not files:
        return schema.RESPONSES.empty().lazy()
    rank = pl.col("status").replace_strict(RANK, default=len(RANK), return_dtype=pl.Int8)
    return pl.scan_parquet(files).sort(rank).unique("request_id", keep="first", maintain_order=True)


class BlockWorker:
    """What runs in an actor: takes one block after another; its models stay open between them."""

    def __init__(self, setup: _Setup) -> None:
        self._setup = setup
        self._transports: dict[str, Transport] = {}
        self._stopped: dict[str, str | None] = {}
        self._loop = _LoopThread()

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """One block's numbers: model, rows, answered, failed, and why it stopped (an empty text: it didn't)."""
        name, path, rows = str(row["model"]), Path(row["path"]), int(row["rows"])
        answers = PartFiles(self._setup.responses, path.stem)
        stopped = self._stopped.get(name) or _too_often(path)
        if stopped is None:
            stopped = self._stopped[name] = self._loop.run(self._worked(name, path, rows, answers))
        answered, failed = answers.join()
        return {"model": name, "rows": rows, "answered": answered, "failed": failed, "stopped": stopped or ""}

    async def _worked(self, name: str, path: Path, rows: int, answers: PartFiles) -> str | None:
        setup = self._setup
        model = setup.models[name]
        limits = limits_of(model, setup.limits)
        limits = replace(
            limits,
            requests_per_minute=limits.requests_per_minute and limits.requests_per_minute / setup.actors,
            tokens_per_minute=limits.tokens_per_minute and limits.tokens_per_minute / setup.actors,
            commit_window_s=COMMIT_WINDOW_S,
        )
        frame = pl.read_parquet(path, columns=["request_id", "content"])
        source = iterable_source(Request(RequestId(key), content.encode()) for key, content in frame.iter_rows())
        work = Work(name, lambda: self._transport(model), source, rows, limits, endpoint_of(model))
        try:
            outcome = await execute([work], answers)
        except CovaryError as error:
            return f"model {name!r}: {error}"
        return outcome.stopped[0] if outcome.stopped else None

    def _transport(self, model: Model) -> Transport:
        if model.name not in self._transports:
            setup = self._setup
            fitted, program = _fitted(model, setup.threads), None
            if model.name in setup.serve:
                program = Program(setup.serve[model.name])
                program.wait_ready()
                fitted = replace(model, transport={**model.transport, "kind": "http", "base_url": program.base_url})
            made = setup.transport_for(fitted) if setup.transport_for else transport_of(fitted, setup.read_picture)
            self._transports[model.name] = _KeptOpen(made, program)
        return self._transports[model.name]


class PartFiles:
    """A block's responses as Parquet files: a part for each commit, one file once the block has ended."""

    def __init__(self, folder: Path, block: str) -> None:
        self._folder = folder
        self._block = block
        self._attempt = secrets.token_hex(4)
        self._written = 0
        self._status: dict[str, str] = {}
        folder.mkdir(parents=True, exist_ok=True)
        for path in self._files():
            self._status.update(pl.read_parquet(path, columns=["request_id", "status"]).iter_rows())

    def settled(self, ids: Sequence[str], *, retry_errors: bool = False) -> tuple[set[str], set[str]]:
        """Those of the ids that this block has: (answered, failed)."""
        known = {key: self._status[key] for key in ids if key in self._status}
        failed = set() if retry_errors else {key for key, status in known.items() if status == "error"}
        return {key for key, status in known.items() if status != "error"}, failed

    def append(self, rows: Iterable[Sequence[object]]) -> int:
        """How many rows were written; they are on disk when this returns."""
        raw = {**schema.RESPONSES.schema, "received_at": pl.Int64()}
        frame = pl.DataFrame(list(rows), schema=raw, orient="row")
        frame = frame.cast({"received_at": schema.RESPONSES.schema["received_at"]})
        self._written += 1
        _write_whole(frame, self._folder / f"{self._block}.{self._attempt}-{self._written:06d}.parquet")
        self._status.update(frame.select("request_id", "status").iter_rows())
        return frame.height

    def frame(self, request_ids: Iterable[str] | None = None) -> pl.DataFrame:
        """The block's responses, all or those asked for."""
        files = self._files()
        found = pl.concat([pl.read_parquet(path) for path in files]) if files else schema.RESPONSES.empty()
        return found if request_ids is None else found.filter(pl.col("request_id").is_in(list(request_ids)))

    def join(self) -> tuple[int, int]:
        """Make one file of the parts. Returns how many requests are answered and how many failed."""
        parts = self._files()
        if len(parts) > 1:
            _write_whole(self.frame(), self._folder / f"{self._block}.parquet")
            for path in parts:
                if path.name != f"{self._block}.parquet":
                    path.unlink(missing_ok=True)
        failed = sum(status == "error" for status in self._status.values())
        return len(self._status) - failed, failed

    def _files(self) -> list[Path]:
        return sorted([*self._folder.glob(f"{self._block}.parquet"), *self._folder.glob(f"{self._block}.*.parquet")])


@dataclass(frozen=True)
class _Setup:
    """What an actor is made from; it travels to the nodes. `actors`: how many share a limit by the minute."""

    models: Mapping[str, Model]
    responses: Path
    limits: Limits
    actors: int
    threads: int
    read_picture: ReadPicture | None
    transport_for: TransportFor | None
    serve: Mapping[str, Sequence[str]]


class _KeptOpen:
    """A transport that the loop can't close, since the next block needs it; with the program behind it, if it is ours."""

    def __init__(self, inner: Transport, program: Program | None) -> None:
        self._inner = inner
        self._program = program
        self.slots = inner.slots

    async def send(self, request: Request, timeout_s: float) -> Answer | Failure:
        outcome = await self._inner.send(request, timeout_s)
        if isinstance(outcome, Failure) and self._program is not None and (ended := self._program.ended):
            return Failure(ended, "stop")
        return outcome

    async def close(self) -> None: ...


class _LoopThread:
    """One event loop for an actor's life: open connections belong to it. Beside the main thread, whose signals are Ray's."""

    def __init__(self) -> None:
        self._loop = _new_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class _Tally:
    """How far the blocks are."""

    def __init__(self, total: int, found: int, progress: Progress, started_at: float) -> None:
        self.started_at = started_at
        self.stopped: dict[str, str] = {}
        self.interrupted = False
        self._total = total
        self._found = found
        self._progress = progress
        self._answered = self._failed = 0

    def watch(self, results: Iterable[Mapping[str, Any]]) -> None:
        self._progress.show(self._snapshot())
        try:
            for result in results:
                self._answered += result["answered"]
                self._failed += result["failed"]
                if result["stopped"] and result["model"] not in self.stopped:
                    self.stopped[result["model"]] = result["stopped"]
                    self._progress.note(result["stopped"])
                self._progress.show(self._snapshot())
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            self._progress.end(self._snapshot())

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self.started_at

    def _snapshot(self) -> Snapshot:
        ended = self._answered + self._failed
        return Snapshot(
            total=self._total,
            found=self._found,
            answered=self._answered,
            failed=self._failed,
            shared=0,
            under_way=0,
            waiting=0,
            tokens=0,
            money=0.0,
            currency=None,
            rate=ended / self.elapsed_s if ended else 0.0,
            elapsed_s=self.elapsed_s,
        )


def _too_often(path: Path) -> str | None:
    """Why a block is left: it was begun so often, and no worker came to its end. Counts this beginning."""
    path.with_name(f"{path.name}.{secrets.token_hex(4)}.begun").touch()
    begun = len(list(path.parent.glob(f"{path.name}.*.begun")))
    return f"{begun - 1} workers died over the block {path.stem}" if begun > BLOCK_TRIES else None


def _settled(table: pl.LazyFrame, place: Path, journal: Sink | None, retry_errors: bool) -> pl.DataFrame:
    """What needs no sending: request_id, model, failed."""
    columns = {"request_id": pl.String(), "model": pl.String(), "failed": pl.Boolean()}
    names = table.select("request_id", "model")
    if journal is None:
        known = responses(place).select("request_id", failed=pl.col("status") == "error")
        found = names.join(known, on="request_id").collect()
        return found.filter(~pl.col("failed")) if retry_errors else found
    pieces = [pl.DataFrame(schema=columns)]
    for piece in names.collect().iter_slices(PIECE):
        answered, failed = journal.settled(piece["request_id"].to_list(), retry_errors=retry_errors)
        marks = [key in failed for key in piece["request_id"]]
        keep = [key in answered or mark for key, mark in zip(piece["request_id"], marks, strict=True)]
        pieces.append(
            piece.with_columns(failed=pl.Series(marks, dtype=pl.Boolean())).filter(pl.Series(keep, dtype=pl.Boolean()))
        )
    return pl.concat(pieces)


def _write_blocks(left: pl.LazyFrame, place: Path, block_rows: int) -> list[Block]:
    """Blocks of what is left, each of one model, written piece by piece."""
    folder = place / BLOCKS
    shutil.rmtree(folder, ignore_errors=True)
    run = secrets.token_hex(4)
    blocks: list[Block] = []
    waiting: dict[str, pl.DataFrame] = {}

    def put(model: str, frame: pl.DataFrame) -> None:
        path = folder / f"{run}-{len(blocks):06d}.parquet"
        _write_whole(frame, path)
        blocks.append(Block(path, model, frame.height))

    whole = folder / "left"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        left.select("request_id", "model", "content").sink_parquet(whole, row_group_size=PIECE)
        height = pl.scan_parquet(whole, glob=False).select(pl.len()).collect().item()
        for start in range(0, height, PIECE):
            piece = pl.scan_parquet(whole, glob=False).slice(start, PIECE).collect()
            for (model,), rows in piece.partition_by("model", as_dict=True, maintain_order=True).items():
                name = str(model)
                rows = pl.concat([waiting[name], rows]) if name in waiting else rows
                while rows.height >= block_rows:
                    put(name, rows.head(block_rows))
                    rows = rows.slice(block_rows)
                waiting[name] = rows
        whole.unlink()
    except OSError as error:
        raise StoreError(f"requests can't be written to {folder}: {error.strerror or error}") from None
    for name, rows in waiting.items():
        if rows.height:
            put(name, rows)
    return blocks


def _write_whole(frame: pl.DataFrame, path: Path) -> None:
    """A reader sees the whole file or none; it is on disk when this returns."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        frame.write_parquet(part, compression="zstd")
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise StoreError(f"can't write {path}: {error.strerror or error}") from None


def _take_up(place: Path, journal: Sink | None) -> None:
    """The folder's responses are in the journal, file by file, and then no longer in the folder."""
    if journal is None:
        return
    for path in sorted((place / RESPONSES).glob("*.parquet")):
        frame = pl.read_parquet(path, columns=list(schema.RESPONSES.schema))
        failed = frame.filter(pl.col("status") == "error")["request_id"].to_list()
        answered, _ = journal.settled(failed)  # a block worked on twice may hold an error beside an answer
        kept = frame.filter((pl.col("status") != "error") | ~pl.col("request_id").is_in(list(answered)))
        journal.append(kept.with_columns(pl.col("received_at").dt.timestamp("us")).iter_rows())
        path.unlink(missing_ok=True)


def _outcome(
    table: pl.LazyFrame,
    totals: Mapping[str, int],
    settled: pl.DataFrame,
    place: Path,
    models: Mapping[str, Model],
    tally: _Tally,
) -> Outcome:
    """What a run did, counted from what is on disk."""
    sums = ("prompt_tokens", "completion_tokens", "reasoning_tokens", "attempts")
    ended = (
        table.select("request_id", "model")
        .join(settled.lazy(), on="request_id", how="anti")
        .join(responses(place).select("request_id", "status", *sums), on="request_id")
        .group_by("model", "status")
        .agg(pl.len().alias("rows"), pl.col(*sums).sum(), pl.col("prompt_tokens").null_count().alias("unreported"))
        .collect()
    )
    before = {
        (str(model), bool(failed)): int(rows)
        for model, failed, rows in settled.group_by("model", "failed").len().iter_rows()
    }
    spent = Spent()
    counts: dict[tuple[str, str], int] = {}
    for row in ended.iter_rows(named=True):
        counts[row["model"], row["status"]] = row["rows"]
        spent.sends += row["attempts"]
        spent.prompt_tokens += row["prompt_tokens"]
        spent.completion_tokens += row["completion_tokens"]
        spent.reasoning_tokens += row["reasoning_tokens"]
        spent.unreported += row["unreported"]
        price = price_of(models[row["model"]].transport.get("price"), row["model"])
        if price:
            spent.money += price.of(row["prompt_tokens"], row["completion_tokens"])
            spent.currency = spent.currency or price.currency
    parts: dict[str, Part] = {}
    for name, total in totals.items():
        ok, truncated, refused, errors = (counts.get((name, status), 0) for status in RANK)
        found, found_errors = before.get((name, False), 0), before.get((name, True), 0)
        left = total - found - found_errors - ok - truncated - refused - errors
        stopped = tally.stopped.get(name) if left else None
        parts[name] = Part(total, found, found_errors, ok, truncated, refused, errors, left, stopped)
    reasons = [part.stopped for part in parts.values() if part.stopped]
    if tally.interrupted:
        reasons.append("interrupted")
    return Outcome(parts, spent, tuple(reasons), tally.interrupted, 0, tally.elapsed_s)


@contextmanager
def _cluster(on: str) -> Generator[Any, None, None]:
    """Ray, connected. A connection that the caller has made already is used and left open."""
    address = _address(on)
    if importlib.util.find_spec("ray") is None:
        raise UsageError("running on Ray needs the package ray: install covary with its extra, covary[ray]")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray: Any = importlib.import_module("ray")
    importlib.import_module("ray.data")
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    mine = not ray.is_initialized()
    if mine:
        local: dict[str, Any] = {"include_dashboard": False} if address is None else {}
        try:
            ray.init(address or "local", log_to_driver=False, logging_level=logging.ERROR, **local)
        except Exception as error:
            raise RunError(
                f"no Ray cluster for {on!r}: {_first_line(error)}; start one with `ray start --head`"
            ) from None
    try:
        yield ray
    except ray.exceptions.RayError as error:
        raise RunError(f"the Ray cluster failed: {_first_line(error)}; run again for what is left") from None
    finally:
        if mine:
            ray.shutdown()


def _address(on: str) -> str | None:
    """None: a cluster of this machine.

    >>> _address("ray"), _address("ray://auto"), _address("ray://head:10001")
    (None, 'auto', 'ray://head:10001')
    """
    if on == "ray":
        return None
    host = on.removeprefix("ray://")
    if not host or host == on:
        raise UsageError(f"expected ray, ray://auto or ray://HOST:PORT, found {on!r}")
    return "auto" if host == "auto" else on


def _mapped(ray: Any, blocks: Sequence[Block], setup: _Setup, cpus: float, gpus: float) -> Iterable[Mapping[str, Any]]:
    rows = [{"path": str(block.path), "model": block.model, "rows": block.rows} for block in blocks]
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_no_progress_timeout_s = -1  # a block of a slow model takes as long as it takes
    results = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
        BlockWorker,
        fn_constructor_args=(setup,),
        concurrency=setup.actors,
        num_cpus=cpus,
        num_gpus=gpus or None,
    )
    return results.iter_rows()


def _fitted(model: Model, threads: int) -> Model:
    """An embedded model uses its actor's processors, not the whole node's."""
    transport = dict(model.transport)
    embedded = transport.get("kind", "http" if "base_url" in transport else "embedded") == "embedded"
    return replace(model, transport={"threads": threads, **transport}) if embedded else model


def _new_loop() -> asyncio.AbstractEventLoop:
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop

    return uvloop.new_event_loop()


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:300]
