"""Errors made by rule are where they are said to be, of the type they are said to be, and nothing else is wrong."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from tests.items.formula_check import chains

from covary import schema
from covary.build.perturb_rules import KINDS, STRATEGIES, perturb_by_rule
from covary.build.perturb_rules_faults import CONFUSED_UNITS, ERROR_TYPES, faults
from covary.errors import DataError, UsageError
from covary.items import arithmetic, render
from covary.items.draw import distinct_draws, draw
from covary.items.languages import BUNDLED, language
from covary.items.template import bundled_templates, load_wordings, step_wordings
from covary.mathematics.equivalence import equivalent

CONTROLS = ("clean", "paraphrase")
TEMPLATES = {template.id: template for template in bundled_templates()}
REASONS = {"missing step", "irrelevant cause", "affirming the consequent", "circular reasoning"}


def test_items_keep_the_schema_and_every_language_has_the_same_forms(perturbed) -> None:
    schema.ITEMS.check(perturbed)
    assert set(perturbed["format"]) == {"solution"}
    forms = perturbed.group_by("source_id", "kind", "perturbation").agg(pl.col("language").sort())
    assert set(forms["language"][0]) == set(BUNDLED)
    assert all(spoken == sorted(BUNDLED) for spoken in forms["language"].to_list())


def test_faulty_clean_and_paraphrased_solutions_are_equally_many(perturbed) -> None:
    for _, group in perturbed.group_by("kind", "language"):
        count = group["perturbation"].value_counts()
        assert set(count["count"]) == {group.height // 3}
        assert set(count["perturbation"]) == {group["kind"][0], *CONTROLS}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_made_on_at_least_24_templates(perturbed, kind) -> None:
    assert perturbed.filter(pl.col("kind") == kind)["template"].n_unique() >= 24


def test_types_steps_and_lines_are_the_same_in_all_languages(perturbed) -> None:
    for _, group in perturbed.group_by("source_id", "kind", "perturbation"):
        places = {
            json.dumps([[e["type"], e["step"], e["line"], e["refutation"]] for e in _errors(text)])
            for text in group["meta"]
        }
        assert len(places) == 1


def test_a_kind_declares_exactly_its_types_and_controls_declare_none(perturbed) -> None:
    for kind, perturbation, text in perturbed.select("kind", "perturbation", "meta").iter_rows():
        types = sorted(error["type"] for error in _errors(text))
        assert types == ([] if perturbation in CONTROLS else sorted(KINDS[kind]))


def test_strategies_are_those_of_the_paper() -> None:
    assert set(STRATEGIES["strategy-1"]) == {"step omission", "incorrect rule", "faulty causality"}
    assert set(STRATEGIES["strategy-2"]) == {"overgeneralization", "logical fallacy"}
    assert set(STRATEGIES["strategy-3"]) == {*STRATEGIES["strategy-1"], *STRATEGIES["strategy-2"]}


def test_the_last_line_is_exactly_the_right_answer(perturbed) -> None:
    assert perturbed["solution"].str.split("\n").list.last().to_list() == perturbed["target"].to_list()


def test_every_error_is_refuted(perturbed) -> None:
    for row in _faulty(perturbed, "en"):
        drawn = _drawn(row)
        lines = row["solution"].split("\n")
        for error in _errors(row["meta"]):
            step, why = drawn.template.step[error["step"] - 1], error["refutation"]
            match why["by"]:
                case "value":
                    assert Fraction(why["right"]) == drawn.values[step.result] != Fraction(why["shown"])
                case "unit":
                    assert CONFUSED_UNITS[why["right"]] == (why["shown"], why["factor"]) and why["factor"] != 1
                    unit = load_wordings("units")[why["shown"]]["en"][0].rstrip("²³")
                    assert unit in lines[error["line"] - 1].rpartition("=")[2]
                case "formula":
                    shown = lines[error["line"] - 1].rsplit("$", 2)[1]
                    assert not all(chains(shown, _point(drawn)))
                case "counterexample":
                    assert why["given"] in drawn.template.given
                    changed = dict(drawn.values) | {why["given"]: Fraction(why["instead"])}
                    for earlier in drawn.template.step[: error["step"]]:
                        for name, said in earlier.let.items():
                            changed[name] = arithmetic.value(said, changed)
                    other = changed[step.result]
                    assert other == Fraction(why["other"]) != drawn.values[step.result] == Fraction(why["value"])
                case "reason":
                    assert why["reason"] in REASONS
                case other:
                    raise AssertionError(other)


def test_the_equivalence_checker_tells_wrong_values_from_right_ones(perturbed) -> None:
    told = 0
    for row in _faulty(perturbed, "en"):
        for error in _errors(row["meta"]):
            match error["refutation"]:
                case {"by": "value", "shown": wrong, "right": right} | {
                    "by": "counterexample",
                    "other": wrong,
                    "value": right,
                }:
                    assert equivalent(wrong, right, answer_type="Numerical").verdict == "not_equal"
                    told += 1
    assert told > 200


def test_a_result_that_does_not_depend_on_a_number_is_not_called_overgeneralized() -> None:
    # |A| - |A ∩ B| = |A ∪ B| - |B| does not change with |A|, although |A| stands in the step's formula
    template = TEMPLATES["proof-others-common-elements"]
    drawn = next(distinct_draws(template, 1, 1))
    made = {(fault.step, fault.given) for fault in faults(drawn, "overgeneralization")}
    assert (2, "a") not in made and {(0, "a"), (1, "u"), (2, "b")} <= made


def test_an_omitted_step_is_in_the_clean_solution_only(perturbed) -> None:
    clean = {(r["source_id"], r["kind"]): r["solution"] for r in _rows(perturbed, "en") if r["perturbation"] == "clean"}
    for row in _faulty(perturbed, "en"):
        for error in _errors(row["meta"]):
            if error["type"] == "step omission":
                drawn = _drawn(row)
                step = drawn.template.step[error["step"] - 1]
                formula = f": ${render.formula(step.show, drawn.values, language('en'))}$."
                said = [f"{wording}" for wording in step_wordings()[step.say]["en"]]
                assert not any(line.startswith(tuple(said)) and formula in line for line in row["solution"].split("\n"))
                assert formula in clean[row["source_id"], row["kind"]]


def test_nothing_is_wrong_in_a_control(perturbed) -> None:
    """Every relation that a control shows is true, every number called even is even, every comparison holds."""
    relations = 0
    for row in _rows(perturbed, "en"):
        if row["perturbation"] not in CONTROLS:
            continue
        drawn = _drawn(row)
        for line in row["solution"].split("\n")[:-1]:
            for formula in re.findall(
                r"(?:: |calculation is right, then |we have |We have |^|result of )\$([^$]*)\$", line
            ):
                found = chains(formula, _point(drawn))
                relations += len(found)
                assert all(found), line
            for given, word in re.findall(r"iven number \$(-?\d+)\$ is (even|odd)", line):
                assert (int(given) % 2 == 0) == (word == "even")
                assert not line.startswith("Because") and ", because" not in line
            for small, large in re.findall(r"^The number \$([^$]*)\$ is less than \$([^$]*)\$", line):
                assert _number(small) < _number(large)
            for large, small in re.findall(r"^The number \$([^$]*)\$ is greater than \$([^$]*)\$", line):
                assert _number(small) < _number(large)
    assert relations > 3000


def test_faulty_and_clean_differ_only_in_declared_lines_comparisons_and_the_stand_in(perturbed) -> None:
    rows = {(r["source_id"], r["kind"], r["perturbation"]): r for r in _rows(perturbed, "en")}
    for (source, kind, perturbation), row in rows.items():
        if perturbation in CONTROLS:
            continue
        lines, clean = row["solution"].split("\n"), rows[source, kind, "clean"]["solution"].split("\n")
        errors = _errors(row["meta"])
        assert len(lines) == len(clean), "form does not give an error away"
        declared = {error["line"] for error in errors if error["type"] != "step omission"}
        unlike = [n for n, line in enumerate(lines, 1) if line not in clean and n not in declared]
        omitted = sum(error["type"] == "step omission" for error in errors)
        stand_ins = [n for n in unlike if not lines[n - 1].startswith("The number")]
        assert len(stand_ins) <= omitted


def test_a_paraphrase_says_the_same_formulas_in_other_words(perturbed) -> None:
    for (_, _, _), group in perturbed.group_by("source_id", "kind", "language"):
        forms = {r["perturbation"]: r["solution"] for r in group.iter_rows(named=True)}
        one, other = forms["clean"], forms["paraphrase"]
        assert one != other
        assert len(one.split("\n")) == len(other.split("\n"))
        assert _formulas(one) == _formulas(other)


# words by which a solution would admit its error, by language
META = {
    "en": r"\b(error|mistake|wrong|incorrect|false|flaw)",
    "fr": r"\b(erreur|faux|fausse|incorrect)",
    "fi": r"\b(virhe|väär)",
    "tr": r"\b(hata|yanlış)",
    "lt": r"\b(klaid|neteising)",
    "kk": r"(қате|бұрыс)",
    "bn": r"(ভুল|ত্রুটি)",
}


@pytest.mark.parametrize("code", BUNDLED)
def test_no_solution_admits_an_error(perturbed, code) -> None:
    shown = perturbed.filter(pl.col("language") == code)["solution"].str.to_lowercase()
    assert not shown.str.contains(META[code]).any()


@pytest.mark.parametrize("code", BUNDLED)
def test_explanations_are_in_the_items_language_and_complete(perturbed, code) -> None:
    for row in _faulty(perturbed, code):
        for error in _errors(row["meta"]):
            said = error["explanation"]
            assert not re.search(r"<\w+>", said) and said.count("$") % 2 == 0
            assert any(ord(c) > 127 for c in said) or code in ("en", "fi", "fr", "lt", "tr")
            assert render.in_script(str(error["step"]), language(code)) in said


def test_the_same_seed_gives_the_same_set_and_another_one_other_places() -> None:
    items = draw(3, 1, ["en", "fi"], list(TEMPLATES.values())[:6])
    assert perturb_by_rule(items, 1).equals(perturb_by_rule(items, 1))
    assert not perturb_by_rule(items, 1).equals(perturb_by_rule(items, 2))


def test_the_languages_of_a_set_do_not_change_its_errors() -> None:
    both = perturb_by_rule(draw(3, 1, ["en", "fi"], list(TEMPLATES.values())[:6]), 1)
    one = perturb_by_rule(draw(3, 1, ["fi"], list(TEMPLATES.values())[:6]), 1)
    assert both.filter(pl.col("language") == "fi").equals(one)


def test_a_carried_error_changes_the_answer_and_nothing_else_is_wrong() -> None:
    made = perturb_by_rule(draw(5, 1, ["en"]), 2, ["rule:sign slip", "rule:carry slip"], answer="carried")
    faulty = list(made.filter(~pl.col("perturbation").is_in(CONTROLS)).iter_rows(named=True))
    assert len(faulty) >= 20
    for row in faulty:
        *lines, last = row["solution"].split("\n")
        assert last != row["target"] and json.loads(row["meta"])["final_answer"] == "wrong"
        drawn = _drawn(row)
        (error,) = _errors(row["meta"])
        assert not drawn.template.bind or drawn.template.answer_type
        if not drawn.template.bind:  # with no unknown in the formulas each later line is true in itself
            for number, line in enumerate(lines, 1):
                formula = line.rsplit("$", 2)[1]
                if number != error["line"] and line.startswith(tuple(_openings(drawn))):
                    assert all(chains(formula, _point(drawn))), line
    controls = made.filter(pl.col("perturbation").is_in(CONTROLS))
    assert controls["solution"].str.split("\n").list.last().to_list() == controls["target"].to_list()


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="found 'rule:sing slip', did you mean 'rule:sign slip'"):
        perturb_by_rule(draw(1, 1, ["en"], [TEMPLATES["proof-algebra-least-value"]]), 1, ["rule:sing slip"])


def test_an_item_from_elsewhere_is_refused_in_one_line() -> None:
    items = draw(1, 1, ["en"], [TEMPLATES["proof-algebra-least-value"]]).with_columns(meta=pl.lit("{}"))
    with pytest.raises(DataError, match="must come from a known template and version, found None; draw items with"):
        perturb_by_rule(items, 1)


def test_error_types_cover_the_papers_five_and_three_slips() -> None:
    assert len(ERROR_TYPES) == 8


def _formulas(text: str) -> list[str]:
    """The formulas of a solution, sorted; bare letters that only some wordings name are left out."""
    named = {"x", "x^2", "x^২", "f", "g", "f(x)", "g(x)", "k"}
    return sorted(formula for formula in re.findall(r"\$([^$]*)\$", text) if formula not in named)


def _rows(frame: pl.DataFrame, code: str) -> list[dict[str, Any]]:
    return list(frame.filter(pl.col("language") == code).iter_rows(named=True))


def _faulty(frame: pl.DataFrame, code: str) -> list[dict[str, Any]]:
    return [row for row in _rows(frame, code) if row["perturbation"] not in CONTROLS]


def _errors(meta: str) -> list[dict[str, Any]]:
    return json.loads(meta)["errors"]


def _drawn(row: dict[str, Any]) -> render.Drawn:
    about = json.loads(row["meta"])
    return render.derived(TEMPLATES[about["template"]], about["parameters"])


def _point(drawn: render.Drawn) -> dict[str, Fraction]:
    free = {"x": Fraction(29, 3), "n": Fraction(17), "k": Fraction(5), "pi": Fraction(355, 113)}
    return free | {name: arithmetic.value(said, drawn.values) for name, said in drawn.template.bind.items()}


def _openings(drawn: render.Drawn) -> list[str]:
    return [said for step in drawn.template.step for said in step_wordings()[step.say]["en"]]


def _number(text: str) -> Fraction:
    found = re.fullmatch(r"(-?)\\frac\{(\d+)\}\{(\d+)\}", text)
    return Fraction(f"{found[1]}{found[2]}/{found[3]}") if found else Fraction(text)
