"""The CAPRI set for studies and for `covary items build`: built offline, or read where a user has a published one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from covary.build.capri import build_capri, counts, distinct_prompts
from covary.build.capri_written import in_place_of
from covary.build.cues import CONTROLS, Explicit
from covary.build.pictures import specifications
from covary.build.scaffold import scaffolds as draw_scaffolds
from covary.errors import UsageError
from covary.store.pictures import PictureFolder
from covary.studies.declaration import Items


def build_set(
    out: Path,
    seed: int,
    explicit: Explicit,
    controls: list[str],
    pictures: Path | None,
    scaffolds: Path | None,
    concepts: Sequence[str],
    reviews: Path | None = None,
) -> None:
    """Build the set, write it as a folder, print its counts and what lint finds.

    pictures: records of those that replace drawn ones. scaffolds: reviewed ones by a model, in place of the grammar's.
    concepts: these alone, where any is named. reviews: people's verdicts on cue values.
    """
    from covary.cli.capri_checking import told
    from covary.cli.capri_cues import reviewed_base
    from covary.cli.capri_making import chosen, replaced_pictures, written_scaffolds
    from covary.exchange.capri import write_folder

    base = reviewed_base(reviews)
    given: dict[str, Any] = {}
    specs = specifications(seed)
    if pictures is not None:
        specs, given["render"] = replaced_pictures(pictures, seed)
    specs = chosen(specs, concepts)
    if scaffolds is not None:
        if "Placebo" in controls:
            raise UsageError("scaffolds by a model have no placebo slot: build the control Placebo without --scaffolds")
        written = written_scaffolds(scaffolds, specs, base)
        drawn = draw_scaffolds(specs, base, seed)
        given |= {"written": in_place_of(written.scaffolds, drawn), "fillings": written.fillings}
    made = build_capri(seed, explicit=explicit, controls=controls, pictures=specs, source=base, **given)
    write_folder(made.items, made.bytes_of, out, base)
    for row in counts(made.items).iter_rows(named=True):
        print(", ".join(f"{name} {value}" for name, value in row.items()))
    print(f"{made.items.height:,} rows, {distinct_prompts(made.items):,} distinct reply prompts, in {out}")
    told(made.items, made.bytes_of, source=base)


def read_capri(source: Items, home: Path, shown_in: Path, data: Path | None) -> pl.DataFrame:
    """The set's items, its pictures put into the folder `shown_in`: a published set at a path that starts at `home`, or the built
    one, with the control levels that `cue_levels` names."""
    folder = home / source.path if source.path else data
    pictures = PictureFolder(shown_in)
    if folder is not None:
        from covary.exchange.capri import columns_from, read_folder

        items, shown = read_folder(folder, columns_from(source.columns) if source.columns else None)
    else:
        controls = [level for level in source.cue_levels if level in CONTROLS]
        made = build_capri(source.seed, explicit=source.explicit, controls=controls)
        items, shown = made.items, made.bytes_of
    for data_of_picture in shown.values():
        pictures.add(data_of_picture)
    chosen = {"culture": source.cultures, "domain": source.concepts, "cue_level": source.cue_levels}
    for column, words in chosen.items():
        if words:
            items = items.filter(pl.col(column).is_in(list(words)))
    return items
