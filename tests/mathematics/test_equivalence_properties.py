"""Properties of equivalence that hold for any input."""

from __future__ import annotations

import unicodedata
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from covary.mathematics.equivalence import equivalent, explain

PIECES = st.sampled_from(
    [
        r"\frac",
        r"{",
        r"}",
        r"(",
        r")",
        r"[",
        r"]",
        r"\{",
        r"\}",
        r"^",
        r"_",
        r"1",
        r"2",
        r"x",
        r"y",
        r"0.5",
        r",",
        r";",
        r"\sqrt",
        r"\dot{3}",
        r"\pi",
        r"=",
        r"<",
        r"\le",
        r">",
        r"+",
        r"-",
        r"±",
        r"*",
        r"/",
        r"!",
        r"%",
        r"^\circ",
        r"$",
        r"\text{cm}",
        r"cm",
        r"or",
        r"and",
        r"\dots",
        r"…",
        r"|",
        r"&",
        r"\\",
        r"\begin{pmatrix}",
        r"\end{pmatrix}",
        r"'",
        r":",
        r"\in",
        r"\cup",
        r"\log",
        r"\sin",
        r"∞",
        r"½",
        r"৭",
        r"x²",
        r"e",
        r"i",
        r"\boxed{",
        r"<final>",
        r"</final>",
        r"not",
        r"1,234",
        r"9^",
        r"\overline{",
        r"km",
        r"Tk.",
        r"৳",
        r"\mathbb{R}",
        r"\emptyset",
        r"√",
        r"∛",
        r"?",
        r"é",
        r"মিটার",
        r".",
        r"yes",
        r"\times",
        r"÷",
    ]
)
GARBAGE = st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=60)
LANGUAGES = st.sampled_from(["en", "bn", "fi", "fr", "tr", "kk", "lt", "Bangla", "", "xx"])
TYPES = st.sampled_from([None, "Numerical", "Symbolic", "Proof"])
WHOLE = st.integers(-(10**12), 10**12)
SCRIPTS = [0x0660, 0x06F0, 0x0966, 0x09E6, 0x0A66, 0x0BE6, 0x0E50, 0xFF10, 0x1D7CE]


@given(GARBAGE, GARBAGE, LANGUAGES, TYPES)
@settings(deadline=None, max_examples=300)
def test_garbage_gives_a_symmetric_verdict_and_no_exception(
    one: str, other: str, language: str, kind: str | None
) -> None:
    there = equivalent(one, other, language=language, answer_type=kind)
    back = equivalent(other, one, language=language, answer_type=kind)
    assert there.verdict in ("equal", "not_equal", "undecided")
    assert (there.verdict, there.reason) == (back.verdict, back.reason)
    assert explain(one, other, language)


@given(GARBAGE, LANGUAGES)
@settings(deadline=None, max_examples=200)
def test_a_text_with_content_equals_itself(text: str, language: str) -> None:
    found = equivalent(text, text, language=language)
    assert found.verdict == "equal" or found.reason == "an empty answer"


@given(WHOLE, st.sampled_from(SCRIPTS))
@settings(deadline=None)
def test_a_number_reads_the_same_in_every_script(value: int, zero: int) -> None:
    written = "".join(chr(zero + int(digit)) if digit.isdigit() else digit for digit in str(value))
    assert all(unicodedata.decimal(char, None) is not None or char == "-" for char in written)
    assert equivalent(written, str(value)).verdict == "equal"
    assert equivalent(written, str(value + 1)).verdict == "not_equal"


@given(st.integers(-999, 999), st.integers(1, 999), st.integers(1, 50))
@settings(deadline=None)
def test_equal_fractions_are_equal_and_others_are_not(top: int, bottom: int, factor: int) -> None:
    assert equivalent(f"{top * factor}/{bottom * factor}", rf"\frac{{{top}}}{{{bottom}}}").verdict == "equal"
    assert equivalent(f"{top}/{bottom}", f"{top + bottom}/{bottom}").verdict == "not_equal"


@given(st.integers(1, 99), st.integers(1, 98), st.integers(2, 99))
@settings(deadline=None)
def test_a_mixed_number_is_a_sum(whole: int, top: int, bottom: int) -> None:
    if top < bottom:
        value = whole + Fraction(top, bottom)
        assert (
            equivalent(rf"{whole}\frac{{{top}}}{{{bottom}}}", f"{value.numerator}/{value.denominator}").verdict
            == "equal"
        )


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=8, unique=True), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_sets_have_no_order_and_tuples_have_one(values: list[int], random) -> None:
    other = values[:]
    random.shuffle(other)
    written, shuffled = ", ".join(map(str, values)), ", ".join(map(str, other))
    assert equivalent(rf"\{{{written}\}}", rf"\{{{shuffled}\}}").verdict == "equal"
    expected = "equal" if values == other else "not_equal"
    assert equivalent(f"({written})", f"({shuffled})").verdict == expected


@given(
    st.integers(1, 10**6),
    st.sampled_from([("km", "m", 1000), ("kg", "g", 1000), ("hours", "minutes", 60), ("m", "cm", 100)]),
)
@settings(deadline=None)
def test_units_convert_exactly(amount: int, units: tuple[str, str, int]) -> None:
    big, small, factor = units
    assert equivalent(f"{amount} {big}", f"{amount * factor} {small}").verdict == "equal"
    assert equivalent(f"{amount} {big}", f"{amount * factor + 1} {small}").verdict == "not_equal"


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-9, 9))
@settings(deadline=None)
def test_a_factored_polynomial_equals_its_expansion(a: int, b: int, c: int) -> None:
    # (x + a)(x + b) + c = x^2 + (a + b) x + ab + c
    one, other = f"(x+({a}))(x+({b}))+({c})", f"x^2+({a + b})x+({a * b + c})"
    assert equivalent(one, other).verdict == "equal"
    assert equivalent(one, other + "+1").verdict == "not_equal"


@given(st.integers(1, 9999), st.integers(0, 99))
@settings(deadline=None)
def test_decimal_comma_and_point_agree_where_the_language_has_a_comma(whole: int, hundredths: int) -> None:
    for language in ("fi", "fr", "lt", "tr", "kk"):
        assert equivalent(f"{whole},{hundredths:02}", f"{whole}.{hundredths:02}", language=language).verdict == "equal"


@given(st.integers(1000, 10**9))
@settings(deadline=None)
def test_grouping_does_not_change_a_number(value: int) -> None:
    assert equivalent(f"{value:,}", str(value), language="en").verdict == "equal"
    assert equivalent(f"{value:,}".replace(",", " "), str(value), language="fr").verdict == "equal"
    if value >= 10**6:
        assert equivalent(f"{value:,}".replace(",", "."), str(value), language="tr").verdict == "equal"
