"""The small exact arithmetic in which templates say how their numbers follow from the drawn ones.

Names, whole numbers, + - * / // % **, comparisons, and/or/not, and the functions below; nothing else is accepted and
nothing is ever handed to the interpreter. Values are fractions. Size is bounded: text, exponents and results.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache

from covary.errors import UsageError

Values = Mapping[str, Fraction]

LENGTH_LIMIT = 200
EXPONENT_LIMIT = 40
BITS_LIMIT = 512


@lru_cache(maxsize=4096)
def parse(text: str) -> ast.expr:
    """The checked syntax tree of an expression. Raises UsageError that names what is not allowed."""
    if len(text) > LENGTH_LIMIT:
        raise UsageError(f"expression: at most {LENGTH_LIMIT} characters, found {len(text)}")
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(f"expression: can't be read: {text!r}") from None
    for node in ast.walk(tree):
        _check(node, text)
    return tree


def value(text: str, values: Values) -> Fraction:
    """The exact value of an expression; truth is 1, falsehood 0.

    >>> value("(a + b) / 4", {"a": Fraction(1), "b": Fraction(2)})
    Fraction(3, 4)
    """
    return evaluate(parse(text), values)


def holds(text: str, values: Values) -> bool:
    """Whether a condition is true."""
    return value(text, values) != 0


def names(text: str) -> set[str]:
    """The names that an expression reads, functions left out."""
    return {node.id for node in ast.walk(parse(text)) if isinstance(node, ast.Name)} - FUNCTIONS.keys()


def sign_slips(text: str) -> list[ast.expr]:
    """The expression with one plus turned into a minus or the other way round, once for each such sign."""
    signs = [node for node in ast.walk(parse(text)) if _is_sign(node)]
    return [_Flip(node).visit(ast.parse(text, mode="eval").body) for node in signs]


def carries(text: str) -> bool:
    """Whether the expression adds, subtracts or multiplies, so that a carry can be lost in it."""
    carrying = (ast.Add, ast.Sub, ast.Mult)
    return any(isinstance(node, ast.BinOp) and isinstance(node.op, carrying) for node in ast.walk(parse(text)))


def evaluate(node: ast.expr, values: Values) -> Fraction:
    """The exact value of a checked tree."""
    match node:
        case ast.Constant(value=int(constant)):
            return Fraction(constant)
        case ast.Name(id=name):
            if name not in values:
                raise UsageError(f"expression: {name!r} is not drawn or derived before it is used")
            return values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -evaluate(operand, values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Fraction(evaluate(operand, values) == 0)
        case ast.BinOp(left=left, op=operator, right=right):
            return _bounded(OPERATORS[type(operator)](evaluate(left, values), evaluate(right, values)))
        case ast.BoolOp(op=operator, values=parts):
            truths = [evaluate(part, values) != 0 for part in parts]
            return Fraction(all(truths) if isinstance(operator, ast.And) else any(truths))
        case ast.Compare(left=left, ops=operators, comparators=rights):
            sides = [evaluate(side, values) for side in (left, *rights)]
            pairs = zip(operators, sides, sides[1:], strict=False)
            return Fraction(all(COMPARISONS[type(operator)](a, b) for operator, a, b in pairs))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _bounded(FUNCTIONS[name](*(evaluate(argument, values) for argument in args)))
        case _:
            raise UsageError(f"expression: {type(node).__name__} is not allowed")


class _Flip(ast.NodeTransformer):
    """Turns the plus or minus at one place (line position) of a fresh tree."""

    def __init__(self, node: ast.AST) -> None:
        self._place = _place(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if _is_sign(node) and _place(node) == self._place:
            node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        return node


def _place(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "col_offset", -1), getattr(node, "end_col_offset", -1)


def _is_sign(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))


def _check(node: ast.AST, text: str) -> None:
    allowed = (
        *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Name, ast.Load, ast.USub, ast.Not, ast.And, ast.Or),
        *OPERATORS,
        *COMPARISONS,
    )
    whole = isinstance(node, ast.Constant) and type(node.value) is int
    call = (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in FUNCTIONS
        and not node.keywords
    )
    if not (isinstance(node, allowed) or whole or call):
        raise UsageError(f"expression: {type(node).__name__} is not allowed in {text!r}")


def _bounded(result: Fraction) -> Fraction:
    if max(result.numerator.bit_length(), result.denominator.bit_length()) > BITS_LIMIT:
        raise UsageError(f"expression: the result has more than {BITS_LIMIT} bits")
    return result


def _whole(number: Fraction) -> int:
    if number.denominator != 1:
        raise UsageError(f"expression: expected a whole number, found {number}")
    return number.numerator


def _divide(left: Fraction, right: Fraction) -> Fraction:
    if right == 0:
        raise UsageError("expression: division by zero")
    return left / right


def _floor(left: Fraction, right: Fraction) -> Fraction:
    return Fraction(math.floor(_divide(left, right)))


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if not 0 <= _whole(exponent) <= EXPONENT_LIMIT or base.numerator.bit_length() > 32:
        raise UsageError(f"expression: an exponent must lie between 0 and {EXPONENT_LIMIT}, found {exponent}")
    return base ** _whole(exponent)


def _root(square: Fraction) -> Fraction:
    if square >= 0:
        root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
        if root * root == square:
            return root
    raise UsageError(f"expression: expected the square of a fraction, found {square}")


def _choose(count: Fraction, taken: Fraction) -> Fraction:
    if not 0 <= _whole(count) <= 1000:
        raise UsageError(f"expression: choose from at most 1000, found {count}")
    return Fraction(math.comb(_whole(count), _whole(taken)))


OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: _divide,
    ast.FloorDiv: _floor,
    ast.Mod: lambda a, b: a - b * _floor(a, b),
    ast.Pow: _power,
}
COMPARISONS: dict[type[ast.cmpop], Callable[[Fraction, Fraction], bool]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}
FUNCTIONS: dict[str, Callable[..., Fraction]] = {
    "abs": lambda a: max(a, -a),
    "gcd": lambda a, b: Fraction(math.gcd(_whole(a), _whole(b))),
    "lcm": lambda a, b: Fraction(math.lcm(_whole(a), _whole(b))),
    "sqrt": _root,
    "choose": _choose,
}
