"""The report folder: the page, the items browser, every table as CSV and LaTeX; written anew only when something in it has changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from covary.analysis.stopping import comparable
from covary.cli.estimating import Reported, frame_of
from covary.cli.folder import Folder, stamp_of, whole
from covary.cli.stages import Planned, plain
from covary.store.journal import Counts, Journal
from covary.store.tables import read_table, write_table

if TYPE_CHECKING:
    from covary.report.exhibit import Exhibit
    from covary.report.page import Figure, Page

    Make = Callable[[], Exhibit | None]

EXAMPLES = 12
TOKENS = ("prompt_tokens", "completion_tokens", "reasoning_tokens")


def report_stage(folder: Folder, planned: Planned, scores: pl.DataFrame, reported: Reported) -> Path:
    """The report's page, its folder written anew only where something that it shows has changed."""
    with Journal.open(folder.journal, write=False) as journal:
        answers = journal.fingerprint()
    made_from = [folder.stamp(stage) for stage in ("items", "plan", "score", "judged", "report")]
    published = [folder.published(use.file) for use in folder.study.published]
    stamp = stamp_of("page", made_from, answers, plain(folder.study), plain(folder.templates), published)
    if folder.stamp("page") != stamp or not all(path.exists() for path in _parts(folder)):
        write_report(folder, planned, scores, reported)
        folder.set_stamp("page", stamp)
    return _page_path(folder)


def write_report(folder: Folder, planned: Planned, scores: pl.DataFrame, reported: Reported) -> Path:
    """Write the report folder: the page, the items browser, every table as CSV and LaTeX; the page's path is returned."""
    from covary.report.exhibit import Drawing, text_of
    from covary.report.page import render

    frame = frame_of(folder, scores, planned.items)
    published = published_stage(folder, reported, planned.items, frame)
    made = exhibits(folder, frame, planned.items, reported)
    shown = [exhibit for make in made.values() if (exhibit := make()) is not None]
    tables = folder.report / "tables"
    tables.mkdir(parents=True, exist_ok=True)
    written: set[str] = set()
    for exhibit in shown:
        if not isinstance(exhibit, Drawing):
            for ending, form in (("csv", "csv"), ("tex", "latex")):
                _write(tables / f"{exhibit.name}.{ending}", text_of(exhibit, form))
                written.add(f"{exhibit.name}.{ending}")
    for old in [*tables.glob("*.csv"), *tables.glob("*.tex")]:
        if old.name not in written:
            old.unlink()
    _write_browser(folder, frame, planned.items)
    _write(_page_path(folder), render(_page(folder, planned, scores, frame, reported, shown, published)))
    return _page_path(folder)


def _parts(folder: Folder) -> list[Path]:
    """What a whole report folder holds at least."""
    browser = folder.report / "browse"
    return [_page_path(folder), folder.report / "tables", browser / "index.html", browser / "index.js"]


def _page_path(folder: Folder) -> Path:
    return folder.report / "index.html"


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
    composed = composition_of(comparable(frame))
    files = [read_published(folder.published(use.file), use.file) for use in folder.study.published]
    compared = pl.concat([compare(rows, reported.estimates, items, composed) for rows in files])
    told = pl.DataFrame([slip for rows in files for slip in slips(rows)], schema=list(Slip._fields), orient="row")
    folder.report.mkdir(parents=True, exist_ok=True)
    compared.write_csv(folder.report / "published.csv")
    told.write_csv(folder.report / "slips.csv")
    return compared, told


def _write_browser(folder: Folder, frame: pl.DataFrame, items: pl.DataFrame) -> None:
    """The items browser's folder, made anew; responses are read a few source items at a time."""
    from covary.report import browse

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


def exhibits(folder: Folder, frame: pl.DataFrame, items: pl.DataFrame, reported: Reported) -> dict[str, Make]:
    """Everything that the report can show, by name, each made when asked for: declared tables, what any study shows, and the
    tables and figures of a study that has its own."""
    from covary.report import compositions, standard
    from covary.report.grid import grid
    from covary.report.material import Material
    from covary.report.published import read_published

    compared = comparable(frame)
    material = Material(
        compared, items, reported.contrasts, folder.study.options, partial(_usage, folder), folder.study.seed, frame
    )
    found: dict[str, Make] = {table.name: partial(grid, reported.estimates, table) for table in reported.tables}
    found |= {name: partial(standard.sheet, name, material) for name in standard.MAKERS if name not in found}
    printed = [row for use in folder.study.published for row in read_published(folder.published(use.file), use.file)]
    found |= compositions.makers(material, printed)
    if folder.study.options.get("tables", folder.study.name) == "capri":
        found |= _capri(folder, compared, items)
    return found


def _capri(folder: Folder, frame: pl.DataFrame, items: pl.DataFrame) -> dict[str, Make]:
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

    path = folder.root / "usage.parquet"
    links = read_table(folder.links).select("item_id", "condition", "model", "request_id").drop_nulls("request_id")
    with Journal.open(folder.journal, write=False) as journal:
        stamp = stamp_of("usage", folder.stamp("plan"), journal.fingerprint(), repr(folder.study.models))
        if folder.stamp("usage") == stamp and whole(path):
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
    from covary.report.part import still_open
    from covary.report.traces import highlighted

    study = folder.study
    headlines, further = sentences(reported.contrasts)
    with Journal.open(folder.journal, write=False) as journal:
        examples = collect(choose(frame, EXAMPLES), planned.items, journal.frame)
        traces = highlighted(frame, journal.frame)
        counts, borrowed = journal.counts(), journal.borrowed_counts()
    return Page(
        title=study.title or study.name,
        description=study.description,
        notice=study.notice,
        written_at=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        counts=_counted(counts, borrowed),
        overview=overview(frame, planned.items),
        exhibits=[exhibit for exhibit in shown if not isinstance(exhibit, Drawing)],
        headlines=headlines,
        further=further,
        warnings=[
            *filter(None, [still_open(frame)]),
            *warnings(reported.contrasts, reported.estimates, study.conditions),
        ],
        examples=examples,
        scorers=scorer_rows(scores),
        models=[model for model in study.models if model.name in set(scores["model"])],
        prompts=prompts(study.conditions, folder.templates),
        figures=_figures(shown),
        traces=traces,
        published=[] if published is None else published_lines(published[0]),
        slips=[] if published is None else published[1].to_dicts(),
    )


def _counted(counts: Counts, borrowed: Counts) -> str:
    """What the journal holds, answers that the study no longer asks for among them, and what of it is another study's."""
    line = f"The journal holds {counts.ok:,} responses ok, {counts.truncated:,} cut off, {counts.refused:,} refused, {counts.error:,} errors."
    if borrowed.answered:
        line += (
            f" Of these {borrowed.answered:,} were taken from other studies' journals "
            f"({borrowed.truncated:,} cut off, {borrowed.refused:,} refused)."
        )
    return line


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
