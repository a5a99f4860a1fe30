"""Tesseract as a subprocess: the text of a page's picture. Its program and language packs are the machine's own."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache

from covary.errors import DataError, UsageError

# ISO 639-1 → Tesseract's name of the language pack (Debian: tesseract-ocr-<name>)
PACKS = {"bn": "ben", "en": "eng", "fr": "fra", "fi": "fin", "tr": "tur", "lt": "lit", "kk": "kaz"}
TIMEOUT_S = 120.0


def pack_of(language: str) -> str:
    """The installed language pack of a language. Raises UsageError that says which package is missing."""
    program()
    pack = PACKS.get(language, language)
    if pack not in _installed():
        raise UsageError(
            f"Tesseract has no language pack {pack!r} for {language}; install tesseract-ocr-{pack}, "
            f"or use --route model; installed: {', '.join(sorted(_installed()))}"
        )
    return pack


def program() -> str:
    """Tesseract's path. Raises UsageError where it is not installed."""
    path = shutil.which("tesseract")
    if path is None:
        raise UsageError("Tesseract is not installed; install tesseract-ocr, or use --route model")
    return path


def page_text(picture: bytes, language: str, timeout_s: float = TIMEOUT_S) -> str:
    """The text on a PNG or JPEG. Raises DataError where Tesseract can't read the bytes or doesn't end in time."""
    command = [program(), "stdin", "stdout", "-l", pack_of(language), "--psm", "6"]
    try:
        done = subprocess.run(
            command,
            input=picture,
            capture_output=True,
            timeout=timeout_s,
            check=False,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        )
    except subprocess.TimeoutExpired:
        raise DataError(f"Tesseract did not end within {timeout_s:g} s") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise DataError(f"Tesseract can't read it: {said[-1] if said else f'exit status {done.returncode}'}")
    return done.stdout.decode("utf-8", "replace")


@cache
def _installed() -> frozenset[str]:
    done = subprocess.run([program(), "--list-langs"], capture_output=True, timeout=30, check=False)
    return frozenset(line.strip() for line in done.stdout.decode().splitlines()[1:])
