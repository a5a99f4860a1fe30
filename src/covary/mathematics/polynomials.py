"""Exact polynomials by python-flint, within a bound on the work."""

from __future__ import annotations

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from covary.mathematics.evaluate import rational
from covary.mathematics.tree import Add, Mul, Node, Num, Pow, Sym

MAX_TERMS = 400
MAX_DEGREE = 60
MAX_SYMBOLS = 10


def polynomial(node: Node, names: tuple[str, ...]) -> fmpq_mpoly | None:
    """The node expanded as a polynomial in the named symbols; None where it is none or would pass the bounds."""
    if not names or len(names) > MAX_SYMBOLS:
        return None
    context = fmpq_mpoly_ctx.get(tuple(f"x{place}" for place in range(len(names))), Ordering.lex)
    try:
        return _expand(node, context, dict(zip(names, context.gens(), strict=True)))
    except _TooMuch:
        return None


class _TooMuch(Exception):  # noqa: N818
    pass


def _expand(node: Node, context: fmpq_mpoly_ctx, generators: dict[str, fmpq_mpoly]) -> fmpq_mpoly:
    match node:
        case Num(value):
            return context.constant(value)
        case Sym(name) if name in generators:
            return generators[name]
        case Add(terms):
            total = context.constant(fmpq(0))
            for term in terms:
                total += _expand(term, context, generators)
                _check(len(total))
            return total
        case Mul(factors):
            result = context.constant(fmpq(1))
            for factor in factors:
                expanded = _expand(factor, context, generators)
                _check(len(result) * len(expanded))
                result *= expanded
            return result
        case Pow(base, exponent):
            power = rational(exponent)
            if power is None or power.q != 1:
                raise _TooMuch
            expanded = _expand(base, context, generators)
            if power < 0:
                if not expanded.is_constant() or expanded.is_zero():
                    raise _TooMuch
                return context.constant(rational(node) or fmpq(0)) if rational(node) is not None else _give_up()
            if power > MAX_DEGREE or (len(expanded) > 1 and len(expanded) ** int(power.p) > MAX_TERMS * 50):
                raise _TooMuch
            return expanded ** int(power.p)
        case _:
            raise _TooMuch


def _give_up() -> fmpq_mpoly:
    raise _TooMuch


def _check(terms: int) -> None:
    if terms > MAX_TERMS * 4:
        raise _TooMuch
