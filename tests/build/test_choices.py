"""Wrong options by rule: really wrong, unlike each other, in the key's notation, the same in every language."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from covary.build.choices import Weights, build_choices
from covary.build.choices_notation import changed, notation
from covary.build.choices_pools import candidates
from covary.errors import DataError, UsageError
from covary.items.draw import draw
from covary.items.languages import BUNDLED
from covary.items.loading import load_items
from covary.mathematics.equivalence import equivalent


def items(*targets: str, language: str = "en", kind: str = "Numerical", solution: str = "") -> pl.DataFrame:
    rows = [
        {"id": f"q{n}", "question": "Find it.", "target": text, "solution": solution or None, "answer_type": kind}
        for n, text in enumerate(targets)
    ]
    return load_items(rows, "rows", defaults={"language": language})


def wrong(row: dict[str, Any]) -> list[str]:
    return [option for letter, option in zip("ABCDEFGHIJ", row["options"], strict=False) if letter != row["target"]]


@pytest.fixture(scope="module")
def bundled() -> pl.DataFrame:
    return build_choices(draw(0, 1, BUNDLED), seed=5).items


def test_every_bundled_template_that_is_no_proof_gets_its_options_in_seven_languages(bundled: pl.DataFrame) -> None:
    sources = draw(0, 1, ["en"]).filter(pl.col("answer_type") != "Proof")["source_id"].to_list()
    assert sorted(bundled["source_id"].unique()) == sorted(sources)
    assert bundled.height == len(sources) * len(BUNDLED)


def test_the_key_alone_is_right_and_all_options_differ_in_value(bundled: pl.DataFrame) -> None:
    for row in bundled.filter(pl.col("language").is_in(["en", "fi", "bn"])).iter_rows(named=True):
        answer = msgspec.json.decode(row["meta"])["exact_answer"]
        assert row["options"]["ABCDEFGHIJ".index(row["target"])] == answer
        others = wrong(row)
        for at, option in enumerate(others):
            for other in (answer, *others[at + 1 :]):
                verdict = equivalent(option, other, language=row["language"], answer_type=row["answer_type"])
                assert verdict.verdict == "not_equal", (option, other)


def test_order_key_and_kinds_are_the_same_in_all_languages(bundled: pl.DataFrame) -> None:
    for _, forms in bundled.group_by("source_id"):
        assert forms["target"].n_unique() == 1
        kinds = {digest(row) for row in forms.iter_rows(named=True)}
        assert len(kinds) == 1
        values = {
            tuple(values_of(option, row["language"]) for option in row["options"])
            for row in forms.iter_rows(named=True)
        }
        assert len(values) == 1


def digest(row: dict[str, Any]) -> str:
    return str(msgspec.json.decode(row["meta"])["distractors"])


def values_of(text: str, language: str) -> tuple[object, ...]:
    return tuple(place.said for place in notation(text, language).places)


def test_the_same_seed_gives_the_same_options_and_another_seed_others() -> None:
    drawn = draw(0, 1, ["en"])
    first, again, other = (build_choices(drawn, seed=seed).items["options"].to_list() for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_dollar_signs_units_and_words_stay_on_every_option() -> None:
    row = build_choices(items(r"$\frac{3}{4}$ metres", "35.4 cm (approx.)")).items
    for option in row["options"][0]:
        assert re.fullmatch(r"\$-?\\frac\{\d+\}\{\d+\}\$ metres", option)
    for option in row["options"][1]:
        assert re.fullmatch(r"-?\d+(?:\.\d+)? cm \(approx\.\)", option)


def test_a_key_of_nought_works() -> None:
    row = build_choices(items("0")).items.row(0, named=True)
    assert len({Fraction(option) for option in row["options"]}) == 4
    assert row["options"]["ABCD".index(row["target"])] == "0"


def test_sets_intervals_and_expressions_get_options() -> None:
    texts = (r"\{2, 3, 5\}", r"(-\infty, 2] \cup [3, 5]", "x^2 - 5x + 6", r"\sin x + 2", r"1 < x \leq 7", "(3, 4)")
    built = build_choices(items(*texts, kind="Symbolic"))
    assert built.items.height == len(texts), built.flagged
    for row in built.items.iter_rows(named=True):
        key = msgspec.json.decode(row["meta"])["exact_answer"]
        for option in wrong(row):
            assert equivalent(option, key, language="en", answer_type="Symbolic").verdict == "not_equal"


def test_too_few_options_flag_the_item_and_pad_nothing() -> None:
    built = build_choices(items("no solution", "7"))
    assert built.items["source_id"].to_list() == ["q1"]
    assert built.flagged["source_id"].to_list() == ["q0"]
    assert "no number" in built.flagged["reason"][0]
    few = build_choices(items("-(m+n)", kind="Symbolic"), k=9)
    assert few.items.is_empty()
    assert re.fullmatch(r"only \d of 9 wrong options could be made", few.flagged["reason"][0])


def test_a_form_whose_target_says_other_numbers_is_flagged_and_the_rest_goes_on() -> None:
    rows = [
        {"id": "q", "language": "en", "question": "Find it.", "target": "1.5", "answer_type": "Numerical"},
        {"id": "q", "language": "fi", "question": "Laske.", "target": "1,5", "answer_type": "Numerical"},
        {"id": "q", "language": "fr", "question": "Calculez.", "target": "2,5", "answer_type": "Numerical"},
    ]
    built = build_choices(load_items(rows, "rows"))
    assert sorted(built.items["language"]) == ["en", "fi"]
    assert built.flagged.select("language", "reason").rows() == [
        ("fr", "the target's numbers are not those of the en form")
    ]
    english, finnish = (row["options"] for row in built.items.sort("language").iter_rows(named=True))
    assert [option.replace(".", ",") for option in english] == finnish


def test_tau_keeps_options_away_from_the_key() -> None:
    for row in build_choices(items("0.5", "12", "3/4"), tau=2).items.iter_rows(named=True):
        key = Fraction(msgspec.json.decode(row["meta"])["exact_answer"])
        assert all(abs(Fraction(option) - key) > 2 for option in wrong(row))


def test_the_weights_choose_the_pool() -> None:
    drawn = draw(0, 1, ["en"])
    for pool in ("calculation", "plausible"):
        weights = Weights(**{"calculation": 0, "concept": 0, "plausible": 0, pool: 1})
        built = build_choices(drawn, weights=weights).items
        pools = [entry["pool"] for row in built["meta"] for entry in msgspec.json.decode(row)["distractors"].values()]
        assert pools.count(pool) / len(pools) > 0.9


def test_results_on_the_way_to_the_answer_are_dropped_step_options() -> None:
    solution = "Area: $12 \\cdot 5 = 60$.\nHalf of it: $60 / 2 = 30$.\n30"
    found = candidates(notation("30", "en"), "en", "Sides: 12 and 5.", solution, "Measurements")
    dropped = [candidate.changes[0] for candidate in found if candidate.kind == "dropped step"]
    assert dropped == [Fraction(60)]


@pytest.mark.parametrize(
    ("target", "question", "domain", "kind", "value"),
    [
        ("2.5 m", "How long is it?", "Measurements", "unit confusion", Fraction(250)),
        ("0.5236", "Express 30 degrees in radians.", "Trigonometry", "degree and radian", Fraction(30)),
        (r"$\frac{\pi}{3}$", "Express 60 degrees in radians.", "Symbolic", "degree and radian", Fraction(60)),
        ("60", "The sides are 12 and 5. Find the area.", "Measurements", "area and perimeter", Fraction(34)),
    ],
)
def test_wrong_formulas_of_a_subdomain_give_the_value_that_the_mistake_gives(
    target: str, question: str, domain: str, kind: str, value: Fraction
) -> None:
    found = candidates(notation(target, "en"), "en", question, "", domain)
    values = [change for one in found if one.kind == kind for change in one.changes.values()]
    assert any(abs(Fraction(one) - value) < Fraction(1, 100) for one in values), values


def test_bangla_digits_and_decimal_commas_stay() -> None:
    bangla, finnish = notation("১২.৫ মিটার", "bn"), notation("12,5 metriä", "fi")
    assert changed(bangla, {0: Fraction(27, 2)}) == "১৩.৫ মিটার"
    assert changed(finnish, {0: Fraction(5, 4)}) == "1,25 metriä"


def test_a_hyphen_in_a_word_is_no_sign() -> None:
    assert [place.text for place in notation("non-zero for n = 4", "en").places] == ["4"]


def test_a_value_that_the_notation_cannot_hold_is_no_option() -> None:
    assert changed(notation("7", "en"), {0: Fraction(1, 3)}) is None
    assert changed(notation(r"\frac{1}{3}", "en"), {0: Fraction(2)}) is None


@pytest.mark.parametrize(("k", "tau"), [(0, 0.1), (10, 0.1), (3, -1)])
def test_impossible_wishes_are_refused_in_one_line(k: int, tau: float) -> None:
    with pytest.raises(UsageError, match="choices: expected"):
        build_choices(items("7"), k=k, tau=tau)


def test_weights_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(UsageError, match="add up to 1"):
        Weights.parse("0.5,0.2,0.2")


def test_an_empty_set_and_one_of_proofs_are_refused() -> None:
    with pytest.raises(DataError, match="at least one item"):
        build_choices(items("7").clear())
    with pytest.raises(DataError, match="no open Numerical or Symbolic"):
        build_choices(items("it holds", kind="Proof"))


@pytest.mark.data
@pytest.mark.slow
def test_nine_in_ten_items_of_the_shared_corpus_get_options(data: Path) -> None:
    from covary.exchange.mathmist import read_items

    corpus = read_items(data / "mathmist", "corpus", ["en", "bn"])
    built = build_choices(corpus)
    asked = corpus.filter(pl.col("answer_type") != "Proof")["source_id"].n_unique()
    assert asked == 1133
    assert built.items["source_id"].n_unique() / asked >= 0.89


def test_lint_finds_nothing_in_what_was_built(bundled: pl.DataFrame) -> None:
    from covary.lint.runner import run

    assert run(bundled).filter(pl.col("severity") != "note").is_empty()


def test_tau_holds_for_the_whole_value_not_for_one_number_of_it() -> None:
    # 8.31·10⁻² is 0.0831: 8·10⁻² is only 0.0031 away
    for option in wrong(build_choices(items(r"$8.31 \times 10^{-2}$")).items.row(0, named=True)):
        assert not option.startswith(r"$8 \times 10^{-2}")


def test_digits_under_a_mark_of_repetition_stay_as_many() -> None:
    row = build_choices(items(r"$5.219\dot{5}\dot{1}$"), tau=0).items.row(0, named=True)
    assert all(re.fullmatch(r"\$-?\d+\.\d+\\dot\{\d\}\\dot\{\d\}\$", option) for option in row["options"]), row[
        "options"
    ]
