"""Multiple choice: the letter, the option's text, or its value. Never the last letter of a word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from covary.mathematics.equivalence import equivalent
from covary.mathematics.verdict import Prover
from covary.scoring.case import Case, Judgement
from covary.scoring.extract import extract

LETTERS = "ABCDEFGHIJ"
LOCAL_LETTERS: Mapping[str, str] = {
    **dict(zip("কখগঘঙ", "ABCDE", strict=True)),
    **dict(zip("АБВГД", "ABCDE", strict=True)),
}
_ALONE = re.compile(r"^\W*([A-Ja-j]|[কখগঘঙ]|[АБВГД])\W*$")
_LED = re.compile(
    r"^\W*(?:option|choice|বিকল্প|choix|vaihtoehto|seçenek|variantas|нұсқа)?\W*([A-J]|[কখগঘঙ])\s*[.)::\]]", re.I
)
_NAMED = re.compile(r"(?:option|choice|answer(?:\s+is)?|বিকল্প|উত্তর)\W{0,4}([A-J]|[কখগঘঙ])(?![\w’'])", re.I)


class MultipleChoice:
    """Value 1 where the chosen option is the key, 0 where it is another, null where no option was chosen."""

    name = "mcq"
    version = 1

    def __init__(self, prover: Prover | None = None) -> None:
        self._prover = prover

    def __call__(self, case: Case) -> Judgement:
        if case.target is None:
            return Judgement(None, None, "no target")
        found = extract(case.text, status=case.status, prompt=case.prompt)
        if found.answer is None:
            return Judgement(None, None, f"no answer: {found.note}")
        letter, rule = choose(found.answer, case.options, case.language, self._prover)
        if letter is None:
            return Judgement(found.answer, None, rule)
        detail = {"rule": rule, "extracted_by": found.rule, "note": found.note}
        return Judgement(letter, float(letter == case.target.strip().upper()), f"{rule}: {letter}", detail)


def choose(
    answer: str, options: tuple[str, ...], language: str, prover: Prover | None = None
) -> tuple[str | None, str]:
    """(letter, rule) of the option that an answer names; (None, why) where none, or more than one, is named."""
    known = LETTERS[: len(options)] if options else LETTERS
    for rule, pattern in (("letter", _ALONE), ("letter before its text", _LED), ("letter named", _NAMED)):
        letters = {_latin(match) for match in pattern.findall(answer)}
        if len(letters) == 1:
            letter = letters.pop()
            return (letter, rule) if letter in known else (None, f"{letter} is no option")
        if len(letters) > 1:
            return None, f"several options named: {', '.join(sorted(letters))}"
    same = [letter for letter, text in zip(known, options, strict=False) if _bare(text) == _bare(answer)]
    if len(same) == 1:
        return same[0], "option text"
    equal = [
        letter
        for letter, text in zip(known, options, strict=False)
        if equivalent(answer, text, language=language, prover=prover).verdict == "equal"
    ]
    if len(equal) == 1:
        return equal[0], "option value"
    return None, "several options have this value" if equal else "no option has this text or value"


def try_rows(rows: Iterable[Mapping[str, Any]], prover: Prover | None = None) -> Iterator[dict[str, Any]]:
    """Rows {id, text, options?, language?} → {id, letter, rule}. One result a row."""
    for row in rows:
        text = row.get("text")
        found = extract(text) if isinstance(text, str) else None
        if found is None or found.answer is None:
            yield {
                "id": row.get("id"),
                "letter": None,
                "rule": found.note if found else str(row.get("error") or "no text"),
            }
            continue
        options = tuple(str(option) for option in row.get("options") or ())
        letter, rule = choose(found.answer, options, str(row.get("language") or "en"), prover)
        yield {"id": row.get("id"), "letter": letter, "rule": rule}


def _latin(letter: str) -> str:
    return LOCAL_LETTERS.get(letter, letter).upper()


def _bare(text: str) -> str:
    return re.sub(r"[\s$\\,.;:]+", "", text).casefold()
