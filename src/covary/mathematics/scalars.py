"""Two expressions without brackets of their own: exact, by seeded points, by balls; rounding by policy."""

from __future__ import annotations

from typing import NamedTuple

from flint import arb, ctx, fmpq

from covary.mathematics.evaluate import PRECISION, NoValue, ball, rational, residue, seeded_real, seeded_residue
from covary.mathematics.tree import Add, Call, Const, Dots, Mul, Node, Num, Pow, Sym, symbols, walk
from covary.mathematics.verdict import Outcome, Policy, Prover, Rules

RESIDUE_ROUNDS = 3
NO_POINTS = "no common points where both have a value"
HIGH_PRECISION = 2000  # bits
SAME_RELATIVE = 3e-6  # π taken as 3.1416 instead of 3.14159…
SURELY_OTHER = 0.01  # relative distance from which two small numbers are two numbers
UNSURE_RELATIVE = 1e-5


class Found(NamedTuple):
    """What was found, and by which rule."""

    outcome: Outcome
    reason: str


def compare_scalars(left: Node, right: Node, rules: Rules) -> Found:
    """Whether two scalar expressions are equal. Symmetric."""
    if left == right:
        return Found("equal", "the same expression")
    if _has_dots(left) or _has_dots(right):
        return _compare_series(left, right, rules)
    if any(isinstance(part, Dots) for side in (left, right) for part in walk(side)):
        return Found("undecided", "an ellipsis inside an expression")
    names = symbols(left) | symbols(right)
    if not names:
        found = _compare_numbers(left, right, rules.policy)
        return (
            _proved(left, right, rules.prover) or found
            if found.outcome == "undecided" and found.reason.startswith("no value")
            else found
        )
    return _compare_symbolic(left, right, names, rules.prover)


# Numbers


class Stated(NamedTuple):
    """What a written decimal states: the value of one unit in its last place, significant digits, cut off or rounded."""

    unit: fmpq
    digits: int
    cut: bool


def _compare_numbers(left: Node, right: Node, policy: Policy) -> Found:
    exact_left, exact_right = rational(left), rational(right)
    if exact_left is not None and exact_left == exact_right:
        return Found("equal", "the same rational number")
    stated = [found for found in (_stated(left), _stated(right)) if found is not None]
    if exact_left is not None and exact_right is not None and not stated and policy.rounding == "stated":
        return Found("not_equal", "different rational numbers")
    with ctx.workprec(PRECISION):
        if (exact_left is None and exact_right is None) or not stated:
            by_residue = _whole_numbers(left, right)
            if by_residue is not None:
                return by_residue
        try:
            first, second = _real(left), _real(right)
        except NoValue as none:
            return _without_value(left, right, none)
        if not stated and policy.rounding == "stated":
            return _exact_balls(left, right, first, second)
        found = _rounded(first, second, _stated(left), _stated(right), policy)
        if found.outcome == "not_equal" and (_bare_log(left) or _bare_log(right)):
            natural = [ball(side, {}, 0) for side in (left, right)]
            if _rounded(natural[0], natural[1], _stated(left), _stated(right), policy).outcome != "not_equal":
                return Found("undecided", "equal if log is the natural logarithm, not if it is decimal")
        return found


def _real(node: Node) -> arb:
    exact = rational(node)
    return arb(exact) if exact is not None else ball(node, {})


def _exact_balls(left: Node, right: Node, first: arb, second: arb) -> Found:
    if first.overlaps(second):
        vague = first.rel_accuracy_bits() < 60 or second.rel_accuracy_bits() < 60
        if vague and not abs(first - second) < arb(10) ** -30:
            return Found("undecided", "the numbers can't be told apart at this precision")
        return _at_high_precision(left, right)
    if _bare_log(left) or _bare_log(right):
        natural = [ball(side, {}, 0) for side in (left, right)]
        if natural[0].overlaps(natural[1]):
            return Found("undecided", "equal if log is the natural logarithm, not if it is decimal")
    return Found("not_equal", "different real numbers (balls apart)")


