"""LaTeX commands → tokens: functions, operators, relations, Greek letters, and what only looks."""

from __future__ import annotations

from covary.mathematics.token import Token

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


def command(name: str, spaced: bool, found: list[Token]) -> None:
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
