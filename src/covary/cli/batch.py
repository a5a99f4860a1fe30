"""`covary batch`: provider batch files, out and in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Write requests as provider batch files, and read their results.")


@app.command()
def write(
    study: Annotated[str, typer.Argument(help="A built-in study, a study folder, or a TOML file.")],
    folder: Annotated[Path, typer.Argument(help="Folder for the batch files.")],
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder or file that the study reads its items from.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Study folder to work in.")] = None,
    max_requests: Annotated[int, typer.Option("--max-requests", help="Most requests in a file.")] = 50_000,
    max_megabytes: Annotated[int, typer.Option("--max-megabytes", help="Largest file.")] = 190,
) -> None:
    """Write what is left to send as OpenAI batch JSONL, split by count and size; custom ids are request ids.

    Example: covary batch write mathmist batches --data mathmist-data
    """
    from covary.cli import batching

    batching.write(study, folder, data, out, max_requests, max_megabytes)


@app.command()
def read(
    study: Annotated[str, typer.Argument(help="A built-in study, a study folder, or a TOML file.")],
    files: Annotated[list[Path], typer.Argument(help="Result and error files, in any order.")],
    out: Annotated[Path | None, typer.Option("--out", help="Study folder to work in.")] = None,
) -> None:
    """Read batch results into the study's journal. Partial results are welcome; errors are kept.

    Example: covary batch read mathmist output-1.jsonl errors-1.jsonl
    """
    from covary.cli import batching

    batching.read(study, files, out)
