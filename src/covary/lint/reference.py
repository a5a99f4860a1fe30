"""The form that the others of a problem are held against."""

from __future__ import annotations

from collections.abc import Sequence

from covary.lint.row import Row

SOURCE_LANGUAGE = "en"


def reference(forms: Sequence[Row]) -> Row | None:
    """The English form, else the first; None where there is one form only."""
    if len(forms) < 2:
        return None
    return next((row for row in forms if row.language == SOURCE_LANGUAGE), forms[0])
