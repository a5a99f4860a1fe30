"""One-step problems in seven languages, for a first look at a tiny model: texts in `warmup.toml`, numbers drawn by seed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any

import polars as pl

from covary import digest, schema
from covary.errors import UsageError
from covary.items import arithmetic
from covary.items.draw import canonical, provenance
from covary.items.languages import Language, language
from covary.items.numerals import in_script
from covary.items.variants import identity

_SHOWN = re.compile(r"\{(\w)\}")


def warmup(seed: int, per_problem: int, languages: Sequence[str]) -> pl.DataFrame:
    """Items (schema.ITEMS, format "open"): `per_problem` draws of each problem, in every language; no worked solution."""
    if per_problem < 1:
        raise UsageError(f"warm-up: expected at least 1 draw of each problem, found {per_problem}")
    spoken = [language(word) for word in dict.fromkeys(languages)]
    return schema.ITEMS.from_rows(
        _row(problem, number, values, entry, seed)
        for problem in problems()
        for number, values in enumerate(_draws(problem, seed, per_problem))
        for entry in spoken
    )


@cache
def problems() -> tuple[dict[str, Any], ...]:
    """The problems as declared: id, draw, let, answer, and one text per language."""
    text = resources.files("covary.items").joinpath("warmup.toml").read_text("utf-8")
    return tuple(tomllib.loads(text)["problem"])


def _draws(problem: dict[str, Any], seed: int, count: int) -> Iterator[dict[str, Fraction]]:
    rng = digest.Draw(seed, "warm-up", problem["id"])
    for _ in range(count):
        values = {
            name: Fraction(rng.choice(range(low, high + 1, *step)))
            for name, (low, high, *step) in problem["draw"].items()
        }
        for name, expression in problem.get("let", {}).items():
            values[name] = arithmetic.value(expression, values)
        yield values


def _row(
    problem: dict[str, Any], number: int, values: dict[str, Fraction], spoken: Language, seed: int
) -> dict[str, Any]:
    if spoken.code not in problem:
        raise UsageError(f"warm-up: problem {problem['id']!r} has no text in {spoken.name} ({spoken.code})")
    answer = arithmetic.value(problem["answer"], values)
    named = identity(f"warm-up-{problem['id']}-{seed}-{number}", {"language": spoken.code})
    return {
        **named._asdict(),
        "language": spoken.code,
        "format": "open",
        "question": _SHOWN.sub(lambda found: in_script(str(values[found[1]]), spoken), problem[spoken.code]),
        "target": in_script(str(answer), spoken),
        "answer_type": "Numerical",
        "domain": "Warm-up",
        "meta": canonical(
            {"template": f"warm-up-{problem['id']}", "parameters": {key: str(v) for key, v in values.items()}}
        ),
        "provenance": canonical(provenance(spoken, seed)),
    }
