"""Pictures with a known value: 172 specifications in seven concepts, drawn by covary's own code.

    specifications(seed) → PictureSpec …     what each picture shows, with its true value and words
    render_svg(spec), render_png(spec)       the picture itself, without a font or any file
    picture_bytes(spec, files)               the same, or the user's file where a picture was replaced

No picture commits to a unit: an instrument shows both common scales, or the thing is judged against something of known
size. No picture holds a letter, a word or a flag.
"""

from covary.build.pictures.catalogue import specifications
from covary.build.pictures.render import picture_bytes, render_png, render_svg
from covary.build.pictures.spec import CONCEPTS, COUNTS, UNITS, Concept, PictureSpec

__all__ = [
    "CONCEPTS",
    "COUNTS",
    "UNITS",
    "Concept",
    "PictureSpec",
    "picture_bytes",
    "render_png",
    "render_svg",
    "specifications",
]
