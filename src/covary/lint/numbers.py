"""Rules on numbers across the forms of a problem: none lost, none changed, in one order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise

from covary.items.languages import language
from covary.lint.chatter import chatty
from covary.lint.dates import undated
from covary.lint.finding import Severity
from covary.lint.formulas import core, raised
from covary.lint.marks import unmarked
from covary.lint.masking import ascii_digits, digit_runs, formulas
from covary.lint.mixed import split_signs, values_kept
from covary.lint.reference import reference
from covary.lint.row import Fault, Row
from covary.mathematics import lexicon

_WORDS = re.compile(r"(?:[^\W\d_]|[\u0900-\u0dff])+")
# first letters of first, second … tenth, and of hundred
_ORDINALS = {
    "en": "first second third fourth fifth sixth seventh eighth ninth tenth hundred",
    "bn": "প্রথম দ্বিতীয় তৃতীয় চতুর্থ পঞ্চম ষষ্ঠ সপ্তম অষ্টম নবম দশম শত",
    "fi": "ensimmäi toi kolma neljä viide kuude seitsem kahdeks yhdeks kymmen sada",
    "fr": "premi deuxi troisi quatri cinqui sixi septi huiti neuvi dixi cent",
    "tr": "birinci ikinci üçüncü dördüncü beşinci altıncı yedinci sekizinci dokuzuncu onuncu yüz",
    "lt": "pirm antr treč ketvirt penkt šešt septint aštunt devint dešimt šimt",
    "kk": "бірінші екінші үшінші төртінші бесінші алтыншы жетінші сегізінші тоғызыншы оныншы жүз",
}
LEAST_STEM, MOST_ENDING = 3, 5
_HIDDEN = frozenset({"", "1", "2"})  # in prose, in too many words to be judged: a, both, dual
_LONG_WORD = re.compile(r"(?<![\\A-Za-z])[^\W\d_]{4,}")
_BETWEEN_TERMS = re.compile(r"[+=,<>]|-|\\times|\\cdot|\\left|\\right|[()]")
_UNIT_POWER = re.compile(
    r"(?<![^\W\d_])(?:[cdkm]?m|[сдкм]?м|см|sm|মি|সেমি)\s*\}?\$?\s*\^?\s*\{?[23²³]\}?|(?<=[^\W\d_]{3})[²³]"
)
_MARKUP = re.compile(r"</?[a-z][^<>]*>")
_LABEL = re.compile(r"(?<![A-Za-z\\])[A-Za-z]_\{?\d\}?\s*=")
_LAST_ZEROS = re.compile(r"(?<=\d\.\d)0+(?!\d)")
_WHOLE_ZERO = re.compile(r"(?<!\d)0(?=[.,]\d)")
_EXERCISE = re.compile(r"(?:^|(?<=[\n:\\।])|(?<=[:।] )|(?<=  ))\s*\(?\$?\d{1,2}\$?[.)](?=\s|\$|[A-Z])")


def numbers_kept(forms: Sequence[Row]) -> Iterator[Fault]:
    """numbers-differ (question), target-numbers-differ (target): a number of one form that another lacks. number-restated (note):
    numbers that differ only in words for digits ("one", "1"), in the number of the exercise, or in a mixed number's form.

    A number is a run of digits, so that decimal marks and grouping don't matter: equal are two texts with the same runs, or
    with the same digits in the same order (1,00,000 and 100 000). Dates of the same day are equal however they are written.
    Texts with chatter are left to that rule.
    """
    about = reference(forms)
    if about is None:
        return
    for row in forms:
        if row is about or row.format == "conversation":
            continue
        for rule, field, ours, theirs in (
            ("numbers-differ", "question", row.question, about.question),
            ("target-numbers-differ", "target", row.answer, about.answer),
        ):
            if ours == theirs or not theirs or chatty(ours):
                continue
            lost, new = _differing(ours, theirs, row.language, about.language)
            if lost or new:
                ours, theirs = undated(ours, theirs, row.language, about.language)
                lost, new = _differing(ours, theirs, row.language, about.language)
            if not lost and not new:
                continue
            hidden = _HIDDEN if field == "question" else frozenset[str]()
            if field == "question":
                lost, new = _unnumbered(lost, theirs, ours), _unnumbered(new, ours, theirs)
            real = unspoken(lost, ours, row.language, hidden) + unspoken(new, theirs, about.language, hidden)
            if not real or values_kept(ours, theirs):
                rule = "number-restated"
            expected = f"the numbers of the {about.language} form" + (f", with {', '.join(lost)}" if lost else "")
            advice = f"put back {', '.join(lost)}" if lost else f"{', '.join(new)} is not there"
            severity: Severity = "note" if rule == "number-restated" else "warning"
            yield row.fault(rule, severity, field, ", ".join(new) or ours, expected, advice)


def _differing(ours: str, theirs: str, own: str = "", other: str = "") -> tuple[list[str], list[str]]:
    """(numbers that are missing, numbers that are new); none where grouping or powers of units are all that differs."""
    left, right = digit_runs(ours), digit_runs(theirs)
    if left == right or regrouped(left, right):
        return [], []
    lost, new = sorted(set(right) - set(left)), sorted(set(left) - set(right))
    if own and (lost or new):
        bare = (set(digit_runs(plain(text, code))) for text, code in ((ours, own), (theirs, other)))
        if next(bare) == next(bare):
            return [], []
    return lost, new


def regrouped(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether runs of digits differ only in groups of two or three digits: 1 00 000 and 100 000, not 1 2 and 12."""
    ends = [set(accumulate(map(len, runs))) for runs in (left, right)]
    if "".join(left) != "".join(right):
        return False
    return all(
        len(run) in (2, 3) or end - len(run) in other
        for runs, other in ((left, ends[1] | {0}), (right, ends[0] | {0}))
        for run, end in zip(runs, accumulate(map(len, runs)), strict=True)
    )


