"""The verdict on two answers: read both, compare claim by claim, say equal, not equal or undecided, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from flint import ctx, fmpq

from covary.mathematics import lexicon
from covary.mathematics.claims import Claim, claims_of, is_number
from covary.mathematics.evaluate import PRECISION, NoValue, ball, rational
from covary.mathematics.glyphs import UNSURE_BRACE
from covary.mathematics.reading import Reading, read
from covary.mathematics.regions import Region, combine, compare_regions, region_of, substituted
from covary.mathematics.render import shown
from covary.mathematics.scalars import Found, compare_scalars, rename
from covary.mathematics.tree import (
    Add,
    Build,
    Call,
    Chain,
    Const,
    Dots,
    Group,
    Mul,
    Node,
    Num,
    Sym,
    Words,
    children,
    negated,
    quotient,
    symbols,
    walk,
)
from covary.mathematics.units import Unit
from covary.mathematics.verdict import DEFAULT, Policy, Prover, Verdict

MAX_ITEMS = 60
EQUAL = "equal"
NOT_EQUAL = "not_equal"
UNDECIDED = "undecided"
PART_OF_WHOLE = "a part is not the whole"
OTHER_COUNT = "another number of parts"


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
    found = _decide(first, second, answer_type, policy, prover)
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
    return read(text, code, policy.characters, policy.tokens, policy.depth, answer_type == "Symbolic")


def _evidence(answer: Reading, target: Reading, policy: Policy) -> tuple[str, ...]:
    mended = (f"mended: {repair}" for reading in (answer, target) for repair in reading.repairs)
    return (f"answer: {shown(answer)}", f"target: {shown(target)}", *mended, f"policy: {policy.name}")


def _decide(left: Reading, right: Reading, answer_type: str | None, policy: Policy, prover: Prover | None) -> Found:
    if not _content(left) or not _content(right):
        return Found(UNDECIDED, "an empty answer")
    if (left.key == right.key and left.key) or _squeezed(left.text) == _squeezed(right.text):
        return Found(EQUAL, "identical but for spelling")
    if answer_type is not None and answer_type.strip() == "Proof":
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
    found = _compare(left, right, answer_type, policy, prover)
    if found.outcome == EQUAL:
        return found
    for one in (left, *left.alternatives):
        for other in (right, *right.alternatives):
            if one is left and other is right:
                continue
            again = _compare(one, other, answer_type, policy, prover)
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


def _compare(left: Reading, right: Reading, answer_type: str | None, policy: Policy, prover: Prover | None) -> Found:
    found = compare_claims(_claims(left.parts), _claims(right.parts), answer_type, policy, prover)
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
    return _merged(shown or claims)


def _merged(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Claims that say the same twice are one: 25√3 or 43.30; x = 4, x = 4."""
    kept: list[Claim] = []
    for claim in claims:
        again = next(
            (
                at
                for at in range(max(0, len(kept) - 8), len(kept))
                if _may_repeat(claim, kept[at]) and _same_claim(claim, kept[at])
            ),
            None,
        )
        if again is None:
            kept.append(claim)
        else:
            kept[again] = replace(
                kept[again],
                others=(*kept[again].others, replace(claim, label=kept[again].label, variable=kept[again].variable)),
            )
    return tuple(kept)


def _may_repeat(claim: Claim, other: Claim) -> bool:
    """Restating is said with "or", a hedge, a new sentence or the same label; two equal values in a list are two."""
    if claim.label != other.label and claim.label is not None and other.label is not None:
        return False
    return claim.joined in ("or", ".", "=>") or claim.hedged or bool(claim.label and claim.label == other.label)


def _same_claim(left: Claim, right: Claim) -> bool:
    if (
        left.kind != "value"
        or right.kind != "value"
        or isinstance(left.node, Group | Build)
        or isinstance(right.node, Group | Build)
    ):
        return False
    return _compare_one(left, right, None, DEFAULT, None).outcome == EQUAL


# Lists of claims


