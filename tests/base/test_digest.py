"""Canonical JSON, request ids and seeded draws."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary import digest
from covary.errors import UsageError

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
MODEL = digest.canonical_json({"name": "m"})
MESSAGES = digest.canonical_json([{"role": "user", "content": "2 + 2?"}])


def ident(model: bytes = MODEL, messages: bytes = MESSAGES, sampling: object = None, replicate: int = 0) -> str:
    return digest.request_id(digest.request_content(model, messages, digest.canonical_json(sampling or {}), replicate))


def test_canonical_json_has_one_form_for_each_value() -> None:
    cases = {
        b'{"a":1,"b":2}': {"b": 2, "a": 1},
        b"1": 1.0,
        b"0.1": 0.1,
        b"-2.5e-07": -2.5e-7,
        b"1e+300": 1e300,
        '"é\\n\\"\\\\/"'.encode(): 'é\n"\\/',
        b"[true,false,null]": [True, False, None],
    }
    for expected, value in cases.items():
        assert digest.canonical_json(value) == expected


@given(JSON_VALUES)
def test_canonical_json_reads_back_and_is_stable(value: object) -> None:
    once = digest.canonical_json(value)
    assert digest.canonical_json(json.loads(once)) == once


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_ids_ignore_key_order(value: dict[str, int]) -> None:
    assert digest.digest(value) == digest.digest(dict(reversed(value.items())))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {1: 2}, {1, 2}, b"x"])
def test_what_json_cannot_hold_is_refused_in_one_line(value: object) -> None:
    with pytest.raises(UsageError) as caught:
        digest.canonical_json(value)
    assert "\n" not in str(caught.value)


def test_request_id_vectors() -> None:
    # The rule, by hand: SHA-256 of {"messages":…,"model":…,"replicate":…,"sampling":…} in canonical JSON.
    by_hand = (
        b'{"messages":[{"content":"2 + 2?","role":"user"}],"model":{"name":"m"},"replicate":0,'
        b'"sampling":{"max_tokens":8,"temperature":0}}'
    )
    assert ident(sampling={"temperature": 0.0, "max_tokens": 8}) == hashlib.sha256(by_hand).hexdigest()
    # Vectors for other implementations.
    assert ident(sampling={"temperature": 0, "max_tokens": 8}) == (
        "a67fdaea658019a4bcbdd22af48ce2defae150fdfe2fec9f8737e1282ba41864"
    )
    assert ident() == "251fedc9bd380cfe32bc647acac1a28351ea26e4892ec57a490cad877bceaf30"


def test_what_determines_the_answer_changes_the_id() -> None:
    ids = {
        ident(),
        ident(model=digest.canonical_json({"name": "m", "revision": "abc"})),
        ident(model=digest.canonical_json({"name": "m", "digest": "abc"})),
        ident(sampling={"temperature": 0}),
        ident(sampling={"temperature": None}),
        ident(sampling={"temperature": 0.5}),
        ident(replicate=1),
        ident(messages=digest.canonical_json([{"role": "user", "content": "2 + 3?"}])),
        ident(messages=digest.canonical_json([{"role": "system", "content": "2 + 2?"}])),
    }
    assert len(ids) == 9


def test_item_id_depends_on_source_and_variant_only() -> None:
    assert digest.item_id("s", {"language": "bn", "format": "mcq"}) == digest.item_id(
        "s", {"format": "mcq", "language": "bn"}
    )
    assert digest.item_id("s", {"language": "bn"}) != digest.item_id("s", {"language": "en"})


def test_draws_are_the_same_everywhere_and_uniform_enough() -> None:
    # First draw of (7, "x"): SHA-256 of '[7,"x"]#1' as an integer, modulo 6, plus 1.
    first = int.from_bytes(hashlib.sha256(b'[7,"x"]#1').digest()) % 6 + 1
    assert digest.Draw(7, "x").integer(1, 6) == first
    draw = digest.Draw(0, "dice")
    counts = Counter(draw.integer(1, 6) for _ in range(6000))
    assert set(counts) == {1, 2, 3, 4, 5, 6}
    assert all(abs(count - 1000) < 150 for count in counts.values())  # 150 is over 5 standard deviations


def test_shuffles_keep_every_entry() -> None:
    assert sorted(digest.Draw(1, "s").shuffled(range(50))) == list(range(50))
    assert digest.Draw(1, "s").shuffled(range(50)) != digest.Draw(2, "s").shuffled(range(50))
    assert len(set(digest.Draw(1, "s").sample(range(50), 10))) == 10
