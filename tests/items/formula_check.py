"""A small reader of the templates' formulas, for tests only: evaluates each side of a chain exactly at a point."""

from __future__ import annotations

import math
import re
from fractions import Fraction

UNIT = re.compile(r"(?:\\,)?\\text\{[^}]*\}(?:\^\d)?")
RELATION = re.compile(r"(\\Rightarrow|\\ge|\\le|=|<|>)")
TOKEN = re.compile(r"\s*(\\[a-z]+|\\%|\d+(?:\.\d+)?|[A-Za-z]|[-+^(){}!])")
UNREAD = re.compile(r"[fgPS]_?[({]|\\(?:sin|cos|tan|vec|gamma|cap|cup|mid)|\|")


class UnreadError(Exception):
    """The side holds something that this reader does not know."""


def chains(formula: str, point: dict[str, Fraction]) -> list[bool]:
    """For each relation of a formula whose two sides can be read: whether it holds at the point."""
    found: list[bool] = []
    for statement in UNIT.sub("", formula).split(r"\Rightarrow"):
        parts = RELATION.split(statement)
        sides = [_side(part, point) for part in parts[::2]]
        for left, relation, right in zip(sides, parts[1::2], sides[1:], strict=False):
            if left is not None and right is not None:
                found.append(_holds(left, relation, right))
    return found


def _side(text: str, point: dict[str, Fraction]) -> Fraction | None:
    if UNREAD.search(text):
        return None
    try:
        return Reader(text, point).whole()
    except UnreadError:
        return None


def _holds(left: Fraction, relation: str, right: Fraction) -> bool:
    return {"=": left == right, "<": left < right, ">": left > right, r"\ge": left >= right, r"\le": left <= right}[
        relation
    ]


class Reader:
    """Recursive descent over sums, products (also unwritten), powers, fractions, roots and binomials."""

    def __init__(self, text: str, point: dict[str, Fraction]) -> None:
        text = text.strip()
        self.tokens = TOKEN.findall(text)
        self.point = point
        if "".join(self.tokens) != re.sub(r"\s", "", text) or not text:
            raise UnreadError(text)

    def whole(self) -> Fraction:
        value = self.sum()
        if self.tokens:
            raise UnreadError(self.tokens)
        return value

    def sum(self) -> Fraction:
        value = Fraction(0)
        sign = 1
        if self.peek() == "-":
            self.tokens.pop(0)
            sign = -1
        value = sign * self.product()
        while self.peek() in ("+", "-"):
            sign = 1 if self.tokens.pop(0) == "+" else -1
            value += sign * self.product()
        return value

    def product(self) -> Fraction:
        value = self.power()
        while (token := self.peek()) and token not in ("+", "-", ")", "}"):
            if token in (r"\cdot", r"\div"):
                self.tokens.pop(0)
                factor = self.power()
                value = value * factor if token == r"\cdot" else value / factor
            else:
                value *= self.power()
        return value

    def power(self) -> Fraction:
        base = self.atom()
        if self.peek() == "^":
            self.tokens.pop(0)
            exponent = self.group() if self.peek() == "{" else Fraction(self.tokens.pop(0))
            return base ** int(exponent)
        if self.peek() == r"\%":
            self.tokens.pop(0)
            return base / 100
        return base

    def atom(self) -> Fraction:
        token = self.tokens.pop(0)
        if token[0].isdigit():
            return Fraction(token)
        if token == "(":
            value = self.sum()
            self.expect(")")
            return value
        if token == "{":
            self.tokens.insert(0, token)
            return self.group()
        if token == r"\frac":
            return self.group() / self.group()
        if token == r"\binom":
            return Fraction(math.comb(int(self.group()), int(self.group())))
        if token == r"\sqrt":
            square = self.group()
            root = Fraction(math.isqrt(int(square)))
            if root * root != square:
                raise UnreadError(square)
            return root
        name = "pi" if token == r"\pi" else token
        if name in self.point:
            return self.point[name]
        raise UnreadError(token)

    def group(self) -> Fraction:
        self.expect("{")
        value = self.sum()
        self.expect("}")
        return value

    def expect(self, token: str) -> None:
        if not self.tokens or self.tokens.pop(0) != token:
            raise UnreadError(token)

    def peek(self) -> str | None:
        return self.tokens[0] if self.tokens else None
