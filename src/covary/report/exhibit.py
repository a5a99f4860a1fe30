"""Exhibits: what a report shows under a name (a grid, a sheet, a drawing), and its form as bytes in every format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import NamedTuple

import polars as pl

from covary.errors import UsageError
from covary.report import csv, figures, latex, standard, text_picture
from covary.report.figures import Spec
from covary.report.grid import Grid
from covary.report.sheet import Sheet


class Drawing(NamedTuple):
    """A figure without a table of its own."""

    name: str
    caption: str
    spec: Spec


Exhibit = Grid | Sheet | Drawing
DRAWN: Mapping[str, Callable[[Spec], bytes]] = {
    "png": figures.to_png,
    "pdf": figures.to_pdf,
    "svg": lambda spec: figures.to_svg(spec).encode(),
}
FORMS = ("csv", "latex", "html", "parquet", *DRAWN)


def as_bytes(exhibit: Exhibit, form: str) -> bytes:
    """An exhibit in a format of FORMS. Raises UsageError where it has no such form."""
    if form in DRAWN:
        spec = spec_of(exhibit) or (text_picture.drawn(exhibit) if isinstance(exhibit, Sheet) else None)
        if spec is None:
            raise UsageError(
                f"{exhibit.name!r} can't be drawn: no number in it, or more than {figures.MOST_SERIES} series"
            )
        return DRAWN[form](spec)
    if form == "html":
        return _page(exhibit).encode()
    if isinstance(exhibit, Drawing):
        raise UsageError(f"{exhibit.name!r} is a figure: --format png, svg, pdf or html")
    if form == "parquet":
        out = BytesIO()
        frame_of(exhibit).write_parquet(out)
        return out.getvalue()
    return text_of(exhibit, form).encode()


def _page(exhibit: Exhibit) -> str:
    """A page of its own: the table, and the figure where it can be drawn."""
    from markupsafe import Markup

    from covary.report.page import Figure, alone

    spec = spec_of(exhibit)
    figure = None if spec is None else Figure(exhibit.name, Markup(figures.to_svg(spec)), exhibit.caption)
    return alone(exhibit.name, exhibit.caption, None if isinstance(exhibit, Drawing) else exhibit, figure)


def text_of(exhibit: Grid | Sheet, form: str) -> str:
    """CSV or LaTeX text."""
    if isinstance(exhibit, Grid):
        return csv.to_csv(exhibit) if form == "csv" else latex.to_latex(exhibit)
    return csv.sheet_csv(exhibit) if form == "csv" else latex.sheet_latex(exhibit)


def spec_of(exhibit: Exhibit) -> Spec | None:
    """An exhibit's figure; None where there is nothing to draw."""
    if isinstance(exhibit, Drawing):
        return exhibit.spec
    return figures.of_grid(exhibit) if isinstance(exhibit, Grid) else standard.drawing(exhibit)


def frame_of(exhibit: Grid | Sheet) -> pl.DataFrame:
    """The table as a frame; a grid's has one row per cell."""
    return exhibit.frame if isinstance(exhibit, Sheet) else pl.DataFrame(list(exhibit.cells.values()))
