"""Rules on what a translating model leaves around a translation: its talk, its prompt, the text a second time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from covary.lint.masking import FORMULA, digit_runs, one_line, prose
from covary.lint.reference import SOURCE_LANGUAGE, reference
from covary.lint.row import Fault, Row, around

# "translation", "to translate", as nouns and past forms; imperatives are left out, since many languages use the verb for
# converting a fraction.
_TRANSLATED = (
    r"\btranslat(?:ion|ions|ed|ing|or)\b|\btranslates? to\b|\btraduction\b|\b(?:solution|question|version|texte) traduite?\b|\btraduit(?:e|es|s|re)? (?:en|de l|du|vers|la (?:question|solution)|ci)\b|\bkäännö[sk]|\bsuomenno[sk]|"
    r"\bkäännetty\w* (?:suome|englan)|\bkäännettynä\s*:|\bkäännän\b|\bkääntämi|\bkääntäjä|\bvertim|\bišver(?:st|č)|\bçeviri(?:si|m|ler|yi|de|mi)?\b|"
    r"\bçevrilmi|\bçevirdim\b|\btercüme|\bаударма(?!л)|\bаударыл|\baudarma"
)
_LANGUAGES = (
    r"finnish|french|kazakh|lithuanian|turkish|english|bangla|bengali|suomenkieli\w+|suomalai\w+|englanninkieli\w+|"
    r"fran[çc]aise?|anglaise?|lietuvi[šs]k\w+|angli[šs]k\w+|t[üu]rk[çc]e|i̇?ngilizce|қазақша\w*|ағылшынша\w*|qazaqsha"
)
_NAMED = (
    rf"^[\s*#>_\-\d.]*(?:{_LANGUAGES})[^\n.$]{{0,40}}:|\b(?:en|in|v|auf) (?:français|anglais|finnish|french|kazakh|turkish|lithuanian)\b"
    r"[^\n.$]{0,40}:|\bsuomeksi\b|\benglannista\b|\blietuvių kalb|\banglų kalb|\bқазақ тілі|\bағылшын тілі|\btürkçe(?:'?ye|'?si| çevir| soru| metin)|"
    rf"^[\s*#>_]*[^\n$.:]{{0,60}}\b(?:{_LANGUAGES})\b[^\n$.]{{0,60}}:\s*\**\s*$"
)
_OPENERS = (
    r"^[\s*]*(?:here(?: is|'s|’s)|voici|štai|i̇?şte|tässä on|міне|certainly|absolutely|absolument|bien sûr|assalamu|of course|okay,|"
    r"sure[,!])[^\n$]{0,200}:\s*\**\s*$|^[\s*]*(?:certainly|absolutely|absolument|bien sûr|assalamu alaikum|sure|of course)\s*[!,.]"
)
_PROMPT = (
    r"\bguidelines?\b[^\n$]{0,40}(?:$|[:.,])|\bconsignes\b|\bevaluation criteria\b|\bmathematical accuracy\b|\bAPPROVED\b|KÄÄNNÖSOHJEET|"
    r"\bas (?:an expert|a seasoned|a professional)\b|\blet'?s break down\b|\bприведу\b|\bdirectives\b[^\n$]{0,20}:"
)
CHATTER = re.compile("|".join((_TRANSLATED, _NAMED, _OPENERS, _PROMPT)), re.IGNORECASE | re.MULTILINE)
# A part of every word that CHATTER looks for, in lower case. Plain search for these is far quicker than the pattern.
_HINTS = (
    *(
        "translat",
        "traduction",
        "traduit",
        "käännö",
        "käännet",
        "käännän",
        "kääntäm",
        "kääntäj",
        "suomenno",
        "vertim",
        "išver",
    ),
    *(
        "çevir",
        "çevril",
        "tercüme",
        "аударма",
        "аударыл",
        "audarma",
        "finnish",
        "french",
        "kazakh",
        "lithuanian",
        "turkish",
    ),
    *(
        "english",
        "bangla",
        "bengali",
        "suomek",
        "suomenk",
        "suomala",
        "englan",
        "franç",
        "franc",
        "anglais",
        "angliš",
        "anglis",
    ),
    *(
        "anglų kalb",
        "lietuvi",
        "türkç",
        "türkc",
        "turkç",
        "turkc",
        "ngilizce",
        "қазақша",
        "қазақ тіл",
        "ағылшын",
        "qazaqsha",
    ),
    *(
        "here is",
        "here's",
        "here’s",
        "voici",
        "štai",
        "işte",
        "i̇şte",
        "tässä on",
        "міне",
        "certainly",
        "absolutely",
        "absolument",
    ),
    *(
        "bien sûr",
        "assalamu",
        "of course",
        "okay,",
        "sure,",
        "sure!",
        "sure.",
        "sure !",
        "sure ,",
        "guideline",
        "consignes",
    ),
    *("evaluation criteria", "mathematical accuracy", "approved", "as an expert", "as a seasoned", "as a professional"),
    *("let's break", "lets break", "приведу", "directives"),
)
_LANGUAGE_TAUGHT = re.compile(r"\b(?:English|French|Bangla|Bengali|German|Arabic|language|translat)", re.IGNORECASE)
_COPY_LEAST = 30
_LATIN = re.compile(r"(?<!['’])[A-Za-z]{2,}|[^\x00-\x7f]+")
_ENGLISH = re.compile(r"[A-Za-z]+")
# those that tell English from other languages when they come often
_TELLING = frozenset(
    [
        *(
            "the",
            "of",
            "is",
            "and",
            "that",
            "if",
            "find",
            "prove",
            "show",
            "are",
            "be",
            "to",
            "in",
            "for",
            "from",
            "value",
        ),
        *("given", "let", "with", "by", "this", "which", "then", "what"),
    ]
)
_GRAMMAR = _TELLING | {
    *(
        "simplify",
        "solve",
        "its",
        "resolve",
        "into",
        "express",
        "determine",
        "has",
        "evaluate",
        "divide",
        "where",
        "how",
        "many",
    ),
}
_SHARED = {
    "nl": frozenset({"of", "is", "in", "be", "by", "let"}),
    "af": frozenset({"is", "in", "of"}),
    "de": frozenset({"in", "show"}),
}
LEAST_TELLING = 4


@lru_cache(maxsize=8192)
def chatty(text: str) -> re.Match[str] | None:
    """The first words about the translation in a text."""
    text = text.replace("İ", "I")
    lowered = text.lower()
    return CHATTER.search(text) if any(hint in lowered for hint in _HINTS) else None


def chatter(forms: Sequence[Row]) -> Iterator[Fault]:
    """translator-chatter: words about the translation itself. A problem about languages (by its reference form) is left out."""
    about = reference(forms)
    taught = about is not None and _LANGUAGE_TAUGHT.search(about.question) is not None
    for row in forms:
        if row.format == "conversation":
            continue
        for field, text in row.texts():
            found = chatty(text)
            if found and not (taught and row is about) and not (taught and _only_named(found.group())):
                yield row.fault(
                    "translator-chatter",
                    "error",
                    field,
                    around(text, found),
                    "the problem alone",
                    "cut what is said about the translation",
                )


def _only_named(words: str) -> bool:
    return not re.search(_TRANSLATED, words, re.IGNORECASE)


def second_copy(forms: Sequence[Row]) -> Iterator[Fault]:
    """second-copy: the problem twice in one text, in the same words, or with a translator's words between two copies."""
    about = reference(forms)
    for row in forms:
        if row.format == "conversation":
            continue
        if row.question and (span := _repeated(row.question)):
            yield row.fault("second-copy", "warning", "question", span, "the problem once", "keep one copy")
        elif (
            about is not None
            and row is not about
            and chatty(row.question)
            and _twice_the_numbers(row.question, about.question)
        ):
            yield row.fault(
                "second-copy", "warning", "question", one_line(row.question), "the problem once", "keep one copy"
            )


