"""Drawn templates as texts: placeholders filled, digits and separators by language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from covary.items import arithmetic
from covary.items.languages import Language
from covary.items.numerals import Place, decimal, in_script, number
from covary.items.template import PLACEHOLDER, UNIT, Step, Template, load_wordings, step_wordings

Values = Mapping[str, Fraction]

FORMULA = re.compile(r"(\$[^$]*\$)")

# French sets a no-break space before these marks; a number and its unit stay together in every language
FRENCH_MARKS = re.compile(r" ([:;?!%])")
UNIT_AFTER_BLANK = re.compile(r" (\[[a-z]+[23]?\])")

# how a line joins its sentence, rule and formula: French sets a blank before the colon, Bangla ends with a danda
COLON = {"fr": "\u00a0:"}
FULL_STOP = {"bn": "।"}


class Drawn(NamedTuple):
    """A template with its drawn parameters and all the numbers that follow from them."""

    template: Template
    parameters: dict[str, int]
    values: Values


def derived(template: Template, parameters: Mapping[str, int]) -> Drawn:
    """The drawn template: parameters, then the template's and the steps' numbers in order."""
    values = {name: Fraction(drawn) for name, drawn in parameters.items()}
    for let in (template.let, *(step.let for step in template.step)):
        for name, expression in let.items():
            values[name] = arithmetic.value(expression, values)
    return Drawn(template, dict(parameters), values)


def question(drawn: Drawn, language: Language) -> str:
    """The question in one language."""
    return prose(drawn.template.question[language.code], drawn.values, language)


def target(drawn: Drawn, language: Language) -> str:
    """The target in the language's digits and decimal mark, without grouping and without dollar signs."""
    return in_script(_fill(drawn.template.target, drawn.values, language, "plain"), language)


def step_line(
    step: Step,
    values: Values,
    language: Language,
    wording: int = 0,
    show: str | None = None,
    rule: str | None = None,
) -> str:
    """One line of a solution: sentence, rule in brackets, formula. `show` and `rule` replace the step's own."""
    said = step_wordings()[step.say][language.code]
    stated = rule or step.rule
    bracket = f" (${formula(stated, values, language)}$)" if stated else ""
    sentence = in_script(said[wording % len(said)], language)
    return f"{sentence}{bracket}{COLON.get(language.code, ':')} ${formula(show or step.show, values, language)}${full_stop(language)}"


def steps(drawn: Drawn, language: Language) -> list[str]:
    """The lines of the worked solution, without the last one, which is the target alone."""
    return [step_line(step, drawn.values, language) for step in drawn.template.step]


def full_stop(language: Language) -> str:
    """The mark that ends a sentence."""
    return FULL_STOP.get(language.code, ".")


def prose(text: str, values: Values, language: Language) -> str:
    """A text with its placeholders filled: grouped numbers outside formulas, plain ones inside."""
    return in_script("".join(_prose_part(part, values, language) for part in FORMULA.split(text)), language)


def spaced(text: str, language: Language) -> str:
    """A sentence with the no-break blanks that French sets before its double marks; other languages unchanged."""
    return FRENCH_MARKS.sub("\u00a0\\1", text) if language.code == "fr" else text


def formula(text: str, values: Values, language: Language) -> str:
    """A formula with its placeholders filled, without dollar signs."""
    return in_script(_fill(text, values, language, "formula"), language)


def _prose_part(part: str, values: Values, language: Language) -> str:
    if part.startswith("$"):
        return _fill(part, values, language, "formula")
    return _fill(UNIT_AFTER_BLANK.sub("\u00a0\\1", spaced(part, language)), values, language, "text")


def _unit(name: str, language: Language, place: Place) -> str:
    written = load_wordings("units")[name][language.code][0]
    if place != "formula" or written == "‰":
        return written
    if written == "%":
        return r"\%"
    base = written.rstrip("²³")
    power = {"²": "^2", "³": "^3"}.get(written[len(base) :], "")
    return rf"\,\text{{{base}}}{power}"


def _fill(text: str, values: Values, language: Language, place: Place) -> str:
    numbers = PLACEHOLDER.sub(lambda found: _write(values[found[1]], found[2], language, place), text)
    return UNIT.sub(lambda found: _unit(found[1], language, place), numbers)


def _write(value: Fraction, style: str | None, language: Language, place: Place) -> str:
    """d: decimal; s: signed term; c: coefficient, t: signed coefficient (1 unwritten); p: in brackets when negative."""
    match style:
        case "d":
            return decimal(value, language, place)
        case "s":
            return _signed(value, number(abs(value), language, place))
        case "c":
            return ("-" if value < 0 else "") + _unwritten_one(abs(value), language, place)
        case "t":
            return _signed(value, _unwritten_one(abs(value), language, place))
        case "p" if value < 0:
            return f"({number(value, language, place)})"
        case _:
            return number(value, language, place)


def _signed(value: Fraction, written: str) -> str:
    return f" {'-' if value < 0 else '+'} {written}"


def _unwritten_one(value: Fraction, language: Language, place: Place) -> str:
    return "" if value == 1 else number(value, language, place)
