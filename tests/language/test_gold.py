"""Language composition against traces whose languages are known."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from tests.language.eye import eye_sample
from tests.language.gold import COUNT, LENGTHS, PLANTED, Trace, planted, traces

from covary.digest import Draw
from covary.scoring.language import compose

LEAST_RIGHT = 0.95
LEAST_RECALL = 0.95


def found(trace: Trace) -> frozenset[str]:
    """The languages found, a Cyrillic script of unknown language taken for Russian: one word can't tell it from others."""
    return frozenset("ru" if code == "Cyrl" else code for code in compose(trace.text).languages)


def test_at_least_95_of_100_known_mixtures_are_told_whole() -> None:
    made = list(traces())
    missed = [
        (trace.kind, trace.planted, sorted(trace.languages), sorted(found(trace)))
        for trace in made
        if found(trace) != trace.languages
    ]
    assert len(made) == COUNT >= 200
    assert len(missed) <= (1 - LEAST_RIGHT) * COUNT, missed


def test_planted_prose_of_every_kind_is_recalled_from_one_word_on() -> None:
    seen: Counter[str] = Counter()
    recalled: Counter[str] = Counter()
    for index in range(70):
        trace = planted(Draw("recall", index))
        language = PLANTED[trace.kind][0]
        seen[trace.kind] += 1
        recalled[trace.kind] += language in found(trace)
    assert set(seen) == set(PLANTED) and set(LENGTHS) == {1, 2, 3, 5, 10, 20}
    assert {kind: recalled[kind] / seen[kind] for kind in seen if recalled[kind] < LEAST_RECALL * seen[kind]} == {}


@pytest.mark.data
def test_at_least_95_of_100_recorded_traces_are_told_as_the_eye_does(data: Path) -> None:
    labels = [json.loads(line) for line in Path(__file__).with_name("eye_labels.jsonl").read_text("utf-8").splitlines()]
    missed = [
        (label, compose(generation.text).languages)
        for label, generation in zip(labels, eye_sample(data), strict=True)
        if sorted(compose(generation.text).languages) != sorted(label["languages"])
    ]
    assert len(labels) == 100
    assert len(missed) <= (1 - LEAST_RIGHT) * len(labels), missed
