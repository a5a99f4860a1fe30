"""Lexicons over free text: many forms in many scripts, one pass, longest match first.

`plain_text` brings an answer into one shape (compatibility forms, digits, markup, LaTeX, reasoning tags) before any
lexicon sees it; the forms of a lexicon go through the same shaping, so that both sides agree.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any, Generic, NamedTuple, TypeVar

S = TypeVar("S")

LONGEST_TEXT = 12_000  # characters read; of a longer answer the end, where answers stand
MOST_FOUND = 120  # forms kept of one text, the last ones: bounds the time that a flood of them can take

LETTER_BEFORE = r"(?<![^\W\d_ぁ-ヿ㐀-鿿가-힣])(?<![ऀ-ॣঀ-෿])"
LETTER_AFTER = r"(?![^\W\d_ぁ-ヿ㐀-鿿가-힣]|[ऀ-ॣঀ-෿])"
HEBREW_PREFIX = r"[ובלכהמש]{0,2}?"
ARABIC_SUFFIX = r"(?:ها|های|هایی|ی|ه)?"

REASONING = re.compile(r"<\s*(think|thinking|thought|reasoning|reflection)\s*>.*?(?:<\s*/\s*\1\s*>|\Z)", re.S | re.I)
REASONING_END = re.compile(r"<\s*/\s*(?:think|thinking|thought|reasoning|reflection)\s*>", re.I)
NEEDS_SHAPING = re.compile(r"[^\x20-\x7e]|[&<\\*`_#{}~\[]|  ")
LATEX = (
    (re.compile(r"\\[,;:! ]|\\q?quad"), " "),
    (re.compile(r"\\(?:times|cdot)"), " × "),
    (re.compile(r"\^?\s*\{?\s*\\(?:circ|degree)s?\s*\}?"), "°"),
    (
        re.compile(r"\\(?:text|mathrm|mathbf|textbf|textit|mathit|operatorname|mbox|boxed|rm|unit|si)\s*\{([^{}]*)\}"),
        r"\1",
    ),
    (
        re.compile(r"\\(?:text|mathrm|mathbf|textbf|textit|mathit|operatorname|mbox|boxed|rm|unit|si)\s*\{([^{}]*)\}"),
        r"\1",
    ),
    (re.compile(r"\\d?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), r"\1/\2"),
    (re.compile(r"\\[()\[\]]"), " "),
    (re.compile(r"(?<!\\)\$\$?([^$]*?[\\^°][^$]*?)(?<!\\)\$\$?(?!\d)"), r"\1"),
    (re.compile(r"\\\$|\\text?dollar"), "$"),
    (re.compile(r"\\(?=[%&#_])"), ""),
)
TAGS = (
    (re.compile(r"<\s*sup\s*>\s*o\s*<\s*/\s*sup\s*>", re.I), "°"),
    (re.compile(r"<\s*/?\s*su[bp]\s*>", re.I), ""),
    (re.compile(r"<\s*(?:br|/p|/div|/li)\b[^<>]*>", re.I), "\n"),
    (re.compile(r"</?[a-zA-Z][^<>]{0,80}>"), ""),
)
BULLET = re.compile(r"(?m)^[ \t]*(?:#{1,6}|>|[-*+•]|\d{1,2}[.)](?=[ \t]+\D))[ \t]+")
STARRED = re.compile(r"(?<=\d) ?\* ?(?=\d)|(?<= )\*(?= )")
EMPHASIS = re.compile(r"[*`]+|~~")
BRACED = re.compile(r"\^\{([^{}]*)\}")
BRACKETED = re.compile(r"\[([^\[\]\n]{1,40})\](?!\()")
BLANKS = re.compile(r"[ \t\r\f\v]+")
MARKS = re.compile(r"[\u0591-\u05bd\u05bf-\u05c7\u064b-\u0655\u0670\u093c\u0640]")  # points, harakat, nukta, tatweel

_SHAPES = str.maketrans(
    {
        **dict.fromkeys("′’‘ʼ׳´‛", "'"),
        **dict.fromkeys("″“”״„‟", '"'),
        **dict.fromkeys("∕⁄", "/"),
        **dict.fromkeys("−–‑‐﹣", "-"),
        **dict.fromkeys("º˚∘", "°"),
        **dict.fromkeys("\u200b\u200d\u200e\u200f\u00ad\u2060\ufeff", None),
        **dict.fromkeys([chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))], None),
        "\u200c": " ",
        "ي": "ی",
        "ى": "ی",
        "ك": "ک",
        "ة": "ه",
        "أ": "ا",
        "إ": "ا",
        "ۀ": "ه",
        "٫": ".",
        "٬": ",",
        "،": ",",
        "؛": ";",
        "؟": "?",
        "、": ",",
        "॥": "।",
        "॰": ".",
        "·": "·",
        "_": " ",
        **{
            chr(zero + digit): str(digit)
            for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xAE6, 0xBE6, 0xC66)
            for digit in range(10)
        },
    }
)


class Found(NamedTuple, Generic[S]):
    """One form found: where it stands in the text, and what it means."""

    start: int
    end: int
    sense: S


@cache
def package_data(name: str) -> dict[str, Any]:
    """A JSON file of the package's culture data, by its name without extension."""
    return json.loads(resources.files("covary.culture").joinpath("data", f"{name}.json").read_text(encoding="utf-8"))


