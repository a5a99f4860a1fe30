"""The built-in studies: their TOML texts and the files that they name."""

from __future__ import annotations

from importlib import resources

from covary.errors import StudyError, nearest
from covary.studies.declaration import Study, parse


def names() -> list[str]:
    """Names of the built-in studies."""
    folder = resources.files("covary.studies")
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def text(name: str) -> str:
    """A built-in study's commented TOML text. Raises StudyError for an unknown name."""
    if name not in names():
        raise StudyError(f"no built-in study {name!r}{nearest(name, names())}")
    return (resources.files("covary.studies") / f"{name}.toml").read_text(encoding="utf-8")


def study(name: str) -> Study:
    """A built-in study."""
    return parse(text(name), f"{name}.toml")


def companion(file: str) -> str | None:
    """Text of a file that a built-in study names (published values), or None when there is none of that name."""
    entry = resources.files("covary.studies") / file
    return entry.read_text(encoding="utf-8") if entry.is_file() else None
