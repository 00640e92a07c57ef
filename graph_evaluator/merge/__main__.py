"""`graph-evaluator merge`: rebuilds `dvc.lock` and the results after a merge of two branches that
both ran.

The answers of both sides go into the ledger, so the pipeline runs on the merged inputs without a
call.
"""

import subprocess
import sys

from graph_evaluator.generate.adoption import adopt_answers, committed_records
from graph_evaluator.generate.fetching import open_ledger
from graph_evaluator.generate.plan.loading import load_plan
from graph_evaluator.records.errors import GraphEvaluatorError, Problem, input_error, refuse
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import command_parser, run, say
from graph_evaluator.shell.inputs import load_params
from graph_evaluator.shell.numbers import counted, first_of
from graph_evaluator.shell.paths import environment_variables
from graph_evaluator.shell.repository import LOCK, ask_git, commit_being_merged, git_output

_INTRODUCTION = """\
When to use it: a merge, rebase or cherry-pick stopped, and dvc.lock or results/ are in conflict.
It writes them from the merged inputs with the answers of both sides, without a call."""
_CONTINUE = {
    "MERGE_HEAD": "git commit",
    "REBASE_HEAD": "git rebase --continue",
    "CHERRY_PICK_HEAD": "git cherry-pick --continue",
}
"""The command that goes on, by git's name of the commit that is merged into HEAD."""
_GENERATED = (LOCK.as_posix(), paths.RESULTS.as_posix())
_MARKER = ": leftover conflict marker"
_MAX_NAMED = 20


def main() -> None:
    """Adopt the answers of both sides, run the pipeline on the merged inputs, and stage the
    results.
    """
    parser = command_parser("merge", _INTRODUCTION, "", "--call")
    help_text = "call for answers that neither side has"
    parser.add_argument("--call", action="store_true", help=help_text)
    options = parser.parse_args()
    continue_command = check_merge()
    plan = load_plan(load_params(), environment_variables())
    with open_ledger(plan) as ledger:
        adoption = adopt_answers(plan.cells, ledger, committed_records())
    if adoption.real_calls and not options.call:
        files = [paths.response_file(call.cell).as_posix() for call in adoption.real_calls]
        lines = [first_of(files, _MAX_NAMED), *adoption.unread]
        raise GraphEvaluatorError(
            f"neither side has {counted(len(files), 'answer')} of the merged inputs; "
            "nothing was called or changed. `graph-evaluator merge --call` calls for them "
            "(forecast: `graph-evaluator generate --dry-run`):\n  " + "\n  ".join(lines)
        )
    _run_merged_inputs()
    outcome = "dvc.lock and results/ are those of the merged inputs, and staged"
    say(f"{outcome}: `{continue_command}`, then `dvc push` and `git push`")


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
    message = "is in conflict or has a conflict marker: resolve it by hand, `git add` it, run again"
    lock, results = _GENERATED
    refuse(
        Problem(name, "", message)
        for name in _conflicts()
        if name and name != lock and not name.startswith(f"{results}/")
    )
    return _CONTINUE[name]


def _conflicts() -> list[str]:
    """The files in conflict, and those that git takes as resolved and that contain a marker."""
    listing = git_output("diff", "--name-only", "--relative", "--diff-filter=U", "-z")
    checked = ask_git("diff", "--check", "--relative", "HEAD").stdout.splitlines()
    marked = [line.removesuffix(_MARKER) for line in checked if line.endswith(_MARKER)]
    return [*listing.split("\0"), *(line.rpartition(":")[0] for line in marked)]


def _run_merged_inputs() -> None:
    """Run the pipeline on the merged inputs, and stage `dvc.lock` and the results."""
    tracked = [name for name in _GENERATED if git_output("ls-tree", "HEAD", f"./{name}")]
    git_output("checkout", "HEAD", "--", *tracked)
    code = subprocess.run([sys.executable, "-m", "dvc", "repro"], check=False).returncode
    if code:
        fix = "fix what it says, then run `graph-evaluator merge` again"
        raise GraphEvaluatorError(f"dvc repro ended with {code}: {fix}")
    git_output("add", "--", *_GENERATED)


if __name__ == "__main__":
    run(main)
