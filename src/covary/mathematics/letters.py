"""Runs of letters → tokens: words, units, functions, or the letters of a product."""

from __future__ import annotations

import re
from functools import cache

from covary.mathematics import lexicon, units
from covary.mathematics.commands import FUNCTIONS
from covary.mathematics.glyphs import CYRILLIC_TWINS
from covary.mathematics.token import Token, Unread

COMMON_WORDS = frozenset(
    [
        "the",
        "and",
        "for",
        "are",
        "not",
        "all",
        "sum",
        "has",
        "was",
        "can",
        "its",
        "per",
        "one",
        "two",
        "six",
        "ten",
        "any",
        "but",
        "let",
        "set",
        "out",
        "odd",
        "even",
        "yes",
        "none",
        "true",
        "false",
        "both",
        "each",
        "from",
        "with",
        "that",
        "this",
        "then",
        "thus",
        "when",
        "were",
        "which",
        "have",
        "will",
        "only",
        "also",
        "into",
        "more",
        "less",
        "than",
        "most",
        "least",
        "such",
        "as",
        "is",
        "it",
        "be",
        "by",
        "of",
        "on",
        "to",
        "at",
        "we",
        "so",
        "no",
        "if",
        "in",
        "an",
        "do",
        "he",
        "my",
        "or",
        "us",
        "est",
        "les",
        "des",
        "une",
        "pour",
        "par",
        "sur",
        "avec",
        "dans",
        "que",
        "qui",
        "son",
        "soit",
        "ou",
        "et",
        "la",
        "le",
        "un",
        "en",
        "on",
        "il",
        "olan",
        "için",
        "ile",
        "bir",
        "bu",
        "tane",
        "adet",
        "kişi",
        "ve",
        "da",
        "de",
        "joka",
        "kun",
        "niin",
        "tai",
        "ja",
        "on",
        "ei",
        "kpl",
        "sen",
        "yra",
        "kad",
        "tai",
        "iš",
        "ir",
        "su",
        "arba",
    ]
)
CURRENCY_CODES = frozenset({"Rs", "USD", "BDT", "EUR", "INR", "GBP", "KZT", "TL"})
BARE_COMMANDS = frozenset({"frac", "dfrac", "tfrac", "sqrt", "cdot", "leq", "geq", "infty"})
ABBREVIATION = re.compile(
    r"(?:[A-Za-z\u0980-\u09ff\u0400-\u04ff]{1,5}\.\s?){1,2}[A-Za-z\u0980-\u09ff\u0400-\u04ff]{0,5}\.?"
)


def letters(text: str, start: int, end: int, language: str, spaced: bool, found: list[Token]) -> int:
    """Append what a run of letters stands for; where it ends."""
    sign = next((at for at in range(start, end) if text[at] in units.SIGNS), None)
    if sign == start:
        found.append(Token("word", text[start], spaced))
        return start + 1
    end = end if sign is None else sign
    run = text[start:end]
    before = found[-1] if found else None
    after_value = before is not None and (before.kind in ("num", "close", "mark") or before.text in ("degrees", "pi"))
    if text[end : end + 1] == "." and (after_value or before is None or before.kind in ("word", "op", "rel", "sep")):
        dotted = ABBREVIATION.match(text, start)
        if dotted and "." in dotted.group().rstrip(". "):
            name = lexicon.folded(dotted.group())
            squeezed = re.sub(r"[.\s]", "", name)
            named = units.unit_named(squeezed)
            if named and (after_value or before is None or before.kind == "word" or before.text == "/"):
                for prefix in ("sq", "cu"):
                    if squeezed.startswith(prefix) and squeezed not in ("cu",) and name.startswith(prefix + "."):
                        found.append(Token("word", prefix, spaced))
                        squeezed = squeezed[len(prefix) :]
                found.append(Token("word", squeezed, spaced))
                return dotted.end()
    lowered = lexicon.folded(run)
    if not run.isascii():
        if len(run) == 1 and run.translate(CYRILLIC_TWINS).isascii():
            found.append(Token("sym", run.translate(CYRILLIC_TWINS), spaced))
        elif (
            (twins := run.translate(CYRILLIC_TWINS)).isascii()
            and len(run) <= 3
            and not after_value
            and not _worded(text, start, end)
        ):
            found.extend(Token("sym", letter, spaced and not position) for position, letter in enumerate(twins))
        elif len(run) == 1 and not after_value and run not in ("ও",):
            found.append(Token("sym", run, spaced))
        else:
            found.append(Token("word", lowered, spaced))
        return end
    if len(run) == 1:
        found.append(Token("sym", run, spaced))
        return end
    following = text[end : end + 1]
    seconds = run == "sec" and after_value and spaced
    if run in FUNCTIONS and not seconds and (following in "({^_ \\" or following.isalnum()):
        found.append(Token("func", FUNCTIONS[run], spaced))
        return end
    if run in CURRENCY_CODES:
        found.append(Token("word", lowered, spaced))
        return end
    if run in BARE_COMMANDS:
        raise Unread("a LaTeX command without its backslash")
    if lowered == "pi":
        found.append(Token("cmd", "pi", spaced))
    elif lowered in ("inf", "infty"):
        found.append(Token("cmd", "infty", spaced))
    elif lowered in ("rad", "rads") or lowered in units.RADIANS:
        found.append(Token("word", "radian", spaced))
    elif (
        (before is not None and before.kind == "num" and not spaced and lowered in ("th", "st", "nd", "rd"))
        or (after_value and _measures(lowered, language, spaced))
        or _is_word(run, lowered, text, start, end, language)
    ):
        if (
            following == "("
            and len(run) >= 4
            and lowered not in known_words(language)
            and not units.unit_named(lowered)
        ):
            raise Unread("a call of something unknown")
        found.append(Token("word", lowered, spaced))
    else:
        head = next(
            (
                name
                for name in ("arcsin", "arccos", "arctan", "sin", "cos", "tan", "log", "ln", "sqrt")
                if run.endswith(name) and len(run) <= len(name) + 2
            ),
            None,
        )
        letters = run[: -len(head)] if head and head != run else run
        found.extend(Token("sym", letter, spaced and not position) for position, letter in enumerate(letters))
        if head and head != run:
            found.append(Token("func", FUNCTIONS[head], False))
    return end


