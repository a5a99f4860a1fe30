"""A set made ready to publish: one folder that `datasets.load_dataset` reads offline.

    out/README.md             the card, with a YAML header that names a configuration per language
    out/data/LANGUAGE.parquet the items of a language (schema.ITEMS)
    out/croissant.json        Croissant 1.0 metadata (JSON-LD): files with their SHA-256, fields with their meaning
    out/lint.json             every finding of lint, and counts by rule
    out/SHA256SUMS            of all the files above

The same items and date give the same bytes. An existing folder is only written into where it holds nothing else.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from covary import __version__, schema
from covary.digest import sha256_hex
from covary.errors import DataError, UsageError
from covary.items.languages import language

UNKNOWN = "unknown"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


class Published(NamedTuple):
    """What was written, and how many errors and warnings lint had."""

    files: tuple[Path, ...]
    errors: int
    warnings: int


def write_release(
    items: pl.DataFrame, findings: pl.DataFrame, out: Path, name: str | None = None, date: str | None = None
) -> Published:
    """Write the folder. findings: of `lint.runner.run` over the same items. date: of publication, as YYYY-MM-DD. Raises DataError for an empty set, UsageError for
    a folder that holds other things."""
    if items.is_empty():
        raise DataError("publish: expected at least one item, found none")
    schema.ITEMS.check(items)
    title = name or out.name
    files: dict[str, bytes] = {}
    for (code,), rows in items.sort("language", maintain_order=True).group_by("language", maintain_order=True):
        files[f"data/{code}.parquet"] = parquet_bytes(rows.select(list(schema.ITEMS.schema)))
    counts = dict(findings.group_by("severity").len().iter_rows())
    files["lint.json"] = _json({"counts": rule_counts(findings), "findings": findings.to_dicts()})
    files["croissant.json"] = _json(croissant(items, files, title, date))
    files["README.md"] = card(items, findings, title, date).encode()
    files["SHA256SUMS"] = "".join(f"{sha256_hex(files[path])}  {path}\n" for path in sorted(files)).encode()
    _refuse_strangers(out, files)
    written = tuple(_write(out / path, data) for path, data in files.items())
    return Published(written, counts.get("error", 0), counts.get("warning", 0))


def rule_counts(findings: pl.DataFrame) -> dict[str, int]:
    """Findings by rule, most first."""
    counted = findings.group_by("rule").len().sort("len", "rule", descending=[True, False])
    return dict(counted.iter_rows())


def licences(items: pl.DataFrame) -> list[str]:
    """The licences that the items' provenance names, sorted; "unknown" where one names none."""
    found = {_provenance(text).get("licence") or UNKNOWN for text in items["provenance"].unique()}
    return sorted(map(str, found))


def sources(items: pl.DataFrame) -> dict[str, int]:
    """Sources that the items' provenance names, with their counts."""
    counted: dict[str, int] = {}
    for text in items["provenance"]:
        source = str(_provenance(text).get("source") or UNKNOWN)
        counted[source] = counted.get(source, 0) + 1
    return dict(sorted(counted.items()))


def parquet_bytes(frame: pl.DataFrame) -> bytes:
    """A frame as Parquet."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def card(items: pl.DataFrame, findings: pl.DataFrame, title: str, date: str | None = None) -> str:
    """The data card: a YAML header for the hub's loader, what is in the set, where it comes from, what was checked."""
    codes = sorted(items["language"].unique())
    own = licences(items)
    size = next((name for limit, name in _SIZES if items.height < limit), "n>1M")
    header = ["---", f"pretty_name: {_quoted(title)}", "language:", *(f"- {code}" for code in codes)]
    header += [f"license: {own[0].lower()}"] if len(own) == 1 and own[0] != UNKNOWN else ["license: other"]
    header += ["size_categories:", f"- {size}", "configs:"]
    for code in codes:
        header += [f"- config_name: {code}", "  data_files:", "  - split: test", f"    path: data/{code}.parquet"]
    table = [
        f"| {language(str(code)).name} ({code}) | {kind} | {form} | {count} |"
        for code, kind, form, count in items.group_by("language", "answer_type", "format")
        .len()
        .sort("language", "answer_type", "format")
        .iter_rows()
    ]
    counts = rule_counts(findings)
    lint = [f"| {rule} | {count} |" for rule, count in counts.items()] or ["| none | 0 |"]
    body = [
        f"# {title}",
        "",
        f"{items.height:,} items of {items['source_id'].n_unique():,} problems in {len(codes)} languages. `source_id` joins the forms of a problem.",
        "",
        "## Contents",
        "",
        "| language | type | format | items |",
        "|---|---|---|---|",
        *table,
        "",
        "## Sources and licences",
        "",
        *(f"- {source}: {count:,} items" for source, count in sources(items).items()),
        f"- Licences named by the items: {', '.join(own)}",
        "",
        "How each item was made (model, prompt version, passes, checks) stands in its `provenance`.",
        "",
        "## Lint",
        "",
        "| rule | findings |",
        "|---|---|",
        *lint,
        "",
        "All findings are in `lint.json`.",
        "",
        "## Fields",
        "",
        *(f"- `{column.name}`: {column.meaning}" for column in schema.ITEMS.columns),
        "",
        "## Citation",
        "",
        f"    {citation(items, title, date)}",
        "",
        f"Written by covary {__version__}. `sha256sum -c SHA256SUMS` checks the files.",
        "",
    ]
    return "\n".join([*header, "---", "", *body])


