"""Writes the country and currency names of CLDR (through Babel) that the culture lexicons read.

    python benchmarks/culture/make_names.py src/covary/culture/data

Names come in the main languages of the ten cultures. CLDR data is under the Unicode License v3; the notice is kept in each file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import babel
from babel import Locale, numbers

LANGUAGES = (
    "en",
    "pt",
    "zh",
    "zh_Hant",
    "fr",
    "hi",
    "fa",
    "he",
    "ja",
    "ko",
    "es",
    "de",
    "it",
    "ru",
    "ar",
    "bn",
    "ur",
    "ta",
    "te",
    "mr",
    "gu",
)
TEN = ("BR", "CN", "FR", "IN", "IR", "IL", "JP", "KR", "GB", "US")
OUTSIDE_LANGUAGES = LANGUAGES[:10]  # names of countries and currencies outside the ten: fewer languages
NOTICE = f"Names: Unicode CLDR through Babel {babel.__version__}, Unicode License v3, Copyright Unicode, Inc."
NOT_COUNTRIES = {"EU", "EZ", "UN", "XA", "XB", "ZZ", "QO", "AC", "CP", "DG", "EA", "IC", "TA", "CQ"}


def country_names() -> dict[str, list[str]]:
    """ISO 3166 code → distinct names."""
    codes = [
        code for code in Locale("en").territories if len(code) == 2 and code.isalpha() and code not in NOT_COUNTRIES
    ]
    return {
        code: _distinct(Locale.parse(tag).territories.get(code) for tag in _languages(code in TEN))
        for code in sorted(codes)
    }


def currency_names() -> dict[str, list[str]]:
    """ISO 4217 code of a currency in use somewhere → distinct names, singular and plural."""
    inside = {numbers.get_territory_currencies(country)[0] for country in TEN}
    in_use = {code for country in country_names() for code in numbers.get_territory_currencies(country)}
    return {
        code: _distinct(
            numbers.get_currency_name(code, count=count, locale=tag)
            for tag in _languages(code in inside)
            for count in (None, 1, 2, 5)
        )
        for code in sorted(in_use)
    }


def _languages(inside: bool) -> tuple[str, ...]:
    return LANGUAGES if inside else OUTSIDE_LANGUAGES


def _distinct(names) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in names if name))


def main(folder: Path) -> None:
    for name, table in (("countries_cldr", country_names()), ("units_currencies_cldr", currency_names())):
        rows = ",\n".join(
            f"  {json.dumps(code)}: {json.dumps(names, ensure_ascii=False)}" for code, names in table.items()
        )
        (folder / f"{name}.json").write_text(
            f'{{"about": {json.dumps(NOTICE)}, "names": {{\n{rows}\n}}}}\n', encoding="utf-8"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
