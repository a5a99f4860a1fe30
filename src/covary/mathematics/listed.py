"""Sets carried out: unions of listed sets, and the members of a set of whole numbers given by a condition."""

from __future__ import annotations

from collections.abc import Callable

from flint import ctx, fmpq

from covary.mathematics.evaluate import PRECISION, NoValue, ball, rational
from covary.mathematics.regions import substituted
from covary.mathematics.tree import (
    Build,
    Call,
    Chain,
    Group,
    Node,
    Num,
    Sym,
    symbols,
)

MAX_ITEMS = 60
SEARCHED = 120  # whole numbers from -SEARCHED to SEARCHED


def carried_out(node: Node, same: Callable[[Node, Node], bool]) -> Node:
    """A union, intersection or difference of listed sets as one set, and a small set of whole numbers by its members."""
    if isinstance(node, Call) and node.name in ("cup", "cap", "minus") and len(node.args) == 2:
        sides = [carried_out(arg, same) for arg in node.args]
        if all(isinstance(side, Group) and side.left in ("{", "\\{") for side in sides):
            first, second = (side.items for side in sides if isinstance(side, Group))
            if len(first) + len(second) > MAX_ITEMS:
                return node
            inside = [any(same(item, other) for other in second) for item in first]
            if node.name == "cap":
                return Group("{", "}", tuple(item for item, common in zip(first, inside, strict=True) if common))
            alone = tuple(item for item, common in zip(first, inside, strict=True) if not common)
            return Group("{", "}", alone if node.name == "minus" else (*alone, *second))
    if isinstance(node, Build):
        listed = _enumerated(node)
        return listed if listed is not None else node
    return node


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
    low = -SEARCHED if domain in ("ℤ", "Z") else 1
    kept: list[Node] = []
    for value in range(low, SEARCHED + 1):
        holds = [_holds(condition, left.name, value) for condition in conditions]
        if any(hold is None for hold in holds):
            return None
        if all(holds):
            kept.append(Num(fmpq(value)))
    edges = (fmpq(-SEARCHED), fmpq(SEARCHED))
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
