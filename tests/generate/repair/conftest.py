"""A provider that answers with valid graphs, and a project that sends all others back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders.provider import CountingServer, answer_body
from tests.generate.repair import repairing
from tests.generate.workspace import Workspace


@pytest.fixture
def server() -> Iterator[CountingServer]:
    answer = (200, answer_body(repairing.VALID))
    with CountingServer(lambda *_: answer, name=repairing.name_of) as server:
        yield server


@pytest.fixture
def project(tmp_path: Path, server: CountingServer) -> Workspace:
    return repairing.workspace(tmp_path, server.url)
