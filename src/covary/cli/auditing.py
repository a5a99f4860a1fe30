"""`covary audit`: write a sample of verdicts for people to label; read the labels back as error rates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from covary.cli.folder import Folder, open_study
from covary.cli.scoring import scores_of
from covary.errors import UsageError
from covary.exchange.rows import read_rows
from covary.report import audit
from covary.store.tables import read_table


def write_sample(study: str, out: Path | None, share: float, review: Path, scorers: list[str], seed: int) -> None:
    """Write the review file. A file that is there already may hold labels: it is never overwritten."""
    if not 0 < share <= 1:
        raise UsageError(f"--sample must lie above 0 and at most at 1, found {share:g}")
    if review.exists():
        raise UsageError(f"{review} is there already and may hold labels; name another file")
    folder, scores, items = _tables(study, out)
    wanted = scorers or [name for name in ("mathematics", "judge", "mcq") if name in set(scores["scorer"])]
    rows = audit.sample(scores, items, wanted, share, seed)
    if not rows:
        raise UsageError(f"{folder.root} has no verdicts of {', '.join(wanted) or 'any scorer that can be audited'}")
    encode = msgspec.json.Encoder().encode
    review.write_bytes(b"".join(encode(row) + b"\n" for row in rows))
    worked_in = "" if out is None else f" --out {out}"
    print(
        f"wrote {len(rows):,} verdicts to {review}; fill `label` with right, wrong or unclear, then: covary audit {study}{worked_in} --labels {review}"
    )


def read_labels(study: str, out: Path | None, review: Path, as_json: bool) -> None:
    """Print what the labels say: error rates with exact intervals, calibration, corrected accuracy, conflicts."""
    folder, scores, items = _tables(study, out)
    families = {model.name: model.family for model in folder.study.models}
    reviewed = audit.labelled(read_rows(review), str(review))
    scorers = sorted(set(reviewed["scorer"]))
    told: dict[str, Any] = {
        "labelled": reviewed.height,
        "unclear": reviewed["label"].null_count(),
        "error_rates": audit.error_rates(reviewed, ("scorer", "language", "answer_type")),
        "overall": audit.error_rates(reviewed, ("scorer",)),
        "agreement": audit.measured(reviewed).to_dicts(),
        "calibration": audit.calibration(reviewed),
        "corrected": {scorer: audit.corrected(scores, reviewed, scorer).to_dicts() for scorer in scorers},
        "controls": audit.controls(scores, families, "mathematics"),
        "conflicts": {scorer: audit.conflicts(scores, items, scorer).height for scorer in scorers},
    }
    if as_json:
        print(json.dumps(told, ensure_ascii=False, default=str))
        return
    _print(told)


def _tables(study: str, out: Path | None) -> tuple[Folder, pl.DataFrame, pl.DataFrame]:
    folder = open_study(study, out)
    if not folder.scores.exists():
        raise UsageError(f"{folder.root} has no scores yet; covary run {study} makes them")
    return folder, scores_of(folder), read_table(folder.items).collect()


def _print(told: dict[str, Any]) -> None:
    from rich.table import Table

    from covary.report.terminal import Screen

    console = Screen()
    console.print(f"{told['labelled']} labelled verdicts, {told['unclear']} unclear and left out")
    table = Table(title="Error rates, exact 95 % intervals")
    for heading in ("scorer", "language", "answer type", "looked at", "wrong", "error rate"):
        table.add_column(heading)
    for row in [*told["overall"], *told["error_rates"]]:
        rate = f"{100 * row['error_rate']:.1f} % ({100 * row['low']:.1f}–{100 * row['high']:.1f})"
        table.add_row(
            row["scorer"],
            row.get("language", "all"),
            row.get("answer_type", "all"),
            str(row["looked_at"]),
            str(row["wrong"]),
            rate,
        )
    console.print(table)
    for row in told["calibration"]:
        console.print(f"confidence {row['confidence']}: {row['confirmed']} of {row['verdicts']} confirmed")
    for scorer, rows in told["corrected"].items():
        for row in rows:
            if row["value"] is not None:
                console.print(
                    f"{scorer}, {row['name']} ({row['method']}): {100 * row['value']:.1f} % ({100 * row['low']:.1f}–{100 * row['high']:.1f})"
                )
            else:
                console.print(f"{scorer}, {row['name']}: {row['note']}")
    for row in told["controls"]:
        console.print(
            f"judge, {row['control']}, {row['level']}: {100 * row['share']:.1f} % of {row['n']}"
            f" ({100 * row['low']:.1f}–{100 * row['high']:.1f})"
        )
    for scorer, count in told["conflicts"].items():
        if count:
            console.print(f"{scorer}: {count} pairs of answer and target were judged both ways")