def compare_claims(
    left: Sequence[Claim], right: Sequence[Claim], answer_type: str | None, policy: Policy, prover: Prover | None
) -> Found:
    """Whether two answers claim the same things."""
    if not left or not right:
        return Found(UNDECIDED, "nothing to compare")
    if len(left) > MAX_ITEMS or len(right) > MAX_ITEMS:
        return Found(UNDECIDED, "more parts than the bound")
    if len(left) == 1 and len(right) == 1:
        return _compare_one(left[0], right[0], answer_type, policy, prover)
    regions = _whole_region(left), _whole_region(right)
    if regions[0] is not None and regions[1] is not None:
        return compare_regions(regions[0], regions[1])
    grouped = _solutions(left), _solutions(right)
    if len(grouped[0]) == len(grouped[1]):
        left, right = grouped
    left, right = _pairs(left, right), _pairs(right, left)
    if len(left) == 1 and len(right) == 1:
        return _compare_one(left[0], right[0], answer_type, policy, prover)
    if len(left) == 1 or len(right) == 1:
        single, many = (left[0], right) if len(left) == 1 else (right[0], left)
        opened = _opened(single)
        if opened is None and _ratio(single.node):
            assert isinstance(single.node, Group)
            listed = _against_group(
                [Claim("value", item) for item in single.node.items], many, True, answer_type, policy, prover
            )
            return Found(UNDECIDED, "a ratio against a list") if listed.outcome == EQUAL else listed
        if opened is not None:
            ordered = isinstance(single.node, Group) and single.node.left != "{"
            return _against_group(opened, many, ordered, answer_type, policy, prover)
        extra = [claim for claim in many if claim.kind == "value"]
        if any(_compare_one(single, claim, answer_type, policy, prover).outcome != NOT_EQUAL for claim in many):
            if len(extra) < len(many) or single.kind != "value":
                return Found(UNDECIDED, "a part against a whole with relations or words")
            return Found(NOT_EQUAL, PART_OF_WHOLE)
        if _as_terms(single, many, answer_type, policy, prover):
            return Found(UNDECIDED, "a list against its sum or product")
        return (
            Found(NOT_EQUAL, OTHER_COUNT)
            if not _sign_pairs(left, right)
            else Found(UNDECIDED, "signs that may pair in several ways")
        )
    if len(left) != len(right):
        if _sign_pairs(left, right):
            return Found(UNDECIDED, "signs that may pair in several ways")
        if any(claim.kind in ("words", "equation") for claim in (*left, *right)):
            return Found(UNDECIDED, "another number of parts, not all of them values")
        return Found(NOT_EQUAL, OTHER_COUNT)
    found = _matched(left, right, answer_type, policy, prover)
    if found.outcome == NOT_EQUAL and _sign_pairs(left, right):
        return Found(UNDECIDED, "signs that may pair in several ways")
    return found


def _as_terms(
    single: Claim, many: Sequence[Claim], answer_type: str | None, policy: Policy, prover: Prover | None
) -> bool:
    """The list holds the terms or the factors of the single expression."""
    node = single.node
    items = [part for part in children(node) if not isinstance(part, Dots)] if isinstance(node, Add | Mul) else []
    return (
        1 < len(items) == len(many)
        and _matched([Claim("value", item) for item in items], many, answer_type, policy, prover).outcome == EQUAL
    )


def _sign_pairs(left: Sequence[Claim], right: Sequence[Claim]) -> bool:
    """Values with ± against pairs."""
    for one, other in ((left, right), (right, left)):
        if any(claim.signed for claim in one) and any(isinstance(claim.node, Group) for claim in other):
            return True
    return False


def _pairs(claims: Sequence[Claim], others: Sequence[Claim]) -> Sequence[Claim]:
    """[4, 3], [3, 4] as pairs, where they can't all be intervals or stand against pairs."""

    def square(claim: Claim) -> bool:
        return (
            isinstance(claim.node, Group)
            and (claim.node.left, claim.node.right) == ("[", "]")
            and len(claim.node.items) == 2
        )

    if (
        len(claims) < 2
        or not all(square(claim) for claim in claims)
        or all(region_of(claim.node) is not None for claim in claims)
    ):
        return claims
    if not all(isinstance(other.node, Group) and other.node.left == "(" for other in others):
        return claims
    return [replace(claim, node=Group("(", ")", claim.node.items)) for claim in claims if isinstance(claim.node, Group)]


def _whole_region(claims: Sequence[Claim]) -> Region | None:
    """The region that a list of relations, or one interval, means as a whole."""
    if len(claims) > 1 and not all(claim.kind == "relation" for claim in claims):
        return None
    regions: list[Region] = []
    names: set[str] = set()
    for claim in claims:
        found = region_of(claim.node)
        if found is None:
            return None
        regions.append(found[0])
        if found[1]:
            names.add(found[1])
    if len(names) > 1:
        return None
    return combine(regions, not any(claim.joined == "or" for claim in claims))


def _solutions(claims: Sequence[Claim]) -> Sequence[Claim]:
    """x = 1, y = 2, x = 3, y = 4 as two tuples; x = 1, y = 2 as one tuple with names. Other lists unchanged."""
    labels = [claim.label for claim in claims]
    if len(claims) < 2 or any(
        claim.kind != "value" or label is None or not claim.variable or isinstance(claim.node, Group)
        for claim, label in zip(claims, labels, strict=True)
    ):
        return claims
    distinct = list(dict.fromkeys(labels))
    size = len(distinct)
    if size < 2 or len(claims) % size or len(claims) == size:
        return claims
    rows = [claims[start : start + size] for start in range(0, len(claims), size)]
    if any(sorted(str(claim.label) for claim in row) != sorted(map(str, distinct)) for row in rows):
        return claims
    order = sorted(map(str, distinct))
    tuples: list[Claim] = []
    for row in rows:
        by_label = {str(claim.label): claim.node for claim in row}
        tuples.append(Claim("value", Group("(", ")", tuple(by_label[name] for name in order)), names=tuple(order)))
    return tuples