def _at_high_precision(left: Node, right: Node) -> Found:
    """Balls that overlap at first: again with many more digits."""
    with ctx.workprec(HIGH_PRECISION):
        first, second = _real(left), _real(right)
        if not first.overlaps(second):
            return Found("not_equal", "different real numbers (balls apart at 600 digits)")
        if abs(first) > arb(10) ** 40 or abs(second) > arb(10) ** 40:
            return Found("undecided", "numbers too big to be told apart")
    return Found("equal", "the same real number to 600 digits")


def _without_value(left: Node, right: Node, none: NoValue) -> Found:
    infinite = [isinstance(_unsigned(side), Const) and _unsigned(side) == Const("inf") for side in (left, right)]
    if all(infinite):
        same = isinstance(left, Const) == isinstance(right, Const)
        return Found("equal" if same else "not_equal", "the same infinity" if same else "infinities of other sign")
    if any(infinite) and (rational(left) is not None or rational(right) is not None):
        return Found("not_equal", "a number is not infinity")
    tower = _towers(left, right)
    return tower or Found("undecided", f"no value: {none}")


def _unsigned(node: Node) -> Node:
    return (
        node.factors[1]
        if isinstance(node, Mul) and len(node.factors) == 2 and node.factors[0] == Num(fmpq(-1))
        else node
    )


def _towers(left: Node, right: Node) -> Found | None:
    """Powers too big to write: the same whole base above one, compared by their exponents."""
    if isinstance(left, Pow) and isinstance(right, Pow) and left.base == right.base:
        base = rational(left.base)
        if base is not None and base > 1:
            below = _compare_numbers(left.exponent, right.exponent, Policy())
            if below.outcome != "undecided":
                return Found(below.outcome, "powers of one base, by their exponents")
    return None


def _whole_numbers(left: Node, right: Node) -> Found | None:
    """Huge whole numbers and fractions of them by their residue; None where a side has roots or functions."""
    first = residue(left, {})
    second = residue(right, {}) if first is not None else None
    if first is None or second is None:
        return None
    if first != second:
        return Found("not_equal", "different modulo a large prime")
    return Found("equal", "the same modulo a large prime")


def _rounded(first: arb, second: arb, own: Stated | None, other: Stated | None, policy: Policy) -> Found:
    distance = float((first - second).mid()) if (first - second).is_finite() else float("inf")
    size = max(abs(float(first.mid())), abs(float(second.mid())))
    apart = abs(distance)
    if policy.rounding == "absolute":
        near = apart <= policy.absolute * (1 + 1e-9)
        return Found("equal" if near else "not_equal", f"{'within' if near else 'beyond'} {policy.absolute:g}")
    if own is None and other is None:
        return Found("not_equal", "different real numbers")
    if own is None or (other is not None and other.unit > own.unit):
        first, second, own, other = second, first, other, own
    assert own is not None
    coarse, finer = own, other is None or other.unit < own.unit
    unit = float(coarse.unit)
    slack = 1e-9 * size
    rounds = apart <= unit / 2 + slack
    shorter = bool(abs(first) <= abs(second)) or coarse.cut
    cut = apart < unit * (1 - 1e-9) and coarse.digits >= 3 and shorter and finer
    if (
        coarse.digits >= policy.significant_digits
        and (rounds or cut)
        and (apart <= policy.absolute or (coarse.digits >= 3 and rounds))
    ):
        return Found("equal", "equal to the decimals that the coarser side states")
    if size and apart / size <= SAME_RELATIVE and apart <= policy.absolute:
        return Found("equal", "equal to six digits")
    if rounds and apart > slack:
        return Found("undecided", "one may be the other rounded to few digits")
    if apart <= policy.absolute and size and apart / size < SURELY_OTHER:
        return Found("undecided", f"within {policy.absolute:g}, but no rounding of one another")
    if size and apart / size < UNSURE_RELATIVE:
        return Found("undecided", "nearly the same, but no rounding of one another")
    return Found("not_equal", "different numbers, beyond rounding")


