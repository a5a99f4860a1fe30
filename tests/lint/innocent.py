"""What looks like a fault and is none: the false examples of docs/lint.md, as (rule, plant)."""

from __future__ import annotations

from tests.lint.planted import Plant, edit, of_type, options, say, twice, with_english

INNOCENT: tuple[tuple[str, Plant], ...] = (
    ("escape-damage", edit("question", lambda text: text + "\tand")),
    ("carriage-return", edit("solution", lambda text: "a\nb\n" + text)),
    ("tab", edit("question", lambda text: text + " L.H.S. = 1")),
    ("replacement-character", edit("question", lambda text: text + " café")),
    ("c1-control", edit("question", lambda text: text + " ˜")),
    ("zero-width", edit("question", lambda text: text + " র\u200cয", language="bn")),
    ("not-nfc", edit("question", lambda text: text + " é")),
    ("mixed-digits", edit("question", lambda text: text + " ১ম পদ", language="bn")),
    ("odd-dollars", edit("question", lambda text: text + " \\$5 for $x$ kg")),
    ("unbalanced-braces", edit("question", lambda text: text + " $\\{1, 2$")),
    ("list-scrap", edit("solution", lambda text: "\\item " + text)),
    ("document-scrap", edit("solution", lambda text: "$\\begin{array}{c} 1 \\end{array}$\n" + text)),
    ("unpaired-environment", edit("solution", lambda text: "$\\begin{array}{c} 1 \\end{array}$\n" + text)),
    ("markup", edit("question", lambda text: text + " $a < b$ and $c>d$")),
    ("byte-token", edit("question", lambda text: text + " 0xCC")),
    ("bare-latex", edit("target", lambda _: "\\frac{1}{2}", language="tr")),
    ("label-language", say(lambda facts: facts.update(language_label="French"))),
    ("label-script", say(lambda facts: facts.update(chapter="4.2"))),
    ("label-blanks", say(lambda facts: facts.update(answer_type_label="Numerical"))),
    ("conflicting-targets", twice("")),
    (
        "key-collision",
        lambda rows: [
            say(lambda facts: facts.update(chapter="1", example="7"), language=code)(rows) for code in ("en", "fr")
        ][-1],
    ),
    (
        "labels-differ",
        lambda rows: [
            say(lambda facts: facts.update(chapter="4.2"), language="en")(rows),
            say(lambda facts: facts.update(chapter="৪.2"), language="bn")(rows),
            None,
        ][-1],
    ),
    ("other-problem", with_english("Find $\\frac{1}{2}+\\frac{1}{3}$.", "Calculer $1/2 + 1/3$.")),
    ("duplicate-question", with_english("Find $x$ if $x = 2$.", "Find $x$ if $x = 2$.")),
    ("numbers-differ", with_english("A town of 1,00,000 people.", "Une ville de 100 000 personnes.")),
    ("numbers-differ", with_english("A class of 7 pays 500 taka.", "৭ জনের শ্রেণি ৫০০ টাকা দেয়।", "bn")),
    ("numbers-differ", with_english("A class of seven pays 500 taka.", "Une classe de 7 paie 500 taka.")),
    ("number-restated", with_english("A class of 7.", "৭ জনের শ্রেণি।", "bn")),
    ("target-numbers-differ", with_english("How long?", "Quelle longueur ?", targets=("2.5", "2,5"))),
    ("number-order", with_english("Write the sum.", "Écrire la somme.", targets=("$3a+2b$", "$2b+3a$"))),
    ("decimal-mark", with_english("How long?", "Quelle longueur ?", targets=("2.5", "2,5"))),
    ("comma-ambiguous", with_english("How long?", "Quelles longueurs ?", targets=("16, 40.65", "16; 40,65"))),
    ("list-blank-lost", with_english("Which two?", "Lesquels ?", targets=("70, 28", "70, 28"))),
    ("repeating-mark-lost", with_english("Divide.", "Diviser.", targets=("0.\\dot{2}\\dot{7}", "0,\\overline{27}"))),
    ("repeating-mark-lost", with_english("Divide.", "Diviser.", targets=("0.\\dot{2}\\dot{7}", "0,(27)"))),
    ("repeating-mark-moved", with_english("Divide $0.\\dot{1}88\\dot{1}$.", "Diviser $0,\\overline{1881}$.")),
    ("decimal-mark-lost", with_english("A rope is 12.5 m long.", "Une corde mesure 12,5 m.")),
    ("mixed-number-changed", with_english("Add $1\\frac{1}{2}$ l.", "Ajouter $\\frac{3}{2}$ l.")),
    ("mixed-number-changed", with_english("Add $1\\frac{1}{2}$ l.", "Ajouter 1½ l.")),
    ("mixed-number-changed", with_english("Add $1\\frac{1}{2}$ l.", "Ajouter 1,5 l.")),
    ("date-differs", with_english("It opens on March 5, 2021.", "Il ouvre le 5.3.2021.")),
    ("date-differs", with_english("It opens on March 5, 2021.", "Il ouvre le 5 mars 2021.")),
    ("word-for-digit", with_english("How many?", "Combien ?", targets=("2", "{2}"))),
    ("formulas-differ", with_english("Simplify $\\frac{a}{b}+c$.", "Simplifier $a/b+c$.")),
    ("formulas-differ", with_english("Simplify $a-b+c$.", "Simplifier $c+a-b$.")),
    ("translator-chatter", edit("solution", lambda text: "On traduit les conditions par une équation.\n" + text)),
    ("source-left", edit("question", lambda text: text + " University of Dhaka")),
    ("source-words", edit("question", lambda text: text + " Dhaka")),
    ("second-copy", with_english("Collect: $3x$, $5x$, $7x$.", "Réunir : $3x$, $5x$, $7x$.")),
    ("untranslated", edit("question", lambda text: text + " Venn")),
    ("target-not-concluded", of_type("Numerical", "Numerical", "Find half of 1.", "\\frac{1}{2}")),
    ("target-in-question", of_type("Proof", "Proof", "Prove that $a=b$.", "Both sides are 1")),
    ("bare-proof-target", of_type("Proof", "Proof", "", "$x^4 = 322$")),
    ("proof-not-asked", of_type("Proof", "Proof", "State with arguments whether $3$ divides $12$.", "")),
    ("proof-asked", of_type("Numerical", "Numerical", "Find $3+4$ and show it in a diagram.", "")),
    ("absent-figure", edit("question", lambda text: text + " Draw a line.", language="en")),
    ("several-parts", edit("question", lambda _: "Expand and simplify.", language="en", kind="Numerical")),
    ("key-missing", edit("target", lambda _: "D", "mcq", "en")),
    ("key-wrong", options(lambda texts: [texts[0], "4004/2", *texts[2:]])),
    ("key-not-target", options(lambda texts: [texts[0], "$2002$", *texts[2:]])),
    ("repeated-option", options(lambda texts: ["1344", texts[1], "1345", texts[3]])),
    ("second-right-option", options(lambda texts: [*texts[:3], "4006/2"])),
    ("equal-in-value", options(lambda _: ["x", "(x+1)(x-1)", "5", "x^2+1"])),
    ("near-distractor", options(lambda texts: [*texts[:3], "2002.5"])),
    ("near-values", options(lambda _: ["1", "{2, 3}", "5", "{2.5, 3}"])),
    ("dollar-give-away", options(lambda texts: [f"${text}$" for text in texts])),
    ("key-give-away", options(lambda texts: [f"${text}$" for text in texts])),
    ("fallback-distractor", options(lambda texts: ["undefined", "no solution", *texts[2:]])),
    (
        "options-differ",
        options(lambda texts: [text.translate(str.maketrans("০১২৩৪", "01234")) for text in texts], "bn"),
    ),
    ("last-line", edit("solution", lambda text: _dollars(text), "solution", "en")),
    ("meta-words", edit("solution", lambda text: "The sum is 8.\n" + text, "solution", "en")),
    ("unchanged", edit("solution", lambda text: "One more line.\n" + text, "solution", "en")),
)


def _dollars(solution: str) -> str:
    """The last line as a formula."""
    *lines, last = solution.splitlines()
    return "\n".join([*lines, last if "$" in last else f"${last}$"])
