"""The languages of a trace, step by step: scripts first, then language identification among languages of one script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from covary.items.languages import language as facts_of
from covary.scoring import endings
from covary.scoring.language_scripts import LEAST_LETTERS, Word, masked, prose_words, word_count

if TYPE_CHECKING:
    from lingua import LanguageDetector

DECLARED = ("bn", "en", "fi", "fr", "kk", "lt", "tr")
"""Languages told apart by default; further ones are declared in the policy."""
OF_SCRIPT = {
    "Hani": "zh",
    "Kana": "ja",
    "Hang": "ko",
    "Thai": "th",
    "Grek": "el",
    "Hebr": "he",
    "Geor": "ka",
    "Armn": "hy",
}
"""Scripts that stand for one language; of others only the languages declared, and those that models drift into."""
DRIFT = {
    "Latn": ("es", "de", "pt", "it", "vi"),
    "Cyrl": ("ru",),
    "Arab": ("ar", "fa"),
    "Deva": ("hi",),
    "Beng": ("bn",),
}
USUAL = {"Arab": "ar", "Deva": "hi"}
"""The language taken for words of a script that are too few to tell."""
LEAST_WORDS = 3  # of one script in a step for its language to be told
LEAST_CONFIDENCE = (
    0.7  # of the identification of a step, among the declared languages; below it the step goes on as the one before
)
LEAST_LETTERS_SHORT = 8  # of a step with fewer words, which then need LEAST_CONFIDENCE_SHORT
LEAST_CONFIDENCE_SHORT = 0.9
LEAST_CONFIDENCE_UNDECLARED = 0.97  # of a language that was not declared


class Step(NamedTuple):
    """One step: where it stands and the words of each language in it. No words: no prose."""

    start: int
    end: int
    words: dict[str, float]

    @property
    def main(self) -> str | None:
        """The language of most of its words; None without prose."""
        return max(self.words, key=lambda code: self.words[code]) if self.words else None


def steps_of(text: str, declared: Sequence[str] = DECLARED) -> list[Step]:
    """The steps (sentences, list entries, lines) of a trace with the words of each language, in order."""
    clear = masked(text)
    pieces = [(start, end, _by_script(clear, start, end)) for start, end in _spans(text)]
    told = {
        (index, script): language
        for index, (_, _, scripts) in enumerate(pieces)
        for script, found in scripts.items()
        if (language := _identified(script, found, declared)) is not None
    }
    main = _main_of_script(pieces, told, declared)
    steps: list[Step] = []
    last: dict[str, str] = {}  # a step too short to tell goes on in the language before it
    for index, (start, end, scripts) in enumerate(pieces):
        counts: dict[str, float] = {}
        for script, found in scripts.items():
            language = last[script] = told.get((index, script)) or last.get(script) or main[script]
            counts[language] = counts.get(language, 0.0) + sum(word_count(word) for word in found if _counts(word))
        steps.append(Step(start, end, _joined_japanese(counts)))
    return steps


def switches(steps: Sequence[Step]) -> list[tuple[int, str, str]]:
    """Where the main language changes from one step with prose to the next: (position, from, to)."""
    spoken = [(step.start, step.main) for step in steps if step.main is not None]
    return [
        (position, str(before), str(language))
        for (_, before), (position, language) in pairwise(spoken)
        if before != language
    ]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    hidden = endings.FORMULA.sub(lambda match: "\x00" * len(match[0]), text)
    start = 0
    for match in re.finditer(r"(?<=[.।!?;。！？])\s+|\n+|(?<=[。！？])", hidden):
        if match.start() > start:
            yield start, match.start()
        start = match.end()
    if start < len(text):
        yield start, len(text)


def _by_script(clear: str, start: int, end: int) -> dict[str, list[Word]]:
    scripts: dict[str, list[Word]] = {}
    for word in prose_words(clear[start:end], least_latin=2):
        scripts.setdefault(word.script, []).append(word)
    if not any(_counts(word) for word in scripts.get("Latn", [])):
        scripts.pop("Latn", None)
    return scripts


def _counts(word: Word) -> bool:
    """Whether a word counts: two Latin letters may be an article, which helps to tell the language, or a variable."""
    return word.script != "Latn" or len(word.text) >= LEAST_LETTERS["Latn"]


def _identified(script: str, found: list[Word], declared: Sequence[str]) -> str | None:
    """The language of a step's words of one script; None where they are too few or too unlike any one language."""
    candidates = _candidates(script, tuple(declared))
    if len(candidates) == 1:
        return candidates[0]
    counted = sum(_counts(word) for word in found)
    short = counted < LEAST_WORDS
    if not candidates or (short and sum(len(word.text) for word in found) < LEAST_LETTERS_SHORT):
        return None
    said = " ".join(dict.fromkeys(word.text.casefold() for word in found))
    values = {
        str(entry.language.iso_code_639_1).rsplit(".", 1)[-1].lower(): entry.value
        for entry in _detector(candidates).compute_language_confidence_values(said)
    }
    best = max(values, key=lambda code: values[code])
    if best not in declared:
        return best if values[best] >= LEAST_CONFIDENCE_UNDECLARED and not short else None
    among = values[best] / sum(value for code, value in values.items() if code in declared)
    return best if among >= (LEAST_CONFIDENCE_SHORT if short else LEAST_CONFIDENCE) else None