def _stated(node: Node) -> Stated | None:
    """What a plain decimal, signed, scaled by exact numbers or marked as degrees or percent, states."""
    if isinstance(node, Num):
        return None if node.places is None else Stated(fmpq(1, 10**node.places), node.digits, node.cut)
    if isinstance(node, Mul):
        found: Stated | None = None
        scale = fmpq(1)
        for factor in node.factors:
            part = _stated(factor)
            if part is not None:
                if found is not None:
                    return None
                found = part
                continue
            value = rational(factor)
            if value is None:
                return None
            scale *= abs(value)
        return None if found is None else Stated(found.unit * scale, found.digits, found.cut)
    if isinstance(node, Call) and node.name in ("deg", "percent"):
        body = _stated(node.args[0])
        scale = fmpq(17453292, 1000000000) if node.name == "deg" else fmpq(1, 100)
        return None if body is None else Stated(body.unit * scale, body.digits, body.cut)
    return None


def _bare_log(node: Node) -> bool:
    return any(isinstance(part, Call) and part.name == "log" and len(part.args) == 1 for part in walk(node))


def _has_decimals(node: Node) -> bool:
    return any(isinstance(part, Num) and part.places is not None for part in walk(node))


# Symbols


def _compare_symbolic(left: Node, right: Node, names: frozenset[str], prover: Prover | None) -> Found:
    by_residues = _at_residues(left, right, names)
    if by_residues == "equal":
        return Found(
            "equal", _polynomial_proof(left, right, names) or f"equal at {RESIDUE_ROUNDS} seeded points modulo 2^61-1"
        )
    if by_residues == "not_equal":
        return _differing(left, right, Found("not_equal", "different at a seeded point modulo 2^61-1"), prover)
    by_balls = _at_reals(left, right, names)
    if by_balls.outcome == "not_equal":
        return _differing(left, right, by_balls, prover)
    return _proved(left, right, prover) or by_balls if by_balls.reason == NO_POINTS else by_balls


def _proved(left: Node, right: Node, prover: Prover | None) -> Found | None:
    """What the symbolic worker finds; None without one, or where it finds nothing in time."""
    proved = prover.equal(left, right) if prover is not None else None
    if proved is None:
        return None
    return Found("equal", "proved by sympy") if proved else Found("not_equal", "refuted by sympy")


def _differing(left: Node, right: Node, found: Found, prover: Prover | None) -> Found:
    """Different values are no verdict where rounding or the names of the symbols may be why."""
    if _has_decimals(left) != _has_decimals(right) and symbols(left) == symbols(right) and _near_at_reals(left, right):
        return Found("undecided", "near to one another, with rounded coefficients")
    mine, other = symbols(left), symbols(right)
    if any(name.startswith("¯") for name in mine) != any(name.startswith("¯") for name in other):
        return Found("undecided", "vectors or marked symbols on one side only")
    if mine != other:
        if {name.casefold() for name in mine} == {name.casefold() for name in other}:
            return Found("undecided", "the symbols differ only in case")
        if mine and len(mine) == len(other):
            renamed = rename(right, dict(zip(sorted(other), sorted(mine), strict=True)))
            if compare_renamed(left, renamed):
                return Found("undecided", "equal if the symbols are renamed")
    if any(isinstance(part, Const) and part.name == "i" for side in (left, right) for part in walk(side)):
        return _proved(left, right, prover) or Found("undecided", "complex numbers are not compared")
    return found


def compare_renamed(left: Node, right: Node) -> bool:
    """Equal after a renaming of symbols."""
    names = symbols(left) | symbols(right)
    by_residues = _at_residues(left, right, names)
    return by_residues == "equal" or (by_residues == "undecided" and _at_reals(left, right, names).outcome == "equal")


