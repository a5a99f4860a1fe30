"""The errors that covary raises.

    CovaryError                     one clear line for a user; exit status 1
    ├── UsageError                  what the user gave is wrong; exit status 2
    │   ├── StudyError              a study file or folder: unknown key, wrong type, another version
    │   └── DataError               a data file: missing, unreadable, a bad row (file:line)
    ├── RunError                    a run that can't go on
    │   ├── ModelError              a model that doesn't answer, or can't do what is asked of it
    │   └── StoreError              a write or read of what was paid for failed
    └── WeightsError                model weights that can't be had or don't match their digest

A message says what was expected, what was found, where, and what to do. The library raises; only `cli` prints.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class CovaryError(Exception):
    """Any failure that a user can understand from its one line."""

    exit_status = 1


class UsageError(CovaryError):
    """The user's input is wrong."""

    exit_status = 2


class StudyError(UsageError):
    """A study declaration or folder is wrong."""


class DataError(UsageError):
    """A data file is missing, unreadable or holds a bad row."""


class RunError(CovaryError):
    """A run can't go on."""


class ModelError(RunError):
    """A model doesn't answer, or can't do what is asked of it."""


class StoreError(RunError):
    """A response could not be written or read; what was acknowledged is safe."""


class WeightsError(CovaryError):
    """Model weights can't be had, or their bytes don't match the declared digest."""


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint ", did you mean 'x'?" with the nearest known word, or the list of what is known when none is near.

    >>> nearest("langauge", ["language", "culture"])
    ", did you mean 'language'?"
    >>> nearest("zzz", ["b", "a"])
    '; known: a, b'
    """
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1)
    return f", did you mean {close[0]!r}?" if close else f"; known: {', '.join(names)}"
