"""The embedded model: llama.cpp inside this process, behind the transport protocol.

One slot, no prompt cache and temperature 0 give the same text in every process and with any number of threads; several slots do
not. The library starts its HTTP server in any case: it is bound to a socket file that is removed at once, asks for a random key
and serves no page, so that only this process talks to it.
"""

from __future__ import annotations

import asyncio
import os
import platform
import secrets
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import msgspec

from covary import digest
from covary.errors import ModelError, nearest
from covary.prompts.requests import Model
from covary.run import weights
from covary.run.thinking import Parts, split
from covary.run.transport import Answer, Failure, Request

NEEDED_INSTRUCTIONS = ("avx2", "fma", "f16c", "bmi2")
MOST_THREADS = 16
BATCH_TOKENS = 512  # also how many tokens of a prompt are read before a cancelled request is dropped
PACE = ("concurrency", "requests_per_minute", "tokens_per_minute", "timeout_s", "deadline_s", "max_attempts", "price")
SETTINGS = frozenset({"kind", "weights", "path", "context_tokens", "threads", "slots", "extra_body", *PACE})
CLOSED = Failure("the embedded model is closed", "stop")


class EmbeddedTransport:
    """One GGUF model in this process. The weights are verified and loaded by the first `send`, or by `load`.

    context_tokens: prompt and answer together, for each slot. extra_body: fields of every body that doesn't have them. Raises ModelError for a processor that can't run it.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        sha256: str | None = None,
        context_tokens: int = 4096,
        threads: int | None = None,
        slots: int = 1,
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        check_processor()
        self.slots: int | None = slots
        self._path = path
        self._name = name
        self._sha256 = sha256
        self._context_tokens = context_tokens
        self._threads = threads or usable_threads()
        self._slot_count = slots
        self._extra = dict(extra_body or {})
        self._detail: dict[str, Any] = {}
        self._server: Any = None
        self._loading = threading.Lock()
        self._closed = threading.Event()
        self._pool = ThreadPoolExecutor(slots, thread_name_prefix="covary-embedded")

    def load(self) -> None:
        """Verify and load the weights, once. Raises WeightsError or ModelError with one clear line."""
        with self._loading:
            if self._server is not None:
                return
            library = load_library()
            if self._sha256:
                weights.verified(self._path, self._sha256)
            self._detail = {
                "cache_prompt": False,
                "context_tokens": self._context_tokens,
                "engine": f"xllamacpp {library.__version__}",
                "slots": self._slot_count,
                "threads": self._threads,
                "weights_sha256": weights.digest_of(self._path),
            }
            self._server = self._start(library)

    async def send(self, request: Request, timeout_s: float) -> Answer | Failure:
        """One answer. Waiting for it never blocks the event loop; cancelling stops the model at its next token."""
        if self._closed.is_set():
            return CLOSED
        body = body_of(request)
        if isinstance(body, Failure):
            return body
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._pool, self.load)
        except Exception as error:
            return Failure(str(error), "stop")
        given_up = threading.Event()
        try:
            async with asyncio.timeout(timeout_s):
                return await loop.run_in_executor(self._pool, self._generate, body, given_up)
        except TimeoutError:
            return Failure(f"no complete answer within {timeout_s:g} s", "retry")
        finally:
            given_up.set()

    async def close(self) -> None:
        """Stop what is under way and free the model."""
        self._closed.set()
        await asyncio.to_thread(self._pool.shutdown, wait=True, cancel_futures=True)
        self._server = None

    def _start(self, library: Any) -> Any:
        folder = Path(tempfile.mkdtemp(prefix="covary-"))
        try:
            params = library.CommonParams()
            params.model.path = str(self._path)
            params.model_alias = {self._name}
            params.n_parallel = self._slot_count
            params.n_ctx = self._context_tokens * self._slot_count
            params.n_batch = BATCH_TOKENS
            params.cpuparams.n_threads = self._threads
            params.cpuparams_batch.n_threads = self._threads
            params.n_gpu_layers = 0
            params.fit_params = False  # would shrink the context in silence
            params.verbosity = -1
            _shut_off(params, folder)
            return library.Server(params)
        except (RuntimeError, ValueError) as error:
            raise ModelError(
                f"the embedded model {self._name} can't be loaded from {self._path}: {error} "
                f"(a GGUF file that this llama.cpp reads, and memory for a context of {self._context_tokens} tokens, are needed)"
            ) from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _generate(self, body: Mapping[str, Any], given_up: threading.Event) -> Answer | Failure:
        answer = _Stream(lambda: given_up.is_set() or self._closed.is_set())
        if given_up.is_set() or self._closed.is_set():
            return CLOSED
        try:
            self._server.handle_chat_completions({**self._extra, **body}, answer.take)
        except (RuntimeError, ValueError) as error:
            return Failure(f"the embedded model refused the request: {error}", "give_up")
        return answer.outcome(self._name, {**self._detail, **({"seed": body["seed"]} if "seed" in body else {})})


class _Stream:
    """What the library's pieces add up to. `take` says True to stop the model."""

    def __init__(self, stopped: Callable[[], bool]) -> None:
        self._stopped = stopped
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._finish: str | None = None
        self._usage: Mapping[str, Any] = {}
        self._error: Mapping[str, Any] | None = None

    def take(self, piece: Mapping[str, Any]) -> bool:
        if "error" in piece:
            self._error = piece["error"]
            return False
        self._usage = piece.get("usage") or self._usage
        for choice in piece.get("choices", ()):
            self._finish = choice.get("finish_reason") or self._finish
            self._text.append(choice["delta"].get("content") or "")
            self._reasoning.append(choice["delta"].get("reasoning_content") or "")
        return self._stopped()

    def outcome(self, name: str, detail: Mapping[str, Any]) -> Answer | Failure:
        if self._error is not None:
            return _failure(self._error)
        if self._finish is None:
            return Failure("the embedded model stopped before its answer was whole", "retry")
        text, reasoning = "".join(self._text), "".join(self._reasoning).strip()
        parts = Parts(reasoning, text) if reasoning else split(text)
        return Answer(
            status="truncated" if self._finish == "length" else "ok",
            text=parts.text,
            reasoning=parts.reasoning or None,
            finish_reason=self._finish,
            prompt_tokens=self._usage.get("prompt_tokens"),
            completion_tokens=self._usage.get("completion_tokens"),
            model_reported=name,
            detail=detail,
        )


