"""Rule on mathematics across the forms of a problem: each formula of the one stands in the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from covary.lint.chatter import CHATTER
from covary.lint.masking import ascii_digits, formulas
from covary.lint.reference import reference
from covary.lint.row import Fault, Row

_WORDING = re.compile(r"\\(?:text|textbf|mathrm|mbox|operatorname)\s*\{[^{}]*\}")
_SPACING = re.compile(
    r"\\(?:left|right|displaystyle|limits|quad|qquad|big|Big|bigg|Bigg|,|;|!|:| )(?![A-Za-z])|[\s~{}$.,;:']+"
)
_SAME = (
    *(
        (r"\\[dt]frac(?![a-z])", r"\\frac"),
        (r"\\(?:leq|leqslant)(?![a-z])", r"\\le"),
        (r"\\(?:geq|geqslant)(?![a-z])", r"\\ge"),
    ),
    *(
        (r"\\(?:ldots|cdots|dotsc|dotsb)(?![a-z])", r"\\dots"),
        (r"\\(?:cdot|ast)(?![a-z])|×|⋅|·", r"\\times"),
        (r"\\rightarrow", r"\\to"),
    ),
    *(
        (r"\\neq(?![a-z])|≠", r"\\ne"),
        (r"\\emptyset", r"\\varnothing"),
        (r"−|–", "-"),
        (r"≤", r"\\le"),
        (r"≥", r"\\ge"),
        (r"°", r"^\\circ"),
    ),
    *(
        (r"π", r"\\pi"),
        (r"√", r"\\sqrt"),
        (r"∠", r"\\angle"),
        (r"∪", r"\\cup"),
        (r"∩", r"\\cap"),
        (r"∈", r"\\in"),
        (r"θ", r"\\theta"),
    ),
)
_SPELLINGS = [(re.compile(pattern), spelled) for pattern, spelled in _SAME]
_SIGNS = re.compile(r"\\[A-Za-z]+|[^\s]")
_ASKS = re.compile(r"[=<>+\-^*/\\_|()\[\]]")


def formulas_kept(forms: Sequence[Row]) -> Iterator[Fault]:
    """formulas-differ: a formula (with a sign or command in it) of the reference form that another form's question lacks."""
    about = reference(forms)
    if about is None:
        return
    due = [(formula, signs(formula)) for formula in formulas(about.question) if _ASKS.search(formula)]
    if not due:
        return
    for row in forms:
        if row is about or row.format == "conversation" or CHATTER.search(row.question):
            continue
        whole = signs(row.question)
        found = Counter(signs(formula) for formula in formulas(row.question))
        missing = [formula for formula, signed in due if signed and signed not in found and signed not in whole]
        if missing:
            yield row.fault(
                "formulas-differ",
                "warning",
                "question",
                row.question,
                f"the formula {missing[0]} of the {about.language} form",
                "copy the formulas unchanged",
            )


def signs(text: str) -> str:
    """The signs of mathematics in a text, in one spelling, without blanks, braces, wording and punctuation."""
    text = _WORDING.sub("", ascii_digits(text))
    for pattern, spelled in _SPELLINGS:
        text = pattern.sub(spelled, text)
    return _SPACING.sub("", text).casefold()
