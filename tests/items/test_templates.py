"""Every bundled template asks a question with one exact answer, and every formula that it shows is true."""

from __future__ import annotations

import math
import re
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from tests.items.formula_check import chains

from covary.errors import DataError
from covary.items import arithmetic, render
from covary.items.draw import distinct_draws, item_row
from covary.items.languages import BUNDLED, language
from covary.items.template import PLACEHOLDER, bundled_templates, load_wordings, read_templates, step_wordings

TEMPLATES = bundled_templates()
BY_ID = pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)
DRAWS = 25

# MathMist, table of corpus statistics: the 14 cells
CELLS = {
    *(("Numerical", domain) for domain in ("Algebra", "Arithmetic", "Measurements", "Trigonometry", "Word Problem")),
    *(("Numerical", "Probability"), ("Numerical", "Series"), ("Symbolic", "Algebra"), ("Symbolic", "Measurements")),
    *(("Proof", domain) for domain in ("Algebra", "Measurements", "Combinatorics", "Number Theory", "Others")),
}


def polynomial(*coefficients: int) -> str:
    """A polynomial in x from its coefficients, highest first, as the templates write it."""
    written = ""
    for power, value in zip(range(len(coefficients) - 1, -1, -1), coefficients, strict=True):
        if value:
            size = "" if abs(value) == 1 and power else str(abs(value))
            name = {0: "", 1: "x"}.get(power, f"x^{power}")
            sign = "-" if value < 0 else "+"
            written += f" {sign} {size}{name}" if written else f"{'-' if value < 0 else ''}{size}{name}"
    return written


def pairs_below(count: int) -> int:
    return sum(1 for _ in combinations(range(count), 2))


def cards(a: int, b: int, k: int) -> Fraction:
    n = a * b * k
    return Fraction(sum(1 for card in range(1, n + 1) if card % a == 0 or card % b == 0), n)


def balls(r: int, b: int) -> Fraction:
    bag = ["red"] * r + ["blue"] * b
    both = sum(1 for x, y in combinations(bag, 2) if x == y == "red")
    return Fraction(both, pairs_below(r + b))


def hypotenuse(a: int, b: int) -> int:
    return round(math.hypot(a, b))


def factor(p: int, q: int) -> str:
    def bracket(root: int) -> str:
        return f"(x {'-' if root < 0 else '+'} {abs(root)})"

    return bracket(p) + bracket(q)


def decimal(value: Fraction) -> str:
    text = f"{float(value):.6f}".rstrip("0").rstrip(".")
    assert Fraction(text) == value
    return text


