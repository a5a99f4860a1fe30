from __future__ import annotations

import re
from dataclasses import replace

import pytest

from covary.build.pictures import CONCEPTS, render_png, render_svg, specifications
from covary.build.pictures.drawing.digits import GLYPHS, figure
from covary.build.pictures.drawing.gauges import Scale
from covary.build.pictures.image_file import image_file
from covary.digest import digest, sha256_hex

SPECS = specifications()
FIRST_OF_EACH = [next(spec for spec in SPECS if spec.concept == concept) for concept in CONCEPTS]


def test_every_picture_is_made_of_shapes_alone():
    allowed = {"svg", "g", "rect", "circle", "ellipse", "path", "polygon", "defs", "clipPath"}
    for spec in SPECS:
        svg = render_svg(spec)
        assert set(re.findall(r"<(\w+)", svg)) <= allowed, spec.picture_id
        assert "href" not in svg
        assert "font" not in svg


def test_equal_specifications_give_equal_text_and_other_seeds_give_another():
    again = specifications()
    assert [render_svg(a) == render_svg(b) for a, b in zip(SPECS, again, strict=True)] == [True] * 172
    other = specifications(1)
    assert sum(render_svg(a) != render_svg(b) for a, b in zip(SPECS, other, strict=True)) > 150


def test_no_two_pictures_are_alike():
    assert len({render_svg(spec) for spec in SPECS}) == 172


def test_the_value_moves_the_drawing():
    """Readings are drawn from the value itself, not typed beside it."""
    for spec in SPECS:
        if spec.scene in ("wall_tube", "garden_dial", "car_dial", "band_gauge", "kitchen", "tower", "tape", "map"):
            assert render_svg(replace(spec, value=spec.value * 0.97)) != render_svg(spec), spec.picture_id


@pytest.mark.parametrize("spec", FIRST_OF_EACH, ids=lambda spec: spec.concept)
def test_png_is_at_least_768_pixels_and_the_same_twice(spec):
    first, second = render_png(spec), render_png(spec)
    kind = image_file(first)
    assert (kind.mime, kind.width, kind.height) == ("image/png", 1024, 768)
    assert sha256_hex(first) == sha256_hex(second)


@pytest.mark.slow
def test_all_pngs_are_the_same_twice_and_none_is_alike():
    first = [sha256_hex(render_png(spec)) for spec in SPECS]
    assert first == [sha256_hex(render_png(spec)) for spec in specifications()]
    assert len(set(first)) == 172


@pytest.mark.parametrize("seed", [0, 7])
def test_all_scenes_can_be_drawn_for_any_seed(seed: int):
    assert all(render_svg(spec).startswith("<svg ") for spec in specifications(seed))


def test_marks_of_a_scale_are_ranked():
    # 0 to 20 in steps of 10, each step in four: digits at 0, 10, 20; half way at 5, 15; the rest small
    marks = list(Scale(0, 20, 10, 4).marks())
    assert [own for own, _, rank in marks if rank == 0] == [0, 10, 20]
    assert [own for own, _, rank in marks if rank == 1] == [5, 15]
    assert len(marks) == 9


def test_a_second_scale_stands_at_the_first_scales_place():
    # 32 and 212 on the second scale are 0 and 100 on the first
    marks = list(Scale(32, 212, 180, 1, lambda number: (number - 32) * 5 / 9).marks())
    assert [(own, first) for own, first, _ in marks] == [(32, 0), (212, 100)]


def test_every_figure_has_a_glyph():
    assert set("0123456789-.") == set(GLYPHS)
    assert figure(-0.2) == "0"


def test_specifications_hold_only_what_json_can():
    assert digest([[spec.picture_id, spec.value, dict(spec.parameters)] for spec in SPECS])