def _opened(claim: Claim) -> list[Claim] | None:
    """The members of a bracketed list, as claims."""
    if (
        claim.kind == "value"
        and isinstance(claim.node, Group)
        and claim.node.left in ("(", "[", "{", "\\{")
        and claim.node.items
    ):
        names: Sequence[str | None] = claim.names or [None] * len(claim.node.items)
        if len(names) != len(claim.node.items):
            names = [None] * len(claim.node.items)
        return [
            Claim("value", item, label=name, variable=name is not None)
            for item, name in zip(claim.node.items, names, strict=True)
        ]
    return None


def _against_group(
    items: list[Claim],
    many: Sequence[Claim],
    ordered: bool,
    answer_type: str | None,
    policy: Policy,
    prover: Prover | None,
) -> Found:
    if len(items) != len(many):
        return Found(NOT_EQUAL, "another number of parts")
    if ordered and all(claim.label for claim in many) and not items[0].label:
        labels = [str(claim.label) for claim in many]
        if len(set(labels)) == len(labels) and set(labels) <= set("xyzuvw"):
            many = [claim for _, claim in sorted(zip(labels, many, strict=True), key=lambda pair: pair[0])]
    matched = _matched(items, many, answer_type, policy, prover)
    if not ordered or matched.outcome != EQUAL:
        return matched
    positional = [
        _compare_one(one, other, answer_type, policy, prover).outcome for one, other in zip(items, many, strict=True)
    ]
    if all(outcome == EQUAL for outcome in positional):
        return matched
    named = [claim.label for claim in many if claim.label]
    if len(set(named)) == len(many) > 1:
        return Found(NOT_EQUAL, "the same values at other places")
    if len(named) == len(many) and len(set(named)) == 1:
        return matched
    return Found(UNDECIDED, "the same values in another order")


def _matched(
    left: Sequence[Claim], right: Sequence[Claim], answer_type: str | None, policy: Policy, prover: Prover | None
) -> Found:
    """Match claims one to one: by label where both sides have the same labels, else in any order."""
    labels = [[claim.label for claim in side] for side in (left, right)]
    if all(label is not None for side in labels for label in side):
        mine, yours = ([str(label) for label in side] for side in labels)
        if sorted(mine) == sorted(yours) and len(set(mine)) == len(mine):
            by_label = dict(zip(yours, right, strict=True))
            pairs = [
                _compare_one(claim, by_label[name], answer_type, policy, prover)
                for name, claim in zip(mine, left, strict=True)
            ]
            return _all(pairs, "every labelled part")
    rows = [[_compare_one(one, other, answer_type, policy, prover) for other in right] for one in left]
    if _perfect([[found.outcome == EQUAL for found in row] for row in rows]):
        return Found(
            EQUAL,
            "the same parts"
            + ("" if all(row[at].outcome == EQUAL for at, row in enumerate(rows)) else " in another order"),
        )
    possible = [[found.outcome != NOT_EQUAL for found in row] for row in rows]
    if not _perfect(possible):
        reasons = [found.reason for row in rows for found in row if found.outcome == NOT_EQUAL]
        lone = next((at for at, row in enumerate(possible) if not any(row)), None)
        return Found(
            NOT_EQUAL,
            f"part {lone + 1}: {rows[lone][min(lone, len(right) - 1)].reason}" if lone is not None else reasons[0],
        )
    return Found(UNDECIDED, next(found.reason for row in rows for found in row if found.outcome == UNDECIDED))


def _all(pairs: Sequence[Found], what: str) -> Found:
    for outcome in (NOT_EQUAL, UNDECIDED):
        for found in pairs:
            if found.outcome == outcome:
                return found
    return Found(EQUAL, f"{what}: {pairs[0].reason}")


def _perfect(allowed: list[list[bool]]) -> bool:
    """Whether a one-to-one matching exists (augmenting paths)."""
    partner: dict[int, int] = {}

    def place(row: int, seen: set[int]) -> bool:
        for column, fits in enumerate(allowed[row]):
            if fits and column not in seen:
                seen.add(column)
                if column not in partner or place(partner[column], seen):
                    partner[column] = row
                    return True
        return False

    return all(place(row, set()) for row in range(len(allowed)))


# One claim against one


def _compare_one(left: Claim, right: Claim, answer_type: str | None, policy: Policy, prover: Prover | None) -> Found:
    if left.others or right.others:
        return _compare_restated(left, right, answer_type, policy, prover)
    kinds = {left.kind, right.kind}
    if kinds == {"words"}:
        return _compare_words(left.node, right.node)
    if "words" in kinds:
        words, other = (left, right) if left.kind == "words" else (right, left)
        return _words_and_value(words.node, other)
    found = _compare_unlabelled(left, right, answer_type, policy, prover)
    if found.outcome == EQUAL and _labels_differ(left, right):
        return Found(NOT_EQUAL, f"equal values of different unknowns ({left.label}, {right.label})")
    if found.outcome == EQUAL and _labels_unsure(left, right):
        return Found(UNDECIDED, f"equal values with different names ({left.label}, {right.label})")
    return found