# The answer to each template, worked out again from the drawn numbers by another route (counting, searching, geometry).
ANSWERS = {
    "numerical-algebra-plank": lambda a, x, b: next(n for n in range(1000) if a * n + b == a * x + b),
    "numerical-algebra-two-ropes": lambda y, d: next(n for n in range(500) if n + (n - d) == 2 * y + d),
    "numerical-algebra-larger-root": lambda p, q: max(n for n in range(-50, 50) if n * n - (p + q) * n + p * q == 0),
    "numerical-arithmetic-grain-left": lambda h, p: Fraction(20 * h) * Fraction(100 - p, 100),
    "numerical-arithmetic-two-jobs": lambda a, b, c, d: Fraction(a, b) + Fraction(c, d),
    "numerical-arithmetic-crate": lambda k, n, e: decimal(Fraction(sum([k] * n) + e, 10)),
    "numerical-measurements-rectangle-area": lambda w, **side: sum(side["l"] for _ in range(w)),
    "numerical-measurements-tank-volume": lambda i, j, k: decimal(
        Fraction(i) * j * Fraction(5 * k, 10)
    ),  # in decimetres
    "numerical-measurements-triangle-perimeter": lambda m, n, k: (
        (a := k * (m * m - n * n)) + (b := 2 * k * m * n) + hypotenuse(a, b)
    ),
    "numerical-trigonometry-adjacent-leg": lambda m, n, k: 2 * k * m * n,  # the third side of the triple
    "numerical-trigonometry-triangle-area": lambda i, j, g: i * j,  # a·b/4 with a = 2i, b = 2j
    "numerical-trigonometry-tower": lambda k, p, q, e: decimal(Fraction(k * p) + Fraction(e, 10)),
    "numerical-word-problem-two-trains": lambda i, j, t: 5 * i * t,
    "numerical-word-problem-sacks": lambda a, c, n, k: next(
        large for large in range(n + 1) if a * large + c * (n - large) == a * k + c * (n - k)
    ),
    "numerical-word-problem-water-tank": lambda p, q, r, t: next(
        minute for minute in range(1, 100) if (p + q - r) * minute == (p + q - r) * t
    ),
    "numerical-probability-two-balls": balls,
    "numerical-probability-numbered-cards": cards,
    "numerical-probability-two-alarms": lambda p, q: decimal(p + q - Fraction(p * q, 100)),
    "numerical-series-training-days": lambda a, d, n: sum(a + day * d for day in range(n)),
    "numerical-series-growing-pieces": lambda a, q, n: sum(a * q**part for part in range(n)),
    "numerical-series-endless-path": lambda p, q, k: q * k,  # x = a + (p/q)·x with a = (q - p)k
    "symbolic-algebra-factorise": factor,
    "symbolic-algebra-difference-of-squares": lambda a, b, c, d: polynomial(
        (a - c) * (a + c), (a - c) * (b + d) + (a + c) * (b - d), (b - d) * (b + d)
    ),
    "symbolic-algebra-composition": lambda a, b, c, d: polynomial(a * c, a * d + b),
    "symbolic-measurements-plate-with-hole": lambda a, b: polynomial(a + b, a * b),
    "symbolic-measurements-cuboid-surface": lambda a, b, c: polynomial(
        sum(x * y for x in (a, b, c) for y in (a, b, c)) - a * a - b * b - c * c, 0, 0
    ),
    "symbolic-measurements-ring-area": lambda a, b: f"{(a - b) * (a + b)}\\pi x^2",
    "proof-algebra-least-value": lambda h, b: f"(x - {h})^2 + {b} \\ge {b}",
    "proof-algebra-sum-of-squares": lambda e, f: f"x^2 + y^2 = {e + f}^2 - 2 \\cdot {e * f} = {e * e + f * f}",
    "proof-algebra-constant-difference": lambda a, b, k: f"f(x + {k}) - f(x) = {a * (7 + k) + b - (a * 7 + b)}",
    "proof-measurements-right-angle": lambda m, n, k: (
        f"{(a := k * (m * m - n * n))}^2 + {(b := 2 * k * m * n)}^2 = {a * a + b * b} = {hypotenuse(a, b)}^2"
    ),
    "proof-measurements-equal-areas": lambda m, n, k: (
        f"{k * m * m} \\cdot {k * n * n} = {math.isqrt(k * m * m * k * n * n)}^2 = {k * m * m * k * n * n}"
    ),
    "proof-measurements-path-around-garden": lambda b, w, **side: (
        f"{side['l'] + 2 * w} \\cdot {b + 2 * w} - {side['l']} \\cdot {b} = {2 * w * (side['l'] + b) + 4 * w * w}"
    ),
    "proof-measurements-largest-rectangle": lambda q: (
        f"x({2 * q} - x) = {max(x * (2 * q - x) for x in range(2 * q))} - (x - {q})^2 \\le {q * q}"
    ),
    "proof-combinatorics-boxes": lambda k, q, r: f"{k} \\cdot {q} = {k * q} < {k * q + r}",
    "proof-combinatorics-segments": lambda n, k: f"\\frac{{{n} \\cdot {n - 1}}}{{2}} - {k} = {pairs_below(n) - k}",
    "proof-combinatorics-subsets": lambda r, n: (
        f"\\binom{{{n}}}{{{r}}} = \\binom{{{n}}}{{{n - r}}} = {sum(1 for _ in combinations(range(n), r))}"
    ),
    "proof-number-theory-divisible-difference": lambda a, b: f"(n + {a})^2 - (n - {b})^2 = {a + b}(2n + {a - b})",
    "proof-number-theory-square-remainder": lambda m, r: (
        f"n^2 = {m}({m}k^2 + {r + r}k + {divmod(r * r, m)[0]}) + {pow(r, 2, m)}"
    ),
    "proof-number-theory-irreducible": lambda a, d: f"{a * d + 1}({a}n + 1) - {a}({a * d + 1}n + {d}) = 1",
    "proof-others-common-elements": lambda a, b, i: f"|A \\cap B| = {a} + {b} - {a + b - i} = {i}",
    "proof-others-perpendicular-vectors": lambda a, b, k: (
        f"\\vec{{u}} \\cdot \\vec{{v}} = {a * k * b} - {b * k * a} = 0"
    ),
    "proof-others-commuting-functions": lambda a, c, k: (
        f"f(g(x)) = {a * c}x + {k * (a * c - 1)} = g(f(x))"  # both sides are (x + k)·a·c - k
    ),
}


