"""Text → parts: what an answer says, with label, unit and hedge of each part, and how sure the reading is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from covary.mathematics import lexicon, units
from covary.mathematics.glyphs import tidy
from covary.mathematics.parse import COMPARISONS, Parser
from covary.mathematics.tokens import Marks, Token, Unread, plain_number, prepared, tokens
from covary.mathematics.tree import Add, Call, Chain, Group, Mul, Node, Num, Sym, Words, integer, negated
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


@dataclass(frozen=True)
class Reading:
    """How a text was read. whole: every word of it was understood; strength: of the marker that pointed at the value in prose."""

    parts: tuple[Part, ...] = ()
    whole: bool = True
    prose: str = ""
    weak: bool = False
    why_not: str = ""
    key: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    text: str = ""
    alternatives: tuple[Reading, ...] = field(default=())
    placeholder: bool = False
    steps: bool = False  # all of a text of which the last step or sentence is the answer


EXPLANATION = re.compile(
    r"(?:\b|\*\*|#)(?:explanation|explication|justification|selitys|perustelu|açıklama|paaiškinimas|note|verification|check|step[- ]by[- ]step)\s*(?:\*\*)?\s*:|"
    r"(?:ব্যাখ্যা|ব্যাখ্যা|যাচাই|түсіндірме|түсініктеме)\s*(?:\*\*)?\s*:|c['’]est[- ]à[- ]dire",
    re.IGNORECASE,
)
SIMPLE = re.compile(r"\s*(-?)([0-9]{1,15})(?:\.([0-9]{1,15}))?\s*")
TURKISH_ENDING = re.compile(r"(?<=[\d%°])'(?:d[iıuü]r|t[iıuü]r|[ae]|[iıuü]n?|y[aeiıuü]|l[iıuü]k)(?!\w)")
THERE_IS = re.compile(
    r"(?:^|(?<=[.,;:]))\s*(?:il y a|there (?:are|is|were|will be)|on a|on obtient|on trouve|nous avons|we (?:have|get|find|obtain))(?!\w)",
    re.IGNORECASE,
)
ENUMERATIONS = (
    ("(1)", "(2)", "(3)", "(4)"),
    ("(i)", "(ii)", "(iii)", "(iv)"),
    ("(a)", "(b)", "(c)", "(d)"),
    ("a)", "b)", "c)", "d)"),
    ("1)", "2)", "3)", "4)"),
    ("i)", "ii)", "iii)", "iv)"),
    ("(ক)", "(খ)", "(গ)", "(ঘ)"),
)
BOXED = re.compile(r"\\f?boxed\s*\{")
LEAD = re.compile(r"[\s*#_>\-–.:]*")
NUMBERED = re.compile(r"^\s*(?:#+\s*)?(?:\*\*)?\d{1,2}[.)]\s+(?=(?:\*\*)?[^\W\d_]{3,})")
FINAL_TAG = re.compile(r"<\\?final\\?>|\\<final\\>", re.IGNORECASE)
COMPARED = re.compile(r"\\[lg]eq?(?![a-z])|[<>]")
FINAL_END = re.compile(r"\\?<\\?/final\\?>|\\end\{final\}?>?|```", re.IGNORECASE)
LONE_DOLLAR = re.compile(r"(?<=[\w})])\$\s+(?=[-+\\\d(])")
BOLD = re.compile(r"\*\*|__|`+|^#+\s|</?final>|</?answer>|<think>|</think>", re.MULTILINE)
TAIL = re.compile(r"(?:\\end\{[a-z]*>|\\end\{final\}?|[\s।;,*`$]|(?<!\.)\.|\\[\])])+$")
ONLY_WORDS = re.compile(r"[^\d+=<>^_{}\\/*]+")
SENTENCE_END = re.compile(r"(?<=[^\d\s.])\.\s+(?=[^\d\s])|\n+|।")
FINAL_MARK = re.compile(
    r"(?:final answer|the answer|answer|চূড়ান্ত উত্তর|চূড়ান্ত উত্তর|উত্তর|vastaus|réponse(?: finale)?|cevap|sonuç|жауабы?|atsakymas)"
    r"(?:\s*\([^()]{0,30}\))?(?:\s+(?:is|est|on|yra|হলো|হল)(?:\s+to\s+be)?)?\s*:?\s*(?:\*\*)?\s*(?::|\bis\b)?",
    re.IGNORECASE,
)
DOLLARS = re.compile(r"^\s*\$\s?(\d[\d.,]*)\s*$|\\\$\s?(\d[\d.,]*)")


@lru_cache(maxsize=20_000)
def read(text: str, language: str, characters: int, limit: int, depth: int, symbolic: bool) -> Reading:
    """The preferred reading of a text and, in it, the others that its marks allow."""
    simple = SIMPLE.fullmatch(text)
    if simple and not (simple.group(3) and len(simple.group(3)) == 3 and language in lexicon.GROUPING_DOT):
        return _simple(text, *simple.groups())
    shown = text
    repaired: tuple[str, ...] = ()
    long = len(text) > characters
    if long:
        return Reading(whole=False, why_not=f"longer than {characters} characters", text=shown, key=(text,))
    money = DOLLARS.search(text)
    if money:
        text = text[: money.start()] + "USD " + (money.group(1) or money.group(2)) + text[money.end() :]
    clean, repaired = tidy(text)
    clean, final = _final(clean)
    before_final = clean
    clean = NUMBERED.sub("", clean)
    if clean.count("$") % 2:
        clean = LONE_DOLLAR.sub(" , ", clean)
    clean = BOLD.sub(lambda found: found.group() if found.group() == "**" else " ", clean)
    cut = EXPLANATION.search(clean)
    if cut and clean[: cut.start()].strip(" *#\n$-:"):
        clean = clean[: cut.start()]
    clean = _unbracketed(_unboxed(clean))
    bare = TAIL.sub("", clean).strip()
    placeholder = _placeholder(bare)
    if placeholder:
        return Reading(
            whole=True, why_not="a placeholder, no value", text=shown, repairs=repaired, key=(bare,), placeholder=True
        )
    known = lexicon.statement_of(lexicon.folded(bare.strip(" $.!*")))
    if known:
        return Reading((Part(Words(known)),), key=(known,), repairs=repaired, text=shown)
    if language == "tr":
        clean = TURKISH_ENDING.sub("", clean)
    clean = prepared(_trim(_enumerated(THERE_IS.sub(" ", _without_placeholder(clean)))))
    first, *others = _conventions(clean, language)
    reading = _one(clean, language, first, limit, depth, symbolic, loose=False)
    alternatives: list[Reading] = []
    if reading.parts:
        alternatives += reading.alternatives
        for marks, weak in others:
            other = _one(clean, language, (marks, weak), limit, depth, symbolic, loose=False)
            if other.parts:
                alternatives.append(replace(other, weak=weak))
        if LISTED.search(clean):
            other = _one(
                LISTED.sub(" , ", clean),
                language,
                (first[0]._replace(blank_groups=False), False),
                limit,
                depth,
                symbolic,
                loose=False,
            )
            if other.parts:
                alternatives.append(other)
        if "/" in clean and re.search(r"/\s*[\w.]+\s*(?:\\?[A-Za-z(])", clean):
            other = _one(clean, language, first, limit, depth, symbolic, loose=True)
            if other.parts and other.parts != reading.parts:
                alternatives.append(replace(other, weak=True))
    together = _together(reading.parts)
    if together is not None:
        alternatives.append(replace(reading, parts=together, alternatives=()))
    if final:
        other = read(final, language, characters, limit, depth, symbolic)
        if other.parts and not other.placeholder:
            if COMPARED.search(before_final) and not COMPARED.search(final):
                other = replace(other, whole=False, prose="weak")
            alternatives = (
                [replace(reading, alternatives=()), *alternatives]
                if any(not isinstance(part.node, Words) for part in reading.parts)
                else alternatives
            )
            reading = replace(other, alternatives=(), key=reading.key)
    return replace(reading, repairs=repaired, text=shown, alternatives=tuple(alternatives))


def _enumerated(text: str) -> str:
    """Marks of parts, such as (1) … (2) … or a) … b) …, as separators."""
    start = text.lstrip(" *$")
    for marks in ENUMERATIONS:
        if not start.startswith(marks[0] + " "):
            continue
        pieces: list[str] = []
        rest = start[len(marks[0]) :]
        for mark in marks[1:]:
            before, found, after = rest.partition(" " + mark + " ")
            if not found:
                break
            pieces.append(before.rstrip(" ,;"))
            rest = after
        if pieces:
            return " ; ".join([*pieces, rest])
    return text


def _simple(text: str, minus: str, whole: str, fraction: str | None) -> Reading:
    """The reading of a plain number."""
    number = plain_number(f"{whole}.{fraction}" if fraction else whole)
    digits = f"{whole}.{fraction}" if fraction else whole
    return Reading((Part(negated(number) if minus else number),), key=("-", digits) if minus else (digits,), text=text)


def _final(text: str) -> tuple[str, str]:
    """The text before a final-answer tag, and the tag's content; the text alone where it holds nothing else."""
    pieces = FINAL_TAG.split(text)
    if len(pieces) == 1:
        return FINAL_END.sub(" ", text), ""
    said = [FINAL_END.split(piece)[0].strip() for piece in pieces[1:]]
    said = [piece for piece in said if re.search(r"\w", piece)]
    before = FINAL_END.sub(" ", pieces[0])
    if not re.search(r"\w", before):
        return (said[-1] if said else before), ""
    return before, said[-1] if said else ""


