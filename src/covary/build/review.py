"""People in the loop: a seeded sample to check, a queue to correct, and what comes back counted.

    sample(items, share, seed)   stratified by language and type → rows of a review file
    read(items, rows)            error rate with a Clopper–Pearson interval, and whether the set may be released
    queue(items, stage)          all items to a stage (collector, aligner, final …)
    corrected(items, rows, stage) items with the corrections in, counted by stage

A row shows the item and asks for verdict ("ok" or "error"), note, and corrections (field → new text). What was shown is sealed
by its digest: a row whose item has changed since is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import polars as pl
from scipy.special import betaincinv

from covary import digest, schema
from covary.digest import Draw
from covary.errors import DataError, UsageError, nearest
from covary.items.draw import canonical

SHOWN = ("item_id", "source_id", "language", "answer_type", "domain", "question", "solution", "options", "target")
CORRECTABLE = ("question", "solution", "target", "answer_type", "domain")
VERDICTS = ("ok", "error")
MOST_ERRORS = 0.05
CONFIDENCE = 0.95


class Stratum(NamedTuple):
    """Errors among the checked rows of one language and type."""

    language: str
    answer_type: str
    errors: int
    checked: int


class Checked(NamedTuple):
    """What a human check says: error rate with its interval, rows not judged yet, and the decision.

    decision: "release" where the upper end is at most the bound, "hold" where it isn't, "incomplete" while rows are open.
    """

    errors: int
    checked: int
    left: int
    rate: float | None
    low: float | None
    high: float | None
    decision: str
    strata: tuple[Stratum, ...]

    @property
    def line(self) -> str:
        """The result in one line."""
        if self.rate is None:
            return f"no row is judged yet, {self.left} are open: {self.decision}"
        return (
            f"{self.errors} errors in {self.checked} checked items: {self.rate:.1%} "
            f"({CONFIDENCE:.0%} interval {self.low:.1%} to {self.high:.1%}, Clopper–Pearson), {self.left} open: {self.decision}"
        )


class Corrected(NamedTuple):
    """Items with corrections in, and counts of the stage: rows seen, items corrected, fields corrected."""

    items: pl.DataFrame
    seen: int
    corrected: int
    fields: int


def sample(items: pl.DataFrame, share: float = 0.2, seed: int = 0) -> list[dict[str, Any]]:
    """Rows of a seeded sample: of every language and type the share, rounded up, so that none is left out."""
    if items.is_empty():
        raise DataError("review: expected at least one item, found none")
    if not 0 < share <= 1:
        raise UsageError(f"review: expected a share above 0 and at most 1, found {share}")
    chosen: list[str] = []
    for (language, kind), group in items.group_by("language", "answer_type", maintain_order=True):
        count = math.ceil(share * group.height - 1e-9)
        chosen += Draw(seed, "review", str(language), str(kind)).sample(sorted(group["item_id"]), count)
    return queue(items.filter(pl.col("item_id").is_in(chosen)), "human check")


def queue(items: pl.DataFrame, stage: str) -> list[dict[str, Any]]:
    """A row for each item, to be judged and corrected in a stage."""
    return [
        {
            **{name: row[name] for name in SHOWN},
            "stage": stage,
            "seal": seal(row),
            "verdict": None,
            "note": "",
            "corrections": {},
        }
        for row in items.iter_rows(named=True)
    ]


def seal(row: Mapping[str, Any]) -> str:
    """Digest of what a reviewer is shown."""
    return digest.digest({name: row[name] for name in SHOWN})[:16]


def read(items: pl.DataFrame, rows: Iterable[Mapping[str, Any]], most: float = MOST_ERRORS) -> Checked:
    """The error rate of a reviewed sample. Raises DataError for a row that is not of these items, changed, double or oddly judged."""
    known = _checked_rows(items, rows)
    judged = [row for row in known if row["verdict"] is not None]
    errors, count, left = sum(row["verdict"] == "error" for row in judged), len(judged), len(known) - len(judged)
    low, high = clopper_pearson(errors, count)
    decision = "incomplete" if left or not count else "release" if high is not None and high <= most else "hold"
    strata: dict[tuple[str, str], list[bool]] = {}
    for row in judged:
        strata.setdefault((row["language"], row["answer_type"]), []).append(row["verdict"] == "error")
    told = tuple(Stratum(*key, sum(wrong), len(wrong)) for key, wrong in sorted(strata.items()))
    return Checked(errors, count, left, errors / count if count else None, low, high, decision, told)


def clopper_pearson(errors: int, count: int, confidence: float = CONFIDENCE) -> tuple[float | None, float | None]:
    """Exact interval of a share (Clopper and Pearson 1934); (None, None) where nothing was counted.

    >>> [round(end, 4) for end in clopper_pearson(0, 10)]
    [0.0, 0.3085]
    """
    if count == 0:
        return None, None
    tail = (1 - confidence) / 2
    low = float(betaincinv(errors, count - errors + 1, tail)) if errors else 0.0
    high = float(betaincinv(errors + 1, count - errors, 1 - tail)) if errors < count else 1.0
    return low, high


def corrected(items: pl.DataFrame, rows: Iterable[Mapping[str, Any]], stage: str) -> Corrected:
    """The items with a stage's corrections; what was changed, and from what, goes into provenance.reviews."""
    known = {row["item_id"]: row for row in _checked_rows(items, rows)}
    out: list[dict[str, Any]] = []
    changed = fields = 0
    for item in items.iter_rows(named=True):
        row = known.get(item["item_id"])
        if row is None:
            out.append(item)
            continue
        new = {name: text for name, text in row["corrections"].items() if text != item[name]}
        changed, fields = changed + bool(new), fields + len(new)
        history = msgspec.json.decode(item["provenance"])
        entry = {
            "stage": stage,
            "verdict": row["verdict"],
            "changed": {name: item[name] for name in new},
            "note": row["note"],
        }
        history["reviews"] = [*history.get("reviews", []), entry]
        out.append({**item, **new, "provenance": canonical(history)})
    return Corrected(schema.ITEMS.from_rows(out), len(known), changed, fields)


