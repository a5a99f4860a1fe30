"""The rules, one line each: how they read a set, what they need, and whom to ask."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from covary.lint import (
    characters,
    chatter,
    dates,
    formulas,
    labels,
    latex,
    marks,
    mixed,
    numbers,
    options,
    perturbed,
    targets,
)
from covary.lint.finding import Finding
from covary.lint.row import Row

Scope = Literal["row", "forms", "set"]
Kind = Literal["text", "equivalence", "language id", "culture"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A group of rule ids found by one function. scope: what it reads at a time (a row; the forms of one problem that have the
    same format; the whole set). kind: what its speed hangs on."""

    ids: tuple[str, ...]
    scope: Scope
    kind: Kind
    check: Callable[[Any], Iterable[Finding]]


def _untranslated(rows: Sequence[Row]) -> Iterable[Finding]:
    """Language id, loaded where it is used only."""
    from covary.lint.untranslated import untranslated

    return untranslated(rows)


RULES: tuple[Rule, ...] = (
    Rule(("escape-damage",), "row", "text", characters.escape_damage),
    Rule(("carriage-return", "tab"), "row", "text", characters.blanks),
    Rule(("replacement-character", "c1-control", "zero-width", "not-nfc"), "row", "text", characters.unicode),
    Rule(("mixed-digits",), "set", "text", characters.digit_scripts),
    Rule(("odd-dollars",), "row", "text", latex.dollars),
    Rule(("unbalanced-braces",), "row", "text", latex.braces),
    Rule(("list-scrap", "document-scrap", "unpaired-environment"), "row", "text", latex.environments),
    Rule(("markup", "byte-token"), "row", "text", latex.markup),
    Rule(("bare-latex",), "set", "text", latex.bare_targets),
    Rule(("label-language", "label-script", "label-blanks"), "row", "text", labels.labels),
    Rule(("decimal-comma", "decimal-mark", "comma-ambiguous"), "set", "text", marks.decimal_marks),
    Rule(("target-in-question", "bare-proof-target"), "row", "text", targets.proof_targets),
    Rule(("proof-not-asked", "proof-asked"), "row", "text", targets.type_and_wording),
    Rule(("absent-figure",), "row", "text", targets.self_contained),
    Rule(("several-parts",), "row", "text", targets.several_parts),
    Rule(("key-missing", "repeated-option"), "row", "text", options.key_exists),
    Rule(("dollar-give-away", "key-give-away", "fallback-distractor"), "row", "text", options.give_aways),
    Rule(("last-line", "last-line-strict"), "row", "text", perturbed.ends_with_answer),
    Rule(("meta-words",), "row", "text", perturbed.no_meta_words),
    Rule(("unchanged",), "row", "text", perturbed.differs),
    Rule(("description-language",), "row", "text", perturbed.described_in_its_language),
    Rule(("translator-chatter",), "forms", "text", chatter.chatter),
    Rule(("source-left", "source-words"), "forms", "text", chatter.source_left),
    Rule(("second-copy",), "forms", "text", chatter.second_copy),
    Rule(("numbers-differ", "target-numbers-differ", "number-restated"), "forms", "text", numbers.numbers_kept),
    Rule(("number-order",), "forms", "text", numbers.order_kept),
    Rule(("list-blank-lost",), "forms", "text", marks.lists_kept),
    Rule(("repeating-mark-lost", "repeating-mark-moved"), "forms", "text", marks.marks_kept),
    Rule(("decimal-mark-lost",), "forms", "text", marks.points_kept),
    Rule(("mixed-number-changed",), "forms", "text", mixed.mixed_kept),
    Rule(("date-differs",), "forms", "text", dates.dates_kept),
    Rule(("word-for-digit",), "forms", "text", numbers.words_for_digits),
    Rule(("formulas-differ",), "forms", "text", formulas.formulas_kept),
    Rule(("labels-differ",), "forms", "text", labels.same_labels),
    Rule(("other-problem",), "forms", "text", labels.same_problem),
    Rule(("options-differ",), "forms", "text", options.same_options),
    Rule(("key-collision",), "set", "text", labels.key_collision),
    Rule(("duplicate-question", "conflicting-targets"), "set", "text", labels.duplicates),
    Rule(("key-position",), "set", "text", options.key_balance),
    Rule(("no-clean-controls", "artefact"), "set", "text", perturbed.artefacts),
    Rule(("target-not-concluded",), "row", "equivalence", targets.concluded),
    Rule(
        ("key-wrong", "key-not-target", "second-right-option", "equal-in-value", "near-distractor", "near-values"),
        "row",
        "equivalence",
        options.key_is_right,
    ),
    Rule(("untranslated",), "set", "language id", _untranslated),
)
CULTURE_IDS = (
    *("cue-in-neutral", "given-away", "dialect", "several-cultures", "bg-ceiling", "unit-leak", "truncated"),
    *("unequal-levels", "missing-picture", "text-in-picture"),
)
ALL_IDS: tuple[str, ...] = (*(name for rule in RULES for name in rule.ids), *CULTURE_IDS)
