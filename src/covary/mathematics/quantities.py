"""Units and words around a number, in tokens."""

from __future__ import annotations

from collections.abc import Sequence

from covary.mathematics import lexicon, units
from covary.mathematics.token import Token
from covary.mathematics.units import Unit

UNIT_LETTERS = frozenset(["m", "g", "s", "h", "l", "L", "t", "N", "J", "W", "d"])


def words_said(words: Sequence[str]) -> tuple[list[str], bool, Unit | None, bool]:
    """What is left of words without hedges and fillers; whether they hedge; the unit they name; radians."""
    left: list[str] = []
    hedged, radians = False, False
    unit: Unit | None = None
    position = 0
    hedges, fillers, copulas, leads = (lexicon.phrase_words(kind) for kind in ("hedge", "filler", "copula", "lead"))
    while position < len(words):
        word = words[position]
        found, used = unit_at(words, position)
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


def unit_at(words: Sequence[str], position: int) -> tuple[Unit | None, int]:
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


def segments(rest: list[Token], symbolic: bool) -> list[tuple[list[Token], list[Token]]]:
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


def trailing_said(trailing: list[Token]) -> tuple[Unit | None, list[str], bool, bool]:
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
        unit, used = unit_at(texts, at)
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
