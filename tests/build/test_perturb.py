"""Planted errors by a model: what breaks a rule never reaches the verifier; what the verifier doesn't find is not accepted."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from tests.build.scripted import MODEL, REFUSED, Says, ask, json_reply

from covary.build import paraphrase, perturb
from covary.build.perturb_rules import STRATEGIES
from covary.errors import DataError, UsageError
from covary.items.loading import load_items
from covary.run.transport import Answer

ENGLISH = ["Add the two numbers: $12 + 4 = 16$.", "Halve the sum to get the mean: $16 / 2 = 8$.", "8"]
FINNISH = ["Lasketaan luvut yhteen: $12 + 4 = 16$.", "Puolitetaan summa, jolloin saadaan keskiarvo: $16 / 2 = 8$.", "8"]
FAULTY: dict[str, Any] = {
    "solutions": {
        "en": [ENGLISH[0], "The sum is even here, so the sum of any two numbers is even: $16 / 2 = 8$.", "Means are whole numbers, and 8 is one, so 8 is the mean.", "8"],
        "fi": [FINNISH[0], "Summa on tässä parillinen, joten minkä tahansa kahden luvun summa on parillinen: $16 / 2 = 8$.", "Keskiarvot ovat kokonaislukuja ja 8 on kokonaisluku, joten 8 on keskiarvo.", "8"],
    },
    "errors": [
        {"type": "overgeneralization", "line": 2, "explanation": {"en": "one case is no proof", "fi": "yksi tapaus ei todista"}},
        {"type": "logical fallacy", "line": 3, "explanation": {"en": "the converse is used", "fi": "käytetään käänteistä väitettä"}},
    ],
}  # fmt: skip
REWORDED: dict[str, list[str]] = {
    "en": ["First take the sum of both numbers: $12 + 4 = 16$.", "Half of that is what we look for: $16 / 2 = 8$.", "8"],
    "fi": ["Ensin lasketaan molempien lukujen summa: $12 + 4 = 16$.", "Kysytty keskiarvo on siitä puolet: $16 / 2 = 8$.", "8"],
}  # fmt: skip
ROUNDS = 2


def items() -> pl.DataFrame:
    shared = {"id": "q", "target": "8", "answer_type": "Numerical"}
    rows = [
        {**shared, "language": "en", "question": "Find the mean of 12 and 4.", "solution": "\n".join(ENGLISH)},
        {**shared, "language": "fi", "question": "Laske lukujen 12 ja 4 keskiarvo.", "solution": "\n".join(FINNISH)},
    ]
    return load_items(rows, "rows")


def confirms(_: str) -> str:
    found = [{"number": 1, "present": True, "line": 2}, {"number": 2, "present": True, "line": 3}]
    return json_reply(errors=found, hints=False)


def rewords(_: str) -> str:
    return json_reply(solutions=REWORDED)


def compares(_: str) -> str:
    return json_reply(right=True, complete=True, reason="")


def perturbed(
    folder: Path, writer: Says, verifier: Says, rewriter: Says = rewords, comparer: Says = compares
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    table = items()
    faults = perturb.start(table, "strategy-2")
    for _ in range(2 * ROUNDS):
        plan = perturb.plan_perturbation(table, faults, MODEL)
        faults = perturb.read_perturbation(table, faults, plan.links, ask(folder, plan, writer), MODEL, ROUNDS)
        plan = perturb.plan_confirmation(table, faults, MODEL)
        faults = perturb.read_confirmation(table, faults, plan.links, ask(folder, plan, verifier), MODEL, ROUNDS)
    controls = paraphrase.start(faults)
    for _ in range(2 * ROUNDS):
        plan = paraphrase.plan_paraphrase(table, controls, MODEL)
        controls = paraphrase.read_paraphrase(table, controls, plan.links, ask(folder, plan, rewriter), MODEL, ROUNDS)
        plan = paraphrase.plan_comparison(table, controls, MODEL)
        controls = paraphrase.read_comparison(controls, plan.links, ask(folder, plan, comparer), MODEL, ROUNDS)
    assert not perturb.is_open(faults)
    assert not perturb.is_open(controls)
    return perturb.assemble(table, faults, controls, {"model": "m"}).items, faults, controls


def good(_: str) -> str:
    return json_reply(**FAULTY)


def test_a_good_reply_becomes_a_faulty_a_clean_and_a_reworded_solution_in_every_language(tmp_path: Path) -> None:
    made, _, _ = perturbed(tmp_path, good, confirms)
    assert sorted(made.select("language", "perturbation", "target").rows()) == [
        ("en", "clean", "no"),
        ("en", "paraphrase", "no"),
        ("en", "strategy-2", "yes"),
        ("fi", "clean", "no"),
        ("fi", "paraphrase", "no"),
        ("fi", "strategy-2", "yes"),
    ]
    assert made["item_id"].n_unique() == 6
    reworded = made.filter((pl.col("language") == "fi") & (pl.col("perturbation") == "paraphrase")).row(0, named=True)
    assert reworded["solution"].splitlines() == REWORDED["fi"]
    assert msgspec.json.decode(reworded["meta"])["errors"] == []
    errors = {
        row["language"]: [(error["type"], error["line"]) for error in msgspec.json.decode(row["meta"])["errors"]]
        for row in made.filter(pl.col("perturbation") == "strategy-2").iter_rows(named=True)
    }
    assert errors["en"] == errors["fi"] == [("overgeneralization", 2), ("logical fallacy", 3)]
    finnish = made.filter((pl.col("language") == "fi") & (pl.col("target") == "yes")).row(0, named=True)
    assert finnish["solution"].splitlines() == FAULTY["solutions"]["fi"]
    assert msgspec.json.decode(finnish["meta"])["errors"][0]["explanation"] == "yksi tapaus ei todista"


def changed(change: Callable[[dict[str, Any]], object]) -> str:
    reply = copy.deepcopy(FAULTY)
    change(reply)
    return json_reply(**reply)


def set_line(code: str, line: int, text: str) -> Callable[[dict[str, Any]], object]:
    return lambda reply: reply["solutions"][code].__setitem__(line - 1, text)


BAD: dict[str, str | Answer] = {
    "another last line": changed(set_line("en", 4, "The mean is 8.")),
    "a wrong last line": changed(set_line("fi", 4, "9")),
    "speaks of the error": changed(
        set_line("en", 2, "The sum of any two numbers is even (this is incorrect): $16 / 2 = 8$.")
    ),
    "notes in brackets": changed(set_line("fi", 2, "Summa on parillinen (virhe: liian yleinen väite): $16 / 2 = 8$.")),
    "an error that is the clean line": changed(set_line("en", 2, ENGLISH[1])),
    "the wrong language": changed(
        set_line("fi", 3, "Means are whole numbers, and 8 is one of them, so 8 is the mean.")
    ),
    "one language lost": changed(lambda reply: reply["solutions"].pop("fi")),
    "lines differ": changed(lambda reply: reply["solutions"]["fi"].insert(1, "Toinen rivi on tässä.")),
    "a type not declared": changed(lambda reply: reply["errors"].pop()),
    "a type not asked for": changed(lambda reply: reply["errors"].append({**reply["errors"][0], "type": "sign slip"})),
    "a place past the end": changed(lambda reply: reply["errors"][0].__setitem__("line", 9)),
    "the answer called wrong": changed(lambda reply: reply["errors"][0].__setitem__("line", 4)),
    "no explanation": changed(lambda reply: reply["errors"][0].__setitem__("explanation", {"en": "one case"})),
    "loops": changed(set_line("en", 3, "So 8 is the mean value. " * 20)),
    "emphasis": changed(set_line("en", 3, "Means are **whole** numbers, and 8 is one, so 8 is the mean.")),
    "damaged JSON": good("")[:-20],
    "truncated": Answer("truncated", text=good("")[:200], finish_reason="length"),
    "refuses": REFUSED,
    "refuses in words": "I can't write wrong solutions.",
    "a text for the lines": changed(lambda reply: reply["solutions"].__setitem__("en", "\n".join(ENGLISH))),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_reply_that_breaks_a_rule_is_asked_again_then_flagged_and_no_verifier_sees_it(
    kind: str, tmp_path: Path
) -> None:
    asked: list[str] = []

    def verifier(prompt: str) -> str:
        asked.append(prompt)
        return confirms(prompt)

    made, faults, _ = perturbed(tmp_path, lambda _: BAD[kind], verifier)
    assert made.is_empty()
    assert asked == []
    assert faults["state"].to_list() == ["flagged"]
    assert faults["log"].list.len().to_list() == [ROUNDS]


UNCONFIRMED: dict[str, str | Answer] = {
    "not present": json_reply(errors=[{"number": 1, "present": False, "line": 2}, {"number": 2, "present": True, "line": 3}], hints=False),
    "another line": json_reply(errors=[{"number": 1, "present": True, "line": 1}, {"number": 2, "present": True, "line": 3}], hints=False),
    "only one judged": json_reply(errors=[{"number": 1, "present": True, "line": 2}], hints=False),
    "the text gives hints": json_reply(errors=[{"number": 1, "present": True, "line": 2}, {"number": 2, "present": True, "line": 3}], hints=True),
    "yes as a text": json_reply(errors=[{"number": 1, "present": "yes", "line": 2}, {"number": 2, "present": True, "line": 3}], hints=False),
    "no JSON": "All errors are present.",
    "refused": REFUSED,
}  # fmt: skip


@pytest.mark.parametrize("kind", UNCONFIRMED)
def test_errors_that_the_verifier_does_not_confirm_are_not_accepted(kind: str, tmp_path: Path) -> None:
    made, faults, _ = perturbed(tmp_path, good, lambda _: UNCONFIRMED[kind])
    assert made.is_empty()
    assert faults["round"].to_list() == [ROUNDS]


def reworded_with(code: str, line: int, text: str) -> str:
    reply = copy.deepcopy(REWORDED)
    reply[code][line - 1] = text
    return json_reply(solutions=reply)


BADLY_SAID: dict[str, str | Answer] = {
    "the clean solution": json_reply(solutions={"en": ENGLISH, "fi": FINNISH}),
    "one language unchanged": json_reply(solutions={"en": REWORDED["en"], "fi": FINNISH}),
    "another number": reworded_with("en", 1, "First take the sum of both numbers: $12 + 4 = 17$."),
    "another last line": reworded_with("fi", 3, "Vastaus on 8"),
    "a line less": json_reply(solutions={**REWORDED, "en": REWORDED["en"][1:]}),
    "a word about errors": reworded_with("en", 2, "Half of that (note: still right) is the mean: $16 / 2 = 8$."),
    "another language": reworded_with("fi", 2, "Half of that is the mean that we are looking for: $16 / 2 = 8$."),
    "one language lost": json_reply(solutions={"en": REWORDED["en"]}),
    "refuses": REFUSED,
}


@pytest.mark.parametrize("kind", BADLY_SAID)
def test_a_paraphrase_that_breaks_a_rule_takes_its_problem_out(kind: str, tmp_path: Path) -> None:
    made, faults, controls = perturbed(tmp_path, good, confirms, rewriter=lambda _: BADLY_SAID[kind])
    assert faults["state"].to_list() == ["accepted"]
    assert controls["state"].to_list() == ["flagged"]
    assert made.is_empty()


@pytest.mark.parametrize(
    "told", [{"right": False, "complete": True}, {"right": True}, {"right": "yes", "complete": True}]
)
def test_a_paraphrase_that_the_verifier_doubts_is_not_accepted(told: dict[str, Any], tmp_path: Path) -> None:
    made, _, controls = perturbed(tmp_path, good, confirms, comparer=lambda _: json_reply(**told))
    assert controls["round"].to_list() == [ROUNDS]
    assert "not " in controls["log"][0][-1]
    assert made.is_empty()


def test_a_second_version_that_keeps_the_rules_is_taken(tmp_path: Path) -> None:
    said: list[str] = []

    def writer(prompt: str) -> str:
        said.append(prompt)
        return "no" if len(said) == 1 else good(prompt)

    made, faults, _ = perturbed(tmp_path, writer, confirms)
    assert made.height == 6
    assert faults["log"][0].to_list()[0].startswith("perturb m #0: no whole JSON object")


def test_one_request_holds_all_languages_and_the_strategys_kinds() -> None:
    table = items()
    for strategy, kinds in STRATEGIES.items():
        plan = perturb.plan_perturbation(table, perturb.start(table, strategy), MODEL)
        assert plan.requests.height == 1
        content = plan.requests["content"][0]
        assert all(f"- {kind}: " in content for kind in kinds)
        assert "English (en), Finnish (fi)" in content


def test_an_unknown_strategy_and_items_without_solutions_are_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match="no such strategy"):
        perturb.start(items(), "strategy-4")
    with pytest.raises(DataError, match="with a solution and a target"):
        perturb.start(items().with_columns(solution=pl.lit(None, dtype=pl.String)), "strategy-1")
