from __future__ import annotations

import base64

import polars as pl
import pytest

from covary import schema
from covary.build.pictures import render_png, render_svg, specifications
from covary.build.pictures.generate import (
    PASS,
    approved,
    picture_prompt,
    plan_pictures,
    read_pictures,
    safe_svg,
)
from covary.build.pictures.image_file import image_file
from covary.build.pictures.replacement import faults, with_replacements
from covary.build.pictures.words import unit_words
from covary.errors import DataError
from covary.prompts.requests import Model, Plan

SPECS = specifications()[:4]
MODEL = Model("painter")
PLAIN = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1024 768"><rect width="9" height="9" fill="red"/></svg>'


def answers(plan: Plan, texts: list[str | None], statuses: list[str] | None = None) -> pl.DataFrame:
    keys = plan.links["request_id"].to_list()
    return schema.RESPONSES.from_rows(
        {
            "request_id": key, "status": status, "text": text, "attempts": 1, "detail": "{}", "origin": "imported",
        }
        for key, text, status in zip(keys, texts, statuses or ["ok"] * len(keys), strict=True)
    )  # fmt: skip


def test_the_plan_asks_once_for_each_picture_and_replicate():
    plan = plan_pictures(SPECS, MODEL, replicates=2)
    assert plan.requests.height == plan.links.height == 8
    assert set(plan.links["condition"]) == {PASS}
    assert plan.links["item_id"].n_unique() == 4


def test_prompts_give_the_reading_and_name_no_unit():
    for spec in specifications():
        prompt = picture_prompt(spec)
        assert spec.description in prompt
        assert not unit_words(prompt), (spec.picture_id, unit_words(prompt))


def test_what_comes_back_waits_for_a_person_or_is_flagged_with_its_reason():
    plan = plan_pictures(SPECS, MODEL)
    data = base64.b64encode(render_png(SPECS[0])).decode()
    texts = [f"Here it is:\n```svg\n{PLAIN}\n```", f"data:image/png;base64,{data}", "I can't draw.", None]
    reading = read_pictures(plan.links, answers(plan, texts, ["ok", "ok", "ok", "refused"]))
    assert reading.review["verdict"].to_list() == ["pending", "pending", "flagged", "flagged"]
    assert reading.review["reasons"].to_list()[2:] == [
        ["the answer holds neither an SVG document nor a picture"],
        ["no answer to read (status refused)"],
    ]
    for key in reading.review["sha256"].drop_nulls():
        assert image_file(reading.bytes_of[key])[1:] == (1024, 768)


def test_an_unanswered_request_is_flagged_not_lost():
    plan = plan_pictures(SPECS, MODEL)
    reading = read_pictures(plan.links, answers(plan, ["x"] * 4).head(0))
    assert reading.review["verdict"].to_list() == ["flagged"] * 4


@pytest.mark.parametrize(
    ("inside", "part"),
    [
        ("<text>km</text>", "<text>"),
        ('<image href="/etc/passwd"/>', "<image>"),
        ("<script>1</script>", "<script>"),
        ("<style>*{}</style>", "<style>"),
        ('<use href="#a"/>', "<use>"),
        ('<rect style="fill:url(x)"/>', "'style'"),
        ('<rect onload="x()"/>', "'onload'"),
        ('<rect fill="url(http://example.org/a)"/>', "outside itself"),
        ("<!-- hidden -->", "comment"),
        ("<g/>" * 5000, "elements"),
        ("<g>" * 100 + "</g>" * 100, "nests deeper"),
        ('<g opacity="0.9"/>' * 100, "layers"),
        ('<path stroke-dasharray="0.0001" d="M0 0H9"/>', "dash shorter"),
        ("<g>", "not well-formed"),
    ],
)
def test_only_plain_shapes_are_taken(inside: str, part: str):
    with pytest.raises(DataError, match=part):
        safe_svg(f'<svg xmlns="http://www.w3.org/2000/svg">{inside}</svg>')


def test_entities_and_huge_documents_are_refused():
    bomb = '<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg>&a;</svg>'
    for text in (bomb, "<svg>" + " " * 500_000 + "</svg>"):
        with pytest.raises(DataError):
            safe_svg(text)


def test_our_own_pictures_pass_the_same_filter():
    for spec in specifications()[::17]:
        assert safe_svg(render_svg(spec))


def test_an_approved_picture_takes_the_place_of_the_drawn_one():
    plan = plan_pictures(SPECS, MODEL)
    reading = read_pictures(plan.links, answers(plan, [PLAIN.replace("9", str(9 + k)) for k in range(4)]))
    checked = pl.lit("approved").alias("verdict")
    review = reading.review.head(1).with_columns(
        checked,
        reading=SPECS[0].value + 0.5,
        value=SPECS[0].value,
        value_readable=True,
        no_text=True,
        no_cultural_signal=True,
        checked_by=pl.lit("M. Reader"),
        checked_on=pl.lit("2026-11-29"),
    )
    (record,) = approved(review, SPECS, "CC0-1.0", "drawn by painter")
    assert faults(record, SPECS[0], reading.bytes_of[record.sha256]) == []
    assert with_replacements(SPECS, [record], reading.bytes_of)[0].scene == "photograph"
    with pytest.raises(DataError, match="reading is empty"):
        approved(review.with_columns(reading=pl.lit(None, pl.Float64())), SPECS, "CC0-1.0", "x")
    assert approved(reading.review, SPECS, "CC0-1.0", "x") == []
