"""CAPRI sets as folders: a writer in the layout of the HF hub, and a reader for ours and for the published set.

    out/README.md               the card, with its YAML header
    out/data/items.parquet      one row per item (schema.ITEMS)
    out/data/pictures.parquet   one row per picture: picture_id, sha256, concept, scene, true_value, caption, description, licence,
                                source, file
    out/pictures/<id>.png       the pictures (a photograph may be .jpg)
    out/SHA256SUMS              the digest of every other file

The published set's columns aren't known here, so a user maps them: field → column name, by hand or in the study file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from covary import digest, schema
from covary.culture import knowledge
from covary.culture.knowledge import CONCEPTS, COUNTRY_NAMES, CULTURES, Knowledge
from covary.culture.knowledge_review import verification
from covary.errors import DataError, StoreError, nearest
from covary.lint.culture import LEVELS

ROW_GROUP = 8192
PICTURE_LIMIT = 32 * 1024 * 1024  # bytes; a larger file is no picture of a conversation
READABLE = (".parquet", ".jsonl", ".json", ".csv")
_ALIASES: Mapping[str, str] = {
    "uk": "GB",
    "unitedkingdom": "GB",
    "greatbritain": "GB",
    "britain": "GB",
    "england": "GB",
    "us": "US",
    "usa": "US",
    "unitedstates": "US",
    "america": "US",
    "unitedstatesofamerica": "US",
    "korea": "KR",
    "southkorea": "KR",
    "republicofkorea": "KR",
}
_CONCEPT_ALIASES: Mapping[str, str] = {
    "time": "time_expression",
    "quantifier": "quantifiers",
    "quantity": "quantifiers",
    "area": "size",
}
_SPEAKER = re.compile(
    r"^\s*(user|human|customer|assistant|bot|chatbot|agent|model)\s*[::]\s*", re.IGNORECASE | re.MULTILINE
)
_USERS = {"user", "human", "customer"}


BY_MODEL = "capri-model-"  # how the ids of scaffolds by a model begin


class CapriFolder(NamedTuple):
    """What a folder holds: items (schema.ITEMS) and the pictures' bytes by SHA-256."""

    items: pl.DataFrame
    bytes_of: dict[str, bytes]


@dataclass(frozen=True)
class Columns:
    """Which column of a published set holds which field. Empty: the set has none.

    `levels` (cue level → column) is for sets with one column per level; then `cue_level` and `conversation` stay empty.
    A conversation is a list of turns (role or from; text, content or value), JSON text of one, or text with "User:" and
    "Assistant:" at the start of lines. A picture is a path below the folder, or bytes.
    """

    source: str = "source_id"
    culture: str = "culture"
    cue_level: str = "cue_level"
    concept: str = "concept"
    question: str = "question"
    conversation: str = "conversation"
    picture: str = "picture"
    conversation_type: str = ""
    true_value: str = ""
    cue1: str = ""
    cue2: str = ""
    cue1_type: str = ""
    cue2_type: str = ""
    levels: Mapping[str, str] = field(default_factory=dict[str, str])


def write_folder(
    items: pl.DataFrame, pictures: Mapping[str, bytes], out: Path, source: Knowledge | None = None
) -> list[Path]:
    """Writes a set and returns the files written. The same set gives the same bytes.

    `pictures` by SHA-256; `source`: the knowledge base that the set was built from, where it isn't the bundled one. Raises DataError when the folder holds other files or a picture of an item is absent, StoreError
    when writing fails. Files appear complete or not at all.
    """
    schema.ITEMS.check(items)
    facts = _picture_facts(items, pictures)
    absent = [sha for sha in facts["sha256"] if sha not in pictures]
    if absent:
        raise DataError(
            f"pictures: no bytes for {absent[0]} ({len(absent)} in all); pass the set's pictures by SHA-256"
        )
    files = {
        "README.md": card(items, source).encode(),
        "data/items.parquet": _parquet(items),
        "data/pictures.parquet": _parquet(facts),
    }
    files |= {file: pictures[sha] for file, sha in facts.select("file", "sha256").iter_rows()}
    sums = "".join(f"{digest.sha256_hex(data)}  {name}\n" for name, data in sorted(files.items()))
    files["SHA256SUMS"] = sums.encode()
    _refuse_strangers(out, files)
    return [_write(out / name, data) for name, data in files.items()]


