"""Numbers are written as the readers of a language write them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.errors import UsageError
from covary.items.languages import BUNDLED, language
from covary.items.numerals import decimal, grouped, in_script, number


# CLDR 47, decimal patterns and symbols
@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("bn", "১২,৩৪,৫৬৭"),
        ("en", "1,234,567"),
        ("fr", "1\u202f234\u202f567"),
        ("fi", "1\u00a0234\u00a0567"),
        ("tr", "1.234.567"),
        ("lt", "1\u00a0234\u00a0567"),
        ("kk", "1\u00a0234\u00a0567"),
    ],
)
def test_running_text_groups_by_language(code, text) -> None:
    spoken = language(code)
    assert in_script(number(Fraction(1234567), spoken, "text"), spoken) == text
    assert in_script(number(Fraction(999), spoken, "text"), spoken) == in_script("999", spoken)


@pytest.mark.parametrize(("code", "text"), [("bn", "১২.০৫"), ("en", "12.05"), ("fr", "12,05"), ("kk", "12,05")])
def test_decimals_have_the_languages_mark_and_keep_inner_zeros(code, text) -> None:
    spoken = language(code)
    assert in_script(decimal(Fraction(1205, 100), spoken, "plain"), spoken) == text


def test_fractions_are_latex_in_formulas_and_plain_in_targets() -> None:
    spoken = language("fi")
    assert number(Fraction(-3, 4), spoken, "formula") == r"-\frac{3}{4}"
    assert number(Fraction(-3, 4), spoken, "plain") == "-3/4"


def test_a_decimal_that_never_ends_is_refused() -> None:
    with pytest.raises(UsageError, match="finite decimal, found 1/3"):
        decimal(Fraction(1, 3), language("en"), "text")


@given(st.integers(-(10**15), 10**15), st.sampled_from(BUNDLED))
def test_a_grouped_number_reads_the_same_without_its_groups(value, code) -> None:
    spoken = language(code)
    written = in_script(grouped(value, spoken), spoken)
    assert int(written.replace(spoken.group, "").translate(str.maketrans(spoken.digits, "0123456789"))) == value


@given(st.integers(-(10**9), 10**9), st.integers(0, 6), st.sampled_from(BUNDLED))
def test_a_decimal_reads_back_exactly(value, places, code) -> None:
    spoken = language(code)
    written = decimal(Fraction(value, 10**places), spoken, "plain")
    assert Fraction(written.replace(spoken.decimal, ".")) == Fraction(value, 10**places)