def source_left(forms: Sequence[Row]) -> Iterator[Fault]:
    """source-left: four English words of grammar or more in the question of another form, mathematics masked. source-words:
    fewer, but three words of the English form in a row with one of grammar among them."""
    about = reference(forms)
    if about is None or about.language != SOURCE_LANGUAGE:
        return
    source = [word.casefold() for word in _LATIN.findall(prose(about.question))]
    runs = {tuple(source[at : at + 3]) for at in range(len(source) - 2)}
    for row in forms:
        if row.language == about.language or row.format == "conversation":
            continue
        shown = prose(row.question)
        rule, span = "source-left", _telling(shown, row.language)
        if not span:
            rule, span = "source-words", _run_of(shown, runs)
        if span:
            yield row.fault(rule, "warning", "question", span, f"the problem in {row.language}", "take the source out")


def _telling(text: str, code: str) -> str:
    """The English words of grammar in a text, if there are four."""
    words = [word for word in _ENGLISH.findall(text) if word.lower() in _TELLING - _SHARED.get(code, frozenset())]
    return " … ".join(words[:8]) if len(words) >= LEAST_TELLING else ""


def _run_of(text: str, runs: set[tuple[str, ...]]) -> str:
    """The first three words in a row that are the source's too, one of grammar among them."""
    words = _LATIN.findall(text)
    for at in range(len(words) - 2):
        run = tuple(word.casefold() for word in words[at : at + 3])
        if run in runs and not _GRAMMAR.isdisjoint(run) and run.count(FORMULA) < 2:
            return " ".join(words[at : at + 3])
    return ""


def _repeated(text: str) -> str:
    """A line or sentence of some length that comes twice; empty if none."""
    pieces = [one_line(piece).strip("*# ") for piece in re.split(r"[\n]|(?<=[.?!।])\s", text)]
    counts = Counter(
        piece for piece in pieces if len(piece) >= _COPY_LEAST and piece[-1] != ":" and len(prose(piece).split()) >= 4
    )
    return next((piece for piece, count in counts.items() if count > 1), "")


def _twice_the_numbers(text: str, source: str) -> bool:
    ours, theirs = Counter(digit_runs(text)), Counter(digit_runs(source))
    if len(theirs) < 2 or len(text) < 1.6 * len(source):
        return False
    return all(ours[number] >= 2 * count for number, count in theirs.items())
