"""Both commands in a clone whose path holds a space."""

import sys
import sysconfig
from pathlib import Path

import pytest

from tests.pipeline.project import Project, create

pytestmark = pytest.mark.pipeline

SETTINGS = """\
[tool.mypy]
files = ["tests/test_place.py"]
[tool.ruff]
line-length = 100
include = ["tests/test_place.py"]
"""


PASSING_TEST = """\
def test_the_path() -> None:
    assert " " in __file__
"""
OWN_CODE = ("env", "-u", "PYTHONPATH", "-u", "PYTHONSAFEPATH")
"""Before a command: it runs the clone's code, not that of this repository."""


@pytest.fixture
def with_a_space(tmp_path: Path) -> Project:
    """A project whose virtual environment has, by a link, the libraries of the one that the tests run in."""
    project = create(tmp_path / "with a space" / "clone", tmp_path / "home")
    for lock in ("requirements.lock", "requirements-dev.lock"):
        (project.folder / lock).write_text("# nothing to install\n", encoding="utf-8")
    project.run("make", "--silent", "setup", f"PYTHON={sys.executable}")
    (libraries,) = (project.folder / ".venv/lib").glob("*/site-packages")
    (libraries / "shared.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return project


def test_make_runs_the_pipeline(with_a_space: Project) -> None:
    with_a_space.set({"models": ["sim-careful"]})
    with_a_space.run(*OWN_CODE, "make")
    assert (with_a_space.folder / "results/site/index.html").exists()
    code, printed = with_a_space.attempt_dvc("status", "--quiet")
    assert code == 0, printed


def test_make_test_runs_the_linters_and_the_tests(with_a_space: Project) -> None:
    (with_a_space.folder / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    test = with_a_space.folder / "tests/test_place.py"
    test.parent.mkdir()
    test.write_text(PASSING_TEST, encoding="utf-8")
    assert "1 passed" in with_a_space.run(*OWN_CODE, "make", "test", "TESTS=tests")