def _one(
    clean: str, language: str, convention: tuple[Marks, bool], limit: int, depth: int, symbolic: bool, loose: bool
) -> Reading:
    key: tuple[str, ...] = (re.sub(r"\s+", "", clean),)
    why = ""
    try:
        found = tokens(clean, language, convention[0], limit)
        key = (
            tuple(token.text for token in found if token.kind != "sep" or token.text not in ("quad", "\n", ".")) or key
        )
        parts = _parts(found, language, depth, symbolic, loose)
        return _by_sentence(Reading(parts, key=key))
    except Unread as stop:
        why = str(stop)
    try:
        return _from_prose(clean, language, convention[0], limit, depth, symbolic, loose, key, why)
    except Unread:
        return Reading(whole=False, why_not=why, key=key)


def _by_sentence(reading: Reading) -> Reading:
    """Of several sentences with mathematics the last one is the answer, unless it only says again what stands before."""
    breaks = [
        at
        for at, part in enumerate(reading.parts)
        if at and part.joined in (".", "=>") and not isinstance(part.node, Words)
    ]
    if not breaks:
        return reading
    return replace(reading, parts=reading.parts[breaks[-1] :], alternatives=(replace(reading, steps=True),))


def _conventions(text: str, language: str) -> list[tuple[Marks, bool]]:
    """The preferred marks and the others that the text allows; True: a reading to be unsure of."""
    comma = language in lexicon.DECIMAL_COMMA
    if not re.search(r"\d[,.]\d", text):
        return [(Marks("decimal" if comma else "group"), False)]
    has_comma = re.search(r"\d,\d", text) is not None
    if not comma:
        found: list[tuple[Marks, bool]] = [(Marks("group"), False)]
        if has_comma and re.search(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?![\d,])", text):
            found.append((Marks("list"), False))
        if (
            has_comma
            and re.search(r"(?<![\d,.])\d+,\d+(?![\d,.])", text)
            and not re.search(r"(?<![\d,])[1-9]\d{0,2},\d{3}(?![\d,])", text)
        ):
            found.append((Marks("decimal"), True))
        return found
    dotted = re.search(r"\d\.\d", text) is not None
    surely_decimal = dotted and not re.search(r"(?<![\d.])[1-9]\d{0,2}(?:\.\d{3})+(?![\d.])", text)
    found = [(Marks("list" if surely_decimal and has_comma else "decimal"), False)]
    if has_comma:
        found.append(
            (
                Marks("list" if not surely_decimal else "decimal"),
                bool(re.search(r"(?<![\d,])\d+,\d+(?![\d,])", text)) and not re.search(r"[^\d\s,.\-]", text) and False,
            )
        )
        if re.search(r"(?<![\d,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])", text):
            found.append((Marks("group"), True))
    if dotted and language in lexicon.GROUPING_DOT and not surely_decimal:
        found.append((Marks("decimal", dot_groups=True), True))
    return found


