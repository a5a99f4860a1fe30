"""What a translation must keep, checked by rule before any verifier is asked: a list of what is wrong, empty if nothing is.

Chatter, numbers, formulas, cut or doubled text, the wrong language. No rule reads meaning; that is the verifier's.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

from covary.items.languages import BUNDLED, language
from covary.lint.chatter import chatty
from covary.lint.marks import unmarked
from covary.lint.masking import ascii_digits, digit_runs, prose
from covary.lint.numbers import regrouped, unspoken
from covary.lint.untranslated import other_language, sentences

MOST_SENTENCES = 100  # whose language is looked at
LEAST_LETTERS = 30  # shorter prose is not measured
SHORTEST, LONGEST = 0.35, 2.6  # prose of a translation in letters, against the original's
SPARE = 100  # letters that a short text may gain
_LETTERS = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_COMMAND = re.compile(r"\\([a-zA-Z]+)")
# commands that lay out, or that languages and hands write in several ways
_FREE = frozenset(
    [
        "text",
        "textbf",
        "textit",
        "textrm",
        "mathrm",
        "mathbf",
        "mathbb",
        "rm",
        "bf",
        "it",
        "left",
        "right",
        "big",
        "Big",
        "bigg",
        "Bigg",
        "quad",
        "qquad",
        "dots",
        "ldots",
        "cdots",
        "therefore",
        "because",
        "displaystyle",
        "frac",
        "dfrac",
        "tfrac",
        "times",
        "cdot",
        "div",
        "item",
        "label",
        "begin",
        "end",
        "hspace",
        "vspace",
        "newline",
        "noindent",
        "log",
        "ln",
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "cosec",
        "triangle",
        "angle",
        "parallel",
        "perp",
        "le",
        "leq",
        "leqslant",
        "ge",
        "geq",
        "geqslant",
        "ne",
        "neq",
        "mid",
        "degree",
        "circ",
        "overline",
        "bar",
        "dot",
    ]
)
_REPEATING = re.compile(r"\\(?:dot|overline|bar)\s*\{?\s*\d")
_DAMAGE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|�|<0x[0-9A-Fa-f]{2}>")
_LOOP = re.compile(r"(.{12,200}?)(?:\s*\1){3,}", re.DOTALL)
_MARKUP = re.compile(r"\*\*|^#{1,4} |```|^\s*>|</?[a-z]{2,}>", re.MULTILINE)
_EMPHASIS = re.compile(r"\\(?:textbf|textit|emph|bf)\b")
_BOLD = re.compile(r"\*\*(?=\S)([^*]{1,2000}?)(?<=\S)\*\*")
_HEADED = re.compile(r"^\W*(?:question|kysymys|tehtävä|soru|сұрақ|мәселе|klausimas|uždavinys|প্রশ্ন)\s*:", re.IGNORECASE)
_PART = re.compile(r"(?:^|(?<=[\s$:;,.]))\w{1,3}\)")  # a), ii), 1)
_DECIMAL = re.compile(r"(?<![\d.,])(\d+)\.(\d+)(?![\d.]|,\d)")
# what another language writes in words (m² as square metres), and scraps of the source's typesetting
_SQUARED = re.compile(
    r"(?<=[mм])[²³]|(?<=[mм])\s*\}?\$?\s*\^\s*\{?\s*[23]\s*\}?|\\label\s*\{[^{}]*\}|\\(?:hspace|vspace)\*?\{[^{}]*\}"
)
_LIST_COMMA = re.compile(r"(?<=\d),(?=\s+-?\d)")


def problems(original: str, translation: str, source: str, target: str) -> list[str]:
    """What is wrong with a translation, a line each."""
    if not translation.strip():
        return ["it is empty"]
    found = [
        _damaged(translation),
        _chatter(original, translation),
        _markup(original, translation),
        _looping(original, translation),
        _length(original, translation),
        _cut(original, translation),
        _numbers(original, translation, source, target),
        _formulas(original, translation),
    ]
    told = [problem for problem in found if problem]
    other = (
        "" if told else _language(original, translation, source, target)
    )  # the dear one, only where all else is well
    return [*told, other] if other else told


def wordless(text: str) -> bool:
    """Whether a text holds mathematics alone, so that no words need translating."""
    return not _WORD.search(re.sub(r"\\[a-zA-Z]+", " ", text)) or (
        not _WORD.search(prose(text)) and not re.search(r"\\(?:text|mathrm)\s*\{[^{}]*[^\W\d_]{2,}", text)
    )


def with_marks(text: str, source: str, target: str) -> str:
    """The text with the target language's decimal mark; commas of a list of decimals become semicolons.

    >>> with_marks("3.5, 2", "en", "fi")
    '3,5; 2'
    """
    if language(source).decimal != "." or language(target).decimal != ",":
        return text
    plain = ascii_digits(text)
    if len(plain) != len(text) or not _DECIMAL.search(plain):
        return text
    pieces = list(text)
    for found in _DECIMAL.finditer(plain):
        pieces[found.end(1)] = ","
    for found in _LIST_COMMA.finditer(plain):
        pieces[found.start()] = ";"
    return "".join(pieces)


def without_emphasis(text: str, original: str) -> str:
    """The text without bold print that the original lacks; models add it and it says nothing.

    >>> without_emphasis("**Simplify:** $x + x$", "Lavenna: $x + x$")
    'Simplify: $x + x$'
    """
    return text if "**" in original or _EMPHASIS.search(original) else _BOLD.sub(r"\1", text)


def numbers_differ(original: str, translation: str) -> bool:
    """Whether the digits of one text are not those of the other. Marks, grouping, scripts and the order of words don't count."""
    original, translation = (_SQUARED.sub("", unmarked(side)) for side in (original, translation))
    ours, theirs = digit_runs(translation), digit_runs(original)
    if Counter(ours) == Counter(theirs) or regrouped(ours, theirs):
        return False
    return Counter(_grouped(translation)) != Counter(_grouped(original))


