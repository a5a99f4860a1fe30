"""Rules on targets: concluded by the solution, not given away by the question, asked for by it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from covary.lint.chatter import chatty
from covary.lint.formulas import core
from covary.lint.masking import digit_runs, formulas, last_line, prose, squeezed
from covary.lint.row import Fault, Row, around
from covary.mathematics.equivalence import equivalent

_CONCLUSION = re.compile(r"\\quad|\\therefore|∴|\b(?:therefore|hence|thus|so)\b,?|\((?:proved|shown)\)", re.IGNORECASE)
_BARE = re.compile(r"[\s$]*-?\s*(?:\d[\d.,\s]*|\\[dt]?frac\s*\{\s*-?\d+\s*\}\s*\{\s*\d+\s*\})[\s$.%]*")
_PROVE = {
    "en": r"\bprov(?:e|ing)|\bproof|\bshow\s*,?\s*that\b|\bverify",
    "bn": r"প্রমা|দেখাও|দেখা(?:ন|ই)|সত্যতা যাচাই|যাচাই কর",
    "fr": r"\bd[ée]montr|\bmontr(?:e[rz]|ons)\b|\bprouve[rz]\b|\bv[ée]rifie[rz]\b|\b[ée]tabli(?:r|ssez)\b",
    "fi": r"\btodista|\bosoita|\bnäytä|\btarkista|\bvahvista|\bvarmista",
    "tr": r"\bispat|kanıtla|\bgöster(?:in|iniz|elim|ebilir)\b|\bdoğrulay",
    "lt": r"\bįrody|\bparody|\bpatikrin",
    "kk": r"дәлелде|көрсетіңіз|көрсету керек|тексеріңіз",
}
# where "show" also means to draw or to write, only what is shown to hold
_CLAIM = {
    "fi": r"\btodista|\b(?:osoita|näytä),?\s+että\b|\bosoita\s*:|\bvarmista\b",
    "tr": r"\bispatla|kanıtla|(?:olduğunu|şunu|aşağıdaki(?:ler|nler)i|doğruluğunu)\s+(?:\w+\s+)?göster|\bdoğrulay",
    "lt": r"\bįrody(?:k|t)|\bparody(?:k|t)|\bpatikrin(?:k|t)",
    "kk": r"дәлелде(?:ңіз|у|ңдер)|екен(?:ін|дігін)\s+көрсет|(?:^|\n)\W*көрсетіңіз\s*[,:]|"
    r"(?:болатынын|теңдігін)\s+көрсет|(?:теңдік|жайлар|тұжырым|мәлімдеме)\w*\s+тексер",
}
_DECIDE = {
    "en": r"\bwith (?:arguments|reasons)\b|\bjustify\b|\bgive reasons\b",
    "bn": r"যুক্তি|কারণ দেখা",
    "fr": r"\bjustifi|argument",
    "fi": r"\bperustel",
    "tr": r"\bgerekçe|argüman|\bnedenleri",
    "lt": r"\bargument|\bpagrįs",
    "kk": r"дәлелдер|негізде|дәлелмен",
}
_ASKS_PROOF = {code: re.compile(pattern, re.IGNORECASE) for code, pattern in _PROVE.items()}
_ASKS_CLAIM = {code: re.compile(_CLAIM.get(code, pattern), re.IGNORECASE) for code, pattern in _PROVE.items()}
_ASKS_DECISION = {code: re.compile(pattern, re.IGNORECASE) for code, pattern in _DECIDE.items()}
_FIGURE = re.compile(
    r"\b(?:figure|fig\.|diagram|picture|stem|stimulus|(?:table|graph) (?:below|above)|above|adjoining|adjacent figure|given below)\b|চিত্রে|উদ্দীপক",
    re.IGNORECASE,
)
_PART = re.compile(
    r"(?:^|[\s$.,;:])\(?(i{1,3}|iv|[a-d]|[1-4]|[ক-ঘ])\)(?=\s|\$|[A-Z]|[^\x00-\x7f])|(?:^|\n)\s*([1-4])\.(?=\s)",
    re.IGNORECASE,
)
_SEQUENCES = (("1", "2"), ("a", "b"), ("i", "ii"), ("ক", "খ"))
_ASKS = (
    r"(?:find(?: also| out)?|determine|calculate|prove|show|verify|express|evaluate|construct|draw|identify|list|expand|sketch|"
    r"explain|describe|how (?:many|much|long|far|old)|what (?:is|are|was|were|will|distance|percent\w*))"
)
_ASKED = re.compile(
    rf"(?:^|[.?!:;,)]\s*|\n\s*|\b(?:and|also|then|or)\s+(?:also\s+|then\s+|hence\s+)?){_ASKS}\b", re.IGNORECASE
)
_SEVERAL = re.compile(r"[,;]|\band\b|\bor\b|এবং")
_LABEL = re.compile(r"^.*?(?:Ans(?:wer)?|উত্তর|Réponse|Vastaus|Cevap|Atsakymas|Жауабы)\s*[.:।]\s*", re.IGNORECASE)
_EQUATION = re.compile("=")
_ENDLESS = re.compile(r"\d(?:\.{3}|…|\\(?:dots|ldots|cdots))|\(\d+\)\s*(?:,|$)")
_LAST_LINES = 4
SHORT_CLAIM = 3


def concluded(row: Row) -> Iterator[Fault]:
    """target-not-concluded: a solution whose last line gives another value than the target, by the equivalence checker.

    Said only where both were understood as a whole. A target of several values is compared by its numbers, which must stand
    in the last lines.
    """
    if row.format != "open" or row.answer_type == "Proof" or not row.solution or not row.answer:
        return
    if _ENDLESS.search(row.answer):
        return
    line, tail = last_line(row.solution), _tail(row.solution)
    if squeezed(row.answer) in squeezed(tail) or core(row.answer) in core(tail):
        return
    numbers = _numbers(row.answer)
    if _SEVERAL.search(row.answer) or len(_EQUATION.findall(row.answer)) > 1:
        if all(_stands(number, _numbers(row.solution)) for number in numbers):
            return
    elif not numbers or (numbers <= _numbers(line) and ("-" in row.answer) == ("-" in line)):
        return
    else:
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


def _numbers(text: str) -> set[str]:
    """The runs of digits that are not zeros alone (.5 and 0.5)."""
    return {run for run in digit_runs(text) if run.strip("0")}


def _stands(number: str, among: set[str]) -> bool:
    """Whether a run of digits is there, or the beginning of a longer one that was cut."""
    return number in among or (len(number) > 1 and any(other.startswith(number) for other in among))


def _tail(solution: str) -> str:
    return " ".join([line for line in solution.splitlines() if line.strip()][-_LAST_LINES:])


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
    if _restated(row.answer, row.question):
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


def _restated(answer: str, question: str) -> bool:
    claim, asked = core(_CONCLUSION.sub("", answer)), core(question)
    if len(claim) <= SHORT_CLAIM:
        return re.search(f"={re.escape(claim)}(?![\\d^.,/])", asked) is not None if claim else False
    return claim in asked


def type_and_wording(row: Row) -> Iterator[Fault]:
    """proof-not-asked: a Proof item whose question asks for none. proof-asked: another type whose question asks for one."""
    if (
        row.format != "open"
        or row.language not in _ASKS_PROOF
        or row.answer_type not in ("Proof", "Numerical", "Symbolic")
    ):
        return
    if chatty(row.question):
        return
    if row.answer_type == "Proof":
        decides = _ASKS_DECISION.get(row.language)
        if _ASKS_PROOF[row.language].search(row.question) is None and not (decides and decides.search(row.question)):
            yield row.fault(
                "proof-not-asked",
                "warning",
                "question",
                row.question,
                "a question that asks for a proof",
                "label it anew",
            )
    elif found := _ASKS_CLAIM[row.language].search(row.question):
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
    """several-parts: a question of several marked parts, or (in English) that asks twice, with a target of one value."""
    if row.format != "open" or row.answer_type == "Proof" or _SEVERAL.search(row.answer):
        return
    marks = [(first or second).lower() for first, second in _PART.findall(row.question)]
    marked = any(set(pair) <= set(marks) and marks.count(pair[0]) == 1 for pair in _SEQUENCES)
    if marked or (row.language == "en" and len(_ASKED.findall(prose(row.question))) > 1):
        yield row.fault("several-parts", "note", "question", row.question, "a target for each part", "ask for one part")