def rename(node: Node, names: dict[str, str]) -> Node:
    """The tree with symbols renamed."""
    match node:
        case Sym(name):
            return Sym(names.get(name, name))
        case Add(terms):
            return Add(tuple(rename(term, names) for term in terms))
        case Mul(factors):
            return Mul(tuple(rename(factor, names) for factor in factors))
        case Pow(base, exponent):
            return Pow(rename(base, names), rename(exponent, names))
        case Call(name, args):
            return Call(name, tuple(rename(arg, names) for arg in args))
        case _:
            return node


def _at_residues(left: Node, right: Node, names: frozenset[str]) -> Outcome:
    valid = 0
    for round_number in range(RESIDUE_ROUNDS + 3):
        point = {name: seeded_residue(name, round_number) for name in names}
        first = residue(left, point)
        second = residue(right, point) if first is not None else None
        if first is None or second is None:
            if round_number == 0:
                return "undecided"
            continue
        if first != second:
            return "not_equal"
        valid += 1
        if valid == RESIDUE_ROUNDS:
            return "equal"
    return "undecided"


def _at_reals(left: Node, right: Node, names: frozenset[str], rounds: int = 12) -> Found:
    agreed, differed, positive_agreed, positive_differed = 0, 0, 0, 0
    with ctx.workprec(PRECISION):
        for round_number in range(rounds):
            point = {name: arb(seeded_real(name, round_number)) for name in names}
            positive = all(value > 0 for value in point.values())
            try:
                first, second = ball(left, point), ball(right, point)
            except NoValue:
                continue
            if first.overlaps(second):
                if first.rel_accuracy_bits() < 40 and not first.is_zero() and not abs(first) < arb(10) ** -30:
                    continue
                agreed += 1
                positive_agreed += positive
                if agreed >= 6 and not differed and round_number >= 4:
                    break
            else:
                differed += 1
                positive_differed += positive
                if positive_differed:
                    break
    if positive_differed or (differed and not agreed):
        if (_bare_log(left) or _bare_log(right)) and not (_bare_log(left) and _bare_log(right)):
            return Found("undecided", "different with decimal logarithms; the base of log isn't given")
        return Found("not_equal", "different at a seeded point (balls apart)")
    if differed:
        return Found("undecided", "equal for positive symbols only")
    if agreed >= 3:
        return Found("equal", f"equal at {agreed} seeded points to 50 digits")
    return Found("undecided", NO_POINTS)


def _near_at_reals(left: Node, right: Node) -> bool:
    names = symbols(left) | symbols(right)
    near, seen = True, 0
    with ctx.workprec(64):
        for round_number in range(6):
            point = {name: arb(seeded_real(name, round_number)) for name in names}
            try:
                first, second = ball(left, point), ball(right, point)
            except NoValue:
                continue
            seen += 1
            near = near and bool(abs(first - second) < abs(first) / 50)
    return near and seen > 0


def _polynomial_proof(left: Node, right: Node, names: frozenset[str]) -> str | None:
    """A proof by expansion where both sides are small polynomials; None where they are not."""
    from covary.mathematics.polynomials import polynomial

    ordered = tuple(sorted(names))
    first, second = polynomial(left, ordered), polynomial(right, ordered)
    if first is None or second is None:
        return None
    return "the same polynomial, expanded" if first == second else None


# Series


def _has_dots(node: Node) -> bool:
    return isinstance(node, Dots) or (isinstance(node, Add) and any(isinstance(term, Dots) for term in node.terms))


def _compare_series(left: Node, right: Node, rules: Rules) -> Found:
    """Cut-off sums by the terms that they show."""
    first, second = _shown(left), _shown(right)
    if not first or not second:
        return Found("undecided", "an ellipsis without terms")
    found = compare_scalars(_sum(first), _sum(second), rules)
    if found.outcome == "equal":
        return Found("equal", "the same terms before the ellipsis")
    if len(first) != len(second):
        return Found("undecided", "a cut-off sum against another number of terms")
    return found


def _shown(node: Node) -> list[Node]:
    parts = list(node.terms) if isinstance(node, Add) else [node]
    return [part for part in parts if not isinstance(part, Dots)]


def _sum(terms: list[Node]) -> Node:
    return terms[0] if len(terms) == 1 else Add(tuple(terms))
