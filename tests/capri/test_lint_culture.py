"""Lint of culture sets: every planted fault is found, and the built set has none."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping

import polars as pl
import pytest
from stand_in import six_levels, whole

from covary.build.cues import CONTROLS
from covary.lint import culture as lint
from covary.lint.finding import Finding


@functools.cache
def one() -> pl.DataFrame:
    """The six levels of one conversation in two cultures."""
    items = six_levels()
    return items.filter((pl.col("source_id") == items["source_id"][0]) & pl.col("culture").is_in(["BR", "JP"]))


def by_sha() -> Mapping[str, bytes]:
    return whole().bytes_of


def edited(level: str, change: Callable[[dict], None], culture: str = "JP") -> pl.DataFrame:
    """The conversation's items with one row changed by hand."""
    rows = one().to_dicts()
    for row in rows:
        if row["cue_level"] == level and row["culture"] == culture:
            row["meta"] = json.loads(row["meta"])
            change(row)
            row["meta"] = json.dumps(row["meta"])
    return pl.DataFrame(rows, schema=one().schema)


def cues(row: dict) -> list[str]:
    return [cue["value"] for cue in row["meta"]["cues"]]


def add_text(text: str) -> Callable[[dict], None]:
    def change(row: dict) -> None:
        row["conversation"][-1]["text"] += f" {text}"

    return change


def rules(findings: list[Finding]) -> set[str]:
    return {finding.rule for finding in findings}


def test_the_built_set_has_no_findings() -> None:
    assert lint.check(six_levels(), pictures=by_sha(), read=lambda _: "12 40 −7") == []


def test_the_controls_have_no_findings_either() -> None:
    controls = whole().items.filter(pl.col("cue_level").is_in(CONTROLS))
    some = controls.filter(pl.col("source_id").is_in(controls["source_id"].unique(maintain_order=True)[:60].to_list()))
    assert lint.check(some, pictures=by_sha()) == []


def test_a_cue_left_in_neutral_is_found_whether_own_or_of_another_conversation() -> None:
    own = lint.cue_in_neutral(edited("Neutral", lambda row: add_text(cues(row)[0])(row)))
    assert [finding.rule for finding in own] == ["cue-in-neutral"]
    assert own[0].span == json.loads(one().filter(pl.col("culture") == "JP")["meta"][0])["cues"][0]["value"]
    other = lint.cue_in_neutral(edited("Neutral", add_text("We had tteokbokki.")))
    assert [finding.span for finding in other] == ["tteokbokki"]
    in_explicit = lint.cue_in_neutral(edited("ExplicitFull", add_text("We had tteokbokki.")))
    assert [finding.span for finding in in_explicit] == ["tteokbokki"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 25 °C here.", "°C"),
        ("About 3 feet, I guess.", "3 feet"),
        ("Two hundred square feet.", "square feet"),
        ("It does ten miles.", "miles"),
        ("It costs 40 won.", "40 won"),
        ("Only $ 12.", "$"),
        ("That was forty euros.", "euros"),
        ("As we do in Japan.", "Japan"),
        ("My British friend.", "British"),
        ("We are from the U.S.", "U.S."),
    ],
)
@pytest.mark.parametrize("level", ["Neutral", "ImplicitFull", "ExplicitFull"])
def test_a_unit_currency_or_country_given_away_is_found(text: str, expected: str, level: str) -> None:
    findings = lint.given_away(edited(level, add_text(text)))
    assert [(finding.rule, finding.severity, finding.span) for finding in findings] == [
        ("given-away", "error", expected)
    ]


@pytest.mark.parametrize(
    "text", ["I put my feet up.", "We won the game.", "A real pleasure.", "Tell us more.", "In a far country."]
)
def test_everyday_words_are_no_give_away(text: str) -> None:
    assert lint.given_away(edited("Neutral", add_text(text))) == []


def test_an_option_is_a_give_away_for_its_concept_only() -> None:
    clock = six_levels().filter((pl.col("domain") == "time_expression") & (pl.col("cue_level") == "Neutral"))[:1]
    said = clock.with_columns(pl.lit("Is it the evening?").alias("question"))
    assert [finding.span for finding in lint.given_away(said)] == ["evening"]
    assert lint.given_away(edited("Neutral", add_text("It was a fine evening."))) == []


