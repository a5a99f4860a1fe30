"""The verdict on two answers: read both, compare claim by claim, say equal, not equal or undecided, and why."""

from __future__ import annotations

import re
from functools import lru_cache

from covary.mathematics import lexicon
from covary.mathematics.claims import Claim, claims_of
from covary.mathematics.glyphs import UNSURE_BRACE
from covary.mathematics.outcomes import EQUAL, NOT_EQUAL, UNDECIDED
from covary.mathematics.parts import Bounds
from covary.mathematics.reading import Reading, read
from covary.mathematics.render import shown
from covary.mathematics.scalars import Found
from covary.mathematics.several import OTHER_COUNT, PART_OF_WHOLE, compare_claims, merged
from covary.mathematics.tree import (
    Add,
    Dots,
    Mul,
    walk,
)
from covary.mathematics.verdict import DEFAULT, Policy, Prover, Rules, Verdict


def equivalent(
    answer: str,
    target: str,
    *,
    language: str | None = None,
    answer_type: str | None = None,
    policy: Policy = DEFAULT,
    prover: Prover | None = None,
) -> Verdict:
    """Whether two answers say the same: equal, not_equal, or undecided where rules can't tell. Symmetric in the two texts.

    language: of the problem, by name or ISO code; it settles what commas and points mean. answer_type: Numerical, Symbolic,
    Proof or None. "not_equal" is said only where both texts were understood as a whole. Raises nothing for any text.

    >>> equivalent("0,125", r"\\\\frac{1}{8}", language="fr").verdict
    'equal'
    >>> equivalent("y = 6", "x = 6").verdict
    'not_equal'
    """
    of_answer, of_target = (_read(text, language, answer_type, policy) for text in (answer, target))
    first, second = sorted((of_answer, of_target), key=lambda reading: (len(reading.text), reading.text))
    found = _decide(first, second, Rules(policy, prover, answer_type))
    return Verdict(found.outcome, found.reason, _evidence(of_answer, of_target, policy))


def explain(
    answer: str,
    target: str,
    language: str | None = None,
    *,
    answer_type: str | None = None,
    policy: Policy = DEFAULT,
    prover: Prover | None = None,
) -> list[str]:
    """The steps of the decision, a line each, for a person who doubts it: how each side was read, in which readings, and the rule."""
    verdict = equivalent(answer, target, language=language, answer_type=answer_type, policy=policy, prover=prover)
    steps = [f"language: {lexicon.language_code(language)}; policy: {policy.name}"]
    for name, text in (("answer", answer), ("target", target)):
        reading = _read(text, language, answer_type, policy)
        steps.append(f"{name} {_short(text)} read as: {shown(reading)}")
        steps += [f"  mended: {repair}" for repair in reading.repairs]
        steps += [f"  or, {'less surely, ' if other.weak else ''}as: {shown(other)}" for other in reading.alternatives]
        if reading.why_not and reading.parts:
            steps.append(f"  not understood as a whole: {reading.why_not}")
    steps.append(f"verdict: {verdict.verdict}, because: {verdict.reason}")
    return steps


def _short(text: str) -> str:
    return repr(text if len(text) <= 120 else text[:117] + "…")


def _read(text: str, language: str | None, answer_type: str | None, policy: Policy) -> Reading:
    code = lexicon.language_code(language)
    return read(text, Bounds(code, policy.characters, policy.tokens, policy.depth, answer_type == "Symbolic"))


def _evidence(answer: Reading, target: Reading, policy: Policy) -> tuple[str, ...]:
    mended = (f"mended: {repair}" for reading in (answer, target) for repair in reading.repairs)
    return (f"answer: {shown(answer)}", f"target: {shown(target)}", *mended, f"policy: {policy.name}")


def _decide(left: Reading, right: Reading, rules: Rules) -> Found:
    if not _content(left) or not _content(right):
        return Found(UNDECIDED, "an empty answer")
    if (left.key == right.key and left.key) or _squeezed(left.text) == _squeezed(right.text):
        return Found(EQUAL, "identical but for spelling")
    if rules.answer_type is not None and rules.answer_type.strip() == "Proof":
        return Found(UNDECIDED, "a proof is not decided by rules")
    if left.placeholder or right.placeholder:
        other = right if left.placeholder else left
        return (
            Found(NOT_EQUAL, "a placeholder holds no value")
            if other.parts and other.whole
            else Found(UNDECIDED, "a placeholder")
        )
    if not left.parts or not right.parts:
        return Found(UNDECIDED, "not read as a whole: " + (left.why_not or right.why_not))
    found = _compare(left, right, rules)
    if found.outcome == EQUAL:
        return found
    for one in (left, *left.alternatives):
        for other in (right, *right.alternatives):
            if one is left and other is right:
                continue
            again = _compare(one, other, rules)
            if again.outcome == EQUAL:
                if one.weak or other.weak:
                    return Found(UNDECIDED, "equal only under another reading of a mark")
                return Found(EQUAL, again.reason + " (commas read as separators)")
            if found.outcome == NOT_EQUAL and not (one.weak or other.weak):
                if again.outcome == UNDECIDED:
                    found = again
                elif (one.steps or other.steps) and again.reason in (PART_OF_WHOLE, OTHER_COUNT):
                    found = Found(UNDECIDED, "a value among several steps or sentences")
    return found


def _content(reading: Reading) -> bool:
    return bool(re.search(r"\w|\\\{\s*\\\}|[^\s$\\\[\](){}*`.,;:]", reading.text))


def _squeezed(text: str) -> str:
    return re.sub(r"[\s$]+", "", text)


def _compare(left: Reading, right: Reading, rules: Rules) -> Found:
    found = compare_claims(_claims(left.parts), _claims(right.parts), rules)
    if left.whole and right.whole:
        if found.outcome == NOT_EQUAL and UNSURE_BRACE in (*left.repairs, *right.repairs):
            return Found(UNDECIDED, "the text is damaged: a brace may stand elsewhere")
        return found
    if found.outcome == EQUAL:
        return Found(EQUAL, f"{found.reason} (value found in prose)")
    prose = [reading for reading in (left, right) if not reading.whole]
    if (
        found.outcome == NOT_EQUAL
        and UNSURE_BRACE not in (*left.repairs, *right.repairs)
        and all(reading.prose == "strong" for reading in prose)
    ):
        return Found(NOT_EQUAL, f"{found.reason} (value after a final-answer phrase)")
    return Found(UNDECIDED, "prose that was not understood as a whole")


@lru_cache(maxsize=20_000)
def _claims(parts: tuple) -> tuple[Claim, ...]:  # pyright: ignore[reportMissingTypeArgument, reportUnknownParameterType]
    claims = claims_of(parts)
    shown = tuple(claim for claim in claims if not all(isinstance(part, Dots | Mul | Add) for part in walk(claim.node)))
    return merged(shown or claims)
