"""Rules on solutions to be checked: nothing but the declared error tells the faulty from the clean."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from covary.items.languages import language
from covary.lint.characters import escape_damage
from covary.lint.masking import digit_runs, last_line, prose
from covary.lint.row import Fault, Row, around
from covary.mathematics.glyphs import tidy

_META = re.compile(
    r"\((?:[^()]*\b)?(?:step omission|incorrect rule|logical fallacy|faulty caus|over-?generali[sz]|this is (?:incorrect|wrong))[^()]*\)|"
    r"\b(?:step omission|logical fallacy|faulty caus\w+|over-?generali[sz]ation|deliberate(?:ly)?|injected|erroneous\w*|"
    r"incorrect(?:ly)? (?:appl\w+|assum\w+|simplif\w+|rule|stat\w+)|(?:this|which|it) is (?:clearly )?(?:incorrect|wrong)|"
    r"must be (?:incorrect|wrong)|was wrong|simplified incorrectly|introduc\w+ an error|the (?:error|mistake)s? (?:is|are|here)|wrong solution|"
    r"flawed|fallacy)\b|ভুলভাবে|ভুল সূত্র|ভুল কারণ|ইচ্ছাকৃত|অতি-?সাধারণীকরণ|যৌক্তিক ভ্রান্তি|ধাপ বাদ",
    re.IGNORECASE,
)
_TRAILING = re.compile(r"[\s$.।,;:*]+")
_THEREFORE = re.compile(r"^[\s$]*(?:\\therefore(?![a-z])|∴)")
_LATIN = re.compile(r"[A-Za-z]{3,}")
_LETTER = re.compile(r"[^\W\d_]")
ARTEFACT_GAP = 0.2
LEAST_OF_EACH = 10
_FEATURES: dict[str, Callable[[Row], bool]] = {
    "damaged LaTeX": lambda row: any(fault.field == "solution" for fault in escape_damage(row)),
    "a note in brackets": lambda row: re.search(r"\([^()$\\=]{25,}\)", row.solution) is not None,
    "bold print": lambda row: "**" in row.solution,
    "one line only": lambda row: "\n" not in row.solution.strip(),
    "an odd dollar sign": lambda row: row.solution.replace("\\$", "").count("$") % 2 == 1,
}


def _shown(row: Row) -> bool:
    return row.format == "solution"


def ends_with_answer(row: Row) -> Iterator[Fault]:
    """last-line: a solution whose last line isn't the answer (blanks, dollar signs, ∴ and damaged LaTeX don't count).
    last-line-strict (note): one whose last line isn't the answer to the letter."""
    if not _shown(row) or not row.answer or row.meta.get("final_answer") == "wrong":
        return
    if last_line(row.solution) == row.answer.strip():
        return
    line = last_line(tidy(row.solution).text)
    if _bare(line) != _bare(row.answer):
        yield row.fault(
            "last-line",
            "warning",
            "solution",
            line,
            f"the answer alone: {row.answer.strip()}",
            "end with the answer on its own line",
        )
    else:
        yield row.fault("last-line-strict", "note", "solution", line, row.answer.strip(), "write it to the letter")


def _bare(text: str) -> str:
    return _TRAILING.sub("", _THEREFORE.sub("", tidy(text).text))


def no_meta_words(row: Row) -> Iterator[Fault]:
    """meta-words: words that speak of the error in the solution that hides it."""
    if _shown(row) and (found := _META.search(row.solution)):
        yield row.fault(
            "meta-words",
            "error",
            "solution",
            around(row.solution, found),
            "the tone of the clean solution",
            "reword it",
        )


def differs(row: Row) -> Iterator[Fault]:
    """unchanged: a faulty solution equal to the clean one."""
    true = row.meta.get("true_solution")
    if not (_shown(row) and row.meta.get("faulty") and isinstance(true, str)):
        return
    if true == row.solution or (digit_runs(true) == digit_runs(row.solution) and _bare(true) == _bare(row.solution)):
        yield row.fault(
            "unchanged", "error", "solution", row.solution, "another solution than the clean one", "perturb it anew"
        )


def described_in_its_language(row: Row) -> Iterator[Fault]:
    """description-language: an error description in another script than the language's."""
    told = row.meta.get("error_description")
    if not _shown(row) or not isinstance(told, str) or language(row.language).script == "Latn":
        return
    words = prose(told)
    letters = _LETTER.findall(words)
    latin = sum(map(len, _LATIN.findall(words)))
    if letters and latin > 0.5 * len(letters):
        yield row.fault(
            "description-language",
            "warning",
            "error_description",
            told,
            f"a description in {language(row.language).name}",
            "translate it",
        )


def artefacts(rows: Sequence[Row]) -> Iterator[Fault]:
    """no-clean-controls (note): faulty solutions only. artefact: a surface feature that faulty solutions have far more, or
    far less, often than clean ones (the originals where no controls are there)."""
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if _shown(row):
            groups[row.language].append(row)
    for code, group in sorted(groups.items()):
        faulty = [
            row
            for row in group
            if row.perturbation and not row.perturbation.startswith(("clean", "paraphrase", "true-"))
        ]
        clean = [row for row in group if row not in faulty] if len(faulty) < len(group) else []
        variant = faulty[0].variant if faulty else ""
        if faulty and not clean:
            yield Fault(
                "no-clean-controls",
                "note",
                "",
                variant,
                f"{len(faulty)} faulty solutions in {code}",
                "clean solutions beside them",
                "add some",
                "",
                "solution",
            )
            clean = [_original(row) for row in faulty if isinstance(row.meta.get("true_solution"), str)]
        if len(faulty) < LEAST_OF_EACH or len(clean) < LEAST_OF_EACH:
            continue
        for name, feature in _FEATURES.items():
            here, there = (sum(map(feature, side)) / len(side) for side in (faulty, clean))
            if abs(here - there) > ARTEFACT_GAP:
                span = f"{name}: {here:.0%} of faulty, {there:.0%} of clean ({code})"
                yield Fault(
                    "artefact",
                    "error",
                    "",
                    variant,
                    span,
                    "the same share on both sides",
                    "make them alike",
                    "",
                    "solution",
                )


def _original(row: Row) -> Row:
    return Row(
        row.source_id, row.item_id, row.variant, row.language, row.format, None, row.question, str(row.meta["true_solution"]),
        row.options, row.target, row.answer_type, {},
    )  # fmt: skip
