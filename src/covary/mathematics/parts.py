"""Tokens → parts: split at separators, read labels, expressions and units of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from covary.mathematics import lexicon, units
from covary.mathematics.parse import COMPARISONS, Parser
from covary.mathematics.quantities import segments, trailing_said, unit_at, words_said
from covary.mathematics.token import Token, Unread
from covary.mathematics.tree import (
    Add,
    Call,
    Chain,
    Group,
    Mul,
    Node,
    Num,
    Sym,
    Words,
    integer,
)
from covary.mathematics.units import Unit


@dataclass(frozen=True)
class Part:
    """One value of an answer. label: what stands before "=" or as words before it; joined: how it is tied to the part before."""

    node: Node
    label: Node | str | None = None
    unit: Unit | None = None
    hedged: bool = False
    joined: str = ","
    nouns: tuple[str, ...] = ()
    radians: bool = False


class Bounds(NamedTuple):
    """What a reading is bound by: language, sizes of text, tokens and nesting; symbolic answers have no unit letters."""

    language: str
    characters: int
    tokens: int
    depth: int
    symbolic: bool


MAX_LABEL_WORDS = 9
INTRODUCING = frozenset(
    [
        "is",
        "are",
        "of",
        "solution",
        "solutions",
        "value",
        "values",
        "roots",
        "root",
        "hence",
        "for",
        "when",
        "that",
        "with",
        "ratkaisut",
        "ratkaisu",
        "arvo",
        "sont",
        "est",
        "solutions",
        "de",
        "valeurs",
    ]
)
MONEY = frozenset(
    {
        "taka",
        "dollar",
        "euro",
        "rupee",
        "tenge",
        "lira",
        "pound sterling",
        "EUR",
        "GBP",
        "INR",
        "KZT",
        "TRY",
        "BDT",
        "JPY",
        "cent",
    }
)
NEGATIONS = frozenset(
    [
        "not",
        "no",
        "nor",
        "pas",
        "non",
        "ei",
        "eivät",
        "değil",
        "емес",
        "ne",
        "nėra",
        "нет",
        "না",
        "নয়",
        "নয়",
        "নেই",
        "except",
        "instead",
        "rather",
        "but",
    ]
)


def parts_of(found: list[Token], bounds: Bounds, loose: bool) -> tuple[Part, ...]:
    """Split at separators and connectives outside brackets; read every piece. Raises Unread."""
    pieces = _pieces(_without_notes(found), bounds.language)
    parts: list[Part] = []
    pending: list[str] = []
    for joined, piece in pieces:
        piece_parts = _part(piece, bounds, loose)
        if isinstance(piece_parts, str):
            pending.append(piece_parts)
            continue
        first, *rest = piece_parts
        label = first.label if first.label is not None else (" ".join(pending) or None if pending else None)
        said = " ".join([*pending, label if isinstance(label, str) else ""]).split()
        if len(said) > MAX_LABEL_WORDS:
            raise Unread("more words than a label")
        parts.append(replace(first, joined=joined, label=label))
        parts.extend(rest)
        pending = []
    if pending and not parts:
        return (Part(Words(_statement(" ".join(pending), bounds.language))),)
    if not parts:
        raise Unread("nothing to read")
    return tuple(parts)


def _statement(words: str, language: str) -> str:
    words = words.strip(" .:;,!")
    known = lexicon.statement_of(words)
    if known:
        return known
    value = lexicon.number_word(words, language)
    if value is not None:
        return f"#{value}"
    return words


def _without_notes(found: list[Token]) -> list[Token]:
    """Tokens without bracketed remarks: (approx.), (i), (প্রায়)."""
    kept: list[Token] = []
    at = 0
    while at < len(found):
        token = found[at]
        if token.kind == "open" and token.text == "(":
            end = at + 1
            while (
                end < len(found)
                and found[end].kind in ("word", "sep", "rel")
                and found[end].text not in ("<", ">", "=")
                and end - at < 14
            ):
                end += 1
            inside = [other.text for other in found[at + 1 : end] if other.kind == "word"]
            if end < len(found) and found[end].text == ")" and inside and at > 0:
                if any(word in lexicon.phrase_words("hedge") for word in inside):
                    kept.append(Token("word", "approx", True))
                elif len(inside) == 1 and units.unit_named(inside[0]):
                    kept.append(Token("word", inside[0], True))
                at = end + 1
                continue
        kept.append(token)
        at += 1
    return kept


def _pieces(found: list[Token], language: str) -> list[tuple[str, list[Token]]]:
    joins = lexicon.connectives(language)
    pieces: list[tuple[str, list[Token]]] = []
    current: list[Token] = []
    joined, level = ",", 0
    matrix = 0
    for token in found:
        if token.kind == "open":
            level += 1
        elif token.kind == "close":
            level = max(0, level - 1)
        elif token.text == "beginmatrix":
            matrix += 1
        elif token.text == "endmatrix":
            matrix -= 1
        kind = ""
        if level == 0 and matrix == 0:
            if token.kind == "sep":
                kind = {"⇒": "=>", ".": "."}.get(token.text, ",")
                if token.text == "&":
                    continue
            elif token.text in joins and (token.kind == "word" or (token.kind == "sym" and token.spaced and current)):
                kind = joins[token.text]
            elif token.kind == "word" and token.text in lexicon.THEREFORE:
                kind = "=>"
        if not kind:
            current.append(token)
            continue
        if token.text in ("quad", "\n", ".") and current and _only_words(current):
            current.append(Token("word", "", True))
            continue
        if current:
            pieces.append((joined, current))
            current = []
            joined = kind
        elif (pieces and (kind in ("or", "and", "=>") or (kind == "." and joined == ","))) or kind == "=>":
            joined = kind
    if current:
        pieces.append((joined, current))
    return _continued(pieces)


def _continued(pieces: list[tuple[str, list[Token]]]) -> list[tuple[str, list[Token]]]:
    """A piece that starts with "=" goes on with the one before it; numbers with only blanks between them are several."""
    found: list[tuple[str, list[Token]]] = []
    for joined, piece in pieces:
        if found and piece[0].kind == "rel" and piece[0].text in ("=", "≈") and joined != "=>":
            found[-1] = (found[-1][0], found[-1][1] + piece)
            continue
        if len(piece) > 1 and all(token.kind == "num" or token.text == "-" for token in piece):
            cuts = [
                at
                for at, token in enumerate(piece)
                if at == 0
                or (token.spaced and (token.text == "-" or piece[at - 1].text != "-") and token.kind == "num")
                or (token.text == "-" and token.spaced and not piece[min(at + 1, len(piece) - 1)].spaced)
            ]
            runs = [piece[start:end] for start, end in zip(cuts, [*cuts[1:], len(piece)], strict=True)]
            if all(run[-1].kind == "num" and len(run) <= 2 for run in runs):
                found += [(joined if not at else ",", run) for at, run in enumerate(runs)]
                continue
        found.append((joined, piece))
    return found


def _only_words(piece: Sequence[Token]) -> bool:
    return all(token.kind == "word" for token in piece)


def _part(piece: list[Token], bounds: Bounds, loose: bool) -> list[Part] | str:
    """The parts that a piece makes, or its words where it has no mathematics."""
    if _only_words(piece):
        words = " ".join(token.text for token in piece).strip()
        value = lexicon.number_word(words, bounds.language)
        if value is not None:
            return [Part(integer(value))]
        core, hedged, unit, _ = words_said(words.split())
        value = lexicon.number_word(" ".join(core), bounds.language)
        if value is not None:
            return [Part(integer(value), unit=unit, hedged=hedged)]
        known = lexicon.statement_of(words) or lexicon.statement_of(" ".join(core))
        return [Part(Words(known))] if known else words
    members, relations = _members(piece)
    inner = _label_inside(members)
    if inner is not None:
        first = _part(inner[0], bounds, loose)
        second = _part(inner[1], bounds, loose)
        if isinstance(first, str) or isinstance(second, str):
            raise Unread("a label without a value")
        return [*first, *second]
    while members and not members[0]:
        if relations and relations[0] in ("<", ">", "<=", ">=", "!="):
            members[0] = [Token("sym", "□")]
            break
        members, relations = members[1:], relations[1:]
    if not members or any(not member for member in members):
        raise Unread("a relation without a side")
    label: Node | str | None = None
    read_members: list[Part] = []
    for position, member in enumerate(members):
        if position == 0 and len(members) > 1:
            named = _label(member)
            if named is not None:
                label = named
                continue
        read_members.append(_member(member, bounds, loose))
    if label is not None:
        last = read_members[-1]
        if (
            relations[0] == ":"
            and len(read_members) > 1
            and any(relation not in ("=", "≈", ":") for relation in relations[1:])
        ):
            chain = Chain(tuple(part.node for part in read_members), tuple(relations[1:]))
            return [Part(chain, label=label, unit=last.unit or read_members[0].unit, hedged=last.hedged)]
        if relations[0] == ":" or all(relation in ("=", "≈", "∈") for relation in relations):
            hedged = last.hedged or "≈" in relations
            if len(read_members) > 1:
                return [replace(last, label=label, hedged=hedged)]
            return [replace(last, label=label, hedged=hedged)]
        raise Unread("a label that is compared")
    if len(read_members) == 1:
        return [read_members[0]]
    if all(relation == ":" for relation in relations):
        return [Part(Group("r", "r", tuple(_in_base(part) for part in read_members)))]
    last = read_members[-1]
    first = read_members[0]
    if (
        isinstance(last.node, Words)
        and last.node.text in lexicon.STATEMENTS
        and not any(isinstance(part.node, Words) for part in read_members[:-1])
    ):
        return [Part(last.node)]
    if isinstance(first.node, Words) or any(isinstance(part.node, Words) for part in read_members):
        raise Unread("words inside a relation")
    chain = Chain(tuple(part.node for part in read_members), tuple(relations))
    unit = last.unit if all(relation in ("=", "≈") for relation in relations) else last.unit or first.unit
    return [Part(chain, label=first.label, unit=unit, hedged=last.hedged or "≈" in relations)]


def _label_inside(members: list[list[Token]]) -> tuple[list[Token], list[Token]] | None:
    """Two labelled values without a separator, cut in two: Domain: [-5, 5] Range: [0, 5]."""
    for position, member in enumerate(members[:-1]):
        if position:
            words = 0
            while words < len(member) and member[-1 - words].kind == "word":
                words += 1
            start = len(member) - words
            _, used = unit_at([token.text for token in member[start:]], 0) if words else (None, 0)
            named = units.unit_named(member[start].text) if words else None
            start += used if named or (words and member[start].text in units.SQUARE | units.CUBIC) else 0
            if words and 0 < start < len(member):
                return _rejoined(members, position, start)
    return None


def _rejoined(members: list[list[Token]], position: int, start: int) -> tuple[list[Token], list[Token]]:
    left: list[Token] = []
    for member in members[:position]:
        left += [*member, Token("rel", "=")]
    left += members[position][:start]
    right = list(members[position][start:])
    for member in members[position + 1 :]:
        right += [Token("rel", "="), *member]
    return left, right


def _in_base(part: Part) -> Node:
    return Mul((Num(part.unit.factor), part.node)) if part.unit else part.node


def _members(piece: list[Token]) -> tuple[list[list[Token]], list[str]]:
    members: list[list[Token]] = [[]]
    relations: list[str] = []
    level = 0
    for at, token in enumerate(piece):
        level += (token.kind == "open") - (token.kind == "close")
        if (
            token.kind == "rel"
            and level <= 0
            and (token.text in COMPARISONS or (token.text == ":" and _names_value(members[-1], piece, at)))
        ):
            relations.append(token.text)
            members.append([])
        else:
            members[-1].append(token)
    return members, relations


def _names_value(member: list[Token], piece: list[Token], at: int) -> bool:
    """Whether ":" follows a name rather than the first term of a ratio."""
    if any(token.kind == "word" for token in member) or not member:
        return True
    follow = piece[at + 1] if at + 1 < len(piece) else None
    lone = len(member) == 1 and member[0].kind == "sym"
    return (
        lone
        and follow is not None
        and follow.kind in ("num", "cmd", "open")
        and not any(token.text == "=" for token in piece)
    )


def _label(member: list[Token]) -> Node | str | None:
    """A name before "=": words, f(x), f⁻¹(x), P(A), D_f, ∠A … as text; None where it is an expression or a plain symbol."""
    if _only_words(member):
        return " ".join(token.text for token in member)
    texts = [token.text for token in member]
    kinds = [token.kind for token in member]
    words = [token for token in member if token.kind == "word"]
    if kinds[-1] == "sym" and len(member) > 1 and set(kinds[:-1]) == {"word"} and texts[-2] in INTRODUCING:
        return Sym(texts[-1])
    if words and kinds[-1] == "word" and "num" not in kinds[1:] and len(words) >= 2:
        return " ".join(texts)
    if words and kinds[0] == "word" and all(kind in ("word", "sym", "num", "open", "close") for kind in kinds):
        return " ".join(texts)
    if words and kinds[-1] == "word" and all(kind in ("word", "sym") for kind in kinds):
        return " ".join(texts)
    if kinds[0] == "sym" and "open" in kinds:
        at = kinds.index("open")
        head = "".join(texts[:at])
        inner = texts[at:]
        if texts[at] == "{" and at >= 1 and texts[at - 1] in ("^", "_"):
            close = next((k for k in range(at, len(texts)) if kinds[k] == "close"), None)
            if close is None:
                return None
            if close == len(texts) - 1:
                return "".join(texts) if texts[at - 1] == "_" else None
            if kinds[close + 1] == "open" and kinds[-1] == "close":
                return "".join(texts)
            return None
        if (
            at >= 2
            and texts[at:]
            and kinds[at:] == ["open", "sym", "close"]
            and set(kinds[:at]) == {"sym"}
            and all(not token.spaced for token in member[1:at])
        ):
            return "".join(texts)
        if (
            texts[at] == "("
            and kinds[-1] == "close"
            and kinds.count("open") == 1
            and re.fullmatch(r"[A-Za-z](?:_\w|\^-?1|\^-1)?'*|[A-Za-z]o[A-Za-z]", head)
        ):
            single = len(inner) == 3
            if head in ("f", "g", "h", "F", "G", "P", "n", "Q", "R", "A", "S") or (
                single
                and head.isalpha()
                and kinds[at + 1] == "sym"
                and head != inner[1]
                and head in ("p", "q", "y", "u", "v")
            ):
                return "".join(texts)
    return None


def _member(member: list[Token], bounds: Bounds, loose: bool) -> Part:
    """One side of a relation: words, expression, unit, words; or quantities one after the other (2 h 30 min)."""
    start = 0
    while start < len(member) and (
        member[start].kind == "word" or (member[start].kind == "sym" and _article(member, start))
    ):
        start += 1
    before = [token.text for token in member[:start]]
    rest = member[start:]
    if not rest:
        return Part(Words(_statement(" ".join(before), bounds.language)))
    runs = segments(rest, bounds.symbolic)
    if any(word in NEGATIONS for word in before):
        raise Unread("a negation")
    core, hedged, currency, radians = words_said(before)
    label = " ".join(core) or None
    if label is None and currency and currency.measure[0][0] not in MONEY:
        label, currency = " ".join(before), None
    quantities: list[Part] = []
    nouns: list[str] = []
    for expression, trailing in runs:
        if not expression:
            raise Unread("a unit without a number")
        node = Parser(expression, bounds.depth, loose).whole()
        unit, left, hedge, radian = trailing_said(trailing)
        hedged, radians = hedged or hedge, radians or radian
        nouns += left
        quantities.append(Part(node, unit=unit))
    if len(nouns) > 6 or any(word in NEGATIONS for word in nouns):
        raise Unread("more words than a unit or a noun")
    node, unit = compound(quantities)
    if unit and currency:
        raise Unread("two units")
    if radians and any(isinstance(part, Call) and part.name == "deg" for part in (node,)):
        raise Unread("degrees and radians at once")
    return Part(node, label=label, unit=unit or currency, hedged=hedged, nouns=tuple(nouns), radians=radians)


def _article(member: list[Token], at: int) -> bool:
    """A single letter that is a word: "a" before or after a word."""
    if member[at].text not in ("a", "à", "y", "l", "d") or at + 1 >= len(member):
        return False
    return member[at + 1].kind == "word" or (at > 0 and member[at + 1].kind in ("num", "sym") and member[at + 1].spaced)


def compound(quantities: list[Part]) -> tuple[Node, Unit | None]:
    """One quantity, or the sum of several of one measure in falling units (5 ft 6 in)."""
    if len(quantities) == 1:
        return quantities[0].node, quantities[0].unit
    first = quantities[0].unit
    if first is None or any(part.unit is None or part.unit.measure != first.measure for part in quantities):
        raise Unread("numbers and words that don't make a quantity")
    terms: list[Node] = []
    for part in quantities:
        assert part.unit is not None
        terms.append(Mul((Num(part.unit.factor / first.factor), part.node)))
    return Add(tuple(terms)), first


def together_of(parts: tuple[Part, ...]) -> tuple[Part, ...] | None:
    """2 hours and 30 minutes as one quantity; None where "and" joins no falling units of one measure."""
    if len(parts) != 2 or parts[1].joined != "and" or parts[1].label is not None:
        return None
    big, small = parts[0].unit, parts[1].unit
    if big is None or small is None or big.measure != small.measure or not small.factor < big.factor:
        return None
    node, unit = compound(list(parts))
    return (replace(parts[0], node=node, unit=unit),)
