"""From a specification to its picture: SVG text, then PNG bytes."""

from __future__ import annotations

import resvg_py

from covary.build.pictures.drawing import scene_of
from covary.build.pictures.spec import PictureSpec


def render_svg(spec: PictureSpec) -> str:
    """The picture as SVG: 1024 × 768, shapes only (no text elements, no fonts, no links)."""
    return scene_of(spec)


def render_png(spec: PictureSpec) -> bytes:
    """The picture as PNG bytes, 1024 × 768. Equal specifications give equal bytes with the same resvg release."""
    return bytes(resvg_py.svg_to_bytes(svg_string=render_svg(spec), skip_system_fonts=True))
