"""No time goes into looking for garbage while modules load, and none is left lying about after that."""

import contextlib
import gc
import subprocess
import sys
from pathlib import Path

from stages.shell.loading import uncollected

REPOSITORY = Path(__file__).parents[2]
COMMAND = """
import gc
before = gc.isenabled()
import stages.shell.interrupt
while_loading = gc.isenabled()
from stages.shell.command import run
def main():
    print(before, while_loading, gc.isenabled(), gc.get_freeze_count() > 0)
run(main)
"""


def test_a_block_that_loads_is_not_collected_in_and_what_was_before_comes_back() -> None:
    assert gc.isenabled()
    with contextlib.suppress(ImportError), uncollected():
        assert not gc.isenabled()
        raise ImportError
    assert gc.isenabled()
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_command_collects_again_from_its_first_step_on(tmp_path: Path) -> None:
    package = tmp_path / "stages" / "probe"
    package.mkdir(parents=True)
    (package / "__main__.py").write_text(COMMAND)
    (tmp_path / "stages" / "shell").symlink_to(REPOSITORY / "stages" / "shell")
    (tmp_path / "stages" / "contracts").symlink_to(REPOSITORY / "stages" / "contracts")
    told = subprocess.run(
        [sys.executable, "-m", "stages.probe"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["True", "False", "True", "True"]
