"""What the first bytes of a picture file tell: its kind and its size."""

from __future__ import annotations

import struct
from typing import NamedTuple

from covary.errors import DataError

PNG_MARK = b"\x89PNG\r\n\x1a\n"
_JPEG_SIZES = frozenset({0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF})


class ImageFile(NamedTuple):
    """MIME type, width and height in pixels."""

    mime: str
    width: int
    height: int


def image_file(data: bytes) -> ImageFile:
    """Kind and size of a PNG or JPEG file, from its header alone. Raises DataError for anything else."""
    if data.startswith(PNG_MARK) and data[12:16] == b"IHDR" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return ImageFile("image/png", width, height)
    if data.startswith(b"\xff\xd8"):
        return ImageFile("image/jpeg", *_jpeg_size(data))
    raise DataError(f"expected a PNG or JPEG file, found bytes that start with {data[:8].hex() or 'nothing'}")


def _jpeg_size(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(data):
        if data[at] != 0xFF:
            break
        kind, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4])
        if kind in _JPEG_SIZES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length if kind not in (0xFF, 0x01) and not 0xD0 <= kind <= 0xD8 else 1 if kind == 0xFF else 2
    raise DataError("expected a JPEG file, found no frame header with its size")