def croissant(items: pl.DataFrame, files: Mapping[str, bytes], title: str, date: str | None = None) -> dict[str, Any]:
    """Croissant 1.0 metadata: each Parquet file with its digest, and one record set per language."""
    parquet = [path for path in files if path.endswith(".parquet")]
    distribution = [
        {
            "@type": "cr:FileObject",
            "@id": path,
            "name": path.replace("/", "-"),
            "contentUrl": path,
            "encodingFormat": "application/x-parquet",
            "sha256": sha256_hex(files[path]),
        }
        for path in parquet
    ]
    record_sets = [
        {
            "@type": "cr:RecordSet",
            "@id": code,
            "name": code,
            "key": {"@id": f"{code}/item_id"},
            "field": [_field(code, path, column) for column in schema.ITEMS.columns if column.name != "conversation"],
        }
        for path in parquet
        for code in [path.removeprefix("data/").removesuffix(".parquet")]
    ]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": title,
        "description": f"{items.height} parallel items of {items['source_id'].n_unique()} problems.",
        "license": ", ".join(licences(items)),
        "version": "1.0.0",
        "citeAs": citation(items, title, date),
        **({"datePublished": date} if date else {}),
        "inLanguage": sorted(items["language"].unique()),
        "isBasedOn": list(sources(items)),
        "distribution": distribution,
        "recordSet": record_sets,
    }


def citation(items: pl.DataFrame, title: str, date: str | None = None) -> str:
    """How to cite the set, as a BibTeX entry: its name, its year if told, and the sources of its items."""
    rows = [
        f"title = {{{title}}}",
        *([f"year = {{{date[:4]}}}"] if date else []),
        f"note = {{{items.height} items of {items['source_id'].n_unique()} problems. Sources: {', '.join(sources(items))}}}",
    ]
    key = "".join(char if char.isalnum() else "-" for char in title.lower()).strip("-") or "set"
    return f"@misc{{{key}, {', '.join(rows)}}}"


def _field(code: str, path: str, column: schema.Column) -> dict[str, Any]:
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{code}/{column.name}",
        "name": column.name,
        "description": column.meaning,
        "dataType": "sc:Text",
        "source": {"fileObject": {"@id": path}, "extract": {"column": column.name}},
    }
    return {**field, "repeated": True} if column.name == "options" else field


def _provenance(text: str) -> dict[str, Any]:
    found = msgspec.json.decode(text)
    return found if isinstance(found, dict) else {}


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def _json(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def _refuse_strangers(out: Path, files: Mapping[str, bytes]) -> None:
    if out.is_file():
        raise UsageError(f"{out}: expected a folder, found a file")
    if not out.is_dir():
        return
    own = {str(Path(path)) for path in files}
    for path in sorted(out.rglob("*")):
        if path.is_file() and str(path.relative_to(out)) not in own:
            raise UsageError(
                f"{out} holds {path.relative_to(out)}, which is no part of this set; choose an empty folder"
            )


def _write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


_OWN = [
    "citeAs",
    "column",
    "equivalentProperty",
    "extract",
    "field",
    "fileProperty",
    "fileObject",
    "fileSet",
    "format",
    "includes",
    "isLiveDataset",
    "jsonPath",
    "key",
    "md5",
    "parentField",
    "path",
    "recordSet",
    "references",
    "regex",
    "repeated",
    "replace",
    "samplingRate",
    "separator",
    "source",
    "subField",
    "transform",
]
# The JSON-LD context that Croissant 1.0 prescribes, unused names included: readers compare it as a whole.
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in _OWN},
}
