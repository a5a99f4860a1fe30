"""Rates and means per group, with intervals that respect clusters.

    rate(scores, by=["model", "language"])              accuracy per model and language
    mean(scores, by=["model"], value="reward")          a mean of any values
    spread(scores, by=["model"])                        population and sample standard deviation

Grain of the result: one row per combination of the `by` factors' levels (`spread`: two). A rate is Σ value / rows over all
rows of the group. Rows that share a cluster (by default the source item) aren't independent: the interval treats the
clusters as drawn, not the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from covary.analysis import intervals, resample
from covary.analysis.intervals import Floats, Interval
from covary.analysis.table import estimates
from covary.analysis.tally import Denominator, Tally, tally
from covary.errors import UsageError, nearest

RateMethod = Literal["auto", "wilson", "clopper-pearson", "effective-exact", "cluster-robust", "bootstrap-t", "bca"]
MeanMethod = Literal["auto", "cluster-robust", "bootstrap-t", "bca"]
RATE_METHODS: tuple[RateMethod, ...] = (
    "auto", "wilson", "clopper-pearson", "effective-exact", "cluster-robust", "bootstrap-t", "bca",
)  # fmt: skip
MEAN_METHODS: tuple[MeanMethod, ...] = ("auto", "cluster-robust", "bootstrap-t", "bca")

LABEL: dict[str, str] = {
    "wilson": "Wilson",
    "clopper-pearson": "Clopper-Pearson",
    "effective-exact": "Clopper-Pearson on effective size",
    "cluster-robust": "cluster-robust t",
    "bootstrap-t": "studentised cluster bootstrap",
    "bca": "BCa cluster bootstrap",
}
BOOTSTRAPS = ("bootstrap-t", "bca")
BOOTSTRAP_CLUSTERS = 30  # with fewer the bootstrap covers too little
BOOTSTRAP_SUCCESSES = 10  # effective successes and failures that it needs
ROBUST_CLUSTERS = 1000  # from here on the bootstrap and the cluster-robust interval agree, and the latter is cheaper


class Summary(NamedTuple):
    """What the intervals of all cells are made from."""

    value: Floats
    error: Floats  # cluster-robust
    rows: Floats
    clusters: Floats
    single: NDArray[np.bool_]  # one row per cluster
    binary: NDArray[np.bool_]
    informative: Floats  # clusters that hold the rarer outcome


def rate(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    value: str = "value",
    cluster: str = "source_id",
    denominator: Denominator = "all",
    method: RateMethod = "auto",
    confidence: float = 0.95,
    name: str = "rate",
    resamples: int = resample.RESAMPLES,
    seed: int | str = 0,
) -> pl.DataFrame:
    """Estimates of the mean of values in [0, 1].

    auto: Wilson for yes/no values with one row per cluster; otherwise the studentised cluster bootstrap on the logit scale
    (cluster-robust t from 1,000 clusters on). Below 30 clusters or 10 effective successes or failures no bootstrap covers
    what it says, not one asked for by name either: Clopper–Pearson on the effective sample size stands in, with a warning.
    Null with a note where a group has no row to use.
    """
    _known(method, RATE_METHODS)
    cells = tally(frame, by, value, cluster, denominator)
    facts = summarise(cells)
    outside = (facts.value < 0) | (facts.value > 1)
    if outside.any():
        raise UsageError(f"rate: values must lie in [0, 1], found a mean of {facts.value[outside][0]:g}; use mean()")
    chosen = np.array([_rate_method(method, *cell) for cell in zip(*_method_facts(facts), strict=True)], dtype=object)
    interval = _intervals(cells, facts, chosen, "logit", confidence, resamples, seed)
    notes = [_rate_note(cells.groups[i], method, chosen[i], facts, i) for i in range(len(cells.groups))]
    return _frame(name, cells, facts, chosen, interval, notes, denominator, confidence)


def mean(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    value: str = "value",
    cluster: str = "source_id",
    denominator: Denominator = "judged",
    method: MeanMethod = "auto",
    confidence: float = 0.95,
    name: str = "mean",
    resamples: int = resample.RESAMPLES,
    seed: int | str = 0,
) -> pl.DataFrame:
    """Estimates of the mean of any values: studentised cluster bootstrap, or cluster-robust t below 30 clusters (with a
    warning) and from 1,000 on. Missing values are left out unless the denominator says "all" (then they count as 0)."""
    _known(method, MEAN_METHODS)
    cells = tally(frame, by, value, cluster, denominator)
    facts = summarise(cells)
    chosen = np.array([_mean_method(method, clusters) for clusters in facts.clusters], dtype=object)
    interval = _intervals(cells, facts, chosen, "identity", confidence, resamples, seed)
    notes = [_mean_note(facts, i) for i in range(len(cells.groups))]
    return _frame(name, cells, facts, chosen, interval, notes, denominator, confidence)


def spread(
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    value: str = "value",
    cluster: str = "source_id",
    denominator: Denominator = "judged",
) -> pl.DataFrame:
    """Two estimates per group, without interval: "sd (population)" divides by n, "sd (sample)" by n − 1 (null for one row)."""
    cells = tally(frame, by, value, cluster, denominator)
    facts = summarise(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.maximum(cells.squares / facts.rows - facts.value**2, 0.0)
        sample = np.where(facts.rows > 1, variance * facts.rows / (facts.rows - 1), np.nan)
    parts = [
        _frame(
            label,
            cells,
            facts._replace(value=np.sqrt(found)),
            None,
            None,
            [None] * len(cells.groups),
            denominator,
            None,
        )
        for label, found in (("sd (population)", variance), ("sd (sample)", sample))
    ]
    return pl.concat(parts)


def summarise(cells: Tally) -> Summary:
    """Value, cluster-robust error and sizes of every cell."""
    total, rows = cells.per_cell(cells.total), cells.per_cell(cells.rows)
    clusters = np.diff(cells.start).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = total / rows
        residual = cells.total - value[cells.cell] * cells.rows
        error = np.sqrt(np.where(clusters > 1, clusters / (clusters - 1), np.nan) * cells.per_cell(residual**2)) / rows
    some = cells.per_cell((cells.total > 0).astype(np.float64))
    short = cells.per_cell((cells.total < cells.rows).astype(np.float64))
    single = (rows == clusters) & (clusters > 0)
    return Summary(value, error, rows, clusters, single, cells.binary, np.minimum(some, short))


def _known(method: str, methods: Sequence[str]) -> None:
    if method not in methods:
        raise UsageError(f"unknown interval method {method!r}{nearest(method, methods)}")


def _method_facts(facts: Summary) -> tuple[NDArray[np.bool_], Floats, Floats]:
    return facts.single & facts.binary, facts.clusters, effective_extremes(facts)


def effective_extremes(facts: Summary) -> Floats:
    """The lesser of the effective numbers of successes and failures: min(p, 1 − p) times the effective sample size
    p(1 − p) / error² (at most the rows; the clusters where the error is 0)."""
    p = facts.value
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(facts.error > 0, np.minimum(p * (1 - p) / facts.error**2, facts.rows), facts.clusters)
    return np.minimum(p, 1 - p) * size


def _rate_method(method: str, independent: bool, clusters: float, extremes: float) -> str:
    if clusters == 0:
        return "none"
    if method not in ("auto", *BOOTSTRAPS):
        return method
    if method == "auto" and independent:
        return "wilson"
    if clusters < BOOTSTRAP_CLUSTERS or not extremes >= BOOTSTRAP_SUCCESSES:
        return "effective-exact"
    if method != "auto":
        return method
    return "bootstrap-t" if clusters < ROBUST_CLUSTERS else "cluster-robust"


def _mean_method(method: str, clusters: float) -> str:
    if clusters == 0:
        return "none"
    if method != "auto":
        return method
    return "bootstrap-t" if BOOTSTRAP_CLUSTERS <= clusters < ROBUST_CLUSTERS else "cluster-robust"


def _rate_note(group: str, method: str, chosen: str, facts: Summary, i: int) -> str | None:
    if chosen == "none":
        return "no row to use"
    if chosen in ("wilson", "clopper-pearson") and not facts.single[i]:
        return "warning: the interval takes rows of one cluster as independent and is too narrow"
    if chosen in ("wilson", "clopper-pearson") and not facts.binary[i]:
        return "warning: this interval is for yes/no values"
    few = facts.clusters[i] < BOOTSTRAP_CLUSTERS
    if chosen == "effective-exact" and method != chosen:
        reason = f"only {facts.clusters[i]:.0f} clusters" if few else "few effective successes or failures"
        return f"warning: {reason}; wide interval on the effective sample size instead of the bootstrap"
    if chosen == "cluster-robust" and (few or not effective_extremes(facts)[i] >= BOOTSTRAP_SUCCESSES):
        return "warning: few clusters, successes or failures; this interval may cover less than it says"
    return None


def _mean_note(facts: Summary, i: int) -> str | None:
    if facts.clusters[i] == 0:
        return "no row to use"
    if facts.clusters[i] == 1:
        return "a single cluster: no interval"
    if facts.clusters[i] < BOOTSTRAP_CLUSTERS:
        return f"warning: only {facts.clusters[i]:.0f} clusters; the interval leans on normality"
    return None


def _intervals(
    cells: Tally,
    facts: Summary,
    chosen: NDArray[np.object_],
    scale: resample.Scale,
    confidence: float,
    resamples: int,
    seed: int | str,
) -> Interval:
    low, high = np.full(len(chosen), np.nan), np.full(len(chosen), np.nan)
    successes = facts.value * facts.rows
    plain = {
        "wilson": lambda at: intervals.wilson(successes[at], facts.rows[at], confidence),
        "clopper-pearson": lambda at: intervals.clopper_pearson(successes[at], facts.rows[at], confidence),
        "effective-exact": lambda at: intervals.effective_exact(
            facts.value[at], facts.error[at] ** 2, facts.rows[at], facts.clusters[at], confidence, facts.informative[at]
        ),
        "cluster-robust": lambda at: (intervals.logit_student if scale == "logit" else intervals.student)(
            facts.value[at], facts.error[at], facts.clusters[at], confidence
        ),
    }
    for name, make in plain.items():
        at = np.flatnonzero(chosen == name)
        if at.size:
            low[at], high[at] = make(at)
    for kind in BOOTSTRAPS:
        for at, total, rows in _same_clusters(cells, np.flatnonzero(chosen == kind)):
            low[at], high[at] = resample.bootstrap(
                total, rows, kind=kind, scale=scale, confidence=confidence, resamples=resamples, seed=seed
            )
    return Interval(low, high)


def _same_clusters(cells: Tally, wanted: NDArray[np.int64]) -> list[tuple[NDArray[np.int64], Floats, Floats]]:
    """Cells that have as many clusters as each other, as matrices (clusters × cells): they can share their resamples."""
    sizes = np.diff(cells.start)[wanted]
    found: list[tuple[NDArray[np.int64], Floats, Floats]] = []
    for size in np.unique(sizes):
        at = wanted[sizes == size]
        entries = cells.start[at] + np.arange(size)[:, None]
        found.append((at, cells.total[entries], cells.rows[entries]))
    return found


def _frame(
    name: str,
    cells: Tally,
    facts: Summary,
    chosen: NDArray[np.object_] | None,
    interval: Interval | None,
    notes: list[str | None],
    denominator: Denominator,
    confidence: float | None,
) -> pl.DataFrame:
    columns = {
        "name": name,
        "group": cells.groups,
        "value": facts.value,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "confidence": confidence,
        "n_items": facts.clusters.astype(np.int64),
        "n_rows": facts.rows.astype(np.int64),
        "n_excluded": cells.n_excluded,
        "n_null": cells.n_null,
        "denominator": denominator,
        "method": [LABEL.get(method, "none") for method in chosen] if chosen is not None else "none",
        "note": notes,
    }
    return estimates(columns, len(cells.groups))