# Parts


def _parts(found: list[Token], language: str, depth: int, symbolic: bool, loose: bool) -> tuple[Part, ...]:
    """Split at separators and connectives outside brackets; read every piece. Raises Unread."""
    pieces = _pieces(_without_notes(found), language)
    parts: list[Part] = []
    pending: list[str] = []
    for joined, piece in pieces:
        piece_parts = _part(piece, language, depth, symbolic, loose)
        if isinstance(piece_parts, str):
            pending.append(piece_parts)
            continue
        first, *rest = piece_parts
        label = first.label if first.label is not None else (" ".join(pending) or None if pending else None)
        parts.append(replace(first, joined=joined, label=label))
        parts.extend(rest)
        pending = []
    if pending and not parts:
        return (Part(Words(_statement(" ".join(pending), language))),)
    if not parts:
        raise Unread("nothing to read")
    return _spread(parts)


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
            elif token.kind == "word" and token.text in joins:
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


def _part(piece: list[Token], language: str, depth: int, symbolic: bool, loose: bool) -> list[Part] | str:
    """The parts that a piece makes, or its words where it has no mathematics."""
    if _only_words(piece):
        words = " ".join(token.text for token in piece).strip()
        value = lexicon.number_word(words, language)
        if value is not None:
            return [Part(integer(value))]
        core, hedged, unit, _ = _words(words.split(), language)
        value = lexicon.number_word(" ".join(core), language)
        if value is not None:
            return [Part(integer(value), unit=unit, hedged=hedged)]
        known = lexicon.statement_of(words) or lexicon.statement_of(" ".join(core))
        return [Part(Words(known))] if known else words
    members, relations = _members(piece)
    inner = _label_inside(members)
    if inner is not None:
        first = _part(inner[0], language, depth, symbolic, loose)
        second = _part(inner[1], language, depth, symbolic, loose)
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
        read_members.append(_member(member, language, depth, symbolic, loose))
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
            _, used = _unit_at([token.text for token in member[start:]], 0) if words else (None, 0)
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


