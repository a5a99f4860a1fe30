"""Two values: numbers with units, degrees and percents; sets, tuples, intervals, matrices and ratios."""

from __future__ import annotations

from flint import fmpq

from covary.mathematics.claims import Claim
from covary.mathematics.listed import MAX_ITEMS, carried_out
from covary.mathematics.outcomes import EQUAL, NOT_EQUAL, UNDECIDED, all_of, perfect_matching
from covary.mathematics.regions import Region, compare_regions, region_of
from covary.mathematics.scalars import Found, compare_scalars
from covary.mathematics.tree import (
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
    quotient,
    symbols,
    walk,
)
from covary.mathematics.units import Unit
from covary.mathematics.verdict import Rules

POUNDS = {(("mass", 1),), (("pound sterling", 1),)}


def compare_nodes(left: Claim, right: Claim, mine: Node, yours: Node, rules: Rules) -> Found:
    mine, yours = carried_out(mine, same_item), carried_out(yours, same_item)
    if (mine == Sym("R") and is_reals(yours)) or (yours == Sym("R") and is_reals(mine)):
        return Found(EQUAL, "the real numbers")
    groups = isinstance(mine, Group | Build), isinstance(yours, Group | Build)
    if groups[0] or groups[1]:
        if any(is_ratio(node) for node in (mine, yours)):
            return _compare_ratios(mine, yours, rules)
        return _compare_groups(mine, yours, rules)
    regions = _set_region(mine), _set_region(yours)
    if regions[0] is not None and regions[1] is not None:
        return compare_regions(regions[0], regions[1])
    if any(isinstance(node, Chain | Words) for node in (mine, yours)):
        return Found(UNDECIDED, "a relation inside a value")
    return _compare_quantities(left, right, mine, yours, rules)


def same_item(one: Node, other: Node) -> bool:
    return compare_items(one, other, Rules()).outcome == EQUAL


def is_reals(node: Node) -> bool:
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


def is_ratio(node: Node) -> bool:
    return isinstance(node, Group) and node.left == "r"


def _compare_ratios(mine: Node, yours: Node, rules: Rules) -> Found:
    if is_ratio(mine) and is_ratio(yours):
        assert isinstance(mine, Group) and isinstance(yours, Group)
        if len(mine.items) != len(yours.items):
            return Found(NOT_EQUAL, "ratios of another length")
        pairs = [
            compare_scalars(Mul((mine.items[0], other)), Mul((yours.items[0], own)), rules)
            for own, other in zip(mine.items[1:], yours.items[1:], strict=True)
        ]
        return all_of(pairs, "the same ratio")
    ratio, other = (mine, yours) if is_ratio(mine) else (yours, mine)
    assert isinstance(ratio, Group)
    if isinstance(other, Group | Build):
        if isinstance(other, Group) and len(other.items) == len(ratio.items) and other.left in ("(", "["):
            return Found(UNDECIDED, "a ratio against a tuple")
        return Found(NOT_EQUAL, "a ratio is no set")
    if len(ratio.items) != 2:
        return Found(NOT_EQUAL, "a ratio of more than two is no number")
    return compare_scalars(quotient(ratio.items[0], ratio.items[1]), other, rules)


def _compare_quantities(left: Claim, right: Claim, mine: Node, yours: Node, rules: Rules) -> Found:
    """Scalars with their units, degrees and percents."""
    mine, own = _angle(mine, left)
    yours, other = _angle(yours, right)
    if own and other:
        if own.measure != other.measure:
            found = compare_scalars(mine, yours, rules)
            if found.outcome == EQUAL and {own.measure, other.measure} == POUNDS:
                return Found(UNDECIDED, "pounds of mass or of money")
            return Found(NOT_EQUAL, f"{own.name} and {other.name} measure different things")
        if own.factor != other.factor:
            base = max(own.factor, other.factor)
            return compare_scalars(_scaled(mine, own.factor / base), _scaled(yours, other.factor / base), rules)
        return compare_scalars(mine, yours, rules)
    degrees = is_call(mine, "deg"), is_call(yours, "deg")
    percents = is_call(mine, "percent"), is_call(yours, "percent")
    if (degrees[0] != degrees[1]) and not (own or other):
        angle, bare, claim = (mine, yours, right) if degrees[0] else (yours, mine, left)
        assert isinstance(angle, Call)
        as_radians = compare_scalars(angle, bare, rules)
        if as_radians.outcome == EQUAL or claim.radians:
            return as_radians
        if any(part == Const("pi") for part in walk(bare)):
            return as_radians
        as_degrees = compare_scalars(angle.args[0], bare, rules)
        return Found(EQUAL, "the degree sign left out") if as_degrees.outcome == EQUAL else as_radians
    if left.radians != right.radians and degrees == (False, False):
        return compare_scalars(mine, yours, rules)
    if percents[0] != percents[1]:
        share, bare = (mine, yours) if percents[0] else (yours, mine)
        assert isinstance(share, Call)
        found = compare_scalars(share, bare, rules)
        if found.outcome == NOT_EQUAL and compare_scalars(share.args[0], bare, rules).outcome == EQUAL:
            return Found(UNDECIDED, "the bare number may or may not mean percent")
        return found
    found = compare_scalars(mine, yours, rules)
    if found.outcome == EQUAL and (own or other):
        return Found(EQUAL, f"{found.reason}; a unit left out")
    return found


