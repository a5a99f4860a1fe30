"""Rules over items: what is wrong with a set, before a token is spent."""

from __future__ import annotations

from covary.lint.finding import Finding
from covary.lint.runner import run

__all__ = ["Finding", "run"]