def _words(words: Sequence[str], language: str) -> tuple[list[str], bool, Unit | None, bool]:
    """What is left of words without hedges and fillers; whether they hedge; the unit they name; radians."""
    left: list[str] = []
    hedged, radians = False, False
    unit: Unit | None = None
    position = 0
    hedges, fillers, copulas, leads = (lexicon.phrase_words(kind) for kind in ("hedge", "filler", "copula", "lead"))
    while position < len(words):
        word = words[position]
        found, used = _unit_at(words, position)
        if found and unit is None:
            unit, position = found, position + used
            continue
        position += 1
        if word in hedges:
            hedged = True
        elif word in units.RADIANS or word == "radian":
            radians = True
        elif word in fillers or word in copulas or word in leads or not word:
            continue
        else:
            left.append(word)
    return left, hedged, unit, radians


def _unit_at(words: Sequence[str], position: int) -> tuple[Unit | None, int]:
    word = words[position]
    for modifies, power in ((units.is_square, 2), (units.is_cubic, 3)):
        if modifies(word) and position + 1 < len(words):
            named = units.unit_named(words[position + 1])
            if named:
                return units.raised(named, power), 2
    if position + 1 < len(words):
        named = units.unit_named(f"{word} {words[position + 1]}")
        if named and len(word) <= 6:
            return named, 2
        named = units.unit_named(word)
        for modifies, power in ((units.is_square, 2), (units.is_cubic, 3)):
            if named and modifies(words[position + 1]):
                return units.raised(named, power), 2
    if word in units.SIGNS:
        return units.by_name(units.SIGNS[word]), 1
    if word == "$":
        return units.by_name("USD"), 1
    return units.unit_named(word), 1


