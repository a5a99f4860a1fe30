"""A variant is canonical: the same form has one text and one id."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.errors import DataError
from covary.items.variants import identity, parse_variant, variant_json

VARIANTS = st.dictionaries(st.sampled_from(["language", "culture", "format", "perturbation"]), st.text(max_size=5))


@given(VARIANTS)
def test_key_order_changes_neither_text_nor_id(variant) -> None:
    other = dict(reversed(variant.items()))
    assert identity("s", variant) == identity("s", other)
    assert parse_variant(variant_json(variant)) == variant


def test_another_source_is_another_item() -> None:
    assert identity("a", {"language": "fi"}).item_id != identity("b", {"language": "fi"}).item_id


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', "{"])
def test_a_text_that_is_no_variant_is_refused_in_one_line(text) -> None:
    with pytest.raises(DataError, match="expected a JSON object of texts"):
        parse_variant(text)
