"""The scoring stage, piece by piece: a piece made of the same things as last time is taken over from the table that is there.

links → pieces of one condition and model → cells with item and response → digest of all that scores them → old rows, or a
scorer's, over the machine's cores. Of items with their responses, no more than a few pieces are ever in memory.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import polars as pl

from covary import schema
from covary.cli.deaf import deaf
from covary.cli.folder import Folder, stamp_of, whole
from covary.cli.stages import Planned, plain
from covary.digest import sha256_hex
from covary.errors import StudyError
from covary.prompts.conditions import Condition
from covary.prompts.templates import Template, find
from covary.scoring import registry
from covary.scoring.apply import cells_of, score
from covary.scoring.case import Scorer
from covary.store.journal import Journal
from covary.store.tables import read_table, write_chunks

PIECE = 4096  # links
ALONE = 4000  # cells; so many are scored here before starting processes is worth its second
MOST = 8  # processes: each holds its language models, some 0.4 GiB
WITH_PROVER = frozenset({"mathematics", "mcq"})


def score_stage(folder: Folder, planned: Planned, quiet: bool = True) -> pl.DataFrame:
    """Scores (schema.SCORES) of every linked cell; only what has changed since the last time is scored."""
    from covary.cli import stopping

    with Journal.open(folder.journal, write=False) as journal:
        scoring = scoring_of(folder, journal)
        stamp = stamp_of(
            "score", folder.stamp("plan"), journal.fingerprint(), scoring.made_from(), folder.stamp("stopping")
        )
        if folder.stamp("score") != stamp or not whole(folder.scores):
            _write(folder.scores, Pieces(planned.items, planned.links, journal), scoring, quiet)
            stopping.mark(folder)
            folder.set_stamp("score", stamp)
    if folder.stamp("declared") != folder.declared:
        folder.set_stamp("declared", folder.declared)
    return read_table(folder.scores).collect()


def scores_of(folder: Folder) -> pl.DataFrame:
    """The folder's scores as they lie, the judges' among them where these were read for the scores that are there."""
    judged = folder.judged.exists() and folder.stamp("judged_for") == folder.stamp("score")
    return read_table(folder.judged if judged else folder.scores).collect()


@dataclass(frozen=True)
class Scoring:
    """How a study's cells are scored: all that a process of its own needs to do it."""

    conditions: tuple[Condition, ...]
    policies: Mapping[str, Mapping[str, Any]]
    templates: Mapping[str, Template]

    def scorers(self) -> dict[str, Scorer]:
        """The scorers that conditions name, with the study's policies and the workers that they may use."""
        names = {name for condition in self.conditions for name in condition.scorers}
        workers = _workers() if names & WITH_PROVER else {}
        return {name: registry.build(name, self.policies.get(name), workers) for name in sorted(names)}

    def made_from(self) -> list[Any]:
        """What scores depend on besides item and response, by condition."""
        return [
            [
                plain(condition),
                plain(find(condition.prompt, self.templates)),
                [[name, registry.version(name), plain(self.policies.get(name))] for name in condition.scorers],
            ]
            for condition in self.conditions
        ]

    def only(self, scorers: set[str]) -> Scoring:
        """The same with these scorers alone."""
        return replace(
            self,
            conditions=tuple(
                replace(condition, scorers=tuple(name for name in condition.scorers if name in scorers))
                for condition in self.conditions
            ),
        )


def scoring_of(folder: Folder, journal: Journal | None = None) -> Scoring:
    """The study's scoring; scorers of what imported responses brought are left out where the journal holds none."""
    study = folder.study
    found = Scoring(study.conditions, {use.name: use.policy for use in study.scorers}, folder.templates)
    wanted = {name for condition in study.conditions for name in condition.scorers}
    if wanted & registry.IMPORTED_ONLY and not (journal and journal.has_imported()):
        return found.only(wanted - registry.IMPORTED_ONLY)
    return found


@dataclass(frozen=True)
class Pieces:
    """Cells of a study, a piece at a time."""

    items: pl.DataFrame
    links: pl.DataFrame
    journal: Journal

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """Cells of one condition and model, PIECE at most: a condition that is added leaves the pieces of others as they were."""
        for _, group in self.links.group_by("condition", "model", maintain_order=True):
            for links in group.iter_slices(PIECE):
                asked = links["request_id"].drop_nulls().unique(maintain_order=True)
                yield cells_of(self.items, links, self.journal.frame(asked))


