import shutil
from pathlib import Path

import pytest

from tests.pipeline.project import Project, create


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project after its first `dvc repro`, committed; only for copying."""
    folder = tmp_path_factory.mktemp("finished")
    project = create(folder / "project", folder / "home")
    project.dvc("repro")
    project.commit()
    return project


@pytest.fixture
def project(finished: Project, tmp_path: Path) -> Project:
    """A project of its own after its first `dvc repro`, committed."""
    shutil.copytree(finished.folder, tmp_path / "project", symlinks=True)
    (tmp_path / "home").mkdir()
    return Project(tmp_path / "project", tmp_path / "home")
