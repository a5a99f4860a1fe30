"""Pages of books → problems and solutions: by a vision model as a pass, or as plain text that Tesseract read.

    plan_pages(pages, model, language) / read_pages(pages, links, responses)     (the one run between)

What was read is no item yet: it goes to a review queue (a row per problem, or per page on the text route), and comes back
corrected; `corrections` counts what people changed. A page that can't be used is listed with its reason; the rest goes on.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from covary import digest, schema
from covary.build.replies import Reply, reply_of
from covary.build.translate_checks import damage
from covary.errors import DataError, UsageError, nearest
from covary.items.draw import canonical
from covary.items.languages import language as language_of
from covary.items.variants import identity
from covary.lint.chatter import chatty
from covary.prompts.plan import language_name
from covary.prompts.requests import Call, Model, Plan, answered, picture_message, plan_calls
from covary.prompts.templates import find

VERSION = 1
SAMPLING: Mapping[str, Any] = {"temperature": 0, "max_tokens": 8192}
MOST_PROBLEMS = 60
FIELDS = ("question", "solution", "answer")
_BLANKS = re.compile(r"\s+")


class Page(NamedTuple):
    """One page: a name for people (file and page number), the digest of its picture's bytes, and their kind."""

    name: str
    sha256: str
    mime: str = "image/png"


class Read(NamedTuple):
    """Rows of the review queue, and pages that gave none, each with its reason."""

    rows: list[dict[str, Any]]
    left_out: dict[str, str]


class Reviewed(NamedTuple):
    """Items (schema.ITEMS) of the problems that people let pass, and counts: problems seen, corrected, dropped."""

    items: pl.DataFrame
    seen: int
    corrected: int
    dropped: int


def plan_pages(pages: Iterable[Page], model: Model, language: str, sampling: Mapping[str, Any] = SAMPLING) -> Plan:
    """A request for each page; equal pictures are asked once. Raises UsageError for a model that takes no pictures."""
    if "image" not in model.inputs:
        raise UsageError(
            f'read-pages: model {model.name!r} takes no pictures; declare inputs = ["text", "image"] for one that does'
        )
    text = find("read-page").fill("en", {"source_language": language_name(language_of(language).code, "en")})
    return plan_calls(
        (Call(page.name, "read-page", [picture_message(text, page.sha256, page.mime)], sampling) for page in pages),
        model,
    )


def read_pages(pages: Sequence[Page], links: pl.DataFrame, responses: pl.DataFrame, language: str) -> Read:
    """Queue rows of every page's problems. A page is left out for a bad reply; a problem that breaks a rule keeps its flags."""
    replies = {
        row["item_id"]: reply_of(row["text"], row["status"], row["error"])
        for row in answered(links, responses).iter_rows(named=True)
    }
    rows: list[dict[str, Any]] = []
    left_out: dict[str, str] = {}
    for page in pages:
        problems = _problems(replies.get(page.name, Reply(None, "no response yet")))
        if isinstance(problems, str):
            left_out[page.name] = problems
            continue
        rows += [_row(page.name, at, problem, language, "model") for at, problem in enumerate(problems, 1)]
    return Read(rows, left_out)


def text_row(page: str, text: str, language: str) -> dict[str, Any] | None:
    """The queue row of a page that Tesseract read; None where there is nothing on it."""
    clean = unicodedata.normalize("NFC", text).replace("\x0c", "").strip()
    return _row(page, 1, {"question": clean}, language, "tesseract") if re.search(r"\w", clean) else None


