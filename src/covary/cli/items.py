"""`covary items`: draw, build, look at, release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Items: draw from the bundled templates, build sets, show, export.")


@app.command()
def draw(
    seed: Annotated[int, typer.Option("--seed", help="Another seed gives other numbers.")] = 0,
    per_template: Annotated[int, typer.Option("--per-template", min=1, help="Draws of each template.")] = 1,
    languages: Annotated[
        str, typer.Option("--languages", help="Codes or names, separated by commas.")
    ] = "bn,en,fr,fi,tr,lt,kk",
    out: Annotated[
        Path | None,
        typer.Option("--out", help="File to write (.jsonl or .parquet); a preview is printed if not given."),
    ] = None,
) -> None:
    """Draw parallel mathematics items that no model has seen.

    Example: covary items draw --seed 1 --per-template 5 --languages en,bn --out items.jsonl
    """
    from covary.cli import itemising

    itemising.draw(seed, per_template, languages, out)


@app.command()
def show(
    study: Annotated[str, typer.Argument(help="A study, or an items file (.jsonl, .parquet).")],
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder or file that the study reads its items from.")
    ] = None,
    source: Annotated[str | None, typer.Option("--source-id", help="One source item in all its variants.")] = None,
    count: Annotated[int, typer.Option("--count", min=1, help="How many source items.")] = 3,
) -> None:
    """Show items, the variants of a source item side by side.

    Example: covary items show quickstart --count 2
    """
    from covary.cli import itemising

    itemising.show(study, data, source, count)


@app.command()
def build(
    name: Annotated[str, typer.Argument(help="Set to build: capri.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to write.")],
    seed: Annotated[int, typer.Option("--seed", help="Another seed gives another set.")] = 0,
) -> None:
    """Build a whole item set offline, the same bytes on every run.

    Example: covary items build capri --out capri-set
    """
    from covary.cli import itemising

    itemising.build(name, out, seed)
