"""A provider that answers every call, and a project with one model that it serves."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders.provider import CountingServer
from tests.generate.workspace import Workspace, model


@pytest.fixture
def server() -> Iterator[CountingServer]:
    with CountingServer() as server:
        yield server


@pytest.fixture
def workspace(tmp_path: Path, server: CountingServer) -> Workspace:
    return Workspace(tmp_path, model(url=server.url))
