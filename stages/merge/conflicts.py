"""Adapter: what git says about the merge that has stopped with conflicts."""

import subprocess

from stages.contracts.errors import GraphEvaluatorError, InputError, Problem
from stages.generate.ledger.adoption import LOCK
from stages.shell import paths

SIDES = ("HEAD", "MERGE_HEAD")
"""The two commits that are merged: the branch here, and the other one."""
GENERATED = (LOCK.as_posix(), paths.RESULTS.as_posix())
_MARKER = ": leftover conflict marker"


def check_merge() -> None:
    """Check that a merge is under way and that only files which the pipeline writes are in conflict.

    Raises:
        InputError: no merge is under way, or an input has a conflict or conflict markers: all of them.
    """
    if _asked("rev-parse", "--quiet", "--verify", SIDES[1]).returncode:
        raise InputError([Problem("git", "", "no merge is under way here: run `git merge BRANCH` first")])
    resolve = "resolve it by hand and `git add` it, then run this again"
    names = filter(None, _git("diff", "--name-only", "--relative", "--diff-filter=U", "-z").split("\0"))
    found = {name: Problem(name, "", f"is in conflict: {resolve}") for name in names}
    for line in _asked("diff", "--check", "--relative", SIDES[0]).stdout.splitlines():
        if line.endswith(_MARKER):
            name, _, number = line.removesuffix(_MARKER).rpartition(":")
            found.setdefault(name, Problem(name, f"line {number}", f"has a conflict marker: {resolve}"))
    problems = [problem for name, problem in found.items() if not _is_generated(name)]
    if problems:
        raise InputError(problems)


def lock_of(side: str) -> str:
    """The text of a side's `dvc.lock`; "" when it has none."""
    return _asked("show", f"{side}:./{LOCK.as_posix()}").stdout


def take_ours() -> None:
    """Give the files that the pipeline writes the content that they have on the branch here."""
    _git("checkout", SIDES[0], "--", *(name for name in GENERATED if _git("ls-tree", SIDES[0], f"./{name}")))


def stage() -> None:
    """Add the files that the pipeline wrote to git's index."""
    _git("add", "--", *GENERATED)


def _is_generated(name: str) -> bool:
    return name == GENERATED[0] or name.startswith(f"{GENERATED[1]}/")


def _git(*arguments: str) -> str:
    done = _asked(*arguments)
    if done.returncode:
        raise GraphEvaluatorError(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout


def _asked(*arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    except OSError:
        raise GraphEvaluatorError("git is not installed, and this command needs it") from None
