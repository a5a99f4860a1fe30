"""Tidy text → tokens: numbers under a locale's marks, symbols, functions, operators, relations, brackets, words."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from flint import fmpq, fmpz

from covary.mathematics import lexicon, units
from covary.mathematics.tree import Num


class Unread(Exception):  # noqa: N818
    """The text can't be read as mathematics as a whole. The message says where it stopped."""


class Token(NamedTuple):
    """kind: num sym word func op rel sep open close cmd mark. `spaced`: a blank stands before it."""

    kind: str
    text: str
    spaced: bool = False
    number: Num | None = None


class Marks(NamedTuple):
    """How digits are punctuated. comma: groups thousands, marks decimals, or separates a list; dot_groups: 1.234 is 1234."""

    comma: str
    dot_groups: bool = False
    blank_groups: bool = True


FUNCTIONS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "tg": "tan", "cot": "cot", "ctg": "cot", "cotg": "cot", "sec": "sec", "csc": "csc", "cosec": "csc",
    "arcsin": "arcsin", "arccos": "arccos", "arctan": "arctan", "arctg": "arctan", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "log": "log", "lg": "lg", "ln": "ln", "exp": "exp", "sqrt": "sqrt", "abs": "abs",
    "arccot": "arccot",
}  # fmt: skip
OPERATORS = {
    "times": "*",
    "cdot": "*",
    "ast": "*",
    "div": "/",
    "pm": "±",
    "mp": "∓",
    "cup": "∪",
    "cap": "∩",
    "setminus": "\\",
    "bullet": "*",
}
RELATIONS = {
    "le": "<=", "leq": "<=", "leqslant": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=", "lt": "<", "gt": ">", "ne": "!=", "neq": "!=",
    "equiv": "=", "approx": "≈", "simeq": "≈", "cong": "≈", "sim": "≈", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆",
    "supset": "⊃", "supseteq": "⊇", "nsubseteq": "⊄", "propto": "∝", "doteq": "=",
}  # fmt: skip
ARROWS = frozenset(
    [
        "Rightarrow",
        "implies",
        "iff",
        "Leftrightarrow",
        "therefore",
        "because",
        "to",
        "rightarrow",
        "longrightarrow",
        "Longrightarrow",
        "leftrightarrow",
    ]
)
SKIPPED = frozenset(
    [
        "left",
        "right",
        "big",
        "Big",
        "bigg",
        "Bigg",
        "bigl",
        "bigr",
        "Bigl",
        "Bigr",
        "displaystyle",
        "textstyle",
        "limits",
        "nolimits",
        "quad_",
        "hspace",
        "vspace",
        "enspace",
        "thinspace",
        "bf",
        "it",
        "rm",
        "sf",
        "hline",
        "not_",
        "phantom",
    ]
)
BLANK_COMMANDS = frozenset(["enspace", "thinspace", "space"])
DOTS = frozenset(["dots", "ldots", "cdots", "dotsc", "dotsb", "dotso", "dotsm", "vdots", "ddots"])
GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "varepsilon",
        "zeta",
        "eta",
        "theta",
        "vartheta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "rho",
        "sigma",
        "tau",
        "phi",
        "varphi",
        "chi",
        "psi",
        "omega",
        "Gamma",
        "Delta",
        "Theta",
        "Lambda",
        "Xi",
        "Pi",
        "Sigma",
        "Upsilon",
        "Phi",
        "Psi",
        "Omega",
        "ell",
        "hbar",
    ]
)
ACCENTS = frozenset(
    ["vec", "overrightarrow", "overline", "bar", "hat", "tilde", "widehat", "overleftrightarrow", "underline"]
)
COMMON_WORDS = frozenset(
    [
        "the",
        "and",
        "for",
        "are",
        "not",
        "all",
        "sum",
        "has",
        "was",
        "can",
        "its",
        "per",
        "one",
        "two",
        "six",
        "ten",
        "any",
        "but",
        "let",
        "set",
        "out",
        "odd",
        "even",
        "yes",
        "none",
        "true",
        "false",
        "both",
        "each",
        "from",
        "with",
        "that",
        "this",
        "then",
        "thus",
        "when",
        "were",
        "which",
        "have",
        "will",
        "only",
        "also",
        "into",
        "more",
        "less",
        "than",
        "most",
        "least",
        "such",
        "as",
        "is",
        "it",
        "be",
        "by",
        "of",
        "on",
        "to",
        "at",
        "we",
        "so",
        "no",
        "if",
        "in",
        "an",
        "do",
        "he",
        "my",
        "or",
        "us",
        "est",
        "les",
        "des",
        "une",
        "pour",
        "par",
        "sur",
        "avec",
        "dans",
        "que",
        "qui",
        "son",
        "soit",
        "ou",
        "et",
        "la",
        "le",
        "un",
        "en",
        "on",
        "il",
        "olan",
        "için",
        "ile",
        "bir",
        "bu",
        "tane",
        "adet",
        "kişi",
        "ve",
        "da",
        "de",
        "joka",
        "kun",
        "niin",
        "tai",
        "ja",
        "on",
        "ei",
        "kpl",
        "sen",
        "yra",
        "kad",
        "tai",
        "iš",
        "ir",
        "su",
        "arba",
    ]
)
CURRENCY_CODES = frozenset({"Rs", "USD", "BDT", "EUR", "INR", "GBP", "KZT", "TL"})
BARE_COMMANDS = frozenset({"frac", "dfrac", "tfrac", "sqrt", "cdot", "leq", "geq", "infty"})
WORD_MARKS = "\u0300-\u036f\u0900-\u0dff"

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

