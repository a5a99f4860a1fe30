"""What a lint rule reports: one fault, where it is, what was expected, and what to do."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault in one item. Rules are pure functions from tables to lists of these.

    rule: the rule's name, stable, in kebab case. severity: error (scores would be wrong), warning (read before use),
    note (a fact worth knowing). item_id and variant say which form; both empty for a fault of the whole set.
    span: the offending text, as found; empty where something is missing. expected: what the rule wants there.
    suggestion: what to do.
    """

    rule: str
    severity: Severity
    item_id: str
    variant: str
    span: str
    expected: str
    suggestion: str

    def as_row(self) -> dict[str, Any]:
        """The finding as a mapping that JSON can hold."""
        return asdict(self)
