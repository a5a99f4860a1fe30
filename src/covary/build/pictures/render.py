"""From a specification to its picture: SVG text, then PNG bytes."""

from __future__ import annotations

import resvg_py

from covary.build.pictures.drawing import scene_of
from covary.build.pictures.replacement import PHOTOGRAPH
from covary.build.pictures.spec import PictureSpec
from covary.errors import UsageError


def render_svg(spec: PictureSpec) -> str:
    """The picture as SVG: 1024 × 768, shapes only (no text elements, no fonts, no links).

    Raises UsageError for a picture that was replaced by a file: it has no drawing.
    """
    if spec.scene == PHOTOGRAPH:
        raise UsageError(f"{spec.picture_id} was replaced by the file {spec.word('sha256')}: send that file instead")
    return scene_of(spec)


def render_png(spec: PictureSpec) -> bytes:
    """The picture as PNG bytes, 1024 × 768. Equal specifications give equal bytes with the same resvg release."""
    return bytes(resvg_py.svg_to_bytes(svg_string=render_svg(spec), skip_system_fonts=True))