SCAN = re.compile(
    r"(?P<blank>(?:\s|~|\\[,;:! ]|\\(?=\s))+)"
    r"|(?P<newline>\\\\)"
    r"|(?P<fence>\\[()\[\]]|\$+|`+|\*\*+|<\/?[A-Za-z]{1,12}>|\\end\{[a-z]*>?|\#+\s)"
    r"|(?P<command>\\[A-Za-z]+\*?)"
    r"|(?P<escaped>\\[{}%$&#_|])"
    r"|(?P<relation><=|>=|=>|==|!=|<|>|=|->)"
    r"|(?P<letters>(?:[^\W\d_]|[" + WORD_MARKS + r"])+)"
    r"|(?P<primes>'+|\")"
    r"|(?P<dots>\.\s?\.(?:\s?\.)*)"
    r"|(?P<other>.)",
    re.DOTALL,
)
ABBREVIATION = re.compile(
    r"(?:[A-Za-z\u0980-\u09ff\u0400-\u04ff]{1,5}\.\s?){1,2}[A-Za-z\u0980-\u09ff\u0400-\u04ff]{0,5}\.?"
)

DIGIT_GROUP = r"(?:\\dot\s*\{\d+\}|\\dot\s*\d|\d)"
DOTTED = re.compile(rf"(\d*)[.,]?(\d*)(?:\\dot\s*\{{\d+\}}|\\dot\s*\d){DIGIT_GROUP}*")
DOTTED_FULL = re.compile(rf"((?:\\dot\s*\{{\d+\}}|\\dot\s*\d|\d)*)(?:[.,]({DIGIT_GROUP}+))?")
BARRED = re.compile(r"(\d+)[.,](\d*)(?:\\(?:overline|bar)\s*\{\s*(\d+)\s*\}|\((\d+)\))")
BAR_LOG = re.compile(r"\\(?:overline|bar)\s*\{\s*(\d)\s*\}\s*[.,](\d+)")
CUT_OFF = re.compile(r"(\d+[.,]\d+)(?:\s?\.\.+|\s?\\[lc]?dots(?![a-z]))")
SCIENTIFIC = re.compile(r"(\d+(?:\.\d+)?)[eE]([+-]?\d{1,4})(?![\w.])")
PLAIN = re.compile(r"\d+(?:\.\d+)?|\.\d+")
COMMA_DECIMAL = re.compile(r"\d+,\d+(?![,.]?\d)")
COMMA_GROUPS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?!,?\d)(?:\.\d+)?|[1-9]\d?(?:,\d{2})+,\d{3}(?!,?\d)(?:\.\d+)?")
BLANK_GROUPS = re.compile(r"[1-9]\d{0,2}(?:(?: |\\,|\\ |~)\d{3})+(?![ ,]?\d)(?:\.\d+)?(?!\s?/)")
BLANK_GROUPS_COMMA = re.compile(r"[1-9]\d{0,2}(?:(?: |\\,|\\ |~)\d{3})+,\d+(?![,.]?\d)")
APOSTROPHE_GROUPS = re.compile(r"[1-9]\d{0,2}(?:'\d{3})+(?!\d)")
DOT_GROUPS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+(?![.\d])(?:,\d+)?")
DOT_GROUPS_SURE = re.compile(r"[1-9]\d{0,2}(?:(?:\.\d{3}){2,}(?![.\d])(?:,\d+)?|\.\d{3},\d+)(?![.,]?\d)")
MAX_DIGITS = 6_000


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


