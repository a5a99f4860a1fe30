"""Sentences, and the examples in the docstrings."""

import doctest

import polars as pl
import pytest

from covary.analysis import generator, paired, power, summaries
from covary.analysis.words import words


def rated(values, **options):
    frame = pl.DataFrame({
        "source_id": [f"s{i}" for i in range(len(values))], "model": ["m"] * len(values), "value": values,
    })  # fmt: skip
    return summaries.rate(frame, ["model"], **options).row(0, named=True)


def test_a_rate_says_its_value_its_interval_and_what_was_counted():
    said = words(rated([1.0, 1.0, 1.0] + [0.0] * 7))
    assert said == "model m: rate: 0.3 (95 % interval 0.108 to 0.603), 10 rows of 10 source items, denominator all."


def test_a_rate_says_what_was_left_out():
    assert "3 rows of 3 source items, 1 left out, denominator judged" in words(
        rated([1.0, 0.0, None, 1.0], denominator="judged")
    )


def test_an_undefined_rate_gives_its_reason():
    assert words(rated([None, None], denominator="judged")) == "model m: rate: no row to use."


@pytest.mark.parametrize("module", [generator, paired, power])
def test_docstring_examples_hold(module):
    assert doctest.testmod(module).failed == 0
    assert doctest.testmod(module).attempted > 0
