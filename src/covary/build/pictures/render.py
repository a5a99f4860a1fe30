"""From a specification to its picture: SVG text, then PNG bytes."""

from __future__ import annotations

from collections.abc import Mapping

import resvg_py

from covary.build.pictures.drawing import scene_of
from covary.build.pictures.replacement import PHOTOGRAPH
from covary.build.pictures.spec import PictureSpec
from covary.errors import DataError, UsageError


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


def picture_bytes(spec: PictureSpec, files: Mapping[str, bytes]) -> bytes:
    """The bytes to be sent for a picture: the user's file where it was replaced, the drawing otherwise.

    `files` maps SHA-256 to a file's bytes. Raises DataError when a replaced picture's file is not among them.
    """
    if spec.scene != PHOTOGRAPH:
        return render_png(spec)
    key = spec.word("sha256")
    if key not in files:
        raise DataError(f"{spec.picture_id} was replaced by the file {key}, which is not among the {len(files)} given")
    return files[key]
