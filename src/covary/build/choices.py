"""Multiple-choice items from open ones, by rule: the same options in the same order in every language.

Each option is the key with one thing changed (see `choices_pools`), and is kept only where the equivalence checker says
that it is not the key, in every language, and not another option. An item with too few such options is flagged, never padded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import msgspec
import polars as pl

from covary import schema
from covary.build.choices_notation import Notation, changed, notation
from covary.build.choices_pools import POOLS, Candidate, Pool, candidates, differs_by
from covary.digest import Draw
from covary.errors import DataError, UsageError
from covary.items.draw import canonical
from covary.items.variants import identity, parse_variant
from covary.lint.options import value
from covary.mathematics.equivalence import equivalent
from covary.mathematics.verdict import Prover

VERSION = 1
LETTERS = "ABCDEFGHIJ"
TYPES = ("Numerical", "Symbolic")  # a proof has no options
FLAGS = {"item_id": pl.String(), "source_id": pl.String(), "language": pl.String(), "reason": pl.String()}


@dataclass(frozen=True)
class Weights:
    """Shares in which options are drawn from the pools; they add up to 1."""

    calculation: float = 0.4
    concept: float = 0.3
    plausible: float = 0.3

    def __post_init__(self) -> None:
        shares = list(asdict(self).values())
        if min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
            raise UsageError(f"weights: expected three shares from 0 that add up to 1, found {shares}")

    @classmethod
    def parse(cls, text: str) -> Weights:
        """Weights from "0.4,0.3,0.3": calculation, concept, plausible."""
        try:
            calculation, concept, plausible = (float(word) for word in text.split(","))
        except ValueError:
            raise UsageError(
                f"weights: expected calculation,concept,plausible such as 0.4,0.3,0.3, found {text!r}"
            ) from None
        return cls(calculation, concept, plausible)


class Built(NamedTuple):
    """Items made (schema.ITEMS) and items left out, each with its reason (item_id, source_id, language, reason)."""

    items: pl.DataFrame
    flagged: pl.DataFrame


class Option(NamedTuple):
    """One wrong option: where it comes from, and its text in every language."""

    pool: str
    kind: str
    texts: Mapping[str, str]


def build_choices(
    items: pl.DataFrame,
    *,
    k: int = 3,
    weights: Weights | None = None,
    tau: float = 0.01,
    seed: int = 0,
    prover: Prover | None = None,
    given: Mapping[str, Sequence[Candidate]] | None = None,
) -> Built:
    """Items of format "mcq" with k wrong options each, and what was left out and why.

    given: candidates by source_id, from a model (`choices_model`), in place of those made by rule.

    The open Numerical and Symbolic items are taken; others are passed over. meta: exact_answer, correct_letter, distractors
    (letter → pool and kind). Raises UsageError for a k outside 1 to 9 or a negative tau, DataError for an empty table.
    """
    if not 1 <= k <= len(LETTERS) - 1:
        raise UsageError(f"choices: expected 1 to {len(LETTERS) - 1} wrong options, found {k}")
    if tau < 0:
        raise UsageError(f"choices: expected a tau of at least 0, found {tau}")
    weighed = weights or Weights()
    rows: list[dict[str, Any]] = []
    flags: list[dict[str, str]] = []
    for source, forms in sources_of(items):
        kept, refused = aligned(forms)
        flags += refused
        if not kept:
            continue
        pool = _by_rule(kept[0]) if given is None else given.get(source, ())
        drawn = _drawn(source, kept, pool, k, weighed, tau, seed, prover)
        if len(drawn) < k:
            reason = f"only {len(drawn)} of {k} wrong options could be made"
            flags += [flag(form, reason) for form in kept]
            continue
        made = {
            "by": "covary choices",
            "version": VERSION,
            "k": k,
            "tau": tau,
            "seed": seed,
            "weights": asdict(weighed),
        }
        rows += mcq_rows(source, kept, drawn, seed, made)
    return Built(schema.ITEMS.from_rows(rows), pl.DataFrame(flags, schema=FLAGS))


def sources_of(items: pl.DataFrame) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Source items with their forms that may get options."""
    if items.is_empty():
        raise DataError("choices: expected at least one item, found none")
    wanted = items.filter(
        pl.col("answer_type").is_in(TYPES) & (pl.col("format") == "open") & pl.col("target").is_not_null()
    )
    if wanted.is_empty():
        raise DataError("choices: no open Numerical or Symbolic item among the items; options need one")
    for (source,), forms in wanted.group_by("source_id", maintain_order=True):
        yield str(source), forms.to_dicts()


