"""Declared item sources → one items table. The only place that knows where items come from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from covary import schema
from covary.errors import UsageError, nearest
from covary.studies.declaration import Items, Study

if TYPE_CHECKING:
    from covary.items.template import Template


def read_items(study: Study, home: Path, pictures: Path, data: Path | None) -> pl.DataFrame:
    """Items (schema.ITEMS) of all of a study's sources, their pictures put into a folder. Paths start at `home`.

    Raises UsageError where --data is needed and missing.
    """
    if not study.items:
        raise UsageError(f"study {study.name!r} declares no items; add an [[items]] table")
    tables = [_limited(_read(source, study, home, pictures, data), source.limit) for source in study.items]
    return schema.ITEMS.check(pl.concat([table.select(list(schema.ITEMS.schema)) for table in tables]))


def _read(source: Items, study: Study, home: Path, pictures: Path, data: Path | None) -> pl.DataFrame:
    match source.source:
        case "templates":
            from covary.items.draw import draw

            return draw(
                source.seed or study.seed,
                source.per_template,
                source.languages or ("en",),
                _templates(source.templates),
            )
        case "warm-up":
            from covary.items.warmup import warmup

            return warmup(source.seed or study.seed, source.per_template, source.languages or ("en",))
        case "perturbed-templates":
            from covary.build.perturb_rules import perturb_by_rule
            from covary.items.draw import draw

            seed = source.seed or study.seed
            return perturb_by_rule(
                draw(seed, source.per_template, source.languages or ("en",), _templates(source.templates)), seed
            )
        case "culture-text":
            from covary.build.capri import text_only_items

            chosen = {
                "cultures": source.cultures,
                "concepts": source.concepts,
                "levels": source.cue_levels,
            }
            given = {key: words for key, words in chosen.items() if words}
            return text_only_items(source.seed or study.seed, limit=source.limit, **given)
        case "mathmist":
            from covary.exchange.mathmist import read_items as read_mathmist

            return read_mathmist(_folder(source, study, home, data), source.part or "corpus", source.languages)  # type: ignore[arg-type]
        case "capri":
            from covary.cli.capri import read_capri

            return read_capri(source, home, pictures, data)
        case "file":
            from covary.exchange.items_file import read_items_file

            if source.path is None and data is None:
                raise UsageError(f"study {study.name!r}: items of source 'file' need a path, or --data FILE")
            return read_items_file((home / source.path) if source.path else data or home, source.columns)


def _templates(names: tuple[str, ...]) -> list[Template] | None:
    """The bundled templates of these ids; None: all."""
    if not names:
        return None
    from covary.items.template import bundled_templates

    known = {template.id: template for template in bundled_templates()}
    for name in names:
        if name not in known:
            raise UsageError(f"no bundled template {name!r}{nearest(name, known)}")
    return [known[name] for name in names]


def _folder(source: Items, study: Study, home: Path, data: Path | None) -> Path:
    if source.path:
        return home / source.path
    if data is None:
        raise UsageError(f"study {study.name!r} reads its items from a folder of yours; give it with --data FOLDER")
    return data


def _limited(items: pl.DataFrame, limit: int | None) -> pl.DataFrame:
    if limit is None:
        return items
    kept = items["source_id"].unique(maintain_order=True).head(limit)
    return items.filter(pl.col("source_id").is_in(kept.implode()))
