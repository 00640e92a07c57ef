import json
import shutil

import pytest

from tests.builders.provider import CountingServer
from tests.generate.workspace import model
from tests.pipeline.project import ANSWERED, Project, create


@pytest.fixture(scope="session")
def server():
    """A server that answers every call and counts them."""
    with CountingServer() as server:
        yield server


@pytest.fixture(scope="session")
def stored(server, tmp_path_factory):
    """A folder with a project after its first `dvc repro`, pushed to a git and a DVC remote beside it; only for copying.

    One of its models is simulated, the other one costs money and is answered by the server.
    """
    server.calls.clear()
    beside = tmp_path_factory.mktemp("stored")
    project = create(beside / "ann", beside / "home")
    add_model(project, "paid", server)
    project.set({"models": ["paid", "sim-careful"]})
    project.run("dvc repro")
    assert server.calls.total() == ANSWERED
    project.run("dvc remote add -q -d store ../store")
    project.commit()
    project.run("dvc push -q")
    project.run("git init -q --bare -b main ../origin.git")
    project.run("git remote add origin ../origin.git")
    project.run("git push -q -u origin main")
    return beside


@pytest.fixture
def project(stored, server, tmp_path):
    """The project that ran, with its remotes; no call is counted yet."""
    return copied(stored, server, tmp_path)


def copied(stored, server, folder):
    """A copy of a prepared project with what is beside it; the server counts from 0."""
    shutil.copytree(stored, folder / "team", symlinks=True)
    server.calls.clear()
    return Project(folder / "team/ann", folder / "team/home")


@pytest.fixture
def clone(project):
    """A colleague's fresh clone: nothing was pulled from the DVC remote."""
    beside = project.folder.parent
    project.run(f"git clone -q {beside / 'origin.git'} {beside / 'bob'}")
    return Project(beside / "bob", beside / "home")


def add_model(project, name, server):
    """Add the config of a model that costs money and is answered by the server."""
    config = model(name, url=server.url)
    (project / "models" / f"{name}.json").write_text(json.dumps(config))