def _grouped(text: str) -> list[str]:
    """Runs of digits with the groups of one number put together."""
    plain = re.sub(r"(?<=\d)[,.   '](?=\d{3}(?!\d))|(?<=\d),(?=\d\d,\d{3}(?!\d))", "", ascii_digits(text))
    return re.findall(r"\d+", plain)


def damage(original: str, text: str) -> list[str]:
    """What a generating model breaks in a text: characters, brackets, added markup, loops."""
    found = [_damaged(text), _markup(original, text), _looping(original, text), _cut(original, text)]
    return [problem for problem in found if problem]


def _damaged(text: str) -> str:
    found = _DAMAGE.search(text)
    return f"it holds a damaged character ({found.group()!a})" if found else ""


def _chatter(original: str, text: str) -> str:
    if (found := chatty(text)) and not chatty(original):
        return f"it talks about the translation ({found.group()[:60]!r})"
    if (headed := _HEADED.search(text)) and not _HEADED.search(original):
        return f"it has a heading that the original lacks ({headed.group()!r})"
    return ""


def _markup(original: str, text: str) -> str:
    found = _MARKUP.search(text)
    return (
        ""
        if not found or _MARKUP.search(original) or _EMPHASIS.search(original)
        else f"it has markup that the original lacks ({found.group()!r})"
    )


def _looping(original: str, text: str) -> str:
    return "it repeats itself" if _LOOP.search(text[:20_000]) and not _LOOP.search(original[:20_000]) else ""


def letters(text: str) -> int:
    """Letters of the prose."""
    return len(_LETTERS.findall(prose(text)))


def _length(original: str, text: str) -> str:
    before, after = letters(original), letters(text)
    if before >= LEAST_LETTERS and after < SHORTEST * before:
        return "it is much shorter than the original"
    most = max(LONGEST * before, before + SPARE) if before >= LEAST_LETTERS else 4 * before + 60
    return "it is much longer than the original" if after > most else ""


def _cut(original: str, text: str) -> str:
    ours, theirs = _PART.sub("", text), _PART.sub("", original)
    for left, right in ("{}", "()", "[]"):
        if ours.count(left) != ours.count(right) and theirs.count(left) == theirs.count(right):
            return f"a bracket {left if ours.count(left) > ours.count(right) else right} is left open or over"
    if text.count("$") % 2 and original.count("$") % 2 == 0:
        return "a $ is left open"
    lines, due = (len([line for line in side.splitlines() if line.strip()]) for side in (text, original))
    if due >= 4 and lines < 0.6 * due and letters(text) < 0.7 * letters(original):
        return f"it has {lines} lines, the original {due}"
    whole, torn = (
        re.search(r"[.?!।:$)\]}]\s*$", original),
        re.search(r"(?:[,;(\[{=+\-–]|\\|\s(?:et|ja|ir|ve|және|এবং|de|la|le))\s*$", text),
    )
    return "it breaks off" if whole and torn else ""


def _numbers(original: str, text: str, source: str, target: str) -> str:
    """What differs in numbers; those that a side says in words are no difference."""
    if not numbers_differ(original, text):
        return ""
    ours, theirs = (Counter(_grouped(_SQUARED.sub("", unmarked(side)))) for side in (text, original))
    lost, new = unspoken(sorted(theirs - ours), text, target), unspoken(sorted(ours - theirs), original, source)
    said = [f"lost {', '.join(lost)}" if lost else "", f"new {', '.join(new)}" if new else ""]
    told = "; ".join(part for part in said if part)
    return f"its numbers differ: {told}"[:200] if told else ""


def _formulas(original: str, text: str) -> str:
    if bool(_REPEATING.search(original)) != bool(_REPEATING.search(text)):
        return "the marks of repeating decimals were lost or added"
    due, found = (Counter(name for name in _COMMAND.findall(side) if name not in _FREE) for side in (original, text))
    lost, new = due - found, found - due
    if lost:
        return f"a formula lost \\{sorted(lost)[0]}"
    if new and not due and sum(new.values()) > 2:
        return f"a formula was added (\\{sorted(new)[0]})"
    return ""


def _language(original: str, text: str, source: str, target: str) -> str:
    if source == target:
        return ""
    if text.strip() == original.strip() and len(_WORD.findall(prose(text))) >= 3:
        return "it is the original, untranslated"
    return wrong_language(text, target, source)


def wrong_language(text: str, target: str, source: str = "en") -> str:
    """Why a text is not in a language, or nothing: a sentence surely in another, or another script."""
    declared = tuple(sorted({source, target, *BUNDLED}))
    for sentence in islice(dict.fromkeys(sentences(text)), MOST_SENTENCES):
        other = other_language(sentence, target, declared)
        if other is not None:
            return f"a sentence is in {other}, not in {target} ({sentence[:60]!r})"
    whole = " ".join(prose(text).split())
    if language(target).script in ("Beng", "Cyrl") and (count := len(_LETTERS.findall(whole))) >= 12:
        latin = len(re.findall(r"[A-Za-z]", whole))
        if latin > 0.6 * count:
            return f"it is not written in the script of {target}"
    return ""
