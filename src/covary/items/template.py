"""Problem templates: what their files say, read and checked.

One TOML file holds the templates of one cell (answer type × subdomain); docs/items.md explains every key. A template draws
whole numbers, derives others by exact arithmetic, and words the question in every language. Its steps are language-neutral
formulas; the sentence of a step is a key of `wordings/steps.toml`, so that a translator finds each sentence once.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from covary.errors import DataError, UsageError
from covary.items import arithmetic
from covary.items.languages import BUNDLED

ANSWER_TYPES = ("Numerical", "Symbolic", "Proof")
MIN_STEPS = 3

# <name> or <name:format>; docs/items.md lists the formats
PLACEHOLDER = re.compile(r"<([a-z][a-z0-9_]*)(?::([a-z]))?>")
# [name] of a unit in wordings/units.toml
UNIT = re.compile(r"\[([a-z]+[23]?)\]")


class Choices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A parameter that takes one of some whole numbers."""

    of: tuple[int, ...]


class WrongRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule that looks like the step's and is false; `value` is what it makes of the step's result, `show` replaces the
    step's formula where another value alone would not do."""

    rule: str
    value: str | None = None
    show: str | None = None


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step: what is done (a wording's key), the numbers that it adds (the last one is its result), the formula."""

    say: str
    show: str
    let: dict[str, str] = {}
    rule: str | None = None
    wrong: WrongRule | None = None

    @property
    def result(self) -> str | None:
        """Name of the number that the step arrives at; None for a step that only writes something down."""
        return next(reversed(self.let), None)


class Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One problem template. `bind` gives the value of each unknown that stands in the formulas."""

    id: str
    draw: dict[str, tuple[int, ...] | Choices]
    question: dict[str, str]
    step: tuple[Step, ...]
    target: str
    version: int = 1
    let: dict[str, str] = {}
    where: tuple[str, ...] = ()
    bind: dict[str, str] = {}
    answer_type: str = ""
    domain: str = ""

    def choices(self, parameter: str) -> tuple[int, ...]:
        """The whole numbers that a parameter may take."""
        declared = self.draw[parameter]
        if isinstance(declared, Choices):
            return declared.of
        low, high, *stride = declared
        return tuple(range(low, high + 1, *stride))

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the numbers that the question shows."""
        shown = [name for name, _ in PLACEHOLDER.findall(next(iter(self.question.values())))]
        return tuple(dict.fromkeys(shown))


class _Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    answer_type: str
    domain: str
    template: tuple[Template, ...]


def read_templates(text: str, origin: str, languages: tuple[str, ...] = BUNDLED) -> tuple[Template, ...]:
    """The checked templates of one file's text. Raises DataError that names the file, the template and the key.

    origin: the name that errors show. languages: those that every question must have.
    """
    try:
        cell = msgspec.convert(tomllib.loads(text), _Cell)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{origin}: expected TOML, found {error}") from None
    except msgspec.ValidationError as error:
        raise DataError(f"{origin}: {error}; see docs/items.md for the keys") from None
    found = tuple(msgspec.structs.replace(t, answer_type=cell.answer_type, domain=cell.domain) for t in cell.template)
    for template in found:
        _check(template, origin, languages)
    return found


@cache
def bundled_templates() -> tuple[Template, ...]:
    """The templates that come with covary, sorted by file and place in the file."""
    folder = resources.files("covary.items").joinpath("templates")
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".toml")), key=lambda entry: entry.name)
    return tuple(t for entry in files for t in read_templates(entry.read_text("utf-8"), entry.name))


def step_wordings() -> dict[str, dict[str, tuple[str, ...]]]:
    """Sentence of each step by key and language; the first is the usual one, the others say the same in other words."""
    return load_wordings("steps")


@cache
def load_wordings(name: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """One file of `wordings/` as key → language → sentences."""
    text = resources.files("covary.items").joinpath("wordings", f"{name}.toml").read_text("utf-8")
    table: dict[str, dict[str, Any]] = tomllib.loads(text)
    return {key: {code: _several(said) for code, said in entry.items()} for key, entry in table.items()}


def _several(said: str | list[str]) -> tuple[str, ...]:
    return (said,) if isinstance(said, str) else tuple(said)


def _check(template: Template, origin: str, languages: tuple[str, ...]) -> None:
    where = f"{origin}: template {template.id!r}"
    if template.answer_type not in ANSWER_TYPES:
        raise DataError(
            f"{where}: answer_type must be one of {', '.join(ANSWER_TYPES)}, found {template.answer_type!r}"
        )
    for name, declared in template.draw.items():
        if not isinstance(declared, Choices) and len(declared) not in (2, 3):
            raise DataError(f"{where}: draw.{name} must be [low, high], [low, high, step] or {{ of = [...] }}")
    if missing := [code for code in languages if code not in template.question]:
        raise DataError(f"{where}: the question lacks {', '.join(missing)}")
    if len(template.step) < MIN_STEPS:
        raise DataError(f"{where}: expected at least {MIN_STEPS} steps, found {len(template.step)}")
    for step in template.step:
        if step.say not in step_wordings():
            raise DataError(f"{where}: no wording {step.say!r} in wordings/steps.toml")
    for text in (*template.question.values(), *(step.show for step in template.step)):
        if unknown := set(UNIT.findall(text)) - load_wordings("units").keys():
            raise DataError(f"{where}: unit {sorted(unknown)[0]!r} is not in wordings/units.toml")
    _check_names(template, where)


def _check_names(template: Template, where: str) -> None:
    """Every name is drawn or derived before it is used, in expressions and in texts."""
    known = set(template.draw)
    try:
        known = _derive(template.let, known, where)
        for condition in template.where:
            _known(arithmetic.names(condition), known, where)
        for text in template.question.values():
            _known(_shown(text), known, where)
        for step in template.step:
            known = _derive(step.let, known, where)
            wrong = step.wrong or WrongRule("")
            for text in (step.show, step.rule or "", wrong.rule, wrong.show or ""):
                _known(_shown(text), known, where)
            _known(arithmetic.names(wrong.value or "0"), known, where)
        _known(_shown(template.target), known, where)
        for expression in template.bind.values():
            _known(arithmetic.names(expression), known, where)
    except UsageError as error:
        raise error if isinstance(error, DataError) else DataError(f"{where}: {error}") from None


def _derive(let: dict[str, str], known: set[str], where: str) -> set[str]:
    for name, expression in let.items():
        if name in known:
            raise DataError(f"{where}: {name!r} is drawn or derived twice")
        _known(arithmetic.names(expression), known, where)
        known = known | {name}
    return known


def _shown(text: str) -> set[str]:
    return {name for name, _ in PLACEHOLDER.findall(text)}


def _known(used: set[str], known: set[str], where: str) -> None:
    if unknown := sorted(used - known):
        raise DataError(f"{where}: {unknown[0]!r} is used before it is drawn or derived")
