"""The estimating stage: a study's tables and contrasts as estimates, made anew only when the scores or what is declared have changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from covary import schema
from covary.analysis import stopping
from covary.cli.folder import Folder, stamp_of, whole
from covary.cli.stages import plain
from covary.cli.stopping import kept
from covary.report.declared import OVERALL, Table, default_tables
from covary.scoring.factors import with_factors
from covary.store.tables import read_table, write_table

if TYPE_CHECKING:
    from covary.analysis.pairing import Contrast
    from covary.studies.declaration import Study


class Reported(NamedTuple):
    """What a report shows: declared (or default) tables, all estimates, and the contrasts with columns of their own."""

    tables: tuple[Table, ...]
    estimates: pl.DataFrame
    contrasts: pl.DataFrame


def estimate_stage(folder: Folder, scores: pl.DataFrame, items: pl.DataFrame) -> Reported:
    """Estimates of the study's tables and contrasts; what computes them loads only where scores or declarations have changed."""
    study = folder.study
    tables = study.tables or tuple(default_tables(scores))
    stamp = stamp_of(
        "report",
        folder.stamp("score"),
        folder.stamp("judged"),
        folder.stamp("items"),
        folder.stamp("stopping"),
        plain([tables, study.contrasts, study.models, study.options]),
        study.seed,
    )
    contrasts = folder.root / "contrasts.parquet"
    if folder.stamp("report") != stamp or not whole(folder.estimates) or not whole(contrasts):
        frame = frame_of(folder, scores, items)
        compared = stopping.comparable(frame)
        found = pl.concat([_noted(folder, _cells(folder, tables, compared)), _repeated(frame, study.seed)])
        write_table(found, folder.estimates)
        write_table(_noted(folder, _contrasts(folder, compared)), contrasts)
        folder.set_stamp("report", stamp)
    return Reported(tables, read_table(folder.estimates).collect(), read_table(contrasts).collect())


def frame_of(folder: Folder, scores: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """The scores with the factors that they are analysed by, and `stops`; without attempts that were left out."""
    frame = with_factors(scores, items, folder.study.models, folder.study.options.get("cluster"))
    return stopping.asked(frame, kept(folder))


def _noted(folder: Folder, estimates: pl.DataFrame) -> pl.DataFrame:
    """Estimates in which those of conditions whose attempts stop at the first success say so."""
    rule = kept(folder)
    if not rule or estimates.is_empty():
        return estimates
    condition = pl.col("group").str.json_path_match("$.condition")
    concerned = condition.is_null() | condition.is_in([OVERALL, *rule])
    note = pl.concat_str(pl.col("note"), pl.lit(stopping.FIRST_ONLY), separator="; ", ignore_nulls=True)
    return estimates.with_columns(note=pl.when(concerned).then(note).otherwise(pl.col("note")))


def _repeated(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Estimates of pass@k for every k up to the number of attempts, by scorer, condition, model and language."""
    from covary.report.answers import pass_at_each

    return pass_at_each(frame, seed).select(list(schema.ESTIMATES.schema))


def _cells(folder: Folder, tables: Iterable[Table], frame: pl.DataFrame) -> pl.DataFrame:
    from covary.report.estimates import table_estimates

    instead = folder.study.options.get("instead")
    found = [table_estimates(frame, table, folder.study.seed, instead) for table in tables]
    return pl.concat([schema.ESTIMATES.empty(), *found])


def _contrasts(folder: Folder, frame: pl.DataFrame) -> pl.DataFrame:
    from covary.report.estimates import contrast_estimates

    study = folder.study
    instead = study.options.get("instead")
    uses = contrast_uses(study) if study.contrasts else default_uses(frame)
    found = [
        contrast_estimates(frame, contrasts, scorer, denominator, study.seed, instead)
        for scorer, denominator, contrasts in uses
    ]
    return pl.concat(found, how="diagonal") if found else pl.DataFrame()


def contrast_uses(study: Study) -> list[tuple[str, str, list[Contrast]]]:
    """The study's contrasts by scorer and denominator."""
    from covary.analysis.pairing import Contrast

    found: dict[tuple[str, str], list[Contrast]] = {}
    for use in study.contrasts:
        across = (use.across.factor, use.across.levels) if use.across else None
        contrast = Contrast(
            use.name, use.factor, use.levels, use.fixed, use.by, use.blocked_by or None, across, use.family
        )
        found.setdefault((use.scorer, use.denominator), []).append(contrast)
    return [(*key, contrasts) for key, contrasts in found.items()]


def default_uses(frame: pl.DataFrame) -> list[tuple[str, str, list[Contrast]]]:
    """What a study that declares no contrast gets: every pair of levels of every factor that varies, for each scorer of rates; a
    family per scorer and factor."""
    from dataclasses import replace

    from covary.analysis import defaults

    found: list[tuple[str, str, list[Contrast]]] = []
    for table in default_tables(frame):
        pairs = defaults.declared(frame.filter(pl.col("scorer") == table.scorer))
        named = [replace(contrast, family=f"{contrast.family}, {table.scorer}") for contrast in pairs]
        found += [(table.scorer, "all", named)] if named else []
    return found
