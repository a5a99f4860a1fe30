"""Pictures and scaffolds of the CAPRI set by a model, and photographs in the place of drawings: asked, reviewed, checked.

What comes back waits in files that a person edits: a row's verdict decides, and nothing is used that fails a check. The model's
answers are kept in the study's journal, so a second call sends only what is missing; rows that a person has changed stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from multiprocessing import TimeoutError as TooLong
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import polars as pl

from covary.build import pictures as bundled
from covary.build.capri_written import USED, Written, reviewed
from covary.build.fill import SAMPLING, SCAFFOLD_PASS, plan_fills, plan_scaffolds, read_fills, read_scaffolds
from covary.build.pictures import generate
from covary.build.pictures.replacement import Replacement, faults, replacement_of, with_replacements
from covary.build.pictures.spec import CONCEPTS, PictureSpec
from covary.cli.builder_model import Asker
from covary.culture import knowledge
from covary.culture.knowledge import Knowledge
from covary.digest import sha256_hex
from covary.errors import CovaryError, DataError, UsageError, nearest
from covary.exchange.rows import read_rows

QUEUE = "review.jsonl"
ENDINGS = {".png", ".jpg", ".jpeg"}
RENDER_S = 20.0
DECIDED = ("approved", "rejected")  # verdicts that a person gives


def draw_pictures(
    study: str, model: str, out: Path, concepts: Sequence[str], limit: int | None, seed: int, replicates: int
) -> None:
    """Ask a model for pictures and put them into a review queue."""
    specs = chosen(bundled.specifications(seed), concepts, limit)
    asker = Asker(study, model)
    plan = generate.plan_pictures(specs, asker.model, asker.sampling(generate.SAMPLING), replicates)
    responses = asker.ask(plan)
    with _Renderer() as render:
        reading = generate.read_pictures(plan.links, responses, render)
    files = {sha: f"{sha}{_ending(data)}" for sha, data in reading.bytes_of.items()}
    for sha, data in reading.bytes_of.items():
        _write(out / files[sha], data)
    rows = [{**row, "file": files.get(row["sha256"])} for row in reading.review.to_dicts()]
    kept = _with_decisions(rows, out / QUEUE, ("picture_id", "request_id", "sha256"))
    _write_rows(kept, out / QUEUE)
    waiting, flagged = (sum(row["verdict"] == verdict for row in kept) for verdict in ("pending", "flagged"))
    line = f"{len(kept)} pictures in {out / QUEUE}: {waiting} wait for a person, {flagged} can't be used"
    asker.finish(line, asker.unanswered > 0)


def check_pictures(path: Path, licence: str | None, source: str | None, out: Path | None) -> None:
    """Check records of pictures, or approved rows of a review queue; write those that may be used. Exit status 1 for a fault."""
    specs = {spec.picture_id: spec for spec in bundled.specifications()}
    files = files_beside(path)
    good: list[Replacement] = []
    records = _records(path, files, licence, source, specs)
    for record in records:
        against = _against(record, specs, files)
        print(f"{record.picture_id}: {'; '.join(against) or 'may be used'}")
        good += [] if against else [record]
    if out is not None and good:
        _write_rows([asdict(record) for record in good], out)
    print(f"{len(good)} of {len(records)} may be used{f'; written to {out}' if out is not None and good else ''}")
    if len(good) < len(records):
        raise SystemExit(1)


def replaced_pictures(path: Path, seed: int) -> tuple[tuple[PictureSpec, ...], Callable[[PictureSpec], bytes]]:
    """The specifications with a file's records in place, and what gives a picture's bytes."""
    files = files_beside(path)
    drawn = bundled.specifications(seed)
    records = _records(path, files, None, None, {spec.picture_id: spec for spec in drawn})
    return with_replacements(drawn, records, files), lambda spec: bundled.picture_bytes(spec, files)


def write_scaffolds(study: str, model: str, out: Path, concepts: Sequence[str], limit: int | None, seed: int) -> None:
    """Ask a model for scaffolds, then to fill them for each culture; write both with their checks into a review file."""
    specs, base = chosen(bundled.specifications(seed), concepts, limit), knowledge.load()
    asker = Asker(study, model)
    sampling = asker.sampling(SAMPLING)
    plan = plan_scaffolds(specs, base, asker.model, sampling)
    first = read_scaffolds(plan.links, asker.ask(plan), specs, base).review.to_dicts()
    missing = asker.unanswered
    first = _with_decisions(first, out, ("pass", "item_id"))
    scaffolds = reviewed(_placed(first, out), specs, base).scaffolds
    plan = plan_fills(scaffolds, base, asker.model, sampling)
    second = read_fills(plan.links, asker.ask(plan), scaffolds, base).review.to_dicts()
    second = _with_decisions(second, out, ("pass", "item_id"))
    _write_rows([*first, *second], out)
    line = (
        f"{_passed(first)} of {len(first)} scaffolds and {_passed(second)} of {len(second)} fillings passed; where one is flagged in "
        f"{out}, mend its text and set its verdict to approved, or leave it"
    )
    asker.finish(line, missing + asker.unanswered > 0)


def written_scaffolds(path: Path, pictures: Iterable[PictureSpec], base: Knowledge | None = None) -> Written:
    """What a review file of scaffolds and fillings gives."""
    rows = [(f"{path}:{number}", row) for number, row in read_rows(path)]
    return reviewed(rows, pictures, base or knowledge.load())


def files_beside(path: Path) -> dict[str, bytes]:
    """The PNG and JPEG files in a file's folder, by digest."""
    found = (
        sorted(file for file in path.parent.iterdir() if file.suffix.lower() in ENDINGS) if path.parent.is_dir() else []
    )
    return {sha256_hex(data): data for file in found for data in (file.read_bytes(),)}


