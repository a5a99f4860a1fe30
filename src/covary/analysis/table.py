"""Columns of figures → a checked frame of estimates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from covary import schema

DEFAULTS: dict[str, Any] = {
    "name": "estimate",
    "group": "{}",
    "n_excluded": 0,
    "n_null": 0,
    "denominator": "all",
    "method": "none",
}


def estimates(columns: Mapping[str, Any], rows: int) -> pl.DataFrame:
    """A frame in the form of schema.ESTIMATES. A scalar fills its column, NaN becomes null, a column not given takes its
    default or null, columns outside the schema are kept at the end."""
    given = {**DEFAULTS, **columns}
    made: list[pl.Series] = []
    for column in schema.ESTIMATES.columns:
        made.append(_series(column.name, given.pop(column.name, None), rows).cast(column.dtype))
    made += [_series(name, values, rows) for name, values in given.items()]
    return schema.ESTIMATES.check(pl.DataFrame(made))


def _series(name: str, values: Any, rows: int) -> pl.Series:
    if isinstance(values, np.ndarray):
        found = pl.Series(name, values)
    elif isinstance(values, list):
        found = pl.Series(name, values, strict=False)
    else:
        found = pl.Series(name, [values] * rows)
    return found.fill_nan(None) if found.dtype.is_float() else found
