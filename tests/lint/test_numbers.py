"""Numbers across languages: the same in every script and grouping; marks, mixed numbers and dates kept or told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.lint.dates import dates, dates_kept
from covary.lint.finding import Finding
from covary.lint.marks import lists_kept, marks_kept, periods, points_kept
from covary.lint.mixed import mixed_kept, values
from covary.lint.numbers import numbers_kept
from covary.lint.row import Row

Check = Callable[[Sequence[Row]], Iterator[Finding]]


def row(language: str, question: str, target: str = "") -> Row:
    """A form of one problem."""
    return Row("p", f"p-{language}", "{}", language, "open", None, question, "", (), target, "Numerical", {})


def rules(check: Check, english: str, other: str, language: str = "fr") -> list[str]:
    """The rules told about the other form's question."""
    return [finding.rule for finding in check([row("en", english), row(language, other)])]


@pytest.mark.parametrize(
    "english,other,language",
    [
        ("Tk. 1,00,000 at 4%", "100 000 takaa, 4 %", "fi"),  # Indian grouping
        ("Tk. 12,34,567.50", "১২,৩৪,৫৬৭.৫০ টাকা", "bn"),
        ("1,234,567 people", "1\u202f234\u202f567 personnes", "fr"),
        ("1,234,567 people", "1.234.567 kişi", "tr"),
        ("It costs 2.5", "Se maksaa 2,5", "fi"),
        ("a list 20, 40", "une liste 20 ; 40", "fr"),
        ("an area of 6 cm^2", "6 neliösenttimetriä", "fi"),
        ("half: .5", "moitié : 0,5", "fr"),
        ("3¾ litres", "$3\\frac{3}{4}$ litraa", "fi"),
        ("It opens on March 5, 2021.", "Il ouvre le 5/3/2021.", "fr"),
        ("It opens on 2021-03-05.", "2021 m. kovo 5 d.", "lt"),
        ("on 3/5/2021", "5 Mart 2021'de", "tr"),
        ("on 14 April 1971", "১৪ এপ্রিল ১৯৭১ তারিখে", "bn"),
    ],
)
def test_the_same_numbers_are_no_finding(english: str, other: str, language: str) -> None:
    for check in (numbers_kept, points_kept, mixed_kept, dates_kept, marks_kept):
        assert rules(check, english, other, language) == []


@pytest.mark.parametrize(
    "check,english,other,expected",
    [
        (numbers_kept, "Tk. 1,00,000", "10 000 takas", "numbers-differ"),
        (numbers_kept, "radius 12", "rayon $1\\cdot 4$", "numbers-differ"),
        (numbers_kept, "radius 34", "rayon $3\\cdot 4$", "numbers-differ"),
        (numbers_kept, "the seventh term", "le 7e terme", "number-restated"),
        (numbers_kept, "twenty five coins", "25 pièces", "number-restated"),
        (numbers_kept, "$1\\frac{1}{2}$ l", "$\\frac{3}{2}$ l", "number-restated"),
        (points_kept, "2.5 m and 4 m", "25 m et 4 m", "decimal-mark-lost"),
        (points_kept, "25 m", "2,5 m", "decimal-mark-lost"),
        (points_kept, "0.5 m", "5 m", "decimal-mark-lost"),
        (mixed_kept, "$2\\frac{1}{3}$", "$\\frac{21}{3}$", "mixed-number-changed"),
        (mixed_kept, "2 1/3 kg", "2 1/4 kg", "mixed-number-changed"),
        (dates_kept, "on May 3, 2020", "le 4 mai 2020", "date-differs"),
        (dates_kept, "on May 3, 2020", "le 3 mai 2021", "date-differs"),
        (marks_kept, "$0.\\overline{12}$", "$0,12$", "repeating-mark-lost"),
        (marks_kept, "$0.1\\dot{2}$", "$0,\\dot{1}\\dot{2}$", "repeating-mark-moved"),
    ],
)
def test_a_changed_number_is_told(check: Check, english: str, other: str, expected: str) -> None:
    assert rules(check, english, other) == [expected]


@pytest.mark.parametrize("fine", ["1,234 km", "1234 km", "1.234 km"])
def test_three_digits_after_a_mark_may_be_grouping(fine: str) -> None:
    assert rules(points_kept, "1234 km", fine) == []


def test_a_list_whose_blanks_are_lost_reads_as_a_decimal() -> None:
    def told(english: str, other: str) -> int:
        return len(list(lists_kept([row("en", "?", english), row("fr", "?", other)])))

    assert (told("70, 28", "70,28"), told("8.75, 3.2", "8,75,3,2")) == (1, 1)
    assert (told("70, 28", "70, 28"), told("8.75, 3.2", "8,75; 3,2")) == (0, 0)


@pytest.mark.parametrize(
    "text", ["0.\\dot{1}88\\dot{1}", "0,\\overline{1881}", "0.(1881)", "০.\\overline{১৮৮১}", "0.1\u0307881\u0307"]
)
def test_a_period_is_read_in_every_notation(text: str) -> None:
    assert periods(text) == [("0", "", "1881")]


def test_a_fraction_above_one_after_a_number_is_a_product() -> None:
    assert rules(mixed_kept, "$2\\frac{5}{3}$", "$\\frac{10}{3}$") == []


@given(st.integers(1, 99), st.integers(1, 8))
def test_a_mixed_number_and_its_improper_fraction_are_one_value(whole: int, above: int) -> None:
    improper = f"\\frac{{{whole * 9 + above}}}{{9}}"
    assert values(f"{whole}\\frac{{{above}}}{{9}}") >= values(improper)
    assert rules(mixed_kept, f"${whole}\\frac{{{above}}}{{9}}$", f"${improper}$") == []


def test_months_are_no_dates_without_a_day() -> None:
    assert dates("In May 2020 it may be 5 degrees.", "en") == []
    assert dates("kovo mėnuo", "lt") == []
