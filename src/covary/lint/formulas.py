"""Rule on mathematics across the forms of a problem: each formula of the one stands in the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from covary.lint.chatter import chatty
from covary.lint.masking import ascii_digits, formulas
from covary.lint.reference import reference
from covary.lint.row import Fault, Row

_FUNCTION = re.compile(r"\\(?:text|mathrm|operatorname)\s*\{\s*(sin|cos|tan|cot|sec|cosec|csc|log|ln|gcd|lcm)\s*\}")
_WORDING = re.compile(r"\\(?:text|textbf|mathrm|mbox|operatorname)\s*\{[^{}]*\}")
_SPACING = re.compile(
    r"\\(?:left|right|displaystyle|limits|quad|qquad|big|Big|bigg|Bigg|,|;|!|:| )(?![A-Za-z])|[\s~{}$.,;:'&]+"
)
_SAME = (
    *(
        (r"\\[dt]frac(?![a-z])", r"\\frac"),
        (r"\\(?:leq|leqslant)(?![a-z])", r"\\le"),
        (r"\\(?:geq|geqslant)(?![a-z])", r"\\ge"),
    ),
    *(
        (r"\\(?:ldots|cdots|dotsc|dotsb)(?![a-z])|…|\.{3,}", r"\\dots"),
        (r"\\(?:rightarrow|mapsto|longrightarrow)(?![a-z])", r"\\to"),
        (r"\\(?:mid|vert)(?![a-z])", ":"),
    ),
    *(
        (r"\\(?:cdot|ast)(?![a-z])|×|⋅|·", r"\\times"),
        (r"\\(?:mathbb|mathbf|vec|underline|mathcal|boldsymbol)(?![a-z])", ""),
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
_GROUPING = re.compile(r"\\(?:frac|times|dots|dot|overline|bar)|[()\[\]/\\|\u0305\u0307]")
_PIECE = re.compile(r",|\\quad|\\text\{ ?(?:and|or) ?\}")
_ASKS = re.compile(r"[=<>+\-^*/\\_|(\[]")
_PERCENT = re.compile(r"[\d.,\s]*\\?%?|[^=<>]*\\dots[^=<>]*")
_WORD_INSIDE = re.compile(r"\\(?:text|mathrm|mbox)\s*\{[^{}]*[^\W\d_]{3}|[^\x00-\x7f]{3}|(?<![A-Za-z\\])[A-Za-z]{4,}")


def formulas_kept(forms: Sequence[Row]) -> Iterator[Fault]:
    """formulas-differ: a formula of the reference form that another form's question lacks, in whatever order and notation.

    Compared are the signs, without grouping (a fraction is a fraction, with a bar or a slash). Formulas with words in them, and
    percentages, are left to the numbers' rule.
    """
    about = reference(forms)
    if about is None or about.question.replace("\\$", "").count("$") % 2:
        return
    due = [formula for formula in formulas(about.question) if _asked(formula)]
    if not due:
        return
    for row in forms:
        if row is about or row.format == "conversation" or chatty(row.question):
            continue
        whole = core(row.question)
        found = {"".join(sorted(core(formula))) for formula in formulas(row.question)}
        missing = [formula for formula in due if not _kept(formula, whole, found)]
        if missing:
            yield row.fault(
                "formulas-differ",
                "warning",
                "question",
                row.question,
                f"the formula {missing[0]} of the {about.language} form",
                "copy the formulas unchanged",
            )


def _kept(formula: str, whole: str, found: set[str]) -> bool:
    """The formula, or each of its members between commas, stands in the text, in any order of its signs."""
    if core(formula) in whole or "".join(sorted(core(formula))) in found:
        return True
    members = [core(piece) for piece in _PIECE.split(formula)]
    return len(members) > 1 and all(member in whole for member in members)


def _asked(formula: str) -> bool:
    return (
        _ASKS.search(formula) is not None
        and _PERCENT.fullmatch(formula) is None
        and _WORD_INSIDE.search(_FUNCTION.sub("", formula)) is None
        and formula.count("\\{") == formula.count("\\}")
        and "\\text{th" not in formula
        and len(core(formula)) > 3
    )


def signs(text: str) -> str:
    """The signs of mathematics in a text, in one spelling, without blanks, braces, wording and punctuation."""
    text = _WORDING.sub("", _FUNCTION.sub(r"\\\1 ", ascii_digits(text)))
    for pattern, spelled in _SPELLINGS:
        text = pattern.sub(spelled, text)
    return _SPACING.sub("", text).casefold()


def core(text: str) -> str:
    """The signs without what only groups: fraction bars, brackets, backslashes and signs of multiplication."""
    return _GROUPING.sub("", signs(text)).replace("csc", "cosec").strip("=")
