"""Tables and figures of the CAPRI study, from its scores: research questions 1 to 6, human annotation, case tables.

    made = tables(frame, study, items=items, read=folder.published)
    drawn = figures(frame, study, items=items)

`frame`: scores with factors (scoring.factors.with_factors, clustered by picture). `items` add what needs a picture's true value
(clock grid, human ranges) or its cues (case tables). `read` gives the text of a file that the study's options name:
`corpus_counts`, `human_ranges`, `annotations`, and `published`, whose recorded corpus counts stand in for `corpus_counts`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from covary.prompts.templates import Template
from covary.report import (
    capri_annotation,
    capri_cases,
    capri_cues,
    capri_declared,
    capri_depth,
    capri_divergence,
    capri_priors,
    capri_published,
    capri_rates,
    capri_reading,
    capri_scaling,
    capri_slips,
)
from covary.report.capri_frame import Shown, Study, arranged
from covary.report.declared import Table
from covary.report.figures import Spec
from covary.report.grid import Grid, grid

Read = Callable[[str], str]


def tables(
    frame: pl.DataFrame,
    study: Study,
    *,
    items: pl.DataFrame | None = None,
    read: Read | None = None,
    templates: Mapping[str, Template] | None = None,
) -> list[Shown]:
    """Every table that these scores allow: (name, caption, frame, rows, columns); see `capri_frame.Shown`."""
    rows = arranged(frame, study, templates)
    published = _read(study, read, "published", capri_published.read_published)
    corpus = _read(study, read, "corpus_counts", capri_priors.read_corpus)
    if corpus is None and published is not None:
        corpus = capri_published.corpus_of(published)
    reference = _read(study, read, "human_ranges", capri_divergence.read_reference)
    annotations = _read(study, read, "annotations", capri_annotation.read_annotations)
    found = [
        *capri_rates.tables(rows, study),
        *capri_scaling.tables(rows, study),
        *capri_reading.tables(rows, study),
        *capri_depth.tables(rows, study),
        *capri_priors.tables(rows, study, corpus),
        *capri_divergence.tables(rows, study, items, reference),
    ]
    if items is not None:
        found += [_counts(items), *capri_cues.tables(items), *capri_cases.tables(rows, study, items)]
    if annotations is not None:
        found += capri_annotation.tables(annotations)
    found += capri_declared.tables(study, rows["line"].unique().to_list())
    if published is not None:
        made = {table.name: table for table in found}
        found.append(capri_published.compared(made, published, capri_published.asked_of(rows)))
        found.append(capri_slips.slips(published, study))
    return found


def figures(
    frame: pl.DataFrame,
    study: Study,
    *,
    items: pl.DataFrame | None = None,
    made: list[Shown] | None = None,
    templates: Mapping[str, Template] | None = None,
) -> list[tuple[str, str, Spec]]:
    """Every figure that these scores allow: (name, caption, Vega-Lite specification). `made`: the tables, if at hand."""
    from covary.report import capri_figures

    shown = tables(frame, study, items=items, templates=templates) if made is None else made
    return capri_figures.drawn({table.name: table for table in shown}, study)


def grid_of(shown: Shown) -> Grid | None:
    """A table as a grid for the renderers; None for a plain frame."""
    if not shown.rows:
        return None
    declared = Table(shown.name, shown.caption, scorer="", rows=shown.rows, columns=shown.columns, denominator="judged")
    return grid(shown.frame.with_columns(name=pl.lit(shown.name)), declared)


def _counts(items: pl.DataFrame) -> Shown:
    from covary.build.capri import counts

    return Shown("capri-counts", "Pictures, scaffolds and conversations by concept.", counts(items))


def _read(study: Study, read: Read | None, option: str, parse: Callable[[str, str], Any]) -> Any:
    name = study.options.get(option)
    return parse(read(str(name)), str(name)) if name and read is not None else None
