"""Is the number right, given the picture's true value? Reading error kept apart from the choice of a unit.

An answer of 104 °F to a picture of 40 °C is right; 40 °F is a unit slip (the number was read, the label is wrong); 70 °C is a
reading error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from covary.culture.lexicons import lowered
from covary.culture.lexicons_numbers import decimal
from covary.culture.units import CONCEPTS, DIMENSION, TRUE_UNIT, convert, to_si
from covary.scoring.case import Case, Judgement
from covary.scoring.quantities import BY, Mention, Reading, number_of, read_quantity

InCommon = Callable[[float, str], float | None]  # a number and its unit → SI, or the common currency
Outcome = Literal["right", "unit_slip", "reading_error", "conversion_error"]

# (relative, absolute in SI): an amount is right when it is off by no more than the larger of the two
TOLERANCE: dict[str, tuple[float, float]] = {
    "temperature": (0.0, 2.0),
    "distance": (0.25, 0.05),
    "speed": (0.20, 1.0),
    "size": (0.25, 1.0),
    "price": (0.50, 0.0),
}
USUAL_UNITS: dict[str, tuple[str, ...]] = {
    "temperature": ("°C", "°F"),
    "distance": ("m", "km", "cm", "ft", "mi", "yd", "in"),
    "speed": ("km/h", "m/s", "mph", "ft/s"),
    "size": ("m2", "ft2", "yd2"),
}
TOMAN = re.compile(r"tom|tum|توم|תומ|图曼|土曼|トマン|토만|तो?मा")
MINOR = re.compile(
    r"cents?$|¢|pence|penn|^p$|centime|centavo|paise|paisa|agor|אגור|fen$|jeon|سنت|סנט|セント|센트|美分|सेंट|角|毛|jiao|mao$"
)
TENTHS = re.compile(r"角|毛|jiao|mao$")
RANGE = re.compile(r"(\d[\d.,]*)\s*(?:°\s*)?(?:-|to|~|〜|až|bis|a|à|até|至|到|から|에서|تا|עד|से)\s*$")
SIDE = re.compile(rf"(\d[\d.,]*)\s*{BY}\s*(?:about )?$")


class Amount(NamedTuple):
    """One amount that an answer gives: its ends (equal unless a range), its unit, and the ends in SI or the true currency."""

    low: float
    high: float
    unit: str
    si_low: float
    si_high: float


class Plausibility:
    """Value 1.0 when the amount agrees with the case's true value within tolerance, in whatever unit it is given.

    The case's meta holds `true_value`, and `true_unit` where it is not the concept's usual one (°C, m, km/h, m2; for price an
    ISO 4217 code, or none where the picture shows bare digits: then any currency will do). Prices in another currency need `rates`: the worth of one unit of each currency in one common currency.
    """

    name = "plausibility"
    version = 2
    answer_types = frozenset({"quantity"})

    def __init__(
        self, tolerance: Mapping[str, tuple[float, float]] = TOLERANCE, rates: Mapping[str, float] | None = None
    ) -> None:
        self.tolerance = tolerance
        self.rates = dict(rates or {})

    def __call__(self, case: Case) -> Judgement:
        """Judges by the case's domain and meta; None where the true value, the number, the unit or a rate is missing."""
        if case.text is None or case.status in ("error", "refused"):
            return Judgement(None, None, f"no answer: {case.status}")
        true_value = case.meta.get("true_value")
        if case.domain not in CONCEPTS or isinstance(true_value, bool) or not isinstance(true_value, (int, float)):
            return Judgement(None, None, "no true value")
        concept = case.domain
        true_unit = str(case.meta.get("true_unit") or TRUE_UNIT.get(concept, ""))
        rates = self.rates or {true_unit: 1.0}

        def in_common(number: float, unit: str) -> float | None:
            if concept != "price":
                return to_si(number, unit, DIMENSION[concept])
            if not true_unit:  # digits without a currency: any currency reads them
                return number
            return number * rates[unit] if unit in rates else None

        truth = in_common(float(true_value), true_unit)
        if truth is None:
            return Judgement(None, None, f"the true value's unit {true_unit!r} can't be converted")
        reading = read_quantity(case.text, concept)
        if not reading.mentions:
            return self._without_unit(reading, concept, float(true_value), true_unit, truth, in_common)
        amounts = amounts_of(reading, concept, in_common)
        if not amounts:
            return Judgement(
                None, None, "no number, or a unit that can't be converted", {"values": list(reading.values)}
            )
        right = [self._is_right(amount.si_low, amount.si_high, truth, concept) for amount in amounts]
        outcome = self._outcome(amounts, right, concept, float(true_value), true_unit)
        first = amounts[0]
        middle = (first.si_low + first.si_high) / 2
        detail = {
            "outcome": outcome,
            "si": middle,
            "true_si": truth,
            "relative_error": abs(middle - truth) / abs(truth) if truth else None,
            "unit": first.unit,
        }
        number = f"{first.low:g}" if first.low == first.high else f"{first.low:g}-{first.high:g}"
        return Judgement(f"{number} {first.unit}", float(right[0]), outcome, detail)

    def _without_unit(
        self,
        reading: Reading,
        concept: str,
        true_value: float,
        true_unit: str,
        truth: float,
        in_common: InCommon,
    ) -> Judgement:
        """A bare number is not judged; which units it would be right in is kept as evidence."""
        match = re.search(r"-?\d[\d.,]*", reading.text)
        number = decimal(match[0]) if match else None
        if number is None:
            return Judgement(None, None, "no amount")
        fits = [
            unit
            for unit in USUAL_UNITS.get(concept, (true_unit,))
            if (si := in_common(number, unit)) is not None and self._is_right(si, si, truth, concept)
        ]
        return Judgement(f"{number:g}", None, "a number without a unit", {"fits": fits, "true_value": true_value})

    def _outcome(
        self, amounts: list[Amount], right: list[bool], concept: str, true_value: float, true_unit: str
    ) -> Outcome:
        if right[0]:
            return "right" if all(right) else "conversion_error"
        number = amounts[0].low
        for unit in USUAL_UNITS.get(concept, (true_unit,)):
            if unit == amounts[0].unit:
                continue
            true_there = convert(true_value, true_unit, unit, DIMENSION[concept]) if concept != "price" else true_value
            # as exact as a number copied with another label: half the usual tolerance
            if true_there is not None and abs(number - true_there) <= max(0.02 * abs(true_there), 0.5):
                return "unit_slip"
        return "conversion_error" if any(right) else "reading_error"

    def _is_right(self, low: float, high: float, truth: float, concept: str) -> bool:
        relative, absolute = self.tolerance[concept]
        margin = max(relative * abs(truth), absolute)
        return low - margin <= truth <= high + margin