def _compare_restated(
    left: Claim, right: Claim, answer_type: str | None, policy: Policy, prover: Prover | None
) -> Found:
    """Equal where any form in which one side says its value equals any of the other's; the first forms decide else."""
    first: Found | None = None
    for one in (replace(left, others=()), *left.others[:4]):
        for other in (replace(right, others=()), *right.others[:4]):
            found = _compare_one(one, other, answer_type, policy, prover)
            if found.outcome == EQUAL:
                return found
            first = first or found
    assert first is not None
    return first


def _labels_differ(left: Claim, right: Claim) -> bool:
    if not (left.variable and right.variable) or left.label == right.label:
        return False
    letters = [re.sub(r"_\d$", "", claim.label or "") for claim in (left, right)]
    return letters[0] != letters[1]


def _labels_unsure(left: Claim, right: Claim) -> bool:
    if not left.label or not right.label or left.label == right.label or left.variable != right.variable:
        return False
    return (
        re.fullmatch(r"[A-Z](?:_\w)?", left.label) is not None
        and re.fullmatch(r"[A-Z](?:_\w)?", right.label) is not None
        and not isinstance(left.node, Group)
    )


def _compare_unlabelled(
    left: Claim, right: Claim, answer_type: str | None, policy: Policy, prover: Prover | None
) -> Found:
    if left.kind == "value" and right.kind == "value":
        return _compare_values(left, right, answer_type, policy, prover)
    regions = region_of(left.node), region_of(right.node)
    if regions[0] is not None and regions[1] is not None:
        return _named_regions(compare_regions(regions[0][0], regions[1][0]), [regions[0][1], regions[1][1]])
    if left.kind == "relation" and right.kind == "relation":
        return _compare_relations(left.node, right.node, policy, prover)
    if left.kind == "equation" and right.kind == "equation":
        return _compare_equations(left.node, right.node, policy, prover)
    if "equation" in (left.kind, right.kind):
        equation, value = (left, right) if left.kind == "equation" else (right, left)
        if value.kind == "relation":
            return Found(UNDECIDED, "an equation against a relation")
        return _equation_and_value(equation, value, answer_type, policy, prover)
    relation, value = (left, right) if left.kind == "relation" else (right, left)
    if is_number(value.node) and region_of(relation.node) is not None:
        return Found(NOT_EQUAL, "a number is no range")
    return Found(UNDECIDED, "a relation against a value")


def _named_regions(found: Found, names: list[str | None]) -> Found:
    first, second = names
    if found.outcome == EQUAL and first and second and first != second and "□" not in names:
        return Found(UNDECIDED, f"the same range for different unknowns ({first}, {second})")
    return found


def _compare_words(left: Node, right: Node) -> Found:
    assert isinstance(left, Words) and isinstance(right, Words)
    if left.text == right.text:
        return Found(EQUAL, "the same statement")
    if frozenset({left.text, right.text}) in lexicon.OPPOSITES:
        return Found(NOT_EQUAL, "opposite statements")
    known = [text in lexicon.STATEMENTS for text in (left.text, right.text)]
    return Found(NOT_EQUAL, "different statements") if all(known) else Found(UNDECIDED, "words that rules don't know")


def _words_and_value(words: Node, other: Claim) -> Found:
    assert isinstance(words, Words)
    text, node = words.text, other.node
    empty = isinstance(node, Group) and node.left == "{" and not node.items
    if text in ("empty set", "no solution") and empty:
        return Found(EQUAL, "the empty set in words")
    if text == "infinity" and node == Const("inf"):
        return Found(EQUAL, "infinity in words")
    if text == "all real numbers":
        region = region_of(node)
        if region is not None:
            return (
                Found(EQUAL, "all reals in words")
                if len(region[0]) == 1 and abs(region[0][0].low.number) > 1e29 and region[0][0].high.number > 1e29
                else Found(NOT_EQUAL, "not all reals")
            )
    if text in lexicon.STATEMENTS and other.kind == "value" and is_number(node):
        return Found(NOT_EQUAL, "a statement is no number")
    return Found(UNDECIDED, "words that rules don't know")


# Values


def _compare_values(left: Claim, right: Claim, answer_type: str | None, policy: Policy, prover: Prover | None) -> Found:
    left, right = _bound_renamed(left, right)
    found = _compare_nodes(left, right, left.node, right.node, policy, prover)
    if found.outcome == EQUAL or not (left.forms or right.forms):
        return found
    for mine in (left.node, *left.forms):
        for yours in (right.node, *right.forms):
            if (mine is left.node) == (yours is right.node) and mine is left.node:
                continue
            if mine is not left.node and yours is not right.node:
                continue
            again = _compare_nodes(left, right, mine, yours, policy, prover)
            if again.outcome == EQUAL:
                return Found(EQUAL, f"{again.reason}, with another member of the chain")
    return found


