"""Models without vision: the picture told in words, on the embedded model, and marked so wherever its numbers stand."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.cli.test_commands import covary

from covary.build import pictures
from covary.build.capri import build_capri
from covary.errors import WeightsError
from covary.exchange.capri import write_folder
from covary.prompts.requests import content_of
from covary.report.capri_frame import IN_WORDS
from covary.run import weights

STUDY = """\
name = "in-words"
[options]
cluster = "picture_id"
tables = "capri"
[[items]]
source = "capri"
cultures = ["US", "FR"]
cue_levels = ["Null", "ImplicitFull"]
[[models]]
name = "smollm2-135m"
transport = { kind = "embedded", weights = "smollm2-135m" }
[[scorers]]
name = "country"
[[scorers]]
name = "quantity"
[[conditions]]
name = "bg-direct"
prompt = "culture-background"
sampling = { temperature = 0, max_tokens = 16 }
scorers = ["country"]
[[conditions]]
name = "vqa-direct"
prompt = "culture-vqa"
sampling = { temperature = 0, max_tokens = 16 }
scorers = ["quantity"]
"""


@pytest.mark.slow
def test_the_text_route_runs_on_the_embedded_model_and_is_marked_in_tables_and_page(tmp_path: Path) -> None:
    try:
        weights.fetch("smollm2-135m")
    except WeightsError as error:
        pytest.skip(f"no small weights: {error}")
    built = build_capri(0, pictures=pictures.specifications(0)[:1])
    write_folder(built.items, built.bytes_of, tmp_path / "set")
    (tmp_path / "study.toml").write_text(STUDY)
    done = covary("run", str(tmp_path), "--data", str(tmp_path / "set"), "--quiet")
    assert done.returncode == 0, done.stderr

    told = [
        content_of(content)["messages"][0]["content"]
        for content in pl.read_parquet(tmp_path / "requests.parquet")["content"]
    ]
    assert all(isinstance(content, str) for content in told)  # nothing but text was sent
    # one at Null and six at ImplicitFull (three scaffolds, two cultures) are asked about the picture, told in words
    assert sum("The picture in words:" in content for content in told) == 7
    answered = pl.read_parquet(tmp_path / "scores.parquet").filter(pl.col("request_id").is_not_null())
    assert answered.filter(pl.col("reason").str.starts_with("error")).is_empty()

    tables = tmp_path / "report" / "tables"
    for name in ("capri-levels", "capri-prior-unit", "capri-prior-country", "capri-gap"):
        text = (tables / f"{name}.csv").read_text()
        assert text.count("smollm2-135m") == text.count(f"smollm2-135m{IN_WORDS}") > 0, name
    assert f"smollm2-135m{IN_WORDS}" in (tmp_path / "report" / "index.html").read_text()
    assert json.loads(built.items["meta"][0])["description"] in "".join(told)