def without_reasoning(text: str) -> str:
    """The text without what stands in reasoning tags; an unclosed tag hides all that follows.

    >>> without_reasoning("<think>77 °F?</think> 25 °C")
    ' 25 °C'
    """
    if "<" not in text:
        return text
    bare = REASONING.sub("", text)
    *_, last = REASONING_END.split(bare)
    return last


def plain_text(text: str) -> str:
    """The text in one shape: no reasoning, markup or LaTeX; compatibility forms, digits and quotes as the plain ones.

    >>> plain_text("約１２ｍ２"), plain_text("**25** ℃"), plain_text("$25^{\\\\circ}$C")
    ('約12m2', '25 °C', '25°C')
    """
    text = without_reasoning(text)[-LONGEST_TEXT:]
    if NEEDS_SHAPING.search(text) is None:
        return text.strip()
    if "&" in text:
        text = html.unescape(text)
    if "\\" in text:
        for pattern, shape in LATEX:
            text = pattern.sub(shape, text)
    if "<" in text:
        for pattern, shape in TAGS:
            text = pattern.sub(shape, text)
    if "*" in text or "`" in text or "~" in text:
        text = EMPHASIS.sub("", STARRED.sub(" × ", BULLET.sub("", text)))
    elif "#" in text or "\n" in text:
        text = BULLET.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_SHAPES))
        text = MARKS.sub("", text)
    text = text.translate(_SHAPES)
    if "[" in text:
        text = BRACKETED.sub(r"\1", text)
    if "{" in text:
        text = BRACED.sub(r"^\1", text)
    return BLANKS.sub(" ", text).strip()


