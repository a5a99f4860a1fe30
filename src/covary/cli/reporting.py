"""`covary report`: estimates, tables, contrasts in words, the HTML page, single tables in a format."""

from __future__ import annotations

import json
from collections.abc import Callable
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
    from covary.report.exhibit import Exhibit
    from covary.report.page import Figure, Page

    Make = Callable[[], Exhibit | None]

EXAMPLES = 12
TOKENS = ("prompt_tokens", "completion_tokens", "reasoning_tokens")
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
    _print(folder, reported, scores, table, form)


def estimate_stage(folder: Folder, scores: pl.DataFrame, items: pl.DataFrame) -> Reported:
    """Estimates of the study's tables and contrasts, made anew and written when the scores have changed."""
    study = folder.study
    frame: pl.DataFrame | None = None
    tables = study.tables
    if not tables:
        frame = _frame(folder, scores, items)
        tables = tuple(default_tables(frame, sorted(scores["scorer"].unique())))
    stamp = stamp_of(
        "report",
        folder.stamp("score"),
        folder.stamp("judged"),
        repr(tables),
        repr(study.contrasts),
        repr(study.options.get("instead")),
        study.seed,
    )
    contrasts_path = folder.root / "contrasts.parquet"
    if folder.stamp("report") == stamp and folder.estimates.exists() and contrasts_path.exists():
        return Reported(tables, read_table(folder.estimates).collect(), read_table(contrasts_path).collect())
    if frame is None:
        frame = _frame(folder, scores, items)
    instead = study.options.get("instead")
    cells = (
        pl.concat([table_estimates(frame, table, study.seed, instead) for table in tables])
        if tables
        else pl.DataFrame()
    )
    contrasts = _contrasts(folder, frame)
    write_table(cells, folder.estimates)
    write_table(contrasts, contrasts_path)
    folder.set_stamp("report", stamp)
    return Reported(tables, cells, contrasts)


