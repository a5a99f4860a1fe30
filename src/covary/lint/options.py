"""Rules on multiple choice: the key exists and is right, alone right, and not given away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from covary.lint.finding import Severity
from covary.lint.masking import digit_runs, prose, squeezed
from covary.lint.numbers import plain
from covary.lint.reference import reference
from covary.lint.row import LETTERS, Fault, Row
from covary.mathematics.claims import claims_of
from covary.mathematics.equivalence import equivalent
from covary.mathematics.evaluate import rational
from covary.mathematics.glyphs import tidy
from covary.mathematics.parts import Bounds
from covary.mathematics.reading import read
from covary.mathematics.verdict import Policy

EXACT = Policy(name="exact", rounding="absolute", absolute=0.0)
TAU = Fraction(1, 100)
NEAR = Policy(name="within tau", rounding="absolute", absolute=float(TAU))
_POWERS = re.compile(r"[²³]")
_LIST = re.compile(r"[,;]")
_POWER_OF_TEN = re.compile(r"10\s*\^")
_BLANKS = re.compile(r"[\s$]+")
_LONG_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0900-\u0dff]){4,}")
SURE_OF_BALANCE = 16.27  # chi-squared, three degrees of freedom, p = 0.001
LEAST_FOR_BALANCE = 40
_UNIT = re.compile(
    r"(?:\d|\})\s*(?:\\text\s*\{)?\s*(°|%|cm|mm|km|kg|m|g|l|ml|sq|cubic|metres?|meters?|litres?|Tk|taka|days?|hours?|years?|৳|টাকা|মিটার|সে\.?মি\.?)(?![A-Za-z])"
)
_FALLBACK = re.compile(
    r"^\W*(?:undefined|indeterminate|none of (?:the|these)\b.*|all of (?:the|these)\b.*|cannot be determined.*|not (?:defined|possible|enough.*)|"
    r"no solution|error|n/?a|unknown|option [a-d]|other|অনির্ণেয়|অসংজ্ঞায়িত|কোনোটিই নয়|নির্ণয় করা সম্ভব নয়)\W*$",
    re.IGNORECASE,
)


def key_exists(row: Row) -> Iterator[Fault]:
    """key-missing: a multiple-choice item without options, or whose target names none of them. repeated-option: two options
    with the same text."""
    if row.format != "mcq":
        return
    if len(row.options) < 2 or row.key is None:
        names = ", ".join(LETTERS[: len(row.options)]) or "options"
        yield row.fault("key-missing", "error", "target", row.target, f"one of {names}", "name the right option")
        return
    texts = [_bare(tidy(option).text) for option in row.options]
    for place, (letter, text) in enumerate(zip(LETTERS, texts, strict=False)):
        if text and text in texts[:place] and text != texts[row.key]:
            option = row.options[place]
            yield row.fault(
                "repeated-option", "error", f"option {letter}", option, "options that differ", "replace one"
            )
            return


def key_is_right(row: Row) -> Iterator[Fault]:
    """key-wrong: a key of another value than the answer's. key-not-target (note): one in other words than the answer.

    second-right-option: another option with the same text or the same number as the key or the answer. equal-in-value
    (warning): one that is equal as an expression or list, so that only its form sets it apart. near-distractor: a number
    within tau of the key's. near-values: lists, angles and the like within tau.
    """
    if row.format != "mcq" or row.key is None or len(row.options) < 2:
        return
    key, answer = row.options[row.key], row.answer
    if answer and _bare(key) != _bare(answer):
        if squeezed(tidy(key).text) != squeezed(tidy(answer).text) and _equal(key, answer, row) == "not_equal":
            yield row.fault(
                "key-wrong", "error", f"option {LETTERS[row.key]}", key, f"the answer {answer}", "name the right option"
            )
        yield row.fault(
            "key-not-target",
            "note",
            f"option {LETTERS[row.key]}",
            key,
            f"the answer as written: {answer}",
            "write both alike",
        )
    for place, (letter, option) in enumerate(zip(LETTERS, row.options, strict=False)):
        if place != row.key and (found := _too_close(option, key, answer, row)):
            rule, severity, expected = found
            yield row.fault(rule, severity, f"option {letter}", option, expected, "replace it")


def _too_close(option: str, key: str, answer: str, row: Row) -> tuple[str, Severity, str] | None:
    """The rule that an option breaks by its value, its severity, and what was expected."""
    right = f"one right option; {LETTERS[row.key or 0]} is {key}"
    texts = [text for text in (key, answer) if text]
    if _bare(option) and any(_bare(tidy(option).text) == _bare(tidy(text).text) for text in texts):
        return "second-right-option", "error", right
    mine, yours = value(option, row.language), value(key, row.language)
    if mine is not None and yours is not None:
        if mine == yours or mine == value(answer, row.language):
            scaled = _POWER_OF_TEN.search(option) or _POWER_OF_TEN.search(key)
            return ("equal-in-value", "warning", right) if scaled else ("second-right-option", "error", right)
        near = mine.unit == yours.unit and abs(mine.number - yours.number) <= TAU
        return ("near-distractor", "warning", f"a value more than {float(TAU)} from {key}") if near else None
    if _LONG_WORD.search(prose(option)):
        return None
    if any(_equal(option, text, row) == "equal" for text in texts):
        return None if _LIST.search(option) else ("equal-in-value", "warning", right)
    if digit_runs(option) and digit_runs(key) and _equal(option, key, row, NEAR) == "equal":
        return "near-values", "warning", f"values more than {float(TAU)} from {key}"
    return None


class Value(NamedTuple):
    """A number and the name of what it counts."""

    number: Fraction
    unit: str


def value(text: str, code: str) -> Value | None:
    """The number that a text is, exactly, and its unit: 13/15, 0.25, 20\\% (as 20 percent); None for anything else."""
    reading = read(text, Bounds(code, EXACT.characters, EXACT.tokens, EXACT.depth, False))
    if not reading.whole or reading.alternatives or len(reading.parts) != 1:
        return None
    claims = claims_of(reading.parts)
    if len(claims) != 1 or claims[0].hedged or (found := rational(claims[0].node)) is None:
        return None
    number, unit = Fraction(int(found.p), int(found.q)), claims[0].unit
    if "%" in text:
        return Value(number * 100, "%")
    return Value(number, unit.name if unit else "")


def _bare(text: str) -> str:
    return _BLANKS.sub("", text).strip(".").casefold()


def _equal(left: str, right: str, row: Row, policy: Policy = EXACT) -> str:
    return equivalent(left, right, language=row.language, answer_type=row.answer_type, policy=policy).verdict


def give_aways(row: Row) -> Iterator[Fault]:
    """dollar-give-away: only some options carry $. key-give-away: the key alone carries $ or a unit, or alone lacks it.
    fallback-distractor: an option that is no value."""
    if row.format != "mcq" or row.key is None or len(row.options) < 3:
        return
    dollars = ["$" in option for option in row.options]
    if any(dollars) and not all(dollars):
        span = " | ".join(row.options)
        yield row.fault(
            "dollar-give-away", "warning", "options", span, "$ in all options or in none", "write them alike"
        )
    for noun, carried in (("$", dollars), ("a unit", [bool(_UNIT.search(option)) for option in row.options])):
        alone = Counter(carried)[carried[row.key]] == 1
        if alone and (noun == "$" or carried[row.key]):
            how = "carries" if carried[row.key] else "lacks"
            yield row.fault(
                "key-give-away",
                "warning",
                f"option {LETTERS[row.key]}",
                row.options[row.key],
                f"a key that doesn't alone {how} {noun}".replace("carries", "carry").replace("lacks", "lack"),
                "write them alike",
            )
    odd = [bool(_FALLBACK.match(option.strip(" $"))) for option in row.options]
    for letter, option, strange in zip(LETTERS, row.options, odd, strict=False):
        if strange and not odd[row.key]:
            yield row.fault(
                "fallback-distractor", "warning", f"option {letter}", option, "a plausible value", "replace it"
            )
            break


def key_balance(rows: Sequence[Row]) -> Iterator[Fault]:
    """key-position: keys that stand at one place too often (chi-squared, p < 0.001)."""
    for form in sorted({row.variant for row in rows if row.format == "mcq"}):
        chosen = [row for row in rows if row.variant == form and row.key is not None]
        counts = Counter(LETTERS[row.key] for row in chosen if row.key is not None)
        size = max((len(row.options) for row in chosen), default=0)
        if len(chosen) < LEAST_FOR_BALANCE or size < 2:
            continue
        due = len(chosen) / size
        if sum((counts[letter] - due) ** 2 / due for letter in LETTERS[:size]) > SURE_OF_BALANCE:
            told = ", ".join(f"{letter} {counts[letter]}" for letter in LETTERS[:size])
            yield Fault(
                "key-position",
                "warning",
                "",
                form,
                told,
                f"about {due:.0f} each",
                "shuffle the options by a seed",
                "",
                "target",
            )


def same_options(forms: Sequence[Row]) -> Iterator[Fault]:
    """options-differ: forms whose keys stand at other places, or whose options hold other numbers in another order."""
    about = reference(forms)
    if about is None or about.format != "mcq":
        return
    for row in forms:
        if row is about or row.format != "mcq":
            continue
        if row.key != about.key:
            yield row.fault(
                "options-differ", "error", "target", row.target, f"key {about.target}", "order the options alike"
            )
        elif len(row.options) != len(about.options):
            yield row.fault(
                "options-differ",
                "error",
                "options",
                str(len(row.options)),
                f"{len(about.options)} options",
                "add or drop",
            )
        else:
            for at, (letter, mine, other) in enumerate(zip(LETTERS, row.options, about.options, strict=False)):
                ours, theirs = (
                    sorted("".join(digit_runs(plain(_POWERS.sub("", form.options[at]), form.language))))
                    for form in (row, about)
                )
                if ours and theirs and ours != theirs:
                    yield row.fault(
                        "options-differ", "error", f"option {letter}", mine, f"the option {other}", "make them equal"
                    )
                    break
