from __future__ import annotations

import collections
import math
import re

import pytest

from covary.build.pictures import CONCEPTS, COUNTS, PictureSpec, specifications

SPECS = specifications()
OBJECTIVE = ("temperature", "distance", "speed", "size", "price")

UNIT_WORDS = re.compile(
    r"\b(degrees?|celsius|fahrenheit|kelvin|met(?:er|re)s?|kilomet\w*|centimet\w*|millimet\w*|miles?|mph|kph|kmh?|km/h|inch(?:es)?"
    r"|foot|feet|yards?|knots?|square|sq|acres?|tsubo|pyeong|tatami|stones?|pounds?|dollars?|euros?|yen|yuan|won|rupees?"
    r"|reais|real|rials?|tomans?|shekels?|cents?|pence|[a-z]?m|cm|mm|ft)\b|[°²$€£¥₹₩₪″′]",
    re.IGNORECASE,
)
COUNTRY_WORDS = re.compile(
    r"\b(brazil\w*|chin(?:a|ese)|franc\w*|french|india\w*|iran\w*|israel\w*|japan\w*|korea\w*|brit\w*|english|uk|usa?|american?)\b",
    re.IGNORECASE,
)
OPTIONS = {
    "time_expression": ("morning", "noon", "afternoon", "evening", "night"),
    "quantifiers": ("few", "some", "half", "most", "almost", "all"),
}


def words_of(spec: PictureSpec) -> str:
    return f"{spec.caption} {spec.description}"


def test_there_are_172_in_the_counts_of_the_design():
    # 33 + 32 + 18 + 24 + 21 + 24 + 20 = 172
    found = collections.Counter(spec.concept for spec in SPECS)
    assert len(SPECS) == 172
    assert dict(found) == dict(COUNTS)


def test_ids_and_captions_are_distinct():
    assert len({spec.picture_id for spec in SPECS}) == len({spec.caption for spec in SPECS}) == 172


def test_each_concept_has_six_scenes_or_more():
    for concept in CONCEPTS:
        assert len({spec.scene for spec in SPECS if spec.concept == concept}) >= 6, concept


def test_equal_seeds_give_equal_pictures_and_another_seed_other_values():
    assert specifications(0) == SPECS
    assert sum(a.value != b.value for a, b in zip(SPECS, specifications(1), strict=True)) > 86


@pytest.mark.parametrize("seed", range(5))
def test_no_words_name_a_unit_or_a_country(seed: int):
    for spec in specifications(seed):
        assert not UNIT_WORDS.search(words_of(spec)), (spec.picture_id, words_of(spec))
        assert not COUNTRY_WORDS.search(words_of(spec)), (spec.picture_id, words_of(spec))


@pytest.mark.parametrize("seed", range(5))
def test_captions_hold_no_figure(seed: int):
    assert not [spec.caption for spec in specifications(seed) if re.search(r"\d", spec.caption)]


@pytest.mark.parametrize("seed", range(5))
def test_words_of_a_subjective_concept_give_none_of_its_options_away(seed: int):
    for spec in specifications(seed):
        given = set(re.findall(r"[a-z]+", words_of(spec).lower())) & set(OPTIONS.get(spec.concept, ()))
        assert not given, (spec.picture_id, words_of(spec))


def test_clocks_show_each_full_hour_from_11_to_20():
    shown = {spec.value for spec in SPECS if spec.concept == "time_expression"}
    assert {hour * 60 for hour in range(11, 21)} <= shown


def test_a_dial_time_and_its_sky_name_one_time_of_day():
    """The hands repeat after 12 hours, so no two times that look alike may share a sky."""
    for spec in SPECS:
        if spec.concept == "time_expression":
            other = (spec.value + 720) % 1440
            from covary.build.pictures.catalogue.time_expression import half

            assert half(spec.value) != half(other), spec.picture_id


def test_quantities_are_a_count_of_a_capacity():
    for spec in SPECS:
        if spec.concept == "quantifiers":
            count, capacity = int(spec.parameters["count"]), int(spec.parameters["capacity"])
            assert 0 < count < capacity
            assert math.isclose(spec.value, count / capacity, abs_tol=1e-6)


def test_second_scales_agree_with_the_first():
    # °F = °C × 9/5 + 32; 1 mile = 1.609344 km; both rounded to the figure shown
    for spec in SPECS:
        if spec.concept == "temperature":
            assert abs(float(spec.parameters["second"]) - (spec.value * 1.8 + 32)) <= 0.5
        if spec.concept == "speed":
            assert abs(float(spec.parameters["second"]) - spec.value / 1.609344) <= 0.5


def test_prices_are_whole_amounts_below_a_thousand():
    # no decimals and no grouping mark: both would hint at a currency or a country
    for spec in SPECS:
        if spec.concept == "price":
            assert spec.value == int(spec.value)
            assert 0 < spec.value < 1000


def test_objective_values_are_positive_where_a_quantity_must_be():
    for spec in SPECS:
        if spec.concept in OBJECTIVE and spec.concept != "temperature":
            assert spec.value > 0