def tokens(text: str, language: str, marks: Marks, limit: int) -> list[Token]:
    """Tokens of prepared text. Raises Unread past `limit` tokens."""
    found: list[Token] = []
    position, spaced, fraction_digits = 0, False, 0
    length = len(text)
    while position < length:
        if len(found) > limit:
            raise Unread("more tokens than the bound")
        char = text[position]
        if char.isdigit() or (char == "." and text[position + 1 : position + 2].isdigit()) or char == "\\":
            if fraction_digits and char.isdigit():
                found.append(Token("num", char, spaced, Num(fmpq(int(char)))))
                position, spaced, fraction_digits = position + 1, False, fraction_digits - 1
                continue
            scanned = _number(text, position, marks, found)
            if scanned is not None:
                number, end = scanned
                found.append(Token("num", text[position:end], spaced, number))
                position, spaced, fraction_digits = end, False, 0
                continue
        match = SCAN.match(text, position)
        assert match is not None
        kind, piece = match.lastgroup or "", match.group()
        end = match.end()
        if kind == "blank":
            spaced = True
            if "\n" in piece:
                found.append(Token("sep", "\n", True))
            position = end
            continue
        if kind == "fence":
            spaced = True
            position = end
            continue
        if kind == "letters":
            end = _letters(text, position, end, language, spaced, found)
        elif kind == "command":
            fraction_digits = 2 if piece in ("\\frac", "\\dfrac", "\\tfrac", "\\cfrac", "\\binom") else 0
            _command(piece[1:].rstrip("*"), spaced, found)
        else:
            _sign(kind, piece, spaced, found)
        if kind != "command" and piece != "{":
            fraction_digits = max(0, fraction_digits - 1) if piece == "}" else fraction_digits
        if piece == "{":
            fraction_digits = 0
        position, spaced = end, kind == "command" and piece[1:] in BLANK_COMMANDS
    return found


