"""How wrong the scores are: a stratified sample for people to label, and what their labels say of rule and judge.

sample(scores, items, share)       → rows for a review file, drawn by seed within language × answer type × verdict
measured(labelled, …)              → estimates: agreement, kappa, sensitivity, specificity, calibration, corrected accuracy
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec
import polars as pl

from covary.analysis import agreement, correction
from covary.analysis.intervals import clopper_pearson
from covary.digest import Draw, digest
from covary.errors import DataError, nearest

KEY = ["item_id", "condition", "model", "replicate"]
STRATA = ("language", "answer_type", "scorer", "verdict")
LABELS: Mapping[str, float | None] = {"right": 1.0, "wrong": 0.0, "unclear": None}
SHOWN = ("language", "answer_type", "question", "target", "answer", "scorer", "value", "reason", "confidence")
Label = Literal["right", "wrong", "unclear"]
BINS = ((0.0, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.000001))


def sample(
    scores: pl.DataFrame, items: pl.DataFrame, scorers: Sequence[str], share: float, seed: int
) -> list[dict[str, Any]]:
    """Rows to be labelled, a share of every stratum and one at least: what was asked, the target, the answer, the verdict, and
    an empty `label` to be filled with right, wrong or unclear. The verdict stands last, to be covered by who labels blind."""
    known = items.select("item_id", "source_id", "language", "answer_type", "question", "target")
    rows = (
        scores.filter(pl.col("scorer").is_in(list(scorers)) & pl.col("answer").is_not_null())
        .join(known, on="item_id", how="inner", maintain_order="left")
        .with_columns(
            verdict=pl.when(pl.col("value").is_null())
            .then(pl.lit("undecided"))
            .otherwise(pl.col("value").cast(pl.String))
        )
        .with_columns(confidence=_confidence())
    )
    drawn: list[dict[str, Any]] = []
    for stratum, group in rows.group_by(STRATA, maintain_order=True):
        count = max(1, math.ceil(share * group.height))
        chosen = sorted(Draw(seed, "audit", *(str(level) for level in stratum)).sample(range(group.height), count))
        drawn += [
            {
                "id": digest([row[name] for name in (*KEY, "scorer")])[:16],
                **{name: row[name] for name in KEY},
                **{name: row[name] for name in SHOWN},
                "stratum_size": group.height,
                "label": None,
            }
            for row in (group.row(number, named=True) for number in chosen)
        ]
    return drawn


def labelled(rows: Iterable[tuple[int, Mapping[str, Any]]], where: str) -> pl.DataFrame:
    """The labelled rows of a review file. Raises DataError for an unknown label, or when nothing is labelled yet."""
    found: list[dict[str, Any]] = []
    for line, row in rows:
        label = row.get("label")
        if label is None or label == "":
            continue
        if label not in LABELS:
            raise DataError(
                f"{where}:{line}: label must be right, wrong or unclear, found {label!r}{nearest(str(label), LABELS)}"
            )
        found.append({**{name: row.get(name) for name in (*KEY, *SHOWN, "stratum_size")}, "label": LABELS[label]})
    if not found:
        raise DataError(f"{where}: no row is labelled yet; fill `label` with right, wrong or unclear")
    return pl.DataFrame(found, infer_schema_length=None).with_columns(
        pl.col("value").cast(pl.Float64), pl.col("label").cast(pl.Float64), pl.col("confidence").cast(pl.Float64)
    )


def measured(reviewed: pl.DataFrame, by: Sequence[str] = ("scorer",)) -> pl.DataFrame:
    """Estimates per group: error rate with an exact interval, sensitivity and specificity, agreement and kappa.

    Unclear labels are left out and counted; undecided verdicts are left out of all but their own count.
    """
    rows = reviewed.with_columns(cluster=pl.col("item_id"), source_id=pl.col("item_id"))
    decided = rows.filter(pl.col("value").is_not_null())
    if decided.is_empty():
        raise DataError(
            "review: no labelled row has a verdict; undecided answers alone say nothing of the rules' error"
        )
    parts = [
        agreement.against_labels(decided, by=list(by)),
        agreement.kappa(decided, "value", "label", by=list(by)),
    ]
    return pl.concat(parts, how="diagonal")


def error_rates(reviewed: pl.DataFrame, by: Sequence[str]) -> list[dict[str, Any]]:
    """Per group: verdicts looked at, how many were wrong, the error rate and its exact 95 % interval."""
    decided = reviewed.filter(pl.col("value").is_not_null() & pl.col("label").is_not_null())
    found: list[dict[str, Any]] = []
    for levels, group in decided.group_by(list(by), maintain_order=True):
        wrong = group.filter(pl.col("value").round() != pl.col("label")).height
        ends = clopper_pearson(wrong, group.height)
        found.append(
            {
                **dict(zip(by, levels, strict=True)),
                "looked_at": group.height,
                "wrong": wrong,
                "error_rate": wrong / group.height,
                "low": float(ends.low),
                "high": float(ends.high),
            }
        )
    return found


def calibration(reviewed: pl.DataFrame) -> list[dict[str, Any]]:
    """By the judge's confidence: how many verdicts, and how many of them the labels confirm, with exact intervals."""
    rows = reviewed.filter(
        pl.col("confidence").is_not_null() & pl.col("value").is_not_null() & pl.col("label").is_not_null()
    )
    found: list[dict[str, Any]] = []
    for low, high in BINS:
        part = rows.filter((pl.col("confidence") >= low) & (pl.col("confidence") < high))
        if part.is_empty():
            continue
        confirmed = part.filter(pl.col("value").round() == pl.col("label")).height
        ends = clopper_pearson(confirmed, part.height)
        found.append(
            {
                "confidence": f"{low:g}–{min(high, 1.0):g}",
                "verdicts": part.height,
                "confirmed": confirmed,
                "low": float(ends.low),
                "high": float(ends.high),
            }
        )
    return found


