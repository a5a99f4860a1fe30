"""One built set for all tests of this folder: the bundled pictures' specifications with stand-in bytes, no drawing."""

from __future__ import annotations

import functools
from typing import Any

import polars as pl

from covary.build import pictures
from covary.build.capri import CapriSet, build_capri
from covary.build.cues import CONTROLS, Scaffold
from covary.build.scaffold import scaffolds
from covary.culture import knowledge


def stand_in_png(spec: Any) -> bytes:
    """Bytes that differ between pictures."""
    return f"picture of {spec.picture_id}".encode()


@functools.cache
def whole() -> CapriSet:
    """The six levels of everything, and the five controls."""
    return build_capri(render=stand_in_png, controls=CONTROLS)


@functools.cache
def six_levels() -> pl.DataFrame:
    """The items of the six levels."""
    return whole().items.filter(~pl.col("cue_level").is_in(CONTROLS))


@functools.cache
def grammar_scaffolds() -> tuple[Scaffold, ...]:
    """The 516 scaffolds of seed 0."""
    return scaffolds(pictures.specifications(), knowledge.load(), 0)
