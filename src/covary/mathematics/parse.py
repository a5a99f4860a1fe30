"""Tokens → expression tree: a bounded recursive descent that knows LaTeX and plain notation. No eval, no outside parser."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from covary.mathematics.token import Token, Unread
from covary.mathematics.tree import (
    MINUS_ONE,
    ONE,
    Add,
    Build,
    Call,
    Chain,
    Choice,
    Const,
    Dots,
    Group,
    Mul,
    Node,
    Num,
    Pow,
    Sym,
    integer,
    negated,
    quotient,
)

CLOSING = {"(": ")]", "[": "])", "{": ("}", "\\}"), "\\{": ("\\}", "}")}
COMPARISONS = frozenset({"=", "<", ">", "<=", ">=", "!=", "≈", "∈", "∉", "⊂", "⊆", "⊃", "⊇", "⊄", "∝"})
NUMBER_SETS = {"R": "ℝ", "Z": "ℤ", "N": "ℕ", "Q": "ℚ", "C": "ℂ", "IN": "ℕ", "IR": "ℝ"}
STARTERS = frozenset({"num", "sym", "func", "open", "cmd"})
NO_FACTOR = frozenset({"dots", "endmatrix"})


class Parser:
    """Reads one run of tokens without words. `loose`: a/bc is a/(bc) instead of (a/b)c."""

    def __init__(self, tokens: Sequence[Token], depth: int, loose: bool = False) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = depth
        self._loose = loose
        self._bars = 0

    def whole(self) -> Node:
        """The node that all tokens make. Raises Unread where they make none."""
        node = self.chain()
        if self._at < len(self._tokens):
            raise Unread(f"no place for {self._tokens[self._at].text!r}")
        return node

    def chain(self) -> Node:
        """Expressions joined by relations, or one expression."""
        members = [self.ratio()]
        relations: list[str] = []
        while (token := self._peek()) and token.kind == "rel" and token.text in COMPARISONS:
            self._at += 1
            relations.append(token.text)
            members.append(self.ratio())
        return Chain(tuple(members), tuple(relations)) if relations else members[0]

    def ratio(self) -> Node:
        """a : b : c, or one expression."""
        terms = [self.sum()]
        while (token := self._peek()) and token.kind == "rel" and token.text == ":":
            self._at += 1
            terms.append(self.sum())
        return Group("r", "r", tuple(terms)) if len(terms) > 1 else terms[0]

    def sum(self) -> Node:
        """Terms with signs; ± and ∓ make choices; unions and differences of sets."""
        self._deeper()
        terms: list[Node] = []
        token = self._peek()
        sign = token.text if token and token.kind == "op" and token.text in "+-±∓" else ""
        if sign:
            self._at += 1
        terms.append(self._signed(sign, self.product()))
        while (token := self._peek()) and (token.kind == "op" and token.text in "+-±∓∪\\"):
            self._at += 1
            if (token.text == "-" and terms == [Sym("R")]) or terms == [Sym("ℝ")]:
                opening = self._peek()
                if opening and opening.kind == "open" and opening.text in ("{", "\\{"):
                    self._at += 1
                    terms = _one(Call("minus", (terms[0], self._listed(opening))))
                    continue
            if token.text in "∪\\":
                left = terms[0] if len(terms) == 1 else Add(tuple(terms))
                terms = _one(Call("cup" if token.text == "∪" else "minus", (left, self.product())))
                continue
            follow = self._peek()
            if follow and follow.text == "dots":  # 1 + 2 + … or the trailing sign of a cut-off series
                self._at += 1
                while (more := self._peek()) and (more.text == "dots"):
                    self._at += 1
                terms.append(Dots())
                continue
            if follow is None and token.text in "+-" and any(isinstance(term, Dots) for term in terms):
                break
            terms.append(self._signed(token.text, self.product()))
        if (token := self._peek()) and token.text == "dots" and token.kind == "cmd":
            while (token := self._peek()) and token.text == "dots":
                self._at += 1
            terms.append(Dots())
        self._depth += 1
        return terms[0] if len(terms) == 1 else Add(tuple(terms))

    def product(self) -> Node:
        """Factors: explicit, by division, or side by side."""
        factors = [self.power()]
        while token := self._peek():
            if token.kind == "op" and token.text == "*":
                self._at += 1
                while (again := self._peek()) and again.kind == "op" and again.text == "*":
                    self._at += 1
                sign = self._sign_ahead()
                factors.append(self._signed(sign, self.power()))
            elif token.kind == "op" and token.text == "/":
                self._at += 1
                sign = self._sign_ahead()
                bottom = self._signed(sign, self.power())
                if self._loose:
                    while (more := self._peek()) and self._starts_factor(more):
                        bottom = Mul((bottom, self.power()))
                top = factors[0] if len(factors) == 1 else Mul(tuple(factors))
                factors = [quotient(top, bottom)]
            elif token.kind == "op" and token.text == "∩":
                self._at += 1
                left = factors[0] if len(factors) == 1 else Mul(tuple(factors))
                factors = _one(Call("cap", (left, self.power())))
            elif self._starts_factor(token):
                before = self._tokens[self._at - 1]
                factor = self.power()
                if token.kind == "num" and before.kind == "num":
                    raise Unread("two numbers side by side")
                if isinstance(factor, Group) or isinstance(factors[-1], Group):
                    raise Unread("brackets side by side that are no product")
                factors.append(factor)
            else:
                break
        return factors[0] if len(factors) == 1 else Mul(tuple(factors))

    def power(self) -> Node:
        """An atom with its marks and exponents."""
        self._deeper()
        node = self._postfix(self._atom())
        while (token := self._peek()) and token.kind == "op" and token.text == "^":
            self._at += 1
            if (mark := self._peek()) and mark.kind == "mark" and mark.text == "'":
                self._at += 1
                node = Call("prime", (node,))
                continue
            if (star := self._peek()) and star.kind == "op" and star.text == "*":
                self._at += 1
                node = Call("star", (node,))
                continue
            node = self._postfix(Pow(node, self._script()))
        self._depth += 1
        return node

    # Atoms

    def _atom(self) -> Node:
        token = self._next()
        if token.kind == "num":
            return self._number(token)
        if token.kind == "sym":
            return self._symbol(token)
        if token.kind == "func":
            return self._function(token.text)
        if token.kind == "open":
            return self._brackets(token)
        if token.kind == "op" and token.text == "|":
            return self._absolute()
        if token.kind == "op" and token.text in "+-":
            return self._signed(token.text, self.power())
        if token.kind == "mark" and token.text == "%":
            return Call("percent", (self.power(),))
        if token.kind == "cmd":
            return self._command(token)
        raise Unread(f"no value at {token.text!r}")

    def _number(self, token: Token) -> Node:
        number = token.number or Num(fmpq(0))
        ahead = self._peek()
        if number.places is None and number.value.q == 1 and ahead:
            if ahead.kind == "cmd" and ahead.text == "frac":
                back = self._at
                self._at += 1
                top, bottom = self._argument(), self._argument()
                if _whole(top) and _whole(bottom) and 0 < _value(top) < _value(bottom):
                    return Num(number.value + _value(top) / _value(bottom))
                self._at = back
            elif ahead.kind == "num" and ahead.spaced and self._at + 2 < len(self._tokens):
                slash, bottom_token = self._tokens[self._at + 1 : self._at + 3]
                if slash.kind == "op" and slash.text == "/" and ahead.number and bottom_token.number:
                    top, bottom = ahead.number.value, bottom_token.number.value
                    if top.q == 1 and bottom.q == 1 and 0 < top < bottom and bottom < 1000:
                        self._at += 3
                        return Num(number.value + top / bottom)
        return number

    def _symbol(self, token: Token) -> Node:
        name = token.text
        if (mark := self._peek()) and mark.kind == "mark" and mark.text in ("'", "''") and not mark.spaced:
            self._at += 1
            name += mark.text
        if (under := self._peek()) and under.kind == "op" and under.text == "_":
            self._at += 1
            name += "_" + self._script_text()
        if name in ("e", "i"):
            return Const(name)
        return Sym(name)

    def _function(self, name: str) -> Node:
        if name == "sqrt":
            return self._root()
        base: Node | None = None
        exponent: Node | None = None
        for _ in range(2):
            if (token := self._peek()) and token.kind == "op" and token.text == "_":
                self._at += 1
                base = self._script()
            if (token := self._peek()) and token.kind == "op" and token.text == "^":
                self._at += 1
                exponent = self._script()
        argument = self._function_argument()
        if (
            exponent is not None
            and exponent in (MINUS_ONE, Mul((MINUS_ONE, ONE)))
            and name in ("sin", "cos", "tan", "cot")
        ):
            name, exponent = "arc" + name, None
        if name == "log":
            node: Node = Call("log", (argument,) if base is None else (base, argument))
        elif name == "lg":
            node = Call("log", (integer(10), argument))
        elif name == "exp":
            node = Pow(Const("e"), argument)
        else:
            node = Call(name, (argument,))
        return node if exponent is None else Pow(node, exponent)

    def _function_argument(self) -> Node:
        token = self._peek()
        if token is None:
            raise Unread("a function without argument")
        if token.kind == "open" and token.text in ("(", "[", "{"):
            node = self.power()
            if token.text == "{":
                return node
            return node.items[0] if isinstance(node, Group) and len(node.items) == 1 else node
        if token.kind == "op" and token.text in "+-":
            self._at += 1
            self._deeper()
            node = self._signed(token.text, self._function_argument())
            self._depth += 1
            return node
        factors = [self.power()]
        while (ahead := self._peek()) and (
            (self._starts_factor(ahead) and ahead.kind != "func" and ahead.text not in ("(", "["))
            or self._slash_number(ahead)
        ):
            if ahead.text == "/":
                self._at += 1
                factors = [quotient(factors[0] if len(factors) == 1 else Mul(tuple(factors)), self.power())]
            else:
                factors.append(self.power())
        return factors[0] if len(factors) == 1 else Mul(tuple(factors))

    def _slash_number(self, token: Token) -> bool:
        """π/3 as the argument of a function without brackets."""
        follow = self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else None
        return (
            token.kind == "op"
            and token.text == "/"
            and not token.spaced
            and follow is not None
            and follow.kind == "num"
        )

    def _root(self) -> Node:
        index: Node = integer(2)
        if (token := self._peek()) and token.kind == "open" and token.text == "[":
            self._at += 1
            index = self.sum()
            self._expect("]")
        if (token := self._peek()) and token.kind == "open":
            self._at += 1
            body = self.sum()
            self._close(token)
        else:
            body = self._postfix(self._atom())
        return Call("root", (index, body))

    def _absolute(self) -> Node:
        self._bars += 1
        body = self.sum()
        self._bars -= 1
        token = self._next()
        if token.kind != "op" or token.text != "|":
            raise Unread("an absolute value that isn't closed")
        return Call("abs", (body,))

    def _command(self, token: Token) -> Node:
        name = token.text
        if name == "frac":
            top, bottom = self._argument(), self._argument()
            return quotient(top, bottom)
        if name == "pi":
            return Const("pi")
        if name == "infty":
            return Const("inf")
        if name == "sqrt":
            return self._root()
        if name == "emptyset":
            return Group("{", "}", ())
        if name == "binom":
            return Call("binom", (self._argument(), self._argument()))
        if name == "accent":
            return Sym("¯" + self._script_text())
        if name in ("mathbb", "mathcal"):
            text = self._script_text()
            return Sym(NUMBER_SETS.get(text, text))
        if name in ("angle", "triangle", "measuredangle"):
            letters = ""
            while (ahead := self._peek()) and ahead.kind == "sym" and len(letters) < 3:
                letters += ahead.text
                self._at += 1
            return Sym(f"{name} {letters}")
        if name == "dots":
            return Dots()
        if name == "beginmatrix":
            return self._matrix()
        if name == "degrees":
            return Call("deg", (ONE,))
        raise Unread(f"a command that isn't known here: \\{name}")

    def _matrix(self) -> Node:
        rows: list[Node] = []
        row: list[Node] = []
        while True:
            row.append(self.sum())
            token = self._next()
            if token.kind == "sep" and token.text == "&":
                continue
            ending = token.kind == "cmd" and token.text == "endmatrix"
            if not ending and token.text != "\\\\":
                raise Unread("a matrix that can't be followed")
            rows.append(Group("m", "m", tuple(row)))
            row = []
            if (ahead := self._peek()) and ahead.kind == "cmd" and ahead.text == "endmatrix" and not ending:
                self._at += 1
                ending = True
            if ending:
                return Group("m", "m", tuple(rows))

    def _brackets(self, opening: Token) -> Node:
        if opening.text in ("{", "\\{"):
            return self._braces(opening)
        items = [self._item(opening)]
        while (token := self._peek()) and token.kind == "sep" and token.text in ",;\n":
            self._at += 1
            items.append(self._item(opening))
        closing = self._close(opening)
        if len(items) == 1 and not isinstance(items[0], Chain):
            if opening.text == "(" and closing == ")":
                return items[0]
            if opening.text == "[" and closing == "]" and not isinstance(items[0], Group):
                return items[0]
        if items == [None]:
            raise Unread("empty brackets")
        if (
            all(isinstance(item, Group) and item.left == "[" for item in items)
            and opening.text == "["
            and closing == "]"
        ):
            return Group("m", "m", tuple(Group("m", "m", item.items) for item in items if isinstance(item, Group)))
        return Group(opening.text, closing, tuple(items))

    def _item(self, opening: Token) -> Node:
        while (token := self._peek()) and token.kind == "sep" and token.text in ("\n", "quad"):
            self._at += 1
        node = self.chain()
        while (token := self._peek()) and token.kind == "sep" and token.text in ("\n", "quad"):
            self._at += 1
        return node

    def _braces(self, opening: Token) -> Node:
        """A set by its members or by a condition; braces around one thing that is part of a term only group it."""
        alone = self._set_may_start()
        first = self._peek()
        inner_mark = first.text if first else ""
        if (token := self._peek()) and token.kind == "close":
            self._at += 1
            return Group("{", "}", ())
        self._bars += 1
        items = [self._element()]
        self._bars -= 1
        token = self._peek()
        if token and ((token.text in (":", "|") and token.kind in ("rel", "op")) or token.text == "|"):
            self._at += 1
            return self._builder(items[0], opening)
        while (token := self._peek()) and token.kind == "sep" and token.text in ",;\n":
            self._at += 1
            items.append(self._element())
        self._close(opening)
        if len(items) == 1 and opening.text == "{":
            if isinstance(items[0], Group) and inner_mark == "\\{":
                return items[0]
            ahead = self._peek()
            if not alone or (ahead is not None and ahead.kind not in ("rel", "sep", "close")):
                return items[0]
        return Group("{", "}", tuple(items))

    def _listed(self, opening: Token) -> Node:
        """The members of a set whose brace was read."""
        items = [self._element()]
        while (token := self._peek()) and token.kind == "sep" and token.text in ",;":
            self._at += 1
            items.append(self._element())
        self._close(opening)
        return Group("{", "}", tuple(items))

    def _element(self) -> Node:
        while (token := self._peek()) and token.kind == "sep" and token.text in ("\n", "quad"):
            self._at += 1
        members = [self.sum()]
        relations: list[str] = []
        while (token := self._peek()) and token.kind == "rel" and token.text in COMPARISONS:
            self._at += 1
            relations.append(token.text)
            members.append(self.sum())
        while (token := self._peek()) and token.kind == "sep" and token.text in ("\n", "quad"):
            self._at += 1
        return Chain(tuple(members), tuple(relations)) if relations else members[0]

    def _builder(self, left: Node, opening: Token) -> Node:
        conditions = [self.chain()]
        all_of = True
        while (token := self._peek()) and (
            (token.kind == "sep" and token.text in (",", ";", "quad", "\n"))
            or (token.kind == "word" and token.text in ("or", "and"))
        ):
            self._at += 1
            if token.text == "or":
                all_of = False
            if (again := self._peek()) and again.kind in ("sep", "word"):
                continue
            conditions.append(self.chain())
        self._close(opening)
        return Build(left, tuple(conditions), all_of)

    def _set_may_start(self) -> bool:
        before = self._tokens[self._at - 2] if self._at >= 2 else None
        return (
            before is None or before.kind in ("rel", "sep", "open") or (before.kind == "op" and before.text in "∪∩\\")
        )

    # Marks, scripts, arguments

    def _postfix(self, node: Node) -> Node:
        while token := self._peek():
            if token.kind == "op" and token.text == "!":
                node = Call("fact", (node,))
            elif token.kind == "mark" and token.text == "%":
                node = Call("percent", (node,))
            elif token.kind == "cmd" and token.text == "degrees":
                self._at += 1
                node = self._degrees(node)
                continue
            elif token.kind == "op" and token.text == "_" and isinstance(node, Call | Const):
                raise Unread("an index that can't be placed")
            else:
                return node
            self._at += 1
        return node

    def _degrees(self, node: Node) -> Node:
        """Degrees, with minutes and seconds where they follow."""
        total = node
        for mark, parts in (("'", 60), ("''", 3600)):
            ahead = self._tokens[self._at : self._at + 2]
            if (
                len(ahead) == 2
                and ahead[0].kind == "num"
                and ahead[1].kind == "mark"
                and ahead[1].text == mark
                and ahead[0].number
            ):
                self._at += 2
                total = _plus(total, ahead[0].number, parts)
        return Call("deg", (total,))

    def _script(self) -> Node:
        token = self._peek()
        if token is None:
            raise Unread("an exponent without value")
        if token.kind == "open" and token.text == "{":
            self._at += 1
            node = self.sum()
            self._close(token)
            return node
        self._deeper()
        if token.kind == "op" and token.text in "+-":
            self._at += 1
            node = self._signed(token.text, self._script())
        else:
            node = self._postfix(self._atom())
        if (ahead := self._peek()) and ahead.kind == "op" and ahead.text == "^":
            self._at += 1
            node = Pow(node, self._script())
        self._depth += 1
        return node

    def _script_text(self) -> str:
        """The raw text of an index or of what an accent covers."""
        token = self._next()
        if token.kind != "open":
            return token.text
        text, level = "", 1
        while level:
            token = self._next()
            level += (token.kind == "open") - (token.kind == "close")
            if level:
                text += token.text
            if len(text) > 40:
                raise Unread("a long index")
        return text

    def _argument(self) -> Node:
        token = self._peek()
        if token is None:
            raise Unread("a fraction without its parts")
        if token.kind == "open" and token.text == "{":
            self._at += 1
            node = self.sum()
            self._close(token)
            return node
        return self._atom()

    def _close(self, opening: Token) -> str:
        token = self._next()
        if token.kind != "close" or token.text not in CLOSING[opening.text]:
            raise Unread(f"a bracket {opening.text!r} that isn't closed")
        return token.text

    def _expect(self, text: str) -> None:
        if self._next().text != text:
            raise Unread(f"no {text!r} where one is needed")

    def _signed(self, sign: str, node: Node) -> Node:
        if sign == "-":
            return negated(node)
        if sign in ("±", "∓"):
            return Choice(node, 1 if sign == "±" else -1)
        return node

    def _sign_ahead(self) -> str:
        if (token := self._peek()) and token.kind == "op" and token.text in "+-±∓":
            self._at += 1
            return token.text
        return ""

    def _starts_factor(self, token: Token) -> bool:
        if token.kind == "op" and token.text == "|" and not self._bars:
            return True
        return token.kind in STARTERS and not (token.kind == "cmd" and token.text in NO_FACTOR)

    def _peek(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _next(self) -> Token:
        if self._at >= len(self._tokens):
            raise Unread("the end where a value is needed")
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _deeper(self) -> None:
        self._depth -= 1
        if self._depth < 0:
            raise Unread("deeper nesting than the bound")


def _one(node: Node) -> list[Node]:
    return [node]


def _whole(node: Node) -> bool:
    return isinstance(node, Num) and node.places is None and node.value.q == 1


def _value(node: Node) -> fmpq:
    assert isinstance(node, Num)
    return node.value


def _plus(total: Node, number: Num, parts: int) -> Node:
    if isinstance(total, Num):
        return Num(total.value + number.value / parts)
    return Add((total, Num(number.value / parts)))