def _sign(kind: str, piece: str, spaced: bool, found: list[Token]) -> None:
    if kind == "newline":
        found.append(Token("sep", "\\\\", spaced))
    elif kind == "escaped":
        sign = piece[1]
        if sign in "{}":
            found.append(Token("open" if sign == "{" else "close", piece, spaced))
        elif sign == "%":
            found.append(Token("mark", "%", spaced))
        elif sign == "$":
            found.append(Token("word", "$", spaced))
        elif sign == "|":
            found.append(Token("op", "|", spaced))
    elif kind == "relation":
        if piece in ("=>", "->"):
            found.append(Token("sep", "⇒", spaced))
        else:
            found.append(Token("rel", "=" if piece == "==" else piece, spaced))
    elif kind == "primes":
        found.append(Token("mark", "''" if piece == '"' else piece, spaced))
    elif kind == "dots":
        if found and found[-1].kind == "word" and len(piece.replace(" ", "")) == 2:
            return
        found.append(Token("cmd", "dots", spaced))
    elif piece in "([{":
        found.append(Token("open", piece, spaced))
    elif piece in ")]}":
        found.append(Token("close", piece, spaced))
    elif piece in ",;&":
        found.append(Token("sep", piece, spaced))
    elif piece == ":":
        found.append(Token("rel", ":", spaced))
    elif piece in "+-*/^_|!\\":
        found.append(Token("op", piece, spaced))
    elif piece == "%":
        found.append(Token("mark", "%", spaced))
    elif piece == ".":
        if found and found[-1].kind != "word":
            found.append(Token("sep", ".", spaced))
    elif piece in units.SIGNS:
        found.append(Token("word", piece, spaced))
    elif piece == "?":
        raise Unread("a question mark")
    elif piece in "@#~\u0001" or not piece.isprintable():
        raise Unread(f"a sign without meaning here: {piece!r}")
    elif piece.isspace():
        return
    else:
        raise Unread(f"a sign without meaning here: {piece!r}")


def _command(name: str, spaced: bool, found: list[Token]) -> None:
    if name in FUNCTIONS:
        found.append(Token("func", FUNCTIONS[name], spaced))
    elif name in OPERATORS:
        found.append(Token("op", OPERATORS[name], spaced))
    elif name in RELATIONS:
        found.append(Token("rel", RELATIONS[name], spaced))
    elif name in ARROWS:
        found.append(Token("sep", "⇒", spaced))
    elif name in SKIPPED or name in BLANK_COMMANDS:
        return
    elif name in DOTS:
        found.append(Token("cmd", "dots", spaced))
    elif name in GREEK:
        found.append(
            Token("sym", {"varepsilon": "epsilon", "vartheta": "theta", "varphi": "phi"}.get(name, name), spaced)
        )
    elif name in ("dfrac", "tfrac", "cfrac", "frac"):
        found.append(Token("cmd", "frac", spaced))
    elif name in ("quad", "qquad"):
        found.append(Token("sep", "quad", spaced))
    elif name in ("varnothing", "emptyset"):
        found.append(Token("cmd", "emptyset", spaced))
    elif name in ACCENTS:
        found.append(Token("cmd", "accent", spaced))
    elif name in ("mid", "vert", "lvert", "rvert"):
        found.append(Token("op", "|", spaced))
    elif name == "colon":
        found.append(Token("rel", ":", spaced))
    elif name == "land":
        found.append(Token("word", "and", True))
    elif name == "lor":
        found.append(Token("word", "or", True))
    elif name == "prime":
        found.append(Token("mark", "'", spaced))
    elif name == "n":
        found.append(Token("sep", "\n", True))
    elif len(name) == 1 and name.isupper():
        found.extend((Token("op", "\\", spaced), Token("sym", name)))
    elif name == "not":
        found.append(Token("op", "not", spaced))
    else:
        found.append(Token("cmd", name, spaced))