def test_each_of_the_fourteen_cells_has_at_least_three_templates() -> None:
    count = Counter((template.answer_type, template.domain) for template in TEMPLATES)
    assert set(count) == CELLS
    assert min(count.values()) >= 3


@BY_ID
def test_a_template_gives_at_least_100_distinct_problems(template) -> None:
    draws = [tuple(drawn.parameters.items()) for drawn in distinct_draws(template, 5, 100)]
    assert len(set(draws)) == 100


@BY_ID
def test_the_target_is_what_another_calculation_gives(template) -> None:
    for drawn in distinct_draws(template, 11, DRAWS):
        expected = ANSWERS[template.id](**drawn.parameters)
        assert render.target(drawn, language("en")) == str(expected)


@BY_ID
def test_every_formula_of_the_solution_is_true(template) -> None:
    read = 0
    for drawn in distinct_draws(template, 13, 10):
        for step in template.step:
            found = chains(render.formula(step.show, drawn.values, language("en")), point(drawn))
            read += len(found)
            assert all(found), render.formula(step.show, drawn.values, language("en"))
    assert read >= 2 * 10, "at least two relations of each solution can be read"


@pytest.mark.parametrize("template", [t for t in TEMPLATES if t.answer_type == "Proof"], ids=lambda t: t.id)
def test_the_target_of_a_proof_is_true_and_the_question_does_not_state_it(template) -> None:
    for drawn in distinct_draws(template, 17, 10):
        for code in BUNDLED:
            target, asked = render.target(drawn, language(code)), render.question(drawn, language(code))
            assert _bare(target) not in _bare(asked)
            # nor any part of the target that is itself a relation
            for part in re.findall(r"[^=<]+[=<][^=<]+", _bare(target)):
                assert part not in _bare(asked)
        assert all(chains(render.target(drawn, language("en")), point(drawn)))


@BY_ID
def test_a_solution_has_at_least_three_steps_and_ends_with_the_target(template) -> None:
    assert len(template.step) >= 3
    if template.answer_type == "Numerical":
        used = {name for name, _ in PLACEHOLDER.findall(template.target)}
        assert used == {template.step[-1].result} or used <= {step.result for step in template.step}
    drawn = next(distinct_draws(template, 3, 1))
    row = item_row(drawn, language("en"), 3)
    assert row["solution"].split("\n")[-1] == row["target"]


@BY_ID
@pytest.mark.parametrize("code", BUNDLED)
def test_all_languages_show_the_same_numbers(template, code) -> None:
    for drawn in distinct_draws(template, 19, 5):
        assert _numbers(render.question(drawn, language(code)), code) == _numbers(
            render.question(drawn, language("en")), "en"
        )
        for mine, english in zip(render.steps(drawn, language(code)), render.steps(drawn, language("en")), strict=True):
            assert _numbers(mine, code) == _numbers(english, "en")


