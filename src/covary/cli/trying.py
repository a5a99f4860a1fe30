"""`covary try` and `covary explain`: scorers over bare rows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from covary.errors import UsageError, nearest
from covary.exchange.rows import read_loose_rows

TryRows = Callable[..., Iterator[dict[str, Any]]]

PLACES: Mapping[str, str] = {
    "mathematics": "covary.scoring.mathematics",
    "capri-answer": "covary.scoring.quantities",
    "depth": "covary.scoring.depth",
    "extract": "covary.scoring.extract",
    "mcq": "covary.scoring.mcq",
    "detection": "covary.scoring.detection",
    "language": "covary.scoring.language",
    "trace": "covary.scoring.trace",
}
WITH_PROVER = frozenset({"mathematics", "mcq"})


def try_rows(scorer: str, source: Path, result: Path | None) -> None:
    """Write one result for each row of a JSON Lines file, in order. A row that can't be read gets a result that says so."""
    if scorer not in PLACES:
        raise UsageError(f"unknown scorer {scorer!r}{nearest(scorer, PLACES)}")
    judge: TryRows = import_module(PLACES[scorer]).try_rows
    encode = msgspec.json.Encoder().encode
    rows = read_loose_rows(source)
    with _prover(scorer) as prover, result.open("wb") if result else nullcontext(sys.stdout.buffer) as out:
        results = judge(rows, prover=prover) if scorer in WITH_PROVER else judge(rows)
        for verdict in results:
            out.write(encode(verdict) + b"\n")


def explain(answer: str, target: str, language: str, answer_type: str) -> None:
    """Print the steps of one equivalence decision."""
    from covary.mathematics.equivalence import explain as steps

    with _prover("mathematics") as prover:
        lines: Iterable[str] = steps(answer, target, language=language, answer_type=answer_type, prover=prover)
        for line in lines:
            print(line)


def _prover(scorer: str) -> Any:
    if scorer not in WITH_PROVER:
        return nullcontext(None)
    from covary.run.prover import SympyProver

    return SympyProver(ahead=False)
