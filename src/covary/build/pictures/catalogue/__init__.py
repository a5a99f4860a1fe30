"""The 172 pictures of the bundled set, by concept: where, what, and which values they may show."""

from __future__ import annotations

from covary.build.pictures.catalogue import (
    distance,
    price,
    quantifiers,
    size,
    speed,
    temperature,
    time_expression,
)
from covary.build.pictures.spec import PictureSpec


def specifications(seed: int = 0) -> tuple[PictureSpec, ...]:
    """All 172 pictures for a seed, in the order of CONCEPTS and of each catalogue. The seed moves values and looks."""
    modules = (temperature, distance, speed, size, price, time_expression, quantifiers)
    return tuple(spec for module in modules for spec in module.specifications(seed))
