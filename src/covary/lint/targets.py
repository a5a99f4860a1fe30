"""Rules on targets: concluded by the solution, not given away by the question, asked for by it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from covary.lint.masking import formulas, last_line, squeezed
from covary.lint.row import Fault, Row, around
from covary.mathematics.equivalence import equivalent

_BARE = re.compile(r"[\s$]*-?\s*(?:\d[\d.,\s]*|\\[dt]?frac\s*\{\s*-?\d+\s*\}\s*\{\s*\d+\s*\})[\s$.%]*")
_PROVE = {
    "en": r"\bprov(?:e|ing|ed)\b|\bproofs?\b|\bshow\s*(?:,\s*)?that\b|\bshow\b|\bverif(?:y|ied)\b",
    "bn": r"প্রমা|দেখাও|দেখা(?:ন|ই)|সত্যতা যাচাই|যাচাই কর",
    "fr": r"\bd[ée]montr|\bmontr(?:e[rz]|ons)\b|\bprouve[rz]\b|\bv[ée]rifie[rz]\b|\b[ée]tabli(?:r|ssez)\b",
    "fi": r"\btodista|\bosoita|\bnäytä|\btarkista|\bvahvista",
    "tr": r"\bispat|kanıtla|\bgöster|\bdoğrula",
    "lt": r"\bįrody|\bparody|\bpatikrin",
    "kk": r"дәлелде|көрсет|тексер",
}
_DECIDE = {
    "en": r"\bwhether\b|\brational or\b|\bwhich one is\b|\bwith arguments\b|\bexplain\b|\bjustify\b|\bis (?:the|it|there)\b|\bare\b[^$]*\?",
    "bn": r"কি ?না|মূলদ (?:না|নাকি|অথবা|কি)|ব্যাখ্যা|যুক্তি|কোনটি|কী না",
}
_ASKS_PROOF = {code: re.compile(pattern, re.IGNORECASE) for code, pattern in _PROVE.items()}
_ASKS_DECISION = {code: re.compile(pattern, re.IGNORECASE) for code, pattern in _DECIDE.items()}
_FIGURE = re.compile(
    r"\b(?:figure|fig\.|diagram|picture|adjacent|stem|stimulus|table below|graph above|above (?:figure|question|problem|stem|information)|"
    r"in light of the)\b|চিত্র|উদ্দীপক",
    re.IGNORECASE,
)
_PART = re.compile(r"(?:^|[\s$.,;])(?:\(?(?:i{1,3}|iv|[a-d]|[1-4]|[ক-ঘ])\)|[1-4]\.)\s", re.IGNORECASE)
_ASK = re.compile(
    r"\b(?:find|determine|calculate|evaluate|what is|how many|how much|express|solve|simplify|show that|prove that|factori[sz]e)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^.*?(?:Ans(?:wer)?|উত্তর|Réponse|Vastaus|Cevap|Atsakymas|Жауабы)\s*[.:।]\s*", re.IGNORECASE)
_EQUATION = re.compile(r"(?:=|\\approx|\\therefore|∴|:|\bis\b|\bare\b|হলো|est|on|yra)")


def concluded(row: Row) -> Iterator[Fault]:
    """target-not-concluded: a solution whose last line gives another value than the target, by the equivalence checker.

    Said only where both were understood as a whole, and where the target stands nowhere in the last lines.
    """
    if row.format != "open" or row.answer_type == "Proof" or not row.solution or not row.answer:
        return
    line = last_line(row.solution)
    if _stands(row.answer, row.solution):
        return
    for candidate in _conclusions(line):
        verdict = equivalent(candidate, row.answer, language=row.language, answer_type=row.answer_type)
        if verdict.verdict != "not_equal":
            return
    yield row.fault(
        "target-not-concluded",
        "warning",
        "target",
        row.answer,
        f"what the solution ends with: {line[:100]}",
        "check which is right",
    )


def _stands(answer: str, solution: str) -> bool:
    tail = "".join(squeezed(line) for line in [line for line in solution.splitlines() if line.strip()][-3:])
    return squeezed(answer) in tail


def _conclusions(line: str) -> Iterator[str]:
    """The last line, and what stands after its answer label or last equals sign."""
    yield line
    if (bare := _LABEL.sub("", line)) != line and bare:
        yield bare
    yield from formulas(line)[-1:]
    after = re.split(r"=|\\therefore|∴", line)[-1].strip(" $.")
    if after:
        yield after


def proof_targets(row: Row) -> Iterator[Fault]:
    """target-in-question: a proof's target that the question states. bare-proof-target: one that is only a number."""
    if row.answer_type != "Proof" or row.format != "open":
        return
    answer = squeezed(row.answer)
    if answer and len(answer) > 1 and answer in squeezed(row.question):
        yield row.fault(
            "target-in-question",
            "warning",
            "target",
            row.answer,
            "a target that restating the claim doesn't meet",
            "score the proof",
        )
    if _BARE.fullmatch(row.answer):
        yield row.fault(
            "bare-proof-target", "warning", "target", row.answer, "the claim that is proved", "label it Numerical"
        )


def type_and_wording(row: Row) -> Iterator[Fault]:
    """proof-not-asked: a Proof item whose question asks for none. proof-asked: another type whose question asks for one."""
    if (
        row.format != "open"
        or row.language not in _ASKS_PROOF
        or row.answer_type not in ("Proof", "Numerical", "Symbolic")
    ):
        return
    found = _ASKS_PROOF[row.language].search(row.question)
    if row.answer_type == "Proof":
        decides = _ASKS_DECISION.get(row.language)
        if found is None and not (decides and decides.search(row.question)):
            yield row.fault(
                "proof-not-asked",
                "warning",
                "question",
                row.question,
                "a question that asks for a proof",
                "label it anew",
            )
    elif found is not None:
        yield row.fault(
            "proof-asked",
            "warning",
            "question",
            around(row.question, found),
            "a question that asks for a value",
            "label it Proof, or split it",
        )


def self_contained(row: Row) -> Iterator[Fault]:
    """absent-figure: a question that refers to a figure or stem that isn't there."""
    if row.format in ("open", "mcq") and (found := _FIGURE.search(row.question)):
        yield row.fault(
            "absent-figure",
            "note",
            "question",
            around(row.question, found),
            "all that is needed",
            "add what it refers to",
        )


def several_parts(row: Row) -> Iterator[Fault]:
    """several-parts: a question of several numbered parts, with a target of one value."""
    if row.format != "open" or row.answer_type == "Proof" or row.language != "en":
        return
    marks = _PART.findall(row.question)
    asks = _ASK.findall(row.question)
    if len(marks) >= 2 and len(asks) >= 2 and not re.search(r"[,;]|\band\b", row.answer):
        yield row.fault("several-parts", "note", "question", row.question, "a target for each part", "ask for one part")
