"""What a solution written by a model must keep, a faulty one or one in other words: a list of what is broken."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from covary.build.translate_checks import damage, letters, wordless, wrong_language
from covary.build.translate_checks import problems as kept_whole
from covary.lint.masking import squeezed
from covary.lint.perturbed import no_meta_words
from covary.lint.row import Row

SHORTEST, LONGEST = 0.5, 3.0  # letters against the clean solution
_NOTE = re.compile(r"\((?:note|error|mistake|ভুল|erreur|virhe|hata|klaida|қате)\b[^()]*\)", re.IGNORECASE)


def problems(content: Mapping[str, Any], forms: Sequence[Mapping[str, Any]], types: Sequence[str]) -> list[str]:
    """What is wrong with a reply, a line each; empty where it may go on to a verifier."""
    solutions, errors = content.get("solutions"), content.get("errors")
    if not isinstance(solutions, dict) or not isinstance(errors, list):
        return ["the reply lacks solutions or errors"]
    if found := _misshapen(solutions, [form["language"] for form in forms]):
        return [found]
    counts = {len(lines) for lines in solutions.values()}
    if len(counts) > 1:
        return ["the languages differ in their number of lines"]
    if declared := _declared(errors, list(solutions), types, counts.pop()):
        return declared
    return [
        f"{form['language']}: {one}" for form in forms for one in _solution(form, solutions[form["language"]], errors)
    ]


def reworded(content: Mapping[str, Any], forms: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is wrong with clean solutions in other words, a line each."""
    solutions = content.get("solutions")
    if not isinstance(solutions, dict):
        return ["the reply lacks solutions"]
    if found := _misshapen(solutions, [form["language"] for form in forms]):
        return [found]
    return [f"{form['language']}: {one}" for form in forms for one in _reworded(form, solutions[form["language"]])]


def _reworded(form: Mapping[str, Any], lines: Sequence[str]) -> list[str]:
    shown = [line.strip() for line in lines]
    clean = [line.strip() for line in str(form["solution"]).splitlines() if line.strip()]
    wrong = _frame(form, shown)
    if len(shown) != len(clean):
        wrong.append(f"{len(shown)} lines, not {len(clean)}")
    kept = {squeezed(line) for line in clean}
    wordy = [line for line in shown[:-1] if not wordless(line)]
    if all(squeezed(line) in kept for line in shown) or 2 * sum(squeezed(line) in kept for line in wordy) > len(wordy):
        wrong.append("hardly a line is in other words")
    wrong += kept_whole("\n".join(clean), "\n".join(shown), form["language"], form["language"])
    other = wrong_language("\n".join(shown), form["language"])
    return [*wrong, other] if other else wrong


def _misshapen(solutions: Mapping[Any, Any], codes: Sequence[str]) -> str:
    if sorted(solutions) != sorted(codes):
        return f"expected solutions in {', '.join(codes)}, found {', '.join(map(str, solutions)) or 'none'}"
    for code, lines in solutions.items():
        if (
            not isinstance(lines, list)
            or len(lines) < 2
            or not all(isinstance(one, str) and one.strip() for one in lines)
        ):
            return f"{code}: expected a list of at least two lines"
        if any("\n" in one.strip() for one in lines):
            return f"{code}: a line holds a line break"
    return ""


def _declared(errors: Sequence[Any], codes: Sequence[str], types: Sequence[str], lines: int) -> list[str]:
    wrong: list[str] = []
    for error in errors:
        if not isinstance(error, dict):
            return ["an error is no object"]
        line = error.get("line")
        if (
            isinstance(line, bool)
            or not isinstance(line, int)
            or not 1 <= line < lines + (error.get("type") == "step omission")
        ):
            wrong.append(f"{error.get('type')}: line {line!r} is none before the last of {lines}")
        told = error.get("explanation")
        if not isinstance(told, dict) or any(
            not isinstance(told.get(code), str) or not told[code].strip() for code in codes
        ):
            wrong.append(f"{error.get('type')}: an explanation in every language is missing")
    found = [error.get("type") for error in errors]
    if missing := [kind for kind in types if kind not in found]:
        wrong.append(f"not declared: {', '.join(missing)}")
    if other := [str(kind) for kind in found if kind not in types]:
        wrong.append(f"not asked for: {', '.join(other)}")
    return wrong


def _solution(form: Mapping[str, Any], lines: Sequence[str], errors: Sequence[Mapping[str, Any]]) -> list[str]:
    shown = [line.strip() for line in lines]
    text = "\n".join(shown)
    clean = [squeezed(line) for line in str(form["solution"]).splitlines() if line.strip()]
    wrong = _frame(form, shown)
    if [squeezed(line) for line in shown] == clean:
        wrong.append("it is the clean solution")
    for error in errors:
        line = squeezed(shown[min(error["line"], len(shown)) - 1])
        if error["type"] != "step omission" and line in clean:
            wrong.append(f"line {error['line']} ({error['type']}) stands so in the clean solution")
    if any(error["type"] == "step omission" for error in errors) and set(clean) <= {squeezed(line) for line in shown}:
        wrong.append("no step was omitted")
    before, after = letters(str(form["solution"])), letters(text)
    if before >= 30 and not SHORTEST * before <= after <= LONGEST * before:
        wrong.append(f"its length is {after / before:.1f} of the clean one's")
    wrong += damage(str(form["solution"]), text)
    if other := wrong_language(text, form["language"]):
        wrong.append(other)
    return wrong


def _frame(form: Mapping[str, Any], shown: Sequence[str]) -> list[str]:
    """What every solution keeps: the answer as its last line, and no word about errors."""
    text = "\n".join(shown)
    wrong: list[str] = []
    if shown[-1] != str(form["target"]).strip():
        wrong.append(f"the last line is {shown[-1][:60]!r}, not {form['target']!r}")
    if fault := next(iter(no_meta_words(_row(form, text))), None):
        wrong.append(f"it speaks of its errors ({fault.span[:60]!r})")
    elif note := _NOTE.search(text):
        wrong.append(f"it speaks of its errors ({note.group()[:60]!r})")
    return wrong


def _row(form: Mapping[str, Any], text: str) -> Row:
    return Row(
        form["source_id"], form["item_id"], form["variant"], form["language"], "solution", "", form["question"], text, (), "yes",
        form["answer_type"], {},
    )  # fmt: skip