def read_folder(path: Path, columns: Columns | None = None) -> CapriFolder:
    """A set from a folder: one that `write_folder` made, or (with `columns`) a published one.

    Raises DataError that names the file, the row and the column at fault, what was expected and what was found.
    """
    if not path.is_dir():
        raise DataError(f"{path}: expected a folder with a CAPRI set, found {'a file' if path.exists() else 'nothing'}")
    if columns is None:
        own = path / "data" / "items.parquet"
        if not own.is_file():
            raise DataError(f"{path}: no data/items.parquet; for a set that covary didn't write, map its columns")
        items = schema.ITEMS.check(_read_table(own))
        return CapriFolder(items, _own_pictures(path))
    return _read_published(path, columns)


def columns_from(mapping: Mapping[str, Any]) -> Columns:
    """Columns from a study file's table. Raises DataError with the nearest right word for an unknown field."""
    known = Columns.__dataclass_fields__
    for name, value in mapping.items():
        if name not in known:
            raise DataError(f"columns: unknown field {name!r}{nearest(name, known)}")
        if name == "levels":
            _check_levels(value)
        elif not isinstance(value, str):
            raise DataError(f"columns: {name!r} must be the name of a column, found {value!r}")
    return Columns(**mapping)


def card(items: pl.DataFrame, source: Knowledge | None = None) -> str:
    """The data set's card: YAML header, contents, construction, what is verified and what isn't."""
    full = items.filter(pl.col("cue_level") == "ImplicitFull")
    table = full.group_by("domain", maintain_order=True).agg(
        pl.col("meta").str.json_path_match("$.picture_id").n_unique().alias("pictures"),
        pl.col("source_id").n_unique().alias("scaffolds"),
        pl.len().alias("conversations"),
    )
    lines = [
        f"| {concept} | {pictures} | {scaffolds} | {chats} |"
        for concept, pictures, scaffolds, chats in table.iter_rows()
    ]
    checked = verification(source or knowledge.load())
    share = [f"| {row[0]} | {row[1]} | {row[3]} | {row[4]} |" for row in checked.iter_rows()]
    levels = ", ".join(items["cue_level"].drop_nulls().unique(maintain_order=True))
    seeds = ", ".join(sorted({str(json.loads(text).get("seed", "")) for text in items["provenance"].unique()}))
    return _CARD.format(
        size=_size_category(items.height),
        rows=items.height,
        levels=levels,
        seeds=seeds,
        table="\n".join(lines),
        verification="\n".join(share),
        **_origin(full),
    )


def _origin(full: pl.DataFrame) -> dict[str, str]:
    """What of the set is not drawn by program, in words, and the licence of the whole."""
    shown = full.select(
        "source_id",
        picture=pl.col("meta").str.json_path_match("$.picture_id"),
        licence=pl.col("meta").str.json_path_match("$.replaced.licence"),
    )
    replaced = shown.drop_nulls("licence").unique("picture")
    written = shown.filter(pl.col("source_id").str.starts_with(BY_MODEL))["source_id"].n_unique()
    words = f"A model wrote {written} of its scaffolds, each checked." if written else "No model wrote a word of it."
    licences = ", ".join(sorted(replaced["licence"].unique()))
    pictures = (
        f"{replaced.height} pictures were replaced by photographs or pictures by a model, each checked by a person; their licences "
        f"({licences}) and sources stand in `data/pictures.parquet`."
        if replaced.height
        else "No picture is a photograph."
    )
    return {"origin": f"{words} {pictures}", "licence": "other" if replaced.height else "apache-2.0"}


