"""A service with the Batch API."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.generate.batch_calls import Bench
from tests.generate.batch_server import BatchServer


@pytest.fixture
def service() -> Iterator[BatchServer]:
    with BatchServer() as service:
        yield service


@pytest.fixture
def bench(tmp_path: Path, service: BatchServer) -> Bench:
    return Bench(tmp_path, service)
