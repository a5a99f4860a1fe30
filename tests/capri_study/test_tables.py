"""The culture study's tables: trivial rules, sharing, marks, people's answers, cases, and figures that can be drawn."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.capri_study.population import WEIGHTS, cultures_of, scores

from covary.build import cues
from covary.errors import DataError
from covary.prompts.conditions import Condition
from covary.prompts.requests import Model
from covary.report import capri, capri_annotation, capri_cases, capri_divergence, capri_priors, figures
from covary.report.capri_frame import IN_WORDS, LEVELS, SHOWN_TO_BOTH, arranged
from covary.report.capri_rates import ALWAYS_US, METRIC_AND_DOLLARS, baselines
from covary.studies import builtin
from covary.studies.declaration import Study, parse

STUDY = parse(builtin.text("capri"), "capri.toml")
SCAFFOLDS = 3


@pytest.fixture(scope="module")
def made() -> dict[str, capri.Shown]:
    return {table.name: table for table in capri.tables(scores(3, 60), STUDY, read=_file)}


def _file(name: str) -> str:
    text = builtin.companion(name)
    assert text is not None
    return text


def test_always_metric_and_dollars_is_right_in_2730_of_3672() -> None:
    rows = [
        {
            "item_id": f"{concept}-{n}-{culture}",
            "task": "vqa",
            "domain": concept,
            "culture": culture,
            "cluster": f"{concept}-{n // SCAFFOLDS}",
        }
        for concept, pictures in WEIGHTS.items()
        if concept not in ("time_expression", "quantifiers")
        for n in range(SCAFFOLDS * pictures)
        for culture in cultures_of(concept)
    ]
    found = {
        json.loads(group)["line"]: (round(value * rows), rows)
        for group, value, rows in baselines(pl.DataFrame(rows), [], "b", 0)
        .select("group", "value", "n_rows")
        .iter_rows()
    }
    # By hand: temperature 99 · 9 (all but the US) + distance 96 · 8 + speed 54 · 8 (not the UK) + size 72 · 8 + price 63 · 1
    assert found[METRIC_AND_DOLLARS] == (891 + 768 + 432 + 576 + 63, 3672) == (2730, 3672)
    # temperature 99 + distance 96 + speed 54 · 2 + size 72 + price 63
    assert found[ALWAYS_US] == (438, 3672)


def test_trivial_rules_stand_in_every_table_of_right_answers(made: dict[str, capri.Shown]) -> None:
    for name in ("capri-levels", "capri-levels-by-concept", "capri-levels-by-culture"):
        lines = {json.loads(group)["line"] for group in made[name].frame["group"]}
        assert {METRIC_AND_DOLLARS, ALWAYS_US} <= lines


def test_a_country_prior_counts_distinct_requests_and_no_rows(made: dict[str, capri.Shown]) -> None:
    frame = made["capri-prior-country"].frame
    assert set(frame["n_items"]) == set(frame["n_requests"]) == {7}  # seven questions, whatever the number of pictures
    assert set(frame["method"]) == {"Wilson"}


def test_a_unit_prior_counts_pictures(made: dict[str, capri.Shown]) -> None:
    assert set(made["capri-prior-unit"].frame["method"]) == {"Wilson"}


def test_a_ranking_says_what_it_can_reach(made: dict[str, capri.Shown]) -> None:
    ranking = made["capri-ranking"].frame
    assert set(ranking["family_size"]) == {45}  # all pairs of ten cultures
    assert ranking["p_adjusted"].min() > 0.05  # the simulated model moves all cultures alike
    few = {t.name: t for t in capri.tables(scores(4, 12), STUDY)}["capri-ranking"].frame
    assert few["note"].str.contains("cannot reach significance").all()


def test_a_control_takes_away_what_any_edit_does() -> None:
    rows = scores(3, 40)
    # A placebo that moves as many answers as the cues do: nothing is left of the shift.
    placebo = rows.filter(pl.col("cue_level") == "ImplicitFull").with_columns(cue_level=pl.lit("Placebo"))
    found = {t.name: t for t in capri.tables(pl.concat([rows, placebo]), STUDY)}["capri-controls"].frame
    assert set(found["points"]) == {0.0}
    assert set(found["control"]) == {"Placebo"}


def test_the_noise_floor_is_unknown_without_repeats_and_known_with_them(made: dict[str, capri.Shown]) -> None:
    assert "nothing was asked twice" in made["capri-d-impl"].caption
    once = scores(3, 40)
    twice = once.with_columns(
        pl.lit(1, dtype=pl.Int32).alias("replicate"),
        request_id=pl.col("request_id") + "#1",
        answer=pl.when(pl.col("cluster") == "p000").then(pl.lit("noon")).otherwise("answer"),
    )
    found = {t.name: t for t in capri.tables(pl.concat([once, twice]), STUDY)}
    assert "a mere repeat changes" in found["capri-d-impl"].caption


def test_extremes_are_marked_with_their_ties() -> None:
    values = [3.8, 6.8, 3.8, 6.8, 5.0]
    assert [capri_divergence.mark(value, values) for value in values] == ["↓", "↑", "↓", "↑", ""]


def test_models_without_eyes_are_marked_everywhere() -> None:
    blind = Study("s", models=(Model("known"),), conditions=STUDY.conditions)
    assert set(arranged(scores(1, 8), blind)["line"]) == {f"known{IN_WORDS}"}


def test_declared_text_route_stands_apart_from_pictures() -> None:
    told = Condition("vqa-told", "culture-vqa", thinking="off", given="text", scorers=("quantity",))
    study = Study("s", models=(Model("known", inputs=("text", "image")),), conditions=(*STUDY.conditions, told))
    rows = scores(1, 8)
    both = pl.concat(
        [rows, rows.filter(pl.col("condition") == "vqa-direct").with_columns(condition=pl.lit("vqa-told"))]
    )
    lines = arranged(both, study).group_by("line").agg(pl.col("task").unique().sort())
    assert dict(lines.iter_rows()) == {"known": ["bg", "vqa"], f"known{IN_WORDS}": ["bg", "vqa"]}


def test_background_that_sees_the_picture_is_a_line_of_its_own_with_its_gap() -> None:
    shown = Condition("bg-shown", "culture-background", thinking="off", given="picture", scorers=("country",))
    study = Study("s", models=(Model("known", inputs=("text", "image")),), conditions=(*STUDY.conditions, shown))
    rows = scores(1, 8)
    seen = rows.filter(pl.col("condition") == "bg-direct").with_columns(condition=pl.lit("bg-shown"), value=pl.lit(1.0))
    made = {table.name: table.frame for table in capri.tables(pl.concat([rows, seen]), study)}
    found = {
        (group["line"], group["task"]): value
        for text, value in made["capri-levels"].select("group", "value").iter_rows()
        if (group := json.loads(text))["mode"] == "direct" and group["cue_level"] == "ImplicitFull"
    }
    own = f"known{SHOWN_TO_BOTH}"
    assert found[own, "bg"] == 1 > found["known", "bg"]
    assert found[own, "vqa"] == found["known", "vqa"]
    gaps = {(json.loads(g)["line"], json.loads(g)["mode"]) for g in made["capri-gap"]["group"]}
    assert {(own, "direct"), ("known", "direct")} <= gaps


def test_what_was_cut_off_is_wrong_and_what_never_came_is_left_out() -> None:
    rows = scores(1, 8).filter((pl.col("condition") == "vqa-direct") & (pl.col("scorer") == "quantity")).head(3)
    null = pl.lit(None, dtype=pl.Float64)
    failed = rows.with_columns(value=null, reason=pl.Series(["truncated: cut off", "error: no server", "refused: x"]))
    assert arranged(failed, STUDY)["value"].to_list() == [0.0, None, 0.0]


def test_sibling_checkpoints_are_one_line() -> None:
    rows = scores(1, 8).with_columns(
        model=pl.when(pl.col("condition").is_in(["bg-direct", "vqa-direct"]))
        .then(pl.lit("qwen3-vl-8b-instruct"))
        .otherwise(pl.lit("qwen3-vl-8b-thinking"))
    )
    assert arranged(rows, STUDY)["line"].unique().to_list() == ["qwen3-vl-8b"]


def test_corpus_counts_stand_beside_unit_priors(made: dict[str, capri.Shown]) -> None:
    frame = made["capri-prior-corpus"].frame
    prices = frame.filter((pl.col("concept") == "price") & (pl.col("mode") == "direct"))
    assert dict(prices.select("unit", "corpus_share").iter_rows()) == {"USD": 66.1, "other currencies": 33.9}
    own = capri_priors.read_corpus("concept,unit,count,corpus\nprice,USD,30,mine\nprice,EUR,10,mine\n")
    assert own["share"].to_list() == [75, 25]


def test_a_bad_corpus_row_is_named() -> None:
    with pytest.raises(DataError, match=r"counts\.csv:2: count must be a number, found 'many'"):
        capri_priors.read_corpus("concept,unit,count\nprice,USD,many\n", "counts.csv")


ANNOTATIONS = """\
annotator,culture,concept,item,group,answer,performed,qualified
a,FR,temperature,1,eval,40 °C,true,true
a,FR,temperature,2,control,104 °F,true,true
a,FR,temperature,3,eval,40 °F,true,true
b,FR,temperature,1,eval,hello,false,false
c,GB,speed,1,eval,30 mph,true,true
"""


def test_people_are_scored_as_models_are() -> None:
    rows = capri_annotation.read_annotations(ANNOTATIONS)
    assert rows["right"].to_list() == [True, True, False, False, True]
    full = capri_annotation.full(rows)
    france = full.filter(pl.col("culture") == "FR").row(0, named=True)
    assert (france["annotators"], france["not performed"], france["items"], france["qualified"]) == (2, 1, 3, 3)
    assert (france["eval %"], france["control %"]) == (50.0, 100.0)
    total = capri_annotation.summarised(rows, "culture", ("FR", "GB")).tail(1).row(0, named=True)
    assert total["eval %"] == 66.7  # pooled: two of three


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("b,FR", "b,XX", "people.csv:5: culture can't be 'XX'"),
        ("eval,hello", "test,hello", "people.csv:5: group can't be 'test'"),
        ("hello,false", "hello,perhaps", "people.csv:5: performed must be one of"),
        ("annotator,", "who,", "people.csv: expected columns .* missing annotator"),
    ],
)
def test_a_bad_annotation_is_named_with_its_line(old: str, new: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        capri_annotation.read_annotations(ANNOTATIONS.replace(old, new), "people.csv")


def test_a_case_table_marks_what_moved() -> None:
    cells = pl.DataFrame(
        [
            ("US", "Neutral", "some", "i1"), ("US", "ImplicitFull", "some", "i2"), ("US", "ExplicitFull", "some", "i3"),
            ("BR", "Neutral", "some", "i4"), ("BR", "ImplicitFull", "half", "i5"), ("BR", "ExplicitFull", "some", "i6"),
        ],
        schema=["culture", "cue_level", "answer", "item_id"], orient="row",
    )  # fmt: skip
    cues = json.dumps({"cues": [{"value": "Lucas"}, {"value": "samba"}]})
    items = pl.DataFrame({"item_id": ["i2", "i5"], "meta": [json.dumps({"cues": []}), cues]})
    assert capri_cases.case(cells, items).rows() == [
        ("US", "", "", "some", "some", "some"),
        ("BR", "Lucas", "samba", "some", "→ half", "some"),
    ]


REFERENCE = {
    "time_expressions": {
        "source": "A",
        "US": {"morning": ["5:00", "1:00", "10:00", "1:00"], "night": ["19:00", "1:00", "4:00", "1:00"]},
        "Brazil": {"evening": ["17:00", "2:00", "16:00", "8:00"]},
    },
    "quantifiers": {"source": "B", "French": {"half": [43, 51, 58], "few": None}},
}


def test_human_ranges_pass_midnight_and_leave_out_what_says_nothing() -> None:
    reference = capri_divergence.read_reference(json.dumps(REFERENCE))
    inside = capri_divergence.inside
    assert inside(reference, "US", "time_expression", "morning", 6 * 60) == 1
    assert inside(reference, "US", "time_expression", "night", 60) == 1
    assert inside(reference, "US", "time_expression", "night", 12 * 60) == 0
    assert inside(reference, "BR", "time_expression", "evening", 18 * 60) is None
    assert inside(reference, "FR", "quantifiers", "half", 0.5) == 1


@pytest.mark.data
def test_the_published_ranges_can_be_read(data: Path) -> None:
    reference = capri_divergence.read_reference((data / "culture" / "human_ranges.json").read_text())
    assert {culture for culture, _, _ in reference.ranges} == {"US", "IN", "BR", "GB", "FR"}


def test_every_table_lays_out_as_a_grid_or_is_plain(made: dict[str, capri.Shown]) -> None:
    for table in made.values():
        laid = capri.grid_of(table)
        assert laid is None or laid.rows
        assert table.caption


def test_every_figure_draws(made: dict[str, capri.Shown]) -> None:
    drawn = capri.figures(scores(3, 60), STUDY, made=list(made.values()))
    assert [name for name, _, _ in drawn] == [
        "figure-3",
        "figure-4",
        "figure-5",
        "figure-6a",
        "figure-6b",
        "figure-7",
        "figure-11",
    ]
    for _, _, spec in drawn:
        assert "NaN" not in figures.to_svg(spec)


def test_levels_are_those_of_the_set() -> None:
    assert tuple(cues.LEVELS) == LEVELS