_CARD = """---
license: {licence}
language: [en]
pretty_name: CAPRI set made by covary
size_categories: [{size}]
task_categories: [visual-question-answering]
configs:
- config_name: items
  data_files: data/items.parquet
- config_name: pictures
  data_files: data/pictures.parquet
---

# CAPRI set made by covary

Conversations with graded cues of a user's country, each about one picture, to ask whether a model that recognises where a
user is from also answers in that user's units. Drawn by program from a seed ({seeds}). {origin}

{rows} items at these levels: {levels}.

| concept | pictures | scaffolds | conversations |
|---|---|---|---|
{table}

Each item is one row: `conversation` (turns before the question), `question`, `picture` (SHA-256; the file is in
`data/pictures.parquet`), `culture` (country code), `cue_level`, `domain` (concept) and `meta` (JSON: cue types and values,
picture_id, true value). Items of one `source_id` share a scaffold; cluster by `meta.picture_id`.

## What is verified

Cue values were written from public facts. Those that a library knows were checked against it; the others wait for people
of the culture. `meta.cues[].verified` says which.

| culture | values | confirmed by a library | confirmed by a person |
|---|---|---|---|
{verification}

## Limits

A country stands in for a culture, which is coarse. Cues point to one of ten countries, and may fit others outside the ten.
Persons among the cues are public figures, by name only; phone numbers are of ranges kept for fiction, can't be assigned,
or are published examples. The data are for evaluation, not for guessing where real people are from.
"""


def _size_category(rows: int) -> str:
    bounds = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
    return next((name for bound, name in bounds if rows < bound), "100K<n<1M")


def _picture_facts(items: pl.DataFrame, pictures: Mapping[str, bytes]) -> pl.DataFrame:
    """One row per picture. A drawn one is covary's own; a replaced one has its licence and source."""
    meta = {
        name: pl.col("meta").str.json_path_match(f"$.{name}").alias(name)
        for name in (
            "picture_id",
            "scene",
            "true_value",
            "caption",
            "description",
            "replaced.licence",
            "replaced.source",
        )
    }
    found = (
        items.filter(pl.col("picture").is_not_null())
        .unique("picture", keep="first", maintain_order=True)
        .select(
            meta["picture_id"],
            pl.col("picture").alias("sha256"),
            pl.col("domain").alias("concept"),
            meta["scene"],
            meta["true_value"].cast(pl.Float64),
            meta["caption"],
            meta["description"],
            meta["replaced.licence"].fill_null("Apache-2.0").alias("licence"),
            meta["replaced.source"].fill_null("covary").alias("source"),
        )
        .with_columns(pl.col("picture_id").fill_null(pl.col("sha256")))
    )
    kinds = pl.Series([_ending(pictures.get(sha, b"")) for sha in found["sha256"]], dtype=pl.String)
    stem = pl.col("picture_id").str.replace_all(r"[^\w.-]", "_")
    return found.with_columns(pl.concat_str(pl.lit("pictures/"), stem, kinds).alias("file"))


def _ending(data: bytes) -> str:
    return ".jpg" if data.startswith(b"\xff\xd8") else ".png"


def _parquet(frame: pl.DataFrame) -> bytes:
    out = BytesIO()
    frame.write_parquet(out, compression="zstd", compression_level=3, statistics=False, row_group_size=ROW_GROUP)
    return out.getvalue()


def _refuse_strangers(out: Path, files: Iterable[str]) -> None:
    if out.is_file():
        raise DataError(f"{out}: expected a folder to write to, found a file")
    ours = set(files)
    strangers = [
        path for path in sorted(out.rglob("*")) if path.is_file() and path.relative_to(out).as_posix() not in ours
    ]
    if strangers:
        raise DataError(
            f"{out}: holds {strangers[0].relative_to(out)}, which isn't of this set; choose an empty folder"
        )


def _write(path: Path, data: bytes) -> Path:
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise StoreError(
            f"{path}: can't be written ({error.strerror}); free some space or choose another folder"
        ) from None
    return path


def _own_pictures(path: Path) -> dict[str, bytes]:
    facts = _read_table(path / "data" / "pictures.parquet")
    found: dict[str, bytes] = {}
    for file, sha in facts.select("file", "sha256").iter_rows():
        data = _picture_bytes(path, file, path / "data" / "pictures.parquet")
        if digest.sha256_hex(data) != sha:
            raise DataError(
                f"{path / file}: expected SHA-256 {sha[:12]}…, found {digest.sha256_hex(data)[:12]}…; the file was changed"
            )
        found[sha] = data
    return found


def _read_table(path: Path) -> pl.DataFrame:
    try:
        if path.suffix == ".parquet":
            return pl.read_parquet(path, hive_partitioning=False)
        if path.suffix == ".jsonl":
            return pl.read_ndjson(path, infer_schema_length=None)
        if path.suffix == ".json":
            return pl.read_json(path, infer_schema_length=None)
        return pl.read_csv(path, infer_schema=False)
    except OSError as error:
        raise DataError(f"{path}: can't be read ({error.strerror or error})") from None
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{path}: no readable {path.suffix[1:]} table ({str(error).splitlines()[0]})") from None