@pytest.mark.parametrize("code", BUNDLED)
def test_every_sentence_has_two_wordings_in_every_language_and_no_number(code) -> None:
    for key, entry in step_wordings().items():
        assert len(set(entry[code])) == 2, key
        assert not re.search(r"\d", re.sub(r"\$[^$]*\$", "", "".join(entry[code]))), key


def test_every_sentence_is_used() -> None:
    assert {step.say for template in TEMPLATES for step in template.step} == set(step_wordings())


@pytest.mark.parametrize("name", ["steps", "remarks", "explanations", "units"])
def test_wordings_are_complete(name) -> None:
    for key, entry in load_wordings(name).items():
        assert set(entry) == set(BUNDLED), key
        marks = {frozenset(re.findall(r"<\w+>", said)) for said in entry.values() for said in [said[0]]}
        assert len(marks) == 1, f"{key}: the marks differ between languages"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('answer_type = "Numerical"', 'answer_type = "Number"'), "answer_type must be one of"),
        (("x = [1, 9]", "x = [1]"), r"draw.x must be \[low, high\]"),
        (("say = ", "sya = "), "unknown field `sya`"),
        (('say = "square-root"', 'say = "squareroot"'), "no wording 'squareroot'"),
        (("<r>'", "<z>'"), "'z' is used before it is drawn"),
        (('r = "x + 1"', 'x = "x + 1"'), "'x' is drawn or derived twice"),
        (('fr = "x"', ""), "the question lacks fr"),
        (('r = "x + 1"', 'r = "__import__(1)"'), "Call is not allowed"),
        (("[m]", "[parsec]"), "unit 'parsec' is not in"),
        (("version = 2", "version = "), "expected TOML"),
    ],
)
def test_a_faulty_template_file_gets_one_line(change, message) -> None:
    step = "[[template.step]]\nsay = \"square-root\"\nshow = '<x>[m]'\n"
    text = (
        'answer_type = "Numerical"\ndomain = "Algebra"\n[[template]]\nid = "t"\nversion = 2\ndraw = { x = [1, 9] }\n'
        + "target = '<r>'\n[template.question]\n"
        + "".join(f'{code} = "x"\n' for code in BUNDLED)
        + step * 2
        + step
        + 'let = { r = "x + 1" }\n'
    )
    assert read_templates(text, "my.toml")[0].id == "t"
    with pytest.raises(DataError, match=message) as caught:
        read_templates(text.replace(*change), "my.toml")
    assert "my.toml" in str(caught.value) and "\n" not in str(caught.value).strip()


def point(drawn) -> dict[str, Fraction]:
    """Unknowns at their values, free letters at arbitrary ones."""
    free = {"x": Fraction(29, 3), "n": Fraction(17), "k": Fraction(5), "pi": Fraction(355, 113)}
    return free | {name: arithmetic.value(said, drawn.values) for name, said in drawn.template.bind.items()}


def _bare(text: str) -> str:
    return re.sub(r"[\s$]", "", text)


def _numbers(text: str, code: str) -> list[str]:
    """Numbers in ascending order, because word order differs; ungrouped, with ASCII digits and a decimal point."""
    spoken = language(code)
    text = text.translate(str.maketrans(spoken.digits, "0123456789"))
    text = re.sub(rf"(?<=\d){re.escape(spoken.group)}(?=\d\d\d|\d\d,)", "", text)
    text = re.sub(rf"(?<=\d){re.escape(spoken.decimal)}(?=\d)", ".", text)
    found = re.findall(
        r"\d+(?:\.\d+)?", re.sub(r"(?<=[a-z])\^[23]|[²³]", "", re.sub(r"\\text\{[^}]*\}(\^\d)?", "", text))
    )
    return sorted(found)
