"""The verdict on two answers: read both, compare claim by claim, say equal, not equal or undecided, and why."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

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
    Node,
    walk,
)
from covary.mathematics.verdict import DEFAULT, Policy, Prover, Rules, Verdict

SIDES_KEPT = 4096  # texts whose reading is kept, so that a target is read once


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
    sides = _side(answer, language, answer_type, policy), _side(target, language, answer_type, policy)
    first, second = sides if (len(answer), answer) <= (len(target), target) else (sides[1], sides[0])
    if prover is None:
        found = _remembered(first, second, Rules(policy, None, answer_type))
    else:
        found = _decide(first, second, Rules(policy, _Sparing(prover), answer_type))
    mended = (f"mended: {repair}" for side in sides for repair in side.reading.repairs)
    evidence = (f"answer: {sides[0].shown}", f"target: {sides[1].shown}", *mended, f"policy: {policy.name}")
    return Verdict(found.outcome, found.reason, evidence)


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
        reading = _side(text, language, answer_type, policy).reading
        steps.append(f"{name} {_short(text)} read as: {shown(reading)}")
        steps += [f"  mended: {repair}" for repair in reading.repairs]
        steps += [f"  or, {'less surely, ' if other.weak else ''}as: {shown(other)}" for other in reading.alternatives]
        if reading.why_not and reading.parts:
            steps.append(f"  not understood as a whole: {reading.why_not}")
    steps.append(f"verdict: {verdict.verdict}, because: {verdict.reason}")
    return steps


def _short(text: str) -> str:
    return repr(text if len(text) <= 120 else text[:117] + "…")


class _Side:
    """One text as it was read, with what is worked out of it once: its claims, its other readings, its line for people."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        claims = claims_of(self.reading.parts)
        said = tuple(
            claim for claim in claims if not all(isinstance(part, Dots | Mul | Add) for part in walk(claim.node))
        )
        return merged(said or claims)

    @cached_property
    def others(self) -> tuple[_Side, ...]:
        return tuple(_Side(other) for other in self.reading.alternatives)

    @cached_property
    def shown(self) -> str:
        return shown(self.reading)

    @cached_property
    def has_content(self) -> bool:
        return bool(re.search(r"\w|\\\{\s*\\\}|[^\s$\\\[\](){}*`.,;:]", self.reading.text))

    @cached_property
    def squeezed(self) -> str:
        return re.sub(r"[\s$]+", "", self.reading.text)


def _side(text: str, language: str | None, answer_type: str | None, policy: Policy) -> _Side:
    code = lexicon.language_code(language)
    return _cached_side(text, Bounds(code, policy.characters, policy.tokens, policy.depth, answer_type == "Symbolic"))


@lru_cache(maxsize=SIDES_KEPT)
def _cached_side(text: str, bounds: Bounds) -> _Side:
    return _Side(read(text, bounds))


class _Sparing:
    """A prover that isn't asked again within a pair once it found nothing: what is late once would be late often."""

    def __init__(self, prover: Prover) -> None:
        self._prover: Prover | None = prover

    def equal(self, left: Node, right: Node) -> bool | None:
        """The prover's answer; None after the first None."""
        proved = self._prover.equal(left, right) if self._prover is not None else None
        if proved is None:
            self._prover = None
        return proved


@lru_cache(maxsize=SIDES_KEPT)
def _remembered(left: _Side, right: _Side, rules: Rules) -> Found:
    return _decide(left, right, rules)


def _decide(left_side: _Side, right_side: _Side, rules: Rules) -> Found:
    left, right = left_side.reading, right_side.reading
    if not left_side.has_content or not right_side.has_content:
        return Found(UNDECIDED, "an empty answer")
    if (left.key == right.key and left.key) or left_side.squeezed == right_side.squeezed:
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
    found = _compare(left_side, right_side, rules)
    return found if found.outcome == EQUAL else _in_other_readings(left_side, right_side, found, rules)


def _in_other_readings(left: _Side, right: _Side, found: Found, rules: Rules) -> Found:
    """The finding after all other readings: equal in a likely one, undecided where an unlikely or unclear one stands against it."""
    for one in (left, *left.others):
        for other in (right, *right.others):
            if one is left and other is right:
                continue
            again = _compare(one, other, rules)
            weak = one.reading.weak or other.reading.weak
            if again.outcome == EQUAL:
                if weak:
                    return Found(UNDECIDED, "equal only under another reading of a mark")
                return Found(EQUAL, again.reason + " (in another reading)")
            if found.outcome == NOT_EQUAL and not weak:
                if again.outcome == UNDECIDED:
                    found = again
                elif (one.reading.steps or other.reading.steps) and again.reason in (PART_OF_WHOLE, OTHER_COUNT):
                    found = Found(UNDECIDED, "a value among several steps or sentences")
    return found


def _compare(left_side: _Side, right_side: _Side, rules: Rules) -> Found:
    left, right = left_side.reading, right_side.reading
    found = compare_claims(left_side.claims, right_side.claims, rules)
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
