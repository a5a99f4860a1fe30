"""Attempts that stop at the first success: what is asked next, what is left out, and which numbers stay right."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covary.analysis import attempts, stopping, summaries

RULE = {"c": "s"}
LINKS = {
    "item_id": pl.String,
    "condition": pl.String,
    "model": pl.String,
    "replicate": pl.Int32,
    "request_id": pl.String,
}


def links(items: int, replicates: int, condition: str = "c") -> pl.DataFrame:
    rows = [(f"i{i}", condition, "m", r, f"{condition}-{i}-{r}") for i in range(items) for r in range(replicates)]
    return pl.DataFrame(rows, schema=LINKS, orient="row")


def scores(outcomes: list[list[float | None]], asked: int, scorer: str = "s") -> pl.DataFrame:
    """Scores of `asked` attempts an item; those beyond an item's outcomes have no response yet."""
    rows = [
        (
            f"i{i}",
            f"i{i}",
            "c",
            "m",
            r,
            scorer,
            item[r] if r < len(item) else None,
            "x" if r < len(item) else stopping.NOT_YET,
        )
        for i, item in enumerate(outcomes)
        for r in range(asked)
    ]
    names = ["source_id", "item_id", "condition", "model", "replicate", "scorer", "value", "reason"]
    types = {"replicate": pl.Int32, "value": pl.Float64}
    return pl.DataFrame(rows, schema={name: types.get(name, pl.String) for name in names}, orient="row")


def stopped_at_success(chances: list[float], most: int, seed: int) -> list[list[float | None]]:
    draws = np.random.default_rng(seed)
    return [
        next(([0.0] * r + [1.0] for r in range(most) if draws.random() < chance), [0.0] * most) for chance in chances
    ]


def test_only_the_first_attempt_of_a_stopping_condition_is_asked_before_anything_is_known() -> None:
    both = pl.concat([links(2, 3), links(1, 2, "other")])
    assert stopping.firsts(both, RULE)["request_id"].to_list() == ["c-0-0", "c-1-0", "other-0-0", "other-0-1"]


def test_the_next_attempt_is_asked_of_what_is_wrong_or_not_judged_and_of_nothing_else() -> None:
    chain = stopping.chain(links(4, 2), RULE)
    answered = chain.filter(pl.col("request_id").is_in(["c-0-0", "c-1-0", "c-2-0", "c-3-1"]))
    found = scores([[1.0], [0.0], [None], [0.0, 0.0]], 2)
    # Item 0 is right, 1 wrong, 2 not judged; item 3 has no further attempt.
    assert sorted(stopping.next_ids(answered, found)) == ["c-1-1", "c-2-1"]


def test_attempts_after_a_success_are_said_to_be_left_out_for_every_scorer_and_others_to_be_missing() -> None:
    found = pl.concat([scores([[1.0], [0.0], [0.0, 1.0]], 3), scores([[0.0], [0.0], [0.0, 0.0]], 3, "other")])
    marked = stopping.marked(found, RULE)
    assert stopping.left_out(marked) == 3  # two of item 0, one of item 2
    assert marked.filter(pl.col("reason") == stopping.STOPPED).height == 6
    assert marked.filter(pl.col("item_id") == "i1")["reason"].to_list() == ["x", stopping.NOT_YET, stopping.NOT_YET] * 2
    assert stopping.marked(marked, RULE).equals(marked)
    assert stopping.marked(marked, {}).equals(found)  # without the rule they are missing again
    assert stopping.asked(marked, RULE).height == found.height - 6


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(2, 5), st.integers(0, 1000))
def test_what_was_stopped_is_counted_as_if_all_attempts_had_been_made(
    chances: list[float], most: int, seed: int
) -> None:
    found = stopping.asked(stopping.marked(scores(stopped_at_success(chances, most, seed), most), RULE), RULE)
    passed = attempts.pass_at_k(found, range(1, most + 1), ["model"])
    # Whether an item is solved within k doesn't depend on what would have come after the success.
    solved = [[any(item[:k]) for item in stopped_at_success(chances, most, seed)] for k in range(1, most + 1)]
    assert passed["value"].to_list() == pytest.approx([float(np.mean(each)) for each in solved])
    assert passed["note"].str.contains("stop at the first success").all()
    assert passed["n_excluded"].to_list() == [0] * most
    assert all(low <= high for low, high in pairwise(passed["value"]))


def test_a_stopping_group_is_known_by_declaration_even_where_the_data_do_not_show_it() -> None:
    # Both solved at the last of two attempts, so no attempt was left out: pass@1 is 0, where the estimator from n attempts says 0.5.
    found = stopping.asked(scores([[0.0, 1.0], [0.0, 1.0]], 2), RULE)
    assert attempts.pass_at_k(found, [1])["value"][0] == 0.0
    assert attempts.pass_at_k(found, [1], stopped="never")["value"][0] == 0.5


def test_first_attempts_and_items_solved_within_k_are_unbiased_and_a_mean_over_attempts_is_not() -> None:
    """Half of the items are solved with chance 0.9, half with 0.1, in four attempts at most, stopping at the first success.

    True pass@1: 0.5. True pass@4: (1 - 0.1⁴ + 1 - 0.9⁴) / 2 = (0.9999 + 0.3439) / 2 = 0.6719. Attempts expected: (1 - q⁴) / (1 - q),
    1.111 and 3.439. So a mean over attempts tends to 1.3438 / 4.550 = 0.2953.
    """
    found = scores(stopped_at_success([0.9, 0.1] * 3000, 4, seed=7), 4)
    frame = stopping.asked(stopping.marked(found, RULE), RULE)
    passed = attempts.pass_at_k(frame, [1, 4])["value"].to_list()
    # Four standard errors of 6,000 items: sd of an item at most 0.5, so 4 · 0.5 / √6000 = 0.026.
    assert passed == pytest.approx([0.5, 0.6719], abs=0.026)
    assert summaries.rate(stopping.comparable(frame))["value"][0] == pytest.approx(0.5, abs=0.026)
    assert summaries.rate(frame, denominator="judged")["value"][0] == pytest.approx(0.2953, abs=0.026)


def test_a_condition_without_the_rule_keeps_all_its_attempts() -> None:
    frame = stopping.asked(scores([[0.0, 1.0, 1.0]], 3), {})
    assert stopping.comparable(frame).height == 3
    # C(1, 1) / C(3, 1): two of three attempts are right.
    assert attempts.pass_at_k(frame, [1])["value"][0] == pytest.approx(2 / 3)
