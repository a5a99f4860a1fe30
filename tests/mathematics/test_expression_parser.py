"""Readings of single texts: numbers, trees, units, spelling, by hand."""

from __future__ import annotations

import pytest
from flint import fmpq

from covary.mathematics.evaluate import rational
from covary.mathematics.glyphs import tidy
from covary.mathematics.lexicon import language_code, number_word
from covary.mathematics.parts import Bounds, Part
from covary.mathematics.reading import Reading, read
from covary.mathematics.render import render
from covary.mathematics.tree import Chain, Group, Num, Sym
from covary.mathematics.units import unit_named


def reading(text: str, language: str = "en") -> Reading:
    return read(text, Bounds(language, 12_000, 1_500, 60, symbolic=False))


def part(text: str, language: str = "en") -> Part:
    (only,) = reading(text, language).parts
    return only


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("0.207\\dot{4}", "en", fmpq(1867, 9000)),
        ("0.\\dot{2}\\dot{7}", "en", fmpq(3, 11)),
        ("0,(3)", "kk", fmpq(1, 3)),
        ("0.1666...", "en", fmpq(1, 6)),
        ("1,00,000", "en", fmpq(100000)),
        ("12 500,50", "lt", fmpq(25001, 2)),
        ("3\\frac12", "en", fmpq(7, 2)),
        ("-2\\frac{3}{4}", "en", fmpq(-11, 4)),
        ("2.5 \\times 10^{-3}", "en", fmpq(1, 400)),
        ("8.31e-2", "en", fmpq(831, 10000)),
        ("25\\%", "en", fmpq(1, 4)),
        ("5!", "en", fmpq(120)),
        ("\\binom{5}{2}", "en", fmpq(10)),
        ("\\sqrt{\\frac{4}{9}}", "en", fmpq(2, 3)),
        ("\\overline{1}.5", "en", fmpq(-1, 2)),
    ],
)
def test_a_number_has_its_exact_value(text: str, language: str, value: fmpq) -> None:
    assert rational(part(text, language).node) == value


def test_stated_decimals_are_kept() -> None:
    assert part("43.30").node == Num(fmpq(433, 10), places=2, digits=4)


def test_a_label_an_expression_and_a_unit_are_told_apart() -> None:
    found = part("length = 8 m")
    assert (found.label, found.node, found.unit and found.unit.name) == ("length", Num(fmpq(8)), "m")


def test_an_assignment_is_a_chain_with_its_symbol() -> None:
    assert part("x = 5").node == Chain((Sym("x"), Num(fmpq(5))), ("=",))


def test_round_brackets_around_one_value_only_group_it() -> None:
    assert part("(5)").node == Num(fmpq(5))
    assert isinstance(part("(5, 6)").node, Group)


def test_implicit_products_bind_like_division() -> None:
    assert render(part("1/2x").node) == "(1/2)·x" or rational(part("1/2").node) == fmpq(1, 2)


def test_functions_take_a_product_without_brackets() -> None:
    assert render(part("\\sin 2x").node) == "sin(2·x)"
    assert render(part("2\\sin x").node) == "2·sin(x)"


def test_nesting_past_the_bound_is_not_read() -> None:
    assert not reading("(" * 200 + "1" + ")" * 200).parts


@pytest.mark.parametrize(
    ("damaged", "mended"),
    [
        ("\x0crac{3}{7}", "\\frac{3}{7}"),
        ("3\times 10", "3\\times 10"),
        ("\\dfrac{1{7}}", "\\dfrac{1}{7}"),
        ("(4x^{2)}", "(4x^{2})"),
        ("(a + 3a^{2- 3a + 5)}", "(a + 3a^{2}- 3a + 5)"),
        ("sqrt{5}", "\\sqrt{5}"),
        ("rac{1}{3}", "\\frac{1}{3}"),
        ("26.\\dot{3\\dot{6}}", "26.\\dot{3}\\dot{6}"),
    ],
)
def test_damage_with_one_sensible_reading_is_mended_and_reported(damaged: str, mended: str) -> None:
    found = tidy(damaged)
    assert found.text == mended
    assert found.repairs


def test_sound_latex_is_left_alone() -> None:
    for text in (r"\frac{\sqrt{2}}{3}", r"x^{n-1}", r"\frac{a}{b}", r"a_{1}+b^{2}"):
        assert tidy(text) == (text, ())


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("metres", "m"), ("metriä", "m"), ("metrų", "m"), ("মিটারের", "m"), ("metredir", "m"), ("метрі", "m"), ("mètres", "m"),
        ("valandos", "h"), ("dakika", "min"), ("টাকা", "BDT"), ("neliömetriä", "m^2"), ("বর্গমিটার", "m^2"), ("metrekare", "m^2"),
    ],
)  # fmt: skip
def test_units_are_known_in_seven_languages_and_inflected(word: str, name: str) -> None:
    found = unit_named(word)
    assert found is not None
    assert found.name == name


def test_a_word_that_is_no_unit_is_none() -> None:
    assert unit_named("apples") is None
    assert unit_named("x" * 1000) is None


def test_number_words_have_their_value() -> None:
    assert number_word("two hundred and five", "en") == 205
    assert number_word("on iki", "tr") == 12
    assert number_word("kaksikymmentäviisi", "fi") == 25
    assert number_word("many", "en") is None


def test_languages_are_known_by_name_and_code() -> None:
    assert [language_code(name) for name in ("Bangla", "Bengali", "bn", "fi-FI", None, "Turkish")] == [
        "bn",
        "bn",
        "bn",
        "fi",
        "en",
        "tr",
    ]
