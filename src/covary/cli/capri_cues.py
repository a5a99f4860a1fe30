"""Cue values judged by people: a sheet for a country, and its verdicts read back into a file that a build takes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl

from covary.cli.folder import read_text
from covary.culture import knowledge
from covary.culture.knowledge import Knowledge, read_reviews
from covary.culture.knowledge_review import read_review_sheet, review_sheet, reviews_csv, verification
from covary.errors import CovaryError


def write_sheet(culture: str, out: Path, reviews: Path | None) -> None:
    """Write a country's sheet: its cue values, and empty columns for verdict, reviewer, date and comment."""
    base = reviewed_base(reviews)
    _write(review_sheet(base, culture), out)
    row = verification(base).row(by_predicate=pl.col("culture") == culture, named=True)
    print(
        f"{row['values']} values of {culture} in {out}: {row['verified']} verified so far; fill in verdict, reviewer and date"
    )


def read_sheet(sheet: Path, reviews: Path) -> None:
    """Add a filled sheet's verdicts to a file of reviews; say how many of each there are."""
    found = read_review_sheet(read_text(sheet), knowledge.load())
    kept = read_reviews(read_text(reviews)) if reviews.is_file() else ()
    _write(reviews_csv([*kept, *found]), reviews)
    counted = Counter(review.verdict for review in found)
    told = ", ".join(f"{counted[verdict]} {verdict}" for verdict in ("right", "wrong", "unsure"))
    print(f"{len(found)} verdicts ({told}) added to {reviews}; covary items build capri --reviews {reviews} uses them")


def reviewed_base(reviews: Path | None) -> Knowledge:
    """The knowledge base with a file's reviews beside its own: a value called wrong is never used."""
    return knowledge.load(read_reviews(read_text(reviews)) if reviews is not None else ())


def _write(text: str, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8-sig")  # spreadsheets know it by its mark
    except OSError as error:
        raise CovaryError(f"{path}: can't be written: {error.strerror}") from None
