"""The templates' arithmetic is exact, small and closed."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.errors import UsageError
from covary.items import arithmetic


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 / 3 + 1 / 6", Fraction(1, 2)),
        ("7 // 2 - 7 % 2", 2),
        ("2**10", 1024),
        ("-3 * -(2 - 5)", -9),
        ("gcd(84, 36) + lcm(4, 6)", 24),
        ("sqrt(49 / 4)", Fraction(7, 2)),
        ("choose(6, 2)", 15),
        ("1 < 2 <= 2 and not 3 == 4", 1),
        ("abs(2 - 9)", 7),
    ],
)
def test_values_are_exact(text, value) -> None:
    assert arithmetic.value(text, {}) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "a.b",
        "a[0]",
        "lambda: 1",
        "[x for x in y]",
        "'text'",
        "1.5",
        "True",
        "gcd(a=1)",
        "(a := 1)",
        "f'{a}'",
        "a if b else c",
        "1 +",
        "(" * 150,
        "1+" * 150 + "1",
    ],
)
def test_anything_else_is_refused_before_it_is_run(text) -> None:
    with pytest.raises(UsageError) as caught:
        arithmetic.value(text, {"a": Fraction(1)})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["2**(2**40)", "9**40 * 9**40 * 9**40 * 9**40 * 9**40", "choose(10**6, 5)", "1 / 0", "sqrt(2)"]
)
def test_results_are_bounded_and_defined(text) -> None:
    with pytest.raises(UsageError):
        arithmetic.value(text, {})


@given(st.integers(1, 99), st.integers(1, 99), st.integers(1, 99))
def test_a_sign_slip_turns_one_sign(a, b, c) -> None:
    values = {"a": Fraction(a), "b": Fraction(b), "c": Fraction(c)}
    slips = [arithmetic.evaluate(tree, values) for tree in arithmetic.sign_slips("a - b + c")]
    assert sorted(slips) == sorted([a + b + c, a - b - c])