def _write(path: Path, pieces: Pieces, scoring: Scoring, quiet: bool) -> None:
    """Write the scores, and beside them what each piece was made from."""
    rules = {
        condition.name: stamp_of(made) for condition, made in zip(scoring.conditions, scoring.made_from(), strict=True)
    }
    kept = _Kept.read(path)
    written = _Written(pieces.links.height, quiet)
    index = _index(path)
    with _Crew(scoring) as crew:

        def scored() -> Iterator[pl.DataFrame]:
            waiting: deque[tuple[str, pl.DataFrame | Future[pl.DataFrame]]] = deque()
            for cells in pieces:
                made_from = rules.get(cells["condition"][0]) if cells.height else None
                if made_from is None:
                    continue
                key = sha256_hex(made_from.encode() + cells.write_ndjson().encode())
                waiting.append((key, old if (old := kept.rows(key)) is not None else crew.score(cells)))
                while len(waiting) > crew.ahead:
                    yield written.take(*waiting.popleft())
            while waiting:
                yield written.take(*waiting.popleft())

        index.unlink(missing_ok=True)
        write_chunks(scored(), schema.SCORES.schema, path)
    index.write_text(json.dumps(written.pieces), encoding="utf-8")


def _index(path: Path) -> Path:
    return path.with_suffix(".pieces.json")


@dataclass(frozen=True)
class _Kept:
    """Pieces of the table that is there: digest → (first row, rows)."""

    path: Path
    places: Mapping[str, tuple[int, int]]

    @classmethod
    def read(cls, path: Path) -> _Kept:
        """What the index says, or nothing when it doesn't fit the table."""
        try:
            pieces: list[tuple[str, int]] = json.loads(_index(path).read_text(encoding="utf-8"))
            height = pl.scan_parquet(path, glob=False).select(pl.len()).collect().item()
        except (OSError, ValueError, pl.exceptions.PolarsError):
            return cls(path, {})
        places: dict[str, tuple[int, int]] = {}
        first = 0
        for key, rows in pieces:
            places[key] = (first, rows)
            first += rows
        return cls(path, places if first == height else {})

    def rows(self, key: str) -> pl.DataFrame | None:
        """The scores of a piece; None where it isn't there."""
        place = self.places.get(key)
        return None if place is None else read_table(self.path).slice(*place).collect()


@dataclass
class _Written:
    """The pieces written so far, and the line that says so on a terminal."""

    links: int
    quiet: bool
    pieces: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    cells: int = 0

    def take(self, key: str, made: pl.DataFrame | Future[pl.DataFrame]) -> pl.DataFrame:
        """The next piece of the table."""
        scores = made.result() if isinstance(made, Future) else made
        self.pieces.append((key, scores.height))
        if not self.quiet and sys.stderr.isatty():
            self.cells += scores.select("item_id", "condition", "model", "replicate").n_unique()
            end = "\n" if self.cells == self.links else ""
            print(f"\rscored {self.cells:,} of {self.links:,} cells", end=end, file=sys.stderr, flush=True)
        return scores


class _Crew:
    """Who scores pieces: this process at first, then one a core."""

    def __init__(self, scoring: Scoring) -> None:
        self.ahead = 0
        self._scoring = scoring
        self._here: dict[str, Scorer] | None = None
        self._pool: ProcessPoolExecutor | None = None
        self._cells = 0

    def score(self, cells: pl.DataFrame) -> pl.DataFrame | Future[pl.DataFrame]:
        """The scores of a piece, now or later."""
        self._cells += cells.height
        if self._pool is None and self._cells > ALONE and (cores := _cores()) > 1:
            self.ahead = 2 * cores
            self._pool = ProcessPoolExecutor(cores, get_context("spawn"), _begin, (self._scoring,))
        if self._pool is not None:
            with deaf():
                return self._pool.submit(_score_there, cells)
        if self._here is None:
            self._here = self._scoring.scorers()
        return score(cells, self._scoring.conditions, self._here, self._scoring.templates)

    def __enter__(self) -> _Crew:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=error is None, cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            raise StudyError(
                "a process that scored ended before its time (out of memory?); free some and run again: nothing paid for is lost"
            ) from None


_there: tuple[Scoring, dict[str, Scorer]] | None = None
"""Of a process of a crew: the scoring and its scorers."""


def _begin(scoring: Scoring) -> None:
    global _there
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run's own process hears it and ends this one
    _there = scoring, scoring.scorers()


def _score_there(cells: pl.DataFrame) -> pl.DataFrame:
    assert _there is not None
    scoring, scorers = _there
    return score(cells, scoring.conditions, scorers, scoring.templates)


def _cores() -> int:
    """Cores that this process may use, MOST at most."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, MOST)


def _workers() -> dict[str, Any]:
    """What scorers may use, made here at the edge: a killable prover."""
    from covary.run.prover import SympyProver

    return {"prover": SympyProver(ahead=False)}