def _main_of_script(
    pieces: Sequence[tuple[int, int, dict[str, list[Word]]]], told: dict[tuple[int, str], str], declared: Sequence[str]
) -> dict[str, str]:
    """For each script the language of most of its words where it was told; else the one all its words together give, or
    the script's own code."""
    weights: dict[str, dict[str, float]] = {}
    everything: dict[str, list[Word]] = {}
    for index, (_, _, scripts) in enumerate(pieces):
        for script, found in scripts.items():
            everything.setdefault(script, []).extend(found)
            if (index, script) in told:
                counts = weights.setdefault(script, {})
                code = told[index, script]
                counts[code] = counts.get(code, 0.0) + len(found)
    main: dict[str, str] = {}
    for script, found in everything.items():
        if script in weights:
            told_words = weights[script]
            main[script] = max(told_words, key=lambda code: told_words[code])
        else:
            main[script] = _identified(script, found, declared) or _default(script, declared)
    return main


def _default(script: str, declared: Sequence[str]) -> str:
    """The language taken for a few words of a script; the script's own code where nothing speaks for one language."""
    if script == "Latn" and "en" in declared:
        return "en"
    return USUAL.get(script, script)


def _joined_japanese(counts: dict[str, float]) -> dict[str, float]:
    """Han beside kana in one step is Japanese."""
    if "ja" not in counts or "zh" not in counts:
        return counts
    return {code: value + (counts["zh"] if code == "ja" else 0.0) for code, value in counts.items() if code != "zh"}


@cache
def _candidates(script: str, declared: tuple[str, ...]) -> tuple[str, ...]:
    if script in OF_SCRIPT:
        return (OF_SCRIPT[script],)
    known = [code for code in declared if _script_of_language(code) == script]
    candidates = tuple(dict.fromkeys([*known, *DRIFT.get(script, ())]))
    return candidates if len(candidates) < 2 else _detectable(candidates)


def _detectable(codes: tuple[str, ...]) -> tuple[str, ...]:
    """The codes that lingua has a model of; a declared language without one can't be told from others of its script."""
    from lingua import IsoCode639_1

    return tuple(code for code in codes if hasattr(IsoCode639_1, code.upper()))


@cache
def _script_of_language(code: str) -> str:
    script = facts_of(code).script
    return {"Hans": "Hani", "Hant": "Hani", "Jpan": "Kana", "Kore": "Hang"}.get(script, script)


@cache
def _detector(codes: tuple[str, ...]) -> LanguageDetector:
    """One detector for each set of candidates, built when first needed."""
    from lingua import IsoCode639_1, LanguageDetectorBuilder

    return LanguageDetectorBuilder.from_iso_codes_639_1(
        *(getattr(IsoCode639_1, code.upper()) for code in codes)
    ).build()