def _member(member: list[Token], language: str, depth: int, symbolic: bool, loose: bool) -> Part:
    """One side of a relation: words, expression, unit, words; or quantities one after the other (2 h 30 min)."""
    start = 0
    while start < len(member) and (
        member[start].kind == "word" or (member[start].kind == "sym" and _article(member, start))
    ):
        start += 1
    before = [token.text for token in member[:start]]
    rest = member[start:]
    if not rest:
        return Part(Words(_statement(" ".join(before), language)))
    segments = _segments(rest, symbolic)
    if any(word in NEGATIONS for word in before):
        raise Unread("a negation")
    core, hedged, currency, radians = _words(before, language)
    label = " ".join(core) or None
    if label is None and currency and currency.measure[0][0] not in MONEY:
        label, currency = " ".join(before), None
    quantities: list[Part] = []
    nouns: list[str] = []
    for expression, trailing in segments:
        if not expression:
            raise Unread("a unit without a number")
        node = Parser(expression, depth, loose).whole()
        unit, left, hedge, radian = _trailing(trailing, language)
        hedged, radians = hedged or hedge, radians or radian
        nouns += left
        quantities.append(Part(node, unit=unit))
    if len(nouns) > 6 or any(word in NEGATIONS for word in nouns):
        raise Unread("more words than a unit or a noun")
    node, unit = _compound(quantities)
    if unit and currency:
        raise Unread("two units")
    if radians and any(isinstance(part, Call) and part.name == "deg" for part in (node,)):
        raise Unread("degrees and radians at once")
    return Part(node, label=label, unit=unit or currency, hedged=hedged, nouns=tuple(nouns), radians=radians)


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


def _article(member: list[Token], at: int) -> bool:
    """A single letter that is a word: "a" before or after a word."""
    if member[at].text not in ("a", "à", "y", "l", "d") or at + 1 >= len(member):
        return False
    return member[at + 1].kind == "word" or (at > 0 and member[at + 1].kind in ("num", "sym") and member[at + 1].spaced)


def _segments(rest: list[Token], symbolic: bool) -> list[tuple[list[Token], list[Token]]]:
    """[(expression tokens, unit and word tokens after it)], cut where a word or a spaced unit letter follows a number."""
    segments: list[tuple[list[Token], list[Token]]] = []
    expression: list[Token] = []
    trailing: list[Token] = []
    level = 0
    for at, token in enumerate(rest):
        if token.kind == "open":
            level += 1
        elif token.kind == "close":
            level -= 1
        inside = level > 0 or token.kind == "close"
        if not trailing:
            if not inside and (token.kind == "word" or _unit_letter(rest, at, expression, symbolic)):
                trailing.append(token)
            else:
                expression.append(token)
        elif token.kind == "word" or (
            (not inside or token.text in "{}" or trailing[-1].text == "{") and _continues_unit(rest, at, trailing)
        ):
            trailing.append(token)
        else:
            segments.append((expression, trailing))
            expression, trailing = [token], []
    segments.append((expression, trailing))
    return segments


UNIT_LETTERS = frozenset(["m", "g", "s", "h", "l", "L", "t", "N", "J", "W", "d"])


