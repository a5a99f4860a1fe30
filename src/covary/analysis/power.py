"""How many items an effect needs, what effect the items can show, and whether replicates or items are the better buy.

All for the exact McNemar test of yes/no scores, one pair per item. A pair is discordant when only one side is right; the
effect is the share of pairs right only under a minus the share right only under b.

    pilot(estimate row)                    discordance as found
    discordance(0.6, 0.5, correlation=.4)  discordance assumed from two rates
    items_for(effect, share)               n
    effect_for(n, share)                   the smallest effect seen with the power asked for
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special

from covary.analysis.distributions import binomial_pmf, binomial_ppf
from covary.analysis.pairing import Contrast, prepare
from covary.analysis.tally import Denominator
from covary.errors import DataError, UsageError

MOST_ITEMS = 1_000_000
EXACT = 1e-7  # of an effect
TAIL = 1e-10  # of the number of discordant pairs that may be left out of the sum
SCAN = 64  # items by which the search looks ahead, as exact power isn't monotone in n


class Discordance(NamedTuple):
    """Shares of pairs right only under a, and right only under b."""

    only_a: float
    only_b: float

    @property
    def effect(self) -> float:
        """The difference of the two rates."""
        return self.only_a - self.only_b

    @property
    def share(self) -> float:
        """The share of discordant pairs."""
        return self.only_a + self.only_b


class Discordant(NamedTuple):
    """The numbers of discordant pairs that a test can reject at: each with the most pairs on the rarer side at which it does, and its
    chance."""

    number: NDArray[np.int64]
    critical: NDArray[np.float64]
    chance: NDArray[np.float64]


class Components(NamedTuple):
    """Variances of an item's difference: between items, and within one item per pair of replicates."""

    between: float
    within: float
    replicates: float  # harmonic mean per item and side


def pilot(row: Mapping[str, Any]) -> Discordance:
    """The discordance that a row of contrasts.estimate found. Raises DataError where it has no pair."""
    if not row["n_pairs"]:
        raise DataError(f"power: expected a contrast with pairs, found none in {row['name']!r} {row['group']}")
    return Discordance(row["only_a"] / row["n_pairs"], row["only_b"] / row["n_pairs"])


def discordance(rate_a: float, rate_b: float, correlation: float = 0.0) -> Discordance:
    """The discordance of two rates whose yes/no values correlate so (phi). Raises UsageError where no such pairs exist.

    >>> discordance(0.5, 0.5)
    Discordance(only_a=0.25, only_b=0.25)
    """
    both = rate_a * rate_b + correlation * np.sqrt(rate_a * (1 - rate_a) * rate_b * (1 - rate_b))
    if not max(0.0, rate_a + rate_b - 1) - 1e-12 <= both <= min(rate_a, rate_b) + 1e-12:
        raise UsageError(
            f"power: rates {rate_a:g} and {rate_b:g} can't correlate by {correlation:g}; try one nearer to 0"
        )
    return Discordance(float(rate_a - both), float(rate_b - both))


def power(items: int, pairs: Discordance, alpha: float = 0.05) -> float:
    """The chance that the exact McNemar test finds the effect with so many items, summed over the number of discordant
    pairs. With `alpha` divided by the family's size it is the power after Bonferroni's (and at least Holm's first) correction."""
    _valid(pairs)
    if pairs.share == 0:
        return 0.0
    found = _discordant(items, pairs.share, alpha)
    toward_a = pairs.only_a / pairs.share
    rejects = sum(special.bdtr(found.critical, found.number, chance) for chance in (toward_a, 1 - toward_a))
    return float((found.chance * rejects).sum())


@lru_cache(maxsize=256)
def _discordant(items: int, share: float, alpha: float) -> Discordant:
    low, high = binomial_ppf([TAIL, 1 - TAIL], items, share)
    number = np.arange(int(low), int(high) + 1)
    critical = binomial_ppf(alpha / 2, number, 0.5)
    critical = np.where(2 * special.bdtr(critical, number, 0.5) > alpha, critical - 1, critical)
    reached = critical >= 0
    return Discordant(number[reached], critical[reached], binomial_pmf(number[reached], items, share))


