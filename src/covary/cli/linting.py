"""`covary lint`: the rules over a study's items, MathMist's folder or a file of items; findings for people or programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl

from covary import digest, schema
from covary.cli.deaf import deaf
from covary.errors import DataError, UsageError
from covary.report.controls import visible

if TYPE_CHECKING:
    from covary.lint.finding import Finding
    from covary.lint.runner import Part

PARTS = ("corpus", "mcq", "perturbed")
WORTH_A_POOL = 5_000
EXAMPLES = 3
SEVERITIES = ("error", "warning", "note")


def lint(
    target: str,
    data: Path | None = None,
    columns: list[str] | None = None,
    as_json: bool = False,
    fix_report: Path | None = None,
    rules: list[str] | None = None,
) -> None:
    """Print the findings in a set; write all of them, one JSON object a line, to `fix_report`. Exit status 1 on errors.

    target: a study (name, folder, TOML file), a folder with corpus/, mcq/ or perturbed/ in it, or a file of items. columns:
    OURS=THEIRS pairs for a file. rules: only these; none named: all.
    """
    from covary import lint as linter

    items = _with_raw_labels(read_target(target, data, columns or []), Path(target))
    if not items.height:
        raise DataError(f"{target}: expected at least one item, found none")
    found = linter.run(items, rules or None, workers=pooled if items.height > WORTH_A_POOL else None)
    if fix_report is not None:
        _write(found, fix_report)
    if as_json:
        sys.stdout.write(msgspec.json.encode(_summary(items, found) | {"findings": found.to_dicts()}).decode() + "\n")
    else:
        _print(target, items, found, fix_report)
    if (found["severity"] == "error").any():
        raise SystemExit(1)


def read_target(target: str, data: Path | None, columns: list[str]) -> pl.DataFrame:
    """The items that a target names."""
    path = Path(target)
    mapping = column_map(columns)
    if path.is_dir() and not (path / "study.toml").exists():
        return _folder(path, mapping)
    if path.name.lower().endswith((".jsonl", ".jsonl.gz", ".parquet")):
        from covary.exchange.items_file import read_items_file

        return read_items_file(path, mapping)
    if columns:
        raise UsageError(f"--column is for files of items; {target} is a study, which names its columns itself")
    from covary.cli.folder import open_study
    from covary.cli.sources import read_items

    folder = open_study(target)
    return read_items(folder.study, folder.home, folder.pictures, data)


def column_map(columns: list[str]) -> dict[str, str]:
    """{"question": "problem"} from ["question=problem"]."""
    pairs = [entry.partition("=") for entry in columns]
    for ours, sign, theirs in pairs:
        if not (ours and sign and theirs):
            raise UsageError(
                f"--column: expected OURS=THEIRS, such as question=problem, found {ours + sign + theirs!r}"
            )
    return {ours: theirs for ours, _, theirs in pairs}


def _folder(path: Path, columns: dict[str, str]) -> pl.DataFrame:
    """Items of a folder: MathMist's parts, a CAPRI set, or the Parquet and JSON Lines files in it (also in data/)."""
    if any((path / part).is_dir() for part in PARTS):
        from covary.exchange.mathmist import read_items

        tables = [read_items(path, part) for part in PARTS if (path / part).is_dir()]
        return schema.ITEMS.check(pl.concat(tables))
    if (path / "data" / "items.parquet").is_file() and (path / "data" / "pictures.parquet").is_file():
        from covary.exchange.capri import read_folder

        return read_folder(path).items
    from covary.exchange.items_file import FORMS, read_items_file

    files = sorted(file for place in (path, path / "data") for file in place.glob("*") if file.name.endswith(FORMS))
    if not files:
        raise DataError(
            f"{path}: expected study.toml, corpus/, mcq/, perturbed/, or files ending in {', '.join(FORMS)}"
        )
    tables = [read_items_file(file, columns).select(list(schema.ITEMS.schema)) for file in files]
    return schema.ITEMS.check(pl.concat(tables))


def _with_raw_labels(items: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Answer types as MathMist's files have them, in `meta.answer_type_label`; reading cleans them."""
    if not (path / "corpus").is_dir():
        return items
    from covary.exchange.rows import read_rows

    raw: dict[tuple[str, str], str] = {}
    for file in sorted((path / "corpus").glob("*.jsonl*")):
        for _, row in read_rows(file):
            kind = str(row.get("answer_type", ""))
            if kind != kind.strip():
                raw[str(row.get("id")), str(row.get("lang"))] = kind
    metas = [
        _labelled(meta, raw.get((source, code))) if form == "open" else meta
        for source, code, form, meta in items.select("source_id", "language", "format", "meta").iter_rows()
    ]
    return items.with_columns(pl.Series("meta", metas, dtype=pl.String))


def _labelled(meta: str, kind: str | None) -> str:
    if kind is None:
        return meta
    facts: dict[str, Any] = msgspec.json.decode(meta)
    return digest.canonical_json(facts | {"answer_type_label": kind}).decode()


def pooled(check: Any, parts: list[Part]) -> Iterable[list[Finding]]:
    """The findings of every piece, pieces spread over the machine's cores."""
    count = min(os.cpu_count() or 1, len(parts))
    if count < 2:
        yield from map(check, parts)
        return
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        try:
            with deaf():
                found = pool.map(check, parts)
            yield from found
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _write(found: pl.DataFrame, path: Path) -> None:
    encode = msgspec.json.Encoder().encode
    try:
        with path.open("wb") as file:
            for row in found.iter_rows(named=True):
                file.write(encode(row) + b"\n")
    except OSError as error:
        raise UsageError(f"{path}: can't be written: {error.strerror}") from None


def _summary(items: pl.DataFrame, found: pl.DataFrame) -> dict[str, Any]:
    counts = found.group_by("rule", "severity").len("count").sort("count", descending=True)
    severities = {name: found.filter(pl.col("severity") == name).height for name in SEVERITIES}
    return {
        "items": items.height,
        **{f"{name}s": count for name, count in severities.items()},
        "rules": counts.to_dicts(),
    }


def _print(target: str, items: pl.DataFrame, found: pl.DataFrame, fix_report: Path | None) -> None:
    told = _summary(items, found)
    for severity in SEVERITIES:
        for rule in (entry for entry in told["rules"] if entry["severity"] == severity):
            print(f"{severity:7} {rule['rule']}: {rule['count']:,}")
            hits = found.filter((pl.col("rule") == rule["rule"]) & (pl.col("severity") == severity)).head(EXAMPLES)
            for hit in hits.iter_rows(named=True) if severity != "note" else ():
                where = " ".join(part for part in (hit["source_id"], hit["variant"], hit["field"]) if part)
                print(
                    f"        {visible(where)}: {_clean(hit['span'])} (expected {_clean(hit['expected'])}; {_clean(hit['suggestion'])})"
                )
    print(
        f"{target}: {items.height:,} items, {told['errors']:,} errors, {told['warnings']:,} warnings, {told['notes']:,} notes"
    )
    if fix_report is not None:
        print(f"all findings: {fix_report}")
    elif found.height:
        print("every finding with its place: --fix-report FILE, or --json")


def _clean(text: str) -> str:
    """A span on one line, without control characters."""
    line = " ".join(text.split())
    shown = line if len(line) <= 120 else line[:119] + "…"
    return "".join(char if char.isprintable() else "�" for char in shown)
