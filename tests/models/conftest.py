"""Real small weights for the tests that run a model, and requests to send it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from covary import digest
from covary.errors import WeightsError
from covary.run import weights
from covary.run.transport import Request


@pytest.fixture(scope="session")
def small_weights() -> Path:
    try:
        return weights.fetch("smollm2-135m")
    except WeightsError as error:
        pytest.skip(f"no small weights: {error}")


def make_request(content: Any, replicate: int = 0, **sampling: Any) -> Request:
    body = digest.request_content(
        digest.canonical_json({"name": "smollm2-135m"}),
        digest.canonical_json([{"role": "user", "content": content}]),
        digest.canonical_json(sampling),
        replicate,
    )
    return Request(digest.request_id(body), body)


@pytest.fixture
def request_of() -> Callable[..., Request]:
    return make_request
