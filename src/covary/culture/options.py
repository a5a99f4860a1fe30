"""The option words of the subjective concepts (time of day, quantifiers) in the cultures' languages."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

from covary.culture.lexicons import Lexicon, package_data

OPTIONS: dict[str, tuple[str, ...]] = {
    concept: tuple(package_data("lexicon_options")[concept]["options"])
    for concept in ("time_expression", "quantifiers")
}


class OptionSense(NamedTuple):
    """What a form means: an option of the closed list, the name of what lies outside it, or a phrase that is none."""

    value: str
    kind: Literal["option", "outside", "none"]


@cache
def option_lexicon(concept: str) -> Lexicon[OptionSense]:
    """The forms of a subjective concept's options, what lies outside them, and fixed phrases that are none."""
    table = package_data("lexicon_options")[concept]
    senses: dict[str, OptionSense] = {}
    for form in table["decoys"].split("|"):
        senses.setdefault(form, OptionSense("", "none"))
    kinds: tuple[tuple[Literal["option", "outside"], str], ...] = (("option", "options"), ("outside", "outside"))
    for kind, key in kinds:
        for value, forms in table[key].items():
            for form in forms.split("|"):
                senses.setdefault(form, OptionSense(value, kind))
    return Lexicon(senses)
