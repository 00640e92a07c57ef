"""Adapter: a merge of two branches that both ran: what is in conflict, whose answers to adopt, what
to run and stage.
"""

import subprocess
import sys
from collections.abc import Sequence

from stages.generate.plan.call import Call
from stages.shared.records.errors import GraphEvaluatorError, InputError, Problem, input_error
from stages.shared.shell import paths
from stages.shared.shell.dvc import LOCK
from stages.shared.shell.git import ask_git, commit_being_merged, git_output
from stages.shared.shell.numbers import counted

CONTINUE = {
    "MERGE_HEAD": "git commit",
    "REBASE_HEAD": "git rebase --continue",
    "CHERRY_PICK_HEAD": "git cherry-pick --continue",
}
"""The command that goes on, by git's name of the commit that is merged into HEAD."""
GENERATED = (LOCK.as_posix(), paths.RESULTS.as_posix())
MARKER = ": leftover conflict marker"
MAX_NAMED_CELLS = 20


def check_merge() -> str:
    """Check that a merge, a rebase or a cherry-pick is under way and that only files which the
    pipeline writes are in conflict; returns the command that goes on with it.

    Raises:
        InputError: there is no merge, or every other file that is in conflict.
    """
    name = commit_being_merged()
    if name is None:
        message = (
            "no merge is under way here, nor a rebase or cherry-pick: run `git merge BRANCH` "
            "first; after `git merge --abort` run `dvc checkout`"
        )
        raise input_error("git", "", message)
    problems = [problem for problem in _conflicts() if not _is_generated(problem.file)]
    if problems:
        raise InputError(problems)
    return CONTINUE[name]


def _conflicts() -> list[Problem]:
    """The files in conflict, then those that git takes as resolved and that hold a marker."""
    resolve = "resolve it by hand and `git add` it, then run this again"
    listing = git_output("diff", "--name-only", "--relative", "--diff-filter=U", "-z")
    names = listing.split("\0")
    problems = {name: Problem(name, "", f"is in conflict: {resolve}") for name in names if name}
    for line in ask_git("diff", "--check", "--relative", "HEAD").stdout.splitlines():
        if not line.endswith(MARKER):
            continue
        name, _, number = line.removesuffix(MARKER).rpartition(":")
        message = f"has a conflict marker: {resolve}"
        problems.setdefault(name, Problem(name, f"line {number}", message))
    return list(problems.values())


def _is_generated(name: str) -> bool:
    lock, results = GENERATED
    return name == lock or name.startswith(f"{results}/")


def refuse_calls(calls: Sequence[Call], unread: Sequence[str]) -> GraphEvaluatorError:
    """The error where nobody has an answer for the cells of these calls; `unread` says which
    records cannot be read.
    """
    cells = [call.cell for call in calls]
    files = [paths.response_file(cell) for cell in cells]
    names = [file.as_posix() for file in files[:MAX_NAMED_CELLS]]
    if len(files) > MAX_NAMED_CELLS:
        names.append(f"and {len(files) - MAX_NAMED_CELLS} more")
    lines = "".join(f"\n  {line}" for line in (*names, *unread))
    return GraphEvaluatorError(
        f"neither side has an answer for {counted(len(cells), 'cell')} of the merged inputs; "
        "nothing was called or changed. `graph-evaluator merge --call` calls them "
        f"(forecast: `graph-evaluator generate --dry-run`):{lines}"
    )


def run_merged_inputs() -> None:
    """Run the pipeline on the merged inputs, and stage `dvc.lock` and the results."""
    tracked = [name for name in GENERATED if git_output("ls-tree", "HEAD", f"./{name}")]
    git_output("checkout", "HEAD", "--", *tracked)
    code = subprocess.run([sys.executable, "-m", "dvc", "repro"], check=False).returncode
    if code:
        fix = "fix what it says, then run `graph-evaluator merge` again"
        raise GraphEvaluatorError(f"dvc repro ended with {code}: {fix}")
    git_output("add", "--", *GENERATED)
