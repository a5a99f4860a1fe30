"""Study files: what is right parses, what is wrong gets one line with its place and the nearest right word."""

from __future__ import annotations

import pytest

from covary.errors import StudyError
from covary.studies import builtin
from covary.studies.declaration import parse

GOOD = """\
name = "small"
[[items]]
source = "templates"
languages = ["en"]

[[models]]
name = "m"
transport = { kind = "fake" }

[[conditions]]
name = "short"
prompt = "solve-direct"
scorers = ["mathematics"]

[[scorers]]
name = "mathematics"
"""


def test_a_good_file_parses() -> None:
    study = parse(GOOD, "study.toml")
    assert study.conditions[0].replicates == 1
    assert study.models[0].transport == {"kind": "fake"}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("languages =", "langauges =", r"study\.toml:4: unknown key 'langauges' in items, did you mean 'languages'"),
        ('"templates"', '"template"', r"study\.toml:3: source can't be 'template', did you mean 'templates'"),
        (
            '"solve-direct"',
            '"solve-drect"',
            r"study\.toml:12: unknown prompt 'solve-drect', did you mean 'solve-direct'",
        ),
        (
            '["mathematics"]',
            '["mathematic"]',
            r"study\.toml:13: unknown scorer 'mathematic', did you mean 'mathematics'",
        ),
        ('["en"]', '"en"', r"study\.toml:4: items\[0\]\.languages: Expected `array`, got `str`"),
        ("[[scorers]]", "[[scorer]]", r"study\.toml:15: unknown key 'scorer' in the study, did you mean 'scorers'"),
        ('name = "small"', 'name = "small"\nformat = 7', r"study format 7; this version of covary reads format 1"),
        ('name = "small"', "name = small", r"not valid TOML"),
        ('name = "small"', 'title = "x"', r"missing required field `name`"),
        (
            'name = "m"',
            'name = "m"\nparameters_b = "7B"',
            r"study\.toml:8: models\[0\]\.parameters_b: Expected `float \| null`",
        ),
        ('name = "short"', 'name = "short"\nreplicates = 0', r"study\.toml:12: replicates must be 1 or more"),
        ('name = "short"', 'name = "short"\nmodels = ["n"]', r"study\.toml:12: unknown model 'n'"),
    ],
)
def test_a_fault_is_told_with_its_line(old: str, new: str, expected: str) -> None:
    with pytest.raises(StudyError, match=expected) as caught:
        parse(GOOD.replace(old, new, 1), "study.toml")
    assert "\n" not in str(caught.value)


def test_names_are_used_once() -> None:
    with pytest.raises(StudyError, match=r":1[89]: scorers: the name 'mathematics' is used twice"):
        parse(GOOD + '\n[[scorers]]\nname = "mathematics"\n', "study.toml")


@pytest.mark.parametrize("name", builtin.names())
def test_every_built_in_study_parses_and_says_what_it_is(name: str) -> None:
    study = builtin.study(name)
    assert study.name == name
    assert study.title
    assert study.conditions
    for published in study.published:
        assert builtin.companion(published.file)


def test_an_unknown_built_in_names_the_nearest() -> None:
    with pytest.raises(StudyError, match="did you mean 'mathmist'"):
        builtin.study("mathmst")
