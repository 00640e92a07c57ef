"""`graph-evaluator merge`: after a conflict of two branches that both ran, writes `dvc.lock` and
the results of the merged inputs.

The answers of both sides go into the ledger, so the pipeline runs on the merged inputs without a
call.
"""

from argparse import ArgumentParser

from stages.commands.merge.merging import check_merge, refuse_calls, run_merged_inputs
from stages.generate.inputs import load_plan
from stages.generate.ledger.store import Ledger
from stages.generate.missing import adopt_answers, committed_records
from stages.shared.shell import paths
from stages.shared.shell.command import command_parser, run, say
from stages.shared.shell.files import environment_variables
from stages.shared.shell.inputs import load_params

_INTRODUCTION = """\
When to use it: a merge, rebase or cherry-pick stopped, and dvc.lock or results/ are in conflict.
It writes them from the merged inputs with the answers of both sides, without a call."""


def main() -> None:
    """Adopt the answers of both sides, run the pipeline on the merged inputs, and stage the
    results.
    """
    options = _parser().parse_args()
    continue_command = check_merge()
    plan = load_plan(load_params(), environment_variables())
    with Ledger(paths.ledger_folder()) as ledger:
        adoption = adopt_answers(plan, ledger, committed_records())
    if adoption.real_calls and not options.call:
        raise refuse_calls(adoption.real_calls, adoption.unread)
    run_merged_inputs()
    outcome = "dvc.lock and results/ are those of the merged inputs, and staged"
    say(f"{outcome}: `{continue_command}`, then `dvc push` and `git push`")


def _parser() -> ArgumentParser:
    parser = command_parser("merge", _INTRODUCTION, "", "--call")
    help_text = "call the models for cells that neither side has"
    parser.add_argument("--call", action="store_true", help=help_text)
    return parser


if __name__ == "__main__":
    run(main)
