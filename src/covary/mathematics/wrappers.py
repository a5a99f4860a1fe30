"""What is wrapped around an answer: boxes, tags, brackets, placeholders, headings; and what follows it."""

from __future__ import annotations

import re

from covary.mathematics import lexicon

EXPLANATION = re.compile(
    r"(?:\b|\*\*|#)(?:explanation|explication|justification|selitys|perustelu|açıklama|paaiškinimas|note|verification|check|step[- ]by[- ]step)\s*(?:\*\*)?\s*:|"
    r"(?:ব্যাখ্যা|ব্যাখ্যা|যাচাই|түсіндірме|түсініктеме)\s*(?:\*\*)?\s*:|c['’]est[- ]à[- ]dire",
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
EMPHASIS = re.compile(r"^\s*([*_])(?!\1)([^*_]+)\1\s*$")
NUMBERED = re.compile(r"^\s*(?:#+\s*)?(?:\*\*)?\d{1,2}[.)]\s+(?=(?:\*\*)?[^\W\d_]{3,})")
FINAL_TAG = re.compile(r"<\\?final\\?>|\\<final\\>", re.IGNORECASE)
COMPARED = re.compile(r"\\[lg]eq?(?![a-z])|[<>]")
FINAL_END = re.compile(r"\\?<\\?/final\\?>|\\end\{final\}?>?|```", re.IGNORECASE)
LONE_DOLLAR = re.compile(r"(?<=[\w})])\$\s+(?=[-+\\\d(])")
BOLD = re.compile(r"\*\*|__|`+|^#+\s|</?final>|</?answer>|<think>|</think>", re.MULTILINE)
TAIL = re.compile(r"(?:\\end\{[a-z]*>|\\end\{final\}?|[\s।;,*`$]|(?<!\.)\.|\\[\])])+$")
TURKISH_ENDING = re.compile(r"(?<=[\d%°])'(?:d[iıuü]r|t[iıuü]r|[ae]|[iıuü]n?|y[aeiıuü]|l[iıuü]k)(?!\w)")
THERE_IS = re.compile(
    r"(?:^|(?<=[.,;:]))\s*(?:il y a|there (?:are|is|were|will be)|on a|on obtient|on trouve|nous avons|we (?:have|get|find|obtain))(?!\w)",
    re.IGNORECASE,
)
DOLLARS = re.compile(r"^\s*\$\s?(\d[\d.,]*)\s*$|\\\$\s?(\d[\d.,]*)")
LABELLED = re.compile(r"\s*(?:[^\W\d][^\[\]{}()=:|<>,;]{2,40}:(?!\s*[a-z]\s)|[^\W\d][^\[\]{}=:|<>,;∈]{0,30}=)")


def with_currency(text: str) -> str:
    """A dollar sign that means money, and not mathematics, as a word."""
    money = DOLLARS.search(text)
    if not money:
        return text
    return f"{text[: money.start()]}USD {money.group(1) or money.group(2)}{text[money.end() :]}"


def unwrapped(text: str) -> str:
    """The text without heading number, stray dollar signs, markdown, explanation after it, boxes and outer brackets."""
    text = EMPHASIS.sub(r"\2", NUMBERED.sub("", text))
    if text.count("$") % 2:
        text = LONE_DOLLAR.sub(" , ", text)
    text = BOLD.sub(lambda found: found.group() if found.group() == "**" else " ", text)
    cut = EXPLANATION.search(text)
    if cut and text[: cut.start()].strip(" *#\n$-:"):
        text = text[: cut.start()]
    return unbracketed(unboxed(text))


def final_of(text: str) -> tuple[str, str]:
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


def without_enumeration(text: str) -> str:
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


def trimmed(text: str) -> str:
    text = TAIL.sub("", text)
    if text.endswith("\\"):
        text = text[:-1]
    return text.strip()


def is_placeholder(text: str) -> bool:
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


def without_placeholder(text: str) -> str:
    """The text without a prompt's placeholder echoed before or after the value."""
    for found in re.finditer(r"\[([^\[\]]{3,40})\]", text):
        if is_placeholder(found.group(1)):
            rest = (text[: found.start()] + " " + text[found.end() :]).strip(" ,:;")
            return rest if re.search(r"\w", rest) else text
    return text


def unboxed(text: str) -> str:
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


def unbracketed(text: str) -> str:
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
