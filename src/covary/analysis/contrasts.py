"""Declared paired contrasts → estimates: what changed between two levels of a factor, and how sure that is.

    estimate(scores, Contrast("bn against en", "language", ("bn", "en"), by=["model"]))

Grain: one row per contrast × combination of its `by` levels. The value is the mean over pairs of (a − b): positive when a
is higher. Yes/no values with one pair per cluster get the exact McNemar test and Tango's interval; all else a sign-flip
permutation of whole clusters and the studentised cluster bootstrap. `p_adjusted` is Holm's, `p_fdr`
Benjamini–Hochberg's, both within the contrast's family. `smallest_p` is what the test could give at best with as many
discordant pairs; where it exceeds the threshold the note says that significance is out of reach.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal

import numpy as np
import polars as pl

from covary import digest
from covary.analysis import intervals, paired, resample
from covary.analysis.intervals import Floats, Interval
from covary.analysis.multiplicity import benjamini_hochberg, holm
from covary.analysis.pairing import Contrast, Pairs, pair, prepare
from covary.analysis.summaries import BOOTSTRAP_CLUSTERS, ROBUST_CLUSTERS
from covary.analysis.table import estimates
from covary.analysis.tally import Denominator, require
from covary.errors import DataError

__all__ = ["Contrast", "all_pairs", "estimate"]

Test = Literal["auto", "permutation"]
INFORMATIVE = 10  # clusters that must differ before the bootstrap is trusted


def all_pairs(
    frame: pl.DataFrame,
    factor: str,
    *,
    reference: str | None = None,
    by: Sequence[str] = (),
    blocked_by: Sequence[str] | None = None,
    family: str = "",
) -> list[Contrast]:
    """Contrasts of every pair of a factor's levels, or of each level with a reference. Named "a - b"."""
    require(frame, [factor])
    levels = [str(level) for level in frame[factor].drop_nulls().unique().cast(pl.String).sort()]
    if reference is not None and reference not in levels:
        raise DataError(f"contrasts: reference {reference!r} is no level of {factor!r}; found {', '.join(levels)}")
    found = (
        [(level, reference) for level in levels if level != reference]
        if reference is not None
        else [(b, a) for a, b in combinations(levels, 2)]
    )
    return [
        Contrast(f"{a} - {b}", factor, (a, b), by=by, blocked_by=blocked_by, family=family or factor) for a, b in found
    ]


