"""`covary run capri` from the set to the report, against a loopback model whose habits are known."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.capri_study.respond import COUNTRY_PRIOR, OPTIONS, Reply, gold, reply
from tests.capri_study.server import THINKING, Seen, key_of, serving
from tests.capri_study.simulate import asked_of, task_and_mode
from tests.cli.test_commands import covary

from covary.analysis.pairing import Contrast
from covary.build import pictures
from covary.build.capri import build_capri
from covary.exchange.capri import write_folder
from covary.prompts.requests import content_of
from covary.report import capri
from covary.report.estimates import contrast_estimates, table_estimates
from covary.scoring.factors import with_factors
from covary.studies import builtin
from covary.studies.declaration import Study, parse

MODEL = "gemma-4-e4b"
SEED = 7
CONCEPTS = ("temperature", "size", "price", "time_expression")


class Ran:
    """A finished run: the study and its folder, what the server saw, and what the model said to each cell."""

    def __init__(self, study: Study, folder: Path, seen: Seen, said: pl.DataFrame) -> None:
        self.study, self.folder, self.seen, self.said = study, folder, seen, said
        self.items = pl.read_parquet(folder / "items.parquet")
        self.scores = pl.read_parquet(folder / "scores.parquet")
        self.frame = with_factors(self.scores, self.items, study.models, "picture_id")
        self.tables = {table.name: table for table in capri.tables(self.frame, study, items=self.items)}

    def cell(self, table: str, **levels: str) -> float:
        """The one value of a table whose group is exactly these levels."""
        for group, value in self.tables[table].frame.select("group", "value").iter_rows():
            if json.loads(group) == levels:
                return value
        raise AssertionError(f"{table} has no cell {levels}")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A run over the first picture of four concepts, the clock's on the hour."""
    folder = tmp_path_factory.mktemp("capri")
    first = {spec.concept: spec for spec in reversed(pictures.specifications(0)) if spec.concept in CONCEPTS}
    built = build_capri(0, pictures=list(first.values()))
    write_folder(built.items, built.bytes_of, folder / "set")
    out = folder / "study"
    given = ("--data", str(folder / "set"), "--out", str(out), "--model", MODEL, "--quiet")
    assert covary("run", "capri", *given, "--only", "plan").returncode == 0
    study = parse((out / "study.toml").read_text(), "study.toml")
    replies, said = _answers(study, out)
    with serving(replies, set(built.bytes_of)) as (port, seen):
        file = out / "study.toml"
        file.write_text(file.read_text().replace("http://127.0.0.1:8006/v1", f"http://127.0.0.1:{port}/v1"))
        done = covary("run", "capri", *given)
    assert done.returncode == 0, done.stderr
    return Ran(study, out, seen, said)


def test_the_server_gets_every_planned_request_once_and_only_planned_pictures(ran: Ran) -> None:
    # 4 pictures, 12 scaffolds; ten cultures, nine for size: 3 · (3 · 10 + 9) = 117 conversations.
    # background: 4 questions at Null; reply: 4 pictures; both: 12 at Neutral and 117 at each of four levels.
    each = 4 + 12 + 4 * 117
    assert ran.seen.wrong == []
    assert ran.seen.requests == 5 * each
    assert ran.seen.pictures == 3 * each


def test_the_background_request_at_null_is_the_question_alone(ran: Ran) -> None:
    table = ran.tables["capri-prior-country"].frame
    assert set(table["n_requests"]) == {4}
    assert set(table["n_items"]) == {4}


def test_what_the_model_said_comes_back_at_every_level_and_mode(ran: Ran) -> None:
    objective = ran.said.filter(~pl.col("domain").is_in(list(OPTIONS)))
    for (task, mode, level), part in objective.group_by("task", "mode", "cue_level"):
        found = ran.cell("capri-levels", line=MODEL, mode=str(mode), task=str(task), cue_level=str(level))
        assert found == pytest.approx(part["right"].mean())


def test_the_declared_table_of_replies_says_the_same(ran: Ran) -> None:
    (table,) = [table for table in ran.study.tables if table.name == "reply"]
    modes = {"vqa-direct": "direct", "vqa-cot": "cot", "vqa-pragmatic": "pragmatic"}
    estimates = table_estimates(ran.frame, table)
    assert estimates.height == 18
    for group, value in estimates.select("group", "value").iter_rows():
        levels = json.loads(group)
        mode = modes[levels["condition"]]
        same = ran.cell("capri-levels", line=MODEL, mode=mode, task="vqa", cue_level=levels["cue_level"])
        assert value == pytest.approx(same)


def test_declared_contrasts_leave_out_what_has_no_right_answer(ran: Ran) -> None:
    (use,) = [use for use in ran.study.contrasts if use.name == "both cues against none"]
    contrast = Contrast(use.name, use.factor, use.levels, use.fixed, use.by, use.blocked_by, family=use.family)
    found = contrast_estimates(ran.frame, [contrast], use.scorer).filter(pl.col("group").str.contains("vqa-direct"))
    by_level = [
        ran.cell("capri-levels", line=MODEL, mode="direct", task="vqa", cue_level=level)
        for level in ("ImplicitFull", "Neutral")
    ]
    assert found["value"].item() == pytest.approx(by_level[0] - by_level[1])


