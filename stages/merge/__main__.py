"""`python -m stages.merge`: after a conflict of two branches that both ran, write `dvc.lock` and the results of the merged inputs.

The answers of both sides go into the ledger, so the pipeline runs on the merged inputs without a call.
"""

import argparse
import subprocess
import sys

from stages.contracts.errors import GraphEvaluatorError
from stages.generate.inputs import load_plan
from stages.generate.ledger.adoption import NotFetched, adopt, recorded_hash, recorded_responses
from stages.generate.ledger.store import Ledger
from stages.generate.plan.cells import RunPlan, by_fingerprint
from stages.generate.plan.draws import needed
from stages.merge.conflicts import SIDES, check_merge, lock_of, stage, take_ours
from stages.shell import environment
from stages.shell.command import run
from stages.shell.inputs import load_params
from stages.shell.numbers import counted
from stages.shell.paths import response_file

_MOST_NAMED = 20


def main() -> None:
    """Adopt the answers of both sides, run the pipeline on the merged inputs, and stage what it wrote."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.merge",
        description="After a `git merge` with conflicts: write dvc.lock and results/ from the merged inputs.",
    )
    parser.add_argument("--call", action="store_true", help="call the models for cells that neither side has")
    options = parser.parse_args()
    check_merge()
    plan = load_plan(load_params(), environment.variables())
    with Ledger(environment.ledger_folder(), _say) as ledger:
        unread = _adopt_both(plan, ledger)
        wanted = [call.cell for call in needed(plan.cells, ledger) if not call.planned.model.simulated]
        missing = [response_file(cell.model_id, cell.brief_id, cell.sample).as_posix() for cell in wanted]
    if missing and not options.call:
        named = missing[:_MOST_NAMED] + (
            [f"and {len(missing) - _MOST_NAMED} more"] if len(missing) > _MOST_NAMED else []
        )
        lines = "".join(f"\n  {line}" for line in (*named, *unread))
        raise GraphEvaluatorError(
            f"neither side has an answer for {counted(len(missing), 'cell')} of the merged inputs; nothing was called or changed. "
            f"`python -m stages.merge --call` calls them (forecast: `python -m stages.generate --dry-run`):{lines}"
        )
    take_ours()
    code = subprocess.run([sys.executable, "-m", "dvc", "repro"], check=False).returncode
    if code:
        raise GraphEvaluatorError(
            f"dvc repro ended with {code}: fix what it says, then run `python -m stages.merge` again"
        )
    stage()
    _say(
        "dvc.lock and results/ are those of the merged inputs, and staged: `git commit`, then `dvc push` and `git push`"
    )


def _adopt_both(plan: RunPlan, ledger: Ledger) -> list[str]:
    """Add the answers of both sides to the ledger; returns a sentence for each side whose answers cannot be read."""
    unread: list[str] = []
    for side in SIDES:
        md5 = recorded_hash(lock_of(side))
        try:
            if md5 is not None:
                adopt(recorded_responses(md5), by_fingerprint(plan.cells), ledger)
        except NotFetched as error:
            unread.append(f"the responses of {side} cannot be read ({error}): run `dvc push` where they were made")
            _say(unread[-1])
    return unread


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    run(main)