def _read_published(path: Path, columns: Columns) -> CapriFolder:
    files = [
        file
        for file in sorted(path.rglob("*"))
        if file.is_file() and file.suffix in READABLE and not file.name.startswith(".")
    ]
    tables = [(file, _read_table(file)) for file in files]
    needed = _needed(columns)
    fitting = [
        (file, table) for file, table in tables if columns.source in table.columns and columns.question in table.columns
    ]
    if not fitting:
        seen = f"; {files[0].relative_to(path)} has {', '.join(tables[0][1].columns)}" if files else ""
        raise DataError(
            f"{path}: no table ({', '.join(READABLE)}) with the columns {columns.source!r} and {columns.question!r}{seen}; map the columns"
        )
    pictures: dict[str, bytes] = {}
    rows: list[dict[str, Any]] = []
    for file, table in fitting:
        for name, column in needed.items():
            if column not in table.columns:
                raise DataError(f"{file}: column {column!r} for {name!r} is missing{nearest(column, table.columns)}")
        for number, record in enumerate(table.iter_rows(named=True), start=1):
            rows += _published_rows(record, columns, f"{file}, row {number}", path, file, pictures)
    return CapriFolder(schema.ITEMS.from_rows(rows), pictures)


def _needed(columns: Columns) -> dict[str, str]:
    singles = {name: getattr(columns, name) for name in Columns.__dataclass_fields__ if name != "levels"}
    if columns.levels:
        singles |= {"cue_level": "", "conversation": ""} | {
            f"levels.{level}": column for level, column in columns.levels.items()
        }
    return {name: column for name, column in singles.items() if column}


def _published_rows(
    record: Mapping[str, Any], columns: Columns, where: str, path: Path, file: Path, pictures: dict[str, bytes]
) -> Iterator[dict[str, Any]]:
    culture = _culture(record[columns.culture], where)
    concept = _concept(record[columns.concept], where)
    sha = _picture(record[columns.picture], path, file, where, pictures) if columns.picture else None
    found = (
        {level: record[column] for level, column in columns.levels.items()}
        if columns.levels
        else {_level(record[columns.cue_level], where): record[columns.conversation]}
    )
    cues = [
        {"type": str(record.get(kind) or ""), "value": str(record[column])}
        for column, kind in ((columns.cue1, columns.cue1_type), (columns.cue2, columns.cue2_type))
        if column and record.get(column)
    ]
    picture_id = record[columns.picture] if columns.picture and isinstance(record[columns.picture], str) else sha
    meta: dict[str, Any] = {"picture_id": picture_id, "route": "picture" if columns.picture else "text", "cues": cues}
    if columns.conversation_type:
        meta["conversation_type"] = record[columns.conversation_type]
    if columns.true_value:
        meta["true_value"] = _number(record[columns.true_value])
    options = _OPTIONS.get(concept)
    for level, said in found.items():
        source, variant = str(record[columns.source]), {"culture": culture, "cue_level": level}
        yield {
            "source_id": source,
            "item_id": digest.item_id(source, variant),
            "variant": digest.canonical_json(variant).decode(),
            "language": "en",
            "culture": culture,
            "cue_level": level,
            "format": "conversation",
            "question": str(record[columns.question]),
            "options": options,
            "conversation": [] if level == "Null" else _turns(said, where),
            "picture": sha,
            "answer_type": "option" if options else "quantity",
            "domain": concept,
            "meta": digest.canonical_json(meta).decode(),
            "provenance": digest.canonical_json({"source": "imported CAPRI set", "file": file.name}).decode(),
        }


_OPTIONS: Mapping[str, list[str]] = {
    "time_expression": ["morning", "noon", "afternoon", "evening", "night"],
    "quantifiers": ["few", "some", "half", "most", "almost all"],
}


def _squeezed(value: Any) -> str:
    return re.sub(r"[^a-z0-9]", "", str(value or "").lower())