def _letters(text: str, start: int, end: int, language: str, spaced: bool, found: list[Token]) -> int:
    """Append what a run of letters stands for; where it ends."""
    sign = next((at for at in range(start, end) if text[at] in units.SIGNS), None)
    if sign == start:
        found.append(Token("word", text[start], spaced))
        return start + 1
    end = end if sign is None else sign
    run = text[start:end]
    before = found[-1] if found else None
    after_value = before is not None and (before.kind in ("num", "close", "mark") or before.text in ("degrees", "pi"))
    if text[end : end + 1] == "." and (after_value or before is None or before.kind in ("word", "op", "rel", "sep")):
        dotted = ABBREVIATION.match(text, start)
        if dotted and "." in dotted.group().rstrip(". "):
            name = lexicon.folded(dotted.group())
            squeezed = re.sub(r"[.\s]", "", name)
            named = units.unit_named(squeezed)
            if named and (after_value or before is None or before.kind == "word" or before.text == "/"):
                for prefix in ("sq", "cu"):
                    if squeezed.startswith(prefix) and squeezed not in ("cu",) and name.startswith(prefix + "."):
                        found.append(Token("word", prefix, spaced))
                        squeezed = squeezed[len(prefix) :]
                found.append(Token("word", squeezed, spaced))
                return dotted.end()
    lowered = lexicon.folded(run)
    if not run.isascii():
        if len(run) == 1 and run.translate(lexicon_twins()).isascii():
            found.append(Token("sym", run.translate(lexicon_twins()), spaced))
        elif (
            (twins := run.translate(lexicon_twins())).isascii()
            and len(run) <= 3
            and not after_value
            and not _worded(text, start, end)
        ):
            found.extend(Token("sym", letter, spaced and not position) for position, letter in enumerate(twins))
        elif len(run) == 1 and not after_value and run not in ("ও",):
            found.append(Token("sym", run, spaced))
        else:
            found.append(Token("word", lowered, spaced))
        return end
    if len(run) == 1:
        found.append(Token("sym", run, spaced))
        return end
    following = text[end : end + 1]
    seconds = run == "sec" and after_value and spaced
    if run in FUNCTIONS and not seconds and (following in "({^_ \\" or following.isalnum()):
        found.append(Token("func", FUNCTIONS[run], spaced))
        return end
    if run in CURRENCY_CODES:
        found.append(Token("word", lowered, spaced))
        return end
    if run in BARE_COMMANDS:
        raise Unread("a LaTeX command without its backslash")
    if lowered == "pi":
        found.append(Token("cmd", "pi", spaced))
    elif lowered in ("inf", "infty"):
        found.append(Token("cmd", "infty", spaced))
    elif lowered in ("rad", "rads") or lowered in units.RADIANS:
        found.append(Token("word", "radian", spaced))
    elif (
        (before is not None and before.kind == "num" and not spaced and lowered in ("th", "st", "nd", "rd"))
        or (after_value and _measures(lowered, language, spaced))
        or _is_word(run, lowered, text, start, end, language)
    ):
        if (
            following == "("
            and len(run) >= 4
            and lowered not in known_words(language)
            and not units.unit_named(lowered)
        ):
            raise Unread("a call of something unknown")
        found.append(Token("word", lowered, spaced))
    else:
        head = next(
            (
                name
                for name in ("arcsin", "arccos", "arctan", "sin", "cos", "tan", "log", "ln", "sqrt")
                if run.endswith(name) and len(run) <= len(name) + 2
            ),
            None,
        )
        letters = run[: -len(head)] if head and head != run else run
        found.extend(Token("sym", letter, spaced and not position) for position, letter in enumerate(letters))
        if head and head != run:
            found.append(Token("func", FUNCTIONS[head], False))
    return end


def lexicon_twins() -> dict[int, int]:
    """Cyrillic letters that look like Latin ones."""
    from covary.mathematics.glyphs import CYRILLIC_TWINS

    return CYRILLIC_TWINS


def _worded(text: str, start: int, end: int) -> bool:
    """Another word stands next to it."""
    return bool(
        re.match(r"\s[^\W\d_]{2}", text[end : end + 3]) or re.search(r"[^\W\d_]{2}\s$", text[max(0, start - 3) : start])
    )


def _measures(word: str, language: str, spaced: bool) -> bool:
    """A unit or a word for square and cubic; short names of one language count there only, after a blank."""
    if word in units.LOCAL:
        return spaced and units.LOCAL[word] == language
    return units.unit_named(word) is not None or word in units.SQUARE or word in units.CUBIC


