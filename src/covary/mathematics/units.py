"""Units: names in seven languages, what they measure and how much of it, exactly."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from flint import fmpq

# Base measures. Money and counted things are measures of their own kind: taka can't become dollars.
Measure = tuple[tuple[str, int], ...]


class Unit(NamedTuple):
    """What is measured (base measure → power) and the factor to its base unit. `name` is for people."""

    name: str
    measure: Measure
    factor: fmpq


def _q(top: int, bottom: int = 1) -> fmpq:
    return fmpq(top, bottom)


# base unit | measure | factor | spellings. Inflected forms are found by stem, see ENDINGS.
TABLE: tuple[tuple[str, str, fmpq, str], ...] = (
    ("mm", "length", _q(1, 1000), "mm|millimetre|millimeter|millimètre|মিমি|মি মি|মিলিমিটার|millimetri|milimetre|миллиметр|мм|milimetras|m m"),
    ("cm", "length", _q(1, 100), "cm|c m|centimetre|centimeter|centimètre|সেমি|সে মি|সে.মি|সেন্টিমিটার|সেন্টি মিটার|senttimetri|senttiä|sentti|santimetre|сантиметр|см|centimetras|cms"),
    ("dm", "length", _q(1, 10), "dm|decimetre|decimeter|ডেসিমিটার|desimetri|desimetre|дециметр|дм|decimetras"),
    ("m", "length", _q(1), "m|metre|meter|mètre|মিটার|মি|metri|metre|метр|м|metras|mtr"),
    ("km", "length", _q(1000), "km|k m|kilometre|kilometer|kilomètre|কিমি|কি মি|কিলোমিটার|kilometri|kilometre|километр|шақырым|км|kilometras|kms"),
    ("in", "length", _q(254, 10000), "in|inch|inche|ইঞ্চি|tuuma|pouce|inç|дюйм|colis|colio"),
    ("ft", "length", _q(3048, 10000), "ft|foot|feet|ফুট|jalka|jalkaa|pied|fit|фут|pėda|pėdos|pėdų"),
    ("yd", "length", _q(9144, 10000), "yd|yard|গজ|jaardi|yarda|ярд|jardas"),
    ("mi", "length", _q(1609344, 1000), "mi|mile|মাইল|maili|mil|миля|mylia|mylios"),
    ("ha", "area", _q(10000), "ha|hectare|hector|হেক্টর|hehtaari|hektar|гектар|hektaras"),
    ("are", "area", _q(100), "আর|aari"),
    ("acre", "area", _q(40468564224, 10000000), "acre|একর|eekkeri|akr|акр|akras"),
    ("l", "volume", _q(1, 1000), "l|litre|liter|লিটার|litra|litre|литр|л|litras|ltr"),
    ("ml", "volume", _q(1, 1000000), "ml|millilitre|milliliter|মিলিলিটার|মিলি|millilitra|mililitre|миллилитр|мл|mililitras"),
    ("mg", "mass", _q(1, 1000000), "mg|milligram|মিলিগ্রাম|milligramma|miligram|миллиграмм|мг|miligramas"),
    ("g", "mass", _q(1, 1000), "g|gm|gram|gramme|গ্রাম|gramma|gram|грамм|г|gramas|gms"),
    ("kg", "mass", _q(1), "kg|k g|kilogram|kilogramme|kilo|কেজি|কে জি|কিলোগ্রাম|kilogramma|kilogram|килограмм|кг|kilogramas|kgs"),
    ("quintal", "mass", _q(100), "quintal|কুইন্টাল|kvintaali|kuintaali|kental|kintal|центнер|centneris|kvintalas"),
    ("t", "mass", _q(1000), "t|ton|tonne|metric ton|টন|মেট্রিক টন|tonni|тонна|т|tona"),
    ("lb", "mass", _q(45359237, 100000000), "lb|lbs|pound|পাউন্ড|pauna|livre|фунт|svaras"),
    ("oz", "mass", _q(45359237, 1600000000), "oz|ounce|আউন্স|unssi|once|унция|uncija"),
    ("s", "time", _q(1), "s|sec|second|secs|seconde|সেকেন্ড|সেকেণ্ড|সে|sekunti|saniye|sn|секунд|секунда|с|sekundė|sek|sekund|sekundž"),
    ("min", "time", _q(60), "min|mins|minute|মিনিট|minuutti|minuuttia|dakika|dk|минут|минута|мин|minutė|minut|minuč|minuut"),
    ("h", "time", _q(3600), "h|hr|hrs|hour|heure|ঘণ্টা|ঘন্টা|tunti|tuntia|tunnin|tunnissa|saat|sa|сағат|сағ|час|valanda|val|valand|heures"),
    ("day", "time", _q(86400), "day|jour|দিন|päivä|päivää|gün|күн|diena|d|dien"),
    ("week", "time", _q(604800), "week|semaine|সপ্তাহ|viikko|viikkoa|hafta|апта|savaitė|savait"),
    ("month", "calendar", _q(1), "month|mois|মাস|kuukausi|kuukautta|kk|ay|ай|mėnuo|mėnes|mėnesiai|mėnesių|mėnesio|mėn"),
    ("year", "calendar", _q(12), "year|yr|yrs|an|année|ans|années|বছর|বৎসর|vuosi|vuotta|vuotias|yıl|yaş|yaşında|жыл|жас|жаста|metai|metų|metus"),
    ("°C", "temperature", _q(1), "°c|celsius|সেলসিয়াস"),
    ("deg", "angle", _q(1), "degree|deg|degré|ডিগ্রি|ডিগ্রী|aste|astetta|derece|градус|laipsnis|laipsnių|laipsniai"),
    ("N", "force", _q(1), "newton|নিউটন"),
    ("J", "energy", _q(1), "joule|জুল"),
    ("W", "power", _q(1), "watt|ওয়াট"),
    ("BDT", "taka", _q(1), "tk|taka|টাকা|bdt|takaa|така|taką|takų|takos|টা"),
    ("paisa", "taka", _q(1, 100), "paisa|পয়সা"),
    ("cent", "dollar", _q(1, 100), "cent|¢|сент"),
    ("USD", "dollar", _q(1), "dollar|usd|ডলার|dollari|dolar|доллар|doleris|dollaria|us dollar"),
    ("EUR", "euro", _q(1), "euro|eur|ইউরো|euroa|avro|еуро|евро|eurai|eurų"),
    ("INR", "rupee", _q(1), "rupee|rs|inr|রুপি|rupia|roupie|rupi|рупия|rupija"),
    ("KZT", "tenge", _q(1), "tenge|kzt|теңге|тенге"),
    ("TRY", "lira", _q(1), "lira|tl|try|лира"),
    ("GBP", "pound sterling", _q(1), "gbp|sterling"),
)  # fmt: skip
SIGNS = {"৳": "BDT", "€": "EUR", "£": "GBP", "₹": "INR", "₸": "KZT", "₺": "TRY", "¢": "cent", "¥": "JPY"}
RADIANS = frozenset(
    [
        "rad",
        "rads",
        "radian",
        "radians",
        "রেডিয়ান",
        "রেডিয়ান",
        "radiaani",
        "radiaania",
        "radyan",
        "радиан",
        "radianas",
        "radianai",
        "radianų",
        "radyandır",
        "radiaanit",
    ]
)
SQUARE = frozenset(
    [
        "sq",
        "square",
        "squared",
        "বর্গ",
        "neliö",
        "carré",
        "carrés",
        "carrée",
        "kare",
        "шаршы",
        "кв",
        "квадрат",
        "kv",
        "kvadratinis",
        "kvadratinių",
        "kvadratiniai",
        "kvadratiniais",
        "кв.",
    ]
)
CUBIC = frozenset(
    [
        "cu",
        "cubic",
        "cube",
        "cubed",
        "ঘন",
        "kuutio",
        "cube",
        "cubes",
        "küp",
        "текше",
        "куб",
        "kub",
        "kubinis",
        "kubinių",
        "kubiniai",
    ]
)
# Short unit names that are products of letters in other languages.
LOCAL = {
    "ay": "tr",
    "sa": "tr",
    "dk": "tr",
    "sn": "tr",
    "an": "fr",
    "ans": "fr",
    "kk": "fi",
    "val": "lt",
    "fit": "tr",
    "mil": "tr",
}
# A time unit in the case that says "per" it.
PER_UNITS = {
    "tunnissa": "h", "sekunnissa": "s", "minuutissa": "min", "päivässä": "day", "saatte": "h", "saniyede": "s", "dakikada": "min",
    "сағатына": "h", "секундына": "s", "минутына": "min", "күніне": "day", "valandą": "h", "sekundę": "s", "minutę": "min",
}  # fmt: skip
PER = frozenset(["per", "par", "প্রতি", "kohti", "başına", "per/"])
HALF_JOINED = (
    ("neliö", 2), ("kuutio", 3), ("বর্গ", 2), ("ঘন", 3), ("kvadratinis ", 2),
)  # fmt: skip
POSTFIX_POWER = (("kare", 2), ("küp", 3), ("karedir", 2))
# Endings that inflection adds to a unit's name, by language; tried longest first.
ENDINGS = tuple(
    sorted(
        [
            "s",
            "es",
            "ia",
            "iä",
            "ä",
            "a",
            "n",
            "in",
            "en",
            "ssa",
            "ssä",
            "na",
            "nä",
            "lla",
            "llä",
            "ta",
            "tä",
            "tia",
            "tiä",
            "rä",
            "dir",
            "dır",
            "dur",
            "dür",
            "tir",
            "tır",
            "tur",
            "tür",
            "lik",
            "lık",
            "luk",
            "lük",
            "dedir",
            "e",
            "a",
            "i",
            "ı",
            "u",
            "ü",
            "si",
            "sı",
            "ге",
            "ға",
            "ке",
            "қа",
            "дің",
            "дың",
            "тің",
            "тың",
            "ні",
            "ны",
            "ді",
            "ды",
            "лік",
            "лық",
            "і",
            "ы",
            "сі",
            "сы",
            "тер",
            "тар",
            "лер",
            "лар",
            "ден",
            "дан",
            "е",
            "а",
            "ов",
            "os",
            "oms",
            "omis",
            "ai",
            "ų",
            "o",
            "us",
            "ui",
            "ams",
            "ais",
            "į",
            "ė",
            "ės",
            "ių",
            "iai",
            "is",
            "ys",
            "ą",
            "ের",
            "ে",
            "টি",
            "র",
            "এর",
            "ই",
            "য়",
            "তে",
        ],
        key=len,
        reverse=True,
    )
)


def is_square(word: str) -> bool:
    """A word that says "square" before or after a unit."""
    return word in SQUARE or word.startswith(("kvadratin", "neliö", "квадрат"))


def is_cubic(word: str) -> bool:
    """A word that says "cubic" before or after a unit."""
    return word in CUBIC or word.startswith(("kubin", "kübik", "кубт", "кубич"))


@cache
def unit_named(word: str) -> Unit | None:
    """The unit that a word names, inflected or not; None for any other word. `word` casefolded.

    >>> unit_named("metriä").name, unit_named("মিটারের").name, unit_named("neliömetriä").measure
    ('m', 'm', (('length', 2),))
    """
    if len(word) > 40:
        return None
    names = _names()
    word = word.strip(".").replace(".", " ").strip()
    word = re.sub(r"\s+", " ", word)
    if word in names:
        return names[word]
    bare = word.replace(" ", "")
    if bare in names and len(bare) > 1:
        return names[bare]
    for prefix, power in HALF_JOINED:
        if word.startswith(prefix) and len(word) > len(prefix):
            rest = unit_named(word[len(prefix) :].strip())
            return raised(rest, power) if rest else None
    for suffix, power in POSTFIX_POWER:
        if word.endswith(suffix) and len(word) > len(suffix):
            rest = unit_named(word[: -len(suffix)].strip())
            return raised(rest, power) if rest else None
    for ending in ENDINGS:
        stem = word[: -len(ending)]
        if word.endswith(ending) and len(stem) >= 3 and stem in names:
            return names[stem]
    return None


def raised(unit: Unit, power: int) -> Unit:
    """The unit to a power."""
    return Unit(
        f"{unit.name}^{power}",
        _collected([(base, exponent * power) for base, exponent in unit.measure]),
        unit.factor**power,
    )


def product(left: Unit, right: Unit) -> Unit:
    """The product of two units."""
    return Unit(f"{left.name}·{right.name}", _collected([*left.measure, *right.measure]), left.factor * right.factor)


@cache
def by_name(name: str) -> Unit:
    """The unit of the table with this short name; an unlisted one (a currency sign) is a measure of its own."""
    for short, measure, factor, _ in TABLE:
        if short == name:
            return _unit(short, measure, factor)
    return Unit(name, ((name, 1),), fmpq(1))


def _unit(name: str, measure: str, factor: fmpq) -> Unit:
    bases = {"area": (("length", 2),), "volume": (("length", 3),)}
    return Unit(name, bases.get(measure, ((measure, 1),)), factor)


def _collected(pairs: list[tuple[str, int]]) -> Measure:
    powers: dict[str, int] = {}
    for base, exponent in pairs:
        powers[base] = powers.get(base, 0) + exponent
    return tuple(sorted((base, exponent) for base, exponent in powers.items() if exponent))


@cache
def _names() -> dict[str, Unit]:
    names: dict[str, Unit] = {}
    for short, measure, factor, spellings in TABLE:
        for spelling in unicodedata.normalize("NFC", spellings).split("|"):
            for form in (spelling, spelling[:-2]) if spelling.endswith("as") and len(spelling) > 4 else (spelling,):
                names.setdefault(form, _unit(short, measure, factor))
    return names
