"""Prepared text → tokens: numbers under a locale's marks, symbols, functions, operators, relations, brackets, words."""

from __future__ import annotations

import re

from flint import fmpq

from covary.mathematics import units
from covary.mathematics.commands import BLANK_COMMANDS, command
from covary.mathematics.letters import letters
from covary.mathematics.numerals import number_at
from covary.mathematics.token import Marks, Token, Unread
from covary.mathematics.tree import Num

WORD_MARKS = "\u0300-\u036f\u0900-\u0dff"
SCAN = re.compile(
    r"(?P<blank>(?:\s|~|\\[,;:! ]|\\(?=\s))+)"
    r"|(?P<newline>\\\\)"
    r"|(?P<fence>\\[()\[\]]|\$+|`+|\*\*+|<\/?[A-Za-z]{1,12}>|\\end\{[a-z]*>?|\#+\s)"
    r"|(?P<command>\\[A-Za-z]+\*?)"
    r"|(?P<escaped>\\[{}%$&#_|])"
    r"|(?P<relation><=|>=|=>|==|!=|<|>|=|->)"
    r"|(?P<letters>(?:[^\W\d_]|[" + WORD_MARKS + r"])+)"
    r"|(?P<primes>'+|\")"
    r"|(?P<dots>\.\s?\.(?:\s?\.)*)"
    r"|(?P<other>.)",
    re.DOTALL,
)


def tokens(text: str, language: str, marks: Marks, limit: int) -> list[Token]:
    """Tokens of prepared text. Raises Unread past `limit` tokens."""
    found: list[Token] = []
    position, spaced, fraction_digits = 0, False, 0
    length = len(text)
    while position < length:
        if len(found) > limit:
            raise Unread("more tokens than the bound")
        char = text[position]
        if char.isdigit() or (char == "." and text[position + 1 : position + 2].isdigit()) or char == "\\":
            if fraction_digits and char.isdigit():
                found.append(Token("num", char, spaced, Num(fmpq(int(char)))))
                position, spaced, fraction_digits = position + 1, False, fraction_digits - 1
                continue
            scanned = number_at(text, position, marks, found)
            if scanned is not None:
                number, end = scanned
                found.append(Token("num", text[position:end], spaced, number))
                position, spaced, fraction_digits = end, False, 0
                continue
        match = SCAN.match(text, position)
        assert match is not None
        kind, piece = match.lastgroup or "", match.group()
        end = match.end()
        if kind == "blank":
            spaced = True
            if "\n" in piece:
                found.append(Token("sep", "\n", True))
            position = end
            continue
        if kind == "fence":
            spaced = True
            position = end
            continue
        if kind == "letters":
            end = letters(text, position, end, language, spaced, found)
        elif kind == "command":
            fraction_digits = 2 if piece in ("\\frac", "\\dfrac", "\\tfrac", "\\cfrac", "\\binom") else 0
            command(piece[1:].rstrip("*"), spaced, found)
        else:
            _sign(kind, piece, spaced, found)
        if kind != "command" and piece != "{":
            fraction_digits = max(0, fraction_digits - 1) if piece == "}" else fraction_digits
        if piece == "{":
            fraction_digits = 0
        position, spaced = end, kind == "command" and piece[1:] in BLANK_COMMANDS
    return found


def _sign(kind: str, piece: str, spaced: bool, found: list[Token]) -> None:
    if kind == "newline":
        found.append(Token("sep", "\\\\", spaced))
    elif kind == "escaped":
        sign = piece[1]
        if sign in "{}":
            found.append(Token("open" if sign == "{" else "close", piece, spaced))
        elif sign == "%":
            found.append(Token("mark", "%", spaced))
        elif sign == "$":
            found.append(Token("word", "$", spaced))
        elif sign == "|":
            found.append(Token("op", "|", spaced))
    elif kind == "relation":
        if piece in ("=>", "->"):
            found.append(Token("sep", "⇒", spaced))
        else:
            found.append(Token("rel", "=" if piece == "==" else piece, spaced))
    elif kind == "primes":
        found.append(Token("mark", "''" if piece == '"' else piece, spaced))
    elif kind == "dots":
        if found and found[-1].kind == "word" and len(piece.replace(" ", "")) == 2:
            return
        found.append(Token("cmd", "dots", spaced))
    elif piece in "([{":
        found.append(Token("open", piece, spaced))
    elif piece in ")]}":
        found.append(Token("close", piece, spaced))
    elif piece in ",;&":
        found.append(Token("sep", piece, spaced))
    elif piece == ":":
        found.append(Token("rel", ":", spaced))
    elif piece in "+-*/^_|!\\":
        found.append(Token("op", piece, spaced))
    elif piece == "%":
        found.append(Token("mark", "%", spaced))
    elif piece == ".":
        if found and found[-1].kind != "word":
            found.append(Token("sep", ".", spaced))
    elif piece in units.SIGNS:
        found.append(Token("word", piece, spaced))
    elif piece == "?":
        raise Unread("a question mark")
    elif piece in "@#~\u0001" or not piece.isprintable():
        raise Unread(f"a sign without meaning here: {piece!r}")
    elif piece.isspace():
        return
    else:
        raise Unread(f"a sign without meaning here: {piece!r}")
