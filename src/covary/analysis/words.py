"""An estimate in one sentence: what changed, by how much, and how sure that is.

Plain text; names of levels are the user's and must be escaped by whoever renders them as markup.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def words(row: Mapping[str, Any], *, alpha: float = 0.05) -> str:
    """A sentence or two for one row of an estimates frame (a mapping of its columns).

    A contrast (it has level_a) says direction, size, interval, p, and what the correction within its family leaves of it.
    Any other row says its value, its interval, and what was counted.
    """
    return _contrast(row, alpha) if row.get("level_a") is not None else _plain(row)


def _contrast(row: Mapping[str, Any], alpha: float) -> str:
    what = f"{_where(row)}{row['level_a']} against {row['level_b']}"
    if row.get("across"):
        what += f", compared across {row['across']}"
    if row["value"] is None:
        return f"{what}: {row['note'] or 'undefined'}."
    sides = f"{_pct(row['mean_a'])} against {_pct(row['mean_b'])}"
    if row.get("across"):
        sides = f"difference {_signed(row['mean_a'])} against {_signed(row['mean_b'])} points"
    shown = f"{what}: {_direction(row['value'])} ({sides}{_interval(row)}). {_verdict(row, alpha)}"
    pairs = "" if row["n_pairs"] == row["n_items"] else f"{_count(row['n_pairs'], 'pair')} from "
    counts = f" {pairs}{_count(row['n_items'], 'source item')}: {row['only_a']} higher, {row['only_b']} lower"
    counts += f"; {_count(row['n_excluded'], 'row')} left out for want of a value" if row["n_excluded"] else ""
    note = f" {_sentence(row['note'])}" if row["note"] else ""
    return f"{shown}{counts}.{note}"


def _plain(row: Mapping[str, Any]) -> str:
    what = f"{_where(row)}{row['name']}"
    if row["value"] is None:
        return f"{what}: {row['note'] or 'undefined'}."
    left_out = f", {row['n_excluded']} left out" if row["n_excluded"] else ""
    note = f" {_sentence(row['note'])}" if row["note"] else ""
    value = f"{row['value']:.3g}"
    ends = (
        ""
        if row["low"] is None
        else f" ({100 * row['confidence']:.0f} % interval {row['low']:.3g} to {row['high']:.3g})"
    )
    return f"{what}: {value}{ends}, {row['n_rows']} rows of {_count(row['n_items'], 'source item')}{left_out}, denominator {row['denominator']}.{note}"


def _where(row: Mapping[str, Any]) -> str:
    levels = json.loads(row["group"])
    return ", ".join(f"{factor} {level}" for factor, level in levels.items()) + ": " if levels else ""


def _direction(value: float) -> str:
    if value == 0:
        return "no difference"
    return f"{abs(value) * 100:.1f} points {'higher' if value > 0 else 'lower'}"


def _interval(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return ""
    return f"; {100 * row['confidence']:.0f} % interval {_signed(row['low'])} to {_signed(row['high'])}"


def _verdict(row: Mapping[str, Any], alpha: float) -> str:
    if row["p_value"] is None:
        return "Not tested."
    p, adjusted, size = row["p_value"], row["p_adjusted"], row.get("family_size") or 1
    tested = _p(p) if size == 1 else f"{_p(p)}, {_p(adjusted)} after correction (Holm, {size} tests)"
    if row.get("smallest_p") is not None and row["smallest_p"] > alpha:
        return f"Undecided, and it can't be decided with so few differing pairs ({tested})."
    if adjusted is not None and adjusted <= alpha:
        return f"A difference ({tested})."
    if p <= alpha:
        return f"Not significant once corrected ({tested})."
    return f"No significant difference, which doesn't show that there is none ({tested})."


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def _pct(value: float) -> str:
    return f"{value * 100:.1f} %"


def _signed(value: float) -> str:
    return f"{value * 100:+.1f}".replace("-", "−")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:] + "."
