"""Digests of content: canonical JSON, SHA-256, request and item ids, seeded draws.

Canonical JSON: UTF-8; object keys sorted by code point; no blanks; only the escapes that JSON demands; a whole number
without point or exponent (1.0 is 1), any other number as its shortest round-trip decimal (Python's repr); NaN, infinities
and lone surrogates are refused. An absent key and a null are different content.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NewType, TypeVar

from covary.errors import UsageError

ItemId = NewType("ItemId", str)
RequestId = NewType("RequestId", str)
T = TypeVar("T")

WHOLE_FLOAT_LIMIT = 2.0**53


def canonical_json(value: object) -> bytes:
    """The one byte string that stands for a JSON value. Raises UsageError for what JSON can't hold.

    >>> canonical_json({"b": 1.0, "a": [True, None, 0.1]})
    b'{"a":[true,null,0.1],"b":1}'
    """
    try:
        return json.dumps(
            _plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        ).encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(f"text can't be encoded as UTF-8: lone surrogate at position {error.start}") from None


def sha256_hex(data: bytes) -> str:
    """SHA-256 as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def digest(value: object) -> str:
    """SHA-256 (64 hex digits) of a value's canonical JSON.

    >>> digest({"x": 1}) == digest({"x": 1.0})
    True
    """
    return sha256_hex(canonical_json(value))


def item_id(source_id: str, variant: Mapping[str, str]) -> ItemId:
    """Id of one parallel form: the first 20 hex digits of the digest of (source_id, variant)."""
    return ItemId(digest({"source_id": source_id, "variant": dict(variant)})[:20])


def request_content(model: bytes, messages: bytes, sampling: bytes, replicate: int) -> bytes:
    """Canonical JSON of a request, from the canonical JSON of its parts (keys in sorted order).

    model: {"name", "revision"?, "digest"?}; messages: list of {"role", "content"} where content is a text or a list of
    {"type": "text", "text"} and {"type": "image", "sha256", "mime"}; sampling: every other field of the request's body;
    replicate: 0, 1, … Transport (URL, key, timeout) and names of picture files are no part of it.
    """
    return b'{"messages":%b,"model":%b,"replicate":%d,"sampling":%b}' % (messages, model, replicate, sampling)


def request_id(content: bytes) -> RequestId:
    """SHA-256 (64 hex digits) of a request's canonical JSON."""
    return RequestId(hashlib.sha256(content).hexdigest())


class Draw:
    """Seeded draws, the same on every machine and version: SHA-256 of (seed, path, counter).

    >>> Draw(1, "shuffle").integer(1, 6) == Draw(1, "shuffle").integer(1, 6)
    True
    """

    def __init__(self, seed: int | str, *path: str | int) -> None:
        self._key = canonical_json([seed, *path])
        self._counter = 0

    def fraction(self) -> float:
        """Uniform in [0, 1) with 53 bits."""
        return (self._bits() >> 203) / 2**53

    def integer(self, low: int, high: int) -> int:
        """Uniform integer, both ends included (bias below 2⁻¹⁹⁰)."""
        return low + self._bits() % (high - low + 1)

    def choice(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.integer(0, len(options) - 1)]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """The options in drawn order (Fisher–Yates)."""
        order = list(options)
        for last in range(len(order) - 1, 0, -1):
            other = self.integer(0, last)
            order[last], order[other] = order[other], order[last]
        return order

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """`count` distinct options in drawn order; all of them when there are fewer."""
        return self.shuffled(options)[:count]

    def _bits(self) -> int:
        self._counter += 1
        return int.from_bytes(hashlib.sha256(self._key + b"#%d" % self._counter).digest())


def _plain(value: Any) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise UsageError(f"a number must be finite, found {value}")
        return int(value) if value.is_integer() and abs(value) < WHOLE_FLOAT_LIMIT else value
    if isinstance(value, Mapping):
        keys = list(value)
        if not all(isinstance(key, str) for key in keys):
            raise UsageError(f"keys must be text, found {keys[:3]}")
        return {key: _plain(value[key]) for key in keys}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    raise UsageError(f"JSON can't hold a {type(value).__name__}")
