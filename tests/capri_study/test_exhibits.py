"""Tables that are declarations, the table and figure by size, slips of the paper, and why a printed cell has no number of ours."""

from __future__ import annotations

import json
from dataclasses import replace

import polars as pl
import pytest
from tests.capri_study.population import scores

from covary.analysis.divergence import prior
from covary.build.cues import LEVELS
from covary.prompts.requests import Model
from covary.report import capri, capri_cues, capri_declared, capri_divergence, capri_published, capri_slips
from covary.report.capri_priors import beside_corpus, read_corpus
from covary.report.exhibit import as_bytes
from covary.report.figures import PALETTE
from covary.report.sheet import Sheet
from covary.scoring.depth import read_depth
from covary.studies import builtin
from covary.studies.declaration import Study, parse

STUDY = parse(builtin.text("capri"), "capri.toml")
PRINTED = builtin.companion("capri_published.csv") or ""
SIZES = {"small": 2.0, "middle": 8.0, "large": 32.0}
RIGHT = {"small": 4, "middle": 10, "large": 16}  # of 20 pictures, under pragmatic reasoning, from the first cue on
PICTURES = 20


def test_every_country_has_its_convention_and_britain_two_left_out() -> None:
    frame = capri_declared.conventions()
    assert frame.height == 10
    britain = frame.row(by_predicate=pl.col("country") == "United Kingdom", named=True)
    assert britain == {
        "country": "United Kingdom", "temperature": "metric", "distance": "left out", "speed": "imperial",
        "size": "left out", "price": "GBP",
    }  # fmt: skip


def test_the_published_forms_stand_beside_ours_which_are_more() -> None:
    frame = capri_declared.unit_forms()
    assert frame.height == 4 * 2 + 10
    km = frame.filter((pl.col("concept") == "distance") & (pl.col("counts as") == "metric")).row(0, named=True)
    assert km["published forms"].split(", ") == ["km", "m", "cm", "kilometer", "meter", "centimeter"]
    assert km["forms read"] > 100


def test_models_are_listed_by_checkpoint_with_what_was_answered() -> None:
    frame = capri_declared.models(STUDY.models, ["qwen3-vl-8b"])
    assert frame.height == 9
    assert dict(frame.group_by("answered here").len().iter_rows()) == {True: 2, False: 7}


def test_the_examples_of_depth_have_their_level() -> None:
    for level, example in capri_declared.depth_levels().select("level", "example").iter_rows():
        assert read_depth(example, "size").level == level


def by_size() -> tuple[pl.DataFrame, Study]:
    """Scores of three models of one family: all know the country from the first cue on, a larger one acts on it more often."""
    rows = [
        {
            "item_id": f"p{picture}/{level}",
            "source_id": f"p{picture}",
            "cluster": f"p{picture}",
            "request_id": f"{model}/{condition}/p{picture}/{level}",
            "condition": condition,
            "cue_level": level,
            "model": model,
            "scorer": "country" if condition == "bg-cot" else "quantity",
            "value": float(level in LEVELS[2:] and (condition == "bg-cot" or picture < RIGHT[model])),
        }
        for model in SIZES
        for condition in ("bg-cot", "vqa-pragmatic")
        for level in LEVELS
        for picture in range(PICTURES)
    ]
    fixed = {"culture": "FR", "domain": "temperature", "answer": "x", "reason": "", "detail": "{}", "language": "en"}
    frame = pl.DataFrame(rows).with_columns(
        *(pl.lit(value).alias(name) for name, value in fixed.items()), replicate=pl.lit(0, dtype=pl.Int32)
    )
    models = tuple(Model(n, family="Known", parameters_b=b, inputs=("text", "image")) for n, b in SIZES.items())
    return frame, replace(STUDY, models=models, options={"cluster": "picture_id"})


@pytest.fixture(scope="module")
def sized() -> tuple[list[capri.Shown], Study]:
    frame, study = by_size()
    return capri.tables(frame, study), study


