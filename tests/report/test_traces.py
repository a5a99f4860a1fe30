"""Failures of traces in the reader's sight: spans marked where they stand, long texts cut around them, nothing ever markup."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from covary.report.page import Page, render, sentences
from covary.report.spans import CUT, LEAST_CUT, Piece, pieces
from covary.report.traces import faults, highlighted

EVIL = "<img src=x onerror=alert(1)>"


def test_a_short_text_is_whole_with_its_span_marked() -> None:
    assert pieces("so I give up now", [{"start": 5, "end": 12, "label": "giving-up"}]) == [
        Piece("so I "),
        Piece("give up", "giving-up"),
        Piece(" now"),
    ]
    assert pieces("plain") == [Piece("plain")]


def test_a_long_text_shows_its_ends_and_what_lies_around_the_span_and_tells_the_gaps() -> None:
    text = "a" * 5_000 + "FAULT" + "b" * 5_000
    found = pieces(text, [{"start": 5_000, "end": 5_005, "label": "loop"}])
    assert [piece.kind for piece in found] == ["", CUT, "", "loop", "", CUT, ""]
    # Shown: 500 at the head, 250 before the span, the span, 250 after it, 700 at the tail.
    assert [len(piece.text) for piece in found if piece.kind != CUT] == [500, 250, 5, 250, 700]
    assert found[1].text == "[… 4,250 characters not shown …]"
    assert found[5].text == "[… 4,050 characters not shown …]"


def test_a_span_longer_than_the_page_is_cut_inside() -> None:
    found = pieces("x" * 20_000, [{"start": 1_000, "end": 15_000, "label": "loop"}])
    assert [len(piece.text) for piece in found if piece.kind == "loop"] == [500, 500]
    assert sum(piece.kind == CUT for piece in found) == 2 + 1


@given(
    st.text(max_size=60).map(lambda text: text * 60),
    st.lists(st.tuples(st.integers(0, 4_000), st.integers(0, 4_000)), max_size=12),
)
def test_pieces_are_the_text_in_order_and_gaps_have_their_length(text: str, ends: list[tuple[int, int]]) -> None:
    found = pieces(text, [{"start": min(pair), "end": max(pair), "label": "loop"} for pair in ends], whole=300)
    at = 0
    for piece in found:
        if piece.kind == CUT:
            hidden = int(piece.text.split()[1].replace(",", ""))
            assert hidden > LEAST_CUT
            at += hidden
        else:
            assert text[at : at + len(piece.text)] == piece.text
            at += len(piece.text)
    assert at == len(text)


def frame(*labels: str) -> pl.DataFrame:
    rows: list[dict[str, Any]] = [
        {
            "scorer": "trace",
            "source_id": f"s{number}",
            "request_id": f"r{number}",
            "model": f"m{number % 2}",
            "condition": "cot",
            "language": "bn",
            "answer": label,
            "value": 1.0,
            "detail": json.dumps(
                {"spans": [{"start": 3, "end": 3 + len(EVIL), "label": label, "quote": EVIL, "source": "text"}]}
            ),
        }
        for number, label in enumerate(labels)
    ]
    return pl.DataFrame(rows)


def read(ids: list[str]) -> pl.DataFrame:
    return pl.DataFrame(
        {"request_id": ids, "text": f"ab {EVIL} cd", "reasoning": None}, schema_overrides={"reasoning": pl.String}
    )


def test_every_kind_has_its_examples_from_different_source_items_and_models() -> None:
    found = faults(frame("loop", "loop", "loop", "loop", "over-long"), most=2)
    assert [(fault.label, fault.row["source_id"], fault.row["model"]) for fault in found] == [
        ("loop", "s0", "m0"),
        ("loop", "s1", "m1"),
        ("over-long", "s4", "m0"),
    ]


def test_only_the_shown_traces_are_read() -> None:
    asked: list[list[str]] = []

    def reading(ids: list[str]) -> pl.DataFrame:
        asked.append(ids)
        return read(ids)

    assert len(highlighted(frame(*["loop"] * 50), reading)) == 3
    assert [len(ids) for ids in asked] == [3]


def test_the_page_marks_the_words_and_escapes_them() -> None:
    page = Page(
        title="T", description="", notice="", written_at="", counts="", overview=(), exhibits=(), headlines=(), further=(),
        examples=(), scorers=(), models=(), prompts=(), traces=highlighted(frame("loop"), read),
    )  # fmt: skip
    text = render(page)
    assert "ab <mark><b>loop: </b>&lt;img src=x onerror=alert(1)&gt;</mark> cd" in text
    assert EVIL not in text


def test_sentences_of_many_contrasts_end_with_how_many_more_there_are() -> None:
    row = {
        "name": "bn - en", "group": "{}", "level_a": "bn", "level_b": "en", "value": None, "note": "no pair to compare",
        "p_adjusted": None, "p_value": None,
    }  # fmt: skip
    headlines, further = sentences(pl.DataFrame([row] * 1_000))
    assert (len(headlines), len(further)) == (8, 201)
    assert further[-1].words == "792 more stand in the table contrasts."
