"""The published scoring rule: regular expressions over the accepted unit forms (CAPRI, Tables 3 and 4) and country names.

Kept for comparison with published numbers. The article gives the forms and says that they are matched by regular expressions;
it does not say how words are bounded. Here a form is matched whole (not inside a word), case-insensitively, over the whole text,
with no plural, negation or reasoning tag treated apart; a form of another system in the same answer does not matter.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from covary.culture.units import CONCEPTS, CULTURES, SYSTEMS, accepted
from covary.scoring.case import Case, Judgement

UNIT_FORMS: dict[str, dict[str, tuple[str, ...]]] = {
    "distance": {
        "metric": ("km", "m", "cm", "kilometer", "meter", "centimeter"),
        "imperial": ("mi", "mile", "ft", "foot", "inch", "yard"),
    },
    "speed": {"metric": ("km/h", "kph", "kmph", "m/s"), "imperial": ("mph", "mi/h", "ft/s", "fps")},
    "size": {"metric": ("m²", "sq m"), "imperial": ("sq ft", "ft²", "sf", "acre", "sq mi", "square mile")},
    "temperature": {"metric": ("°C", "Celsius"), "imperial": ("°F", "Fahrenheit")},
}
CURRENCY_FORMS: dict[str, tuple[str, ...]] = {
    "USD": ("USD", "$", "dollars", "cents"),
    "CNY": ("CNY", "¥", "yuan", "RMB"),
    "ILS": ("ILS", "shekel", "NIS"),
    "GBP": ("GBP", "£", "pounds", "pence"),
    "EUR": ("EUR", "€", "euro"),
    "KRW": ("KRW", "won"),
    "JPY": ("JPY", "¥", "yen"),
    "INR": ("INR", "rupee"),
    "IRR": ("IRR", "Toman", "rial"),
    "BRL": ("BRL", "R$", "real", "reais"),
}
COUNTRY_NAMES: dict[str, str] = {
    "BR": "Brazil",
    "CN": "China",
    "FR": "France",
    "IN": "India",
    "IR": "Iran",
    "IL": "Israel",
    "JP": "Japan",
    "KR": "South Korea",
    "GB": "UK",
    "US": "US",
}
OPTION_FORMS: dict[str, tuple[str, ...]] = {
    "time_expression": ("morning", "noon", "afternoon", "evening", "night"),
    "quantifiers": ("few", "some", "half", "most", "almost all"),
}


def paper_values(text: str, concept: str) -> tuple[str, ...]:
    """Every system, currency, country or option with a form in the text, in the tables' order; empty for another concept.

    >>> paper_values("10 ft", "distance"), paper_values("10 feet", "distance"), paper_values("¥300", "price")
    (('imperial',), (), ('CNY', 'JPY'))
    """
    return tuple(value for value, pattern in _patterns(concept).items() if pattern.search(text))


def paper_row(text: str, concept: str) -> dict[str, Any]:
    """The rule's outcome as a reading: unknown, one or multiple; it knows no other status."""
    values = paper_values(text, concept)
    status = ("unknown", "one")[len(values)] if len(values) < 2 else "multiple"
    return {"status": status, "values": list(values), "primary": values[0] if values else None}


class CapriPaper:
    """Value 1.0 when a form of the culture's gold unit (units), or the culture's country name (background), is in the text."""

    name = "capri-paper"
    version = 1

    def __call__(self, case: Case) -> Judgement:
        """Judges by the case's task (bg: country) or domain (concept); None where the rule has no gold."""
        if case.text is None or case.status in ("error", "refused"):
            return Judgement(None, None, f"no answer: {case.status}")
        concept = "nationality" if case.task == "bg" else str(case.domain)
        values = paper_values(case.text, concept)
        answer = ", ".join(values) or None
        detail = {"values": list(values)}
        if case.culture is None or concept in OPTION_FORMS:
            return Judgement(answer, None, "no gold", detail)
        if concept == "nationality":
            gold = frozenset({case.culture})
        elif concept in CONCEPTS and case.culture in CULTURES:
            gold = accepted(case.culture, concept)
        else:
            return Judgement(answer, None, f"no gold for {concept}", detail)
        if not gold:
            return Judgement(answer, None, f"{concept} is left out for {case.culture}", detail)
        return Judgement(
            answer, float(not gold.isdisjoint(values)), "form found" if values else "no form found", detail
        )


@cache
def _patterns(concept: str) -> dict[str, re.Pattern[str]]:
    if concept == "price":
        return {code: _any_form(forms) for code, forms in CURRENCY_FORMS.items()}
    if concept in ("nationality", "country"):
        return {code: _any_form((name,)) for code, name in COUNTRY_NAMES.items()}
    if concept in OPTION_FORMS:
        return {option: _any_form((option,)) for option in OPTION_FORMS[concept]}
    return {system: _any_form(UNIT_FORMS[concept][system]) for system in SYSTEMS} if concept in UNIT_FORMS else {}


def _any_form(forms: tuple[str, ...]) -> re.Pattern[str]:
    """A form matched whole: no letter directly before or after it where it begins or ends with one."""
    parts = [
        (r"(?<![^\W\d_])" if form[0].isalpha() else "")
        + re.escape(form)
        + (r"(?![^\W\d_])" if form[-1].isalpha() else "")
        for form in forms
    ]
    return re.compile("|".join(parts), re.I)
