"""The knowledge base: shape, computed distinctiveness, what libraries confirm, and review sheets."""

from __future__ import annotations

import csv
import io
import re

import library_checks
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.culture import knowledge
from covary.culture.knowledge import CULTURES, Review
from covary.culture.knowledge_review import read_review_sheet, review_sheet, reviews_csv, verification
from covary.errors import DataError

BASE = knowledge.load()
TYPE = {"kind": "entity", "family": "f", "neutral": "a thing", "source": "s"}
# Types of which a culture has few by nature, or of which no more may be printed (phone numbers, building codes).
FEW = {"phone_mobile", "postal_code", "big_number_word", "messaging_app", "transit_pass", "ride_app"}


def base_of(values: dict[str, list[object]], **fields: object) -> knowledge.Knowledge:
    return knowledge.build({"t": {**TYPE, **fields}}, {"t": values})


def test_at_least_forty_cue_types_have_values_in_all_ten_cultures() -> None:
    full = [name for name in BASE.types if all(BASE.of(name, culture) for culture in CULTURES)]
    assert len(full) == len(BASE.types) == 64


def test_every_type_that_allows_it_has_three_values_in_every_culture() -> None:
    short = {
        name
        for name, cue_type in BASE.types.items()
        if not cue_type.one and any(len(BASE.of(name, culture)) < 3 for culture in CULTURES)
    }
    assert short <= FEW


def test_no_value_comes_twice_in_a_culture_and_none_has_loose_spaces() -> None:
    for name in BASE.types:
        for culture in CULTURES:
            values = [entry.value for entry in BASE.of(name, culture)]
            assert len(set(values)) == len(values), (name, culture)
            assert all(value == value.strip() and "\n" not in value for value in values)


def test_distinctiveness_counts_the_cultures_that_share_a_key() -> None:
    # 75007, 03051 and 10001 are all five digits: France, South Korea, the United States.
    assert {entry.distinctiveness for entry in BASE.of("postal_code", "FR")} == {3}
    assert BASE.cultures_fitting("postal_code", "99999") == {"FR", "KR", "US"}
    # day, month, year with slashes: Brazil, France, India, the United Kingdom.
    assert BASE.cultures_fitting("date_numeric", "31/12/1999") == {"BR", "FR", "IN", "GB"}
    assert BASE.cultures_fitting("date_numeric", "12/31/1999") == {"US"}
    assert BASE.cultures_fitting("dial_code", "+972") == {"IL"}
    assert BASE.cultures_fitting("sport", "Cricket") == {"IN", "GB"}
    assert BASE.cultures_fitting("sport", "quidditch") == frozenset()


def test_also_makes_a_value_fit_the_other_culture_without_listing_it_there() -> None:
    base = base_of({"BR": [{"v": "Ana", "also": ["IL"]}], "IL": ["Noa"]})
    assert base.of("t", "BR")[0].cultures == {"BR", "IL"}
    assert base.of("t", "IL")[0].distinctiveness == 1


@given(st.sets(st.sampled_from(CULTURES), min_size=1))
def test_distinctiveness_is_the_number_of_cultures_that_list_the_value(cultures: set[str]) -> None:
    base = base_of({culture: ["same"] for culture in cultures})
    assert all(base.of("t", culture)[0].distinctiveness == len(cultures) for culture in cultures)


def test_usable_values_name_no_country_and_leak_no_unit() -> None:
    base = base_of({"IN": ["Times of India", "Mint"]}, leaks=["price"])
    assert [entry.value for entry in base.usable("t", "IN", "size", alone=True)] == ["Mint"]
    assert base.usable("t", "IN", "price", alone=False) == ()


def test_no_usable_value_gives_an_option_away() -> None:
    assert [entry.value for entry in BASE.usable("public_day", "IR", "time_expression", alone=True)] == [
        "Nowruz",
        "Sizdah Bedar",
    ]
    assert len(BASE.usable("public_day", "IR", "price", alone=True)) == 3
    assert BASE.usable("greeting", "BR", "time_expression", alone=True) == ()  # "Bom dia!" tells the half of the day


def test_a_value_that_a_reviewer_calls_wrong_is_never_used() -> None:
    wrong = Review("t", "JP", "bad", "wrong", "A. Person", "2026-01-02")
    base = knowledge.build({"t": TYPE}, {"t": {"JP": ["bad", "good"]}}, [wrong])
    assert [entry.value for entry in base.usable("t", "JP", "size", alone=True)] == ["good"]


def test_no_bundled_value_names_a_country() -> None:
    assert [entry.value for entry in BASE.every() if entry.names_country] == []


