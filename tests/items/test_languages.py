"""Languages are found by code and by name, and say how their readers write numbers."""

from __future__ import annotations

import pytest

from covary.errors import UsageError
from covary.items.languages import BUNDLED, all_languages, language


@pytest.mark.parametrize("word", ["bn", "BN", "bn-BD", "Bangla", "bengali", "বাংলা", " Bangla "])
def test_a_language_is_found_by_code_region_name_alias_and_own_name(word: str) -> None:
    assert language(word).code == "bn"


@pytest.mark.parametrize("entry", all_languages(), ids=lambda entry: entry.code)
def test_every_language_is_found_by_its_code_and_its_name(entry) -> None:
    assert language(entry.code) is entry
    assert language(entry.name).name == entry.name
    assert len(set(entry.digits)) == 10 and entry.digits.isdecimal()


def test_all_183_codes_of_iso_639_1_are_there() -> None:
    assert len(all_languages()) == 183
    assert len({entry.code for entry in all_languages()}) == 183


# MathMist section 3.4 names the tiers; CLDR 47 gives separators and digits.
@pytest.mark.parametrize(
    ("code", "tier", "decimal", "group", "zero", "script"),
    [
        ("bn", "low", ".", ",", "০", "Beng"),
        ("en", "high", ".", ",", "0", "Latn"),
        ("fr", "high", ",", "\u202f", "0", "Latn"),
        ("fi", "medium", ",", "\u00a0", "0", "Latn"),
        ("tr", "medium", ",", ".", "0", "Latn"),
        ("lt", "low", ",", "\u00a0", "0", "Latn"),
        ("kk", "low", ",", "\u00a0", "0", "Cyrl"),
    ],
)
def test_the_seven_languages_have_tier_separators_digits_and_script(code, tier, decimal, group, zero, script) -> None:
    found = language(code)
    assert (found.tier, found.decimal, found.group, found.zero, found.script) == (tier, decimal, group, zero, script)
    assert code in BUNDLED


def test_an_unknown_word_gets_one_line_with_the_nearest_one() -> None:
    with pytest.raises(
        UsageError, match=r"expected an ISO 639-1 code .* found 'Kazak', did you mean 'kazakh'\?"
    ) as caught:
        language("Kazak")
    assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match="known: bn, en, fi, fr, kk, lt, tr"):
        language("xx")
    with pytest.raises(UsageError, match="the bundled ones are bn, en"):
        language("?????")


def test_no_language_claims_a_native_review_that_is_not_on_record() -> None:
    assert not any(language(code).native_review for code in BUNDLED)
