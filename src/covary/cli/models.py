"""`covary models`: which there are, whether one answers, and weights."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Models: list, check whether one answers, fetch weights.")
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@app.command("list")
def list_models(
    study: Annotated[
        str | None, typer.Argument(help="A study; its models are listed. None: weights that can be fetched.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the models of a study, or the weights that covary can fetch.

    Example: covary models list mathmist
    """
    from covary.cli import modelling

    modelling.list_models(study, as_json)


@app.command()
def check(
    name: Annotated[str, typer.Argument(help="Model name in the study, or name of fetchable weights.")],
    study: Annotated[str, typer.Option("--study", help="Study that declares it.")] = "quickstart",
    as_json: JsonOption = False,
) -> None:
    """Say in one line whether a model answers and what it supports.

    Example: covary models check qwen3-8b --study mathmist
    """
    from covary.cli import modelling

    modelling.check(name, study, as_json)


@app.command()
def fetch(
    name: Annotated[
        str, typer.Argument(help="Weights to fetch: qwen2.5-coder-0.5b, qwen2.5-coder-1.5b, smollm2-135m.")
    ],
    path: Annotated[Path | None, typer.Option("--path", help="A file that you have already; it is verified.")] = None,
) -> None:
    """Fetch model weights into the user cache, verified by SHA-256.

    Example: covary models fetch qwen2.5-coder-0.5b
    """
    from covary.cli import modelling

    modelling.fetch(name, path)
