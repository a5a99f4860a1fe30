"""A seeded sample of findings to be read by a person: `python benchmarks/lint/sample.py SET SEED [COUNT] [RULE …]`.

Prints COUNT findings (30; all where a rule has fewer) of every rule that is an error or warning, each with its reference form
and its own. The sample of a rule depends on the seed and on its own findings alone. Nothing is kept.
"""

from __future__ import annotations

import sys
from typing import Any

import polars as pl

from covary import lint
from covary.cli.linting import pooled, read_target
from covary.digest import Draw

COUNT = 30
SHOWN = 700


def main() -> None:
    """Print the sample, rule by rule."""
    target, seed, *rest = sys.argv[1:]
    count = int(rest.pop(0)) if rest and rest[0].isdigit() else COUNT
    items = read_target(target, None, [])
    found = lint.run(items, rest or None, workers=pooled).filter(pl.col("severity") != "note")
    forms = {row["item_id"]: row for row in items.iter_rows(named=True)}
    english = {(row["source_id"], row["format"]): row for row in forms.values() if row["language"] == "en"}
    for (rule, severity), hits in found.group_by("rule", "severity", maintain_order=True):
        rows = hits.sort("item_id", "field", "span").to_dicts()
        drawn = Draw(int(seed), str(rule)).sample(range(len(rows)), min(count, len(rows)))
        print(f"\n=== {rule} ({severity}): {len(rows)} found, {len(drawn)} drawn")
        for at in sorted(drawn):
            show(rows[at], forms.get(rows[at]["item_id"]), english)


def show(hit: dict[str, Any], form: dict[str, Any] | None, english: dict[tuple[str, str], dict[str, Any]]) -> None:
    """Print one finding with what is needed to judge it."""
    print(f"-- {hit['source_id']} {hit['variant']} {hit['field']}")
    print(f"   found {hit['span']!r}; expected {hit['expected']!r}; {hit['suggestion']!r}")
    if form is None:
        return
    about = english.get((form["source_id"], form["format"]))
    for name in ("question", "target"):
        print(f"   {name}: {form[name]!r:.{SHOWN}}")
        if about is not None and about is not form:
            print(f"     (en) {about[name]!r:.{SHOWN}}")
    if form["options"]:
        print(f"   options: {form['options']}")
    if hit["field"] == "solution" or hit["rule"] == "target-not-concluded":
        print(f"   solution: …{form['solution']!r:.{SHOWN}}")


if __name__ == "__main__":
    main()
