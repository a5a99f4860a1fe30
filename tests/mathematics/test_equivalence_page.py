"""Every example on the documentation's page of rules has the verdict that it shows."""

from __future__ import annotations

import re
from pathlib import Path

from covary.mathematics.equivalence import equivalent

PAGE = Path(__file__).parents[2] / "docs/equivalence.md"


def examples() -> list[list[str]]:
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("|")]
    cells = [[cell.strip().replace("\\|", "|") for cell in row] for row in rows]
    return [row for row in cells if row[-1] in ("equal", "not_equal", "undecided")]


def test_every_example_has_its_verdict() -> None:
    wrong = [
        (one, other, found.verdict, found.reason, verdict)
        for one, other, language, verdict in examples()
        if (found := equivalent(one, other, language=language or None)).verdict != verdict
    ]
    assert not wrong
    assert len(examples()) > 70
