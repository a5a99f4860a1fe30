"""Trees and readings as plain text, for evidence and explanations."""

from __future__ import annotations

from collections.abc import Callable

from covary.mathematics.reading import Part, Reading
from covary.mathematics.tree import Add, Build, Call, Chain, Choice, Const, Dots, Group, Mul, Node, Num, Pow, Sym, Words

LIMIT = 200
SHOWN_BITS = 200


def shown(reading: Reading) -> str:
    """What a text was read as, in a line of at most LIMIT characters."""
    if not reading.parts:
        return f"not read ({reading.why_not or 'no value'})"
    text = " | ".join(_part(part) for part in reading.parts[:12])
    text = text if len(text) <= LIMIT else text[: LIMIT - 1] + "…"
    return text if reading.whole else f"{text} (found in prose)"


def _part(part: Part) -> str:
    label = part.label if isinstance(part.label, str) else render(part.label) if part.label is not None else ""
    unit = f" {part.unit.name}" if part.unit else ""
    return f"{label + ': ' if label else ''}{'about ' if part.hedged else ''}{render(part.node)}{unit}"


def render(node: Node, depth: int = 12) -> str:
    """A node in plain notation; deep or huge parts as "…"."""
    if depth == 0:
        return "…"

    def inner(child: Node) -> str:
        text = render(child, depth - 1)
        return f"({text})" if isinstance(child, Add | Mul | Choice | Chain) else text

    match node:
        case Num(value, places):
            if value.p.bit_length() + value.q.bit_length() > SHOWN_BITS:
                return "a long number"
            if places is not None and places < 20:
                return f"{float(int(value.p)) / float(int(value.q)):.{places}f}"
            return str(value)
        case Sym(name) | Const(name):
            return name
        case Words(text):
            return f'"{text}"'
        case Dots():
            return "…"
        case Add(terms):
            return " + ".join(
                inner(term) if isinstance(term, Add | Choice) else render(term, depth - 1) for term in terms
            ).replace("+ -", "- ")
        case Mul(factors):
            return _product(factors, inner)
        case Pow(base, exponent):
            return f"{inner(base)}^{inner(exponent)}"
        case Choice(body, sign):
            return f"{'±' if sign > 0 else '∓'}{inner(body)}"
        case Call(name, args):
            return f"{name}({', '.join(render(arg, depth - 1) for arg in args)})"
        case Group(left, right, items):
            pieces = [render(item, depth - 1) for item in items[:20]]
            if left == "r":
                return " : ".join(pieces)
            brackets = ("[", "]") if left == "m" else (left.lstrip("\\"), right.lstrip("\\"))
            return f"{brackets[0]}{', '.join(pieces)}{brackets[1]}"
        case Chain(members, relations):
            text = render(members[0], depth - 1)
            for relation, member in zip(relations, members[1:], strict=False):
                text += f" {relation} {render(member, depth - 1)}"
            return text
        case Build(left, conditions):
            return (
                f"{{{render(left, depth - 1)} : {', '.join(render(condition, depth - 1) for condition in conditions)}}}"
            )


def _product(factors: tuple[Node, ...], inner: Callable[[Node], str]) -> str:
    match factors:
        case (top, Pow(bottom, Num(value))) if value == -1:
            return f"{inner(top)}/{inner(bottom)}"
        case _:
            pass
    if isinstance(factors[0], Num) and factors[0].value == -1 and len(factors) > 1:
        return "-" + "·".join(inner(factor) for factor in factors[1:])
    return "·".join(inner(factor) for factor in factors)
