"""Files of pages → pictures: PNG and JPEG as they are, PDFs page by page."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from covary.errors import DataError, UsageError

DOTS_PER_INCH = 300
MOST_PIXELS = 60_000_000
MOST_PAGES = 2_000
_PNG, _JPEG, _PDF = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"%PDF-"


class PagePicture(NamedTuple):
    """One page: its name (file, and #number in a PDF), bytes and kind."""

    name: str
    data: bytes
    mime: str


def pages_of(path: Path) -> Iterator[PagePicture]:
    """The pages of a file. Raises DataError for a file that is missing, no picture and no PDF, or a locked or damaged PDF."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: can't be read: {error.strerror}") from None
    if data.startswith(_PNG):
        yield PagePicture(path.name, data, "image/png")
    elif data.startswith(_JPEG):
        yield PagePicture(path.name, data, "image/jpeg")
    elif _PDF in data[:1024]:
        yield from _pdf(path, data)
    else:
        raise DataError(f"{path}: expected a PNG, JPEG or PDF, found {data[:8].hex() or 'an empty file'}")


def _pdf(path: Path, data: bytes) -> Iterator[PagePicture]:
    try:
        import pypdfium2
    except ImportError:
        raise UsageError(f"{path}: reading PDFs needs the extra covary[pdf] (pip install 'covary[pdf]')") from None
    pdfium: Any = pypdfium2
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        why = "it has a password; save it without one" if "assword" in str(error) else f"it is damaged ({error})"
        raise DataError(f"{path}: the PDF can't be opened: {why}") from None
    try:
        if len(document) > MOST_PAGES:
            raise DataError(f"{path}: the PDF has {len(document)} pages; split it into files of at most {MOST_PAGES}")
        for number in range(len(document)):
            page = document[number]
            width, height = page.get_size()
            scale = min(DOTS_PER_INCH / 72, (MOST_PIXELS / max(1.0, width * height)) ** 0.5)
            pixels = page.render(scale=scale, grayscale=True).to_numpy()
            yield PagePicture(f"{path.name}#{number + 1}", _png(pixels), "image/png")
    finally:
        document.close()


def _png(pixels: Any) -> bytes:
    """A greyscale PNG of a height × width array of bytes."""
    height, width = int(pixels.shape[0]), int(pixels.shape[1])
    rows = b"".join(b"\x00" + pixels[at].tobytes() for at in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return _PNG + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows, 6)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
