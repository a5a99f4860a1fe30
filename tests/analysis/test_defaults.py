"""What a study gets unasked."""

import itertools

import polars as pl

from covary.analysis import defaults


def frame():
    cells = itertools.product(["s1", "s2"], ["en", "bn"], ["cot", "direct"], ["x"])
    rows = [(s, f"{s}-{language}", language, c, m, float(language == "en")) for s, language, c, m in cells]
    return pl.DataFrame(rows, schema=["source_id", "item_id", "language", "condition", "model", "value"], orient="row")


def test_only_factors_that_vary_are_used():
    assert defaults.varying(frame()) == (["condition"], ["language"])


def test_rates_are_given_per_answer_factor_and_per_variant_factor():
    found = defaults.rates(frame())
    assert found["group"].to_list() == [
        '{"condition":"cot"}', '{"condition":"direct"}',
        '{"condition":"cot","language":"bn"}', '{"condition":"cot","language":"en"}',
        '{"condition":"direct","language":"bn"}', '{"condition":"direct","language":"en"}',
    ]  # fmt: skip


def test_every_pair_of_levels_is_compared_in_a_family_of_its_factor():
    found = defaults.compared(frame())
    assert found.select("name", "group", "family", "value").rows() == [
        ("direct - cot", "{}", "condition", 0.0),
        ("en - bn", '{"condition":"cot"}', "language", 1.0),
        ("en - bn", '{"condition":"direct"}', "language", 1.0),
    ]
