"""One set of perturbed items for all tests of this folder."""

from __future__ import annotations

import polars as pl
import pytest

from covary.build.perturb_rules import perturb_by_rule
from covary.items.draw import draw
from covary.items.languages import BUNDLED


@pytest.fixture(scope="session")
def perturbed() -> pl.DataFrame:
    """Every kind on one problem of each template, in the seven languages, with columns of meta that tests need."""
    made = perturb_by_rule(draw(3, 1, BUNDLED), 11)
    return made.with_columns(
        kind=pl.col("meta").str.json_path_match("$.kind"), template=pl.col("meta").str.json_path_match("$.template")
    )