def _worded(text: str, start: int, end: int) -> bool:
    """Another word stands next to it."""
    return bool(
        re.match(r"\s[^\W\d_]{2}", text[end : end + 3]) or re.search(r"[^\W\d_]{2}\s$", text[max(0, start - 3) : start])
    )


def _measures(word: str, language: str, spaced: bool) -> bool:
    """A unit or a word for square and cubic; short names of one language count there only, after a blank."""
    if word in units.LOCAL:
        return spaced and units.LOCAL[word] == language
    return units.unit_named(word) is not None or word in units.SQUARE or word in units.CUBIC


def _is_word(run: str, lowered: str, text: str, start: int, end: int, language: str) -> bool:
    if lowered in lexicon.connectives(language):
        if (
            text[start - 1 : start].isdigit()
            and text[end : end + 1] in set("-0123456789 ")
            and lowered in ("and", "or")
        ):
            return True
        return bool(
            text[max(0, start - 1) : start] in ("", " ", ")", "$", ",", "}", "]", "\n", ";")
            and text[end : end + 1] in ("", " ", ",", "$", ":", "\n", "\\")
        )
    if lowered in known_words(language) and (
        len(run) > 2
        or _worded(text, start, end)
        or (text[start - 1 : start] in ("", " ") and text[end : end + 1] in ("", " ", ".", ":"))
    ):
        return True
    if len(run) >= 5:
        return not (len(set(run)) == len(run) and run.isupper() and text[end : end + 1] not in ("", " "))
    if len(run) >= 3 and units.unit_named(lowered) and text[start - 1 : start] in ("", " ", "/", "("):
        return True
    if run.isupper():
        return False
    if (
        len(run) >= 3
        and re.search(r"\d\s$", text[max(0, start - 2) : start])
        and text[end : end + 1] in ("", ".", ",", ";")
        and sorted(run) != list(run)
    ):
        return re.search("[aeiouy]", lowered) is not None and re.search("[^aeiouy]", lowered) is not None
    if (
        len(run) == 4
        and text[end : end + 1] in (" ", ".", ":", "")
        and re.search("[aeiouy]", lowered)
        and re.search("[^aeiouy]", lowered)
        and text[max(0, start - 1) : start] in ("", " ")
    ):
        return True
    return len(run) >= 2 and _worded(text, start, end) and (len(run) >= 3 or lowered in COMMON_WORDS)


@cache
def known_words(language: str) -> frozenset[str]:
    """Short words that are never products of letters."""
    words = set(COMMON_WORDS) | {word for word in lexicon.number_words(language) if len(word) > 2}
    for kind in ("lead", "copula", "hedge", "filler"):
        words |= lexicon.phrase_words(kind)
    words |= {
        "tk",
        "sq",
        "cu",
        "cm",
        "km",
        "mm",
        "kg",
        "hrs",
        "hr",
        "min",
        "yes",
        "no",
        "no.",
        "undefined",
        "dom",
        "ran",
        "range",
        "domain",
        "if",
        "gcd",
        "lcm",
        "hcf",
        "usd",
    }
    return frozenset(word for word in words if word.isascii() and len(word) > 1)
