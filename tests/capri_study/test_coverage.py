"""Analytic gap, priors, divergences and depths come back from simulated runs, inside their intervals as often as they should."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from tests.capri_study.covered import covered

FEW, MANY = 3, 200
ERRORS = 3.3  # standard errors that a share may be off: one false alarm in 1,000
CAUTIOUS = (
    "prior of countries",
    "prior of units",
    "bg at Null",
    "gap at Null",
)  # exact or few clusters: above 95 % is right


def test_known_values_come_back_from_a_few_runs() -> None:
    shares = covered(range(FEW), pictures=100)
    # background (5 levels and Null, 2 modes), reply and gap (6 × 3), D_inter (4 × 3), shifts, depth (6 × 2 × 4), priors
    assert len(shares) == 10 + 2 + 18 + 18 + 12 + 12 + 48 + 6 + 6
    for (kind, _, level), (_, mean, truth, _) in shares.items():
        rough = level == "Null" or kind == "prior of countries"  # a handful of distinct requests
        assert mean == pytest.approx(truth, abs=0.5 if rough else 0.12), (kind, level)
    # 132 cells × 3 runs; cells of a run hang together, so this only catches intervals that miss as a rule
    assert np.mean([share for share, *_ in shares.values()]) > 0.85


@pytest.mark.slow
def test_intervals_cover_as_often_as_they_should() -> None:
    kinds: dict[str, list[float]] = defaultdict(list)
    for (kind, _, level), (share, mean, truth, runs) in covered(range(MANY)).items():
        assert runs == MANY
        kinds[f"{kind} at Null" if level == "Null" else kind].append(share)
        assert mean == pytest.approx(truth, abs=0.02 if kind != "prior of countries" else 0.05)
    for kind, shares in kinds.items():
        least = 0.95 - ERRORS * np.sqrt(0.95 * 0.05 / MANY)
        assert min(shares) > least, kind
        if kind not in CAUTIOUS:
            assert np.mean(shares) > 0.93, kind