def _bound_renamed(left: Claim, right: Claim) -> tuple[Claim, Claim]:
    """f(x) = … and f(y) = … with one name of the argument."""
    pattern = r"[A-Za-z]\S*\(([a-z])\)"
    found = [re.fullmatch(pattern, claim.label or "") for claim in (left, right)]
    if found[0] and found[1] and found[0].group(1) != found[1].group(1):
        return left, replace(right, node=rename(right.node, {found[1].group(1): found[0].group(1)}))
    return left, right


def _compare_nodes(left: Claim, right: Claim, mine: Node, yours: Node, policy: Policy, prover: Prover | None) -> Found:
    mine, yours = _unwrapped(mine, yours)
    if (mine == Sym("R") and _is_reals(yours)) or (yours == Sym("R") and _is_reals(mine)):
        return Found(EQUAL, "the real numbers")
    groups = isinstance(mine, Group | Build), isinstance(yours, Group | Build)
    if groups[0] or groups[1]:
        if any(_ratio(node) for node in (mine, yours)):
            return _compare_ratios(mine, yours, policy, prover)
        return _compare_groups(mine, yours, policy, prover)
    regions = _set_region(mine), _set_region(yours)
    if regions[0] is not None and regions[1] is not None:
        return compare_regions(regions[0], regions[1])
    if any(isinstance(node, Chain | Words) for node in (mine, yours)):
        return Found(UNDECIDED, "a relation inside a value")
    return _compare_quantities(left, right, mine, yours, policy, prover)


def _is_reals(node: Node) -> bool:
    region = region_of(node)
    return (
        region is not None
        and len(region[0]) == 1
        and abs(region[0][0].low.number) > 1e29
        and region[0][0].high.number > 1e29
    )


def _set_region(node: Node) -> Region | None:
    if (isinstance(node, Call) and node.name in ("cup", "minus")) or node == Sym("ℝ"):
        found = region_of(node)
        return found[0] if found else None
    return None


def _unwrapped(mine: Node, yours: Node) -> tuple[Node, Node]:
    """Union and intersection of listed sets carried out."""
    return _carried_out(mine), _carried_out(yours)


def _carried_out(node: Node) -> Node:
    if isinstance(node, Call) and node.name in ("cup", "cap", "minus") and len(node.args) == 2:
        sides = [_carried_out(arg) for arg in node.args]
        if all(isinstance(side, Group) and side.left in ("{", "\\{") for side in sides):
            first, second = (side.items for side in sides if isinstance(side, Group))
            if len(first) + len(second) > MAX_ITEMS:
                return node
            inside = [any(_same_item(item, other) for other in second) for item in first]
            if node.name == "cap":
                return Group("{", "}", tuple(item for item, common in zip(first, inside, strict=True) if common))
            alone = tuple(item for item, common in zip(first, inside, strict=True) if not common)
            return Group("{", "}", alone if node.name == "minus" else (*alone, *second))
    if isinstance(node, Build):
        listed = _enumerated(node)
        return listed if listed is not None else node
    return node


def _same_item(left: Node, right: Node) -> bool:
    return _compare_items(left, right, DEFAULT, None).outcome == EQUAL


def _enumerated(node: Build) -> Group | None:
    """The members of {x ∈ ℤ or ℕ : conditions} where they are few."""
    domain, conditions = None, list(node.conditions)
    left = node.left
    if isinstance(left, Chain) and left.relations == ("∈",) and isinstance(left.members[1], Sym):
        domain, left = left.members[1].name, left.members[0]
    for condition in node.conditions:
        if isinstance(condition, Chain) and condition.relations == ("∈",) and isinstance(condition.members[1], Sym):
            domain = condition.members[1].name
            conditions.remove(condition)
    if domain not in ("ℤ", "Z", "ℕ", "N") or not isinstance(left, Sym) or not node.all_of or not conditions:
        return None
    low = -120 if domain in ("ℤ", "Z") else 1
    kept: list[Node] = []
    for value in range(low, 121):
        holds = [_holds(condition, left.name, value) for condition in conditions]
        if any(hold is None for hold in holds):
            return None
        if all(holds):
            kept.append(Num(fmpq(value)))
    edges = (fmpq(-120), fmpq(120))
    if len(kept) > MAX_ITEMS or any(isinstance(item, Num) and item.value in edges for item in kept):
        return None
    return Group("{", "}", tuple(kept))


def _holds(condition: Node, name: str, value: int) -> bool | None:
    if not isinstance(condition, Chain):
        return None
    replaced = substituted(condition, name, Num(fmpq(value)))
    assert isinstance(replaced, Chain)
    known: list[fmpq] = []
    for member in replaced.members:
        number = rational(member)
        if number is None:
            number = _approximate(member)
        if number is None:
            return None
        known.append(number)
    checks = {
        "<": fmpq.__lt__,
        ">": fmpq.__gt__,
        "<=": fmpq.__le__,
        ">=": fmpq.__ge__,
        "=": fmpq.__eq__,
        "!=": fmpq.__ne__,
    }
    if not set(replaced.relations) <= set(checks):
        return None
    return all(
        checks[relation](one, other) for one, relation, other in zip(known, replaced.relations, known[1:], strict=False)
    )