def test_words_of_one_english_are_a_warning() -> None:
    findings = lint.given_away(edited("Neutral", add_text("My favourite colour.")))
    assert {(finding.rule, finding.severity) for finding in findings} == {("dialect", "warning")}
    assert {finding.span for finding in findings} == {"favourite", "colour"}


def plant_cues(first: tuple[str, str], second: tuple[str, str]) -> Callable[[dict], None]:
    def change(row: dict) -> None:
        old = cues(row)
        for turn in row["conversation"]:
            turn["text"] = turn["text"].replace(old[0], first[1]).replace(old[1], second[1])
        row["meta"]["cues"] = [
            {**cue, "type": name, "value": value}
            for cue, (name, value) in zip(row["meta"]["cues"], (first, second), strict=True)
        ]

    return change


def test_a_cue_or_pair_that_fits_several_cultures_is_found_and_its_ceiling_reported() -> None:
    # five digits: FR KR US; 230 V and 50 Hz: FR IN IR IL GB; both: FR
    pair = ("postal_code", "75007"), ("mains_standard", "230 V, 50 Hz")
    alone = edited("ImplicitCue1", plant_cues(*pair)).with_columns(pl.lit("FR").alias("culture"))
    findings = lint.several_cultures(alone.filter(pl.col("cue_level") == "ImplicitCue1")[1:])
    assert [(finding.severity, finding.span) for finding in findings] == [("warning", "75007")]
    full = edited("ImplicitFull", plant_cues(*pair)).with_columns(pl.lit("FR").alias("culture"))
    assert lint.several_cultures(full.filter(pl.col("cue_level") == "ImplicitFull")[1:]) == []
    # 230 V, 50 Hz and day/month/year: FR, IN and GB together
    wide = edited("ImplicitFull", plant_cues(("date_numeric", "15/09/2021"), pair[1])).with_columns(
        pl.lit("FR").alias("culture")
    )
    findings = lint.several_cultures(wide.filter(pl.col("cue_level") == "ImplicitFull")[1:])
    assert [finding.severity for finding in findings] == ["error"]
    assert "FR, GB, IN" in findings[0].suggestion
    ceiling = lint.bg_ceiling(alone.filter(pl.col("cue_level") == "ImplicitCue1")[1:])
    assert ceiling["ceiling"].to_list() == [1 / 3]
    assert set(lint.bg_ceiling(six_levels())["ceiling"]) == {1.0}
    notes = [finding for finding in lint.check(alone) if finding.rule == "bg-ceiling"]
    # of two conversations one has a cue of three cultures and one a cue of its own: (1/3 + 1) / 2
    assert [(finding.severity, finding.span) for finding in notes] == [("note", "0.667 of 2")]


def test_a_cue_of_another_culture_is_found() -> None:
    findings = lint.several_cultures(edited("ImplicitFull", plant_cues(("dish", "bibimbap"), ("drink", "sikhye"))))
    assert [(finding.severity, finding.expected) for finding in findings] == [("error", "cues of JP")]


def test_a_cue_outside_the_knowledge_base_is_a_note() -> None:
    findings = lint.several_cultures(edited("ImplicitFull", plant_cues(("dish", "ambrosia"), ("drink", "nectar"))))
    assert [finding.severity for finding in findings] == ["note"]


def test_a_cue_that_leaks_its_concepts_unit_is_found() -> None:
    findings = lint.unit_leak(edited("ImplicitFull", plant_cues(("temperature_sensing", "25 °C"), ("dish", "oden"))))
    assert [(finding.rule, finding.span) for finding in findings] == [("unit-leak", "25 °C")]


