"""Both commands in a clone whose path holds a space."""

import sys
import sysconfig
from pathlib import Path

import pytest

from tests.pipeline.project import create

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


def test_both_commands_work_in_a_path_with_a_space(tmp_path: Path) -> None:
    """The virtual environment has, by a link, the libraries of the one that the tests run in."""
    project = create(tmp_path / "with a space" / "clone", tmp_path / "home")
    for lock in ("requirements.lock", "requirements-dev.lock"):
        (project.folder / lock).write_text("# nothing to install\n", encoding="utf-8")
    project.run("make", "--silent", "setup", f"PYTHON={sys.executable}")
    (libraries,) = (project.folder / ".venv/lib").glob("*/site-packages")
    (libraries / "shared.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    project.set({"models": ["sim-careful"]})
    project.run(*OWN_CODE, "make")
    assert (project.folder / "results/site/index.html").exists()
    code, printed = project.attempt_dvc("status", "--quiet")
    assert code == 0, printed

    (project.folder / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    test = project.folder / "tests/test_place.py"
    test.parent.mkdir()
    test.write_text(PASSING_TEST, encoding="utf-8")
    assert "1 passed" in project.run(*OWN_CODE, "make", "test", "TESTS=tests")