def test_the_gap_is_the_difference_of_the_two_tasks(ran: Ran) -> None:
    means = {
        key: part["right"].mean()
        for key, part in ran.said.filter(~pl.col("domain").is_in(list(OPTIONS))).group_by("task", "mode", "cue_level")
    }
    for mode, beside in (("direct", "direct"), ("cot", "cot"), ("pragmatic", "cot")):
        for level in ("Neutral", "ImplicitCue1", "ImplicitFull", "ExplicitFull"):
            expected = means[("bg", beside, level)] - means[("vqa", mode, level)]
            assert ran.cell("capri-gap", line=MODEL, mode=mode, cue_level=level) == pytest.approx(expected)


def test_the_depth_of_traces_comes_back(ran: Ran) -> None:
    traces = ran.said.filter((pl.col("task") == "vqa") & (pl.col("cue_level") == "ImplicitFull"))
    for mode in ("cot", "pragmatic"):
        part = traces.filter((pl.col("mode") == mode) & ~pl.col("domain").is_in(list(OPTIONS)))
        for depth in ("L0", "L1", "L2", "L3"):
            expected = (part["depth"] == depth).mean()
            assert ran.cell("capri-depth", line=MODEL, mode=mode, depth=depth) == pytest.approx(expected)


def test_shifts_from_neutral_come_back(ran: Ran) -> None:
    words = ran.said.filter((pl.col("task") == "vqa") & pl.col("domain").is_in(list(OPTIONS)))
    keys = ["mode", "source_id", "culture"]
    neutral = words.filter(pl.col("cue_level") == "Neutral").select(*keys, before="said")
    moved = words.join(neutral, on=keys).with_columns(moved=pl.col("said") != pl.col("before"))
    for (mode, culture, level), part in moved.group_by("mode", "culture", "cue_level"):
        name = {"ImplicitFull": "capri-d-impl", "ExplicitFull": "capri-d-expl"}.get(str(level))
        if name is not None:
            found = ran.cell(name, line=MODEL, mode=str(mode), cue_level=str(level), culture=str(culture))
            assert found == pytest.approx(part["moved"].mean())


def test_cultures_that_share_a_prompt_never_differ(ran: Ran) -> None:
    for mode in ("direct", "cot", "pragmatic"):
        for level in ("Null", "Neutral"):
            assert ran.cell("capri-inter", line=MODEL, mode=mode, cue_level=level) == 0


def test_every_scorer_judges_what_it_can(ran: Ran) -> None:
    judged = ran.scores.filter(pl.col("value").is_not_null() | pl.col("answer").is_not_null())
    assert set(judged["scorer"]) == {"country", "quantity", "option", "plausibility", "depth", "capri-paper"}


@pytest.mark.parametrize(("table", "form"), [("figure-3", "png"), ("capri-slips", "csv")])
def test_each_exhibit_comes_from_the_command_line_in_its_format(ran: Ran, table: str, form: str) -> None:
    done = covary("report", str(ran.folder), "--table", table, "--format", form)
    assert done.returncode == 0, done.stderr
    if form == "csv":
        assert "place,states,stated,computed,difference" in done.stdout
    else:
        (file,) = ran.folder.rglob(f"{table}.{form}")
        assert file.read_bytes().startswith(b"\x89PNG")


def _answers(study: Study, folder: Path) -> tuple[dict[str, Reply], pl.DataFrame]:
    """The reply to each planned request by what the server will see of it, and what was said in each cell."""
    items = pl.read_parquet(folder / "items.parquet")
    links = pl.read_parquet(folder / "links.parquet")
    contents = dict(pl.read_parquet(folder / "requests.parquet").select("request_id", "content").iter_rows())
    facts = {row["item_id"]: row for row in items.iter_rows(named=True)}
    conditions = {condition.name: condition for condition in study.conditions}
    replies: dict[str, Reply] = {}
    by_request: dict[str, Reply] = {}
    cells = []
    for link in links.iter_rows(named=True):
        item, condition = facts[link["item_id"]], conditions[link["condition"]]
        if link["request_id"] not in by_request:
            asked = asked_of(item, json.loads(item["meta"])["picture_id"], condition, link["replicate"])
            by_request[link["request_id"]] = reply(SEED, asked)
            content = content_of(contents[link["request_id"]])
            replies[key_of(content["messages"], content["sampling"].get(THINKING))] = by_request[link["request_id"]]
        said = by_request[link["request_id"]]
        task, mode = task_and_mode(condition)
        right = said.said == (item["culture"] if task == "bg" else _gold(item))
        cells.append(
            (
                task,
                mode,
                item["cue_level"],
                item["culture"],
                item["domain"],
                item["source_id"],
                said.said,
                said.depth,
                right,
            )
        )
    columns = ["task", "mode", "cue_level", "culture", "domain", "source_id", "said", "depth", "right"]
    return replies, pl.DataFrame(cells, schema=columns, orient="row", infer_schema_length=None)


def _gold(item: dict[str, object]) -> str:
    return "" if item["domain"] in OPTIONS else gold(str(item["culture"]), str(item["domain"]))


def test_the_built_in_study_names_the_model_of_this_test() -> None:
    assert MODEL in [model.name for model in parse(builtin.text("capri"), "capri").models]
    assert sum(COUNTRY_PRIOR.values()) == pytest.approx(1)