def plain(text: str, code: str) -> str:
    """The text without the group marks of its language, powers of units, numbers of labels (x_2 =) and of markup."""
    bare = split_signs(text)
    for pattern in (_MARKUP, _LABEL, _UNIT_POWER):
        bare = pattern.sub("", bare)
    bare = _WHOLE_ZERO.sub("", unmarked(raised(bare)))
    mark = language(code).group
    blank = r"\s\u00a0\u202f" if mark in (" ", "\u00a0", "\u202f") else re.escape(mark)
    if language(code).decimal == ".":
        bare = _LAST_ZEROS.sub("", ascii_digits(bare))
    return re.sub(rf"(?<=\d)(?:[{blank}]|\{{,\}}|\\,)(?=\d{{2,3}}(?:[^\d/]|$))", "", ascii_digits(bare))


def unspoken(numbers: list[str], text: str, code: str, hidden: frozenset[str] = frozenset()) -> list[str]:
    """Those numbers that a text doesn't have in words, cardinals or ordinals. hidden: those that are not judged."""
    said = _said(text, code) | hidden
    return [number for number in numbers if number.lstrip("0") not in said]


def _said(text: str, code: str) -> set[str]:
    words = lexicon.number_words(code)
    found: set[str] = set()
    spoken = _WORDS.findall(lexicon.folded(text))
    found |= {str(words[pair]) for pair in map(" ".join, pairwise(spoken)) if pair in words}
    for word in spoken:
        if word in words:
            found.add(str(words[word]))
        else:
            found |= {
                value for stem, value in _stems(code) if word.startswith(stem) and len(word) <= len(stem) + MOST_ENDING
            }
    return found


@cache
def _stems(code: str) -> list[tuple[str, str]]:
    """The beginnings of number words and ordinals in a language, which take endings, and their numbers."""
    stems = [(word, str(value)) for word, value in lexicon.number_words(code).items() if len(word) >= LEAST_STEM]
    ordinals = lexicon.folded(_ORDINALS.get(code, "")).split()
    numbers = [*map(str, range(1, 11)), "100"]
    return [*stems, *zip(ordinals, numbers, strict=False)]


def _unnumbered(numbers: list[str], text: str, other: str) -> list[str]:
    """Those numbers that a text has elsewhere than before an exercise, or that the other text's exercises don't explain."""
    bare = set(digit_runs(_EXERCISE.sub(" ", text)))
    told = set(digit_runs(" ".join(_EXERCISE.findall(other))))
    return [number for number in numbers if number in bare and number not in told]


def order_kept(forms: Sequence[Row]) -> Iterator[Fault]:
    """number-order: a formula or target with the same numbers in another order (digits swapped), unless its terms were only
    rearranged."""
    about = reference(forms)
    if about is None:
        return
    for row in forms:
        if row is about or row.format == "conversation" or chatty(row.question):
            continue
        pairs = [("target", row.answer, about.answer)]
        pairs += [("question", mine, other) for mine, other in _paired(row.question, about.question)]
        for field, mine, other in pairs:
            if _reordered(mine, other):
                yield row.fault(
                    "number-order", "warning", field, mine, f"the order of {other}", "put the numbers in one order"
                )
                break


def _reordered(ours: str, theirs: str) -> bool:
    left, right = digit_runs(ours), digit_runs(theirs)
    if left == right or Counter(left) != Counter(right) or regrouped(left, right):
        return False
    return not _LONG_WORD.search(theirs) and _terms(ours) != _terms(theirs)


def _terms(text: str) -> list[str]:
    """The terms and factors of a formula, sorted."""
    return sorted(core(term) for term in _BETWEEN_TERMS.split(text) if core(term))


def _paired(ours: str, theirs: str) -> Iterator[tuple[str, str]]:
    """Formulas at the same place, where both texts have as many."""
    left, right = formulas(ours), formulas(theirs)
    if len(left) == len(right):
        yield from zip(left, right, strict=True)


def words_for_digits(forms: Sequence[Row]) -> Iterator[Fault]:
    """word-for-digit: a target in words where the other form's is digits."""
    about = reference(forms)
    if about is None:
        return
    if not digit_runs(about.answer) or _WORDS.search(about.answer):
        return
    for row in forms:
        if row is not about and not digit_runs(row.answer) and _WORDS.fullmatch(row.answer.strip(" .${}\\")):
            yield row.fault("word-for-digit", "error", "target", row.answer, about.answer, "write the number in digits")
