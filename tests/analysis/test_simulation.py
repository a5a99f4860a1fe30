"""Coverage and type I error. The exact part runs always; the drawn part is slow (`pytest -m slow`).

The script benchmarks/analysis/simulation.py prints every cell; docs/statistics.md holds the last figures.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "analysis" / "simulation.py"
if not SCRIPT.exists():
    pytest.skip("the benchmarks aren't part of this checkout", allow_module_level=True)
_spec = importlib.util.spec_from_file_location("covary_simulation", SCRIPT)
assert _spec and _spec.loader
simulation = importlib.util.module_from_spec(_spec)
sys.modules["covary_simulation"] = simulation
_spec.loader.exec_module(simulation)

REPEATS = 1000


def below(share, repeats=REPEATS, tests=1):
    """The least share that chance alone allows: 2.6 standard errors, and more where the worst of many cells is meant."""
    return share - (2.6 + 0.5 * np.log10(tests)) * (share * (1 - share) / repeats) ** 0.5


@pytest.fixture(scope="module")
def independent():
    return list(simulation.independent())


def shares(cells, what):
    return np.array([cell.share for cell in cells if cell.what == what])


def test_exact_intervals_cover_at_least_95_per_cent_in_every_cell(independent):
    found = shares(independent, "Clopper-Pearson")
    assert len(found) == len(simulation.SIZES) * len(simulation.CHANCES) == 63
    assert found.min() >= 0.95


def test_wilson_covers_94_to_96_per_cent_on_average_and_never_under_92(independent):
    found = shares(independent, "Wilson")
    assert 0.94 <= found.mean() <= 0.96
    assert found.min() >= 0.92


def test_mcnemar_never_cries_wolf_more_than_nominally():
    for n in simulation.SIZES:
        for share in (0.02, 0.1, 0.5, 1.0):
            assert simulation.power.power(n, simulation.Discordance(share / 2, share / 2)) <= 0.05


def test_tango_covers_94_per_cent_at_the_smaller_sizes():
    found = [
        simulation._tango_coverage(n, simulation.Discordance((share + effect) / 2, (share - effect) / 2))[0]
        for n in (20, 50, 100)
        for share in (0.1, 0.2, 0.5)
        for effect in (0.0, share / 2)
    ]
    assert min(found) >= 0.94


@pytest.mark.slow
def test_the_chosen_interval_covers_93_per_cent_of_clustered_rates_where_promised():
    cells = list(simulation.clustered(REPEATS, 1, methods=("auto",)))
    promised = [cell for cell in cells if cell.promised]
    assert len(promised) > 60
    assert min(cell.share for cell in promised) >= below(0.93, tests=len(promised))
    assert np.mean([cell.share for cell in promised]) >= 0.94


@pytest.mark.slow
def test_no_permutation_test_cries_wolf_more_than_nominally():
    cells = [cell for cell in simulation.drawn_tests(REPEATS, 1) if "type I" in cell.what]
    worst = max(cell.share for cell in cells)
    assert worst <= 1 - below(0.95, tests=len(cells))