@pytest.mark.parametrize(
    ("types", "values", "expected"),
    [
        ({"t": {**TYPE, "kin": "x"}}, {"t": {}}, "did you mean 'kind'"),
        ({"t": {"kind": "entity"}}, {"t": {}}, "is missing"),
        ({"t": {**TYPE, "kind": "thing"}}, {"t": {}}, "format, entity, standard"),
        ({"t": {**TYPE, "leaks": ["sped"]}}, {"t": {}}, "did you mean 'speed'"),
        ({"t": {**TYPE, "key": "size"}}, {"t": {}}, "value, shape, date"),
        ({"t": TYPE}, {"u": {}}, "unknown cue type 'u'"),
        ({"t": TYPE}, {}, "has no values"),
        ({"t": TYPE}, {"t": {"DE": ["x"]}}, "unknown culture 'DE'"),
        ({"t": TYPE}, {"t": {"BR": [{"value": "x"}]}}, "expected a text or v"),
        ({"t": TYPE}, {"t": {"BR": [{"v": "x", "also": ["DE"]}]}}, "outside the ten"),
    ],
)
def test_a_fault_in_the_data_files_gets_one_clear_line(types: dict, values: dict, expected: str) -> None:
    with pytest.raises(DataError, match=re.escape(expected)):
        knowledge.build(types, values)


def test_libraries_confirm_what_they_know() -> None:
    doubtful = {
        (entry.cue_type, entry.culture, entry.value)
        for entry in BASE.every()
        if entry.cue_type in library_checks.CHECKS
        and entry.cue_type != "public_day"
        and not library_checks.confirmed(entry)
    }
    # A service line that no library marks; Babel writes the rial in letters.
    assert doubtful == {("phone_mobile", "CN", "138-0013-8000"), ("currency_symbol", "IR", "﷼")}


def test_twenty_public_days_are_in_the_holidays_library() -> None:
    days = [entry for entry in BASE.every() if entry.cue_type == "public_day"]
    assert sum(library_checks.confirmed(entry) is not None for entry in days) == len(library_checks.HOLIDAYS) == 20


def test_phone_numbers_belong_to_nobody() -> None:
    for entry in BASE.every():
        if entry.cue_type == "phone_mobile":
            assert library_checks.confirmed(entry) or entry.value == "138-0013-8000"
            assert "fiction" in entry.source or "kept" in entry.source or "assigned" in entry.source


def test_recorded_library_reviews_are_those_that_the_libraries_give() -> None:
    recorded = {
        (entry.cue_type, entry.culture, entry.value)
        for entry in BASE.every()
        if any(review.reviewer.startswith("library:") for review in entry.reviews)
    }
    assert recorded == {
        (review.cue_type, review.culture, review.value) for review in library_checks.library_reviews("2026-01-01")
    }


def test_unverified_values_are_told_apart() -> None:
    assert not any(entry.verified for entry in BASE.unverified())
    facts = verification(BASE)
    assert facts["verified"].sum() + len(BASE.unverified()) == facts["values"].sum()
    assert facts["by_person"].sum() == 0  # nobody has reviewed the bundled values yet, and the set says so


@pytest.mark.parametrize("culture", CULTURES)
def test_a_review_sheet_is_written_and_read_back(culture: str) -> None:
    sheet = review_sheet(BASE, culture)
    assert read_review_sheet(sheet, BASE) == ()
    rows = list(csv.reader(io.StringIO(sheet)))
    answered = [[*row[:-4], "Right", "A. Person", "2026-03-04", "fine, really"] for row in rows[1:]]
    out = io.StringIO()
    csv.writer(out).writerows([rows[0], *answered])
    reviews = read_review_sheet("\ufeff" + out.getvalue(), BASE)
    assert len(reviews) == len(rows) - 1 == sum(entry.culture == culture for entry in BASE.every())
    assert knowledge.read_reviews(reviews_csv(reviews)) == tuple(
        sorted(reviews, key=lambda r: (r.cue_type, r.culture, r.value))
    )


def test_a_verdict_needs_a_known_value_a_reviewer_and_a_date() -> None:
    header = "cue_type,culture,value,verdict,reviewer,date,comment\n"
    for row, expected in (
        ("dish,KR,pizza,right,A. Person,2026-01-01,", "line 2: 'pizza' is no dish of KR"),
        ("dish,KR,bibimbap,maybe,A. Person,2026-01-01,", "line 2: verdict must be"),
        ("dish,KR,bibimbap,right,,2026-01-01,", "line 2: a reviewer and an ISO date"),
        ("dish,KR,bibimbap,right,A. Person,yesterday,", "line 2: a reviewer and an ISO date"),
    ):
        with pytest.raises(DataError, match=re.escape(expected)):
            read_review_sheet(header + row + "\n", BASE)
    with pytest.raises(DataError, match="column 'reviewer' is missing"):
        read_review_sheet("cue_type,culture,value,verdict\ndish,KR,bibimbap,right\n", BASE)


def test_the_newest_verdict_of_each_reviewer_counts() -> None:
    def verified(*verdicts: tuple[str, str, str]) -> bool:
        reviews = [Review("t", "JP", "x", verdict, who, when) for verdict, who, when in verdicts]  # type: ignore[arg-type]
        return knowledge.build({"t": TYPE}, {"t": {"JP": ["x"]}}, reviews).of("t", "JP")[0].verified

    assert not verified()
    assert verified(("right", "A", "2026-01-01"))
    assert verified(("wrong", "A", "2026-01-01"), ("right", "A", "2026-01-02"))
    assert not verified(("right", "A", "2026-01-01"), ("unsure", "B", "2026-01-02"))