def estimate(
    frame: pl.DataFrame,
    contrasts: Contrast | Sequence[Contrast],
    *,
    family: str | None = None,
    value: str = "value",
    cluster: str = "source_id",
    denominator: Denominator = "all",
    test: Test = "auto",
    confidence: float = 0.95,
    alpha: float = 0.05,
    resamples: int = resample.RESAMPLES,
    seed: int | str = 0,
) -> pl.DataFrame:
    """Estimates of the contrasts, with columns of their own after those of schema.ESTIMATES: family, family_size, factor,
    level_a, level_b, across, mean_a, mean_b, n_pairs, only_a and only_b (pairs in which a, or b, is higher), n_unpaired, p_fdr,
    smallest_p, threshold (alpha / family_size).

    `family` puts all contrasts into one family of that name; None keeps each contrast's own. A contrast that finds no
    group at all gives one row without a value, so that a misspelt level can't vanish. `test="permutation"` asks for the
    permutation test and the bootstrap where McNemar's would do.
    """
    declared = [contrasts] if isinstance(contrasts, Contrast) else list(contrasts)
    prepared = prepare(frame, declared, value, cluster, denominator)
    found = [
        (contrast, pairs)
        for contrast in declared
        for pairs in pair(prepared, contrast, contrast.blocks(frame)) or [_nothing(contrast)]
    ]
    if not found:
        return estimates({}, 0)
    rows = [pairs for _, pairs in found]
    exact = np.array([pairs.matched and test == "auto" for pairs in rows])
    total, units = np.array([p.difference.sum() for p in rows]), np.array([p.units.sum() for p in rows])
    with np.errstate(divide="ignore", invalid="ignore"):
        differences = total / units
    p_value, smallest, tested = _tests(rows, exact, seed)
    interval, method = _intervals(rows, exact, confidence, resamples, seed)
    limit = _limits(prepared["value"], [contrast for contrast, _ in found])
    families = np.array([family or contrast.family or "contrasts" for contrast, _ in found])
    sizes = np.array([int(np.isfinite(p_value[families == name]).sum()) for name in families])
    with np.errstate(divide="ignore"):
        threshold = np.where(sizes > 0, alpha / np.maximum(sizes, 1), np.nan)
    columns = {
        "name": [contrast.name for contrast, _ in found],
        "group": [digest.canonical_json(pairs.levels).decode() for pairs in rows],
        "value": differences,
        "low": np.clip(interval.low, -limit, limit),
        "high": np.clip(interval.high, -limit, limit),
        "confidence": confidence,
        "p_value": p_value,
        "p_adjusted": _per_family(holm, p_value, families),
        "n_items": [len(pairs.units) for pairs in rows],
        "n_rows": [pairs.n_rows for pairs in rows],
        "n_excluded": [pairs.n_excluded for pairs in rows],
        "denominator": denominator,
        "method": [f"{a}; {b}" if a else "none" for a, b in zip(tested, method, strict=True)],
        "note": [_note(p, e, s, t, alpha) for p, e, s, t in zip(rows, exact, smallest, threshold, strict=True)],
        "family": families.tolist(),
        "family_size": sizes,
        "factor": [contrast.factor for contrast, _ in found],
        "level_a": [contrast.levels[0] for contrast, _ in found],
        "level_b": [contrast.levels[1] for contrast, _ in found],
        "across": [_across(contrast) for contrast, _ in found],
        "mean_a": np.array([pairs.mean_a for pairs in rows]),
        "mean_b": np.array([pairs.mean_b for pairs in rows]),
        "n_pairs": units.astype(np.int64),
        "only_a": [pairs.up for pairs in rows],
        "only_b": [pairs.down for pairs in rows],
        "n_unpaired": [pairs.n_unpaired for pairs in rows],
        "p_fdr": _per_family(benjamini_hochberg, p_value, families),
        "smallest_p": smallest,
        "threshold": threshold,
    }
    return estimates(columns, len(rows)).with_columns(pl.col("across").cast(pl.String))


def _tests(rows: list[Pairs], exact: np.ndarray, seed: int | str) -> tuple[Floats, Floats, list[str]]:
    up, down = np.array([p.up for p in rows]), np.array([p.down for p in rows])
    p_value, smallest = paired.mcnemar(up, down), paired.smallest_p(up + down)
    labels = ["exact McNemar" if pairs.units.size else "" for pairs in rows]
    p_value[[not label for label in labels]] = smallest[[not label for label in labels]] = np.nan
    others = [i for i, pairs in enumerate(rows) if pairs.units.size and not exact[i]]
    flips = paired.sign_flips([rows[i].difference for i in others], seed=seed)
    for i, flip in zip(others, flips, strict=True):
        p_value[i], smallest[i], labels[i] = flip.p_value, flip.smallest, f"sign-flip permutation ({flip.how})"
    return p_value, smallest, labels


