"""Candidates for wrong options, by rule, in three pools (MathMist, Section 3): calculation, concept, plausible.

A candidate is a change of a target's places, so that it holds for every language at once. Whether it is really wrong is not
decided here: `choices` asks the equivalence checker.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib import resources
from itertools import combinations
from typing import Any, Literal, get_args

import msgspec

from covary.build.choices_notation import Notation, Place, notation, rounded
from covary.errors import UsageError
from covary.items import arithmetic
from covary.lint.masking import ascii_digits

Pool = Literal["calculation", "concept", "plausible"]
POOLS: tuple[Pool, ...] = get_args(Pool)

MOST_PLACES = 6
MOST_STEPS = 12
MOST_DIGITS = 15
_SWAPPED = {"sin": "cos", "cos": "sin", "tan": "cot", "cot": "tan", "sec": "csc", "csc": "sec", "cosec": "sec"}
_RELATIONS = {
    r"\leq": "<",
    r"\le": "<",
    r"\geq": ">",
    r"\ge": ">",
    "≤": "<",
    "≥": ">",
    "<": r"\leq",
    ">": r"\geq",
}
_OPERATIONS = {r"\cup": r"\cap", r"\cap": r"\cup", "∪": "∩", "∩": "∪"}
_ENDS = {"(": "[", "[": "(", ")": "]", "]": ")"}
_RESULT = re.compile(
    r"=\s*\$?\s*(-?\s?(?:\\[dt]?frac\{\d+\}\{\d+\}|\d[\d.,]*(?:/\d+)?))(?![\w^{(!]|\s*\\(?:cdot|times|sqrt|pi))"
)
_ANGLES = (2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 18, 20)  # what pi is divided by to give whole degrees
_UNDER_PI = re.compile(r"\\[dt]?frac\{(?:\d+\s*)?\\pi\s*\}\{$")


@dataclass(frozen=True)
class Candidate:
    """One way to be wrong: its pool, its kind (stored with the option), and the new values by place."""

    pool: Pool
    kind: str
    changes: Mapping[int, Fraction | str]


@dataclass(frozen=True)
class _Rule:
    kind: str
    domains: tuple[str, ...]
    formulas: tuple[str, ...]
    low: Fraction | None = None
    high: Fraction | None = None


@dataclass(frozen=True)
class _Bounds:
    domains: tuple[str, ...]
    low: int | None = None
    high: int | None = None
    applies_up_to: int | None = None


@dataclass(frozen=True)
class _Formulas:
    rule: tuple[_Rule, ...] = field(default=())
    bounds: tuple[_Bounds, ...] = field(default=())


def candidates(target: Notation, language: str, question: str, solution: str, domain: str | None) -> list[Candidate]:
    """Every candidate of a target, the best known first within each kind; values that a reader would not believe left out."""
    scalar = target.scalar
    found = [*_calculation(target), *_concept(target), *_plausible(target)]
    if scalar is not None and scalar.value is not None:
        index = target.places.index(scalar)
        found += _dropped_steps(scalar.value, index, language, solution)
        found += _wrong_formulas(scalar.value, index, language, question, domain)
        found = [candidate for candidate in found if _believable(candidate, scalar.value, index, domain)]
    return found


def differs_by(candidate: Candidate, target: Notation, tau: float) -> bool:
    """Whether every number that a candidate changes moves by more than tau."""
    return all(
        abs(new - old) > Fraction(tau)
        for index, new in candidate.changes.items()
        if not isinstance(new, str) and (old := target.places[index].value) is not None
    )


def _numbers(target: Notation) -> list[tuple[int, Place, Fraction]]:
    numbers = [
        (index, place, place.value)
        for index, place in enumerate(target.places)
        if place.kind == "number" and place.value is not None and len(place.text) <= MOST_DIGITS + 12
    ]
    return numbers[:MOST_PLACES]


def _calculation(target: Notation) -> Iterator[Candidate]:
    for index, place, value in _numbers(target):
        if place.power:
            continue
        yield Candidate("calculation", "off by one", {index: value + 1})
        yield Candidate("calculation", "off by one", {index: value - 1})
        if place.signed:
            yield Candidate("calculation", "sign", {index: -value})
        yield Candidate("calculation", "decimal point", {index: value * 10})
        if target.scalar is not None or place.style != "integer" or value % 10 == 0:
            yield Candidate("calculation", "decimal point", {index: value / 10})
    signs = [index for index, place in enumerate(target.places) if place.kind == "sign"][:MOST_PLACES]
    flips = {index: _flipped(target.places[index].text) for index in signs}
    for index in signs:
        yield Candidate("calculation", "sign", {index: flips[index]})
    for one, other in combinations(signs, 2):
        yield Candidate("calculation", "two signs", {one: flips[one], other: flips[other]})


def _flipped(sign: str) -> str:
    return "-" if sign == "+" else "+"


def _concept(target: Notation) -> Iterator[Candidate]:
    for index, place in enumerate(target.places):
        match place.kind:
            case "function":
                name = place.text.lstrip("\\")
                yield Candidate("concept", "wrong function", {index: place.text.replace(name, _SWAPPED[name])})
            case "relation" if place.text in _RELATIONS:
                swapped = _RELATIONS[place.text]
                spaced = swapped + " " if swapped.startswith("\\") else swapped
                yield Candidate("concept", "end of an interval", {index: spaced})
            case "operation":
                yield Candidate("concept", "union and intersection", {index: _OPERATIONS[place.text]})
            case "end":
                yield Candidate("concept", "end of an interval", {index: _ENDS[place.text]})
            case _:
                pass
    ends = [index for index, place in enumerate(target.places) if place.kind == "end"]
    for one, other in combinations(ends[:4], 2):
        changes = {one: _ENDS[target.places[one].text], other: _ENDS[target.places[other].text]}
        yield Candidate("concept", "end of an interval", changes)
    for index, place, value in _numbers(target):
        if place.power and value.denominator == 1:
            yield Candidate("concept", "wrong power", {index: value + 1})
            if value > 2:
                yield Candidate("concept", "wrong power", {index: value - 1})
        elif place.below and _UNDER_PI.search(ascii_digits(target.text[: place.start])) and value in _ANGLES:
            yield Candidate("concept", "degree and radian", {index: 180 / value})
        elif value.denominator != 1 and value != 0 and place.style in ("latex", "slash"):
            yield Candidate("concept", "reciprocal", {index: 1 / value})
    free = [(index, value) for index, place, value in _numbers(target) if not place.power]
    for (one, left), (other, right) in combinations(free[:4], 2):
        if left != right:
            yield Candidate("concept", "numbers exchanged", {one: right, other: left})


def _plausible(target: Notation) -> Iterator[Candidate]:
    for index, place, value in _numbers(target):
        if place.power:
            continue
        for step in _near(value, place):
            yield Candidate("plausible", "near miss", {index: value + step})
        for places in range(2, -3, -1):
            if (coarse := rounded(value, places)) != value and abs(coarse - value) < abs(value):
                yield Candidate("plausible", "rounding", {index: coarse})
        if value.denominator == 1 and 10 < abs(value) < 10**6 and (turned := _turned(int(value))) != int(value):
            yield Candidate("plausible", "digits exchanged", {index: Fraction(turned)})
        if place.style in ("latex", "slash"):
            top, bottom = value.numerator, value.denominator
            yield Candidate("plausible", "near miss", {index: Fraction(top + (1 if top > 0 else -1), bottom)})
            yield Candidate("plausible", "near miss", {index: Fraction(top, bottom + 1)})
            if bottom > 2:
                yield Candidate("plausible", "near miss", {index: Fraction(top, bottom - 1)})


def _near(value: Fraction, place: Place) -> list[Fraction]:
    """Small steps in the number's own unit: of its last decimal, and of about a tenth of it."""
    if place.style in ("latex", "slash", "mixed"):
        return [Fraction(1, value.denominator), Fraction(-1, value.denominator)]
    found = re.search(r"[.,](\d+)$", ascii_digits(place.text)) if place.style == "decimal" else None
    unit = Fraction(1, 10 ** len(found[1])) if found else Fraction(1)
    tenth = max(unit, rounded(abs(value) / 10 / unit, 0) * unit)
    return [2 * unit, -2 * unit, tenth, -tenth, 3 * unit, -3 * unit, 5 * unit]


