"""Lists of claims: regions, tuples of unknowns, parts matched by label or in any order; a part is not the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from covary.mathematics.claims import Claim
from covary.mathematics.listed import carried_out
from covary.mathematics.outcomes import EQUAL, NOT_EQUAL, UNDECIDED, all_of, perfect_matching
from covary.mathematics.regions import Region, combine, compare_regions, region_of
from covary.mathematics.scalars import Found
from covary.mathematics.single import compare_one
from covary.mathematics.tree import (
    Add,
    Build,
    Dots,
    Group,
    Mul,
    children,
)
from covary.mathematics.values import is_ratio, same_item
from covary.mathematics.verdict import Rules

MAX_ITEMS = 60
PART_OF_WHOLE = "a part is not the whole"
OTHER_COUNT = "another number of parts"


def compare_claims(left: Sequence[Claim], right: Sequence[Claim], rules: Rules) -> Found:
    """Whether two answers claim the same things."""
    if not left or not right:
        return Found(UNDECIDED, "nothing to compare")
    if len(left) > MAX_ITEMS or len(right) > MAX_ITEMS:
        return Found(UNDECIDED, "more parts than the bound")
    if len(left) == 1 and len(right) == 1:
        return compare_one(left[0], right[0], rules)
    regions = _whole_region(left), _whole_region(right)
    if regions[0] is not None and regions[1] is not None:
        return compare_regions(regions[0], regions[1])
    grouped = _solutions(left), _solutions(right)
    if len(grouped[0]) == len(grouped[1]):
        left, right = grouped
    left, right = _pairs(left, right), _pairs(right, left)
    if len(left) == 1 and len(right) == 1:
        return compare_one(left[0], right[0], rules)
    if len(left) == 1 or len(right) == 1:
        single, many = (left[0], right) if len(left) == 1 else (right[0], left)
        single = replace(single, node=carried_out(single.node, same_item))
        if isinstance(single.node, Build):
            return Found(UNDECIDED, "a set given by a condition against a list")
        opened = _opened(single)
        if opened is None and is_ratio(single.node):
            assert isinstance(single.node, Group)
            listed = _against_group([Claim("value", item) for item in single.node.items], many, True, rules)
            return Found(UNDECIDED, "a ratio against a list") if listed.outcome == EQUAL else listed
        if opened is not None:
            ordered = isinstance(single.node, Group) and single.node.left != "{"
            return _against_group(opened, many, ordered, rules)
        extra = [claim for claim in many if claim.kind == "value"]
        if any(compare_one(single, claim, rules).outcome != NOT_EQUAL for claim in many):
            if len(extra) < len(many) or single.kind != "value":
                return Found(UNDECIDED, "a part against a whole with relations or words")
            return Found(NOT_EQUAL, PART_OF_WHOLE)
        if _as_terms(single, many, rules):
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
    found = _matched(left, right, rules)
    if found.outcome == NOT_EQUAL and _sign_pairs(left, right):
        return Found(UNDECIDED, "signs that may pair in several ways")
    return found


def merged(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
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
    return compare_one(left, right, Rules()).outcome == EQUAL


def _as_terms(single: Claim, many: Sequence[Claim], rules: Rules) -> bool:
    """The list holds the terms or the factors of the single expression."""
    node = single.node
    items = [part for part in children(node) if not isinstance(part, Dots)] if isinstance(node, Add | Mul) else []
    return (
        1 < len(items) == len(many) and _matched([Claim("value", item) for item in items], many, rules).outcome == EQUAL
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


def _against_group(items: list[Claim], many: Sequence[Claim], ordered: bool, rules: Rules) -> Found:
    if len(items) != len(many):
        return Found(NOT_EQUAL, "another number of parts")
    if ordered and all(claim.label for claim in many) and not items[0].label:
        labels = [str(claim.label) for claim in many]
        if len(set(labels)) == len(labels) and set(labels) <= set("xyzuvw"):
            many = [claim for _, claim in sorted(zip(labels, many, strict=True), key=lambda pair: pair[0])]
    matched = _matched(items, many, rules)
    if not ordered or matched.outcome != EQUAL:
        return matched
    positional = [compare_one(one, other, rules).outcome for one, other in zip(items, many, strict=True)]
    if all(outcome == EQUAL for outcome in positional):
        return matched
    named = [claim.label for claim in many if claim.label]
    if len(set(named)) == len(many) > 1:
        return Found(NOT_EQUAL, "the same values at other places")
    if len(named) == len(many) and len(set(named)) == 1:
        return matched
    return Found(UNDECIDED, "the same values in another order")


def _matched(left: Sequence[Claim], right: Sequence[Claim], rules: Rules) -> Found:
    """Match claims one to one: by label where both sides have the same labels, else in any order."""
    labels = [[claim.label for claim in side] for side in (left, right)]
    if all(label is not None for side in labels for label in side):
        mine, yours = ([str(label) for label in side] for side in labels)
        if sorted(mine) == sorted(yours) and len(set(mine)) == len(mine):
            by_label = dict(zip(yours, right, strict=True))
            pairs = [compare_one(claim, by_label[name], rules) for name, claim in zip(mine, left, strict=True)]
            return all_of(pairs, "every labelled part")
    rows = [[compare_one(one, other, rules) for other in right] for one in left]
    if perfect_matching([[found.outcome == EQUAL for found in row] for row in rows]):
        return Found(
            EQUAL,
            "the same parts"
            + ("" if all(row[at].outcome == EQUAL for at, row in enumerate(rows)) else " in another order"),
        )
    possible = [[found.outcome != NOT_EQUAL for found in row] for row in rows]
    if not perfect_matching(possible):
        reasons = [found.reason for row in rows for found in row if found.outcome == NOT_EQUAL]
        lone = next((at for at, row in enumerate(possible) if not any(row)), None)
        return Found(
            NOT_EQUAL,
            f"part {lone + 1}: {rows[lone][min(lone, len(right) - 1)].reason}" if lone is not None else reasons[0],
        )
    return Found(UNDECIDED, next(found.reason for row in rows for found in row if found.outcome == UNDECIDED))
