"""Rows a second of every lint rule, on one core: `python benchmarks/lint/speed.py [FOLDER of MathMist files]`.

Without a folder: 200 bundled problems in seven languages. Processor time, one pass; "all text rules" runs them together.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import polars as pl

from covary.lint.row import Row, rows_of
from covary.lint.rules import RULES, Rule


def sets(folder: Path | None) -> dict[str, pl.DataFrame]:
    """The sets to time, by name."""
    if folder is None:
        from covary.items.draw import draw
        from covary.items.languages import BUNDLED

        return {"templates": draw(1, 4, BUNDLED)}
    from covary.exchange.mathmist import read_items

    return {part: read_items(folder, part) for part in ("corpus", "mcq", "perturbed")}  # type: ignore[arg-type]


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds of one run."""
    start = time.process_time()
    work()
    return time.process_time() - start


def apply(rule: Rule, rows: list[Row], groups: list[list[Row]]) -> int:
    """The number of findings of one rule."""
    units = rows if rule.scope == "row" else groups if rule.scope == "forms" else [rows]
    return sum(1 for unit in units for _ in rule.check(unit))


def main() -> None:
    """Print a table for each set."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for name, items in sets(folder).items():
        rows = rows_of(items)
        found: defaultdict[str, list[Row]] = defaultdict(list)
        for row in rows:
            found[row.source_id].append(row)
        groups = list(found.values())
        print(f"{name}: {len(rows):,} rows")
        spent: defaultdict[str, float] = defaultdict(float)
        for rule in RULES:
            taken = seconds(partial(apply, rule, rows, groups))
            spent[rule.kind] += taken
            print(f"  {len(rows) / max(taken, 1e-6):>12,.0f} rows/s  {rule.kind:12}  {', '.join(rule.ids)}")
        for kind, taken in spent.items():
            print(f"  {len(rows) / max(taken, 1e-6):>12,.0f} rows/s  all rules of kind {kind}")


if __name__ == "__main__":
    main()
