"""What the tests say at their end, in which order they run, how long one example of a property may take, how wide output is, and who commits."""

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
    """The slow tests come first in each of the halves that two processes begin with: those with dvc in one, those with a browser in the other, so that each prepares its own once."""
    piped, shown = (
        [item for item in items if item.get_closest_marker(name)]
        for name in ("pipeline", "browser")
    )
    slow = {*piped, *shown}
    others = [item for item in items if item not in slow]
    middle = max(0, len(items) // 2 - len(piped))
    items[:] = [*piped, *others[:middle], *shown, *others[middle:]]


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