def items_for(effect: float, share: float, *, target: float = 0.8, alpha: float = 0.05) -> int | None:
    """The fewest items with which, and with any of the next 64 numbers of items, the power reaches the target. None above
    a million. `share` is that of discordant pairs, at least |effect|."""
    pairs = _shared(effect, share)
    if effect == 0:
        return None
    enough = 4
    while power(enough, pairs, alpha) < target:
        enough *= 2
        if enough > MOST_ITEMS:
            return None
    low = max(enough // 2 - SCAN, 1)
    while enough - low > 1:
        middle = (low + enough) // 2
        low, enough = (low, middle) if power(middle, pairs, alpha) >= target else (middle, enough)
    while True:
        short = [n for n in range(enough, enough + SCAN) if power(n, pairs, alpha) < target]
        if not short:
            return enough
        enough = short[-1] + 1


def effect_for(items: int, share: float, *, target: float = 0.8, alpha: float = 0.05) -> float | None:
    """The smallest effect that so many items show with the target power, at a given share of discordant pairs. None where
    even an effect as large as the share (all discordance on one side) isn't enough."""
    if power(items, Discordance(share, 0.0), alpha) < target:
        return None
    low, high = 0.0, share
    while high - low > EXACT:
        middle = (low + high) / 2
        low, high = (low, middle) if power(items, _shared(middle, share), alpha) >= target else (middle, high)
    return high


def curve(sizes: Sequence[int], share: float, *, target: float = 0.8, alpha: float = 0.05) -> pl.DataFrame:
    """One row per number of items: n_items, smallest_effect (null: none), for the sample-size figure."""
    effects = [effect_for(n, share, target=target, alpha=alpha) for n in sizes]
    return pl.DataFrame(
        {"n_items": list(sizes), "smallest_effect": effects},
        schema={"n_items": pl.Int64(), "smallest_effect": pl.Float64()},
    )


def components(
    frame: pl.DataFrame,
    contrast: Contrast,
    *,
    value: str = "value",
    cluster: str = "source_id",
    denominator: Denominator = "all",
) -> Components:
    """Variance components of a contrast from a pilot with replicates, over all its groups together. Raises DataError where no item has two
    replicates on both sides."""
    rows = prepare(frame, [contrast], value, cluster, denominator).drop_nulls("value")
    for column, level in contrast.fixed.items():
        rows = rows.filter(pl.col(f"={column}") == level)
    sides = [_side(rows.filter(pl.col(f"={contrast.factor}") == level), contrast.by) for level in contrast.levels]
    both = sides[0].join(sides[1], on=["cluster", *(f"={column}" for column in contrast.by)], nulls_equal=True)
    both = both.filter((pl.col("n") > 1) & (pl.col("n_right") > 1))
    if both.height < 2:
        raise DataError(
            f"power: expected two items with two replicates on both sides of {contrast.name!r}, found {both.height}"
        )
    noise = both["spread"] / both["n"] + both["spread_right"] / both["n_right"]
    within = both["spread"] + both["spread_right"]
    spread = (both["mean"] - both["mean_right"]).var()
    between = max(float(spread) - float(noise.sum()) / both.height, 0.0)  # type: ignore[arg-type]
    replicates = 2 * both.height / float((1 / both["n"] + 1 / both["n_right"]).sum())
    return Components(between, float(within.sum()) / both.height, replicates)


def replicates_against_items(
    parts: Components, calls: int, replicates: Sequence[int] = (1, 2, 3, 5, 10)
) -> pl.DataFrame:
    """What a budget of calls per side buys: one row per number of replicates, with n_items = calls // replicates and the
    standard error √(between / n + within / (n·k)) of the mean difference. For a fixed budget more items always give the
    smaller error; replicates pay only where items are dear or all used up."""
    ks = np.array([k for k in replicates if k <= calls])
    items = calls // ks
    error = np.sqrt(parts.between / items + parts.within / (items * ks))
    return pl.DataFrame({"replicates": ks, "n_items": items, "standard_error": error})


def _side(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    return rows.group_by(*(f"={column}" for column in by), "cluster").agg(
        mean=pl.col("value").mean(), spread=pl.col("value").var(), n=pl.len()
    )


def _shared(effect: float, share: float) -> Discordance:
    if not abs(effect) <= share <= 1:
        raise UsageError(
            f"power: the share of discordant pairs must lie between |effect| = {abs(effect):g} and 1, found {share:g}"
        )
    return Discordance((share + effect) / 2, (share - effect) / 2)


def _valid(pairs: Discordance) -> None:
    if min(pairs) < 0 or pairs.share > 1 + 1e-12:
        raise UsageError(
            f"power: shares of discordant pairs must be at least 0 and sum to at most 1, found {tuple(pairs)}"
        )