def reviewed(rows: Iterable[Mapping[str, Any]], source: str, licence: str) -> Reviewed:
    """Items of queue rows with verdict "ok", or "error" with corrections; "drop" leaves a row out. Open rows are refused."""
    made: list[dict[str, Any]] = []
    seen = corrected = dropped = 0
    for number, row in enumerate(rows, 1):
        if row.get("verdict") not in ("ok", "error", "drop"):
            raise DataError(
                f"pages row {number}: verdict {row.get('verdict')!r}{nearest(str(row.get('verdict')), ('ok', 'error', 'drop'))}; every row needs one"
            )
        seen += 1
        corrections: dict[str, str] = row.get("corrections") or {}
        if strange := [name for name in corrections if name not in (*FIELDS, "answer_type")]:
            raise DataError(f"pages row {number}: field {strange[0]!r} can't be corrected{nearest(strange[0], FIELDS)}")
        new = {**row, **corrections}
        if row["verdict"] == "drop" or not new.get("question"):
            dropped += 1
            continue
        corrected += any(new[name] != row.get(name) for name in corrections)
        made.append(_item(row, new, source, licence))
    return Reviewed(schema.ITEMS.from_rows(made), seen, corrected, dropped)


def character_error_rate(text: str, reference: str) -> float:
    """Edit distance in characters over the reference's length; NFC, runs of blanks as one. An empty reference is an error.

    >>> round(character_error_rate("abd", "abc"), 2)
    0.33
    """
    left, right = (_BLANKS.sub(" ", unicodedata.normalize("NFC", side)).strip() for side in (text, reference))
    if not right:
        raise UsageError("character error rate: the reference is empty")
    row = list(range(len(right) + 1))
    for at, char in enumerate(left, 1):
        before, row[0] = row[0], at
        for place, other in enumerate(right, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (char != other))
    return row[-1] / len(right)


def _problems(reply: Reply) -> list[dict[str, Any]] | str:
    """The problems of a reply, or why there are none."""
    if reply.content is None:
        return reply.reason
    found = reply.content.get("problems")
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return "the reply lists no problems"
    if not found:
        return "nothing on the page: no problem was found"
    if len(found) > MOST_PROBLEMS:
        return f"{len(found)} problems on one page: the reply goes in circles"
    if any(not isinstance(one.get("question"), str) or not one["question"].strip() for one in found):
        return "a problem has no question"
    if any(one.get(name) is not None and not isinstance(one[name], str) for one in found for name in FIELDS):
        return "a problem's text is no text"
    questions = [one["question"].strip() for one in found]
    return "the same problem comes several times" if len(set(questions)) < len(questions) else found


def _row(page: str, at: int, problem: Mapping[str, Any], language: str, route: str) -> dict[str, Any]:
    texts = {name: _text(problem.get(name)) for name in FIELDS}
    unsure = problem.get("unsure")
    return {
        "problem": digest.digest([page, at, texts["question"]])[:16],
        "page": page,
        "number": at,
        "language": language_of(language).code,
        "route": route,
        **texts,
        "needs_figure": problem.get("needs_figure") is True,
        "unsure": [str(word) for word in unsure] if isinstance(unsure, list) else [],
        "flags": [f"{name}: {flag}" for name, text in texts.items() if text for flag in _flags(text)],
        "stage": "collector",
        "verdict": None,
        "note": "",
        "corrections": {},
    }


def _text(value: Any) -> str | None:
    return unicodedata.normalize("NFC", value).strip() or None if isinstance(value, str) else None


def _flags(text: str) -> Iterator[str]:
    yield from damage("", text)
    if chatty(text):
        yield "it talks about the page"


def _item(row: Mapping[str, Any], new: Mapping[str, Any], source: str, licence: str) -> dict[str, Any]:
    answer = new.get("answer")
    page = {"page": row["page"], "number": row["number"], "route": row["route"], "version": VERSION}
    review = {
        "stage": row["stage"],
        "verdict": row["verdict"],
        "changed": {name: row.get(name) for name in row["corrections"]},
    }
    return {
        **identity(row["problem"], {"language": row["language"]})._asdict(),
        "language": row["language"],
        "format": "open",
        "question": new["question"],
        "solution": new.get("solution"),
        "target": answer,
        "answer_type": new.get("answer_type") or "text",
        "meta": canonical({"needs_figure": row["needs_figure"], "unsure": row["unsure"]}),
        "provenance": canonical({"source": source, "licence": licence, "page": page, "reviews": [review]}),
    }
