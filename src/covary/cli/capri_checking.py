"""Lint of a CAPRI set with its pictures: what `covary items build capri` runs at the end, and for a folder of any origin."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl

from covary.build.pictures.words import letters_in
from covary.culture.knowledge import Knowledge
from covary.errors import DataError
from covary.lint import culture

OCR_S = 120.0
MOST_SHOWN = 20


def check_folder(folder: Path, columns: Mapping[str, str], ocr: bool) -> None:
    """Lint the set in a folder: one that covary wrote, or a published one with its columns mapped. Exit status 1 on errors."""
    from covary.exchange.capri import columns_from, read_folder

    found = read_folder(folder, columns_from(columns) if columns else None)
    told(found.items, found.bytes_of, letters_on if ocr else None)


def told(
    items: pl.DataFrame,
    pictures: Mapping[str, bytes],
    read: Callable[[bytes], str] | None = None,
    source: Knowledge | None = None,
) -> None:
    """Print the findings of a set, the first of each rule. Exit status 1 where any is an error."""
    findings = culture.check(items, source=source, pictures=pictures, read=read)
    counted = Counter((finding.severity, finding.rule) for finding in findings)
    for finding in findings[:MOST_SHOWN]:
        print(
            f"{finding.severity} {finding.rule} {finding.item_id[:12]}: {finding.span!r}; expected {finding.expected}"
        )
    if len(findings) > MOST_SHOWN:
        print(f"… {len(findings) - MOST_SHOWN:,} more")
    read_too = "" if read is None else ", pictures read"
    words = ", ".join(f"{count:,} × {rule} ({severity})" for (severity, rule), count in counted.items())
    print(f"lint{read_too}: {words or 'no findings'}")
    if any(severity == "error" for severity, _ in counted):
        raise SystemExit(1)


def letters_on(picture: bytes) -> str:
    """The words of letters that Tesseract is sure to see on a picture. Raises UsageError where it is not installed."""
    from covary.run.tesseract import program

    command = [program(), "stdin", "stdout", "--psm", "11", "tsv"]
    limited = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    try:
        done = subprocess.run(command, input=picture, capture_output=True, timeout=OCR_S, check=False, env=limited)
    except subprocess.TimeoutExpired:
        raise DataError(f"Tesseract did not end within {OCR_S:g} s") from None
    if done.returncode:
        raise DataError(f"Tesseract can't read a picture: {done.stderr.decode('utf-8', 'replace').strip()[:200]}")
    return " ".join(word.text for word in letters_in(done.stdout.decode("utf-8", "replace")))
