"""The embedded model keeps the contract of every transport."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.run.contract import TransportContract

from covary.run.embedded import EmbeddedTransport
from covary.run.transport import Transport


class TestEmbedded(TransportContract):
    patience_s = 120.0

    @pytest.fixture(autouse=True)
    def with_weights(self, small_weights: Path) -> None:
        self.weights = small_weights

    def transport(self) -> Transport:
        return EmbeddedTransport(self.weights, name="m", context_tokens=1024)
