"""The form that the others of a problem are held against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from covary.lint.row import Row

SOURCE_LANGUAGE = "en"


def reference(forms: Sequence[Row]) -> Row | None:
    """The English form, else the first; None where there is one form only."""
    if len(forms) < 2:
        return None
    return next((row for row in forms if row.language == SOURCE_LANGUAGE), forms[0])


def compared(forms: Sequence[Row]) -> Iterator[tuple[Row, str, str, str]]:
    """The texts of other forms beside those of the reference: (form, field, its text, the reference's), question and target.

    Nothing where there is one form only; conversations are not compared.
    """
    about = reference(forms)
    if about is None:
        return
    for row in forms:
        if row is not about and row.format != "conversation":
            yield row, "question", row.question, about.question
            yield row, "target", row.answer, about.answer