def _intervals(
    rows: list[Pairs], exact: np.ndarray, confidence: float, resamples: int, seed: int | str
) -> tuple[Interval, list[str]]:
    up, down = np.array([p.up for p in rows]), np.array([p.down for p in rows])
    clusters = np.array([len(p.units) for p in rows])
    still = np.array([not p.difference.any() for p in rows])
    low, high = paired.tango(np.where(still, 0, up), np.where(still, 0, down), clusters, confidence)
    labels = ["Tango score interval" for _ in rows]
    by_size: dict[int, list[int]] = {}
    for i in np.flatnonzero(~exact & ~still & (clusters > 0)):
        if _few(rows[i]):
            low[i], high[i] = _cautious(rows[i], confidence)
            labels[i] = "cluster-robust t with two added clusters"
        elif clusters[i] >= ROBUST_CLUSTERS:
            low[i], high[i] = _student(rows[i].difference, rows[i].units, confidence)
            labels[i] = "cluster-robust t"
        else:
            by_size.setdefault(int(clusters[i]), []).append(int(i))
            labels[i] = "studentised cluster bootstrap"
    for at in by_size.values():
        total, units = (
            np.column_stack([part[i] for i in at]) for part in ([p.difference for p in rows], [p.units for p in rows])
        )
        low[at], high[at] = resample.bootstrap(total, units, confidence=confidence, resamples=resamples, seed=seed)
    return Interval(low, high), labels


def _limits(values: pl.Series, contrasts: Sequence[Contrast]) -> Floats:
    """What a difference can't exceed: 1 for values in [0, 1], 2 for interactions of such; else nothing."""
    inside = values.drop_nulls().is_between(0, 1).all()
    return np.array([(2.0 if contrast.across else 1.0) if inside else np.inf for contrast in contrasts])


def _few(pairs: Pairs) -> bool:
    """Whether there are too few clusters, or too few that differ, for the bootstrap."""
    return len(pairs.units) < BOOTSTRAP_CLUSTERS or _informative(pairs) < INFORMATIVE


def _informative(pairs: Pairs) -> int:
    return int((np.abs(pairs.difference) > 1e-12).sum())


def _student(difference: Floats, units: Floats, confidence: float) -> tuple[float, float]:
    found = resample.ratio(difference[:, None], units[:, None])
    ends = intervals.student(found.value, found.error, [len(units)], confidence)
    return float(ends.low[0]), float(ends.high[0])


def _cautious(pairs: Pairs, confidence: float) -> tuple[float, float]:
    """Student's interval after adding one cluster of each sign, of mean size and full difference (Agresti & Min 2005)."""
    size = pairs.units.mean()
    full = max(1.0, float(np.abs(pairs.difference / pairs.units).max())) * size
    return _student(np.append(pairs.difference, [full, -full]), np.append(pairs.units, [size, size]), confidence)


def _note(pairs: Pairs, exact: bool, smallest: float, threshold: float, alpha: float) -> str | None:
    if not pairs.units.size:
        return "no pair to compare"
    notes: list[str] = []
    informative = _informative(pairs)
    if smallest > alpha:
        notes.append(
            f"cannot reach significance: with {informative} discordant {'cluster' if informative == 1 else 'clusters'} the smallest p is {smallest:.2g}, above {alpha:g}"
        )
    elif smallest > threshold:
        notes.append(
            f"cannot reach significance by itself: with {informative} discordant {'cluster' if informative == 1 else 'clusters'} the smallest p is {smallest:.2g}, "
            f"above {threshold:.2g}, the first threshold of its family"
        )
    if not exact and _few(pairs):
        notes.append("warning: few clusters differ; the interval is rough")
    return "; ".join(notes) or None


def _across(contrast: Contrast) -> str | None:
    if contrast.across is None:
        return None
    factor, (a, b) = contrast.across
    return f"{factor}: {a} - {b}"


def _per_family(adjust: Callable[[Floats], Floats], p: Floats, families: np.ndarray) -> Floats:
    adjusted = np.full(len(p), np.nan)
    for name in np.unique(families):
        inside = families == name
        adjusted[inside] = adjust(p[inside])
    return adjusted


def _nothing(contrast: Contrast) -> Pairs:
    nothing = np.zeros(0)
    return Pairs(dict(contrast.fixed), nothing, nothing, np.nan, np.nan, 0, 0, False, 0, 0, 0)