def _is_word(run: str, lowered: str, text: str, start: int, end: int, language: str) -> bool:
    if lowered in lexicon.connectives(language):
        if (
            text[start - 1 : start].isdigit()
            and text[end : end + 1] in set("-0123456789 ")
            and lowered in ("and", "or")
        ):
            return True
        return bool(
            text[max(0, start - 1) : start] in ("", " ", ")", "$", ",", "}", "]", "\n", ";")
            and text[end : end + 1] in ("", " ", ",", "$", ":", "\n", "\\")
        )
    if lowered in known_words(language) and (
        len(run) > 2
        or _worded(text, start, end)
        or (text[start - 1 : start] in ("", " ") and text[end : end + 1] in ("", " ", ".", ":"))
    ):
        return True
    if len(run) >= 5:
        return not (len(set(run)) == len(run) and run.isupper() and text[end : end + 1] not in ("", " "))
    if len(run) >= 3 and units.unit_named(lowered) and text[start - 1 : start] in ("", " ", "/", "("):
        return True
    if run.isupper():
        return False
    if (
        len(run) >= 3
        and re.search(r"\d\s$", text[max(0, start - 2) : start])
        and text[end : end + 1] in ("", ".", ",", ";")
        and sorted(run) != list(run)
    ):
        return re.search("[aeiouy]", lowered) is not None and re.search("[^aeiouy]", lowered) is not None
    if (
        len(run) == 4
        and text[end : end + 1] in (" ", ".", ":", "")
        and re.search("[aeiouy]", lowered)
        and re.search("[^aeiouy]", lowered)
        and text[max(0, start - 1) : start] in ("", " ")
    ):
        return True
    return len(run) >= 2 and _worded(text, start, end) and (len(run) >= 3 or lowered in COMMON_WORDS)


@cache
def known_words(language: str) -> frozenset[str]:
    """Short words that are never products of letters."""
    words = set(COMMON_WORDS) | {word for word in lexicon.number_words(language) if len(word) > 2}
    for kind in ("lead", "copula", "hedge", "filler"):
        words |= lexicon.phrase_words(kind)
    words |= {
        "tk",
        "sq",
        "cu",
        "cm",
        "km",
        "mm",
        "kg",
        "hrs",
        "hr",
        "min",
        "yes",
        "no",
        "no.",
        "undefined",
        "dom",
        "ran",
        "range",
        "domain",
        "if",
        "gcd",
        "lcm",
        "hcf",
        "usd",
    }
    return frozenset(word for word in words if word.isascii() and len(word) > 1)


def _number(text: str, position: int, marks: Marks, found: list[Token]) -> tuple[Num, int] | None:
    """The number that starts here and where it ends."""
    if text[position] == "\\":
        if text.startswith(("\\overline", "\\bar"), position) and (bar := BAR_LOG.match(text, position)):
            whole, fraction = bar.groups()
            return Num(fmpq(int(fraction), 10 ** len(fraction)) - int(whole), len(fraction), len(fraction)), bar.end()
        if not text.startswith("\\dot", position) or not re.match(r"\\dot\s*[{\d]", text[position : position + 8]):
            return None
    repeating = DOTTED.match(text, position) if "\\dot" in text else None
    if repeating and (full := DOTTED_FULL.match(text, position)):
        return _dotted(full.group(1), full.group(2) or ""), full.end()
    if "(" in text or "\\" in text:
        barred = BARRED.match(text, position)
        if barred:
            whole, still, period, bracketed = barred.groups()
            return _repeating(whole, still, period or bracketed), barred.end()
        cut = CUT_OFF.match(text, position)
        if cut:
            return _cut_off(cut.group(1)), cut.end()
    elif ".." in text and (cut := CUT_OFF.match(text, position)):
        return _cut_off(cut.group(1)), cut.end()
    if ("e" in text or "E" in text) and (scientific := SCIENTIFIC.match(text, position)):
        number, power = plain_number(scientific.group(1)), int(scientific.group(2))
        scale = fmpq(10) ** power
        places = (number.places or 0) - power
        return Num(number.value * scale, places if places > 0 else None, number.digits), scientific.end()
    for pattern, drop, decimal in _patterns(marks):
        grouped = pattern.match(text, position)
        if grouped:
            if pattern is BLANK_GROUPS and found and found[-1].kind == "num":
                continue
            digits = (
                re.sub(drop, "", grouped.group()).replace(decimal, ".")
                if drop
                else grouped.group().replace(decimal, ".")
            )
            return plain_number(digits), grouped.end()
    plain = PLAIN.match(text, position)
    if plain is None:
        return None
    return plain_number(plain.group()), plain.end()