def stage_lines(items: pl.DataFrame) -> list[str]:
    """A line for each stage that the items went through, in order: items seen, items corrected, and what was corrected.

    The history is the items' own (provenance.reviews), so that it holds over files and sessions.
    """
    seen: dict[str, int] = {}
    fields: dict[str, list[str]] = {}
    changed: dict[str, int] = {}
    for text in items["provenance"]:
        for entry in msgspec.json.decode(text).get("reviews", []):
            stage = str(entry["stage"])
            seen[stage] = seen.get(stage, 0) + 1
            changed[stage] = changed.get(stage, 0) + bool(entry["changed"])
            fields.setdefault(stage, []).extend(entry["changed"])
    return [
        f"{stage}: {changed[stage]} of {count} corrected"
        + "".join(f", {name} {fields[stage].count(name)}" for name in CORRECTABLE if name in fields[stage])
        for stage, count in seen.items()
    ]


def _checked_rows(items: pl.DataFrame, rows: Iterable[Mapping[str, Any]]) -> Sequence[dict[str, Any]]:
    known = {row["item_id"]: row for row in items.iter_rows(named=True)}
    found: dict[str, dict[str, Any]] = {}
    for number, given in enumerate(rows, 1):
        row: dict[str, Any] = {"verdict": None, "note": "", "corrections": {}, **given}
        where = f"review row {number}"
        item = known.get(str(row.get("item_id")))
        if item is None:
            raise DataError(
                f"{where}: item {row.get('item_id')!r} is not among the items; read it with the set it was drawn from"
            )
        if row["item_id"] in found:
            raise DataError(f"{where}: item {row['item_id']} comes twice")
        if row.get("seal") != seal(item):
            raise DataError(
                f"{where}: item {row['item_id']} has changed since the review file was written; draw the sample anew"
            )
        if row["verdict"] is not None and row["verdict"] not in VERDICTS:
            raise DataError(
                f"{where}: verdict {row['verdict']!r}{nearest(str(row['verdict']), VERDICTS)}, or null for open"
            )
        corrections = row["corrections"] or {}
        if not isinstance(corrections, dict) or any(not isinstance(text, str) for text in corrections.values()):
            raise DataError(f"{where}: corrections must map fields to texts, found {corrections!r}")
        for name in corrections:
            if name not in CORRECTABLE:
                raise DataError(f"{where}: field {name!r} can't be corrected{nearest(str(name), CORRECTABLE)}")
        found[row["item_id"]] = {
            **row,
            "corrections": corrections,
            "language": item["language"],
            "answer_type": item["answer_type"],
        }
    return list(found.values())
