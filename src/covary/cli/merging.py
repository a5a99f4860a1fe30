"""`covary merge`: journals of many machines into one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from covary.errors import UsageError


def merge(sources: list[Path], into: Path, as_json: bool) -> None:
    """Merge journals and print what came and what was in conflict."""
    from covary.store.journal import merge as merge_journals

    for source in sources:
        if not source.exists():
            raise UsageError(f"{source}: there is no such journal")
    merged = merge_journals(sources, into)
    if as_json:
        print(json.dumps(merged._asdict()))
        return
    print(
        f"{into}: {merged.new:,} new answers, {merged.already:,} there already, {merged.errors:,} errors brought along"
    )
    if merged.n_conflicts:
        shown = ", ".join(merged.conflicts) + (" …" if merged.n_conflicts > len(merged.conflicts) else "")
        print(f"{merged.n_conflicts:,} requests were answered differently; the first answer stays: {shown}")
    for line in merged.damaged:
        print(f"damaged: {line}; the rest of it was brought", file=sys.stderr)
