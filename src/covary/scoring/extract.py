"""From a whole response to its final answers, with the rule that found them. No answer is invented.

Rules in order: <final> tags; \\boxed or "answer:" in one of seven languages, whichever comes last; "the answer is …"; the
conclusion that the text ends in. Reasoning between think tags never counts. What was only begun, an echo of the prompt's
placeholder, a loop, a refusal, a plan and a question back to the user give no answer, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from covary.scoring import endings
from covary.scoring.case import Case
from covary.scoring.conclusion import conclusion
from covary.scoring.words import alternatives, words

Several = Literal["together", "last", "first", "all", "none"]
Rule = Literal["final-tag", "boxed", "phrase", "stated", "last-line", "published", "none"]


@dataclass(frozen=True)
class Policy:
    """How to read a response.

    several: which of several finals that differ counts. "together": parts that stand side by side are one answer, of
    answers apart the last counts; "none": no answer where they differ. last_line: whether the text's conclusion may stand
    where nothing marks an answer. longest: characters; a longer text is no answer.
    """

    several: Several = "together"
    last_line: bool = True
    longest: int = 2000


class Extraction(NamedTuple):
    """Answers in order of appearance (empty: none), the rule, and what was remarkable."""

    answers: tuple[str, ...]
    rule: Rule
    note: str = ""

    @property
    def answer(self) -> str | None:
        """The answers as one text; None where there is none."""
        return ", ".join(self.answers) if self.answers else None


class Mark(NamedTuple):
    """One marked answer: its text and where the mark stands."""

    text: str
    start: int
    end: int


DEFAULT = Policy()
APART = 160  # characters between two finals from which they are answers apart, not parts of one
UNCLOSED = 300  # characters that a tag without its end may hold
LAST_MARKS = 20  # boxes and phrases from the end that are looked at: a loop may hold thousands
LONGEST_BLOCK = 4000  # characters that a box or the text behind a phrase may hold
_WORDS = words("answer_words")
_ANSWER = alternatives(_WORDS["answer"])
_THINK = re.compile(r"<\s*(think|thinking|thought|reasoning)\s*>.*?<\s*/\s*\1\s*>", re.I | re.S)
_THINK_OPEN = re.compile(r"<\s*(?:think|thinking|thought|reasoning)\s*>", re.I)
_THINK_CLOSE = re.compile(r"<\s*/\s*(?:think|thinking|thought|reasoning)\s*>", re.I)
_NAME = r"final(?:[ _-]?answer)?"
_TAG_OPEN = re.compile(rf"<\s*\\?\s*{_NAME}\s*\\?>", re.I)
_TAG_CLOSE = re.compile(
    rf"<\s*\\?\s*/\s*\\?\s*{_NAME}[^>}}\n]{{0,2}}[>}}]|<\\{_NAME}\s*>|<\s*\\?\s*{_NAME}\s*\\>", re.I
)
_BOXED = re.compile(r"\\(?:boxed|fbox|framebox)\s*\{")
_BREAK = re.compile(r"\n|[.।!?]\s")
_JOIN = re.compile(
    r"[\s$\\,;&()\[\]]*(?:and|or|এবং|ও|অথবা|বা|et|ou|ja|tai|ve|veya|ir|arba|және|немесе|quad|text|\{|\})*[\s$\\,;&{}]*"
)
_RESTATED = re.compile(r"[\s$,;()]*" + alternatives(_WORDS["restated"]) + r"[\s$,;()]*", re.I)
_PHRASE = re.compile(
    rf"(?:^|[\n.।!?:>*])[\s*#>✅_=-]{{0,20}}{_ANSWER}\s{{0,3}}(?:\([^)\n]{{0,40}}\))?\s{{0,3}}[*_]{{0,3}}\s{{0,3}}"
    rf"(?:[:：]|\n)\s{{0,3}}[*_]{{0,3}}",
    re.I,
)
_STATED = re.compile(alternatives(_WORDS["stated"]), re.I)
_PREFIX = re.compile(rf"\s*(?:{_ANSWER})\s*(?:\([^)\n]{{0,40}}\))?\s*[:：]\s*", re.I)
_EXPLANATION = re.compile(
    r"(?:^|[\n.;।])\s*[*#_]*\s*" + alternatives(_WORDS["explanation"]) + r"\s*[*_]*\s*[:：]", re.I
)
_RETRACTION = re.compile(alternatives(_WORDS["retraction"]), re.I)
_NOTHING = frozenset({"", "…", "...", "..", "n/a", "?", "null"})
_SHORT_LINE = 80
_HOLDER = alternatives(_WORDS["placeholder"])
_FILLER = r"(?:the|an?|or|in|of|form)\W+"
_PLACEHOLDER = re.compile(rf"(?:{_FILLER})*{_HOLDER}(?:\W+(?:{_FILLER})*{_HOLDER})*", re.I)
_BLOCKS = {"\\[": "\\]", "$$": "$$", "\\(": "\\)"}


def extract(text: str | None, *, status: str = "ok", prompt: str | None = None, policy: Policy = DEFAULT) -> Extraction:
    """The final answers of a response's text. `prompt`: the message that was sent, to know its own examples again."""
    if text is None or not text.strip():
        return Extraction((), "none", "empty response")
    body, unfinished = _without_reasoning(text)
    if unfinished:
        return Extraction((), "none", "the reasoning never ended")
    if not body.strip():
        return Extraction((), "none", "nothing after the reasoning")
    cut_off = status == "truncated"
    tags = _tags(body, cut_off)
    meant = _without_echoes(tags, prompt)
    if meant:
        return _settled(meant, "final-tag", body, policy)
    found = _marked(body, cut_off, policy, prompt)
    if found is not None:
        return found
    if tags:
        return Extraction((), "none", "an echo of the placeholder")
    if _TAG_OPEN.search(body):
        return Extraction((), "none", "cut off inside the final tag")
    if cut_off:
        return Extraction((), "none", "cut off before an answer")
    if not policy.last_line:
        return Extraction((), "none", "no marked answer")
    ended = conclusion(body)
    if ended.text is None:
        return Extraction((), "none", ended.note)
    return _settled([Mark(ended.text, 0, len(body))], "last-line", body, policy)