def _approximate(node: Node) -> fmpq | None:
    """A rational very near an irrational number, None where the node is none."""
    if symbols(node):
        return None
    with ctx.workprec(PRECISION):
        try:
            middle = ball(node, {}).mid()
        except NoValue:
            return None
        return fmpq(int((middle * 10**12).floor().unique_fmpz() or 0), 10**12)


def _ratio(node: Node) -> bool:
    return isinstance(node, Group) and node.left == "r"


def _compare_ratios(mine: Node, yours: Node, policy: Policy, prover: Prover | None) -> Found:
    if _ratio(mine) and _ratio(yours):
        assert isinstance(mine, Group) and isinstance(yours, Group)
        if len(mine.items) != len(yours.items):
            return Found(NOT_EQUAL, "ratios of another length")
        pairs = [
            compare_scalars(Mul((mine.items[0], other)), Mul((yours.items[0], own)), policy, prover)
            for own, other in zip(mine.items[1:], yours.items[1:], strict=True)
        ]
        return _all(pairs, "the same ratio")
    ratio, other = (mine, yours) if _ratio(mine) else (yours, mine)
    assert isinstance(ratio, Group)
    if isinstance(other, Group | Build):
        if isinstance(other, Group) and len(other.items) == len(ratio.items) and other.left in ("(", "["):
            return Found(UNDECIDED, "a ratio against a tuple")
        return Found(NOT_EQUAL, "a ratio is no set")
    if len(ratio.items) != 2:
        return Found(NOT_EQUAL, "a ratio of more than two is no number")
    return compare_scalars(quotient(ratio.items[0], ratio.items[1]), other, policy, prover)


def _compare_groups(mine: Node, yours: Node, policy: Policy, prover: Prover | None) -> Found:
    if isinstance(mine, Build) or isinstance(yours, Build):
        return _compare_built(mine, yours, policy, prover)
    if not (isinstance(mine, Group) and isinstance(yours, Group)):
        group, other = (mine, yours) if isinstance(mine, Group) else (yours, mine)
        assert isinstance(group, Group)
        region = region_of(group), region_of(other)
        if region[0] is not None and region[1] is not None:
            return compare_regions(region[0][0], region[1][0])
        if len(group.items) == 1 and group.left in ("{", "\\{"):
            found = _compare_items(group.items[0], other, policy, prover)
            return Found(UNDECIDED, "a set of one against its member") if found.outcome == EQUAL else found
        if symbols(other):
            return Found(UNDECIDED, "a listed set against a named one")
        return Found(NOT_EQUAL, "several values against one")
    sets = mine.left in ("{", "\\{"), yours.left in ("{", "\\{")
    if mine.left == "m" or yours.left == "m":
        return _compare_matrices(mine, yours, policy, prover)
    if sets[0] and sets[1]:
        return _compare_sets(mine, yours, policy, prover)
    if sets[0] or sets[1]:
        found = _compare_sets(mine, yours, policy, prover)
        return Found(UNDECIDED, "a set against a tuple with the same members") if found.outcome == EQUAL else found
    if len(mine.items) != len(yours.items):
        return Found(NOT_EQUAL, "tuples of another length")
    found = _all(
        [_compare_items(one, other, policy, prover) for one, other in zip(mine.items, yours.items, strict=True)],
        "every place",
    )
    marks = (mine.left, mine.right), (yours.left, yours.right)
    if found.outcome == EQUAL and len(mine.items) == 2 and marks[0] != marks[1]:
        if set(marks) == {("(", ")"), ("[", "]")} and region_of(mine) is None and region_of(yours) is None:
            return found
        return Found(NOT_EQUAL, "an end belongs to one interval only")
    return found


def _compare_built(mine: Node, yours: Node, policy: Policy, prover: Prover | None) -> Found:
    regions = region_of(mine), region_of(yours)
    if regions[0] is not None and regions[1] is not None:
        return compare_regions(regions[0][0], regions[1][0])
    if isinstance(mine, Build) and isinstance(yours, Build) and _same_build(mine, yours, policy, prover):
        return Found(EQUAL, "the same condition")
    return Found(UNDECIDED, "a set given by a condition that rules can't list")


def _same_build(mine: Build, yours: Build, policy: Policy, prover: Prover | None) -> bool:
    if len(mine.conditions) != len(yours.conditions) or mine.all_of != yours.all_of:
        return False
    pairs = [(mine.left, yours.left), *zip(mine.conditions, yours.conditions, strict=True)]
    return all(_compare_items(one, other, policy, prover).outcome == EQUAL for one, other in pairs)