def _unit_letter(rest: list[Token], at: int, expression: list[Token], symbolic: bool) -> bool:
    token = rest[at]
    if token.kind != "sym" or token.text not in UNIT_LETTERS or not expression or (symbolic and not token.spaced):
        return False
    if any(other.kind == "sym" for other in expression) or (
        expression[-1].kind not in ("num", "close") and expression[-1].text != "pi"
    ):
        return False
    if not token.spaced and (expression[-1].kind != "num" or len(expression) > 2 or token.text not in "mgsh"):
        return False
    follow = rest[at + 1] if at + 1 < len(rest) else None
    if follow is None or follow.kind in ("word",):
        return True
    if follow.kind == "num" and token.text in "hms":
        return True
    if follow.text == "^" and at + 2 < len(rest):
        after = at + 5 if rest[at + 2].text == "{" else at + 3
        return rest[at + 2].text in ("2", "3", "{") and (
            len(rest) <= after or rest[after].kind == "word" or rest[after].text == "/"
        )
    return (
        follow.text == "/" and at + 2 < len(rest) and (rest[at + 2].kind == "word" or rest[at + 2].text in UNIT_LETTERS)
    )


def _continues_unit(rest: list[Token], at: int, trailing: list[Token]) -> bool:
    """A power of the unit, a division by a unit, or a unit letter after it."""
    token, last = rest[at], trailing[-1]
    if token.text in ("^", "/", "*", ".") and token.kind in ("op", "sep"):
        return at + 1 < len(rest)
    if last.text == "^":
        return token.text in ("2", "3", "{", "-")
    if token.kind == "num":
        return last.text in ("{", "-") or (
            last.kind == "word" and units.unit_named(last.text) is not None and not token.spaced and token.text in "23"
        )
    if token.kind in ("open", "close") and token.text in "{}":
        return "^" in {other.text for other in trailing[-4:]}
    return token.kind == "sym" and (
        last.text in ("/", "*") or (token.text in UNIT_LETTERS and last.text in units.SQUARE | units.CUBIC | units.PER)
    )


def _trailing(trailing: list[Token], language: str) -> tuple[Unit | None, list[str], bool, bool]:
    """Unit, nouns, hedge and radians from the tokens after a number."""
    texts = [token.text for token in trailing]
    numerator: Unit | None = None
    denominator: Unit | None = None
    nouns: list[str] = []
    hedged, radians, under = False, False, False
    at = 0
    hedges, fillers, copulas = (lexicon.phrase_words(kind) for kind in ("hedge", "filler", "copula"))
    while at < len(texts):
        text = texts[at]
        if text == "/" or (text in units.PER and numerator is not None):
            under, at = True, at + 1
            continue
        if text in units.PER_UNITS and numerator is not None and denominator is None:
            denominator, at = units.by_name(units.PER_UNITS[text]), at + 1
            continue
        unit, used = _unit_at(texts, at)
        if text in UNIT_LETTERS and trailing[at].kind == "sym":
            unit, used = units.unit_named(text.lower()) or units.by_name(text), 1
        if (
            unit
            and text not in hedges
            and (numerator is None or (under and denominator is None) or trailing[at].text not in fillers)
        ):
            at += used
            power = 1
            if at < len(texts) and texts[at] == "^":
                digits = "".join(piece for piece in texts[at + 1 : at + 5] if piece in ("2", "3", "-"))
                power = int(digits[-1]) if digits and digits[-1].isdigit() else 1
                at += 1
                while at < len(texts) and texts[at] in ("{", "}", "2", "3", "-"):
                    at += 1
            elif at < len(texts) and texts[at] in ("2", "3"):
                power = int(texts[at])
                at += 1
            powered = units.raised(unit, power) if power > 1 else unit
            if under:
                denominator = powered if denominator is None else units.product(denominator, powered)
            elif numerator is None:
                numerator = powered
            elif powered.measure != numerator.measure:
                nouns.append(text)
            continue
        at += 1
        if text in hedges:
            hedged = True
        elif text in units.RADIANS or text == "radian":
            radians = True
        elif text in fillers or text in copulas or text in ("*", "", "^", ".") or text in "{}":
            continue
        else:
            nouns.append(text)
    if numerator and denominator:
        numerator = Unit(
            f"{numerator.name}/{denominator.name}",
            units.product(numerator, units.raised(denominator, -1)).measure,
            numerator.factor / denominator.factor,
        )
    return numerator, nouns, hedged, radians


