"""Pictures by the digest of their bytes: a folder of files named SHA-256, so that equal pictures are kept once."""

from __future__ import annotations

import os
from pathlib import Path

from covary.digest import sha256_hex
from covary.errors import DataError, StoreError


class PictureFolder:
    """Pictures under `path`, in folders by the first two hex digits."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def add(self, data: bytes) -> str:
        """The digest of these bytes, which are now in the folder. Written whole or not at all."""
        digest = sha256_hex(data)
        target = self._file(digest)
        if target.exists():
            return digest
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            part = target.with_suffix(f".{os.getpid()}.part")
            part.write_bytes(data)
            part.replace(target)
        except OSError as error:
            raise StoreError(f"can't write the picture {target}: {error.strerror}") from None
        return digest

    def read(self, digest: str) -> bytes:
        """The bytes of a picture, proved against their digest. Raises DataError for one that is missing or altered."""
        file = self._file(digest)
        try:
            data = file.read_bytes()
        except OSError:
            raise DataError(
                f"there is no picture {digest[:12]}… in {self.path}; build the pictures of this study first"
            ) from None
        if sha256_hex(data) != digest:
            raise DataError(
                f"the picture {file} is damaged: its bytes don't have the digest in its name; delete and rebuild it"
            )
        return data

    def __contains__(self, digest: str) -> bool:
        return self._file(digest).exists()

    def _file(self, digest: str) -> Path:
        return self.path / digest[:2] / digest
