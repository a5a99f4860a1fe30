"""Rules on multiple choice: the key exists and is right, alone right, and not given away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from covary.lint.masking import digit_runs, squeezed
from covary.lint.reference import reference
from covary.lint.row import LETTERS, Fault, Row
from covary.mathematics.equivalence import equivalent
from covary.mathematics.glyphs import tidy
from covary.mathematics.verdict import Policy

EXACT = Policy(name="exact", rounding="absolute", absolute=0.0)
TAU = 0.01
NEAR = Policy(name="within tau", rounding="absolute", absolute=TAU)
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
    texts = [squeezed(tidy(option).text) for option in row.options]
    for place, (letter, text) in enumerate(zip(LETTERS, texts, strict=False)):
        if text and text in texts[:place] and text != texts[row.key]:
            option = row.options[place]
            yield row.fault(
                "repeated-option", "error", f"option {letter}", option, "options that differ", "replace one"
            )
            return


def key_is_right(row: Row) -> Iterator[Fault]:
    """key-not-target: a key whose text isn't the answer's (warning), or whose value is another one (error: key-wrong).
    second-right-option: another option of the key's or the answer's value. near-distractor: one within 0.01 of it."""
    if row.format != "mcq" or row.key is None or len(row.options) < 2:
        return
    key, answer = row.options[row.key], row.answer
    if answer and squeezed(tidy(key).text) != squeezed(tidy(answer).text):
        said = _verdict(key, answer, row)
        if said == "not_equal":
            yield row.fault(
                "key-wrong", "error", f"option {LETTERS[row.key]}", key, f"the answer {answer}", "name the right option"
            )
        elif squeezed(key) != squeezed(answer):
            yield row.fault(
                "key-not-target",
                "note",
                f"option {LETTERS[row.key]}",
                key,
                f"the answer as written: {answer}",
                "write both alike",
            )
    for place, (letter, option) in enumerate(zip(LETTERS, row.options, strict=False)):
        if place == row.key:
            continue
        if _same(option, key, answer, row):
            yield row.fault(
                "second-right-option",
                "error",
                f"option {letter}",
                option,
                f"one right option; {LETTERS[row.key]} is {key}",
                "replace it",
            )
        elif _near(option, key, row):
            yield row.fault(
                "near-distractor",
                "warning",
                f"option {letter}",
                option,
                f"a value more than {TAU} from {key}",
                "replace it",
            )


def _verdict(left: str, right: str, row: Row, policy: Policy = EXACT) -> str:
    return equivalent(left, right, language=row.language, answer_type=row.answer_type, policy=policy).verdict


def _same(option: str, key: str, answer: str, row: Row) -> bool:
    if squeezed(option) == squeezed(key) and squeezed(option):
        return True
    return _verdict(option, key, row) == "equal" or (bool(answer) and _verdict(option, answer, row) == "equal")


def _near(option: str, key: str, row: Row) -> bool:
    """Within tau, where both hold numbers."""
    if not digit_runs(option) or not digit_runs(key):
        return False
    return _verdict(option, key, row, NEAR) == "equal"


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
            for letter, mine, other in zip(LETTERS, row.options, about.options, strict=False):
                ours, theirs = "".join(digit_runs(mine)), "".join(digit_runs(other))
                if ours and theirs and ours != theirs:
                    yield row.fault(
                        "options-differ", "error", f"option {letter}", mine, f"the option {other}", "make them equal"
                    )
                    break
