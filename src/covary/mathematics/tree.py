"""The small expression tree that both sides are read into."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from flint import fmpq


@dataclass(frozen=True, slots=True)
class Num:
    """A rational number. `places`: decimals that the writer stated, None for an exact number; `digits`: significant ones."""

    value: fmpq
    places: int | None = None
    digits: int = 0
    cut: bool = False  # written with an ellipsis: cut off, not rounded


@dataclass(frozen=True, slots=True)
class Sym:
    """A symbol: a letter, a subscripted letter, a named vector."""

    name: str


@dataclass(frozen=True, slots=True)
class Const:
    """pi, e, i or inf."""

    name: str


@dataclass(frozen=True, slots=True)
class Add:
    terms: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Mul:
    factors: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Pow:
    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A known function applied: sin, log (base, argument), abs, root, fact, cup …"""

    name: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """± (sign 1) or ∓ (sign −1): either sign of the body."""

    body: Node
    sign: int = 1


@dataclass(frozen=True, slots=True)
class Group:
    """Things in brackets, or in none: `{` set, `(` and `[` tuple, interval or list, `m` rows of a matrix, `r` a ratio."""

    left: str
    right: str
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Members joined by relations: x = 2, 1 < x ≤ 3, x ∈ A."""

    members: tuple[Node, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Build:
    """A set given by a condition: {left : conditions}. `all_of`: conditions hold together, else any of them."""

    left: Node
    conditions: tuple[Node, ...]
    all_of: bool = True


@dataclass(frozen=True, slots=True)
class Dots:
    """An ellipsis inside a sum or a list."""


@dataclass(frozen=True, slots=True)
class Words:
    """Text that stands for itself: a statement in a canonical form, such as "no solution"."""

    text: str


Node: TypeAlias = Num | Sym | Const | Add | Mul | Pow | Call | Choice | Group | Chain | Build | Dots | Words

ZERO = Num(fmpq(0))
ONE = Num(fmpq(1))
MINUS_ONE = Num(fmpq(-1))


def integer(value: int) -> Num:
    """An exact whole number."""
    return Num(fmpq(value))


def negated(node: Node) -> Node:
    """−node; a plain number keeps its stated decimals."""
    if isinstance(node, Num):
        return Num(-node.value, node.places, node.digits, node.cut)
    return Mul((MINUS_ONE, node))


def quotient(top: Node, bottom: Node) -> Node:
    """top / bottom."""
    if (
        isinstance(top, Num)
        and isinstance(bottom, Num)
        and top.places is None
        and bottom.places is None
        and bottom.value != 0
    ):
        return Num(top.value / bottom.value)
    return Mul((top, Pow(bottom, MINUS_ONE)))


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below."""
    match node:
        case Add(parts) | Mul(parts) | Call(_, parts) | Group(_, _, parts) | Chain(parts, _):
            return parts
        case Pow(base, exponent):
            return (base, exponent)
        case Choice(body):
            return (body,)
        case Build(left, conditions):
            return (left, *conditions)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(children(top))


def symbols(node: Node) -> frozenset[str]:
    """Names of the symbols in it."""
    return frozenset(part.name for part in walk(node) if isinstance(part, Sym))
