"""A study's folder: its declaration, its tables, its journal, its report; and where a study named by a user is.

study.toml  prompts/  items.parquet  requests.parquet  links.parquet  journal.sqlite  scores.parquet
estimates.parquet  stamps.json  report/
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covary import __version__, digest
from covary.cli.declared import check
from covary.errors import DataError, StudyError, nearest
from covary.prompts.templates import Template
from covary.prompts.templates import parse as parse_template
from covary.store.tables import read_table
from covary.studies import builtin
from covary.studies.declaration import Study, parse

FOLDER_FORMAT = 1


@dataclass(frozen=True)
class Folder:
    """A study folder on disk, with its study read. `home`: where the study file lies; paths in it start there."""

    root: Path
    home: Path
    study: Study
    templates: dict[str, Template]
    declared: str
    """Digest of the study file as it is written."""

    @property
    def items(self) -> Path:
        return self.root / "items.parquet"

    @property
    def requests(self) -> Path:
        return self.root / "requests.parquet"

    @property
    def links(self) -> Path:
        return self.root / "links.parquet"

    @property
    def journal(self) -> Path:
        return self.root / "journal.sqlite"

    @property
    def pictures(self) -> Path:
        return self.root / "pictures"

    @property
    def scores(self) -> Path:
        return self.root / "scores.parquet"

    @property
    def judged(self) -> Path:
        return self.root / "judged.parquet"

    @property
    def estimates(self) -> Path:
        return self.root / "estimates.parquet"

    @property
    def report(self) -> Path:
        return self.root / "report"

    def published(self, file: str) -> str:
        """Text of a file with published values: beside the study, or package data of the built-in study."""
        path = self.home / file
        if path.is_file():
            return read_text(path)
        text = builtin.companion(file)
        if text is None:
            raise StudyError(f"{path}: there is no such file; published values lie beside the study file")
        return text

    def stamp(self, stage: str) -> str | None:
        """The digest of what a stage was last made from."""
        return self._stamps().get(stage)

    def set_stamp(self, stage: str, value: str) -> None:
        """Note what a stage was made from."""
        stamps = {**self._stamps(), "format": FOLDER_FORMAT, "covary": __version__, stage: value}
        part = self.root / ".stamps.part"
        part.write_text(json.dumps(stamps, indent=1, sort_keys=True), encoding="utf-8")
        part.replace(self.root / "stamps.json")

    def _stamps(self) -> dict[str, Any]:
        path = self.root / "stamps.json"
        if not path.exists():
            return {}
        try:
            found: Any = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            return {}
        if not isinstance(found, dict):
            return {}
        if found.get("format") != FOLDER_FORMAT:
            raise StudyError(
                f"{path}: this folder has format {found.get('format')!r} (covary {found.get('covary')}); this covary reads "
                f"format {FOLDER_FORMAT}: use that version, or a new folder with the same study.toml"
            )
        return found


def open_study(name: str, out: Path | None = None) -> Folder:
    """The folder of a study named by a built-in name, a TOML file, or a folder that holds study.toml.

    A built-in study lives in ./NAME (or `out`); its study.toml is written there once and is the user's from then on.
    """
    path = Path(name)
    if path.is_dir() and ((path / "study.toml").exists() or name not in builtin.names()):
        return _read(path / "study.toml", out or path)
    if path.suffix == ".toml":
        return _read(path, out or (path.parent if path.name == "study.toml" else path.with_suffix("")))
    if name in builtin.names():
        root = out or Path(name)
        if not (root / "study.toml").exists():
            write_builtin(name, root)
        return _read(root / "study.toml", root)
    known = {*builtin.names(), *(entry.parent.name for entry in Path().glob("*/study.toml"))}
    raise StudyError(
        f"no study {name!r}: expected a built-in name, a TOML file or a study folder{nearest(name, known)}"
    )


def write_builtin(name: str, root: Path) -> Path:
    """Write a built-in study's commented file into a folder. Raises StudyError when there is one already."""
    text = builtin.text(name)
    path = root / "study.toml"
    if path.exists():
        raise StudyError(f"{path} is there already; choose another folder or delete it")
    root.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def read_text(path: Path) -> str:
    """A text file in UTF-8. Raises DataError with the place of what is wrong."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise DataError(f"{path}: expected a file, found a folder") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: expected UTF-8, found byte {error.object[error.start]:#04x} at {error.start}"
        ) from None
    except OSError as error:
        raise DataError(f"{path}: can't be read: {error.strerror}") from None


def whole(path: Path) -> bool:
    """Whether a table is there and can be read; what is damaged is made anew like what is missing."""
    try:
        read_table(path)
    except DataError:
        return False
    return True


def stamp_of(*parts: object) -> str:
    """Digest of what a stage is made from."""
    return digest.digest([covary_version(), *parts])


def covary_version() -> str:
    """The version that enters every stamp."""
    return __version__


def _read(path: Path, root: Path) -> Folder:
    if not path.exists():
        raise StudyError(f"{path}: there is no study file; `covary init NAME {path.parent}` writes one")
    templates = {
        file.stem: parse_template(file.stem, read_text(file))
        for file in sorted((path.parent / "prompts").glob("*.toml"))
    }
    text = read_text(path)
    study = parse(text, str(path), templates)
    check(study, str(path))
    return Folder(root, path.parent, study, templates, stamp_of("study", text))