def lowered(text: str) -> str:
    """The text in lower case with every character still at its place."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


class Lexicon(Generic[S]):
    """Forms and their senses. A blank in a form stands for a blank or a hyphen in the text.

    Alphabetic forms match whole words (Hebrew ones with their one-letter prefixes, Arabic-script ones with common
    endings); forms of scripts without blanks match anywhere, Hangul ones only at a word's start where `hangul_start`.
    """

    def __init__(self, senses: Mapping[str, S], hangul_start: bool = False) -> None:
        self.senses: dict[str, S] = {}
        for form, sense in senses.items():
            key = form_key(form)
            if key:
                self.senses.setdefault(key, sense)
        groups: dict[str, list[str]] = {name: [] for name in ("open", "hebrew", "arabic", "word", "hangul", "free")}
        for key in self.senses:
            groups[_script_group(key)].append(key)
        around = {
            "open": (LETTER_BEFORE, ""),
            "hebrew": (LETTER_BEFORE + HEBREW_PREFIX, LETTER_AFTER),
            "arabic": (LETTER_BEFORE, ARABIC_SUFFIX + LETTER_AFTER),
            "word": (LETTER_BEFORE, LETTER_AFTER),
            "hangul": (r"(?<![가-힣])" if hangul_start else "", ""),
            "free": ("", ""),
        }
        self.pattern = _any_of(groups, around)
        self.ascii_pattern = _any_of({n: [key for key in keys if key.isascii()] for n, keys in groups.items()}, around)

    def find(self, low: str) -> list[Found[S]]:
        """What stands in a lowered plain text, from left to right, without overlap; of very many the last ones."""
        senses = self.senses
        found: list[Found[S]] = []
        for match in (self.ascii_pattern if low.isascii() else self.pattern).finditer(low):
            group = match.lastindex or 0
            form = match[group]
            found.append(Found(match.start(group), match.end(group), senses[form.replace("-", " ")]))
        return found if len(found) <= MOST_FOUND else found[-MOST_FOUND:]


def form_key(form: str) -> str:
    """A form as it is looked up: shaped, lowered, hyphens as blanks."""
    return lowered(plain_text(form)).replace("-", " ")


def word_pattern(words: Iterable[str]) -> str:
    """A pattern (no group) that matches any of the words as whole words where their script has such."""
    keys = [form_key(word) for word in words]
    alphabetic = [key for key in keys if _script_group(key) in ("word", "arabic", "hebrew")]
    free = [key for key in keys if key not in set(alphabetic)]
    parts: list[str] = []
    if alphabetic:
        parts.append(LETTER_BEFORE + "(?:" + _trie(alphabetic) + ")" + LETTER_AFTER)
    if free:
        parts.append(_trie(free))
    return "(?:" + "|".join(parts) + ")"


def _any_of(groups: Mapping[str, list[str]], around: Mapping[str, tuple[str, str]]) -> re.Pattern[str]:
    """One pattern with a capturing group per script group; what can begin a form is looked at first."""
    parts: list[str] = []
    for name, keys in groups.items():
        if keys:
            before, after = around[name]
            firsts = "" if name == "hebrew" else "(?=[" + re.escape("".join(sorted({key[0] for key in keys}))) + "])"
            parts.append(f"{firsts}{before}({_trie(keys)}){after}")
    return re.compile("|".join(parts) or r"(?!)")


def _script_group(key: str) -> str:
    first, last = key[0], key[-1]
    if "\u0590" <= first <= "\u05ff":
        return "hebrew"
    if "\u0600" <= first <= "\u06ff":
        return "arabic"
    if "\uac00" <= first <= "\ud7a3":
        return "hangul"
    if not first.isalpha() or "\u3040" <= first <= "\u9fff" or "\u30a0" <= first <= "\u30ff":
        return "free"
    return "word" if last.isalpha() or unicodedata.category(last)[0] == "M" else "open"


def _trie(keys: Iterable[str]) -> str:
    """A pattern (no group) of all keys that tries the longest first and shares their beginnings."""
    root: dict[str, Any] = {}
    for key in keys:
        node = root
        for char in key:
            node = node.setdefault(char, {})
        node[""] = {}
    return _branch(root)


def _branch(node: dict[str, Any]) -> str:
    """The pattern of what may follow here; empty where a key ends and nothing can follow."""
    tails = {(r"[ -]" if char == " " else re.escape(char)): _branch(child) for char, child in node.items() if char}
    if not tails:
        return ""
    parts = [char + tail for char, tail in tails.items()]
    ends = "" in node
    return "(?:" + "|".join(parts) + ")" + "?" * ends if ends or len(parts) > 1 else parts[0]
