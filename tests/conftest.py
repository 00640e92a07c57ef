"""What the tests say at their end, how long one example of a property may take, and how wide output is."""

import os

from hypothesis import settings

# A slow machine is no failure of a property.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
# Lines of output are not broken; pytest-xdist sets it.
os.environ.pop("COLUMNS", None)


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
