"""Outcomes put together: all of several, and one-to-one matching."""

from __future__ import annotations

from collections.abc import Sequence

from covary.mathematics.scalars import Found

EQUAL = "equal"
NOT_EQUAL = "not_equal"
UNDECIDED = "undecided"


def all_of(pairs: Sequence[Found], what: str) -> Found:
    for outcome in (NOT_EQUAL, UNDECIDED):
        for found in pairs:
            if found.outcome == outcome:
                return found
    return Found(EQUAL, f"{what}: {pairs[0].reason}")


def perfect_matching(allowed: list[list[bool]]) -> bool:
    """Whether a one-to-one matching exists (augmenting paths)."""
    partner: dict[int, int] = {}

    def place(row: int, seen: set[int]) -> bool:
        for column, fits in enumerate(allowed[row]):
            if fits and column not in seen:
                seen.add(column)
                if column not in partner or place(partner[column], seen):
                    partner[column] = row
                    return True
        return False

    return all(place(row, set()) for row in range(len(allowed)))