def _angle(node: Node, claim: Claim) -> tuple[Node, Unit | None]:
    """A quantity in degrees as an angle without unit; any other with its unit."""
    unit = claim.unit
    if unit is not None and unit.measure == (("angle", 1),):
        return Call("deg", (node,)), None
    return node, unit


def is_call(node: Node, name: str) -> bool:
    return isinstance(node, Call) and node.name == name


def _scaled(node: Node, factor: fmpq) -> Node:
    return node if factor == 1 else Mul((Num(factor), node))


def _compare_groups(mine: Node, yours: Node, rules: Rules) -> Found:
    if isinstance(mine, Build) or isinstance(yours, Build):
        return _compare_built(mine, yours, rules)
    if not (isinstance(mine, Group) and isinstance(yours, Group)):
        group, other = (mine, yours) if isinstance(mine, Group) else (yours, mine)
        assert isinstance(group, Group)
        region = region_of(group), region_of(other)
        if region[0] is not None and region[1] is not None:
            return compare_regions(region[0][0], region[1][0])
        if len(group.items) == 1 and group.left in ("{", "\\{"):
            found = compare_items(group.items[0], other, rules)
            return Found(UNDECIDED, "a set of one against its member") if found.outcome == EQUAL else found
        if symbols(other):
            return Found(UNDECIDED, "a listed set against a named one")
        return Found(NOT_EQUAL, "several values against one")
    sets = mine.left in ("{", "\\{"), yours.left in ("{", "\\{")
    if mine.left == "m" or yours.left == "m":
        return _compare_matrices(mine, yours, rules)
    if sets[0] and sets[1]:
        return _compare_sets(mine, yours, rules)
    if sets[0] or sets[1]:
        found = _compare_sets(mine, yours, rules)
        return Found(UNDECIDED, "a set against a tuple with the same members") if found.outcome == EQUAL else found
    if len(mine.items) != len(yours.items):
        return Found(NOT_EQUAL, "tuples of another length")
    found = all_of(
        [compare_items(one, other, rules) for one, other in zip(mine.items, yours.items, strict=True)],
        "every place",
    )
    marks = (mine.left, mine.right), (yours.left, yours.right)
    if found.outcome == EQUAL and len(mine.items) == 2 and marks[0] != marks[1]:
        if set(marks) == {("(", ")"), ("[", "]")} and region_of(mine) is None and region_of(yours) is None:
            return found
        return Found(NOT_EQUAL, "an end belongs to one interval only")
    return found


def _compare_built(mine: Node, yours: Node, rules: Rules) -> Found:
    regions = region_of(mine), region_of(yours)
    if regions[0] is not None and regions[1] is not None:
        return compare_regions(regions[0][0], regions[1][0])
    if isinstance(mine, Build) and isinstance(yours, Build) and _same_build(mine, yours, rules):
        return Found(EQUAL, "the same condition")
    return Found(UNDECIDED, "a set given by a condition that rules can't list")


def _same_build(mine: Build, yours: Build, rules: Rules) -> bool:
    if len(mine.conditions) != len(yours.conditions) or mine.all_of != yours.all_of:
        return False
    pairs = [(mine.left, yours.left), *zip(mine.conditions, yours.conditions, strict=True)]
    return all(compare_items(one, other, rules).outcome == EQUAL for one, other in pairs)


def _compare_sets(mine: Group, yours: Group, rules: Rules) -> Found:
    if len(mine.items) > MAX_ITEMS or len(yours.items) > MAX_ITEMS:
        return Found(UNDECIDED, "more members than the bound")
    first, second = _without_repeats(mine.items), _without_repeats(yours.items)
    if any(_dotted(item) for item in (*first, *second)):
        return Found(UNDECIDED, "a set with an ellipsis")
    if len(first) != len(second):
        return Found(NOT_EQUAL, "sets of another size")
    rows = [[compare_items(one, other, rules) for other in second] for one in first]
    if perfect_matching([[found.outcome == EQUAL for found in row] for row in rows]):
        return Found(EQUAL, "the same members")
    if not perfect_matching([[found.outcome != NOT_EQUAL for found in row] for row in rows]):
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


def _compare_matrices(mine: Group, yours: Group, rules: Rules) -> Found:
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
            pairs += [compare_items(a, b, rules) for a, b in zip(one.items, other.items, strict=True)]
        else:
            items = one.items if isinstance(one, Group) else other.items if isinstance(other, Group) else ()
            if len(items) == 1:
                scalar = other if isinstance(one, Group) else one
                pairs.append(compare_items(items[0], scalar, rules))
            else:
                pairs.append(compare_items(one, other, rules))
    return all_of(pairs, "every entry") if pairs else Found(UNDECIDED, "an empty matrix")


def compare_items(one: Node, other: Node, rules: Rules) -> Found:
    if isinstance(one, Chain) or isinstance(other, Chain):
        if isinstance(one, Chain) and isinstance(other, Chain) and one.relations == other.relations:
            return all_of(
                [compare_items(a, b, rules) for a, b in zip(one.members, other.members, strict=True)],
                "every member",
            )
        return Found(UNDECIDED, "a relation inside brackets")
    plain = Claim("value", one), Claim("value", other)
    return compare_nodes(*plain, one, other, rules)
