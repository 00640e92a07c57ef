"""Adapter: a merge of two branches that both ran: what is in conflict, whose answers to adopt, what
to run and stage.
"""

import subprocess
import sys
from collections.abc import Sequence

from stages.contracts.errors import GraphEvaluatorError, InputError, Problem
from stages.contracts.response import Cell
from stages.generate.ledger.adoption import adopt
from stages.generate.ledger.store import Ledger
from stages.generate.plan.cells import RunPlan, by_fingerprint
from stages.generate.plan.work import needed
from stages.shell import paths
from stages.shell.dvc import LOCK, NotFetched, responses_hash, stored_files
from stages.shell.git import ask_git, file_versions, git_output
from stages.shell.numbers import counted

MERGED_COMMITS = ("HEAD", "MERGE_HEAD")
"""The two commits that are merged: the branch here, and the other one."""
GENERATED = (LOCK.as_posix(), paths.RESULTS.as_posix())
MARKER = ": leftover conflict marker"
MAX_NAMED_CELLS = 20


def check_merge() -> None:
    """Check that a merge is under way and that only files which the pipeline writes are in
    conflict.

    Raises:
        InputError: there is no merge, or every other file that is in conflict.
    """
    if ask_git("rev-parse", "--quiet", "--verify", "MERGE_HEAD").returncode:
        message = "no merge is under way here: run `git merge BRANCH` first"
        raise InputError([Problem("git", "", message)])
    problems = [problem for problem in _conflicts() if not _is_generated(problem.file)]
    if problems:
        raise InputError(problems)


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


def adopt_both_sides(plan: RunPlan, ledger: Ledger) -> list[str]:
    """Add the answers of both commits to the ledger; returns a sentence for each that cannot be
    read.
    """
    unread = []
    for commit, lock in file_versions(MERGED_COMMITS, LOCK).items():
        md5 = responses_hash((lock or b"").decode("utf-8", errors="replace"))
        if md5 is None:
            continue
        try:
            adopt(stored_files(md5), by_fingerprint(plan.cells), ledger)
        except NotFetched as error:
            fix = "run `dvc push` where they were made"
            unread.append(f"the responses of {commit} cannot be read ({error}): {fix}")
    return unread


def paid_cells(plan: RunPlan, ledger: Ledger) -> list[Cell]:
    """The cells of the merged inputs that lack an answer and would be called at a provider."""
    missing = [call for call in needed(plan.cells, ledger) if not call.endpoint.simulated]
    return [call.cell for call in missing]


def refuse_calls(cells: Sequence[Cell], unread: Sequence[str]) -> GraphEvaluatorError:
    """The error where neither side has an answer for these cells; `unread` says which was not
    read.
    """
    files = [paths.response_file(cell.model_id, cell.brief_id, cell.sample) for cell in cells]
    names = [file.as_posix() for file in files[:MAX_NAMED_CELLS]]
    if len(files) > MAX_NAMED_CELLS:
        names.append(f"and {len(files) - MAX_NAMED_CELLS} more")
    lines = "".join(f"\n  {line}" for line in (*names, *unread))
    return GraphEvaluatorError(
        f"neither side has an answer for {counted(len(cells), 'cell')} of the merged inputs; "
        "nothing was called or changed. `python -m stages.merge --call` calls them "
        f"(forecast: `python -m stages.generate --dry-run`):{lines}"
    )


def run_merged_inputs() -> None:
    """Run the pipeline on the merged inputs, and stage `dvc.lock` and the results."""
    tracked = [name for name in GENERATED if git_output("ls-tree", "HEAD", f"./{name}")]
    git_output("checkout", "HEAD", "--", *tracked)
    code = subprocess.run([sys.executable, "-m", "dvc", "repro"], check=False).returncode
    if code:
        fix = "fix what it says, then run `python -m stages.merge` again"
        raise GraphEvaluatorError(f"dvc repro ended with {code}: {fix}")
    git_output("add", "--", *GENERATED)
