"""What the tests say at their end, which come first, how long one example of a property may take, how wide output is, and who commits."""

import os
import sys

from hypothesis import settings

# A slow machine is no failure of a property.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
# Many tests start Python: its modules are compiled once.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Lines of output are not broken; pytest-xdist sets it.
os.environ.pop("COLUMNS", None)
# Git works alike for everybody, also in a hook of git.
for variable in [name for name in os.environ if name.startswith("GIT_")]:
    del os.environ[variable]
for role in ("GIT_AUTHOR", "GIT_COMMITTER"):
    os.environ |= {f"{role}_NAME": "A test", f"{role}_EMAIL": "test@example.org"}


def pytest_collection_modifyitems(items):
    """The slowest come first, in the process that prepares their projects."""
    items.sort(key=lambda item: item.get_closest_marker("pipeline") is None)


def pytest_terminal_summary(terminalreporter):
    """One line on the tests that were skipped for want of a browser."""
    skipped = [
        report
        for report in terminalreporter.stats.get("skipped", [])
        if report.nodeid.startswith("tests/browser/")
    ]
    if skipped:
        _, _, reason = skipped[0].longrepr
        terminalreporter.write_line(
            f"{len(skipped)} tests of pages: {reason.removeprefix('Skipped: ')}"
        )
