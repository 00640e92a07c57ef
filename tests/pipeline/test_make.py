"""Both commands in a clone whose path holds a space."""

import sys
import sysconfig

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
OWN_CODE = "env -u PYTHONPATH -u PYTHONSAFEPATH"
"""Before a command: it runs the clone's code, not that of this repository."""


def test_both_commands_work_in_a_path_with_a_space(tmp_path):
    """The virtual environment has, by a link, the libraries of the one that the tests run in."""
    project = create(tmp_path / "with a space/clone", tmp_path / "home")
    for lock in ("requirements.lock", "requirements-dev.lock"):
        (project / lock).write_text("# nothing to install\n")
    installed = sysconfig.get_path("purelib")
    setup = f"PYTHONPATH='{installed}' make --silent setup PYTHON='{sys.executable}'"
    assert project.run(setup) == ""
    (libraries,) = (project / ".venv/lib").glob("*/site-packages")
    (libraries / "shared.pth").write_text(installed)
    assert "compare" in project.run(f"{OWN_CODE} .venv/bin/graph-evaluator")
    project.set({"models": ["sim-careful"]})
    project.run(f"{OWN_CODE} make")
    assert (project / "results/site/index.html").exists()
    assert "up to date" in project.run("dvc status")

    (project / "pyproject.toml").write_text(SETTINGS)
    (project / ".venv/run.stamp").touch()
    test = project / "tests/test_place.py"
    test.parent.mkdir()
    test.write_text(PASSING_TEST)
    assert "1 passed" in project.run(f"{OWN_CODE} make test TESTS=tests")