@cache
def _patterns(marks: Marks) -> tuple[tuple[re.Pattern[str], str, str], ...]:
    patterns: list[tuple[re.Pattern[str], str, str]] = [(APOSTROPHE_GROUPS, "'", ".")]
    if marks.blank_groups and marks.comma == "decimal":
        patterns.append((BLANK_GROUPS_COMMA, r"[ ~\\,](?=\d{3})(?<!\d,)|\\", ","))
    if marks.blank_groups:
        patterns.append((BLANK_GROUPS, r"[ ~\\,](?=\d{3})|\\", ","))
    if marks.comma == "group":
        patterns.append((COMMA_GROUPS, ",", "."))
    if marks.comma == "decimal":
        patterns.append((DOT_GROUPS_SURE, r"\.", ","))
        if marks.dot_groups:
            patterns.append((DOT_GROUPS, r"\.", ","))
        patterns.append((COMMA_DECIMAL, "", ","))
    return tuple(patterns)


def plain_number(digits: str) -> Num:
    """A decimal such as 12 or 3.50, with what it states: places and significant digits."""
    whole, point, fraction = digits.partition(".")
    if len(digits) > MAX_DIGITS:
        raise Unread("a number with more digits than the bound")
    if not point:
        return Num(fmpq(_integer(whole)))
    significant = len((whole + fraction).lstrip("0"))
    return Num(fmpq(_integer(whole + fraction), fmpz(10) ** len(fraction)), len(fraction), significant)


def _integer(digits: str) -> fmpz:
    return fmpz(digits or "0")


def _repeating(whole: str, still: str, period: str) -> Num:
    if len(whole) + len(still) + len(period) > MAX_DIGITS:
        raise Unread("a number with more digits than the bound")
    before, scale = _integer(whole + still), fmpz(10) ** len(still)
    return Num(fmpq(before, scale) + fmpq(_integer(period), scale * (fmpz(10) ** len(period) - 1)))


def _dotted(whole: str, fraction: str) -> Num:
    """Dots over the first and last digit of the period; over one digit: that digit alone."""
    plain_whole = re.sub(r"\D", "", whole)
    digits: list[str] = []
    dotted: list[int] = []
    for piece in re.finditer(r"\\dot\s*\{(\d+)\}|\\dot\s*(\d)|(\d)", fraction):
        over = piece.group(1) or piece.group(2)
        if over:
            dotted += [len(digits), len(digits) + len(over) - 1]
            digits.extend(over)
        else:
            digits.append(piece.group(3))
    if not dotted:
        return plain_number(plain_whole + ("." + "".join(digits) if digits else ""))
    first, last = min(dotted), max(dotted)
    return _repeating(plain_whole, "".join(digits[:first]), "".join(digits[first : last + 1]))


def _cut_off(digits: str) -> Num:
    """0.333… is 1/3 where a period shows twice or more; else a number cut off after its digits."""
    whole, _, fraction = digits.replace(",", ".").partition(".")
    for size in range(1, len(fraction) // 2 + 1):
        period = fraction[-size:]
        times = 1
        while fraction.endswith(period * (times + 1)):
            times += 1
        if times >= (3 if size == 1 else 2) or (times == 2 and len(fraction) == 2):
            still = fraction[: len(fraction) - size * times]
            return _repeating(whole, still, period)
    number = plain_number(f"{whole}.{fraction}")
    return Num(number.value, number.places, number.digits, cut=True)
