"""`covary report`: estimates, tables, contrasts in words, the HTML page, single tables in a format."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from covary import schema
from covary.analysis.pairing import Contrast
from covary.cli.folder import Folder, open_study, stamp_of
from covary.cli.stages import Options, Planned, narrowed
from covary.errors import UsageError, nearest
from covary.report.declared import Table
from covary.report.estimates import contrast_estimates, default_tables, table_estimates
from covary.report.grid import Grid, grid
from covary.scoring.factors import with_factors
from covary.store.tables import read_table, write_table

if TYPE_CHECKING:
    from covary.report.page import Figure, Page

EXAMPLES = 12
FORMATS = ("text", "csv", "latex", "html", "png", "svg", "pdf", "parquet")


class Reported(NamedTuple):
    """What a report shows: declared (or default) tables, all estimates, and the contrasts with columns of their own."""

    tables: tuple[Table, ...]
    estimates: pl.DataFrame
    contrasts: pl.DataFrame


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
    scores = read_table(folder.judged if folder.judged.exists() else folder.scores).collect()
    reported = estimate_stage(folder, scores, read_table(folder.items).collect())
    if as_json:
        print(json.dumps(reported.estimates.to_dicts(), ensure_ascii=False))
        return
    _print(folder, reported, table, form)


def estimate_stage(folder: Folder, scores: pl.DataFrame, items: pl.DataFrame) -> Reported:
    """Estimates of the study's tables and contrasts, made anew and written when the scores have changed."""
    study = folder.study
    frame: pl.DataFrame | None = None
    tables = study.tables
    if not tables:
        frame = _frame(folder, scores, items)
        tables = tuple(default_tables(frame, sorted(scores["scorer"].unique())))
    stamp = stamp_of(
        "report", folder.stamp("score"), folder.stamp("judged"), repr(tables), repr(study.contrasts), study.seed
    )
    contrasts_path = folder.root / "contrasts.parquet"
    if folder.stamp("report") == stamp and folder.estimates.exists() and contrasts_path.exists():
        return Reported(tables, read_table(folder.estimates).collect(), read_table(contrasts_path).collect())
    if frame is None:
        frame = _frame(folder, scores, items)
    cells = pl.concat([table_estimates(frame, table, study.seed) for table in tables]) if tables else pl.DataFrame()
    contrasts = _contrasts(folder, frame)
    write_table(cells, folder.estimates)
    write_table(contrasts, contrasts_path)
    folder.set_stamp("report", stamp)
    return Reported(tables, cells, contrasts)


def published_stage(folder: Folder, reported: Reported, items: pl.DataFrame) -> pl.DataFrame | None:
    """Printed values beside ours, written as published.csv in the report folder; None where the study declares none."""
    from covary.report.published import compare, read_published

    if not folder.study.published:
        return None
    compared = pl.concat(
        [
            compare(read_published(folder.published(use.file), use.file), reported.estimates, items)
            for use in folder.study.published
        ]
    )
    folder.report.mkdir(parents=True, exist_ok=True)
    compared.write_csv(folder.report / "published.csv")
    return compared


def write_report(folder: Folder, planned: Planned, scores: pl.DataFrame, reported: Reported) -> Path:
    """Write the report folder: the page, and every table as CSV and LaTeX; the page's path is returned."""
    from covary.report.csv import to_csv
    from covary.report.latex import to_latex
    from covary.report.page import render

    compared = published_stage(folder, reported, planned.items)
    tables = folder.report / "tables"
    tables.mkdir(parents=True, exist_ok=True)
    grids = [grid(reported.estimates, table) for table in reported.tables]
    for shown in grids:
        _write(tables / f"{shown.name}.csv", to_csv(shown))
        _write(tables / f"{shown.name}.tex", to_latex(shown))
    path = folder.report / "index.html"
    _write(path, render(_page(folder, planned, scores, reported, grids, compared)))
    return path


def _page(
    folder: Folder,
    planned: Planned,
    scores: pl.DataFrame,
    reported: Reported,
    grids: list[Grid],
    compared: pl.DataFrame | None,
) -> Page:
    from covary.report.examples import choose, collect
    from covary.report.page import Page, prompts, published_lines, scorer_rows, sentences
    from covary.store.journal import Journal

    study = folder.study
    headlines, further = sentences(reported.contrasts)
    frame = _frame(folder, scores, planned.items)
    with Journal.open(folder.journal, write=False) as journal:
        examples = collect(choose(frame, EXAMPLES), planned.items, journal.frame)
        counts = journal.counts()
    return Page(
        title=study.title or study.name,
        description=study.description,
        notice=study.notice,
        written_at=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        counts=f"{counts.ok:,} responses ok, {counts.truncated:,} cut off, {counts.refused:,} refused, {counts.error:,} errors.",
        grids=grids,
        headlines=headlines,
        further=further,
        examples=examples,
        scorers=scorer_rows(scores),
        models=[model for model in study.models if model.name in set(scores["model"])],
        prompts=prompts(study.conditions, folder.templates),
        figures=_figures(grids, reported.contrasts),
        published=[] if compared is None else published_lines(compared),
    )


