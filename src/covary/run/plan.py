"""One call from a planned study to its outcome: builds each model's transport and runs the loop."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from covary.errors import UsageError, nearest
from covary.prompts.requests import Model
from covary.run.budget import Budget, Spent, price_of
from covary.run.execute import Follow, Limits, Outcome, Sink, Source, Work, execute
from covary.run.progress import Progress
from covary.run.sources import iterable_source, models_of, opened, table_source
from covary.run.transport import ReadPicture, Transport

LIMIT_KEYS = {
    "concurrency": int,
    "requests_per_minute": float,
    "tokens_per_minute": float,
    "timeout_s": float,
    "deadline_s": float,
    "max_attempts": int,
}
HTTP_KEYS = ("base_url", "key_env", "key_header", "headers", "extra_body", "rename")
OTHER_KEYS = ("kind", "price")

TransportFor = Callable[[Model], Transport]


def run_plan(
    requests: pl.DataFrame | pl.LazyFrame | str | Path,
    models: Mapping[str, Model],
    journal: Sink,
    *,
    progress: Progress | None = None,
    limits: Limits | None = None,
    budget: Budget | None = None,
    retry_errors: bool = False,
    follow: Follow | None = None,
    read_picture: ReadPicture | None = None,
    transport_for: TransportFor | None = None,
    shared: int = 0,
    spent: Spent | None = None,
) -> Outcome:
    """The outcome of running a table of requests (schema.REQUESTS: a frame, or the path of its Parquet file).

    models: the study's name of a model → the model; a model's `transport` says how it is reached (see `transport_of`) and
    may set its own limits and price. journal: an open `covary.store.journal.Journal`. follow: responses → further
    requests, for passes that run in a pipeline; their models must be in `models`. transport_for: makes a model's transport
    in place of `transport_of`. spent: what earlier passes of the run have used of its budget.

    Raises UsageError before anything is sent when a model is unknown, badly declared or without its key; a model that has
    nothing to send is not looked for.
    """
    table = opened(requests)
    counted = models_of(table)
    for name in counted:
        if name not in models:
            raise UsageError(f"requests: unknown model {name!r}{nearest(name, models)}")
    height = sum(counted.values())
    make = transport_for or (lambda model: transport_of(model, read_picture))

    def work_of(name: str) -> Work:
        model = models[name]
        source = table_source(table, name, height if name in counted else 0)
        seen = look(source, journal, retry_errors)
        passed_over = not seen.pending and follow is None
        return Work(
            name,
            make(model) if seen.pending else lambda: make(model),
            iterable_source(()) if passed_over else source,
            counted.get(name, 0),
            limits_of(model, limits or Limits()),
            endpoint_of(model),
            price_of(model.transport.get("price"), name),
            found=seen.answered if passed_over else 0,
            found_errors=seen.failed if passed_over else 0,
        )

    works = [work_of(name) for name in (models if follow else counted)]
    return run_async(
        lambda: execute(
            works,
            journal,
            progress=progress,
            budget=budget,
            retry_errors=retry_errors,
            follow=follow,
            shared=shared,
            spent=spent,
        )
    )


class Seen(NamedTuple):
    """A look at a source: whether it has anything to send, and what it passed over until then."""

    pending: bool
    answered: int
    failed: int


def look(source: Source, journal: Sink, retry_errors: bool) -> Seen:
    """What the journal knows of a source's requests, up to the first that it doesn't settle."""
    answered = failed = 0

    def settle(ids: Sequence[str]) -> set[str]:
        nonlocal answered, failed
        known, errors = journal.settled(ids, retry_errors=retry_errors)
        answered, failed = answered + len(known), failed + len(errors)
        return known | errors

    return Seen(any(source(settle)), answered, failed)


def run_async(work: Callable[[], Any]) -> Any:
    """What the coroutine returns that `work` makes, run on the fastest event loop there is."""
    if sys.platform == "win32":
        return asyncio.run(work())
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work())


def transport_of(model: Model, read_picture: ReadPicture | None = None) -> Transport:
    """The transport that a model's `transport` mapping declares.

    kind "http": base_url, key_env?, key_header?, headers?, extra_body?, rename? (see `covary.run.http.Endpoint`);
    kind "embedded": see `covary.run.embedded.open_embedded`; kind "fake": answers of a script, for tests.
    Any kind: concurrency, requests_per_minute, tokens_per_minute, timeout_s, deadline_s, max_attempts,
    price {input, output, currency}. Without a kind, a base_url means "http".
    """
    declared = dict(model.transport)
    kind = declared.get("kind", "http" if "base_url" in declared else "embedded")
    if kind == "http":
        from covary.run.http import Endpoint, HttpTransport

        known = (*HTTP_KEYS, *LIMIT_KEYS, *OTHER_KEYS)
        for key in declared:
            if key not in known:
                raise UsageError(f"model {model.name!r}: transport has no key {key!r}{nearest(key, known)}")
        if "base_url" not in declared:
            raise UsageError(f"model {model.name!r}: transport.base_url is missing, e.g. http://localhost:8000/v1")
        return HttpTransport(Endpoint(**{key: declared[key] for key in HTTP_KEYS if key in declared}), read_picture)
    if kind == "embedded":
        from covary.run.embedded import open_embedded

        return open_embedded(model)
    if kind == "fake":
        from covary.run.fake import FakeTransport

        return FakeTransport.from_declaration(declared)
    raise UsageError(
        f"model {model.name!r}: unknown transport kind {kind!r}{nearest(str(kind), ('http', 'embedded', 'fake'))}"
    )


def limits_of(model: Model, default: Limits) -> Limits:
    """The limits of a model: the run's, with what its transport declares in their place."""
    own: dict[str, Any] = {}
    for key, kind in LIMIT_KEYS.items():
        value = model.transport.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
            raise UsageError(f"model {model.name!r}: transport.{key} must be a number above 0, found {value!r}")
        own["attempt_timeout_s" if key == "timeout_s" else key] = kind(value)
    return replace(default, **own)


def endpoint_of(model: Model) -> str:
    """What shares one pace: the same server with the same key; else the model alone."""
    base_url = model.transport.get("base_url")
    return f"{base_url} {model.transport.get('key_env', '')}" if base_url else f"model {model.name}"