def published_stage(
    folder: Folder, reported: Reported, items: pl.DataFrame, frame: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Printed values beside ours, and slips among the printed ones; written as published.csv and slips.csv in the report
    folder. None where the study declares no published values."""
    from covary.report.languages import composition_of
    from covary.report.published import compare, read_published
    from covary.report.slips import Slip, slips

    if not folder.study.published:
        return None
    composed = composition_of(frame)
    files = [read_published(folder.published(use.file), use.file) for use in folder.study.published]
    compared = pl.concat([compare(rows, reported.estimates, items, composed) for rows in files])
    told = pl.DataFrame([slip for rows in files for slip in slips(rows)], schema=list(Slip._fields), orient="row")
    folder.report.mkdir(parents=True, exist_ok=True)
    compared.write_csv(folder.report / "published.csv")
    told.write_csv(folder.report / "slips.csv")
    return compared, told


def write_report(folder: Folder, planned: Planned, scores: pl.DataFrame, reported: Reported) -> Path:
    """Write the report folder: the page, the items browser, every table as CSV and LaTeX; the page's path is returned."""
    from covary.report.exhibit import Drawing, text_of
    from covary.report.page import render

    frame = _frame(folder, scores, planned.items)
    published = published_stage(folder, reported, planned.items, frame)
    exhibits = _exhibits(folder, frame, planned.items, reported)
    shown = [exhibit for make in exhibits.values() if (exhibit := make()) is not None]
    tables = folder.report / "tables"
    tables.mkdir(parents=True, exist_ok=True)
    for exhibit in shown:
        if not isinstance(exhibit, Drawing):
            _write(tables / f"{exhibit.name}.csv", text_of(exhibit, "csv"))
            _write(tables / f"{exhibit.name}.tex", text_of(exhibit, "latex"))
    _write_browser(folder, frame, planned.items)
    path = folder.report / "index.html"
    _write(path, render(_page(folder, planned, scores, frame, reported, shown, published)))
    return path


def _write_browser(folder: Folder, frame: pl.DataFrame, items: pl.DataFrame) -> None:
    """The items browser's folder, made anew; responses are read a few source items at a time."""
    from covary.report import browse
    from covary.store.journal import Journal

    root = folder.report / "browse"
    root.mkdir(parents=True, exist_ok=True)
    written: set[str] = set()
    with Journal.open(folder.journal, write=False) as journal:
        for file in browse.files(folder.study.title or folder.study.name, frame, items, journal.frame):
            _write(root / file.name, file.text)
            written.add(file.name)
    for old in root.glob("items-*.js"):
        if old.name not in written:
            old.unlink()


def _exhibits(folder: Folder, frame: pl.DataFrame, items: pl.DataFrame, reported: Reported) -> dict[str, Make]:
    """Everything that the report can show, by name, each made when asked for: declared tables, what any study shows, and the
    tables and figures of a study that has its own."""
    from functools import partial

    from covary.report import standard
    from covary.report.material import Material

    material = Material(
        frame, items, reported.contrasts, folder.study.options, partial(_usage, folder), folder.study.seed
    )
    found: dict[str, Make] = {table.name: partial(grid, reported.estimates, table) for table in reported.tables}
    found |= {name: partial(standard.sheet, name, material) for name in standard.MAKERS if name not in found}
    if folder.study.options.get("tables", folder.study.name) == "capri":
        found |= _capri(folder, frame, items)
    return found


def _capri(folder: Folder, frame: pl.DataFrame, items: pl.DataFrame) -> dict[str, Make]:
    from functools import partial

    from covary.report import capri
    from covary.report.exhibit import Drawing
    from covary.report.sheet import Sheet

    study = folder.study
    made = capri.tables(frame, study, items=items, read=folder.published, templates=folder.templates)
    drawn = capri.figures(frame, study, items=items, made=made, templates=folder.templates)
    exhibits = [capri.grid_of(shown) or Sheet(shown.name, shown.caption, shown.frame) for shown in made]
    return {exhibit.name: partial(_same, exhibit) for exhibit in [*exhibits, *(Drawing(*figure) for figure in drawn)]}


def _same(exhibit: Exhibit) -> Exhibit:
    return exhibit


def _usage(folder: Folder) -> pl.DataFrame:
    """One row per cell: status, tokens, latency and money of its response, no texts; kept beside the tables."""
    from covary.run.budget import price_of
    from covary.store.journal import Journal

    path = folder.root / "usage.parquet"
    links = read_table(folder.links).select("item_id", "condition", "model", "request_id").drop_nulls("request_id")
    with Journal.open(folder.journal, write=False) as journal:
        stamp = stamp_of("usage", folder.stamp("plan"), journal.fingerprint(), repr(folder.study.models))
        if folder.stamp("usage") == stamp and path.exists():
            return read_table(path).collect()
        responses = journal.scan().select("request_id", "status", *TOKENS, "latency_s").collect()
    cells = links.collect().join(responses, on="request_id", how="inner")
    prices = {
        model.name: price
        for model in folder.study.models
        if (price := price_of(model.transport.get("price"), model.name))
    }
    rates = pl.DataFrame(
        [(name, *price) for name, price in prices.items()],
        schema={"model": pl.String(), "_in": pl.Float64(), "_out": pl.Float64(), "currency": pl.String()},
        orient="row",
    )
    priced = cells.join(rates, on="model", how="left").with_columns(
        money=(pl.col("prompt_tokens") * pl.col("_in") + pl.col("completion_tokens") * pl.col("_out")) / 1e6
    )
    found = priced.drop("_in", "_out")
    write_table(found, path)
    folder.set_stamp("usage", stamp)
    return found


def _page(
    folder: Folder,
    planned: Planned,
    scores: pl.DataFrame,
    frame: pl.DataFrame,
    reported: Reported,
    shown: list[Exhibit],
    published: tuple[pl.DataFrame, pl.DataFrame] | None,
) -> Page:
    from covary.report.examples import choose, collect
    from covary.report.exhibit import Drawing
    from covary.report.page import Page, overview, prompts, published_lines, scorer_rows, sentences, warnings
    from covary.store.journal import Journal

    study = folder.study
    headlines, further = sentences(reported.contrasts)
    with Journal.open(folder.journal, write=False) as journal:
        examples = collect(choose(frame, EXAMPLES), planned.items, journal.frame)
        counts = journal.counts()
    return Page(
        title=study.title or study.name,
        description=study.description,
        notice=study.notice,
        written_at=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        counts=f"{counts.ok:,} responses ok, {counts.truncated:,} cut off, {counts.refused:,} refused, {counts.error:,} errors.",
        overview=overview(frame, planned.items),
        exhibits=[exhibit for exhibit in shown if not isinstance(exhibit, Drawing)],
        headlines=headlines,
        further=further,
        warnings=warnings(reported.contrasts, reported.estimates, study.conditions),
        examples=examples,
        scorers=scorer_rows(scores),
        models=[model for model in study.models if model.name in set(scores["model"])],
        prompts=prompts(study.conditions, folder.templates),
        figures=_figures(shown),
        published=[] if published is None else published_lines(published[0]),
        slips=[] if published is None else published[1].to_dicts(),
    )


def _figures(shown: list[Exhibit]) -> list[Figure]:
    """The figure of each exhibit that can be drawn."""
    from markupsafe import Markup

    from covary.report import figures
    from covary.report.exhibit import spec_of
    from covary.report.page import Figure

    specs = [(spec_of(exhibit), exhibit) for exhibit in shown]
    return [Figure(exhibit.name, Markup(figures.to_svg(spec)), exhibit.caption) for spec, exhibit in specs if spec]


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
    items = read_table(folder.items).collect()
    exhibits = _exhibits(folder, _frame(folder, scores, items), items, reported)
    if table not in exhibits:
        raise UsageError(f"no table or figure {table!r}{nearest(table, exhibits)}")
    exhibit = exhibits[table]()
    if exhibit is None:
        raise UsageError(f"table {table!r} is empty: this study's scores and items hold nothing for it")
    _print_exhibit(folder, exhibit, form)


def _print_exhibit(folder: Folder, exhibit: Exhibit, form: str) -> None:
    from rich.console import Console

    from covary.report.exhibit import Drawing, as_bytes
    from covary.report.terminal import print_grid, print_sheet

    if form == "text" and not isinstance(exhibit, Drawing):
        show = print_grid if isinstance(exhibit, Grid) else print_sheet
        show(exhibit, Console())  # pyright: ignore[reportArgumentType]
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
        found.append(
            contrast_estimates(
                frame, contrasts, scorer, seed=folder.study.seed, instead=folder.study.options.get("instead")
            )
        )
    return pl.concat(found, how="diagonal") if found else pl.DataFrame()