def test_truncation_before_the_cue_or_after_one_too_many_is_found() -> None:
    def too_early(row: dict) -> None:
        row["conversation"] = row["conversation"][:-2]

    def too_late(row: dict) -> None:
        row["conversation"].append({"role": "assistant", "text": "Fine."})

    def one_too_many(row: dict) -> None:
        row["conversation"].append({"role": "user", "text": f"And {cues(row)[1]}, too."})

    for level in ("ImplicitCue1", "ImplicitCue2"):
        assert any("before the end" in finding.expected for finding in lint.truncated(edited(level, too_early)))
        assert any("right after" in finding.expected for finding in lint.truncated(edited(level, too_late)))
    assert any(
        finding.expected == "the first cue only" for finding in lint.truncated(edited("ImplicitCue1", one_too_many))
    )


@pytest.mark.parametrize("level", ["Null", "Neutral", "ImplicitCue1", "ImplicitCue2", "ImplicitFull", "ExplicitFull"])
def test_levels_that_differ_elsewhere_are_found(level: str) -> None:
    def change(row: dict) -> None:
        if row["conversation"]:
            row["conversation"][0]["text"] += " Really."
        else:
            row["conversation"] = [{"role": "user", "text": "Really."}]

    assert rules(lint.unequal_levels(edited(level, change))) == {"unequal-levels"}


def test_another_question_a_missing_level_and_a_missing_statement_are_found() -> None:
    def question(row: dict) -> None:
        row["question"] = "And what is it?"

    def silent(row: dict) -> None:
        row["conversation"][0]["text"] = row["conversation"][0]["text"].replace("I am from Japan. ", "")

    assert any("question" in finding.expected for finding in lint.unequal_levels(edited("Neutral", question)))
    lacking = one().filter(~((pl.col("cue_level") == "ImplicitCue2") & (pl.col("culture") == "JP")))
    assert [finding.expected for finding in lint.unequal_levels(lacking)] == ["level ImplicitCue2 beside the others"]
    assert any(
        "statement of origin" in finding.expected for finding in lint.unequal_levels(edited("ExplicitFull", silent))
    )


def test_a_missing_picture_is_found_unless_the_item_is_text_only() -> None:
    gone = one().with_columns(pl.lit(None, dtype=pl.String).alias("picture"))
    assert rules(lint.missing_picture(gone)) == {"missing-picture"}
    assert lint.missing_picture(one(), by_sha()) == []
    assert rules(lint.missing_picture(one(), {})) == {"missing-picture"}
    told = gone.with_columns(pl.col("meta").str.replace('"route":"picture"', '"route":"text"', literal=True))
    assert lint.missing_picture(told) == []


def test_text_in_a_picture_is_found_once_a_picture_and_digits_are_none() -> None:
    findings = lint.text_in_picture(one(), by_sha(), lambda _: "40 °C\nFLOUR 12")
    assert [(finding.rule, finding.span) for finding in findings] == [("text-in-picture", "FLOUR")]
    assert lint.text_in_picture(one(), by_sha(), lambda _: "40 60 80 −7.5 C") == []


def test_a_set_without_cues_in_its_meta_still_gets_the_other_rules() -> None:
    plain = one().with_columns(pl.lit("{}").alias("meta"))
    assert lint.check(plain, pictures=by_sha()) == []
    said = plain.with_columns(pl.lit("How many euros?").alias("question"))
    assert rules(lint.check(said, pictures=by_sha())) == {"given-away"}


def test_cues_without_types_are_looked_up_by_their_value() -> None:
    rows = one().to_dicts()
    for row in rows:
        meta = json.loads(row["meta"])
        meta["cues"] = [{"value": cue["value"]} for cue in meta["cues"]]
        row["meta"] = json.dumps(meta)
    untyped = pl.DataFrame(rows, schema=one().schema)
    assert lint.check(untyped, pictures=by_sha()) == []
    said = edited("ImplicitFull", plant_cues(("", "25 °C"), ("", "bibimbap")))
    assert [finding.span for finding in lint.unit_leak(said)] == ["25 °C"]
    assert [finding.severity for finding in lint.several_cultures(said)] == ["error"]


def test_a_finding_is_a_row_that_json_can_hold() -> None:
    finding = lint.missing_picture(one(), {})[0]
    assert json.loads(json.dumps(finding.as_row()))["rule"] == "missing-picture"
