"""Rule on mathematics across the forms of a problem: each formula of the one stands in the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from covary.lint.chatter import chatty
from covary.lint.masking import ascii_digits, formulas
from covary.lint.reference import reference
from covary.lint.row import Fault, Row
from covary.mathematics.glyphs import SUPERSCRIPTS

_FUNCTION = re.compile(
    r"\\(?:text|mathrm|operatorname)\s*\{\s*(sin|cos|tan|cot|tg|ctg|cotg|sec|cosec|csc|log|ln|gcd|lcm)\s*\}"
)
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
        (r"\\(?:cdot|ast)(?![a-z])|×|⋅|·|\*", r"\\times"),
        (r"\\?\btg\b", r"\\tan"),
        (r"\\?\bc(?:tg|otg)\b", r"\\cot"),
        (r"\\(?:mathbb|mathbf|vec|overrightarrow|underline|mathcal|boldsymbol)(?![a-z])", ""),
        (r"\\triangle(?![a-z])|△", ""),
        (r"\^\s*\{?\s*(?:0|o|\\circ)\s*\}?(?![\d.])", r"^\\circ"),
        (r"(\w)\s*(?:[:|]|\\mid(?![a-z]))\s*\1\s*\\in(?![a-z])", r"\1\\in"),
        (r"(?<=\d) ?[xхX] ?(?=\d)", r"\\times"),
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
_UNIT = re.compile(r"(?:[\d.,\s]|\\ )*(?:\\(?:text|mathrm)\s*\{)?\s*(?:sq\.?\s*)?[ckmd]?m\.?\s*\}?\s*\^?\s*\{?[23]\}?")
_MEMBER = re.compile(r"[A-Za-z]\s*\\in(?![a-z])\s*\\?\w+")
_MAP = re.compile(r"^\s*[A-Za-z]\s*:\s*(?=.*\\(?:to|rightarrow|mapsto))")
_RAISED = re.compile(f"[{''.join(SUPERSCRIPTS)}]+")
_SIGNED = re.compile(r"[+-]?[^+-]+")
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
        found = {form for formula in formulas(row.question) for form in _orders(formula)}
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
    formula = _MAP.sub("", formula)
    if core(formula) in whole or not found.isdisjoint(_orders(formula)):
        return True
    members = [core(piece) for piece in _PIECE.split(formula) if not _MEMBER.fullmatch(piece.strip())]
    return len(members) > 1 and all(member in whole for member in members)


def _orders(formula: str) -> tuple[str, str]:
    """Two forms of a formula that don't hang on its order: its signs sorted, and its signed terms sorted on each side."""
    bare = core(formula)
    sides = sorted(
        "".join(sorted(term if term[0] in "+-" else "+" + term for term in _SIGNED.findall(side)))
        for side in bare.split("=")
    )
    return "".join(sorted(bare)), "=".join(sides)


def _asked(formula: str) -> bool:
    return (
        _ASKS.search(formula) is not None
        and not any(pattern.fullmatch(formula.strip()) for pattern in (_PERCENT, _UNIT, _MEMBER))
        and _WORD_INSIDE.search(_FUNCTION.sub("", formula)) is None
        and formula.count("\\{") == formula.count("\\}")
        and "\\text{th" not in formula
        and len(core(formula)) > 3
    )


def signs(text: str) -> str:
    """The signs of mathematics in a text, in one spelling, without blanks, braces, wording and punctuation."""
    text = ascii_digits(raised(text))
    text = _WORDING.sub("", _FUNCTION.sub(r"\\\1 ", text))
    for pattern, spelled in _SPELLINGS:
        text = pattern.sub(spelled, text)
    return _SPACING.sub("", text).casefold()


def raised(text: str) -> str:
    """The text with ^ before raised digits, so that x² is x^2 and not x2 when digits are read."""
    return text if text.isascii() else _RAISED.sub(lambda found: "^" + found.group(), text)


@lru_cache(maxsize=16384)
def core(text: str) -> str:
    """The signs without what only groups: fraction bars, brackets, backslashes and signs of multiplication."""
    return _GROUPING.sub("", signs(text)).replace("csc", "cosec").strip("=")
