"""Says before the tests which outside things are missing, and what is skipped without them."""

from __future__ import annotations

import ctypes.util
import os
import shutil

NEEDS = (
    ("tesseract", "tesseract-ocr", "reading pages and checking pictures for text"),
    ("pdflatex", "texlive-latex-base", "compiling LaTeX tables"),
    ("chromium", "chromium", "looking at the report in a browser"),
    ("pdftoppm", "poppler-utils", "turning PDF figures into pictures"),
)


def missing() -> list[str]:
    """One line for each missing thing: its name, the Debian package that brings it, what is skipped."""
    lines = [
        f"{program} is missing (Debian package {package}); skipped: {what}"
        for program, package, what in NEEDS
        if shutil.which(program) is None
    ]
    if ctypes.util.find_library("gomp") is None:
        lines.append("libgomp is missing (Debian package libgomp1); skipped: the embedded model")
    if not os.environ.get("COVARY_DATA"):
        lines.append("COVARY_DATA names no folder of real data; skipped: tests on real corpora and recorded outputs")
    return lines


if __name__ == "__main__":
    for line in missing():
        print(f"note: {line}")