def aligned(forms: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """The forms whose targets have the places of the reference form (English, else the first), and flags for the rest."""
    reference = next((form for form in forms if form["language"] == "en"), forms[0])
    said = [place.said for place in notation(str(reference["target"]), reference["language"]).places]
    if not said:
        return [], [flag(form, "the target holds no number, sign or interval that could be changed") for form in forms]
    kept = [reference]
    refused: list[dict[str, str]] = []
    for form in forms:
        if form is reference:
            continue
        own = [place.said for place in notation(str(form["target"]), form["language"]).places]
        if own == said:
            kept.append(form)
        else:
            refused.append(flag(form, f"the target's numbers are not those of the {reference['language']} form"))
    return kept, refused


def flag(form: Mapping[str, Any], reason: str) -> dict[str, str]:
    """One row of what was left out."""
    return {**{name: form[name] for name in ("item_id", "source_id", "language")}, "reason": reason}


def mcq_rows(
    source: str, forms: Sequence[Mapping[str, Any]], options: Sequence[Option], seed: int, made: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """The items of one source item, a form each, options in one drawn order."""
    order = Draw(seed, "choices", source, "order").shuffled(range(len(options) + 1))
    key = order.index(0)
    for form in forms:
        texts = [str(form["target"]), *(option.texts[form["language"]] for option in options)]
        variant = {**parse_variant(form["variant"]), "format": "mcq"}
        kinds = {
            LETTERS[at]: {"pool": options[number - 1].pool, "kind": options[number - 1].kind}
            for at, number in enumerate(order)
            if number
        }
        meta = msgspec.json.decode(form["meta"])
        meta |= {"exact_answer": form["target"], "correct_letter": LETTERS[key], "distractors": kinds}
        provenance = {**msgspec.json.decode(form["provenance"]), "choices": {**made, "from": form["item_id"]}}
        yield {
            **{name: form[name] for name in schema.ITEMS.schema},
            **identity(source, variant)._asdict(),
            "format": "mcq",
            "options": [texts[number] for number in order],
            "target": LETTERS[key],
            "meta": canonical(meta),
            "provenance": canonical(provenance),
        }


def _by_rule(form: Mapping[str, Any]) -> list[Candidate]:
    language = form["language"]
    target = notation(str(form["target"]), language)
    return candidates(target, language, str(form["question"]), str(form["solution"] or ""), form["domain"])


def _drawn(
    source: str,
    forms: Sequence[Mapping[str, Any]],
    found: Sequence[Candidate],
    k: int,
    weights: Weights,
    tau: float,
    seed: int,
    prover: Prover | None,
) -> list[Option]:
    """Up to k options, drawn by the weights: a pool, then a kind of it, then one of that kind. Each is checked when drawn."""
    reference = forms[0]
    targets = {form["language"]: notation(str(form["target"]), form["language"]) for form in forms}
    own = targets[reference["language"]]
    left: dict[Pool, dict[str, list[Candidate]]] = {pool: {} for pool in POOLS}
    for candidate in found:
        if differs_by(candidate, own, tau):
            left[candidate.pool].setdefault(candidate.kind, []).append(candidate)
    rng = Draw(seed, "choices", source)
    drawn: list[Option] = []
    while len(drawn) < k and any(left.values()):
        candidate = _draw(left, weights, rng)
        texts = _texts(candidate, targets)
        if texts is None or _near(texts, forms[0], tau) or not _fits(texts, forms, drawn, prover):
            continue
        drawn.append(Option(candidate.pool, candidate.kind, texts))
        if len(left[candidate.pool]) > 1:
            left[candidate.pool].pop(candidate.kind, None)
    return drawn


def _draw(left: dict[Pool, dict[str, list[Candidate]]], weights: Weights, rng: Draw) -> Candidate:
    shares: dict[Pool, float] = {pool: getattr(weights, pool) for pool in POOLS if left[pool]}
    total = sum(shares.values())
    at = rng.fraction() * total
    pool = next(iter(shares))
    for name, share in shares.items():
        pool = name
        at -= share
        if at < 0:
            break
    kind = rng.choice(sorted(left[pool]))
    chosen = left[pool][kind].pop(rng.integer(0, len(left[pool][kind]) - 1))
    if not left[pool][kind]:
        del left[pool][kind]
    return chosen


def _texts(candidate: Candidate, targets: Mapping[str, Notation]) -> dict[str, str] | None:
    texts = {language: changed(target, candidate.changes) for language, target in targets.items()}
    return None if None in texts.values() else {language: text for language, text in texts.items() if text is not None}


def _near(texts: Mapping[str, str], form: Mapping[str, Any], tau: float) -> bool:
    """Whether an option's whole value is within tau of the key's, as of 8.31·10⁻² and 8·10⁻². Unknown values are not near."""
    mine, key = (value(text, form["language"]) for text in (texts[form["language"]], str(form["target"])))
    return (
        mine is not None
        and key is not None
        and mine.unit == key.unit
        and abs(mine.number - key.number) <= Fraction(tau)
    )


def _fits(
    texts: Mapping[str, str], forms: Sequence[Mapping[str, Any]], drawn: Sequence[Option], prover: Prover | None
) -> bool:
    """Whether an option is surely wrong and surely unlike every other, in every language."""
    return all(
        surely_differs(texts[form["language"]], other, form, prover)
        for form in forms
        for other in (str(form["target"]), *(option.texts[form["language"]] for option in drawn))
    )


def surely_differs(text: str, other: str, form: Mapping[str, Any], prover: Prover | None) -> bool:
    """Whether the checker says that two options of a form have other values; what it can't decide does not pass."""
    verdict = equivalent(text, other, language=form["language"], answer_type=form["answer_type"], prover=prover)
    return verdict.verdict == "not_equal"
