"""Hostile inputs: no crash, no execution, no false equality, bounded memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.mathematics.hostile_inputs import HOSTILE

from covary.mathematics.equivalence import equivalent

# Pairs that are equal in truth, so that "equal" may be said of them.
EQUAL_IN_TRUTH = {
    "nested parentheses", "minus signs", "long sums", "a power that must not be expanded", "an exponent of ten digits",
    "combining marks", "repeating dots", "final tags", "text commands", "units", "zero to the zero", "continued fractions",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_input_is_never_called_equal_wrongly_and_never_raises(name: str) -> None:
    found = equivalent(*HOSTILE[name])
    assert found.verdict in ("not_equal", "undecided") or name in EQUAL_IN_TRUTH, found


def test_no_input_runs_code_and_all_stay_below_200_mb(tmp_path: Path) -> None:
    program = Path(__file__).with_name("hostile_inputs.py")
    done = subprocess.run(
        [sys.executable, str(program)], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True
    )
    assert int(done.stdout) < 200
    assert not list(tmp_path.iterdir())
