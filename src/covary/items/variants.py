"""Variants: what sets one parallel form apart, as canonical JSON and as an item id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from covary import digest
from covary.errors import DataError

# The keys a variant may have, in the order in which tables show them.
KEYS = ("language", "culture", "cue_level", "perturbation", "format")


class Identity(NamedTuple):
    """The three columns that say which form a row is."""

    source_id: str
    item_id: str
    variant: str


def variant_json(variant: Mapping[str, str]) -> str:
    """The canonical JSON text of a variant; what does not set a form apart is left out, not null.

    >>> variant_json({"perturbation": "clean", "language": "fi"})
    '{"language":"fi","perturbation":"clean"}'
    """
    return digest.canonical_json(dict(variant)).decode()


def parse_variant(text: str) -> dict[str, str]:
    """The mapping of a variant's JSON. Raises DataError when it is no object of texts."""
    try:
        return msgspec.json.decode(text, type=dict[str, str])
    except msgspec.DecodeError as error:
        raise DataError(f"variant: expected a JSON object of texts, found {text[:60]!r} ({error})") from None


def identity(source_id: str, variant: Mapping[str, str]) -> Identity:
    """source_id, item_id and variant of one form.

    >>> identity("s", {"language": "fi"}).item_id == identity("s", {"language": "fi"}).item_id
    True
    """
    return Identity(source_id, digest.item_id(source_id, variant), variant_json(variant))
