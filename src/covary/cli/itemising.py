"""Bodies of `covary items`: draw, show, build."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import polars as pl

from covary.cli.folder import open_study
from covary.errors import UsageError, nearest
from covary.exchange.items_file import read_items_file, write_items_file


def draw(seed: int, per_template: int, languages: str, out: Path | None) -> None:
    """Draw parallel items; write them, or print a preview."""
    from covary.items.draw import draw as draw_items

    made = draw_items(seed, per_template, [word.strip() for word in languages.split(",") if word.strip()])
    if out is None:
        _side_by_side(made, made["source_id"].unique(maintain_order=True).head(2).to_list())
        print(f"{made.height} items of {made['source_id'].n_unique()} problems; --out FILE writes them")
        return
    write_items_file(made, out)
    print(f"wrote {made.height} items of {made['source_id'].n_unique()} problems to {out}")


def show(study: str, data: Path | None, source: str | None, count: int) -> None:
    """Print source items with their variants side by side."""
    items = _items_of(study, data)
    known = items["source_id"].unique(maintain_order=True).to_list()
    if source is not None and source not in known:
        raise UsageError(f"no source item {source!r}{nearest(source, known[:2000])}")
    _side_by_side(items, [source] if source else known[:count])
    print(f"{items.height} items of {len(known)} source items")


def build(
    name: str,
    out: Path,
    seed: int,
    explicit: str,
    controls: list[str],
    pictures: Path | None = None,
    scaffolds: Path | None = None,
    concepts: Sequence[str] = (),
    reviews: Path | None = None,
) -> None:
    """Build a whole set into a folder."""
    if name != "capri":
        raise UsageError(f"no set {name!r} can be built{nearest(name, ['capri'])}")
    from covary.build.cues import Explicit
    from covary.cli.capri import build_set

    wordings: dict[str, Explicit] = {wording: wording for wording in get_args(Explicit)}
    if explicit not in wordings:
        raise UsageError(f"--explicit {explicit!r}: no such wording{nearest(explicit, wordings)}")
    build_set(out, seed, wordings[explicit], controls, pictures, scaffolds, concepts, reviews)


def _items_of(study: str, data: Path | None) -> pl.DataFrame:
    path = Path(study)
    if path.is_file() and path.suffix != ".toml":
        return read_items_file(path)
    from covary.cli.sources import read_items

    folder = open_study(study)
    return read_items(folder.study, folder.home, folder.pictures, data)


def _side_by_side(items: pl.DataFrame, sources: list[str]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from covary.report.terminal import Screen

    console = Screen()
    for source in sources:
        rows = items.filter(pl.col("source_id") == source)
        table = Table(title=f"source item {escape(source)}", show_lines=True)
        for heading in ("variant", "question", "target"):
            table.add_column(heading, overflow="fold")
        for row in rows.iter_rows(named=True):
            table.add_row(escape(row["variant"]), escape(row["question"]), escape(row["target"] or ""))
        console.print(table)
