"""Prints how often intervals cover the truth and how often tests cry wolf, cell by cell.

    python benchmarks/analysis/simulation.py [--repeats 1000] [--seed 1] [--only coverage|clusters|tests] [--methods auto]

Grid: n = 20 … 1,000 items, p = 0.02 … 0.98. Independent items: coverage is summed exactly, without drawing. Clustered ones
are drawn in three designs: `repeats` (every item is asked 3 times: n clusters of 3 rows), `pictures` (n items in clusters of 1 to 7,
4 on average) and `large` (n items in clusters of 10). Chances vary by cluster as a beta with intraclass correlation 0.3.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy import stats

from covary.analysis import contrasts, intervals, paired, power, summaries
from covary.analysis.contrasts import Contrast
from covary.analysis.generator import generator
from covary.analysis.power import Discordance

SIZES = (20, 30, 50, 100, 200, 500, 1000)
CHANCES = (0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.98)
DESIGNS = ("repeats", "pictures", "large")
METHODS = ("auto", "bootstrap-t", "bca")
CORRELATION = 0.3
ROWS_AT_ONCE = 400_000


class Cell(NamedTuple):
    """One figure: what was measured, where, and how often."""

    what: str
    design: str
    n: int
    p: float
    clusters: float
    share: float
    width: float

    @property
    def promised(self) -> bool:
        """Whether the cluster bootstrap is meant to hold here: ≥ 30 clusters, n·min(p, 1 − p) ≥ 10."""
        return self.clusters >= 30 and self.n * min(self.p, 1 - self.p) >= 10 - 1e-9


def independent() -> Iterator[Cell]:
    """Exact coverage of the intervals for independent items."""
    makers = {"Wilson": intervals.wilson, "Clopper-Pearson": intervals.clopper_pearson}
    for (what, make), n, p in itertools.product(makers.items(), SIZES, CHANCES):
        x = np.arange(n + 1)
        low, high = make(x, np.full(n + 1, n))
        chance = stats.binom.pmf(x, n, p)
        covers = (low <= p) & (p <= high)
        yield Cell(what, "independent", n, p, n, float(chance[covers].sum()), float((chance * (high - low)).sum()))


def cluster_sizes(design: str, n: int, draws: np.random.Generator) -> np.ndarray:
    """Rows per cluster."""
    if design == "repeats":
        return np.full(n, 3)
    if design == "large":
        return np.full(n // 10, 10)
    sizes = draws.integers(1, 8, size=n)
    ends = np.cumsum(sizes)
    last = int(np.searchsorted(ends, n))
    sizes = sizes[: last + 1]
    sizes[-1] -= ends[last] - n
    return sizes[sizes > 0]


def clustered(
    repeats: int, seed: int, designs: Sequence[str] = DESIGNS, methods: Sequence[str] = METHODS
) -> Iterator[Cell]:
    """Drawn coverage of the intervals for clustered rows."""
    for design, n, p in itertools.product(designs, SIZES, CHANCES):
        if design == "large" and n < 200:
            continue
        found: dict[str, list[pl.DataFrame]] = {}
        clusters: list[float] = []
        rows = n * 3 if design == "repeats" else n
        batch = max(1, min(repeats, ROWS_AT_ONCE // rows))
        for first in range(0, repeats, batch):
            draws = generator(seed, design, n, int(p * 1000), first)
            sizes = cluster_sizes(design, n, draws)
            clusters.append(len(sizes))
            frame = drawn_rates(draws, min(batch, repeats - first), sizes, p)
            for method in methods:
                found.setdefault(method, []).append(
                    summaries.rate(frame, ["draw"], method=method, seed=f"{seed}/{first}")  # type: ignore[arg-type]
                )
        for method, parts in found.items():
            rates = pl.concat(parts)
            covers = ((rates["low"] <= p) & (rates["high"] >= p)).fill_null(value=False)
            width = float((rates["high"] - rates["low"]).mean() or np.nan)  # type: ignore[arg-type]
            yield Cell(method, design, n, p, float(np.mean(clusters)), float(covers.sum()) / rates.height, width)


def drawn_rates(draws: np.random.Generator, repeats: int, sizes: np.ndarray, p: float) -> pl.DataFrame:
    """`repeats` data sets of yes/no rows whose chance is a beta with mean p and the intraclass correlation."""
    scale = 1 / CORRELATION - 1
    chance = draws.beta(p * scale, (1 - p) * scale, size=(repeats, len(sizes)))
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    values = draws.random((repeats, len(cluster))) < chance[:, cluster]
    return pl.DataFrame({
        "source_id": np.tile(cluster, repeats),
        "draw": np.repeat(np.arange(repeats), len(cluster)),
        "value": values.ravel().astype(np.float64),
    })  # fmt: skip


def exact_tests() -> Iterator[Cell]:
    """Exact type I error of McNemar's test and exact coverage of Tango's interval at no difference and at one."""
    for n, share in itertools.product(SIZES, (0.02, 0.05, 0.1, 0.2, 0.5)):
        yield Cell(
            "McNemar, type I", "one pair per item", n, share, n, power.power(n, Discordance(share / 2, share / 2)), 0
        )
        for effect in (0.0, share / 2):
            pairs = Discordance((share + effect) / 2, (share - effect) / 2)
            yield Cell(f"Tango, difference {effect:g}", "one pair per item", n, share, n, *_tango_coverage(n, pairs))


def _tango_coverage(n: int, pairs: Discordance) -> tuple[float, float]:
    most = int(stats.binom.ppf(1 - 1e-7, n, pairs.share))
    b, c = (grid.ravel() for grid in np.mgrid[0 : most + 1, 0 : most + 1])
    inside = b + c <= most
    b, c = b[inside], c[inside]
    chance = stats.multinomial.pmf(np.column_stack([b, c, n - b - c]), n, [*pairs, 1 - pairs.share])
    likely = chance > 1e-12
    b, c, chance = b[likely], c[likely], chance[likely]
    low, high = paired.tango(b, c, np.full(len(b), n))
    covers = (low - 1e-9 <= pairs.effect) & (pairs.effect <= high + 1e-9)
    return float(chance[covers].sum()), float((chance * (high - low)).sum())


def drawn_tests(repeats: int, seed: int) -> Iterator[Cell]:
    """Type I error of the permutation test and coverage of its interval, with rows of one cluster alike."""
    kinds = ("repeats", "pictures", "graded", "unequal spread", "interaction")
    for kind, n, p in itertools.product(kinds, (20, 30, 50, 100, 200), (0.1, 0.5, 0.9)):
        parts: list[pl.DataFrame] = []
        batch = max(1, min(repeats, ROWS_AT_ONCE // (n * 6)))
        for first in range(0, repeats, batch):
            draws = generator(seed, kind, n, int(p * 1000), first)
            frame, contrast = null_scores(kind, draws, min(batch, repeats - first), n, p)
            parts.append(contrasts.estimate(frame, contrast, test="permutation", seed=f"{seed}/{first}"))
        found = pl.concat(parts)
        clusters = float(found["n_items"].mean() or 0)  # type: ignore[arg-type]
        wolf = (found["p_value"] <= 0.05).sum() / found.height
        covers = ((found["low"] <= 0) & (found["high"] >= 0)).sum() / found.height
        width = float((found["high"] - found["low"]).mean() or np.nan)  # type: ignore[arg-type]
        yield Cell("permutation, type I", kind, n, p, clusters, wolf, 0)
        yield Cell("its interval", kind, n, p, clusters, covers, width)


def null_scores(kind: str, draws: np.random.Generator, repeats: int, n: int, p: float) -> tuple[pl.DataFrame, Contrast]:
    """`repeats` data sets without a difference between conditions a and b, and the contrast that looks for one."""
    sizes = cluster_sizes("pictures" if kind == "pictures" else "repeats", n, draws)
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    scale = 1 / CORRELATION - 1
    chance = draws.beta(p * scale, (1 - p) * scale, size=(repeats, len(sizes)))[:, cluster]
    sides = {("a", "u"): chance, ("b", "u"): chance}
    if kind == "unequal spread":  # the same mean, but b's chances don't vary
        sides["b", "u"] = np.full_like(chance, p)
    if kind == "interaction":  # b is better by the same everywhere, in u and in v
        sides = {(a, u): np.clip(chance * (0.8 if a == "a" else 1.0), 0, 1) for a in "ab" for u in "uv"}
    parts = [_side(draws, chances, cluster, a, u, graded=kind == "graded") for (a, u), chances in sides.items()]
    across: Any = ("second", ("u", "v")) if kind == "interaction" else None
    blocked = ["item"] if kind == "pictures" else []
    return pl.concat(parts), Contrast(kind, "first", ("a", "b"), by=["draw"], blocked_by=blocked, across=across)


def _side(
    draws: np.random.Generator, chance: np.ndarray, cluster: np.ndarray, first: str, second: str, *, graded: bool
) -> pl.DataFrame:
    repeats = len(chance)
    values = draws.beta(4 * chance + 0.01, 4 * (1 - chance) + 0.01) if graded else draws.random(chance.shape) < chance
    return pl.DataFrame({
        "source_id": np.tile(cluster, repeats),
        "item": np.tile(np.arange(len(cluster)), repeats),
        "draw": np.repeat(np.arange(repeats), len(cluster)),
        "first": [first] * values.size,
        "second": [second] * values.size,
        "value": values.ravel().astype(np.float64),
    })  # fmt: skip


def show(cells: Iterator[Cell]) -> list[Cell]:
    """Prints each cell as it comes, and returns them."""
    kept: list[Cell] = []
    for cell in cells:
        kept.append(cell)
        print(
            f"{cell.what:<22} {cell.design:<18} n {cell.n:>5}  p {cell.p:<5g} clusters {cell.clusters:>6.0f}  "
            f"share {cell.share:.4f}  width {cell.width:.4f}{'  promised' if cell.promised else ''}",
            flush=True,
        )
    return kept


def summary(cells: list[Cell]) -> None:
    """Mean and minimum per kind, over all cells and over those where the bootstrap is meant to hold."""
    kinds = sorted({(cell.what.split(",")[0] if "Tango" in cell.what else cell.what, cell.design) for cell in cells})
    for what, design in kinds:
        of_kind = [cell for cell in cells if cell.what.startswith(what) and cell.design == design]
        for label, chosen in (("all", of_kind), ("promised", [cell for cell in of_kind if cell.promised])):
            if chosen:
                shares = [cell.share for cell in chosen]
                least, most = min(chosen, key=lambda cell: cell.share), max(chosen, key=lambda cell: cell.share)
                print(
                    f"{what:<22} {design:<18} {label:<9} {len(chosen):>3} cells  mean {np.mean(shares):.4f}  "
                    f"min {least.share:.4f} (n {least.n}, p {least.p:g})  max {most.share:.4f} (n {most.n}, p {most.p:g})"
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["coverage", "clusters", "tests"])
    parser.add_argument("--designs", nargs="+", choices=DESIGNS, default=DESIGNS)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    given = parser.parse_args()
    cells: list[Cell] = []
    if given.only in (None, "coverage"):
        cells += show(independent())
        cells += show(exact_tests())
    if given.only in (None, "clusters"):
        cells += show(clustered(given.repeats, given.seed, given.designs, given.methods))
    if given.only in (None, "tests"):
        cells += show(drawn_tests(given.repeats, given.seed))
    print(f"\nSummary (repeats {given.repeats}, seed {given.seed})")
    summary(cells)


if __name__ == "__main__":
    main()