def _turned(value: int) -> int:
    digits = str(abs(value))
    last = digits[:-2] + digits[-1] + digits[-2]
    return int(last) * (1 if value > 0 else -1) if last[0] != "0" else value


def _dropped_steps(value: Fraction, index: int, language: str, solution: str) -> Iterator[Candidate]:
    """Results on the way to the answer: what a solver gives who stops a step early."""
    seen: set[Fraction] = {value}
    results = list(_RESULT.finditer(ascii_digits(solution[-6000:])))
    for found in reversed(results[-MOST_STEPS:]):
        inner = notation(found[1].replace(" ", ""), language).scalar
        if inner is not None and inner.value is not None and inner.value not in seen:
            seen.add(inner.value)
            yield Candidate("calculation", "dropped step", {index: inner.value})


def _wrong_formulas(
    value: Fraction, index: int, language: str, question: str, domain: str | None
) -> Iterator[Candidate]:
    given = [
        place.value for place in notation(question[:300], language).places if place.kind == "number" and place.value
    ]
    others = [number for number in given if number != value]
    names = {"A": value, **dict(zip("ab", others, strict=False))}
    for rule in _formulas().rule:
        if domain not in rule.domains:
            continue
        for formula in rule.formulas:
            if not arithmetic.names(formula) <= names.keys():
                continue
            try:
                wrong = arithmetic.value(formula, names)
            except UsageError:
                continue
            if (rule.low is None or wrong > rule.low) and (rule.high is None or wrong < rule.high):
                yield Candidate(
                    "concept", rule.kind, {index: wrong if wrong.denominator == 1 else _shown(wrong, value)}
                )


def _shown(wrong: Fraction, like: Fraction) -> Fraction:
    """A value that never ends is cut to two decimals, unless the answer is itself a fraction."""
    return wrong if like.denominator != 1 and _endless(like) else wrong if not _endless(wrong) else rounded(wrong, 2)


def _endless(value: Fraction) -> bool:
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest != 1


def _believable(candidate: Candidate, value: Fraction, index: int, domain: str | None) -> bool:
    new = candidate.changes.get(index)
    if new is None or isinstance(new, str):
        return True
    for bounds in _formulas().bounds:
        if domain not in bounds.domains or value < (bounds.low or 0):
            continue
        if bounds.applies_up_to is not None and value > bounds.applies_up_to:
            continue
        if (bounds.low is not None and new < bounds.low) or (bounds.high is not None and new > bounds.high):
            return False
        if bounds.applies_up_to is not None:
            return True
    return True


@cache
def _formulas() -> _Formulas:
    text = resources.files("covary.build").joinpath("builders_data/wrong_formulas.toml").read_text("utf-8")
    data: dict[str, Any] = tomllib.loads(text)
    known = tuple(
        _Rule(
            rule["kind"],
            tuple(rule["domains"]),
            tuple(rule["formulas"]),
            Fraction(rule["low"]) if "low" in rule else None,
            Fraction(rule["high"]) if "high" in rule else None,
        )
        for rule in data["rule"]
    )
    return _Formulas(known, msgspec.convert(tuple(data["bounds"]), tuple[_Bounds, ...]))
