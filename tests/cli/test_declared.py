"""What is wrong in a study file is told in one line before anything is sent, whatever its shape."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_commands import covary
from tests.cli.test_end_to_end import study

from covary.cli.declared import check
from covary.studies import builtin
from covary.studies.declaration import parse

SHORT = '[[conditions]]\nname = "short"\n'


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('name = "by-language"', 'name = "../../by-language"', "expected a name for a file"),
        ('name = "by-language"', 'name = "/tmp/by-language"', "expected a name for a file"),
        ('name = "by-language"', f'name = "{"t" * 300}"', "at most 120 bytes long"),
        ('source = "file"', 'source = "file"\nlimit = -1', "items.limit: expected 1 or more, found -1"),
        (
            "[[items]]",
            '[options]\nclustr = "picture"\n[[items]]',
            "unknown key 'clustr' in options, did you mean 'cluster'",
        ),
        ("[[items]]", "[options]\ncluster = 3\n[[items]]", "expected the name of a key of meta, found 3"),
        ("[[items]]", '[[options.pipeline]]\nstage = "a"\n[[items]]', "options.pipeline: expected a text for step"),
        (SHORT, SHORT + 'reasoning_language = "zz"\n', "reasoning_language: expected an ISO 639-1 code"),
        (SHORT, SHORT + 'reasoning_language = "Finnish"\n', "expected a code, found 'Finnish'; use 'fi'"),
        (
            '[[scorers]]\nname = "mathematics"',
            '[[scorers]]\nname = "mathematics"\npolicy = { policy = "papr" }',
            "unknown policy 'papr'",
        ),
        ('name = "left"', 'name = "left"\nrole = "judge"', "asks nothing: it needs a [[conditions]] table"),
    ],
)
def test_a_mistake_in_the_study_is_one_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    folder = study(tmp_path / "s", "<final>2</final>")
    path = folder / "study.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    done = covary("run", str(folder))
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("covary: ")
    assert not list(tmp_path.parent.glob("by-language*"))


def test_data_that_is_not_there_is_told_though_no_source_reads_it(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "<final>2</final>")
    done = covary("run", str(folder), "--data", str(tmp_path / "nosuch"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "there is no such file or folder" in done.stderr


def test_a_model_whose_name_holds_a_slash_has_tables_of_language_composition(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", "First I add one to the number, and this gives two. <final>2</final>")
    path = folder / "study.toml"
    text = path.read_text().replace('name = "left"', 'name = "org/left"')
    path.write_text(
        text.replace('scorers = ["mathematics"]', 'scorers = ["mathematics", "language"]')
        + '\n[[scorers]]\nname = "language"\n'
    )
    done = covary("run", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["scores"]["language"]["judged"]
    names = {entry.name for entry in (folder / "report" / "tables").iterdir()}
    assert "language-composition-org_left-short-en.csv" in names


@pytest.mark.parametrize("name", ["quickstart", "mathmist", "capri"])
def test_the_studies_that_are_built_in_pass_these_checks(tmp_path: Path, name: str) -> None:
    check(parse(builtin.text(name), name), name)
