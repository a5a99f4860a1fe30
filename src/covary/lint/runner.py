"""The rules applied to a set: an items frame in, a findings frame out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

import polars as pl

from covary.errors import UsageError, nearest
from covary.lint import culture
from covary.lint.finding import Finding
from covary.lint.row import Row, rows_of
from covary.lint.rules import ALL_IDS, CULTURE_IDS, RULES, Rule

COLUMNS = ("rule", "severity", "source_id", "item_id", "variant", "field", "span", "expected", "suggestion")
SCHEMA: dict[str, pl.DataType] = {name: pl.String() for name in COLUMNS}
PIECE = 500
Part = tuple[pl.DataFrame, tuple[str, ...] | None]
Workers = Callable[[Callable[[Part], list[Finding]], list[Part]], Iterable[list[Finding]]]


def run(items: pl.DataFrame, rules: Sequence[str] | None = None, *, workers: Workers | None = None) -> pl.DataFrame:
    """Every finding of the wanted rules (None: all): rule, severity, source_id, item_id, variant, field, span, expected,
    suggestion; in the order of the items, set-wide ones last.

    workers: a map over pieces of the set, such as a process pool's; None: one after the other, here. Raises UsageError for a
    rule that isn't known.
    """
    wanted = None if rules is None else tuple(rules)
    for name in wanted or ():
        if name not in ALL_IDS:
            raise UsageError(f"lint: no rule {name!r}{nearest(name, ALL_IDS)}")
    talk = items.filter(pl.col("format") == "conversation")
    plain = items.filter(pl.col("format") != "conversation")
    parts = [(piece, wanted) for piece in pieces(plain)]
    found = [finding for part in (workers or map)(check_piece, parts) for finding in part]
    place = {item: at for at, item in enumerate(items["item_id"])}
    found.sort(key=lambda finding: place.get(finding.item_id, len(place)))
    found += [
        finding
        for rule in _chosen(wanted)
        if rule.scope == "set"
        for finding in _kept(rule.check(rows_of(plain)), wanted)
    ]
    if talk.height and (wanted is None or set(wanted) & set(CULTURE_IDS)):
        found += _kept(culture.check(talk), wanted)
    return frame(found, dict(items.select("item_id", "source_id").iter_rows()))


def frame(findings: Iterable[Finding], sources: dict[str, str] | None = None) -> pl.DataFrame:
    """Findings as a frame with SCHEMA's columns."""
    rows = [finding.as_row() for finding in findings]
    for row in rows:
        row["source_id"] = row.get("source_id") or (sources or {}).get(row["item_id"], "")
        row["field"] = row.get("field", "")
    return pl.DataFrame([{name: row[name] for name in COLUMNS} for row in rows], schema=SCHEMA)


def pieces(items: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The set in pieces of a bounded number of problems; the forms of a problem stay together."""
    sources = items["source_id"].unique(maintain_order=True)
    for start in range(0, len(sources), PIECE):
        yield items.filter(pl.col("source_id").is_in(sources[start : start + PIECE].implode()))


def check_piece(part: Part) -> list[Finding]:
    """The findings of row and form rules in one piece."""
    items, wanted = part
    rows = rows_of(items)
    groups: defaultdict[tuple[str, str, str | None], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.source_id, row.format, row.perturbation].append(row)
    chosen = _chosen(wanted)
    found: list[Finding] = []
    for rule in chosen:
        if rule.scope == "row":
            found += [finding for row in rows for finding in _kept(rule.check(row), wanted)]
        elif rule.scope == "forms":
            found += [finding for forms in groups.values() for finding in _kept(rule.check(forms), wanted)]
    return found


def _chosen(wanted: Sequence[str] | None) -> list[Rule]:
    return [rule for rule in RULES if wanted is None or set(rule.ids) & set(wanted)]


def _kept(findings: Iterable[Finding], wanted: Sequence[str] | None) -> list[Finding]:
    return [finding for finding in findings if wanted is None or finding.rule in wanted]
