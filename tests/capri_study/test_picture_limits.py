"""Pictures of a model with limits: made smaller once, before the request is made, so that its digest is of what was sent."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
from tests.capri_study.respond import Reply
from tests.capri_study.server import key_of, serving
from tests.cli.test_commands import covary

from covary.build import pictures
from covary.build.capri import build_capri
from covary.build.pictures.image_file import image_file
from covary.exchange.capri import write_folder
from covary.prompts.requests import content_of
from covary.store.pictures import PictureFolder

LIMITS = "pictures = { max_side = 512 }"
STUDY = """\
name = "small"
seed = 0
[[items]]
source = "capri"
cue_levels = ["Null", "Neutral"]
[[models]]
name = "near"
inputs = ["text", "image"]
pictures = { max_side = 512 }
transport = { kind = "http", base_url = "http://127.0.0.1:1/v1" }
[[models]]
name = "far"
inputs = ["text", "image"]
transport = { kind = "http", base_url = "http://127.0.0.1:1/v1" }
[[scorers]]
name = "quantity"
[[conditions]]
name = "vqa"
prompt = "culture-vqa"
sampling = { temperature = 0, max_tokens = 16 }
scorers = ["quantity"]
"""


def contents(root: Path) -> dict[str, list[dict[str, object]]]:
    """The contents of all planned requests by model."""
    found: dict[str, list[dict[str, object]]] = {}
    for model, content in pl.read_parquet(root / "requests.parquet").select("model", "content").iter_rows():
        found.setdefault(model, []).append(content_of(content))
    return found


def shown(content: dict[str, object]) -> str:
    return content["messages"][0]["content"][0]["sha256"]  # type: ignore[index]


def test_what_is_planned_recorded_and_sent_is_one_smaller_picture(tmp_path: Path) -> None:
    built = build_capri(0, pictures=pictures.specifications(0)[:1])
    write_folder(built.items, built.bytes_of, tmp_path / "set")
    (tmp_path / "study.toml").write_text(STUDY)
    given = (str(tmp_path), "--data", str(tmp_path / "set"))
    first, again = (covary("plan", *given) for _ in range(2))
    assert first.returncode == 0 and "1 pictures made smaller" in first.stderr
    assert again.returncode == 0 and "made smaller" not in again.stderr
    planned = contents(tmp_path)
    (drawn,), (small,) = ({shown(content) for content in planned[name]} for name in ("far", "near"))
    assert drawn in built.bytes_of and small not in built.bytes_of
    (row,) = [json.loads(line) for line in (tmp_path / "pictures" / "sent.jsonl").read_text().splitlines()]
    data = PictureFolder(tmp_path / "pictures").read(small)
    assert image_file(data)[1:] == (512, 384)
    assert (row["picture"], row["sent"], row["limits"]["max_side"]) == (drawn, small, 512)
    assert (row["size"], row["size_before"]) == ([512, 384, len(data)], [1024, 768, len(built.bytes_of[drawn])])

    replies = {key_of(content["messages"], None): Reply("12 °C", None, "metric") for content in planned["near"]}
    with serving(replies, {small}) as (port, seen):
        (tmp_path / "study.toml").write_text(STUDY.replace("127.0.0.1:1/", f"127.0.0.1:{port}/"))
        done = covary("run", *given, "--model", "near", "--quiet")
    assert done.returncode == 0, done.stderr
    assert seen.wrong == [] and seen.pictures == len(planned["near"]) == 4  # one at Null, three at Neutral


def test_a_picture_in_the_record_is_not_drawn_again(tmp_path: Path) -> None:
    from covary.cli.picture_limits import fitting
    from covary.prompts.requests import PictureLimits

    folder = tmp_path / "pictures"
    store = PictureFolder(folder)
    drawn = store.add(pictures.render_png(pictures.specifications(0)[0]))
    with fitting(folder) as fit:
        first = fit(drawn, PictureLimits(max_side=200))
    # Another renderer's bytes: what the record names is sent all the same.
    other = store.add(b"\x89PNG\r\n\x1a\n another renderer's picture")
    record = folder / "sent.jsonl"
    record.write_text(record.read_text().replace(first.sha256, other))
    with fitting(folder) as fit:
        assert fit(drawn, PictureLimits(max_side=200)).sha256 == other
        assert fit(drawn, PictureLimits()).sha256 == drawn
