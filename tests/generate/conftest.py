"""A provider that answers every call, and a project with one model that it serves."""

import pytest

from tests.builders.provider import CountingServer
from tests.generate.workspace import Workspace, model


@pytest.fixture
def server():
    with CountingServer() as server:
        yield server


@pytest.fixture
def workspace(tmp_path, server):
    return Workspace(tmp_path, model(url=server.url))