def body_of(request: Request) -> dict[str, Any] | Failure:
    """The chat completion's body for a request, or why this model can't take it.

    Above temperature 0 the seed follows from the request (a given one from its value and the replicate), so that a rerun gives the
    same text and replicates differ.
    """
    content = msgspec.json.decode(request.content)
    if any(part.get("type") != "text" for message in content["messages"] for part in _parts(message)):
        return Failure("the embedded model reads text only, and this request holds a picture", "give_up")
    body: dict[str, Any] = {
        **content["sampling"],
        "messages": content["messages"],
        "cache_prompt": False,
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,
    }
    if "max_completion_tokens" in body:
        body.setdefault("max_tokens", body.pop("max_completion_tokens"))
    if body.get("temperature") != 0:
        given = body.get("seed")
        drawn = digest.Draw(str(request.request_id), "seed").integer(0, 2**31 - 1)
        body["seed"] = drawn if given is None else (int(given) + int(content["replicate"])) % 2**31
    return body


def open_embedded(model: Model, *, progress: weights.Report | None = None) -> EmbeddedTransport:
    """The transport of a declared model; its weights are fetched when they are not in the cache.

    `model.transport`: weights (a catalogue name, or the path of a GGUF file), path (one's own copy of a catalogue file),
    context_tokens, threads, slots. A declared `weights_sha256` must be the file's.
    """
    settings = dict(model.transport)
    for key in settings:
        if key not in SETTINGS:
            raise ModelError(f"model {model.name}: unknown transport setting {key!r}{nearest(key, SETTINGS)}")
    if not isinstance(settings.get("extra_body", {}), Mapping):
        raise ModelError(
            f"model {model.name}: extra_body must be a table of body fields, found {settings['extra_body']!r}"
        )
    check_processor()
    load_library()  # what the machine lacks is told before a long download
    name = str(settings.get("weights", weights.DEFAULT))
    if name in weights.CATALOGUE or not name.endswith(".gguf"):
        sha256 = weights.known(name).sha256
        if model.weights_sha256 not in (None, sha256):
            raise ModelError(f"model {model.name}: weights_sha256 is {model.weights_sha256}, but {name} is {sha256}")
        path = weights.fetch(name, path=settings.get("path"), progress=progress)
    else:
        sha256, path = model.weights_sha256, Path(name).expanduser()
        if not path.is_file():
            raise ModelError(
                f"model {model.name}: no weights file at {path}; give the path of a GGUF file or one of {known_names()}"
            )
    return EmbeddedTransport(
        path,
        name=model.served_name or model.name,
        sha256=sha256,
        context_tokens=_positive(model, "context_tokens", 4096),
        threads=_positive(model, "threads", usable_threads()),
        slots=_positive(model, "slots", 1),
        extra_body=settings.get("extra_body"),
    )


