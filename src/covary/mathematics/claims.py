"""Parts of a reading → claims: labelled values, equations, relations and statements, with signs and steps resolved."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from covary.mathematics import lexicon
from covary.mathematics.reading import Part
from covary.mathematics.scalars import compare_scalars
from covary.mathematics.tree import (
    Add,
    Build,
    Call,
    Chain,
    Choice,
    Group,
    Mul,
    Node,
    Num,
    Pow,
    Sym,
    Words,
    negated,
    symbols,
    walk,
)
from covary.mathematics.units import Unit
from covary.mathematics.verdict import Rules

Kind = Literal["value", "relation", "equation", "words"]
MAX_CLAIMS = 80


@dataclass(frozen=True)
class Claim:
    """One thing that an answer says. forms: other members of the same chain of equalities; variable: the label is a plain symbol."""

    kind: Kind
    node: Node
    label: str | None = None
    variable: bool = False
    forms: tuple[Node, ...] = ()
    unit: Unit | None = None
    hedged: bool = False
    joined: str = ","
    radians: bool = False
    nouns: tuple[str, ...] = ()
    others: tuple[Claim, ...] = ()  # the same value said again in another form: 36 months or 3 years
    signed: bool = False  # one of the two values of a ±
    names: tuple[str, ...] = ()  # labels of a tuple's places: (x, y) = …


def claims_of(parts: tuple[Part, ...]) -> tuple[Claim, ...]:
    """The claims of an answer."""
    found: list[Claim] = []
    for part in parts:
        nodes = variants(part.node)
        for position, node in enumerate(nodes):
            claim = _claim(node, part)
            found.append(
                replace(claim, joined="or" if position else claim.joined, signed=True) if len(nodes) > 1 else claim
            )
        if len(found) > MAX_CLAIMS:
            break
    return tuple(_carried(found))


def variants(node: Node) -> tuple[Node, ...]:
    """The node with ± as + and as −; itself where there is none."""
    if not any(isinstance(part, Choice) for part in walk(node)) or any(isinstance(part, Build) for part in walk(node)):
        return (node,)
    if (
        isinstance(node, Group)
        and node.left != "{"
        and len(node.items) == 2
        and all(isinstance(item, Choice) for item in node.items)
    ):
        first, second = (variants(item) for item in node.items)
        return tuple(Group(node.left, node.right, (one, other)) for one in first for other in second)
    if (
        isinstance(node, Chain)
        and isinstance(node.members[-1], Group)
        and not any(isinstance(part, Choice) for member in node.members[:-1] for part in walk(member))
    ):
        return tuple(Chain((*node.members[:-1], last), node.relations) for last in variants(node.members[-1]))
    return (_with_sign(node, 1), _with_sign(node, -1))


def _with_sign(node: Node, sign: int) -> Node:
    match node:
        case Choice(body, own):
            inner = _with_sign(body, sign)
            return inner if own * sign > 0 else negated(inner)
        case Add(terms):
            return Add(tuple(_with_sign(term, sign) for term in terms))
        case Mul(factors):
            return Mul(tuple(_with_sign(factor, sign) for factor in factors))
        case Pow(base, exponent):
            return Pow(_with_sign(base, sign), _with_sign(exponent, sign))
        case Call(name, args):
            return Call(name, tuple(_with_sign(arg, sign) for arg in args))
        case Group(left, right, items):
            return Group(left, right, tuple(_with_sign(item, sign) for item in items))
        case Chain(members, relations):
            return Chain(tuple(_with_sign(member, sign) for member in members), relations)
        case _:
            return node


def _claim(node: Node, part: Part) -> Claim:
    label, variable = _label(part.label if part.label is not None or not part.nouns else " ".join(part.nouns))
    base = Claim("value", node, label, variable, (), part.unit, part.hedged, part.joined, part.radians, part.nouns)
    if isinstance(node, Words):
        return replace(base, kind="words")
    if not isinstance(node, Chain):
        return base
    members, relations = node.members, node.relations
    if relations == ("∈",) and isinstance(members[0], Sym):
        return replace(base, node=members[1], label=members[0].name, variable=_is_variable(members[0].name))
    if any(relation not in ("=", "≈") for relation in relations):
        if (
            relations[0] == "="
            and isinstance(members[0], Sym)
            and "=" not in relations[1:]
            and members[0].name not in symbols(members[-1])
        ):
            return replace(base, kind="relation", node=Chain(members[1:], relations[1:]), label=members[0].name)
        return replace(base, kind="relation")
    return _equality(members, relations, base)


def _equality(members: tuple[Node, ...], relations: tuple[str, ...], base: Claim) -> Claim:
    first, last = members[0], members[-1]
    if isinstance(first, Sym) and first.name not in symbols(last):
        variable = _is_variable(first.name)
        rest = members[1:]
        while len(rest) > 1 and isinstance(rest[0], Sym):
            rest = rest[1:]
        return _value(rest, relations[len(members) - len(rest) :], replace(base, label=first.name, variable=variable))
    if isinstance(last, Sym) and len(members) == 2 and not symbols(first) and not isinstance(first, Words):
        return replace(base, node=first, label=last.name, variable=_is_variable(last.name))
    if (
        isinstance(first, Group)
        and first.items
        and all(isinstance(item, Sym) for item in first.items)
        and not isinstance(last, Sym)
    ):
        names = tuple(item.name for item in first.items if isinstance(item, Sym))
        if first.left == "r" or isinstance(last, Group):
            return _value(members[1:], relations[1:], replace(base, names=names))
    if (isinstance(first, Call) and first.name in ("cup", "cap", "minus", "prime", "star")) or (
        isinstance(first, Pow) and _is_set_like(last)
    ):
        return _value(members[1:], relations[1:], base)
    if _is_set_like(last) or isinstance(last, Group | Build):
        return (
            _value(members[1:], relations[1:], base)
            if not isinstance(first, Group | Build)
            else _value(members, relations, base)
        )
    if isinstance(first, Words):
        return _value(members[1:], relations[1:], base)
    if not any(symbols(member) for member in members):
        return _value(members, relations, base)
    if (len(members) == 2 and _identity(first, last)) or (
        len(members) > 2 and all(_identity(first, member) for member in members[1:])
    ):
        return _value(members, relations, base)
    return replace(base, kind="equation", node=Chain(members, relations), forms=members[:-1])


def _value(members: tuple[Node, ...], relations: tuple[str, ...], base: Claim) -> Claim:
    """The last member, or the one before a trailing approximation, with the other members as forms."""
    return replace(
        base, kind="words" if isinstance(members[-1], Words) else "value", node=members[-1], forms=members[:-1]
    )


def _identity(left: Node, right: Node) -> bool:
    if isinstance(left, Group | Chain | Build | Words) or isinstance(right, Group | Chain | Build | Words):
        return False
    return compare_scalars(left, right, Rules()).outcome == "equal"


def _is_set_like(node: Node) -> bool:
    return (
        isinstance(node, Build)
        or (isinstance(node, Group) and node.left in ("{", "\\{"))
        or (isinstance(node, Sym) and node.name in ("ℝ", "ℕ", "ℤ", "ℚ"))
    )


def _is_variable(name: str) -> bool:
    return re.fullmatch(r"[^\W\d_A-Z](?:_\w)?", name) is not None and not name[0].isupper()


def _label(label: Node | str | None) -> tuple[str | None, bool]:
    if label is None:
        return None, False
    if isinstance(label, Sym):
        return label.name, _is_variable(label.name)
    text = label if isinstance(label, str) else ""
    left = [word for word in text.split() if word not in lexicon.saying_nothing()]
    return (" ".join(left) or None), False


def _carried(found: list[Claim]) -> list[Claim]:
    """Labels of a first claim that hold for those after it: x = 1, 2 and (x, y) = (3, 4), (5, 6)."""
    carried: list[Claim] = []
    label, variable, names = None, False, ()
    for claim in found:
        if claim.names:
            names = claim.names
        elif names and isinstance(claim.node, Group) and len(claim.node.items) == len(names):
            claim = replace(claim, names=names)
        if claim.label is not None:
            label, variable = claim.label, claim.variable
        elif (
            label is not None
            and variable
            and claim.kind == "value"
            and claim.joined in (",", "or", "and")
            and not isinstance(claim.node, Group)
        ):
            claim = replace(claim, label=label, variable=variable)
        carried.append(claim)
    return carried


def is_number(node: Node) -> bool:
    """A scalar without symbols."""
    return not isinstance(node, Group | Chain | Build | Words) and not symbols(node)


def plain(node: Node) -> bool:
    """A number literal."""
    return isinstance(node, Num)
