"""One spelling for what scripts, keyboards and damaged files write in many: digits, Unicode mathematics, broken LaTeX."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

SUPERSCRIPTS = dict(
    zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", "0123456789+-=()niabcdeghjklmoprstuvwxyz", strict=True)
)
SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₙₘₖₚₛₜᵢⱼᵣ", "0123456789+-=()aeoxnmkpstijr", strict=True))
GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ϑ": "theta", "κ": "kappa", "λ": "lambda", "μ": "mu", "µ": "mu", "ν": "nu", "ξ": "xi", "π": "pi",
    "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma",
    "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
SIGNS = {
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "‒": "-", "﹣": "-", "－": "-", "＋": "+", "×": r" \times ", "✕": r" \times ",
    "⋅": r" \cdot ", "·": r" \cdot ", "∙": r" \cdot ", "•": r" \cdot ", "∗": "*", "÷": r" \div ", "∕": "/", "⁄": "/", "／": "/",
    "±": r"\pm ", "∓": r"\mp ", "≤": r"\le ", "⩽": r"\le ", "≦": r"\le ", "≥": r"\ge ", "⩾": r"\ge ", "≧": r"\ge ", "≠": r"\ne ",
    "≡": r"\equiv ", "≈": r"\approx ", "≅": r"\approx ", "≃": r"\approx ", "∼": r"\approx ", "＝": "=", "＜": "<", "＞": ">",
    "∈": r"\in ", "∉": r"\notin ", "∪": r"\cup ", "∩": r"\cap ", "⊂": r"\subset ", "⊆": r"\subseteq ", "∖": r"\setminus ",
    "∅": r"\emptyset ", "∞": r"\infty ", "√": r"\sqrt ", "∛": r"\sqrt[3] ", "∜": r"\sqrt[4] ", "°": r"^\circ ", "º": r"^\circ ",
    "˚": r"^\circ ", "′": "'", "’": "'", "‘": "'", "ʹ": "'", "´": "'", "″": "''", "”": '"', "“": '"', "„": '"', "«": '"', "»": '"',
    "…": r"\dots ", "⋯": r"\dots ", "∠": r"\angle ", "△": r"\triangle ", "∴": r"\therefore ", "∵": r"\because ", "→": r"\to ",
    "⇒": r"\Rightarrow ", "⟹": r"\Rightarrow ", "⇔": r"\Rightarrow ", "↔": r"\Rightarrow ", "∧": r"\land ", "∨": r"\lor ",
    "∣": "|", "｜": "|", "ℝ": r"\mathbb{R}", "ℤ": r"\mathbb{Z}", "ℕ": r"\mathbb{N}", "ℚ": r"\mathbb{Q}", "ℂ": r"\mathbb{C}",
    "（": "(", "）": ")", "［": "[", "］": "]", "｛": r"\{", "｝": r"\}", "，": ",", "、": ",", "；": ";", "：": ":", "∶": ":",
    "।": ". ", "。": ". ", "％": "%", "٪": "%", "٫": ".", "٬": ",", "⟨": "(", "⟩": ")", "ℓ": "l", "№": " ",
    "\u00a0": " ", "\u2007": " ", "\u2009": " ", "\u200a": " ", "\u202f": " ", "\u2002": " ", "\u2003": " ", "\u3000": " ",
    "\u200b": "", "\u200c": "", "\u200d": "", "\u200e": "", "\u200f": "", "\ufeff": "", "\u2060": "", "\u2061": "", "\u2062": "",
    "\u00ad": "", "\u0098": "", "\ufffd": "", "\ufe0f": "",
}  # fmt: skip
RADICAL_INDEX = {"³√": r"\sqrt[3] ", "⁴√": r"\sqrt[4] ", "⁵√": r"\sqrt[5] ", "ⁿ√": r"\sqrt[n] "}
CYRILLIC_TWINS = str.maketrans("авеикмнорстухАВЕКМНОРСТУХіІ", "aвeикmнopcтyxABEKMHOPCTYXiI")

# A JSON escape eats the backslash and the first letter of a LaTeX command: \f(rac), \t(imes), \b(eta), \r(ight) …
EATEN = {
    "\f": ("f", "rac|orall|box"),
    "\t": ("t", "imes|ext|heta|an|frac|o(?![a-z])|au|riangle|herefore"),
    "\b": ("b", "eta|oxed|ar|egin|inom|ig|ullet|ecause"),
    "\r": ("r", "ight|ho|angle|Rightarrow"),
    "\a": ("a", "lpha|pprox|ngle|st"),
    "\v": ("v", "ec|ert|arnothing"),
    "\n": ("n", "eq(?![a-z])|otin|abla|mid"),
}
EATEN_PATTERNS = [(re.compile(f"{char}({rest})"), f"\\\\{letter}\\1") for char, (letter, rest) in EATEN.items()]
LOST_BACKSLASH = re.compile(
    r"(?<![\\A-Za-z])(dfrac|tfrac|frac|sqrt|boxed|text|mathrm|overline|binom|dot|vec)(?=\s*[{\[])|(?<![\\A-Za-z])(pi|cdot|infty|theta|alpha|beta|leq|geq|pm|times(?=\s*1?\d))(?![A-Za-z])"
)
LOST_LETTER = re.compile(r"(?<![\\A-Za-z])(?:rac(?=\s*\{)|imes(?=\s*1?\d)|ext(?=\s*\{)|oxed(?=\s*\{)|heta(?![A-Za-z]))")
LOST_LETTERS = {"rac": r"\frac", "imes": r"\times ", "ext": r"\text", "oxed": r"\boxed", "heta": r"\theta "}
DOUBLED = re.compile(
    r"\\\\(?=(?:frac|dfrac|sqrt|sin|cos|tan|theta|pi|times|cdot|left|right|text|log|ln|infty|leq?|geq?|pm|alpha|beta|mathbb|cup|cap|in)(?![a-z]))"
)
GLUED = re.compile(r"\\(pi|quad|circ|times)(?=[a-zA-Z])(?!times|circ)")
NESTED_DOT = re.compile(r"\\dot\{(\d)(\d*)\\dot\{(\d)\}\}")
MOVED_BRACE = "a brace was out of place"
UNSURE_BRACE = "a brace was out of place, among other brackets"
# The first closing brace was cut out (and often hangs on at the end): \frac{1{7}}, x^{2)}, a^{2- 3a}.
FRACTION_OPEN = re.compile(
    r"(\\[dt]?frac\s*\{(?![^{}]*(?:\\(?:sqrt|[dt]?frac|text|mathrm|mathbf|overline|vec|dot|binom|overrightarrow)\s*|[\^_]\s*|\])\{)[^{}]+)(?=\{)"
)
SCRIPT_OPEN = re.compile(r"(?:[\^_]|\\sqrt)\s*\{\s*-?(?:\d+|\\?[A-Za-z]+)")
LAST_DIGIT = 0x1FBF9
SUPER_RUN = re.compile("[" + "".join(SUPERSCRIPTS) + "]+")
SUB_RUN = re.compile("[" + "".join(SUBSCRIPTS) + "]+")
DOTTED = re.compile(r"(\d)([\u0307\u0305\u0304])")
VULGAR = re.compile("[¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]")
STYLED = re.compile("[\U0001d400-\U0001d7ff\uff01-\uff5e]")


class Tidy(NamedTuple):
    """Text in one spelling, and what had to be repaired."""

    text: str
    repairs: tuple[str, ...]


def tidy(text: str) -> Tidy:
    """The text with ASCII digits and LaTeX spelling of mathematics; damage mended where only one reading is sensible.

    >>> tidy("½ × ৭²").text.split()
    ['\\\\frac{1}{2}', '\\\\times', '7^{2}']
    """
    repairs: list[str] = []
    if not text.isascii():
        text = _one_spelling(text)
    if not text.isprintable():
        mended = text
        for pattern, replacement in EATEN_PATTERNS:
            mended = pattern.sub(replacement, mended)
        if mended != text:
            repairs.append("a LaTeX command had lost its backslash to a JSON escape")
        text = mended
    text, count = LOST_LETTER.subn(lambda found: LOST_LETTERS[found.group()], text)
    text, more = LOST_BACKSLASH.subn(lambda found: "\\" + found.group() + (" " if found.group(2) else ""), text)
    if count or more:
        repairs.append("a LaTeX command had lost its backslash")
    if "\\" in text:
        mended = DOUBLED.sub(r"\\", GLUED.sub(r"\\\1 ", text))
        mended = NESTED_DOT.sub(r"\\dot{\1}\2\\dot{\3}", mended)
        if mended != text:
            repairs.append("a LaTeX command was doubled, nested or glued")
        text = mended
    if "{" in text:
        mended = _close_braces(text)
        if mended != text:
            repairs.append(MOVED_BRACE if _numerator_end(text) is not None else UNSURE_BRACE)
            text = mended
    if text.count("{") != text.count("}"):
        text = _balanced(text)
        repairs.append(UNSURE_BRACE)
    return Tidy(text, tuple(repairs))


def _balanced(text: str) -> str:
    """The text without closing braces that nothing opened, and with up to three missing ones at its end."""
    kept: list[str] = []
    level, before = 0, ""
    for char in text:
        if char in "{}" and before != "\\":
            level += 1 if char == "{" else -1
            if level < 0:
                level = 0
                before = char
                continue
        kept.append(char)
        before = char
    closed = "".join(kept)
    if 0 < level <= 3:
        closed = closed.rstrip(" $>.\\") + "}" * level
    return closed


def _one_spelling(text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    if VULGAR.search(text):
        text = VULGAR.sub(_vulgar, text)
    text = STYLED.sub(lambda found: unicodedata.normalize("NFKC", found.group()), text)
    for radical, spelled in RADICAL_INDEX.items():
        text = text.replace(radical, spelled)
    text = SUPER_RUN.sub(lambda found: "^{" + "".join(SUPERSCRIPTS[char] for char in found.group()) + "}", text)
    text = SUB_RUN.sub(lambda found: "_{" + "".join(SUBSCRIPTS[char] for char in found.group()) + "}", text)
    text = DOTTED.sub(r"\\dot{\1}", text)
    return text.translate(_table())


def _vulgar(found: re.Match[str]) -> str:
    top, _, bottom = unicodedata.normalize("NFKD", found.group()).partition("⁄")
    return f"\\frac{{{top}}}{{{bottom}}}"


@cache
def _table() -> dict[int, str]:
    table = {ord(sign): spelled for sign, spelled in SIGNS.items()}
    table |= {ord(letter): f"\\{name} " for letter, name in GREEK.items()}
    for code in range(0x80, LAST_DIGIT + 1):
        digit = unicodedata.decimal(chr(code), None)
        if digit is not None:
            table[code] = str(digit)
    return table


def _close_braces(text: str) -> str:
    """Put missing closing braces back: after a numerator (once), and after exponents or radicands of one atom."""
    for _ in range(6):
        at = _numerator_end(text)
        if at is None:
            break
        text = _move_brace(
            text, at, text.rfind("}") if text.count("\\frac") + text.count("\\dfrac") < 2 else text.find("}}", at)
        )
    for _ in range(12):
        at = _script_end(text)
        if at is None:
            break
        text = _move_brace(text, at, text.find("}", at))
    return text


def _move_brace(text: str, to: int, since: int) -> str:
    """The text with a closing brace set at `to`; the one at `since` taken away where it is in excess."""
    excess = text.count("}") - text.count("\\}") + 1 > text.count("{") - text.count("\\{")
    if excess and since > to and text[since - 1] != "\\":
        text = text[:since] + text[since + 1 :]
    return text[:to] + "}" + text[to:]


def _numerator_end(text: str) -> int | None:
    found = FRACTION_OPEN.search(text)
    return found.end(1) if found else None


def _script_end(text: str) -> int | None:
    """End of the first exponent, index or radicand whose braces take in a bracket that was opened before them."""
    for found in list(SCRIPT_OPEN.finditer(text))[:40]:
        depth = 0
        for char in text[found.end() : found.end() + 200]:
            if char in "{}":
                break
            depth += (char == "(") - (char == ")")
            if depth < 0:
                return found.end()
    return None
