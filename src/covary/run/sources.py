"""Where a run's requests come from: a frame, a Parquet file read piece by piece, or any iterable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import polars as pl

from covary import schema
from covary.digest import RequestId
from covary.errors import DataError
from covary.run.execute import Settle, Source
from covary.run.transport import Request

PIECE = 1024  # requests looked at together: few enough that memory stays flat
KEPT_PIECES = 8


def models_of(requests: pl.LazyFrame) -> dict[str, int]:
    """Model name → number of its requests, in order of first appearance. Raises DataError for a foreign table."""
    try:
        found = requests.collect_schema()
        for name in ("request_id", "model", "content"):
            if found.get(name) != schema.REQUESTS.schema[name]:
                raise DataError(f"requests: column {name!r} must be text, found {found.get(name) or 'none'}")
        counted = requests.group_by("model", maintain_order=True).len().collect()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"requests: can't be read: {str(error).splitlines()[0]}") from None
    return dict(counted.iter_rows())


def table_source(requests: pl.LazyFrame, model: str, height: int) -> Source:
    """One model's requests of a table with `height` rows. Bodies are read only where a request is not settled."""

    def source(settle: Settle) -> Iterator[Sequence[Request]]:
        for start in range(0, height, PIECE):
            piece = requests.slice(start, PIECE)
            names = piece.select("request_id", "model").collect()
            ids = names.filter(pl.col("model") == model)["request_id"].to_list()
            settled = settle(ids) if ids else set[str]()
            if len(settled) == len(ids):
                yield []
                continue
            rows = piece.filter(pl.col("model") == model).select("request_id", "content").collect()
            yield [Request(RequestId(key), content.encode()) for key, content in rows.iter_rows() if key not in settled]

    return source


def iterable_source(requests: Iterable[Request]) -> Source:
    """Requests from any iterable, taken when they are needed."""

    def source(settle: Settle) -> Iterator[Sequence[Request]]:
        iterator = iter(requests)
        while piece := list(islice(iterator, PIECE)):
            settled = settle([request.request_id for request in piece])
            yield [request for request in piece if request.request_id not in settled]

    return source


def opened(requests: pl.DataFrame | pl.LazyFrame | str | Path) -> pl.LazyFrame:
    """A table of requests, lazily, from a frame or the path of a Parquet file."""
    if isinstance(requests, (str, Path)):
        if not Path(requests).exists():
            raise DataError(f"there is no table of requests at {requests}; plan the study first")
        return pl.scan_parquet(requests, glob=False)
    return requests.lazy()


class Bodies:
    """Requests of a Parquet table by id. Ids and places are kept in memory, and of the bodies only the pieces last read."""

    def __init__(self, path: Path) -> None:
        self._table = opened(path)
        ids = self._table.select("request_id").collect()["request_id"]
        self._place = {bytes.fromhex(key): number for number, key in enumerate(ids)}
        self._pieces: dict[int, pl.DataFrame] = {}

    def of(self, ids: Sequence[str]) -> pl.DataFrame:
        """These requests (schema.REQUESTS), in the table's order."""
        places = sorted(self._place[bytes.fromhex(key)] for key in ids)
        rows = [self._piece(place // PIECE).slice(place % PIECE, 1) for place in places]
        return pl.concat([schema.REQUESTS.empty(), *rows])

    def _piece(self, number: int) -> pl.DataFrame:
        if number not in self._pieces:
            while len(self._pieces) >= KEPT_PIECES:
                del self._pieces[next(iter(self._pieces))]
            names = list(schema.REQUESTS.schema)
            self._pieces[number] = self._table.slice(number * PIECE, PIECE).select(names).collect()
        return self._pieces[number]