def test_the_gap_by_size_is_the_known_one(sized: tuple[list[capri.Shown], Study]) -> None:
    table = {table.name: table.frame for table in sized[0]}["capri-scaling"]
    assert table["line"].to_list() == ["small", "middle", "large"]
    assert table["reply"].to_list() == [20.0, 50.0, 80.0]
    assert table["gap"].to_list() == [80.0, 50.0, 20.0]
    assert table["more_than_next_smaller"].to_list() == [None, 30.0, 30.0]
    # McNemar, six pairs that differ, all one way: 2 / 2⁶ = 0.03125; Holm over two steps doubles it.
    assert table["p"].to_list() == [None, 0.0625, 0.0625]


def test_the_figure_by_size_shades_the_known_gap(sized: tuple[list[capri.Shown], Study]) -> None:
    made, study = sized
    (spec,) = [spec for name, _, spec in capri.figures(pl.DataFrame(), study, made=made) if name == "figure-5"]
    assert spec["facet"]["sort"] == ["small", "middle", "large"]
    shaded = {
        row["line"]: row["to"] - row["from"]
        for row in spec["data"]["values"]
        if "from" in row and row["cue_level"] == "Implicit"
    }
    assert shaded == pytest.approx({"small": 80, "middle": 50, "large": 20})


def test_models_of_different_families_have_no_table_by_size() -> None:
    assert "capri-scaling" not in {table.name for table in capri.tables(scores(1, 8), STUDY)}


def printed() -> tuple[capri_published.Cell, ...]:
    return capri_published.read_published(PRINTED)


def test_the_slips_of_the_paper_are_told_with_stated_and_computed() -> None:
    frame = capri_slips.slips(printed(), STUDY).frame
    found = {row["states"]: (row["stated"], row["computed"], row["difference"]) for row in frame.to_dicts()}
    assert found["objective concepts that Figure 11 is over"] == (6, 5, -1)
    assert found["cultures whose accuracy is 80 to 90 %: most"] == (5, 3, -2)  # 90.0, 87.8, 89.1
    assert found["control group on average: over 75 %"] == (75, 75, 0)  # 93 of 124 are 75.0 %
    assert found["CN is the closest culture of qwen3-vl-32b by D_expl: cultures at that value"] == (1, 2, 1)
    # 33, 32, 18, 24, 21, 24 and 20 pictures: all but the 18 of speed are 89.5 %; 98 % of 21 pictures would be 20.6 of them
    assert found["qwen3-vl-32b names the US at Null"] == (94, 89.5, -4.5)
    assert found["gemini-3.1-flash-lite answers prices in USD at Null"] == (98, 100, 2)
    (wordings,) = [row for states, row in found.items() if states.startswith("ways to make ExplicitFull")]
    assert wordings == (1, 3, 2)
    assert not any(place.startswith("Table") for place in frame["place"])  # its tables agree with each other


@pytest.mark.parametrize(
    ("line", "mended", "place", "stated", "computed"),
    [
        ("table-1,,,size,,scaffolds,72", "table-1,,,size,,scaffolds,73", "Table 1", 73, 72),
        # 6.9 % of 132 answers would be 9.1; nine are 6.8 %
        ("table-2,qwen3-vl-32b,US,,direct,D_impl,6.8", "table-2,qwen3-vl-32b,US,,direct,D_impl,6.9", "Table 2", 6.9, 900 / 132),
        ("table-5,,,size,,control,15", "table-5,,,size,,control,16", "Table 5", 16, 15),
        ("table-6,,FR,speed,,eval %,85.7", "table-6,,FR,speed,,eval %,80.7", "Table 6", 80.7, 600 / 7),
    ],
)  # fmt: skip
def test_a_planted_slip_is_found(line: str, mended: str, place: str, stated: float, computed: float) -> None:
    assert line in PRINTED
    planted = capri_slips.slips(capri_published.read_published(PRINTED.replace(line, mended)), STUDY).frame
    assert (place, stated, pytest.approx(computed)) in planted.select("place", "stated", "computed").rows()


