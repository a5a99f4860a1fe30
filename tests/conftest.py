"""Shared fixtures: the folder of real data, where a test needs it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder named by COVARY_DATA; the test is skipped, saying so, where it is not set."""
    folder = os.environ.get("COVARY_DATA")
    if not folder:
        pytest.skip("COVARY_DATA names no folder of real data")
    return Path(folder)
