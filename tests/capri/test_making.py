"""Pictures and scaffolds by a model, from the command line: asked, resumed, reviewed, built; and photographs in their place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import vl_convert
from tests.capri_study.respond import Reply
from tests.capri_study.server import key_of, serving
from tests.cli.test_commands import covary

from covary.build import pictures
from covary.build.cues import CONVERSATION_TYPES, conversation
from covary.build.fill import plan_fills, plan_scaffolds, scaffold_of
from covary.build.pictures.generate import plan_pictures
from covary.cli import capri_making
from covary.cli.capri import build_set
from covary.culture import knowledge
from covary.digest import sha256_hex
from covary.errors import DataError, UsageError
from covary.exchange.capri import read_folder
from covary.prompts.requests import Model, Plan, content_of

BASE = knowledge.load()
MODEL = Model("maker")
PRICE = next(spec for spec in pictures.specifications() if spec.concept == "price")
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="1024" height="768"><rect x="9" y="9" width="99" height="99"/></svg>'
)
TURNS = [
    {"role": "user", "text": "I was eating [#cue1] when I saw this."},
    {"role": "assistant", "text": "Enjoy."},
    {"role": "user", "text": "My [#cue2] scarf is in the way."},
    {"role": "assistant", "text": "Move it, then."},
    {"role": "user", "text": "Done."},
    {"role": "assistant", "text": "Good."},
]
GOOD = json.dumps({"cue1": "dish", "cue2": "club", "turns": TURNS})
BAD = json.dumps({"cue1": "dish", "cue2": "club", "turns": TURNS[:3]})


def study(folder: Path, port: int) -> str:
    (folder / "study.toml").write_text(
        f'name = "making"\n[[models]]\nname = "maker"\ntransport = {{ base_url = "http://127.0.0.1:{port}/v1", max_attempts = 1 }}\n'
    )
    return str(folder)


def keyed(plan: Plan, texts: dict[str, str]) -> dict[str, Reply]:
    """A reply to each request of a plan, by its item."""
    content = dict(plan.requests.select("request_id", "content").iter_rows())
    return {
        key_of(content_of(content[row["request_id"]])["messages"], None): Reply(texts[row["item_id"]], None, "")
        for row in plan.links.iter_rows(named=True)
        if row["item_id"] in texts
    }


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def put(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in lines))


def test_pictures_by_a_model_wait_for_a_person_and_then_stand_in_the_set(tmp_path: Path) -> None:
    specs = [spec for spec in pictures.specifications() if spec.concept == "price"][:3]
    good, bad, late = (spec.picture_id for spec in specs)
    replies = keyed(
        plan_pictures(specs, MODEL), {good: f"Here it is: {SVG}", bad: SVG.replace("rect", "text"), late: SVG}
    )
    queue = tmp_path / "drawn" / "review.jsonl"
    asked = (
        "items",
        "draw-pictures",
        "--model",
        "maker",
        "--out",
        str(queue.parent),
        "--concept",
        "price",
        "--limit",
        "3",
    )
    withheld = dict(list(replies.items())[:2])
    with serving(withheld, set()) as (port, seen):
        done = covary(*asked, "--study", study(tmp_path, port))
    assert (done.returncode, seen.requests) == (1, 3)
    assert "1 wait for a person, 2 can't be used" in done.stdout and "run the same command again" in done.stderr

    first = rows(queue)
    assert [row["verdict"] for row in first] == ["pending", "flagged", "flagged"]
    assert "<text> element" in first[1]["reasons"][0] and "no answer to read" in first[2]["reasons"][0]
    check = {
        "verdict": "approved", "reading": PRICE.value, "value": PRICE.value, "value_readable": True, "no_text": True,
        "no_cultural_signal": True, "checked_by": "M. Reader", "checked_on": "2026-11-30",
    }  # fmt: skip
    put(queue, [first[0] | check, *first[1:]])
    with serving(replies, set()) as (port, seen):
        done = covary(*asked, "--study", study(tmp_path, port))
    assert (done.returncode, seen.requests) == (0, 1), done.stderr  # only what was missing is sent
    assert [row["verdict"] for row in rows(queue)] == ["approved", "flagged", "pending"]  # the person's row stays

    records = queue.parent / "records.jsonl"
    told = ("--licence", "CC0-1.0", "--source", "drawn by maker")
    done = covary("items", "check-pictures", str(queue), *told, "--out", str(records))
    assert done.returncode == 0 and f"{good}: may be used" in done.stdout
    built = covary(
        "items", "build", "capri", "--out", str(tmp_path / "set"), "--concept", "price", "--pictures", str(records)
    )
    assert built.returncode == 0, built.stderr
    items, bytes_of = read_folder(tmp_path / "set")
    shown = items.filter(pl.col("picture") == first[0]["sha256"])
    assert shown.height == 3 * 10 * 6
    assert bytes_of[first[0]["sha256"]].startswith(b"\x89PNG")
    assert json.loads(shown["meta"][0])["replaced"]["source"] == "drawn by maker"
    card = (tmp_path / "set" / "README.md").read_text()
    assert "license: other" in card and "1 pictures were replaced" in card and "CC0-1.0" in card


def photograph(folder: Path) -> tuple[Path, dict[str, Any]]:
    """A photograph beside its record, which names the file."""
    data = vl_convert.svg_to_jpeg('<svg xmlns="http://www.w3.org/2000/svg" width="800" height="800"/>', scale=1)
    (folder / "stall.jpg").write_bytes(data)
    record = {
        "picture_id": PRICE.picture_id, "file": "stall.jpg", "licence": "CC-BY-4.0", "source": "A. Person", "value": 40,
        "tolerance": 0, "description": "A card says 40.", "reading": 40, "value_readable": True, "no_text": True,
        "no_cultural_signal": True, "checked_by": "M. Reader", "checked_on": "2026-11-30",
    }  # fmt: skip
    return folder / "photos.jsonl", record | {"sha256": sha256_hex(data)}


def test_a_photograph_is_checked_by_its_record(tmp_path: Path) -> None:
    path, record = photograph(tmp_path)
    del record["sha256"]  # worked out from the file that the record names
    put(path, [record])
    done = covary("items", "check-pictures", str(path), "--out", str(tmp_path / "checked.jsonl"))
    assert done.returncode == 0, done.stderr
    assert rows(tmp_path / "checked.jsonl")[0]["sha256"] == sha256_hex((tmp_path / "stall.jpg").read_bytes())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"licence": "all rights reserved"}, "licence 'all rights reserved' is none of"),
        ({"reading": 41}, "the check read 41"),
        ({"no_text": False}, "check 'no_text' was not passed"),
        ({"picture_id": "price-99"}, "there is no such picture"),
        ({"file": None, "sha256": "0" * 64}, "no file beside the records"),
    ],
)
def test_every_fault_of_a_photograph_is_told(
    tmp_path: Path, change: dict[str, Any], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path, record = photograph(tmp_path)
    put(path, [{name: value for name, value in (record | change).items() if value is not None}])
    with pytest.raises(SystemExit):
        capri_making.check_pictures(path, None, None, None)
    said = capsys.readouterr().out
    assert told in said and "0 of 1 may be used" in said


def filled(scaffold: Any, culture: str) -> str:
    values = [BASE.usable(cue.cue_type, culture, "price", alone=cue.slot == 1)[0].value for cue in scaffold.cues]
    turns = conversation(scaffold, "ImplicitFull", (values[0], values[1]), culture)
    return json.dumps([{"role": turn.role, "text": turn.text} for turn in turns], ensure_ascii=False)


def test_scaffolds_by_a_model_are_written_filled_mended_and_built(tmp_path: Path) -> None:
    chat, asking, support = (f"{PRICE.picture_id}/{kind}" for kind in CONVERSATION_TYPES)
    scaffold, _ = scaffold_of(GOOD, "ok", PRICE, "chit_chat", BASE)
    assert scaffold is not None
    wanted = {f"{scaffold.scaffold_id}/{culture}": filled(scaffold, culture) for culture in ("FR", "KR", "US")}
    wanted[f"{scaffold.scaffold_id}/JP"] = wanted[f"{scaffold.scaffold_id}/FR"]  # values of another country
    replies = keyed(plan_scaffolds([PRICE], BASE, MODEL), {chat: GOOD, asking: GOOD, support: BAD})
    replies |= keyed(plan_fills([scaffold], BASE, MODEL), wanted)
    out = tmp_path / "scaffolds.jsonl"
    asked = ("items", "write-scaffolds", "--model", "maker", "--out", str(out), "--concept", "price", "--limit", "1")
    with serving(replies, set()) as (port, _):
        done = covary(*asked, "--study", study(tmp_path, port))
    assert "1 of 3 scaffolds and 3 of 10 fillings passed" in done.stdout  # six cultures got no answer
    found = {row["item_id"]: row for row in rows(out)}
    assert "shares 100% of its word 5-grams" in found[asking]["reasons"][0]
    assert "3 turns, at least 5 are wanted" in found[support]["reasons"][0]
    assert "is not among the values for JP" in found[f"{scaffold.scaffold_id}/JP"]["reasons"][0]

    # A person mends the third; a further call asks for its fillings too.
    mended = json.loads(GOOD.replace("scarf", "ticket").replace("Enjoy", "Well, take your time over it and tell me more")
                        .replace("I was eating", "Somebody at my table had left half of the").replace("Move it", "Put that away"))  # fmt: skip
    put(
        out,
        [
            row | {"verdict": "approved", "text": json.dumps(mended)} if row["item_id"] == support else row
            for row in rows(out)
        ],
    )
    with serving(replies, set()) as (port, seen):
        done = covary(*asked, "--study", study(tmp_path, port))
    assert "2 of 3 scaffolds and 3 of 20 fillings passed" in done.stdout
    assert seen.requests == 6 + 10  # what was answered is not asked again

    built = covary(
        "items", "build", "capri", "--out", str(tmp_path / "set"), "--concept", "price", "--scaffolds", str(out)
    )
    assert built.returncode == 0, built.stderr
    items = read_folder(tmp_path / "set").items
    own = items.filter(pl.col("source_id") == scaffold.scaffold_id)
    assert (items.height, own.height) == (63 * 10 * 6, 60)
    french = own.filter((pl.col("culture") == "FR") & (pl.col("cue_level") == "ImplicitFull"))["conversation"][0]
    assert [turn["text"] for turn in french] == [
        turn["text"] for turn in json.loads(wanted[f"{scaffold.scaffold_id}/FR"])
    ]
    assert items.filter(pl.col("source_id").str.starts_with("capri-model-"))["source_id"].n_unique() == 2
    assert "A model wrote 2 of its scaffolds" in (tmp_path / "set" / "README.md").read_text()


def test_an_approved_row_that_fails_a_check_is_named(tmp_path: Path) -> None:
    out = tmp_path / "scaffolds.jsonl"
    put(
        out,
        [{"item_id": f"{PRICE.picture_id}/chit_chat", "pass": "capri-scaffold", "verdict": "approved", "text": BAD}],
    )
    with pytest.raises(DataError, match=r"scaffolds\.jsonl:1: 3 turns, at least 5 are wanted.*mend its text"):
        capri_making.written_scaffolds(out, [PRICE])


def test_a_control_that_needs_a_placebo_slot_is_refused_with_scaffolds_by_a_model(tmp_path: Path) -> None:
    put(tmp_path / "s.jsonl", [])
    with pytest.raises(UsageError, match="no placebo slot"):
        build_set(tmp_path / "set", 0, "start-of-neutral", ["Placebo"], None, tmp_path / "s.jsonl", [])