def test_a_printed_cell_without_a_number_of_ours_says_why() -> None:
    rows = scores(2, 40).with_columns(model=pl.lit("gemma-4-e4b")).filter(pl.col("condition") != "vqa-cot")
    made = {table.name: table.frame for table in capri.tables(rows, STUDY, read=builtin.companion)}
    told = {
        (row["table"], row["line"], row["mode"], row["metric"]): (row["verdict"], row["why"])
        for row in made["capri-published"].to_dicts()
    }
    assert told["figure-11", "gemma-4-31b", "pragmatic", "L3"] == ("not computable", "gemma-4-31b has no scores here")
    why = "gemma-4-e4b was not asked for the reply in mode cot"
    assert told["figure-11", "gemma-4-e4b", "cot", "L3"] == ("not computable", why)
    assert (
        told["figure-11", "gemma-4-e4b", "pragmatic", "L3"][1] == "no judged answer there"
    )  # no literal level in these
    assert told["table-5", "", "", "eval %"][1] == "no answers of people: options.annotations names no file"
    assert all(why for verdict, why in told.values() if verdict == "not computable")


def test_an_answer_that_was_never_given_has_a_share_of_zero() -> None:
    cells = (capri_published.Cell("figure-6a", "m", "", "", "direct", "US", 94.0),)
    group = json.dumps({"line": "m", "mode": "direct", "answer": "unknown"})
    frame = pl.DataFrame({"group": [group], "value": [1.0], "low": [0.6], "high": [1.0]})
    made = {"capri-prior-country": capri.Shown("capri-prior-country", "", frame, ("line",), ("answer",))}
    (row,) = capri_published.compared(made, cells).frame.to_dicts()
    assert (row["ours"], row["verdict"]) == (0.0, "differs")


def test_a_unit_that_was_never_given_stands_beside_its_corpus_with_an_interval() -> None:
    answers = pl.DataFrame(
        [{"line": "m", "mode": "direct", "domain": "speed", "cue_level": "Null", "cluster": f"p{n}", "source_id": f"p{n}",
          "answer": "metric"} for n in range(18)]
    )  # fmt: skip
    units = prior(answers, ["line", "mode", "domain"], level="Null", cluster="cluster")
    beside = beside_corpus(units, read_corpus("concept,unit,share,corpus\nspeed,imperial,70,web\n"))
    (row,) = beside.to_dicts()
    # Wilson for none of 18: z² / (n + z²) with z = 1.96: 3.8416 / 21.8416
    assert (row["prior"], row["low"], row["high"], row["corpus_share"]) == (0.0, 0.0, 17.6, 70.0)


def test_gap_and_modes_are_split_by_concept_and_culture(sized: tuple[list[capri.Shown], Study]) -> None:
    made = {table.name: table for table in sized[0]}
    for name, factor, level in (
        ("capri-gap-by-concept", "domain", "temperature"),
        ("capri-gap-by-culture", "culture", "FR"),
    ):
        found = {json.loads(g)["line"]: v for g, v in made[name].frame.select("group", "value").iter_rows()}
        assert found == pytest.approx({"small": 0.8, "middle": 0.5, "large": 0.2})
        assert all(json.loads(group)[factor] == level for group in made[name].frame["group"])
    split = {table.name: table.frame for table in capri.tables(scores(3, 40), STUDY)}
    for name, factor, levels in (("capri-modes-by-concept", "domain", 5), ("capri-modes-by-culture", "culture", 10)):
        groups = [json.loads(group) for group in split[name]["group"]]
        assert len(groups) == 3 * levels and {group["change"] for group in groups} == {
            "cot against direct", "pragmatic against cot", "pragmatic against direct",
        }  # fmt: skip
        assert len({group[factor] for group in groups}) == levels
    for name, groups in (("capri-depth-by-concept", 5), ("capri-depth-by-culture", 10)):
        shares = split[name].group_by(pl.col("group").str.replace(r'"depth":"L\d",?', "")).agg(pl.col("value").sum())
        assert shares.height == 2 * groups and shares["value"].to_list() == pytest.approx([1] * shares.height)


def test_divergence_is_split_by_culture_and_concept() -> None:
    # One conversation: US and FR get "some", BR gets "half". Of the three pairs two differ: BR's both, one of each other's two.
    rows = pl.DataFrame(
        [
            {"source_id": "s", "cluster": "p", "culture": culture, "cue_level": level, "answer": answer, "line": "m",
             "mode": "direct", "task": "vqa", "scorer": "option", "domain": "quantifiers", "replicate": 0,
             "request_id": f"{culture}/{level}"}
            for level, answers in (("Neutral", ("some",) * 3), ("ImplicitFull", ("some", "some", "half")))
            for culture, answer in zip(("US", "FR", "BR"), answers, strict=True)
        ]
    )  # fmt: skip
    made = {table.name: table.frame for table in capri_divergence.tables(rows, STUDY, None, None)}
    by_culture = {
        json.loads(g)["culture"]: v for g, v in made["capri-inter-by-culture"].select("group", "value").iter_rows()
    }
    assert by_culture == pytest.approx({"US": 0.5, "FR": 0.5, "BR": 1.0})
    assert made["capri-inter-by-concept"]["value"].to_list() == pytest.approx([2 / 3])
    assert made["capri-shift-by-concept"]["value"].to_list() == pytest.approx([1 / 3])


