"""Tidy text → text that can be cut into tokens: text commands opened, environments marked, spellings made one."""

from __future__ import annotations

import re

TEXT_COMMAND = re.compile(
    r"\\(?:text|mathrm|textbf|mathbf|mbox|operatorname|textit|textrm|mathit|mathsf|boldsymbol|bm|textnormal|emph|hbox|texttt|mathtt)\*?\s*\{([^{}]*)\}"
)
NESTED_TEXT = re.compile(r"\\(?:text|mathrm|textbf|mathbf|mbox)\s*\{")
MATRIX = re.compile(
    r"\\(begin|end)\s*\{([a-z]*matrix|array|cases|aligned|align\*?|gathered|equation\*?|split)\}(?:\s*\{[lcr|@ ]*\})?"
)
STAR_POWER = re.compile(r"(?<=[\w)}])\*\*(?=[\w({\-])")
DEGREE_POWER = re.compile(
    r"\^\s*(?:\{\s*(?:0|o|\\circ)\s*\}|\\circ(?![A-Za-z])|o(?![A-Za-z]))|\\degree(?![A-Za-z])|(?<=\d)\^0(?![\d.])"
)
RADIAN_POWER = re.compile(r"(\\pi)\s*\^\s*(?:\{\s*c\s*\}|c(?![A-Za-z0-9]))")
EQUATION_NUMBER = re.compile(r"(?:\.{2,}|\\[lc]?dots)\s*\((?:i{1,3}|iv|v|\d)\)")
PERCENT_WORD = re.compile(
    r"(?<=[\d}])\s*(?:per\s?cent|pour\s?cent|শতাংশ|prosentti\w*|prosenttia|procent\w*|пайыз\w*|prozent|por ciento)|y[üu]zde(?=\s*\d)",
    re.IGNORECASE,
)
TIMES_LETTER = re.compile(r"(?<=\d)\s*[xX]\s*(?=10\s*\^)|(?<=\d)\s+[xX]\s+(?=\d)")
MARKED_DIGIT = re.compile(r"(?<=[\d,.}])\$(?=\\(?:dot|overline|bar))|(?<=[\d}])\$(?=\d|\$?\\dot)")
SET_DIFFERENCE = re.compile(r"\s\\\s(?=\s*\\?[{\[])")
NATURALS = re.compile(r"(?<=\\in)\s*IN\b")
CASE_ENDING = re.compile(
    r"(?<=\d)[-–](?:ші|шы|ге|ға|ке|қа|ны|ні|ның|нің|тан|тен|дан|ден|де|да|сы|сі|asis|oji|ojo|osios|ąjį|ам|ai|as)(?!\w)|(?<=\d):(?:n|nen|s|tta|ssa|een|lla|stä|ta)(?!\w)"
)
HYPHENATED = re.compile(r"[^\W\d_]{3,}-[^\W\d_]{3,}")
BRACED_FUNCTION = re.compile(r"\{\s*\\?(sin|cos|tan|cot|sec|csc|cosec|log|ln)\s*\}")
PLUS_MINUS = re.compile(r"\+\s?/\s?-")
NEIGHBOURS = re.compile(r"\$\s+\$(?!\s*[=<>])|\\\)\s*\\\((?!\s*[=<>])|(?<=\\\})\s*(?=\\\{)")
CDOT_DECIMAL = re.compile(r"(?<=\d)\s*\\cdot\s*(?=\d+\s*(?:''|\"))")
FRENCH_OPEN = re.compile(
    r"(^|[=:\s({]|\\in\s?|\\cup\s?)\](\s*[-+\d\\A-Za-z][^\[\]]{0,120}?[,;][^\[\]]{1,120}?)([\[\]])"
)
FRENCH_CLOSE = re.compile(r"\[(\s*[-+\d\\A-Za-z][^\[\]]{0,120}?[,;][^\[\]]{1,120}?)\[(?=\s*(?:$|[.,;$)}]|\\cup|\\\)))")


def prepared(text: str) -> str:
    """Tidy text with text commands opened, environments marked and powers that mean degrees named."""
    if "\\" in text:
        for _ in range(3):
            text, count = TEXT_COMMAND.subn(r" \1 ", text)
            if not count:
                break
        if "\\text" in text or "\\math" in text:
            text = _opened(text)
        text = MATRIX.sub(
            lambda found: f" \\{found.group(1)}{'determinant' if found.group(2) == 'vmatrix' else 'matrix'} ", text
        )
    if "x" in text or "X" in text:
        text = TIMES_LETTER.sub(r"\\times ", text)
    if "ent" in text or not text.isascii():
        text = PERCENT_WORD.sub(r"\\% ", text)
    if "-" in text:
        text = HYPHENATED.sub(_split_hyphen, text)
    if "-" in text or ":" in text:
        text = CASE_ENDING.sub(" ", text)
    if "{" in text:
        text = BRACED_FUNCTION.sub(r"\\\1 ", text)
    if "+" in text:
        text = PLUS_MINUS.sub(r"\\pm ", text)
    if "$" in text or "\\" in text:
        text = NEIGHBOURS.sub(" , ", MARKED_DIGIT.sub("", text))
        text = NATURALS.sub(r"\\mathbb{N}", SET_DIFFERENCE.sub(r" \\setminus ", text))
    if ("(" in text and "." in text) or "dots" in text:
        text = EQUATION_NUMBER.sub(" , ", text)
    if "^" in text and "\\pi" in text:
        text = RADIAN_POWER.sub(r"\1 ", text)
    if "^" in text or "degree" in text:
        text = DEGREE_POWER.sub(r"\\degrees ", text)
    if "\\cdot" in text:
        text = CDOT_DECIMAL.sub(".", text)
    if "**" in text:
        text = STAR_POWER.sub("^", text)
    if "]" in text or "[" in text:
        text = FRENCH_OPEN.sub(
            lambda found: f"{found.group(1)}({found.group(2)}{')' if found.group(3) == '[' else ']'}", text
        )
        text = FRENCH_CLOSE.sub(r"[\1)", text)
    return text.replace("{,}", ",").replace("{.}", ".").replace("\\lbrace", "\\{").replace("\\rbrace", "\\}")


def _split_hyphen(found: re.Match[str]) -> str:
    """Words with a hyphen as two words; products of letters as they are."""
    left, _, right = found.group().partition("-")
    return f"{left} {right}" if not found.group().isascii() or max(len(left), len(right)) >= 5 else found.group()


def _opened(text: str) -> str:
    """Text commands with braces inside, opened by counting braces; a command that isn't closed is dropped."""
    for _ in range(20):
        found = NESTED_TEXT.search(text)
        if not found:
            return text
        level, at = 1, found.end()
        while at < len(text) and level:
            level += (text[at] == "{") - (text[at] == "}")
            at += 1
        inner = text[found.end() : at - 1] if not level else text[found.end() :]
        text = f"{text[: found.start()]} {inner} {text[at:] if not level else ''}"
    return text
