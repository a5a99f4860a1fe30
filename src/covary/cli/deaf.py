"""Processes of a command's own, started deaf to Ctrl-C: the command itself hears it and ends them."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def deaf() -> Generator[None]:
    """What is started within never hears SIGINT, not even while it still imports; the command hears it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
