"""Rules on labels: what a row says of itself, against what it is and what its other forms say."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from covary.errors import UsageError
from covary.items.languages import language
from covary.lint.formulas import core
from covary.lint.masking import ascii_digits, formulas, squeezed
from covary.lint.reference import reference
from covary.lint.row import Fault, Row

LEAST_SIGNS = 8
LEAST_FORMULA = 4
_WORDED = re.compile(r"(?<![\\A-Za-z])[^\W\d_]{4,}")
_OPERATION = re.compile(r"[=+^<>]|\\frac|\\sqrt|\\log|\\times|\\cap|\\cup|\\(?:sin|cos|tan)")
SAME_FORMULAS = 0.3
SAME_ATOMS = 0.8
_NUMBERED = ("chapter", "example")
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")


def labels(row: Row) -> Iterator[Fault]:
    """label-language: a language label that isn't the language's name. label-script: a chapter or example in digits of
    another script than the set's keys. label-blanks: an answer type with stray blanks."""
    told = row.meta.get("language_label")
    if (
        isinstance(told, str)
        and told != language(row.language).name
        and not (row.language == "bn" and told == "Bangla")
    ):
        wrong = _code(told) != row.language
        name = "Bangla" if row.language == "bn" else language(row.language).name
        advice = "find out which language it is" if wrong else "spell the label alike"
        yield row.fault("label-language", "warning", "language_label", told, name, advice)
    for name in _NUMBERED:
        value = str(row.meta.get(name, ""))
        if _OTHER_DIGIT.search(value):
            yield row.fault("label-script", "warning", name, value, ascii_digits(value), "write keys in ASCII digits")
    kind = row.meta.get("answer_type_label")
    if isinstance(kind, str) and kind != kind.strip():
        yield row.fault("label-blanks", "warning", "answer_type", repr(kind), kind.strip(), "cut the blanks")


def _code(word: str) -> str:
    try:
        return language(word).code
    except UsageError:
        return ""


def key_collision(rows: Sequence[Row]) -> Iterator[Fault]:
    """key-collision: two problems of one language and format under one chapter and example."""
    seen: dict[tuple[str, ...], Row] = {}
    for row in rows:
        if not all(row.meta.get(name) for name in _NUMBERED):
            continue
        key = (row.variant, *(ascii_digits(str(row.meta[name])) for name in _NUMBERED))
        first = seen.setdefault(key, row)
        if first.source_id != row.source_id:
            span = f"chapter {key[-2]}, example {key[-1]}"
            yield row.fault(
                "key-collision", "error", "example", span, f"a key that {first.source_id} has not", "number anew"
            )


def same_labels(forms: Sequence[Row]) -> Iterator[Fault]:
    """labels-differ: forms of one problem with other answer types, chapters or examples."""
    about = reference(forms)
    if about is None:
        return
    for row in forms:
        if row.answer_type != about.answer_type and row.format == about.format:
            yield row.fault(
                "labels-differ", "error", "answer_type", row.answer_type, about.answer_type, "label them alike"
            )
        for name in _NUMBERED:
            ours, theirs = (ascii_digits(str(form.meta.get(name, ""))) for form in (row, about))
            if ours and theirs and ours != theirs:
                yield row.fault("labels-differ", "error", name, ours, theirs, "label them alike")


def same_problem(forms: Sequence[Row]) -> Iterator[Fault]:
    """other-problem: a form whose formulas share next to nothing with the reference form's, in signs, letters and numbers."""
    about = reference(forms)
    if about is None or about.format == "conversation" or _odd(about.question):
        return
    theirs = _mathematics(about.question)
    if len(theirs) < LEAST_SIGNS:
        return
    for row in forms:
        ours = _mathematics(row.question)
        if row is about or _odd(row.question) or len(ours) < LEAST_SIGNS:
            continue
        if (
            _overlap(_pieces(ours), _pieces(theirs)) < SAME_FORMULAS
            and _overlap(_atoms(ours), _atoms(theirs)) < SAME_ATOMS
        ):
            yield row.fault(
                "other-problem",
                "error",
                "question",
                row.question,
                f"the problem of the {about.language} form: {about.question[:80]}",
                "pair the forms anew",
            )


def _odd(text: str) -> bool:
    return text.replace("\\$", "").count("$") % 2 == 1


def _mathematics(text: str) -> str:
    """The signs of the formulas that are more than a number or a name; nothing where one holds words (a dollar sign is lost)."""
    found = formulas(text)
    if any(_WORDED.search(formula) for formula in found):
        return ""
    return " ".join(
        core(formula) for formula in found if _OPERATION.search(formula) and len(core(formula)) >= LEAST_FORMULA
    )


def _pieces(signs: str) -> set[str]:
    return {signs[at : at + 3] for at in range(len(signs) - 2)}


def _atoms(signs: str) -> set[str]:
    return set(re.findall(r"\d+|[a-z]", signs))


def _overlap(left: set[str], right: set[str]) -> float:
    """Shared share of the smaller set."""
    return len(left & right) / max(1, min(len(left), len(right)))


def duplicates(rows: Sequence[Row]) -> Iterator[Fault]:
    """duplicate-question: the same question twice in one language and format. conflicting-targets: with other targets."""
    groups: defaultdict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row.format in ("open", "mcq") and not row.perturbation:
            groups[row.variant, " ".join(row.question.split()).casefold()].append(row)
    for group in groups.values():
        if len({row.source_id for row in group}) < 2:
            continue
        targets = {squeezed(row.answer) for row in group}
        names = ", ".join(row.source_id for row in group)
        for row in group:
            yield row.fault(
                "duplicate-question", "warning", "question", row.question, f"one row; found {names}", "keep one"
            )
            if len(targets) > 1:
                yield row.fault(
                    "conflicting-targets",
                    "error",
                    "target",
                    row.answer,
                    f"one target for {names}",
                    "ask for each part in its question",
                )