def _compound(quantities: list[Part]) -> tuple[Node, Unit | None]:
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


def _together(parts: tuple[Part, ...]) -> tuple[Part, ...] | None:
    """2 hours and 30 minutes as one quantity; None where "and" joins no falling units of one measure."""
    if len(parts) != 2 or parts[1].joined != "and" or parts[1].label is not None:
        return None
    big, small = parts[0].unit, parts[1].unit
    if big is None or small is None or big.measure != small.measure or not small.factor < big.factor:
        return None
    node, unit = _compound(list(parts))
    return (replace(parts[0], node=node, unit=unit),)


# Labels that reach over several parts


def _spread(parts: list[Part]) -> tuple[Part, ...]:
    """Carry labels over lists: (x, y) = (3, 4), (5, 6) and x = 1, 2."""
    return tuple(parts)


# Wrappers, prose


def _trim(text: str) -> str:
    text = TAIL.sub("", text)
    if text.endswith("\\"):
        text = text[:-1]
    return text.strip()


def _placeholder(text: str) -> bool:
    inner = text.strip(" []<>{}()*$.:'\"\\")
    if (
        text.startswith("[")
        and text.endswith("]")
        and len(inner) > 3
        and re.fullmatch(r"[^\W\d_][^\d=<>^_{}\\\[\],;+*/]+", inner)
    ):
        return (
            lexicon.statement_of(lexicon.folded(inner)) is None
            and lexicon.number_word(lexicon.folded(inner), "en") is None
        )
    return bool(inner) and lexicon.folded(inner) in lexicon.placeholders()


def _without_placeholder(text: str) -> str:
    """The text without a prompt's placeholder echoed before or after the value."""
    for found in re.finditer(r"\[([^\[\]]{3,40})\]", text):
        if _placeholder(found.group(1)):
            rest = (text[: found.start()] + " " + text[found.end() :]).strip(" ,:;")
            return rest if re.search(r"\w", rest) else text
    return text


def _unboxed(text: str) -> str:
    """The content of the last box where there is one; the text itself otherwise."""
    boxes = list(BOXED.finditer(text))
    if not boxes:
        return text
    last = boxes[-1]
    level, at = 1, last.end()
    while at < len(text) and level:
        level += (text[at] == "{" and text[at - 1] != "\\") - (text[at] == "}" and text[at - 1] != "\\")
        at += 1
    inner = text[last.end() : at - 1 if level == 0 else at]
    return inner if inner.strip() else text


def _unbracketed(text: str) -> str:
    """Labelled values in brackets around the whole answer, taken out of them."""
    inner = text.strip(" \n.$")
    for left, right in (("[", "]"), ("\\{", "\\}"), ("{", "}")):
        if (
            inner.startswith(left)
            and inner.endswith(right)
            and LABELLED.match(inner, len(left))
            and _encloses(inner, left, right)
        ):
            return inner[len(left) : -len(right)]
    return text


LABELLED = re.compile(r"\s*(?:[^\W\d][^\[\]{}()=:|<>,;]{2,40}:(?!\s*[a-z]\s)|[^\W\d][^\[\]{}=:|<>,;∈]{0,30}=)")


def _encloses(text: str, left: str, right: str) -> bool:
    """The first bracket is closed by the last one."""
    level, at = 0, 0
    while at < len(text):
        if text.startswith(left, at):
            level, at = level + 1, at + len(left)
        elif text.startswith(right, at):
            level, at = level - 1, at + len(right)
            if level == 0:
                return at == len(text)
        else:
            at += 1
    return False


