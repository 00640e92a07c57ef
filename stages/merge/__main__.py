"""`python -m stages.merge`: after a conflict of two branches that both ran, write `dvc.lock` and the results of the merged inputs.

The answers of both sides go into the ledger, so the pipeline runs on the merged inputs without a call.
"""

import argparse
import subprocess
import sys

from stages.contracts.errors import GraphEvaluatorError, InputError, Problem
from stages.generate.inputs import load_plan
from stages.generate.ledger.adoption import (
    LOCK,
    NotFetched,
    adopt,
    recorded_hash,
    recorded_responses,
)
from stages.generate.ledger.store import Ledger
from stages.generate.missing import say
from stages.generate.plan.cells import RunPlan, by_fingerprint
from stages.generate.plan.draws import needed
from stages.shell import environment, paths
from stages.shell.command import run
from stages.shell.inputs import load_params
from stages.shell.numbers import counted

SIDES = ("HEAD", "MERGE_HEAD")
"""The two commits that are merged: the branch here, and the other one."""
GENERATED = (LOCK.as_posix(), paths.RESULTS.as_posix())
_MARKER = ": leftover conflict marker"
_MOST_NAMED = 20


def main() -> None:
    """Adopt the answers of both sides, run the pipeline on the merged inputs, and stage what it wrote."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.merge",
        description="After a `git merge` with conflicts: write dvc.lock and results/ from the merged inputs.",
    )
    parser.add_argument(
        "--call", action="store_true", help="call the models for cells that neither side has"
    )
    options = parser.parse_args()
    _check_merge()
    plan = load_plan(load_params(), environment.variables())
    with Ledger(environment.ledger_folder(), say) as ledger:
        unread = _adopt_both(plan, ledger)
        wanted = [call.cell for call in needed(plan.cells, ledger) if not call.endpoint.simulated]
    if wanted and not options.call:
        named = [
            paths.response_file(one.model_id, one.brief_id, one.sample).as_posix() for one in wanted
        ]
        if len(named) > _MOST_NAMED:
            named[_MOST_NAMED:] = [f"and {len(named) - _MOST_NAMED} more"]
        lines = "".join(f"\n  {line}" for line in (*named, *unread))
        raise GraphEvaluatorError(
            f"neither side has an answer for {counted(len(wanted), 'cell')} of the merged inputs; nothing was called or changed. "
            f"`python -m stages.merge --call` calls them (forecast: `python -m stages.generate --dry-run`):{lines}"
        )
    _git(
        "checkout",
        "HEAD",
        "--",
        *(name for name in GENERATED if _git("ls-tree", "HEAD", f"./{name}")),
    )
    code = subprocess.run([sys.executable, "-m", "dvc", "repro"], check=False).returncode
    if code:
        raise GraphEvaluatorError(
            f"dvc repro ended with {code}: fix what it says, then run `python -m stages.merge` again"
        )
    _git("add", "--", *GENERATED)
    say(
        "dvc.lock and results/ are those of the merged inputs, and staged: `git commit`, then `dvc push` and `git push`"
    )


def _check_merge() -> None:
    """Check that a merge is under way and that only files which the pipeline writes are in conflict."""
    if _ask_git("rev-parse", "--quiet", "--verify", "MERGE_HEAD").returncode:
        raise InputError(
            [Problem("git", "", "no merge is under way here: run `git merge BRANCH` first")]
        )
    resolve = "resolve it by hand and `git add` it, then run this again"
    names = filter(
        None, _git("diff", "--name-only", "--relative", "--diff-filter=U", "-z").split("\0")
    )
    found = {name: Problem(name, "", f"is in conflict: {resolve}") for name in names}
    for line in _ask_git("diff", "--check", "--relative", "HEAD").stdout.splitlines():
        if line.endswith(_MARKER):
            name, _, number = line.removesuffix(_MARKER).rpartition(":")
            found.setdefault(
                name, Problem(name, f"line {number}", f"has a conflict marker: {resolve}")
            )
    lock, results = GENERATED
    problems = [
        problem
        for name, problem in found.items()
        if name != lock and not name.startswith(f"{results}/")
    ]
    if problems:
        raise InputError(problems)


def _adopt_both(plan: RunPlan, ledger: Ledger) -> list[str]:
    unread: list[str] = []
    for side in SIDES:
        md5 = recorded_hash(_ask_git("show", f"{side}:./{LOCK.as_posix()}").stdout)
        try:
            if md5 is not None:
                adopt(recorded_responses(md5), by_fingerprint(plan.cells), ledger)
        except NotFetched as error:
            unread.append(
                f"the responses of {side} cannot be read ({error}): run `dvc push` where they were made"
            )
            say(unread[-1])
    return unread


def _git(*arguments: str) -> str:
    done = _ask_git(*arguments)
    if done.returncode:
        raise GraphEvaluatorError(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout


def _ask_git(*arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    except OSError:
        raise GraphEvaluatorError("git is not installed, and this command needs it") from None


if __name__ == "__main__":
    run(main)
