"""A service with the Batch API."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders.batch_provider import BatchProvider
from tests.generate.batch_calls import Bench


@pytest.fixture
def service() -> Iterator[BatchProvider]:
    with BatchProvider() as service:
        yield service


@pytest.fixture
def bench(tmp_path: Path, service: BatchProvider) -> Bench:
    return Bench(tmp_path, service)
