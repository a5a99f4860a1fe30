"""Multiple choice: the letter, the option's text, or its value. Never the last letter of a word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from covary.mathematics.equivalence import equivalent
from covary.mathematics.verdict import Prover
from covary.scoring.case import Case, Judgement
from covary.scoring.extract import Extraction, extract

LETTERS = "ABCDEFGHIJ"
LOCAL_LETTERS: Mapping[str, str] = {
    **dict(zip("কখগঘঙ", "ABCDE", strict=True)),
    **dict(zip("АБВГД", "ABCDE", strict=True)),
}
_LETTER = r"([A-J]|[কখগঘঙ]|[АБВГД])"
_END = r"(?![\w\u0900-\u0dff’'^])"
_WORD = (
    r"(?:options?|choices?|answer(?:\s+is)?|letter|বিকল্প|অপশন|উত্তর|choix|option|r[ée]ponse|vaihtoehto|vastaus|seçenek|şık|cevap|"
    r"variantas|atsakymas|нұсқа|жауап)"
)
_ALONE = re.compile(rf"^\W*{_LETTER}\W*$")
_ALONE_SMALL = re.compile(r"^[\s*_($]*([a-j])[\s*_).:$]*$")
_LED = re.compile(rf"^[\s*_(\[$#]*(?:{_WORD}[\s*_:(]*)?{_LETTER}[*_]{{0,2}}\s*[.)::\]–—](?=\s|\*|$|\\|\$|[^\W_])", re.I)
_NAMED = re.compile(rf"{_WORD}[\s*_:($]{{0,6}}{_LETTER}{_END}", re.I)
_BRACKETED = re.compile(rf"(?<![\w\\])\({_LETTER}\)")
RULES = (
    ("letter", _ALONE),
    ("letter", _ALONE_SMALL),
    ("letter before its text", _LED),
    ("letter named", _NAMED),
    ("letter in brackets", _BRACKETED),
)


class MultipleChoice:
    """Value 1 where the chosen option is the key, 0 where it is another, null where no option was chosen."""

    name = "mcq"
    version = 1

    def __init__(self, prover: Prover | None = None) -> None:
        self._prover = prover

    def __call__(self, case: Case) -> Judgement:
        if case.target is None:
            return Judgement(None, None, "no target")
        found, choice = read(case.text, case.options, case.language, case.status, case.prompt, self._prover)
        if found.answer is None:
            return Judgement(None, None, f"no answer: {found.note}")
        if choice.letter is None:
            return Judgement(found.answer, None, choice.rule)
        detail = {"rule": choice.rule, "extracted_by": found.rule, "note": found.note, "text": found.answer}
        value = float(choice.letter == case.target.strip().upper())
        return Judgement(choice.letter, value, f"{choice.rule}: {choice.letter}", detail)


class Choice(NamedTuple):
    """The option that an answer names (None: none, or more than one), and the rule that found it or why it found none."""

    letter: str | None
    rule: str


def read(
    text: str | None,
    options: tuple[str, ...],
    language: str,
    status: str = "ok",
    prompt: str | None = None,
    prover: Prover | None = None,
) -> tuple[Extraction, Choice]:
    """The extraction of a response and the option that it chose."""
    found = extract(text, status=status, prompt=prompt)
    if found.answer is None:
        return found, Choice(None, found.note)
    return found, choose(found.answer, options, language, prover)


def choose(answer: str, options: tuple[str, ...], language: str, prover: Prover | None = None) -> Choice:
    """The option that an answer names by its letter, its text or its value, in this order."""
    known = LETTERS[: len(options)] if options else LETTERS
    for rule, pattern in RULES:
        letters = {_latin(letter) for letter in pattern.findall(answer)}
        if len(letters) == 1:
            letter = letters.pop()
            return Choice(letter, rule) if letter in known else Choice(None, f"{letter} is no option")
        if len(letters) > 1:
            return Choice(None, f"several options named: {', '.join(sorted(letters))}")
    same = [letter for letter, text in zip(known, options, strict=False) if _bare(text) == _bare(answer)]
    if len(same) == 1:
        return Choice(same[0], "option text")
    equal = [
        letter
        for letter, text in zip(known, options, strict=False)
        if equivalent(answer, text, language=language, prover=prover).verdict == "equal"
    ]
    if len(equal) == 1:
        return Choice(equal[0], "option value")
    return Choice(None, "several options have this value" if equal else "no option has this text or value")


def try_rows(rows: Iterable[Mapping[str, Any]], prover: Prover | None = None) -> Iterator[dict[str, Any]]:
    """Rows {id, text, options?, language?} → {id, letter, rule}. One result a row."""
    for row in rows:
        text = row.get("text")
        if not isinstance(text, str):
            yield {"id": row.get("id"), "letter": None, "rule": str(row.get("error") or "no text")}
            continue
        listed = row.get("options")
        options = tuple(str(option) for option in cast("list[Any]", listed)) if isinstance(listed, list) else ()
        _, choice = read(text, options, str(row.get("language") or "en"), prover=prover)
        yield {"id": row.get("id"), "letter": choice.letter, "rule": choice.rule}


def _latin(letter: str) -> str:
    return LOCAL_LETTERS.get(letter, letter).upper()


def _bare(text: str) -> str:
    return re.sub(r"[\s$\\,.;:]+", "", text).casefold()
