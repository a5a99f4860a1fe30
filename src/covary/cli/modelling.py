"""Bodies of `covary models`: list, check, fetch."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from covary.cli.folder import open_study
from covary.errors import ModelError, StudyError, nearest
from covary.prompts.requests import Model


def list_models(study: str | None, as_json: bool) -> None:
    """Print the models of a study, or the weights that can be fetched."""
    rows = _study_models(study) if study else _weights()
    if as_json:
        print(json.dumps(rows, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table()
    for heading in rows[0] if rows else ():
        table.add_column(heading)
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row.values()))
    Console().print(table)


def check(name: str, study: str, as_json: bool) -> None:
    """Ask a model a few small questions and print one line about it. Exit status 1 when it doesn't answer."""
    from covary.run.check import check as check_model

    result = check_model(_model(name, study))
    print(json.dumps(result._asdict(), ensure_ascii=False) if as_json else result.line)
    if not result.answers:
        raise ModelError(f"{name} does not answer; see the line above")


def fetch(name: str, path: Path | None) -> None:
    """Fetch weights and print where they are."""
    from covary.run import weights

    found = weights.fetch(name, path=path, progress=DownloadLine(name))
    print(f"{name}: {found} (verified by SHA-256)")


class DownloadLine:
    """Progress of a download: one line that moves on a terminal, and a line for each source that is gone."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._percent = -1

    def __call__(self, progress: Any) -> None:
        if progress.line:
            print(f"{self._name}: {progress.line}", file=sys.stderr)
        percent = int(100 * progress.done / progress.total) if progress.total else 0
        if percent != self._percent and sys.stderr.isatty():
            self._percent = percent
            end = "\n" if percent == 100 else ""
            print(
                f"\r{self._name}: {percent:3d} % of {progress.total / 1e6:.0f} MB", end=end, file=sys.stderr, flush=True
            )


def _study_models(study: str) -> list[dict[str, Any]]:
    return [
        {
            "model": model.name,
            "family": model.family,
            "parameters (10⁹)": model.parameters_b,
            "developer": model.developer,
            "country": model.developer_country,
            "licence": model.licence,
            "inputs": ", ".join(model.inputs),
            "transport": model.transport.get("kind"),
        }
        for model in open_study(study).study.models
    ]


def _weights() -> list[dict[str, Any]]:
    from covary.run import weights

    return [
        {"weights": entry.name, "bytes": entry.size, "licence": entry.licence, "sha256": entry.sha256}
        for entry in weights.CATALOGUE.values()
    ]


def _model(name: str, study: str) -> Model:
    from covary.studies import builtin

    models = (
        builtin.study(study).models
        if study in builtin.names() and not Path(study).exists()
        else open_study(study).study.models
    )
    known = {model.name: model for model in models}
    if name not in known:
        raise StudyError(f"study {study!r} has no model {name!r}{nearest(name, known)}")
    return known[name]
