"""One site on disk and one browser for all tests of a process."""

import os

import pytest

from tests.browser.chromium import chromium, missing
from tests.browser.written_site import write_site


@pytest.fixture(name="folder", scope="session")
def _folder(tmp_path_factory):
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(name="site", scope="session")
def _site(folder):
    """The folder of a site whose models wrote hostile things."""
    return write_site(folder / "site")


@pytest.fixture(scope="session")
def _session(folder):
    absent = missing()
    if absent and os.environ.get("CI"):
        pytest.fail(absent)
    if absent:
        pytest.skip(absent)
    with chromium(folder) as browser:
        yield browser


@pytest.fixture(name="browser")
def _browser(_session):
    """A browser in light colours at the size of a laptop, whose console has been read."""
    _session.media()
    _session.size(1280, 800)
    _session.complaints()
    _session.asked_for()
    yield _session
    _session.command("Emulation.setScriptExecutionDisabled", value=False)
