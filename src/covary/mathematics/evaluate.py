"""Values of trees: exact rationals, residues at seeded points modulo a prime, and balls (arb) at seeded real points."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from flint import arb, ctx, fmpq

from covary.digest import Draw
from covary.mathematics.tree import Add, Call, Const, Mul, Node, Num, Pow, Sym

PRIME = 2**61 - 1
MAX_BITS = 60_000
MAX_FACTORIAL = 5_000
MAX_MAGNITUDE = 10**12  # of an exponent that a ball is raised to
PRECISION = 180


class NoValue(Exception):  # noqa: N818
    """The tree has no value here: undefined, outside the reals, or past a bound."""


def rational(node: Node) -> fmpq | None:
    """The exact value where only rational operations make it and it stays small enough; else None."""
    match node:
        case Num():
            return node.value
        case Add(terms):
            total = fmpq(0)
            for term in terms:
                value = rational(term)
                if value is None:
                    return None
                total += value
            return total
        case Mul(factors):
            result = fmpq(1)
            for factor in factors:
                value = rational(factor)
                if value is None or _bits(result) + _bits(value) > MAX_BITS:
                    return None
                result *= value
            return result
        case Pow(base, exponent):
            value, power = rational(base), rational(exponent)
            if value is None or power is None or power.q != 1:
                return None
            if (abs(power.p) * _bits(value) > MAX_BITS and value not in (0, 1, -1)) or (value == 0 and power <= 0):
                return None
            if value in (0, 1, -1):
                return fmpq(1) if value == -1 and power.p % 2 == 0 else value
            return value ** int(power.p)
        case Call("percent", (body,)):
            value = rational(body)
            return None if value is None else value / 100
        case Call("abs", (body,)):
            value = rational(body)
            return None if value is None else abs(value)
        case Call("fact", (body,)):
            value = rational(body)
            if value is None or value.q != 1 or not 0 <= value.p <= MAX_FACTORIAL:
                return None
            return fmpq(math.factorial(int(value.p)))
        case Call("binom", (top, bottom)):
            upper, lower = rational(top), rational(bottom)
            if (
                upper is None
                or lower is None
                or upper.q != 1
                or lower.q != 1
                or not 0 <= lower.p <= upper.p <= MAX_FACTORIAL
            ):
                return None
            return fmpq(math.comb(int(upper.p), int(lower.p)))
        case Call("root", (index, body)):
            return _rational_root(index, body)
        case _:
            return None


def residue(node: Node, point: Mapping[str, int]) -> int | None:
    """The value modulo PRIME at a point, for rational functions; None for any other tree or where a denominator vanishes."""
    match node:
        case Num():
            bottom = int(node.value.q % PRIME)
            return int(node.value.p % PRIME) * pow(bottom, -1, PRIME) % PRIME if bottom else None
        case Sym(name):
            return point.get(name)
        case Const("pi" | "e" as name):  # as independent unknowns: a true identity of theirs holds for any values
            return seeded_residue(f"\\{name}", len(point))
        case Add(terms):
            total = 0
            for term in terms:
                value = residue(term, point)
                if value is None:
                    return None
                total += value
            return total % PRIME
        case Mul(factors):
            result = 1
            for factor in factors:
                value = residue(factor, point)
                if value is None:
                    return None
                result = result * value % PRIME
            return result
        case Pow(base, exponent):
            power = rational(exponent)
            if power is None or power.q != 1 or abs(power.p) > 10**9:
                return None
            value = residue(base, point)
            if value is None or (value == 0 and power.p <= 0):
                return None
            return pow(value, int(power.p), PRIME)
        case Call("percent", (body,)):
            value = residue(body, point)
            return None if value is None else value * pow(100, -1, PRIME) % PRIME
        case _:
            return None


def ball(node: Node, point: Mapping[str, arb], log_base: int = 10) -> arb:
    """A ball that holds the real value at the point. Raises NoValue where there is none. Call within a working precision."""
    match node:
        case Num():
            return arb(node.value)
        case Sym(name):
            if name not in point:
                raise NoValue(f"a symbol without value: {name}")
            return point[name]
        case Const("pi"):
            return arb.pi()
        case Const("e"):
            return arb.const_e()
        case Add(terms):
            total = arb(0)
            for term in terms:
                total += ball(term, point, log_base)
            return total
        case Mul(factors):
            result = arb(1)
            for factor in factors:
                result *= ball(factor, point, log_base)
            return _finite(result)
        case Pow(base, exponent):
            return _power(base, exponent, point, log_base)
        case Call(name, args):
            return _call(name, args, point, log_base)
        case _:
            raise NoValue("no number")


def has_value(node: Node) -> bool:
    """Whether a number has a real value that can be computed."""
    with ctx.workprec(PRECISION):
        try:
            ball(node, {})
        except NoValue:
            return False
        return True


def _power(base: Node, exponent: Node, point: Mapping[str, arb], log_base: int) -> arb:
    power = rational(exponent)
    value = ball(base, point, log_base)
    if power is not None:
        if abs(power) > MAX_MAGNITUDE:
            raise NoValue("an exponent past the bound")
        if power.q == 1:
            return _finite(value ** int(power.p))
        if power.q % 2 == 1 and value < 0:  # an odd root of a negative number is real
            odd = -((-value) ** (arb(1) / arb(power.q)))
            return _finite(odd ** int(power.p))
        return _finite(value ** arb(power))
    raised = ball(exponent, point, log_base)
    if not abs(raised) < MAX_MAGNITUDE:
        raise NoValue("an exponent past the bound")
    return _finite(value**raised)


def _call(name: str, args: tuple[Node, ...], point: Mapping[str, arb], log_base: int) -> arb:
    if name == "log":
        base = ball(args[0], point, log_base) if len(args) == 2 else arb(log_base) if log_base else arb.const_e()
        return _finite(ball(args[-1], point, log_base).log() / base.log())
    values = [ball(arg, point, log_base) for arg in args]
    value = values[-1]
    if name == "root":
        index = rational(args[0])
        if index is None or index.q != 1 or not 1 <= index.p <= 1000:
            return _finite(value ** (arb(1) / values[0]))
        if index.p == 2:
            return _finite(value.sqrt())
        if index.p % 2 == 1 and value < 0:
            return _finite(-((-value).root(int(index.p))))
        return _finite(value.root(int(index.p)))
    if name == "fact":
        if not 0 <= value < MAX_FACTORIAL:
            raise NoValue("a factorial past the bound")
        return _finite((value + 1).gamma())
    if name == "binom":
        if not (0 <= value < MAX_FACTORIAL and 0 <= values[0] < MAX_FACTORIAL):
            raise NoValue("a binomial past the bound")
        return _finite((values[0] + 1).gamma() / ((value + 1).gamma() * (values[0] - value + 1).gamma()))
    if name in ("sin", "cos", "tan", "cot", "sec", "csc") and not abs(value) < 10**9:
        raise NoValue("an angle past the bound")
    simple = _SIMPLE.get(name)
    if simple is None:
        raise NoValue(f"no value for {name}")
    return _finite(simple(value))


_SIMPLE = {
    "sin": lambda x: x.sin(), "cos": lambda x: x.cos(), "tan": lambda x: x.tan(), "cot": lambda x: x.cot(), "sec": lambda x: x.sec(),
    "csc": lambda x: x.csc(), "arcsin": lambda x: x.asin(), "arccos": lambda x: x.acos(), "arctan": lambda x: x.atan(),
    "arccot": lambda x: arb.pi() / 2 - x.atan(), "sinh": lambda x: x.sinh(), "cosh": lambda x: x.cosh(), "tanh": lambda x: x.tanh(),
    "ln": lambda x: x.log(), "abs": abs, "deg": lambda x: x * arb.pi() / 180, "percent": lambda x: x / 100,
}  # fmt: skip


def _finite(value: arb) -> arb:
    if not value.is_finite():
        raise NoValue("undefined here")
    return value


def _rational_root(index: Node, body: Node) -> fmpq | None:
    degree, value = rational(index), rational(body)
    if degree is None or value is None or degree.q != 1 or not 2 <= degree.p <= 64 or _bits(value) > 4000:
        return None
    if value < 0 and degree.p % 2 == 0:
        return None
    top, bottom = (abs(value.p)).root(int(degree.p)), value.q.root(int(degree.p))
    if top ** int(degree.p) == abs(value.p) and bottom ** int(degree.p) == value.q:
        return fmpq(top, bottom) if value >= 0 else -fmpq(top, bottom)
    return None


def _bits(value: fmpq) -> int:
    return int(value.p.bit_length()) + int(value.q.bit_length())


@lru_cache(maxsize=4096)
def seeded_residue(name: str, round_number: int) -> int:
    """The residue that a symbol takes in a round."""
    return Draw("equivalence", "residue", name, round_number).integer(2, PRIME - 2)


@lru_cache(maxsize=4096)
def seeded_real(name: str, round_number: int) -> fmpq:
    """The real that a symbol takes in a round: above one in round 0, in (0, 1) in round 1, of either sign in later ones."""
    draw = Draw("equivalence", "real", name, round_number)
    size = fmpq(draw.integer(10_007, 99_991), 30_011)
    if round_number % 4 == 0:
        return size + 1
    if round_number % 4 == 1:
        return size / 4
    return size if draw.integer(0, 1) else -size
