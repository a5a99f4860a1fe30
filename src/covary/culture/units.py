"""Unit conventions of the ten cultures, the forms of units and currencies in their languages, and conversions.

Conventions, forms and sizes are data (`data/units_*.json`); this module reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, NamedTuple, get_args

from covary.culture.lexicons import Lexicon, package_data
from covary.errors import UsageError, nearest

Dimension = Literal["length", "area", "speed", "temperature", "currency", "decoy"]
Concept = Literal["temperature", "distance", "speed", "size", "price"]
CONCEPTS: tuple[Concept, ...] = get_args(Concept)
CULTURES: tuple[str, ...] = tuple(package_data("units_conventions")["cultures"])
SYSTEMS = ("metric", "imperial")
CURRENCIES: tuple[str, ...] = tuple(
    table["price"][0] for table in package_data("units_conventions")["cultures"].values()
)  # in the order of CULTURES
TRUE_UNIT: dict[str, str] = {
    "temperature": "°C",
    "distance": "m",
    "speed": "km/h",
    "size": "m2",
}  # a picture's true value
DIMENSION: dict[str, Dimension] = {
    "temperature": "temperature",
    "distance": "length",
    "speed": "speed",
    "size": "area",
    "price": "currency",
}
DECOY: Dimension = "decoy"


class UnitSense(NamedTuple):
    """What a form means: its dimension, its system, currency or other name, and its unit.

    `number`: counts only beside a number. `family`: the currencies that share the form; then `value` is the one it
    stands for when nothing beside it decides ("" where nothing does).
    """

    dimension: Dimension
    value: str
    unit: str
    number: bool = False
    family: str = ""


class Family(NamedTuple):
    """Currencies that share a word or sign: the default, the one per country, and the two that a bare sign may be."""

    default: str | None
    countries: Mapping[str, str]
    either: tuple[str, ...]
    codes: frozenset[str]
    minor: bool


def accepted(culture: str, concept: str, policy: str = "default") -> frozenset[str]:
    """Unit systems, or currencies, that count as adapted for a culture and concept; empty where left out (GB distance, size).

    Policies: default (the published table), cldr (GB imperial for both), practice (everyday units too). Raises UsageError
    for a culture, concept or policy that is not known.

    >>> sorted(accepted("GB", "speed")), sorted(accepted("GB", "size")), sorted(accepted("IR", "price"))
    (['imperial'], [], ['IRR'])
    """
    table = package_data("units_conventions")
    for what, name, known in (
        ("culture", culture, table["cultures"]),
        ("concept", concept, table["concepts"]),
        ("policy", policy, table["policies"]),
    ):
        if name not in known:
            raise UsageError(f"unknown {what} {name!r}{nearest(name, known)}")
    own = table["policies"][policy].get(culture, {}).get(concept)
    return frozenset(own if own is not None else table["cultures"][culture].get(concept, ()))


def size_in_si(unit: str, dimension: str) -> float | None:
    """How many SI units (m, m2, m/s) one unit is; None for units without a fixed size (block) and for temperature.

    Units that are composed of a length (in2, mi/h, yd/s) are worked out from it.
    """
    measures = package_data("units_measures")
    if entry := measures.get(dimension, {}).get(unit):
        return entry.get("si")
    base, _, time = unit.partition("/")
    length = measures["length"].get(base if dimension == "speed" else unit.removesuffix("2"), {}).get("si")
    if length is None:
        return None
    if dimension == "speed":
        return {"h": length / 3600, "s": length}.get(time)
    return length**2 if dimension == "area" and unit.endswith("2") else None


def to_si(number: float, unit: str, dimension: str) -> float | None:
    """A quantity in SI: m, m2, m/s, and °C for temperature; None where the unit has no fixed size.

    >>> to_si(104, "°F", "temperature"), to_si(25, "mph", "speed"), to_si(2, "block", "length")
    (40.0, 11.176, None)
    """
    if dimension == "temperature":
        return {"°C": number, "°F": (number - 32) * 5 / 9, "K": number - 273.15, "°R": number * 5 / 9 - 273.15}.get(
            unit
        )
    size = size_in_si(unit, dimension)
    return None if size is None else number * size


def convert(number: float, source: str, target: str, dimension: str) -> float | None:
    """A quantity of one unit in another of the same dimension; None where either has no fixed size.

    >>> convert(40, "°C", "°F", "temperature"), round(convert(40, "km/h", "mph", "speed"), 2)
    (104.0, 24.85)
    """
    si = to_si(number, source, dimension)
    if si is None:
        return None
    if dimension == "temperature":
        return {"°C": si, "°F": si * 9 / 5 + 32, "K": si + 273.15, "°R": (si + 273.15) * 9 / 5}.get(target)
    size = size_in_si(target, dimension)
    return None if size is None else si / size


@cache
def unit_lexicon(concept: str) -> Lexicon[UnitSense]:
    """The forms that matter to a concept: its units, and phrases and units that must not be taken for them."""
    if concept == "price":
        return Lexicon(_currency_senses())
    measures = package_data("units_measures")
    own_first = ("speed", "length", "area") if concept == "distance" else ("speed", "area", "length")
    dimensions = ("temperature",) if concept == "temperature" else own_first
    senses: dict[str, UnitSense] = {}
    for dimension in dimensions:
        for form in measures["decoys"].get(dimension, "").split("|"):
            senses.setdefault(form, UnitSense(DECOY, "", ""))
        for unit, entry in measures[dimension].items():
            for key, number in (("forms", False), ("number", True)):
                for form in filter(None, entry[key].split("|")):
                    senses.setdefault(form, UnitSense(dimension, entry["system"], unit, number))
    return Lexicon(senses)


@cache
def families() -> dict[str, Family]:
    """Currencies that share a word or sign, by the family's name."""
    table: dict[str, Any] = package_data("units_currencies")["families"]
    return {
        name: Family(
            entry["default"],
            entry["countries"],
            tuple(entry.get("either", ())),
            frozenset((*entry["countries"].values(), *entry.get("signed", ()))),
            entry.get("minor", False),
        )
        for name, entry in table.items()
    }


def _currency_senses() -> dict[str, UnitSense]:
    table = package_data("units_currencies")
    names: dict[str, list[str]] = package_data("units_currencies_cldr")["names"]
    senses: dict[str, UnitSense] = {}

    def add(forms: str, sense: UnitSense) -> None:
        for form in filter(None, forms.split("|")):
            senses.setdefault(form.lower(), sense)

    add(table["decoys"], UnitSense(DECOY, "", ""))
    for code, forms in table["any"].items():
        add(forms, UnitSense("currency", code, code))
    for code, forms in table["number"].items():
        add(forms, UnitSense("currency", code, code, number=True))
    for generic in table["generic"].values():
        family = table["families"][generic["family"]]
        add(generic["forms"], UnitSense("currency", family["default"] or "", "", family=generic["family"]))
    for code, forms in table["outside"].items():
        add(forms, UnitSense("currency", code, code))
    for code, forms in table["outside_number"].items():
        add(forms, UnitSense("currency", code, code, number=True))
    for code, code_names in names.items():
        add("|".join(code_names), UnitSense("currency", code, code))
        add(code, UnitSense("currency", code, code, number=code not in CURRENCIES))
    return senses
