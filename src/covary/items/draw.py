"""Parallel items drawn from templates: as many as wanted, the same for the same seed on every machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from covary import digest, schema
from covary.errors import UsageError
from covary.items import arithmetic, render
from covary.items.languages import Language, language
from covary.items.render import Drawn
from covary.items.template import Template, bundled_templates
from covary.items.variants import identity

SOURCE = "covary bundled templates"
LICENCE = "Apache-2.0"
ATTEMPTS_PER_ITEM = 2000


def draw(
    seed: int,
    per_template: int,
    languages: Sequence[str],
    templates: Sequence[Template] | None = None,
) -> pl.DataFrame:
    """Items (schema.ITEMS, format "open"): `per_template` distinct problems of each template, in every language.

    templates: those to draw from; None: the bundled ones. A problem's source_id is the digest of its template and
    parameters, so that a problem keeps its id whichever seed finds it; the first k problems of a seed do not depend on
    how many are drawn. Raises UsageError for an unknown language, a language that a template lacks, a number below 1, or
    a template that can't give that many distinct problems.
    """
    if per_template < 1:
        raise UsageError(f"draw: expected at least 1 item per template, found {per_template}")
    spoken = [language(word) for word in dict.fromkeys(languages)]
    if not spoken:
        raise UsageError("draw: expected at least one language, found none")
    chosen = bundled_templates() if templates is None else templates
    return schema.ITEMS.from_rows(
        item_row(drawn, entry, seed)
        for template in chosen
        for drawn in distinct_draws(template, seed, per_template)
        for entry in spoken
    )


def distinct_draws(template: Template, seed: int, count: int) -> Iterator[Drawn]:
    """`count` draws of a template that keep its conditions and differ in their parameters, in the seed's order."""
    rng = digest.Draw(seed, "items", template.id, template.version)
    seen: set[tuple[int, ...]] = set()
    for _ in range(count):
        for _ in range(ATTEMPTS_PER_ITEM):
            parameters = {name: rng.choice(template.choices(name)) for name in template.draw}
            key = tuple(parameters.values())
            if key not in seen and keeps_conditions(template, parameters):
                seen.add(key)
                yield render.derived(template, parameters)
                break
        else:
            raise UsageError(
                f"draw: template {template.id!r} gave only {len(seen)} distinct problems, {count} were asked for; "
                "ask for fewer or widen its parameters"
            )


def keeps_conditions(template: Template, parameters: dict[str, int]) -> bool:
    """Whether drawn parameters meet every condition of the template."""
    values = {name: arithmetic.Fraction(drawn) for name, drawn in parameters.items()}
    for name, expression in template.let.items():
        values[name] = arithmetic.value(expression, values)
    return all(arithmetic.holds(condition, values) for condition in template.where)


def source_id(drawn: Drawn) -> str:
    """The id that all forms of a drawn problem share: the template's id and a digest of the parameters."""
    content = {"version": drawn.template.version, "parameters": drawn.parameters}
    return f"{drawn.template.id}-{digest.digest(content)[:10]}"


def item_row(drawn: Drawn, spoken: Language, seed: int) -> dict[str, Any]:
    """One items row: a drawn problem in one language, with its worked solution (last line: the target)."""
    if spoken.code not in drawn.template.question:
        raise UsageError(
            f"draw: template {drawn.template.id!r} has no question in {spoken.name} ({spoken.code}); "
            f"it has {', '.join(sorted(drawn.template.question))}"
        )
    shared = identity(source_id(drawn), {"language": spoken.code})
    lines = render.steps(drawn, spoken)
    target = render.target(drawn, spoken)
    return {
        **shared._asdict(),
        "language": spoken.code,
        "format": "open",
        "question": render.question(drawn, spoken),
        "solution": "\n".join([*lines, target]),
        "target": target,
        "answer_type": drawn.template.answer_type,
        "domain": drawn.template.domain,
        "meta": canonical(meta(drawn) | {"steps": lines}),
        "provenance": canonical(provenance(spoken, seed)),
    }


def meta(drawn: Drawn) -> dict[str, Any]:
    """What an item says of its template: id, version, parameters, and the answer in ASCII digits with a decimal point."""
    return {
        "template": drawn.template.id,
        "template_version": drawn.template.version,
        "parameters": drawn.parameters,
        "answer": render.target(drawn, language("en")),
    }


def provenance(spoken: Language, seed: int) -> dict[str, Any]:
    """Where a drawn item comes from, and whether a native reader has reviewed its language."""
    review = "native reader" if spoken.native_review else "none by a native reader"
    return {"source": SOURCE, "licence": LICENCE, "seed": seed, "review": review}


def canonical(value: Any) -> str:
    """Canonical JSON text."""
    return digest.canonical_json(value).decode()