def amounts_of(reading: Reading, concept: str, in_common: InCommon) -> list[Amount]:
    """The amounts of a reading in order; feet and inches are joined, sides multiplied; those without a number are left out."""
    amounts: list[Amount] = []
    sides: list[Amount] = []
    previous: Mention | None = None
    for mention in reading.mentions:
        amount = _amount(reading, mention, in_common, concept)
        if amount is None:
            continue
        if previous and mention.dimension == "length" and _continues(reading, previous, mention) and (amounts or sides):
            target = sides if concept == "size" else amounts
            whole = target.pop()
            amount = Amount(
                whole.low, whole.high, whole.unit, whole.si_low + amount.si_low, whole.si_high + amount.si_high
            )
            target.append(amount)
        elif concept == "size" and mention.dimension == "length":
            sides += [*_side_before(reading, mention, in_common), amount]
        else:
            amounts.append(amount)
        previous = mention
    areas = [
        Amount(
            first.low * second.low,
            first.high * second.high,
            f"{second.unit}2",
            first.si_low * second.si_low,
            first.si_high * second.si_high,
        )
        for first, second in zip(sides[::2], sides[1::2], strict=False)
    ]
    return areas + amounts


def _amount(reading: Reading, mention: Mention, in_common: InCommon, concept: str) -> Amount | None:
    number = number_of(reading, mention)
    if number is None:
        return None
    low = lowered(reading.text)
    form = low[mention.start : mention.end]
    unit = mention.unit or mention.value
    factor = _factor(form) if concept == "price" else 1.0
    span = RANGE.search(low[max(0, mention.start - 40) : _number_start(low, mention)])
    start = decimal(span[1]) if span else None
    first = number if start is None or start > number else start
    if concept != "price":
        ends = _in_dimension(first, unit, mention, in_common), _in_dimension(number, unit, mention, in_common)
    else:
        ends = in_common(first * factor, unit), in_common(number * factor, unit)
    if ends[0] is None or ends[1] is None:
        return None
    return Amount(first, number, unit, ends[0], ends[1])


def _in_dimension(number: float, unit: str, mention: Mention, in_common: InCommon) -> float | None:
    if mention.dimension == "length":
        return to_si(number, unit, "length")
    return in_common(number, unit)


def _factor(form: str) -> float:
    if TOMAN.search(form):
        return 10.0
    if TENTHS.search(form):
        return 0.1
    return 0.01 if MINOR.search(form) else 1.0


def _number_start(low: str, mention: Mention) -> int:
    match = re.search(r"\d[\d.,]*[^\d]*$", low[: mention.start])
    return match.start() if match else mention.start


def _continues(reading: Reading, previous: Mention, mention: Mention) -> bool:
    """Whether a mention goes on with the one before: 5 ft 10 in, 1 m 20 cm."""
    gap = reading.text[previous.end : mention.start]
    return (
        mention.value == previous.value
        and mention.unit != previous.unit
        and re.fullmatch(r"[\s,]*(?:and )?[\d.,]+\s*", gap) is not None
    )


def _side_before(reading: Reading, mention: Mention, in_common: InCommon) -> list[Amount]:
    """The first side of '3 × 4 metres', whose unit stands only once."""
    low = lowered(reading.text)
    match = SIDE.search(low[: _number_start(low, mention)])
    number = decimal(match[1]) if match else None
    if number is None:
        return []
    si = _in_dimension(number, mention.unit, mention, in_common)
    return [] if si is None else [Amount(number, number, mention.unit, si, si)]
