"""Adjusted p values against statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from covary.analysis.multiplicity import benjamini_hochberg, holm


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjustments_equal_statsmodels(p):
    assert holm(np.array(p)) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert benjamini_hochberg(np.array(p)) == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-12)


def test_a_missing_p_stays_missing_and_is_not_counted():
    # Two tests: Holm gives 2 × 0.01 and 1 × 0.04.
    assert holm(np.array([0.04, np.nan, 0.01])) == pytest.approx([0.04, np.nan, 0.02], nan_ok=True)
    assert np.isnan(benjamini_hochberg(np.array([np.nan]))).all()