def _compare_sets(mine: Group, yours: Group, policy: Policy, prover: Prover | None) -> Found:
    if len(mine.items) > MAX_ITEMS or len(yours.items) > MAX_ITEMS:
        return Found(UNDECIDED, "more members than the bound")
    first, second = _without_repeats(mine.items), _without_repeats(yours.items)
    if any(_dotted(item) for item in (*first, *second)):
        return Found(UNDECIDED, "a set with an ellipsis")
    if len(first) != len(second):
        return Found(NOT_EQUAL, "sets of another size")
    rows = [[_compare_items(one, other, policy, prover) for other in second] for one in first]
    if _perfect([[found.outcome == EQUAL for found in row] for row in rows]):
        return Found(EQUAL, "the same members")
    if not _perfect([[found.outcome != NOT_EQUAL for found in row] for row in rows]):
        return Found(NOT_EQUAL, "a member of one set is missing in the other")
    return Found(UNDECIDED, "members that can't be told apart")


def _dotted(node: Node) -> bool:
    return isinstance(node, Dots)


def _without_repeats(items: tuple[Node, ...]) -> list[Node]:
    kept: list[Node] = []
    for item in items:
        if item not in kept:
            kept.append(item)
    return kept


def _compare_matrices(mine: Group, yours: Group, policy: Policy, prover: Prover | None) -> Found:
    if len(mine.items) != len(yours.items):
        return (
            Found(NOT_EQUAL, "matrices of another shape")
            if mine.left == yours.left
            else Found(UNDECIDED, "a matrix against a list")
        )
    pairs: list[Found] = []
    for one, other in zip(mine.items, yours.items, strict=True):
        if isinstance(one, Group) and isinstance(other, Group):
            if len(one.items) != len(other.items):
                return Found(NOT_EQUAL, "matrices of another shape")
            pairs += [_compare_items(a, b, policy, prover) for a, b in zip(one.items, other.items, strict=True)]
        else:
            items = one.items if isinstance(one, Group) else other.items if isinstance(other, Group) else ()
            if len(items) == 1:
                scalar = other if isinstance(one, Group) else one
                pairs.append(_compare_items(items[0], scalar, policy, prover))
            else:
                pairs.append(_compare_items(one, other, policy, prover))
    return _all(pairs, "every entry") if pairs else Found(UNDECIDED, "an empty matrix")


def _compare_items(one: Node, other: Node, policy: Policy, prover: Prover | None) -> Found:
    if isinstance(one, Chain) or isinstance(other, Chain):
        if isinstance(one, Chain) and isinstance(other, Chain) and one.relations == other.relations:
            return _all(
                [_compare_items(a, b, policy, prover) for a, b in zip(one.members, other.members, strict=True)],
                "every member",
            )
        return Found(UNDECIDED, "a relation inside brackets")
    plain = Claim("value", one), Claim("value", other)
    return _compare_nodes(*plain, one, other, policy, prover)


# Quantities


def _compare_quantities(
    left: Claim, right: Claim, mine: Node, yours: Node, policy: Policy, prover: Prover | None
) -> Found:
    """Scalars with their units, degrees and percents."""
    mine, own = _angle(mine, left)
    yours, other = _angle(yours, right)
    if own and other:
        if own.measure != other.measure:
            found = compare_scalars(mine, yours, policy, prover)
            if found.outcome == EQUAL and {own.measure, other.measure} == POUNDS:
                return Found(UNDECIDED, "pounds of mass or of money")
            return Found(NOT_EQUAL, f"{own.name} and {other.name} measure different things")
        if own.factor != other.factor:
            base = max(own.factor, other.factor)
            return compare_scalars(
                _scaled(mine, own.factor / base), _scaled(yours, other.factor / base), policy, prover
            )
        return compare_scalars(mine, yours, policy, prover)
    degrees = _is_call(mine, "deg"), _is_call(yours, "deg")
    percents = _is_call(mine, "percent"), _is_call(yours, "percent")
    if (degrees[0] != degrees[1]) and not (own or other):
        angle, bare, claim = (mine, yours, right) if degrees[0] else (yours, mine, left)
        assert isinstance(angle, Call)
        as_radians = compare_scalars(angle, bare, policy, prover)
        if as_radians.outcome == EQUAL or claim.radians:
            return as_radians
        if any(part == Const("pi") for part in walk(bare)):
            return as_radians
        as_degrees = compare_scalars(angle.args[0], bare, policy, prover)
        return Found(EQUAL, "the degree sign left out") if as_degrees.outcome == EQUAL else as_radians
    if left.radians != right.radians and degrees == (False, False):
        return compare_scalars(mine, yours, policy, prover)
    if percents[0] != percents[1]:
        share, bare = (mine, yours) if percents[0] else (yours, mine)
        assert isinstance(share, Call)
        found = compare_scalars(share, bare, policy, prover)
        if found.outcome == NOT_EQUAL and compare_scalars(share.args[0], bare, policy, prover).outcome == EQUAL:
            return Found(UNDECIDED, "the bare number may or may not mean percent")
        return found
    found = compare_scalars(mine, yours, policy, prover)
    if found.outcome == EQUAL and (own or other):
        return Found(EQUAL, f"{found.reason}; a unit left out")
    return found


POUNDS = {(("mass", 1),), (("pound sterling", 1),)}


