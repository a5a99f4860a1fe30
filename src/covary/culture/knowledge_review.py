"""Review sheets: one per culture, for a person of that culture to fill in, and read back.

A sheet is CSV text that any spreadsheet opens: what is known of each value, and four empty columns. Rows whose verdict
stays empty are not reviews. Reviews are appended to the package's `knowledge_reviews.csv`; a value is verified when the
newest verdict of everyone who judged it is "right".
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

import polars as pl

from covary.culture.knowledge import CULTURES, CueValue, Knowledge, Review, read_reviews
from covary.errors import DataError, nearest

FACTS = ("cue_type", "culture", "value", "kind", "neutral", "source", "note", "fits")
ANSWERS = ("verdict", "reviewer", "date", "comment")
REVIEW_COLUMNS = ("cue_type", "culture", "value", "verdict", "reviewer", "date", "comment")


def review_sheet(source: Knowledge, culture: str) -> str:
    """CSV text with one row per cue value of a culture, and empty columns verdict, reviewer, date, comment."""
    if culture not in CULTURES:
        raise DataError(f"unknown culture {culture!r}{nearest(culture, CULTURES)}")
    entries = [entry for entry in source.every() if entry.culture == culture]
    return _csv((*FACTS, *ANSWERS), (_sheet_row(source, entry) for entry in entries))


def read_review_sheet(text: str, source: Knowledge) -> tuple[Review, ...]:
    """The reviews in a filled sheet. Raises DataError with the line for a value that the knowledge base lacks, a verdict
    other than right, wrong, unsure, or a verdict without reviewer and ISO date."""
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    missing = [name for name in REVIEW_COLUMNS if rows and name not in rows[0]]
    if missing:
        raise DataError(f"review sheet: column {missing[0]!r} is missing; expected {', '.join((*FACTS, *ANSWERS))}")
    known = {(entry.cue_type, entry.culture, entry.value) for entry in source.every()}
    reviews: list[Review] = []
    for line, row in enumerate(rows, start=2):
        if not (row["verdict"] or "").strip():
            continue
        answer = {name: (row[name] or "").strip() for name in REVIEW_COLUMNS}
        if (answer["cue_type"], answer["culture"], answer["value"]) not in known:
            raise DataError(
                f"review sheet, line {line}: {answer['value']!r} is no {answer['cue_type']} of {answer['culture']} "
                "in the knowledge base; leave the first columns as they were"
            )
        answer["verdict"] = answer["verdict"].lower()
        try:
            reviews += read_reviews(_csv(REVIEW_COLUMNS, [[answer[name] for name in REVIEW_COLUMNS]]))
        except DataError as error:
            raise DataError(f"review sheet, line {line}: {str(error).split(': ', 1)[-1]}") from None
    return tuple(reviews)


def reviews_csv(reviews: Iterable[Review]) -> str:
    """Reviews as the text of `knowledge_reviews.csv`, each once, sorted."""
    rows = {tuple(str(getattr(review, name)) for name in REVIEW_COLUMNS) for review in reviews}
    return _csv(REVIEW_COLUMNS, (list(row) for row in sorted(rows)))


def verification(source: Knowledge) -> pl.DataFrame:
    """How much of the knowledge base is verified, by culture: values, verified, by_library, by_person, wrong."""
    return pl.DataFrame(
        [_verified(culture, [entry for entry in source.every() if entry.culture == culture]) for culture in CULTURES],
        schema=["culture", "values", "verified", "by_library", "by_person", "wrong"],
        orient="row",
    )


def _verified(culture: str, entries: Sequence[CueValue]) -> tuple[str, int, int, int, int, int]:
    def count(library: bool) -> int:
        return sum(
            any(
                review.verdict == "right" and review.reviewer.startswith("library:") == library
                for review in entry.reviews
            )
            for entry in entries
        )

    wrong = sum(any(review.verdict == "wrong" for review in entry.reviews) for entry in entries)
    return culture, len(entries), sum(entry.verified for entry in entries), count(True), count(False), wrong


def _sheet_row(source: Knowledge, entry: CueValue) -> list[str]:
    cue_type = source.types[entry.cue_type]
    fits = " ".join(culture for culture in CULTURES if culture in entry.cultures)
    return [
        entry.cue_type,
        entry.culture,
        entry.value,
        cue_type.kind,
        cue_type.neutral,
        entry.source,
        entry.note,
        fits,
        *[""] * 4,
    ]


def _csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()
