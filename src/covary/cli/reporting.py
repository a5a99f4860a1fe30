"""`covary report`: tables and contrasts in words on the terminal, the HTML page, single tables and figures in a format."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from covary import schema
from covary.analysis.stopping import FIRST_ONLY
from covary.cli.estimating import Reported, estimate_stage, frame_of
from covary.cli.folder import Folder, open_study
from covary.cli.scoring import scores_of
from covary.cli.stages import Options, Planned, narrowed
from covary.cli.stopping import kept
from covary.errors import UsageError, nearest
from covary.report.grid import Grid, grid
from covary.report.part import still_open
from covary.store.tables import read_table

if TYPE_CHECKING:
    from covary.report.exhibit import Exhibit

FORMATS = ("text", "csv", "latex", "html", "png", "svg", "pdf", "parquet")


def report(
    study: str,
    data: Path | None,
    models: tuple[str, ...],
    out: Path | None,
    table: str | None,
    form: str,
    as_json: bool,
) -> None:
    """Print the tables and contrasts of a study, or one table in a format."""
    if form not in FORMATS:
        raise UsageError(f"unknown format {form!r}{nearest(form, FORMATS)}")
    folder = narrowed(open_study(study, out), Options(data, models))
    if not folder.scores.exists():
        raise UsageError(f"{folder.root} has no scores yet; covary run {study} makes them")
    if folder.stamp("declared") not in (None, folder.declared):
        print(
            f"covary: the study file has changed since these scores were made; covary run {study} looks again",
            file=sys.stderr,
        )
    scores = scores_of(folder)
    reported = estimate_stage(folder, scores, read_table(folder.items).collect())
    if as_json:
        print(json.dumps(reported.estimates.to_dicts(), ensure_ascii=False))
        return
    _print(folder, reported, scores, table, form)


def rewrite_page(folder: Folder, reported: Reported) -> Path:
    """Write the page again from the folder's tables, without making any of them anew."""
    from covary.cli.writing import write_report

    items, links = (read_table(path).collect() for path in (folder.items, folder.links))
    scores = scores_of(folder)
    return write_report(folder, Planned(items, schema.REQUESTS.empty(), links), scores, reported)


def print_summary(folder: Folder, reported: Reported) -> None:
    """All tables and contrasts on the terminal, under the study's notice."""
    from rich.markup import escape

    from covary.report.terminal import NOTHING, Screen, print_contrasts, print_grid

    console = Screen()
    for table in reported.tables:
        print_grid(grid(reported.estimates, table), console)
    if not reported.tables:
        console.print(NOTHING)
    if waiting := still_open(frame_of(folder, scores_of(folder), read_table(folder.items).collect())):
        console.print(f"[bold]{waiting}[/bold]")
    if kept(folder):
        console.print(f"{FIRST_ONLY[0].upper()}{FIRST_ONLY[1:]}.")
    print_contrasts(reported.contrasts.iter_rows(named=True), console)
    if (folder.report / "slips.csv").exists() and folder.study.published:
        from covary.report.published import counts

        told = counts(pl.read_csv(folder.report / "published.csv", infer_schema_length=None))
        shown = ", ".join(f"{count} {verdict}" for verdict, count in told.items())
        console.print(f"Printed values beside ours ({folder.report / 'published.csv'}): {shown}.")
        slips = pl.read_csv(folder.report / "slips.csv", infer_schema_length=None).height
        if slips:
            console.print(
                f"{slips} printed values contradict others of the same publication ({folder.report / 'slips.csv'})."
            )
    if folder.study.notice:
        console.print(f"[bold]{escape(folder.study.notice)}[/bold]")


def _print(folder: Folder, reported: Reported, scores: pl.DataFrame, table: str | None, form: str) -> None:
    """The summary, the page, or one exhibit: texts go to standard output, other formats to a file whose path is printed."""
    if table is None:
        if form == "html":
            print(rewrite_page(folder, reported))
        elif form == "text":
            print_summary(folder, reported)
        else:
            raise UsageError(f"--format {form} needs --table NAME; there are {', '.join(_names(folder, reported))}")
        return
    from covary.cli.writing import exhibits

    items = read_table(folder.items).collect()
    made = exhibits(folder, frame_of(folder, scores, items), items, reported)
    if table not in made:
        raise UsageError(f"no table or figure {table!r}{nearest(table, made)}")
    exhibit = made[table]()
    if exhibit is None:
        raise UsageError(f"table {table!r} is empty: this study's scores and items hold nothing for it")
    _print_exhibit(folder, exhibit, form)


def _print_exhibit(folder: Folder, exhibit: Exhibit, form: str) -> None:
    from covary.report.exhibit import Drawing, as_bytes
    from covary.report.terminal import Screen, print_grid, print_sheet

    if form == "text" and not isinstance(exhibit, Drawing):
        show = print_grid if isinstance(exhibit, Grid) else print_sheet
        show(exhibit, Screen())  # pyright: ignore[reportArgumentType]
    elif form in ("csv", "latex"):
        print(as_bytes(exhibit, form).decode(), end="")
    else:
        path = folder.report / "tables" / f"{exhibit.name}.{form}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(exhibit, form))
        print(path)


def _names(folder: Folder, reported: Reported) -> list[str]:
    from covary.report import standard

    return [*(table.name for table in reported.tables), *standard.MAKERS]
