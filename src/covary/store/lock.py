"""One writer at a time: an advisory lock on a file beside the journal, given back by the system when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import IO

from covary.errors import StoreError

POLL_S = 0.1


class WriterLock:
    """Held from construction to `release`. Raises StoreError when another process holds it for longer than `wait_s`.

    The file stays: removing it would let two writers lock two different files of one name.
    """

    def __init__(self, path: Path, wait_s: float = 0.0) -> None:
        self._path = path
        deadline = time.monotonic() + wait_s
        try:
            self._file: IO[str] | None = path.open("a+", encoding="utf-8")
        except OSError as error:
            raise StoreError(
                f"can't write beside {path.with_suffix('').name} in {path.parent}: {error.strerror}; "
                "choose a folder that you may write to"
            ) from None
        while not _locked(self._file):
            if time.monotonic() >= deadline:
                holder = self._holder()
                self._file.close()
                raise StoreError(
                    f"{path.with_suffix('')} is being written by another run{holder}; wait until it ends, or stop it, then run again"
                )
            time.sleep(POLL_S)
        self._file.seek(0)
        self._file.truncate()
        self._file.write(f"process {os.getpid()}, since {time.strftime('%Y-%m-%d %H:%M:%S')}")
        self._file.flush()

    def release(self) -> None:
        """Give the lock back; a second call does nothing."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> WriterLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _holder(self) -> str:
        try:
            text = self._path.read_text(encoding="utf-8")
        except OSError:
            return ""
        return f" ({text})" if text else ""


if sys.platform == "win32":
    import msvcrt

    def _locked(file: IO[str]) -> bool:
        try:
            file.seek(1 << 20)  # beyond the text, which others may read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _locked(file: IO[str]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