def corrected(scores: pl.DataFrame, reviewed: pl.DataFrame, scorer: str, by: Sequence[str] = ()) -> pl.DataFrame:
    """Accuracy of a scorer corrected for its error by the labels: Rogan–Gladen, and prediction-powered inference."""
    labels = reviewed.filter(pl.col("scorer") == scorer).select(*KEY, "label")
    rows = scores.filter((pl.col("scorer") == scorer) & pl.col("value").is_not_null())
    both = rows.join(labels, on=KEY, how="left", nulls_equal=True).with_columns(source_id=pl.col("item_id"))
    return pl.concat(
        [
            correction.rogan_gladen(both, by=list(by), judged="value", label="label"),
            correction.prediction_powered(both, by=list(by), judged="value", label="label"),
        ],
        how="diagonal",
    )


def conflicts(scores: pl.DataFrame, items: pl.DataFrame, scorer: str) -> pl.DataFrame:
    """Pairs (answer, target) that one scorer judged more than once and differently: columns answer, target, right, wrong."""
    rows = scores.filter((pl.col("scorer") == scorer) & pl.col("value").is_not_null() & pl.col("answer").is_not_null())
    pairs = rows.join(items.select("item_id", "target"), on="item_id", how="inner")
    counted = pairs.group_by("answer", "target").agg(
        right=(pl.col("value") >= 0.5).sum(), wrong=(pl.col("value") < 0.5).sum()
    )
    return counted.filter((pl.col("right") > 0) & (pl.col("wrong") > 0)).sort("answer", "target")


def controls(scores: pl.DataFrame, families: Mapping[str, str | None], of: str) -> list[dict[str, Any]]:
    """Where a judge and a rule both decided: how often they agree, by what should not matter.

    Rows: control "order" (votes as given and swapped that agree with each other), "verbosity" (agreement by the answer's length,
    short, middle, long), "self-preference" (agreement on answers of the judge's own family and of others, and how often the
    judge passes what the rule calls wrong). Exact 95 % intervals. `families`: model → family, judges included.
    """
    judged = scores.filter((pl.col("scorer") == "judge") & pl.col("value").is_not_null())
    ruled = scores.filter((pl.col("scorer") == of) & pl.col("value").is_not_null()).select(*KEY, "answer", rule="value")
    both = judged.drop("answer").join(ruled, on=KEY, how="inner", nulls_equal=True)
    votes = [
        (row, label, vote["value"])
        for row in judged.iter_rows(named=True)
        for label, vote in msgspec.json.decode(row["detail"]).get("votes", {}).items()
        if vote["value"] is not None
    ]
    found = [_orders(votes)] if any(" swapped" in label for _, label, _ in votes) else []
    lengths = both.with_columns(length=pl.col("answer").str.len_chars()).sort("length")
    for name, part in zip(("short", "middle", "long"), _thirds(lengths), strict=True):
        found.append(_agreement("verbosity", name, part))
    for name, own in (("own family", True), ("other families", False)):
        part = both.filter(
            pl.Series([_of_own_family(row, families) == own for row in both.iter_rows(named=True)], dtype=pl.Boolean)
        )
        found.append(_agreement("self-preference", name, part))
        wrong = part.filter(pl.col("rule") < 0.5).with_columns(value=1 - pl.col("value"), rule=pl.lit(0.0))
        found.append(_agreement("self-preference, passed though the rule says wrong", name, wrong))
    return [row for row in found if row["n"]]


def _orders(votes: Sequence[tuple[Mapping[str, Any], str, float]]) -> dict[str, Any]:
    by_vote: dict[tuple[Any, ...], dict[bool, float]] = {}
    for row, label, value in votes:
        key = (*(row[name] for name in KEY), label.replace(" swapped", ""))
        by_vote.setdefault(key, {})[" swapped" in label] = value
    pairs = [sides for sides in by_vote.values() if len(sides) == 2]
    return _share("order", "as given against swapped", sum(sides[True] == sides[False] for sides in pairs), len(pairs))


def _agreement(control: str, level: str, part: pl.DataFrame) -> dict[str, Any]:
    return _share(control, level, part.filter(pl.col("value").round() == pl.col("rule").round()).height, part.height)


def _share(control: str, level: str, count: int, n: int) -> dict[str, Any]:
    ends = clopper_pearson(count, n) if n else None
    return {
        "control": control,
        "level": level,
        "n": n,
        "share": count / n if n else None,
        "low": float(ends.low) if ends else None,
        "high": float(ends.high) if ends else None,
    }


def _thirds(rows: pl.DataFrame) -> list[pl.DataFrame]:
    first, second = rows.height // 3, 2 * rows.height // 3
    return [rows[:first], rows[first:second], rows[second:]]


def _of_own_family(row: Mapping[str, Any], families: Mapping[str, str | None]) -> bool:
    """Whether every judge that voted is of the answering model's family."""
    judges = {
        label.split(" swapped")[0].split(" #")[0] for label in msgspec.json.decode(row["detail"]).get("votes", {})
    }
    own = families.get(row["model"])
    return own is not None and bool(judges) and all(families.get(judge) == own for judge in judges)


def _confidence() -> pl.Expr:
    """The judge's confidence: mean over its votes, from the score's detail."""
    return pl.col("detail").map_elements(_mean_confidence, return_dtype=pl.Float64)


def _mean_confidence(detail: str) -> float | None:
    votes = msgspec.json.decode(detail).get("votes")
    told = (
        [vote["confidence"] for vote in votes.values() if vote.get("confidence") is not None]
        if isinstance(votes, dict)
        else []
    )
    return sum(told) / len(told) if told else None
