"""Power of the exact McNemar test: against simulation, references and hand sums."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from covary.analysis import contrasts, paired, power
from covary.analysis.contrasts import Contrast
from covary.analysis.power import Discordance
from covary.errors import DataError, UsageError


@pytest.mark.parametrize(
    "items, pairs", [(50, (0.25, 0.05)), (200, (0.15, 0.08)), (1445, (0.1, 0.07)), (120, (0.1, 0.1))]
)
def test_power_equals_its_simulation(items, pairs):
    draws = np.random.default_rng(9)
    b, c, _ = draws.multinomial(items, [*pairs, 1 - sum(pairs)], size=20_000).T
    simulated = (paired.mcnemar(b, c) <= 0.05).mean()
    assert power.power(items, Discordance(*pairs)) == pytest.approx(simulated, abs=4 * 0.5 / 20_000**0.5)


def test_power_of_six_certain_pairs_by_hand():
    # All 6 pairs discordant, right under a with chance 0.9: rejection needs 6 : 0 or 0 : 6.
    assert power.power(6, Discordance(0.9, 0.1)) == pytest.approx(0.9**6 + 0.1**6)


def test_under_no_effect_the_power_stays_below_alpha():
    assert all(power.power(n, Discordance(0.1, 0.1)) <= 0.05 for n in (10, 50, 300, 2000))


def test_items_for_an_effect_reach_the_power_and_one_fewer_somewhere_does_not():
    n = power.items_for(0.05, 0.2)
    pairs = Discordance(0.125, 0.075)
    assert n is not None
    assert all(power.power(m, pairs) >= 0.8 for m in range(n, n + 64))
    assert power.power(n - 1, pairs) < 0.8
    # The normal approximation (Connor 1987): (z.975 √ψ + z.8 √(ψ - δ²))² / δ² = 626 items; the exact test needs a little more.
    z = stats.norm.ppf([0.975, 0.8])
    approximate = (z[0] * 0.2**0.5 + z[1] * (0.2 - 0.05**2) ** 0.5) ** 2 / 0.05**2
    assert approximate <= n <= 1.1 * approximate


def test_effect_for_items_is_the_inverse():
    n = power.items_for(0.06, 0.25)
    effect = power.effect_for(n, 0.25)
    assert effect == pytest.approx(0.06, abs=0.002)
    assert power.power(n, Discordance((0.25 + effect) / 2, (0.25 - effect) / 2)) >= 0.8


def test_too_few_discordant_pairs_show_no_effect_at_all():
    assert power.effect_for(20, 0.05) is None
    assert power.items_for(0.0, 0.2) is None
    assert power.curve([20, 2000], 0.05)["smallest_effect"].is_null().to_list() == [True, False]


def test_a_larger_family_needs_more_items():
    assert power.items_for(0.05, 0.2, alpha=0.05 / 84) > power.items_for(0.05, 0.2)


def test_discordance_from_assumed_rates():
    # Independent: 0.6 · 0.5 and 0.4 · 0.5.
    assert power.discordance(0.6, 0.5) == pytest.approx((0.3, 0.2))
    assert power.discordance(0.5, 0.5, correlation=1) == pytest.approx((0, 0))
    with pytest.raises(UsageError, match="can't correlate"):
        power.discordance(0.9, 0.1, correlation=0.5)


def test_discordance_from_a_pilot():
    row = {"only_a": 7, "only_b": 1, "n_pairs": 20, "name": "x", "group": "{}"}
    pairs = power.pilot(row)
    assert (pairs.only_a, pairs.only_b) == (0.35, 0.05)
    assert pairs.effect == pytest.approx(0.3)
    with pytest.raises(DataError, match="expected a contrast with pairs"):
        power.pilot({**row, "n_pairs": 0})


def test_an_effect_above_the_discordance_is_refused():
    with pytest.raises(UsageError, match="must lie between"):
        power.items_for(0.3, 0.2)


def test_variance_components_are_recovered_and_predict_the_error():
    # Chances: a = u + 0.1, b = u' with u, u' uniform on [0.2, 0.8]: between = 2 · 0.6²/12 = 0.06,
    # within = E[p(1 - p)] of both sides: a: E = 0.6 · 0.4 - 0.03 = 0.21; b: 0.25 - 0.03 = 0.22; together 0.43.
    draws = np.random.default_rng(4)
    n, k = 4000, 3
    chance = {"a": draws.uniform(0.2, 0.8, n) + 0.1, "b": draws.uniform(0.2, 0.8, n)}
    frame = pl.concat(
        pl.DataFrame({
            "source_id": np.repeat(np.arange(n), k), "condition": side,
            "value": (draws.random((n, k)) < p[:, None]).astype(float).ravel(),
        })
        for side, p in chance.items()
    )  # fmt: skip
    contrast = Contrast("c", "condition", ("a", "b"))
    found = power.components(frame, contrast)
    assert found.between == pytest.approx(0.06, abs=0.012)
    assert found.within == pytest.approx(0.43, abs=0.01)
    assert found.replicates == pytest.approx(3)
    row = contrasts.estimate(frame, contrast).row(0, named=True)
    buys = power.replicates_against_items(found, n * k, [1, 3])
    assert buys["n_items"].to_list() == [12_000, 4000]
    assert 2 * 1.96 * buys["standard_error"][1] == pytest.approx(row["high"] - row["low"], rel=0.03)
    assert buys["standard_error"][0] < buys["standard_error"][1]


def test_components_need_replicates():
    frame = pl.DataFrame({"source_id": ["s", "s"], "condition": ["a", "b"], "value": [1.0, 0.0]})
    with pytest.raises(DataError, match="two replicates on both sides"):
        power.components(frame, Contrast("c", "condition", ("a", "b")))