def chosen(specs: Sequence[PictureSpec], concepts: Sequence[str], limit: int | None = None) -> tuple[PictureSpec, ...]:
    """The specifications of these concepts (all if none is named), at most so many of each."""
    for name in concepts:
        if name not in CONCEPTS:
            raise UsageError(f"unknown concept {name!r}{nearest(name, CONCEPTS)}")
    return tuple(
        spec
        for concept in CONCEPTS
        for spec in [spec for spec in specs if spec.concept == concept][:limit]
        if not concepts or concept in concepts
    )


class _Renderer:
    """Renders a model's SVG in a worker that is ended when it takes too long."""

    def __init__(self) -> None:
        self._pool = get_context("spawn").Pool(1)

    def __enter__(self) -> _Renderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.terminate()

    def __call__(self, svg: str) -> bytes:
        try:
            return self._pool.apply_async(generate.render_safely, (svg,)).get(RENDER_S)
        except TooLong:
            self._pool.terminate()
            self._pool = get_context("spawn").Pool(1)
            raise DataError(f"the SVG takes longer than {RENDER_S:g} s to draw") from None


def _records(
    path: Path, files: Mapping[str, bytes], licence: str | None, source: str | None, specs: Mapping[str, PictureSpec]
) -> list[Replacement]:
    rows = list(read_rows(path))
    if not any("verdict" in row for _, row in rows):
        return [replacement_of(_with_digest(row, path), f"{path}:{number}") for number, row in rows]
    if not licence or not source:
        raise UsageError(f"{path} is a review queue: give --licence and --source, which hold for all of its pictures")
    plain = [{name: row.get(name) for name in generate.REVIEW} for _, row in rows]
    try:
        queue = pl.DataFrame(plain, schema=generate.REVIEW)
    except (pl.exceptions.PolarsError, TypeError) as error:
        raise DataError(f"{path}: a field of the check has another type than expected: {error}") from None
    return generate.approved(queue, specs.values(), licence, source)


def _with_digest(row: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """A record whose file is named has its digest."""
    record = {name: value for name, value in row.items() if name != "file"}
    if "file" in row and "sha256" not in row:
        file = path.parent / str(row["file"])
        try:
            record["sha256"] = sha256_hex(file.read_bytes())
        except OSError as error:
            raise DataError(f"{path}: the file {file} can't be read: {error.strerror}") from None
    return record


def _against(record: Replacement, specs: Mapping[str, PictureSpec], files: Mapping[str, bytes]) -> list[str]:
    if record.picture_id not in specs:
        return [f"there is no such picture{nearest(record.picture_id, specs)}"]
    if record.sha256 not in files:
        return [f"no file beside the records has the sha256 {record.sha256}"]
    return faults(record, specs[record.picture_id], files[record.sha256])


def _with_decisions(rows: Sequence[dict[str, Any]], path: Path, key: Sequence[str]) -> list[dict[str, Any]]:
    """Rows, those that a person decided on or began to check as they stand in the file."""
    if not path.is_file():
        return list(rows)
    known = {tuple(row.get(name) for name in key): row for _, row in read_rows(path) if _is_touched(row)}
    return [known.get(tuple(row[name] for name in key), row) for row in rows]


def _is_touched(row: Mapping[str, Any]) -> bool:
    return row.get("verdict") in DECIDED or row.get("reading") is not None


def _passed(rows: Iterable[Mapping[str, Any]]) -> int:
    return sum(row["verdict"] in USED for row in rows)


def _placed(rows: Iterable[Mapping[str, Any]], path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    return [(f"{path}: {row['item_id']}", row) for row in rows if row["pass"] == SCAFFOLD_PASS]


def _ending(data: bytes) -> str:
    return ".jpg" if data.startswith(b"\xff\xd8") else ".png"


def _write_rows(rows: Iterable[Mapping[str, Any]], path: Path) -> None:
    _write(path, b"".join(msgspec.json.encode(dict(row)) + b"\n" for row in rows))


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        raise CovaryError(f"{path}: can't be written: {error.strerror}") from None
