"""A picture within a model's limits: its own bytes where they fit, else one smaller PNG of it."""

from __future__ import annotations

import base64
import math
from typing import NamedTuple

import resvg_py

from covary.build.pictures.image_file import image_file
from covary.digest import sha256_hex
from covary.errors import DataError
from covary.prompts.requests import PictureLimits

LEAST_SIDE = 64  # pixels, of the shorter side: below it nothing can be read off
SHRINK = 0.95  # at most so much of the sides is kept when a file is still too large


class Fitted(NamedTuple):
    """A picture as it will be sent."""

    data: bytes
    mime: str
    width: int
    height: int

    @property
    def sha256(self) -> str:
        """The digest of the bytes that will be sent."""
        return sha256_hex(self.data)


def fitted(data: bytes, limits: PictureLimits) -> Fitted:
    """The picture (PNG or JPEG) within the limits, its proportions kept, never enlarged. The same arguments give the same bytes
    with the same resvg release. Raises DataError for another kind of file, or where less than 64 pixels would be left."""
    kind = image_file(data)
    scale = _scale(kind.width, kind.height, limits)
    most = limits.max_bytes or math.inf
    if scale == 1 and len(data) <= most:
        return Fitted(data, kind.mime, kind.width, kind.height)
    while True:
        width, height = max(1, int(kind.width * scale)), max(1, int(kind.height * scale))
        if min(width, height) < LEAST_SIDE:
            raise DataError(
                f"a picture of {kind.width} × {kind.height} pixels, {len(data)} bytes, can't be brought within {_words(limits)}: "
                f"less than {LEAST_SIDE} pixels of its shorter side would be left"
            )
        made = _smaller(data, kind.mime, (kind.width, kind.height), (width, height))
        if len(made) <= most:
            return Fitted(made, "image/png", width, height)
        scale *= min(SHRINK, math.sqrt(most / len(made)))


def _scale(width: int, height: int, limits: PictureLimits) -> float:
    """How much of the sides the limits on pixels leave, at most 1."""
    side = (limits.max_side or math.inf) / max(width, height)
    area = math.sqrt((limits.max_pixels or math.inf) / (width * height))
    return min(1.0, side, area)


def _smaller(data: bytes, mime: str, size: tuple[int, int], wanted: tuple[int, int]) -> bytes:
    """The picture drawn smaller. It is halved while it can be, so that each pixel is a mean of its neighbours and thin lines
    (marks of a scale) don't break up."""
    halved = (size[0] // 2, size[1] // 2)
    while halved[0] >= wanted[0] and halved[1] >= wanted[1] and halved != wanted:
        data, mime, size = _drawn(data, mime, halved), "image/png", halved
        halved = (size[0] // 2, size[1] // 2)
    return _drawn(data, mime, wanted)


def _drawn(data: bytes, mime: str, size: tuple[int, int]) -> bytes:
    width, height = size
    uri = f"data:{mime};base64,{base64.b64encode(data).decode()}"
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<image width="{width}" height="{height}" preserveAspectRatio="none" href="{uri}"/></svg>'
    )
    try:
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True))
    except ValueError as error:
        raise DataError(f"a picture can't be drawn smaller: {error}") from None


def _words(limits: PictureLimits) -> str:
    named = {"pixels": limits.max_pixels, "pixels a side": limits.max_side, "bytes": limits.max_bytes}
    return ", ".join(f"{value} {name}" for name, value in named.items() if value is not None)
