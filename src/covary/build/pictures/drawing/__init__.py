"""Pictures as SVG text, by covary's own code: one module per concept, and what they share."""

from __future__ import annotations

from covary.build.pictures.drawing import distance, price, quantifiers, size, speed, temperature, time_expression
from covary.build.pictures.drawing.scenery import light_over
from covary.build.pictures.drawing.svg import document
from covary.build.pictures.spec import PictureSpec

_CONCEPTS = {
    "temperature": temperature.draw,
    "distance": distance.draw,
    "speed": speed.draw,
    "size": size.draw,
    "price": price.draw,
    "time_expression": time_expression.draw,
    "quantifiers": quantifiers.draw,
}


def scene_of(spec: PictureSpec) -> str:
    """The SVG document of one picture."""
    return document(_CONCEPTS[spec.concept](spec) + light_over(spec.word("light")))
