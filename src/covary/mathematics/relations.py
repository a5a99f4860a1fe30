"""Two relations or equations, and an equation against a value."""

from __future__ import annotations

from covary.mathematics.claims import Claim
from covary.mathematics.evaluate import PRIME, residue, seeded_residue
from covary.mathematics.outcomes import EQUAL, NOT_EQUAL, UNDECIDED
from covary.mathematics.polynomials import polynomial
from covary.mathematics.scalars import Found
from covary.mathematics.tree import (
    Add,
    Build,
    Chain,
    Group,
    Node,
    Sym,
    Words,
    negated,
    symbols,
)
from covary.mathematics.values import compare_items, compare_nodes
from covary.mathematics.verdict import Rules


def compare_relations(left: Node, right: Node, rules: Rules) -> Found:
    assert isinstance(left, Chain) and isinstance(right, Chain)
    for candidate in (right, _flipped(right)):
        if candidate.relations == left.relations:
            pairs = [
                compare_items(one, other, rules) for one, other in zip(left.members, candidate.members, strict=True)
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


def compare_equations(left: Node, right: Node, rules: Rules) -> Found:
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
    same = [compare_items(left.members[at], right.members[at], rules).outcome for at in (0, -1)]
    if same == [EQUAL, EQUAL]:
        return Found(EQUAL, "the same equation, side by side")
    if _degree_one(first, names) and _degree_one(second, names):
        return Found(NOT_EQUAL, "linear equations that aren't multiples of one another")
    if same[0] == EQUAL and same[1] == NOT_EQUAL:
        return Found(NOT_EQUAL, "the same left side, another right side")
    return Found(UNDECIDED, "equations that aren't multiples of one another")


def _constant_ratio(first: Node, second: Node, names: frozenset[str]) -> bool:

    ratios: set[int] = set()
    for round_number in range(4):
        point = {name: seeded_residue(name, round_number) for name in names}
        one, other = residue(first, point), residue(second, point)
        if not one or not other:
            return False
        ratios.add(one * pow(other, -1, PRIME) % PRIME)
    return len(ratios) == 1


def _degree_one(node: Node, names: frozenset[str]) -> bool:

    expanded = polynomial(node, tuple(sorted(names)))
    return expanded is not None and expanded.total_degree() <= 1


def _equals_another(equation: Claim, value: Claim, rules: Rules) -> bool:
    forms = (value.node, *value.forms)
    return not value.forms and any(
        compare_nodes(equation, value, mine, yours, rules).outcome != NOT_EQUAL
        for mine in equation.forms
        for yours in forms
    )


def compare_equation_and_value(equation: Claim, value: Claim, rules: Rules) -> Found:
    assert isinstance(equation.node, Chain)
    last = equation.node.members[-1]
    found = compare_nodes(equation, value, last, value.node, rules)
    if found.outcome != EQUAL:
        if value.variable and value.label:
            rebuilt = Chain((Sym(value.label), value.node), ("=",))
            return compare_equations(equation.node, rebuilt, rules)
        if _equals_another(equation, value, rules) and symbols(equation.node.members[0]) != symbols(last):
            return Found(UNDECIDED, "the other side of an equation")
        scalar = not isinstance(value.node, Group | Build | Words | Chain)
        return found if scalar and found.outcome == NOT_EQUAL else Found(UNDECIDED, "an equation against a value")
    first = equation.node.members[0]
    if symbols(first) & symbols(last):
        return Found(UNDECIDED, "an equation in which the unknown stands on both sides")
    if symbols(last) or rules.answer_type == "Numerical":
        return Found(EQUAL, f"{found.reason}, as the right side of an equation")
    return Found(UNDECIDED, "an equation against the value of its right side")