def answer_of(case: Case, policy: Policy = DEFAULT) -> Extraction:
    """The extraction of a case; answers that the source extracted itself where its text was not published."""
    published = case.detail.get("extracted")
    if case.text is None and isinstance(published, list):
        kept = tuple(str(entry) for entry in published if str(entry).strip())
        return Extraction(kept[:1], "published") if kept else Extraction((), "none", "the source extracted nothing")
    return extract(case.text, status=case.status, prompt=case.prompt, policy=policy)


def try_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows {id, text, status?, prompt?} → {id, answers, answer, rule, note}. One result a row."""
    for row in rows:
        text, status, prompt = row.get("text"), row.get("status"), row.get("prompt")
        if isinstance(text, str):
            found = extract(text, status=str(status or "ok"), prompt=prompt if isinstance(prompt, str) else None)
        else:
            found = Extraction((), "none", str(row.get("error") or "no text"))
        yield {
            "id": row.get("id"),
            "answers": list(found.answers),
            "answer": found.answer,
            "rule": found.rule,
            "note": found.note,
        }


def _without_reasoning(text: str) -> tuple[str, bool]:
    """The text without its reasoning, and whether reasoning was opened that never ended and nothing stands before it."""
    body = _THINK.sub("\n", text)
    closed = list(_THINK_CLOSE.finditer(body))
    if closed:
        body = body[closed[-1].end() :]
    opened = _THINK_OPEN.search(body)
    if opened:
        return body[: opened.start()], not body[: opened.start()].strip()
    return body, False


def _tags(body: str, cut_off: bool) -> list[Mark]:
    """Contents of final tags. A tag without its end counts only where another tag stands for the end, or where it is
    short, whole and the last thing said."""
    opens = list(_TAG_OPEN.finditer(body))
    marks: list[Mark] = []
    position = 0
    for opened, following in zip(opens, [*opens[1:], None][: len(opens)], strict=True):
        if opened.start() < position:
            continue
        limit = following.start() if following else len(body)
        closed = _TAG_CLOSE.search(body, opened.end(), following.end() if following else len(body))
        if closed:
            marks.append(Mark(body[opened.end() : closed.start()], opened.start(), closed.end()))
            position = closed.end()
        elif following and not body[following.end() :].strip():
            marks.append(Mark(body[opened.end() : limit], opened.start(), following.end()))
            position = following.end()
        elif not following and not cut_off and _is_whole(body[opened.end() :]) and not endings.loop(body):
            marks.append(Mark(body[opened.end() :], opened.start(), len(body)))
    return marks


def _is_whole(text: str) -> bool:
    return len(text) <= UNCLOSED and "\ufffd" not in text and not endings.loop(text) and not endings.is_cut_off(text)


def _marked(body: str, cut_off: bool, policy: Policy, prompt: str | None) -> Extraction | None:
    """The last marked answer: boxes, or an answer phrase behind them."""
    boxes = _boxes(body, cut_off)
    phrase = _phrase(body)
    rule: Rule = "phrase"
    if phrase is None and not boxes:
        rule, phrase = "stated", _statement(body)
    marks = [phrase] if phrase else []
    if boxes and (phrase is None or phrase.start < boxes[-1].end):
        rule, marks = "boxed", boxes
    if not marks and _BOXED.search(body):
        return Extraction((), "none", "cut off inside the box")
    meant = _without_echoes(marks, prompt)
    if rule != "boxed" and meant and endings.loop(body) and endings.is_cut_off(body):
        return Extraction((), "none", "the text loops")
    return _settled(meant, rule, body, policy) if meant else None


def _boxes(body: str, cut_off: bool) -> list[Mark]:
    """The last box, and those beside it in the same sentence or joined to it by "and", "or"."""
    boxes: list[Mark] = []
    for match in list(_BOXED.finditer(body))[-LAST_MARKS:]:
        content = _braced(body, match.end(), cut_off)
        if content is not None and (not boxes or match.start() >= boxes[-1].end):
            boxes.append(Mark(content[0], match.start(), content[1]))
    group = boxes[-1:]
    for before in reversed(boxes[:-1]):
        between = body[before.end : group[0].start]
        if len(between) > APART or (_BREAK.search(between) and not _JOIN.fullmatch(between)):
            break
        if not _RESTATED.fullmatch(between):
            group.insert(0, before)
    return group


def _braced(text: str, start: int, cut_off: bool) -> tuple[str, int] | None:
    """Text up to the brace that closes the one before `start`, and its end; to the line's end where none closes it and
    nothing was cut off."""
    depth = 1
    position = start
    limit = min(len(text), start + LONGEST_BLOCK)
    while position < limit:
        character = text[position]
        if character == "\\":
            position += 2
            continue
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return text[start:position], position + 1
        position += 1
    line = text[start:limit].split("\n")[0]
    return None if cut_off or endings.is_cut_off(text[-LONGEST_BLOCK:]) else (line.rstrip("$ "), start + len(line))


def _phrase(body: str) -> Mark | None:
    """What follows the last "answer:" that something follows."""
    for match in reversed(list(_PHRASE.finditer(body))[-LAST_MARKS:]):
        rest = _EXPLANATION.split(body[match.end() : match.end() + LONGEST_BLOCK])[0].strip(" \t*_\n-–")
        rest = _TAG_OPEN.split(rest)[0]
        content = _first_block(rest)
        if content.strip("*_ \n-#=") and not endings.is_cut_off(content):
            return Mark(content, match.start(), match.end())
    return None


def _statement(body: str) -> Mark | None:
    """What the last "the answer is …" states, up to the end of its sentence."""
    found = list(_STATED.finditer(body))
    if not found:
        return None
    stated = endings.sentences(body[found[-1].end() :].lstrip(" *_:\n")[:UNCLOSED])[0].rstrip(" .।*_")
    return Mark(stated, found[-1].start(), found[-1].end()) if stated and not endings.is_cut_off(stated) else None


def _first_block(text: str) -> str:
    """The first line of a text, the short lines with values that it starts with, or the display formula it starts with."""
    text = text.strip()
    for opening, closing in _BLOCKS.items():
        if text.startswith(opening):
            end = text.find(closing, len(opening))
            whole = text[end + len(closing) :].split("\n")[0].strip(" .।*_") == ""
            if end > 0 and (whole or opening != "\\("):
                return text[len(opening) : end].strip()
    lines = [line.strip(" *_-") for line in text.split("\n\n")[0].split("\n")]
    listed = len(lines) > 1 and all(len(line) <= _SHORT_LINE and re.search(r"\d|=", line) for line in lines)
    return ", ".join(lines) if listed else lines[0]


def _without_echoes(marks: list[Mark], prompt: str | None) -> list[Mark]:
    """Marks tidied, without placeholders and without what the prompt itself shows between tags."""
    own = {mark.text.strip() for mark in _tags(prompt, False)} if prompt else set[str]()
    tidy = [Mark(_tidy(mark.text), mark.start, mark.end) for mark in marks if mark.text.strip() not in own]
    return [mark for mark in tidy if not _is_placeholder(mark.text)]


def _tidy(text: str) -> str:
    """An answer without its heading, explanation, box and lost or stray braces."""
    text = _PREFIX.sub("", text.strip(), count=1)
    text = _EXPLANATION.split(text)[0] if _EXPLANATION.search(text, 1) else text
    text = _balanced(text.split("\n\n")[0].strip())
    box = re.fullmatch(r"\s*\$*\s*\\(?:boxed|fbox)\s*\{(.*)\}\s*\$*\s*", text, re.S)
    if box and _balanced(box[1]) == box[1]:
        text = box[1]
    worded = re.fullmatch(r"\\text\{([^{}]*)\}", text.strip())
    return (worded[1] if worded else text).strip()


def _balanced(text: str) -> str:
    """The text with lost closing braces added at its end, and closing braces that nothing opened left out."""
    depth = 0
    kept: list[str] = []
    escaped = False
    for character in text:
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == "{":
            depth += 1
        elif character == "}":
            if depth == 0:
                continue
            depth -= 1
        kept.append(character)
    return ("".join(kept) + "}" * depth).strip()


def _settled(marks: list[Mark], rule: Rule, body: str, policy: Policy) -> Extraction:
    """The answers that count of those marked."""
    marks = [mark for mark in marks if len(mark.text) <= policy.longest]
    if not marks:
        return Extraction((), "none", "too long to be an answer")
    distinct = list(dict.fromkeys(mark.text for mark in marks))
    if len(distinct) == 1:
        return Extraction(tuple(distinct), rule)
    together = list(dict.fromkeys(mark.text for mark in _last_group(marks, body)))
    note = f"{len(distinct)} different finals"
    if policy.several == "none" and len(together) < len(distinct):
        return Extraction((), "none", note)
    chosen = {"together": together, "last": distinct[-1:], "first": distinct[:1]}.get(policy.several, distinct)
    return Extraction(tuple(chosen), rule, note)


def _last_group(marks: list[Mark], body: str) -> list[Mark]:
    """The last marked answer and those that stand together with it: near, and not taken back between."""
    group = marks[-1:]
    for before in reversed(marks[:-1]):
        between = body[before.end : group[0].start]
        if len(between) > APART or _RETRACTION.search(between):
            break
        group.insert(0, before)
    return group


def _is_placeholder(text: str) -> bool:
    if text.strip() in ("{}", "[]", "()", "\\{\\}"):
        return False  # an empty set or list is an answer
    bare = text.strip(" \t\n*_`\"'.:<>[]{}()").casefold()
    return bare in _NOTHING or _PLACEHOLDER.fullmatch(bare) is not None