def _figures(grids: list[Grid], contrasts: pl.DataFrame) -> list[Figure]:
    """A dot plot of each table that can be drawn, and the forest plot of the contrasts."""
    from markupsafe import Markup

    from covary.report import figures
    from covary.report.page import Figure

    specs = [(figures.of_grid(shown), shown.caption) for shown in grids]
    specs.append((figures.forest(contrasts), "Contrasts with 95 % intervals, the clearest first."))
    return [Figure(Markup(figures.to_svg(spec)), caption) for spec, caption in specs if spec]


def _write(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def rewrite_page(folder: Folder, reported: Reported) -> Path:
    """Write the page again from the folder's tables, without making any of them anew."""
    items, links = (read_table(path).collect() for path in (folder.items, folder.links))
    scores = read_table(folder.judged if folder.judged.exists() else folder.scores).collect()
    return write_report(folder, Planned(items, schema.REQUESTS.empty(), links), scores, reported)


def print_summary(folder: Folder, reported: Reported) -> None:
    """All tables and contrasts on the terminal, under the study's notice."""
    from rich.console import Console
    from rich.markup import escape

    from covary.report.terminal import print_contrasts, print_grid

    console = Console()
    for table in reported.tables:
        print_grid(grid(reported.estimates, table), console)
    print_contrasts(reported.contrasts.iter_rows(named=True), console)
    if (folder.report / "published.csv").exists() and folder.study.published:
        from covary.report.published import counts

        told = counts(pl.read_csv(folder.report / "published.csv", infer_schema_length=None))
        shown = ", ".join(f"{count} {verdict}" for verdict, count in told.items())
        console.print(f"Printed values beside ours ({folder.report / 'published.csv'}): {shown}.")
    if folder.study.notice:
        console.print(f"[bold]{escape(folder.study.notice)}[/bold]")


def _print(folder: Folder, reported: Reported, table: str | None, form: str) -> None:
    if table is None:
        if form == "html":
            print(rewrite_page(folder, reported))
            return
        if form != "text":
            raise UsageError(
                f"--format {form} needs --table NAME; there are {', '.join(t.name for t in reported.tables)}"
            )
        print_summary(folder, reported)
        return
    known = {declared.name: declared for declared in reported.tables}
    if table not in known:
        raise UsageError(f"no table {table!r}{nearest(table, known)}")
    _print_table(folder, grid(reported.estimates, known[table]), form)


def _print_table(folder: Folder, shown: Grid, form: str) -> None:
    """Text formats go to standard output, the others to a file in the report folder, whose path is printed."""
    from rich.console import Console

    from covary.report import figures
    from covary.report.csv import to_csv
    from covary.report.latex import to_latex
    from covary.report.terminal import print_grid

    if form == "text":
        print_grid(shown, Console())
    elif form in ("csv", "latex"):
        print((to_csv if form == "csv" else to_latex)(shown), end="")
    elif form == "parquet":
        path = _file(folder, shown, form)
        write_table(pl.DataFrame(list(shown.cells.values())), path)
        print(path)
    else:
        spec = figures.of_grid(shown)
        if spec is None:
            raise UsageError(
                f"table {shown.name!r} can't be drawn: no value, or more than {figures.MOST_SERIES} series"
            )
        draw = {"png": figures.to_png, "pdf": figures.to_pdf, "svg": lambda s: figures.to_svg(s).encode()}
        if form not in draw:
            raise UsageError(f"--format {form} is the whole report's: leave --table out")
        path = _file(folder, shown, form)
        path.write_bytes(draw[form](spec))
        print(path)


def _file(folder: Folder, shown: Grid, ending: str) -> Path:
    path = folder.report / "tables" / f"{shown.name}.{ending}"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _frame(folder: Folder, scores: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    cluster = folder.study.options.get("cluster")
    return with_factors(scores, items, folder.study.models, cluster)


def _contrasts(folder: Folder, frame: pl.DataFrame) -> pl.DataFrame:
    found: list[pl.DataFrame] = []
    for scorer in dict.fromkeys(use.scorer for use in folder.study.contrasts):
        contrasts = [
            Contrast(use.name, use.factor, use.levels, use.fixed, use.by, use.blocked_by or None, family=use.family)
            for use in folder.study.contrasts
            if use.scorer == scorer
        ]
        found.append(contrast_estimates(frame, contrasts, scorer, seed=folder.study.seed))
    return pl.concat(found, how="diagonal") if found else pl.DataFrame()
