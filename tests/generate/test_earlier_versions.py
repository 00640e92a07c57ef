"""A project that an earlier version wrote works unchanged: nothing is called, and no answer is read differently."""

import pytest

from tests.builders.cases import cases
from tests.generate.earlier_projects import EARLIER_VERSIONS, EarlierProject

OF_EACH_VERSION = pytest.mark.parametrize("version", EARLIER_VERSIONS, ids=str)


@OF_EACH_VERSION
@cases("ledger", {"from the ledger": True, "adopted from the responses": False})
def test_nothing_is_called_and_no_response_changes(tmp_path, version, ledger):
    project = EarlierProject(tmp_path, version, ledger=ledger)
    project.set_answered()
    before = project.answered_responses()
    forecast = project.run("--dry-run").stdout
    assert "nothing to call" in forecast
    done = project.run()
    assert done.returncode == 0, done.stderr
    assert version.outcome in done.stderr
    assert len(before) == version.cells
    assert project.answered_responses() == before