def _from_prose(
    clean: str,
    language: str,
    marks: Marks,
    limit: int,
    depth: int,
    symbolic: bool,
    loose: bool,
    key: tuple[str, ...],
    why: str,
) -> Reading:
    """The value that prose points at: after a final-answer phrase, or the last mathematics of the text. Raises Unread."""
    for strength, candidate in _candidates(clean, language):
        try:
            parts = _parts(tokens(candidate, language, marks, limit), language, depth, symbolic, loose)
        except Unread:
            continue
        if all(
            isinstance(part.node, Words) and part.node.text not in lexicon.STATEMENTS for part in parts
        ) or _negated_around(clean, candidate):
            continue
        return Reading(parts, whole=False, prose=strength, key=key, why_not=why)
    raise Unread(why)


NEGATION = re.compile(
    r"(?<!\w)(?:not|n't|isn't|cannot|ei|eivät|değil|емес|nėra|ne|না|নয়|নয়|pas|rather than|instead of)(?!\w)",
    re.IGNORECASE,
)
LISTED = re.compile(r"(?<=[\d}])\s+(?=\\d?frac)|(?<=\d)\s+(?=\d{3}(?!\d))|(?<=\d)\s+(?=\d+\s*/)")
LAST_MATH = re.compile(
    r"\$([^$]{1,300})\$?[\s.।]*$|\\\(((?:(?!\\[()]).){1,300})$|\\\((.{1,300}?)\\\)[\s.।]*$|\\\[(.{1,300}?)\\\][\s.।]*$",
    re.DOTALL,
)
LAST_EQUAL = re.compile(r"=\s*([^=]{1,200})$", re.DOTALL)
COPULA = re.compile(
    r"(?:\bis|\bare|\bequals|\bbe|\bas|হলো|হল|হবে|হচ্ছে|হয়|\best|\bsont|\bon|\bovat|\byra|\blygus|тең|болады)(?![^\W\d_])|:",
    re.IGNORECASE,
)
NUMBER_TAIL = re.compile(r"(?:^|[^\w.,])([-+]?\d[\d.,]*(?:\s*[^\W\d]{1,14}\.?){0,2})[\s.।]*$")


def _negated_around(text: str, candidate: str) -> bool:
    """A negation stands right before or after the candidate, or in it."""
    at = text.rfind(candidate)
    around = (
        text[max(0, at - 30) : at] + " | " + candidate + " | " + text[at + len(candidate) : at + len(candidate) + 15]
    )
    return NEGATION.search(around) is not None


def _candidates(clean: str, language: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    marks = list(FINAL_MARK.finditer(clean))
    if marks:
        tail = clean[marks[-1].end() :].strip(" *:$\n")
        if tail:
            found.append(("strong", tail))
            found.append(("strong", _trim(SENTENCE_END.split(tail)[0])))
    sentences = SENTENCE_END.split(_trim(clean))
    closing = sentences[-1].strip(" *#")
    first_word = re.match(r"[^\W\d_]+", closing)
    if len(sentences) > 1 and first_word and lexicon.folded(first_word.group()) in lexicon.THEREFORE:
        found.append(("strong", _trim(closing)))
    last_line = _trim(SENTENCE_END.split(_trim(clean))[-1])
    if last_line and last_line != clean:
        found.append(("weak", last_line))
    copulas = list(COPULA.finditer(last_line))
    if copulas and last_line[copulas[-1].end() :].strip():
        found.append(("weak", last_line[copulas[-1].end() :]))
    for pattern in (LAST_MATH, LAST_EQUAL, NUMBER_TAIL):
        match = pattern.search(last_line if pattern is not LAST_MATH else clean)
        if match:
            text = next(group for group in match.groups() if group is not None)
            found.append(("weak", _trim(text)))
    return found[:8]
