"""The first stages of a study over its folder: items and plan. A stage whose inputs haven't changed is not redone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from covary import schema
from covary.cli.folder import Folder, stamp_of, whole
from covary.cli.picture_limits import fitting
from covary.errors import StudyError, UsageError, nearest
from covary.prompts.plan import plan_pieces
from covary.prompts.requests import Model
from covary.prompts.templates import find
from covary.store.tables import read_table, write_plan, write_table

REPLAY = "replay:"
ORDER = ("items", "plan", "run", "score", "report")


@dataclass(frozen=True)
class Options:
    """What a user adds to a study on the command line."""

    data: Path | None = None
    models: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    limit: int | None = None

    @property
    def replay(self) -> Path | None:
        """The folder of recorded outputs that stands for the models, if one does."""
        paths = [Path(name.removeprefix(REPLAY)) for name in self.models if name.startswith(REPLAY)]
        if len(paths) > 1:
            raise UsageError("--model replay:PATH can be given once")
        return paths[0] if paths else None

    @property
    def named(self) -> tuple[str, ...]:
        """Models asked for by name."""
        return tuple(name for name in self.models if not name.startswith(REPLAY))


class Planned(NamedTuple):
    """A study's tables before anything is sent. Of the requests, ids and models: their bodies stay in the folder's table."""

    items: pl.DataFrame
    requests: pl.DataFrame
    links: pl.DataFrame


def narrowed(folder: Folder, options: Options) -> Folder:
    """The folder with its study cut to the models and conditions asked for."""
    study = folder.study
    models, conditions = study.models, study.conditions
    if options.named:
        known = {model.name: model for model in models}
        for name in options.named:
            if name not in known and options.replay is None:
                raise StudyError(f"study {study.name!r} has no model {name!r}{nearest(name, known)}")
        models = tuple(known.get(name, Model(name)) for name in options.named)
        conditions = tuple(
            replace(condition, models=tuple(name for name in condition.models if name in options.named))
            for condition in conditions
            if not condition.models or set(condition.models) & set(options.named)
        )
    if options.conditions:
        names = [condition.name for condition in conditions]
        for name in options.conditions:
            if name not in names:
                raise StudyError(f"study {study.name!r} has no condition {name!r}{nearest(name, names)}")
        conditions = tuple(condition for condition in conditions if condition.name in options.conditions)
    return replace(folder, study=replace(study, models=models, conditions=conditions))


def items_stage(folder: Folder, options: Options) -> pl.DataFrame:
    """The study's items, made anew and written when they have changed."""
    from covary.cli.sources import read_items

    if options.data is not None and not options.data.exists():
        raise UsageError(f"--data {options.data}: there is no such file or folder")
    declared = [_files_stamp(folder.home / source.path) for source in folder.study.items if source.path]
    made_from = (plain(folder.study.items), folder.study.seed, declared, _files_stamp(options.data), options.limit)
    stamp = stamp_of("items", *made_from)
    if folder.stamp("items") == stamp and whole(folder.items):
        return read_table(folder.items).collect()
    items = read_items(folder.study, folder.home, folder.pictures, options.data)
    if options.limit is not None:
        kept = items["source_id"].unique(maintain_order=True).head(options.limit)
        items = items.filter(pl.col("source_id").is_in(kept.implode()))
    write_table(items, folder.items)
    folder.set_stamp("items", stamp)
    return items


def plan_stage(folder: Folder, options: Options) -> Planned:
    """Requests and links of the study (of the recorded runs when replaying), written when they have changed."""
    items = items_stage(folder, options)
    study = folder.study
    if options.replay is not None:
        return _import_recorded(folder, items, options)
    if not study.models:
        raise StudyError(f"study {study.name!r} names no model; add a [[models]] table, or give --model replay:PATH")
    versions = {condition.prompt: find(condition.prompt, folder.templates) for condition in study.conditions}
    stamp = stamp_of(
        "plan", folder.stamp("items"), plain(study.conditions), plain(study.models), plain(versions), study.seed
    )
    if folder.stamp("plan") != stamp or not whole(folder.requests) or not whole(folder.links):
        with fitting(folder.pictures) as fit:
            pieces = plan_pieces(items, study.conditions, study.models, folder.templates, study.seed, fit)
            write_plan(pieces, folder.requests, folder.links)
        folder.set_stamp("plan", stamp)
    requests = read_table(folder.requests).select("request_id", "model").collect()
    return Planned(items, requests, read_table(folder.links).collect())


def _import_recorded(folder: Folder, items: pl.DataFrame, options: Options) -> Planned:
    from covary.exchange.mathmist import read_recorded
    from covary.store.journal import Journal

    assert options.replay is not None
    stamp = stamp_of("replay", folder.stamp("items"), _files_stamp(options.replay), list(options.named))
    if folder.stamp("plan") == stamp and whole(folder.links):
        return Planned(items, schema.REQUESTS.empty(), read_table(folder.links).collect())
    recorded = read_recorded(options.replay, items, options.named)
    wanted = [condition.name for condition in folder.study.conditions]
    links = recorded.links.filter(pl.col("condition").is_in(wanted))
    with Journal.open(folder.journal) as journal:
        journal.add_frame(recorded.responses, origin="imported")
    write_table(links, folder.links)
    write_table(schema.REQUESTS.empty(), folder.requests)
    folder.set_stamp("plan", stamp)
    return Planned(items, schema.REQUESTS.empty(), links)


def _files_stamp(path: Path | None) -> list[list[Any]]:
    """Names, sizes and times of the files below a path. The time of the last change to the file itself is among them: a copy can
    bring an old time of writing with it, but not an old one of these."""
    if path is None or not path.exists():
        return []
    files = [path] if path.is_file() else sorted(entry for entry in path.rglob("*") if entry.is_file())
    stats = [(str(file.relative_to(path)), file.stat()) for file in files]
    return [[name, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns] for name, stat in stats]


def plain(value: Any) -> Any:
    """Declarations as JSON values."""
    import msgspec

    return msgspec.to_builtins(value)
