"""The conclusion of a text that marks no answer: the formula or sentence that it ends in, where that is a result."""

from __future__ import annotations

import re
from typing import NamedTuple

from covary.scoring import endings
from covary.scoring.words import alternatives, any_of, words

_WORDS = words("answer_words")
_LEAD = re.compile(r"\s*" + alternatives(_WORDS["conclusion"]) + r"\s*[,،:：]?\s*", re.I)
_CONCLUDES = any_of("answer_words", "conclusion")
_OBTAINED = re.compile(r"^.{0,200}?" + alternatives(_WORDS["obtained"]) + r"\s*[,:]?\s*(?=[$\\])", re.I)
_EXPLANATION = re.compile(r"[*_#>\s]{0,6}" + alternatives(_WORDS["explanation"]) + r"\s*[*_]*\s*[:：]", re.I)
_DISPLAY = re.compile(r"(?:\$\$(?P<a>(?:(?!\$\$).)+)\$\$|\\\[(?P<b>(?:(?!\\\[).)+)\\\])\s*[.।]?\s*\Z", re.S)
_ROWS = re.compile(r"\\begin\{(?:aligned|align\*?|split|gathered)\}(.*?)\\end", re.S)
_DONE = re.compile(
    r"[\s(\[*]*(?:\$?\s*(?:\\therefore|∴)\s*\$?)?[\s(\[*]*" + alternatives(_WORDS["done"]) + r"[\s)\]*.।!]*\Z", re.I
)
_CONTRAST = any_of("answer_words", "contrast")
_RELATION = re.compile(r"[=<>≤≥≠≈∈⊂⊆]|\\(?:leq?|geq?|neq?|in|subset\w*|approx|equiv)\b")
_MARKS = " \t*_#>-"


class Conclusion(NamedTuple):
    """A text's conclusion; None with the reason why there is none."""

    text: str | None
    note: str = ""


def conclusion(body: str) -> Conclusion:
    """What a text without a marked answer ends in. Nothing is taken from a loop, a cut-off, a refusal, a plan or a question."""
    text = body.strip()
    if endings.loop(text):
        return Conclusion(None, "the text loops")
    if endings.is_cut_off(text):
        return Conclusion(None, "cut off before an answer")
    text = _DONE.sub("", _without_closing_explanation(text)) or text
    display = _DISPLAY.search(text)
    if display:
        return Conclusion(_last_row(display["a"] or display["b"]))
    paragraph = text.split("\n")[-1]
    found = endings.sentences(paragraph)
    if any(endings.REFUSAL.search(sentence) for sentence in endings.sentences(text)[-3:]):
        return Conclusion(None, "it says that it can't answer")
    last = found[-1].strip(_MARKS)
    if last.endswith(("?", "؟")):
        return Conclusion(None, "it ends in a question")
    concluding = [sentence for sentence in found if _CONCLUDES.match(sentence.strip(_MARKS))]
    final = _CONTRAST.match(last) or _RELATION.search(last) or not concluding
    chosen = last if final else concluding[-1].strip(_MARKS)
    if endings.PLAN.search(chosen):
        return Conclusion(None, "it ends in a plan")
    bare = _OBTAINED.sub("", _LEAD.sub("", chosen, count=1) if _LEAD.match(chosen) else chosen).rstrip(" .।。*_")
    return Conclusion(bare) if bare else Conclusion(None, "no answer found")


def _without_closing_explanation(text: str) -> str:
    """The text without a last paragraph that only explains; the text itself where nothing would be left."""
    head, blank, last = text.rpartition("\n")
    return head.rstrip() if blank and head.strip() and _EXPLANATION.match(last) else text


def _last_row(formula: str) -> str:
    rows = _ROWS.search(formula)
    content = rows[1] if rows else formula
    found = [row.strip(" &\n") for row in re.split(r"\\\\", content)] if rows else [content.strip()]
    return next((row for row in reversed(found) if row), formula.strip())
