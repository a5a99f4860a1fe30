"""Sets of real numbers given by inequalities, intervals and conditions, as unions of intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, ctx, fmpq

from covary.mathematics.evaluate import PRECISION, NoValue, ball, rational
from covary.mathematics.scalars import Found
from covary.mathematics.tree import Add, Build, Call, Chain, Const, Group, Mul, Node, Num, Sym, negated, symbols

FLIP = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
INFINITY = 10**30


@dataclass(frozen=True)
class End:
    """One end of an interval: its value (±INFINITY for none) and whether it belongs to it."""

    value: fmpq | arb
    closed: bool

    @property
    def number(self) -> float:
        """Its value as a float, for order."""
        value = self.value
        return float(value.mid()) if isinstance(value, arb) else float(int(value.p)) / float(int(value.q))


@dataclass(frozen=True)
class Interval:
    low: End
    high: End


Region = tuple[Interval, ...]
EVERYTHING: Region = (Interval(End(fmpq(-INFINITY), False), End(fmpq(INFINITY), False)),)


def region_of(node: Node) -> tuple[Region, str | None] | None:
    """The real numbers that an inequality, an interval, a union of them or a condition allows, and the symbol used."""
    with ctx.workprec(PRECISION):
        return _region(node)


def _region(node: Node) -> tuple[Region, str | None] | None:
    match node:
        case Sym("ℝ"):
            return EVERYTHING, None
        case Group("(" | "[" as left, ")" | "]" as right, (low, high)):
            ends = _end(low, left == "["), _end(high, right == "]")
            if ends[0] is None or ends[1] is None or not ends[0].number < ends[1].number:
                return None
            return (Interval(ends[0], ends[1]),), None
        case Call("cup", (left_node, right_node)):
            both = _region(left_node), _region(right_node)
            if both[0] is None or both[1] is None:
                return None
            return union(both[0][0], both[1][0]), both[0][1] or both[1][1]
        case Call("minus", (Sym("ℝ" | "R"), Group("{", _, items))):
            return _without(items)
        case Chain(members, relations):
            return _chain(members, relations)
        case Build(left, conditions, all_of):
            return _build(left, conditions, all_of)
        case _:
            return None


def _without(items: tuple[Node, ...]) -> tuple[Region, str | None] | None:
    region = EVERYTHING
    for item in items:
        end = _end(item, False)
        if end is None:
            return None
        pieces = (Interval(End(fmpq(-INFINITY), False), end), Interval(end, End(fmpq(INFINITY), False)))
        region = intersection(region, pieces)
    return region, None


def _build(left: Node, conditions: tuple[Node, ...], all_of: bool) -> tuple[Region, str | None] | None:
    symbol: str | None = None
    if isinstance(left, Sym):
        symbol = left.name
    elif isinstance(left, Chain) and left.relations == ("∈",) and isinstance(left.members[0], Sym):
        if left.members[1] not in (Sym("ℝ"), Sym("R")):
            return None
        symbol = left.members[0].name
    else:
        return None
    regions: list[Region] = []
    for condition in conditions:
        if (
            isinstance(condition, Chain)
            and condition.relations == ("∈",)
            and condition.members[1] in (Sym("ℝ"), Sym("R"))
        ):
            continue
        found = _region(condition)
        if found is None or found[1] not in (symbol, None):
            return None
        regions.append(found[0])
    if not regions:
        return EVERYTHING, symbol
    return combine(regions, all_of), symbol


def combine(regions: Sequence[Region], all_of: bool) -> Region:
    """Intersection or union of several; an empty intersection of a list is meant as a union."""
    result = regions[0]
    for other in regions[1:]:
        result = intersection(result, other) if all_of else union(result, other)
    if all_of and not result and len(regions) > 1:
        return combine(regions, False)
    return result


def _chain(members: tuple[Node, ...], relations: tuple[str, ...]) -> tuple[Region, str | None] | None:
    if relations == ("∈",) and isinstance(members[0], Sym):
        inner = _region(members[1])
        return None if inner is None else (inner[0], members[0].name)
    if not set(relations) <= {"<", ">", "<=", ">=", "!="}:
        return None
    names = {name for member in members for name in symbols(member)}
    if len(names) != 1:
        return None
    name = names.pop()
    region = EVERYTHING
    for left, relation, right in zip(members, relations, members[1:], strict=False):
        part = _solve(left, relation, right, name)
        if part is None:
            return None
        region = intersection(region, part)
    return region, name


def _solve(left: Node, relation: str, right: Node, name: str) -> Region | None:
    """The region of `left relation right` where it is linear in the symbol, or the absolute value of that."""
    if not symbols(left) and not symbols(right):
        return EVERYTHING
    if isinstance(left, Call) and left.name == "abs" and not symbols(right):
        inner = left.args[0]
        below, above = (
            _solve(inner, "<" if "=" not in relation else "<=", right, name),
            _solve(inner, ">" if "=" not in relation else ">=", negated(right), name),
        )
        if relation in ("<", "<="):
            return intersection(below, above) if below is not None and above is not None else None
        below = _solve(inner, relation, right, name)
        above = _solve(inner, FLIP[relation], negated(right), name)
        return union(below, above) if below is not None and above is not None else None
    if isinstance(right, Call) and right.name == "abs" and not symbols(left):
        return _solve(right, FLIP[relation], left, name)
    if isinstance(left, Sym) and not symbols(right):
        return _half(relation, right)
    if isinstance(right, Sym) and not symbols(left):
        return _half(FLIP[relation], left)
    slope, offset = _linear(Add((left, negated(right))), name)
    if slope is None or offset is None or slope == 0:
        return None
    return _half(relation if slope > 0 else FLIP[relation], Num(-offset / slope))


def _half(relation: str, bound: Node) -> Region | None:
    end = _end(bound, "=" in relation and relation != "!=")
    if end is None:
        return None
    low, high = End(fmpq(-INFINITY), False), End(fmpq(INFINITY), False)
    if relation == "!=":
        return (Interval(low, end), Interval(end, high))
    return (Interval(low, end),) if "<" in relation else (Interval(end, high),)


def _linear(node: Node, name: str) -> tuple[fmpq | None, fmpq | None]:
    """Slope and offset of a node that is linear in one symbol with rational coefficients; Nones for any other."""
    values = [rational(substituted(node, name, Num(fmpq(at)))) for at in (0, 1, 2, 7)]
    if any(value is None for value in values):
        return None, None
    zero, one, two, seven = (value for value in values if value is not None)
    slope = one - zero
    if two - one != slope or seven - zero != 7 * slope:
        return None, None
    return slope, zero


def substituted(node: Node, name: str, value: Node) -> Node:
    """The tree with a symbol replaced."""
    match node:
        case Sym(other):
            return value if other == name else node
        case Add(terms):
            return Add(tuple(substituted(term, name, value) for term in terms))
        case Mul(factors):
            return Mul(tuple(substituted(factor, name, value) for factor in factors))
        case Call(call, args):
            return Call(call, tuple(substituted(arg, name, value) for arg in args))
        case Chain(members, relations):
            return Chain(tuple(substituted(member, name, value) for member in members), relations)
        case _ if hasattr(node, "base"):
            from covary.mathematics.tree import Pow

            assert isinstance(node, Pow)
            return Pow(substituted(node.base, name, value), substituted(node.exponent, name, value))
        case _:
            return node


def _end(node: Node, closed: bool) -> End | None:
    if node == Const("inf"):
        return End(fmpq(INFINITY), False)
    if node == negated(Const("inf")):
        return End(fmpq(-INFINITY), False)
    exact = rational(node)
    if exact is not None:
        return End(exact, closed) if abs(exact) < INFINITY else None
    if symbols(node):
        return None
    try:
        return End(ball(node, {}), closed)
    except NoValue:
        return None


def union(left: Region, right: Region) -> Region:
    """Both together, with touching intervals joined."""
    pieces = sorted([*left, *right], key=lambda piece: (piece.low.number, not piece.low.closed))
    joined: list[Interval] = []
    for piece in pieces:
        if joined and (
            joined[-1].high.number > piece.low.number
            or (joined[-1].high.number == piece.low.number and (joined[-1].high.closed or piece.low.closed))
        ):
            last = joined.pop()
            high = max(last.high, piece.high, key=lambda end: (end.number, end.closed))
            joined.append(Interval(last.low, high))
        else:
            joined.append(piece)
    return tuple(joined)


def intersection(left: Region, right: Region) -> Region:
    """What is in both."""
    found: list[Interval] = []
    for one in left:
        for other in right:
            low = max(one.low, other.low, key=lambda end: (end.number, not end.closed))
            high = min(one.high, other.high, key=lambda end: (end.number, end.closed))
            if low.number < high.number or (low.number == high.number and low.closed and high.closed):
                found.append(Interval(low, high))
    return tuple(found)


def compare_regions(left: Region, right: Region) -> Found:
    """Whether two regions are the same set."""
    if len(left) != len(right):
        return Found("not_equal", "solution sets with another number of intervals")
    with ctx.workprec(PRECISION):
        for one, other in zip(left, right, strict=True):
            for mine, yours in ((one.low, other.low), (one.high, other.high)):
                if mine.number != yours.number and abs(mine.number - yours.number) > 1e-12 * max(
                    abs(mine.number), abs(yours.number)
                ):
                    return Found("not_equal", "an end of the solution set differs")
                if mine.closed != yours.closed:
                    return Found("not_equal", "an end belongs to one solution set only")
    return Found("equal", "the same solution set")