def _culture(value: Any, where: str) -> str:
    names = {_squeezed(name): code for code, name in COUNTRY_NAMES.items()} | {code.lower(): code for code in CULTURES}
    code = (names | dict(_ALIASES)).get(_squeezed(value))
    if code is None:
        raise DataError(f"{where}: culture must be one of {', '.join(CULTURES)} or its English name, found {value!r}")
    return code


def _concept(value: Any, where: str) -> str:
    names = {_squeezed(name): name for name in CONCEPTS} | dict(_CONCEPT_ALIASES)
    concept = names.get(_squeezed(value))
    if concept is None:
        raise DataError(
            f"{where}: concept must be one of {', '.join(CONCEPTS)}, found {value!r}{nearest(str(value), CONCEPTS)}"
        )
    return concept


def _level(value: Any, where: str) -> str:
    level = {_squeezed(name): name for name in LEVELS}.get(_squeezed(value))
    if level is None:
        raise DataError(f"{where}: cue level must be one of {', '.join(LEVELS)}, found {value!r}")
    return level


def _check_levels(value: Any) -> None:
    if not isinstance(value, Mapping) or not value:
        raise DataError(f"columns: 'levels' must map cue levels to columns, found {value!r}")
    for level in value:  # pyright: ignore[reportUnknownVariableType]
        if level not in LEVELS:
            raise DataError(f"columns: unknown cue level {level!r}{nearest(str(level), LEVELS)}")


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _turns(said: Any, where: str) -> list[dict[str, str]]:
    if isinstance(said, str):
        text = said.strip()
        if text.startswith("["):
            try:
                said = json.loads(text)
            except (json.JSONDecodeError, RecursionError):
                raise DataError(f"{where}: the conversation starts like a JSON list but isn't one") from None
        else:
            return _spoken(text, where)
    if not isinstance(said, Sequence):
        raise DataError(f"{where}: a conversation must be a list of turns or a text, found {type(said).__name__}")
    return [_turn(turn, where) for turn in said]  # pyright: ignore[reportUnknownVariableType]


def _turn(turn: Any, where: str) -> dict[str, str]:
    if isinstance(turn, Mapping):
        role = next((turn[key] for key in ("role", "from", "speaker") if turn.get(key)), None)  # pyright: ignore[reportUnknownVariableType]
        text = next((turn[key] for key in ("text", "content", "value", "utterance") if turn.get(key) is not None), None)  # pyright: ignore[reportUnknownVariableType]
        if isinstance(role, str) and isinstance(text, str):
            return {"role": "user" if role.lower() in _USERS else "assistant", "text": text}
    raise DataError(f"{where}: a turn must have role (or from) and text (or content, value), found {str(turn)[:80]!r}")


def _spoken(text: str, where: str) -> list[dict[str, str]]:
    marks = list(_SPEAKER.finditer(text))
    if not text:
        return []
    if not marks or text[: marks[0].start()].strip():
        raise DataError(f"{where}: expected lines that start with User: or Assistant:, found {text[:60]!r}")
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [
        {"role": "user" if mark[1].lower() in _USERS else "assistant", "text": text[mark.end() : end].strip()}
        for mark, end in zip(marks, ends, strict=True)
    ]


def _picture(value: Any, path: Path, file: Path, where: str, pictures: dict[str, bytes]) -> str | None:
    if value is None:
        return None
    data: Any = value
    if isinstance(value, Mapping):
        data = value.get("bytes") or value.get("path")  # pyright: ignore[reportUnknownVariableType]
    if isinstance(data, str):
        data = _picture_bytes(path, data, where)
    if not isinstance(data, bytes):
        raise DataError(f"{where}: a picture must be a path below the folder or bytes, found {type(data).__name__}")
    sha = digest.sha256_hex(data)
    pictures.setdefault(sha, data)
    return sha


def _picture_bytes(path: Path, name: str, where: object) -> bytes:
    target = (path / name).resolve()
    if not target.is_relative_to(path.resolve()):
        raise DataError(f"{where}: picture {name!r} lies outside the folder")
    try:
        if target.stat().st_size > PICTURE_LIMIT:
            raise DataError(f"{where}: picture {name!r} is larger than {PICTURE_LIMIT // 2**20} MiB")
        return target.read_bytes()
    except OSError as error:
        raise DataError(f"{where}: picture {name!r} can't be read ({error.strerror})") from None
