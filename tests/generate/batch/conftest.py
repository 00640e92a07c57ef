"""A service with the Batch API."""

import pytest

from tests.builders.batch_provider import BatchProvider
from tests.generate.batch_calls import Bench


@pytest.fixture
def service():
    with BatchProvider() as service:
        yield service


@pytest.fixture
def bench(tmp_path, service):
    return Bench(tmp_path, service)