def test_cues_that_nobody_confirmed_are_counted_by_country() -> None:
    def item(name: str, culture: str, *cues: tuple[str, bool]) -> dict[str, str]:
        told = [
            {"type": "dish", "value": value, "neutral": "a meal", "culture": culture, "verified": sure}
            for value, sure in cues
        ]
        return {"item_id": name, "culture": culture, "cue_level": "ImplicitFull", "meta": json.dumps({"cues": told})}

    items = pl.DataFrame(
        [item("a", "FR", ("+33", True), ("Fnac", False)), item("b", "FR", ("+33", True), ("Orly", True)), item("c", "BR", ("feijoada", False))]
    )  # fmt: skip
    assert capri_cues.verified(items).rows() == [("FR", 3, 2, 1, 2, 1), ("BR", 1, 0, 1, 1, 1)]
    assert capri_cues.tables(items.with_columns(meta=pl.lit("{}"))) == []


def test_a_table_of_words_is_drawn_with_moved_answers_in_colour(sized: tuple[list[capri.Shown], Study]) -> None:
    case = Sheet("capri-case-1", "A case.", pl.DataFrame({"culture": ["US", "BR"], "ExplicitFull": ["some", "→ half"]}))
    for form, mark in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<svg")):
        assert as_bytes(case, form).startswith(mark)
    drawn = as_bytes(case, "svg").decode()
    assert "half" in drawn and PALETTE[1].lower() in drawn.lower()
    for table in sized[0]:
        exhibit = capri.grid_of(table) or Sheet(table.name, table.caption, table.frame)
        assert as_bytes(exhibit, "svg").startswith(b"<svg"), table.name


def test_every_table_has_every_format_of_text(sized: tuple[list[capri.Shown], Study]) -> None:
    for table in sized[0]:
        exhibit = capri.grid_of(table) or Sheet(table.name, table.caption, table.frame)
        for form in ("csv", "latex", "html", "parquet"):
            assert as_bytes(exhibit, form), (table.name, form)


def test_the_clock_grid_is_in_the_order_of_levels_and_cultures() -> None:
    answers = pl.DataFrame(
        [
            {"item_id": f"{level}{culture}", "line": "m", "mode": "direct", "cue_level": level, "culture": culture,
             "domain": "time_expression", "answer": "evening"}
            for level in ("ExplicitFull", "Null", "ImplicitCue1") for culture in ("BR", "US")
        ]
    )  # fmt: skip
    items = answers.select("item_id", meta=pl.lit(json.dumps({"true_value": 18 * 60})))
    grid = capri_divergence.clock_grid(answers, items)
    assert grid.select("cue_level", "culture").rows() == [
        (level, culture) for level in ("Null", "ImplicitCue1", "ExplicitFull") for culture in ("US", "BR")
    ]
    assert grid["18:00"].to_list() == ["evening"] * 6


def test_controls_stand_in_tables_and_not_among_the_levels_of_a_figure() -> None:
    frame, study = by_size()
    placebo = frame.filter(pl.col("cue_level") == "Neutral").with_columns(cue_level=pl.lit("Placebo"))
    made = capri.tables(pl.concat([frame, placebo]), study)
    levels = {
        json.loads(group).get("cue_level")
        for table in made
        if table.name == "capri-levels"
        for group in table.frame["group"]
    }
    assert "Placebo" in levels
    (spec,) = [spec for name, _, spec in capri.figures(pl.DataFrame(), study, made=made) if name == "figure-5"]
    assert {row["cue_level"] for row in spec["data"]["values"]} == {
        "Null",
        "Neutral",
        "Cue 1",
        "Cue 2",
        "Implicit",
        "Explicit",
    }
