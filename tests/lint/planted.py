"""Sets with one planted fault each: (rule, what is changed in which form). Every fault is told by its rule and field."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from covary import schema
from covary.digest import canonical_json, item_id
from covary.items.draw import draw

Row = dict[str, Any]
Plant = Callable[[list[Row]], None]


def clean_set() -> list[Row]:
    """Four languages of a few bundled problems, and multiple choice and solutions made of them; no fault in any."""
    rows = draw(11, 1, ("en", "fr", "bn", "tr")).to_dicts()
    numbers = [row for row in rows if row["answer_type"] == "Numerical" and row["target"].strip("-").isdigit()]
    kept = {row["source_id"] for row in numbers[:32]}
    for kind in ("Proof", "Symbolic"):
        kept |= {row["source_id"] for row in [row for row in rows if row["answer_type"] == kind][:8]}
    rows = [row for row in rows if row["source_id"] in kept]
    return [
        *rows,
        *(choice(row) for row in rows[-40:]),
        *(solution(row) for row in rows[-40:] if row["language"] == "en"),
    ]


def choice(row: Row) -> Row:
    """A multiple-choice form: the answer is option B."""
    zero = {"bn": "০১২৩৪৫৬৭৮৯"}.get(row["language"], "0123456789")
    texts = [text.translate(str.maketrans("0123456789", zero)) for text in ("1001", "2002", "3003", "4004")]
    variant = {"format": "mcq", "language": row["language"]}
    facts = json.loads(row["meta"]) | {"exact_answer": texts[1]}
    return remade(
        row, variant, format="mcq", options=texts, target="B", solution=None, meta=canonical_json(facts).decode()
    )


def solution(row: Row) -> Row:
    """A faulty solution that ends with the answer, and keeps the true one beside it."""
    variant = {"format": "solution", "language": row["language"], "perturbation": "strategy-1"}
    facts = {
        "true_solution": row["solution"],
        "exact_answer": row["target"],
        "faulty": True,
        "error_description": "a step is lost",
    }
    lines = row["solution"].splitlines()
    shown = "\n".join(["We begin.", *lines[:-1], row["target"]])
    return remade(
        row, variant, format="solution", perturbation="strategy-1", solution=shown, meta=canonical_json(facts).decode()
    )


def remade(row: Row, variant: Mapping[str, str], **changed: Any) -> Row:
    """The row as another form."""
    named = {"variant": canonical_json(dict(variant)).decode(), "item_id": item_id(row["source_id"], variant)}
    return {**row, **named, **changed}


def frame(rows: list[Row]) -> pl.DataFrame:
    """Rows as an items frame."""
    return schema.ITEMS.from_rows({name: row[name] for name in schema.ITEMS.schema} for row in rows)


def first(rows: list[Row], form: str = "open", language: str = "fr", kind: str = "") -> Row:
    """The first row of a format, language and answer type."""
    return next(
        row
        for row in rows
        if row["format"] == form and row["language"] == language and kind in ("", row["answer_type"])
    )


def edit(field: str, change: Callable[[str], str], form: str = "open", language: str = "fr", kind: str = "") -> Plant:
    """A plant that changes one text of one row."""

    def plant(rows: list[Row]) -> None:
        row = first(rows, form, language, kind)
        row[field] = change(row[field])

    return plant


def say(change: Callable[[dict[str, Any]], None], form: str = "open", language: str = "fr") -> Plant:
    """A plant that changes the meta facts of one row."""

    def plant(rows: list[Row]) -> None:
        row = first(rows, form, language)
        facts = json.loads(row["meta"])
        change(facts)
        row["meta"] = canonical_json(facts).decode()

    return plant


def with_english(question: str, other: str, language: str = "fr", targets: tuple[str, str] = ("", "")) -> Plant:
    """A plant that gives the English form and another one new questions (and targets)."""

    def plant(rows: list[Row]) -> None:
        english = first(rows, "open", "en")
        form = next(
            row
            for row in rows
            if row["source_id"] == english["source_id"] and row["language"] == language and row["format"] == "open"
        )
        for row, text, target in ((english, question, targets[0]), (form, other, targets[1])):
            row["question"] = text
            if target:
                row["target"] = row["solution"] = target

    return plant


def options(change: Callable[[list[str]], list[str]], language: str = "en") -> Plant:
    """A plant that changes the options of one multiple-choice row."""

    def plant(rows: list[Row]) -> None:
        row = first(rows, "mcq", language)
        row["options"] = change(list(row["options"]))

    return plant


def twice(target: str) -> Plant:
    """A plant that asks one question in two problems."""

    def plant(rows: list[Row]) -> None:
        one, *rest = [row for row in rows if row["language"] == "en" and row["format"] == "open"]
        other = next(row for row in rest if row["source_id"] != one["source_id"])
        other["question"], other["target"] = one["question"], target or one["target"]

    return plant


def of_type(kind: str, wanted: str, question: str, target: str) -> Plant:
    """A plant that gives the forms of a problem another answer type, and its English form a question and a target."""

    def plant(rows: list[Row]) -> None:
        row = first(rows, "open", "en", kind)
        for form in rows:
            if form["source_id"] == row["source_id"]:
                form["answer_type"] = wanted
        row["question"] = question or row["question"]
        row["target"] = row["solution"] = target or row["target"]

    return plant


def _numbered(rows: list[Row]) -> None:
    open_rows = [row for row in rows if row["language"] == "en" and row["format"] == "open"]
    for row in open_rows[:2]:
        row["meta"] = canonical_json(json.loads(row["meta"]) | {"chapter": "1", "example": "7"}).decode()


def _key(rows: list[Row]) -> None:
    for row in rows:
        if row["format"] == "mcq":
            row["target"] = "E"
            return


def _moved(rows: list[Row]) -> None:
    row = first(rows, "mcq", "fr")
    row["target"], row["options"] = "A", [row["options"][1], row["options"][0], *row["options"][2:]]


def _all_keys_b(rows: list[Row]) -> None:
    model = first(rows, "mcq", "en")
    for number in range(60):
        twin = remade({**model, "source_id": f"twin-{number}"}, json.loads(model["variant"]))
        rows.append({**twin, "question": f"{model['question']} {number}"})


PLANTS: tuple[tuple[str, Plant], ...] = (
    ("escape-damage", edit("solution", lambda text: text + "\n$3 \times 4$ and $\frac{1}{2}$\n0")),
    ("carriage-return", edit("question", lambda text: text.replace(" ", "\r\n", 1))),
    ("tab", edit("question", lambda text: text.replace(" ", " \t ", 1))),
    ("replacement-character", edit("question", lambda text: text + " \ufffd")),
    ("c1-control", edit("question", lambda text: text + " \x98")),
    ("zero-width", edit("question", lambda text: text[:4] + "\u200b" + text[4:])),
    ("not-nfc", edit("question", lambda text: text + " e\u0301te\u0301")),
    (
        "mixed-digits",
        edit("question", lambda text: text.translate(str.maketrans("০১২৩৪৫৬৭৮৯", "0123456789")), language="bn"),
    ),
    ("odd-dollars", edit("question", lambda text: text + " $x")),
    ("unbalanced-braces", edit("question", lambda text: text + " $x^{2$")),
    ("list-scrap", edit("question", lambda text: "\\item " + text)),
    ("document-scrap", edit("question", lambda text: "\\usepackage{amsmath} " + text)),
    ("unpaired-environment", edit("solution", lambda text: "\\begin{array}{c} 1\n" + text)),
    ("markup", edit("target", lambda text: f"<math><mn>{text}</mn></math>")),
    ("byte-token", edit("target", lambda text: "<0xC3>" + text)),
    (
        "bare-latex",
        lambda rows: [
            edit("target", lambda _: "\\frac{1}{2}", language="tr")(rows),
            edit("target", lambda text: f"${text}$", language="tr", kind="Symbolic")(rows),
            None,
        ][-1],
    ),
    ("label-language", say(lambda facts: facts.update(language_label="Bangla"))),
    ("label-script", say(lambda facts: facts.update(chapter="৪.2"))),
    ("label-blanks", say(lambda facts: facts.update(answer_type_label="numerical "))),
    ("key-collision", _numbered),
    ("labels-differ", edit("answer_type", lambda kind: "Symbolic" if kind != "Symbolic" else "Numerical")),
    (
        "other-problem",
        with_english("Solve $3^{2x-2}-5 \\cdot 3^{x-2}-66=0$.", "Résoudre $\\sqrt{y+7}=\\sqrt{4}+\\log_8 9$."),
    ),
    ("duplicate-question", twice("")),
    ("conflicting-targets", twice("987654")),
    ("numbers-differ", with_english("A class of 7 pays 500 taka.", "Une classe de 4 paie 500 taka.")),
    ("number-restated", with_english("A class of 7 pays 500 taka.", "Une classe de sept paie 500 taka.")),
    (
        "target-numbers-differ",
        with_english("How many, and how much?", "Combien, et quelle somme ?", targets=("20 ,40,000", "20 400 000")),
    ),
    ("number-order", with_english("Which part?", "Quelle part ?", targets=("\\frac{3}{4}", "\\frac{4}{3}"))),
    ("decimal-mark", with_english("How long?", "Quelle longueur ?", targets=("2.5", "2.5"))),
    ("comma-ambiguous", with_english("How long?", "Quelles longueurs ?", targets=("16, 40.65", "16, 40,65"))),
    ("list-blank-lost", with_english("Which two?", "Lesquels ?", targets=("70, 28", "70,28"))),
    ("list-blank-lost", with_english("Which two?", "Lesquels ?", targets=("8.75, 3.2", "8,75,3,2"))),
    ("repeating-mark-moved", with_english("Divide $8.\\dot{3}\\dot{4}$.", "Diviser $8,3\\dot{4}$.")),
    ("decimal-mark-lost", with_english("A rope is 12.5 m long.", "Une corde mesure 125 m.")),
    ("decimal-mark-lost", with_english("How much?", "Combien ?", targets=("7", "0,7"))),
    ("mixed-number-changed", with_english("Add $1\\frac{1}{2}$ l.", "Ajouter $\\frac{11}{2}$ l.")),
    ("mixed-number-changed", with_english("How long?", "কত দীর্ঘ?", "bn", targets=("3\\frac{3}{4}", "৩৩/৪"))),
    ("date-differs", with_english("It opens on March 5, 2021.", "Il ouvre le 15 mars 2021.")),
    ("date-differs", with_english("It opens on 2021-03-05.", "৫ এপ্রিল ২০২১ তারিখে খোলে।", "bn")),
    ("repeating-mark-lost", with_english("Write as a decimal.", "Écrire en décimal.", targets=("0.2\\dot{7}", "0,27"))),
    ("word-for-digit", with_english("How many?", "Combien ?", targets=("6", "six"))),
    ("formulas-differ", with_english("Factorise $x^2+4x^2+x-6$.", "Factoriser $5x^2+4x^2+2x-6$.")),
    (
        "translator-chatter",
        edit("question", lambda text: f"Voici la traduction de la question en français :\n\n{text}"),
    ),
    (
        "source-left",
        with_english("Find the value of the sum of 3 and 4.", "Find the value of the sum of 3 and 4. Calculer 3 et 4."),
    ),
    ("source-words", with_english("Prove that the sum is $7$.", "Prove that the vaut $7$.")),
    (
        "second-copy",
        edit(
            "question",
            lambda text: (
                f"{text}\n{text}" if len(text) > 60 else f"{text} Donner la valeur exacte de la somme demandée.\n" * 2
            ),
        ),
    ),
    ("target-in-question", of_type("Proof", "Proof", "Prove that $a^2-b^2=(a-b)(a+b)$.", "$a^2-b^2=(a-b)(a+b)$")),
    ("bare-proof-target", of_type("Proof", "Proof", "", "42")),
    ("proof-not-asked", of_type("Proof", "Proof", "Simplify $x+x$.", "")),
    ("proof-asked", of_type("Numerical", "Numerical", "Prove that the sum of 3 and 4 is 7.", "")),
    ("absent-figure", edit("question", lambda text: "In the figure, the line is long. " + text, language="en")),
    ("several-parts", edit("question", lambda text: "1) Find x. 2) Find y. " + text, language="en", kind="Numerical")),
    (
        "several-parts",
        edit("question", lambda _: "Find the tenth term. Find the sum of 5 terms.", language="en", kind="Numerical"),
    ),
    ("target-not-concluded", edit("target", lambda text: "987653", kind="Numerical")),
    ("key-missing", _key),
    ("repeated-option", options(lambda texts: [texts[0], texts[1], texts[0], texts[3]])),
    ("key-wrong", options(lambda texts: [texts[0], "2003", *texts[2:]])),
    ("key-not-target", options(lambda texts: [texts[0], "2002.0", *texts[2:]])),
    ("second-right-option", options(lambda texts: [*texts[:3], "4004/2"])),
    ("near-distractor", options(lambda texts: [*texts[:3], "2002.005"])),
    ("near-values", options(lambda texts: ["1", "{2, 3}", "5", "{2.001, 3}"])),
    ("equal-in-value", options(lambda texts: ["x", "(x+1)(x-1)", "5", "x^2-1"])),
    ("dollar-give-away", options(lambda texts: [texts[0], f"${texts[1]}$", *texts[2:]])),
    ("key-give-away", options(lambda texts: [texts[0], f"${texts[1]}$", *texts[2:]])),
    ("fallback-distractor", options(lambda texts: ["undefined", *texts[1:]])),
    ("key-position", _all_keys_b),
    ("options-differ", _moved),
    ("last-line", edit("solution", lambda text: text + "\nThe end.", "solution", "en")),
    ("last-line-strict", edit("solution", lambda text: text + ".", "solution", "en")),
    ("meta-words", edit("solution", lambda text: "(Step omission here.)\n" + text, "solution", "en")),
    (
        "unchanged",
        lambda rows: first(rows, "solution", "en").update(
            solution=json.loads(first(rows, "solution", "en")["meta"])["true_solution"]
        ),
    ),
    (
        "untranslated",
        edit("question", lambda text: text + " The length of the garden is greater than the breadth of the house."),
    ),
)