def _angle(node: Node, claim: Claim) -> tuple[Node, Unit | None]:
    """A quantity in degrees as an angle without unit; any other with its unit."""
    unit = claim.unit
    if unit is not None and unit.measure == (("angle", 1),):
        return Call("deg", (node,)), None
    return node, unit


def _is_call(node: Node, name: str) -> bool:
    return isinstance(node, Call) and node.name == name


def _scaled(node: Node, factor: fmpq) -> Node:
    return node if factor == 1 else Mul((Num(factor), node))


# Relations and equations


def _compare_relations(left: Node, right: Node, policy: Policy, prover: Prover | None) -> Found:
    assert isinstance(left, Chain) and isinstance(right, Chain)
    for candidate in (right, _flipped(right)):
        if candidate.relations == left.relations:
            pairs = [
                _compare_items(one, other, policy, prover)
                for one, other in zip(left.members, candidate.members, strict=True)
            ]
            if all(found.outcome == EQUAL for found in pairs):
                return Found(EQUAL, "the same relation, member by member")
    return Found(UNDECIDED, "relations that rules can't solve")


FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!=", "⊂": "⊃", "⊆": "⊇", "≈": "≈"}


def _flipped(chain: Chain) -> Chain:
    if not set(chain.relations) <= set(FLIPPED):
        return chain
    return Chain(tuple(reversed(chain.members)), tuple(FLIPPED[relation] for relation in reversed(chain.relations)))


def _difference(chain: Chain) -> Node:
    return Add((chain.members[0], negated(chain.members[-1])))


def _compare_equations(left: Node, right: Node, policy: Policy, prover: Prover | None) -> Found:
    """Equations are the same where their sides' differences are in a constant ratio."""
    assert isinstance(left, Chain) and isinstance(right, Chain)
    if any(isinstance(member, Group | Build | Words | Chain) for member in (*left.members, *right.members)):
        return Found(UNDECIDED, "equations of sets")
    first, second = _difference(left), _difference(right)
    names = symbols(first) | symbols(second)
    if symbols(first) != symbols(second):
        return Found(UNDECIDED, "equations in other symbols")
    constant = _constant_ratio(first, second, names)
    if constant:
        return Found(EQUAL, "the same equation, up to a constant factor")
    same = [_compare_items(left.members[at], right.members[at], policy, prover).outcome for at in (0, -1)]
    if same == [EQUAL, EQUAL]:
        return Found(EQUAL, "the same equation, side by side")
    if _degree_one(first, names) and _degree_one(second, names):
        return Found(NOT_EQUAL, "linear equations that aren't multiples of one another")
    if same[0] == EQUAL and same[1] == NOT_EQUAL:
        return Found(NOT_EQUAL, "the same left side, another right side")
    return Found(UNDECIDED, "equations that aren't multiples of one another")


def _constant_ratio(first: Node, second: Node, names: frozenset[str]) -> bool:
    from covary.mathematics.evaluate import PRIME, residue, seeded_residue

    ratios: set[int] = set()
    for round_number in range(4):
        point = {name: seeded_residue(name, round_number) for name in names}
        one, other = residue(first, point), residue(second, point)
        if not one or not other:
            return False
        ratios.add(one * pow(other, -1, PRIME) % PRIME)
    return len(ratios) == 1


def _degree_one(node: Node, names: frozenset[str]) -> bool:
    from covary.mathematics.polynomials import polynomial

    expanded = polynomial(node, tuple(sorted(names)))
    return expanded is not None and expanded.total_degree() <= 1


def _equals_another(equation: Claim, value: Claim, policy: Policy, prover: Prover | None) -> bool:
    forms = (value.node, *value.forms)
    return not value.forms and any(
        _compare_nodes(equation, value, mine, yours, policy, prover).outcome != NOT_EQUAL
        for mine in equation.forms
        for yours in forms
    )


def _equation_and_value(
    equation: Claim, value: Claim, answer_type: str | None, policy: Policy, prover: Prover | None
) -> Found:
    assert isinstance(equation.node, Chain)
    last = equation.node.members[-1]
    found = _compare_nodes(equation, value, last, value.node, policy, prover)
    if found.outcome != EQUAL:
        if value.variable and value.label:
            rebuilt = Chain((Sym(value.label), value.node), ("=",))
            return _compare_equations(equation.node, rebuilt, policy, prover)
        if _equals_another(equation, value, policy, prover) and symbols(equation.node.members[0]) != symbols(last):
            return Found(UNDECIDED, "the other side of an equation")
        scalar = not isinstance(value.node, Group | Build | Words | Chain)
        return found if scalar and found.outcome == NOT_EQUAL else Found(UNDECIDED, "an equation against a value")
    first = equation.node.members[0]
    if symbols(first) & symbols(last):
        return Found(UNDECIDED, "an equation in which the unknown stands on both sides")
    if symbols(last) or answer_type == "Numerical":
        return Found(EQUAL, f"{found.reason}, as the right side of an equation")
    return Found(UNDECIDED, "an equation against the value of its right side")