def declared(name: str) -> Model:
    """A catalogue entry as a study's model: identity, facts for tables, and the embedded transport."""
    entry = weights.known(name)
    return Model(
        name=entry.name,
        weights_sha256=entry.sha256,
        family=entry.family,
        parameters_b=entry.parameters_b,
        developer=entry.developer,
        developer_country=entry.developer_country,
        licence=entry.licence,
        transport={"kind": "embedded", "weights": entry.name},
    )


def known_names() -> str:
    """The catalogue's names, for a message."""
    return ", ".join(weights.CATALOGUE)


def usable_threads() -> int:
    """Processors that this process may use, at most 16."""
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(affinity, MOST_THREADS)


def load_library() -> Any:
    """The llama.cpp binding. Idle threads must sleep, not spin: on busy cores spinning costs nine tenths of the speed, and the
    OpenMP runtime reads this setting only when it is loaded."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import xllamacpp
    except ImportError as error:
        raise ModelError(_explained(error)) from None
    return xllamacpp


def check_processor(cpuinfo: str | None = None) -> None:
    """Raises ModelError when an x86-64 processor lacks what the library is built for: it would be killed, not told."""
    if cpuinfo is None:
        source = Path("/proc/cpuinfo")
        if platform.machine() not in {"x86_64", "AMD64"} or not source.exists():
            return
        cpuinfo = source.read_text(errors="replace")
    flags = next((line.split(":", 1)[1].split() for line in cpuinfo.splitlines() if line.startswith("flags")), None)
    missing = [name for name in NEEDED_INSTRUCTIONS if flags is not None and name not in flags]
    if missing:
        raise ModelError(
            f"the embedded model needs a processor with {', '.join(NEEDED_INSTRUCTIONS)}; this one lacks {', '.join(missing)}. "
            "Use a model behind an HTTP address instead"
        )


def _explained(error: ImportError) -> str:
    if "libgomp" in str(error):
        return (
            "the embedded model needs the system library libgomp.so.1, which is missing: install the package libgomp1 "
            "(Debian, Ubuntu) or libgomp (Fedora, Alpine)"
        )
    return f"the embedded model's library xllamacpp can't be loaded: {error}; reinstall covary, or use a model behind an HTTP address"


def _shut_off(params: Any, folder: Path) -> None:
    params.api_keys = [secrets.token_hex(32)]
    params.cors_origins = params.cors_methods = params.cors_headers = ""
    params.cors_credentials = False
    params.ui = False
    params.endpoint_slots = params.endpoint_props = params.endpoint_metrics = False
    params.cache_prompt = False
    params.cache_ram_mib = 0
    params.n_threads_http = 1
    if sys.platform != "win32":
        params.hostnames = [str(folder / "s.sock")]


def _failure(error: Mapping[str, Any]) -> Failure:
    if error.get("type") == "exceed_context_size_error":
        return Failure(
            f"the prompt has {error.get('n_prompt_tokens')} tokens, the embedded model's context {error.get('n_ctx')}; "
            "raise context_tokens or shorten the prompt",
            "give_up",
        )
    code = int(error.get("code") or 500)
    return Failure(
        f"the embedded model answered {code}: {error.get('message')}", "give_up" if 400 <= code < 500 else "retry"
    )


def _parts(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return cast(list[Mapping[str, Any]], message["content"]) if isinstance(message.get("content"), list) else []


def _positive(model: Model, key: str, default: int) -> int:
    value = model.transport.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ModelError(f"model {model.name}: {key} must be a whole number above 0, found {value!r}")
    return value
