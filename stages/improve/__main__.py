"""`python -m stages.improve --prompt A --by MODEL --max-usd 20`: proposes a better prompt and proves
it on briefs that nobody has looked at.
"""

import sys
from collections.abc import Sequence
from functools import partial

from stages.compare.verdict import EXIT_CODES
from stages.contracts.errors import InputError, Problem
from stages.generate.ledger.store import Ledger
from stages.generate.missing import ledger_to_read, missing_answers, say
from stages.generate.plan.call import Call
from stages.improve.improving import UNMEASURED, Improving
from stages.improve.inputs import load_inputs
from stages.improve.options import parse_improve_options
from stages.improve.page import closing_lines, improvement_page
from stages.improve.planning import SearchPlan
from stages.present.terminal import open_console, show_table
from stages.settle.settling import check_calls
from stages.shell import environment, paths
from stages.shell.command import run
from stages.shell.files import write_output
from stages.shell.inputs import load_params


def main() -> int:
    """Print the plan, search, prove; the exit code says whether an improvement is proven."""
    options = parse_improve_options(sys.argv[1:])
    variables = environment.variables()
    inputs = load_inputs(options, load_params(), variables)
    plan = SearchPlan(inputs, options)
    if options.dry_run:
        with ledger_to_read(plan.base_run) as (ledger, missing):
            _print_plan(plan, missing, ledger)
        return 0
    with Ledger(environment.ledger_folder(), say) as ledger:
        missing = missing_answers(plan.base_run, ledger, variables)
        check_calls([*missing, plan.reflection], variables)
        doubts = _print_plan(plan, missing, ledger)
        if doubts and not options.anyway:
            raise InputError([Problem("command line", "--anyway", doubt) for doubt in doubts])
        improving = Improving(inputs, options, ledger, variables, partial(print, flush=True))
        improvement = improving.improve()
    write_output(paths.RESULTS / "improve.html", improvement_page(improvement))
    for line in closing_lines(improvement):
        print(line)
    if improvement.verdict == UNMEASURED:
        return EXIT_CODES[UNMEASURED]
    return EXIT_CODES["better" if improvement.accepted else "cannot tell"]


def _print_plan(plan: SearchPlan, missing: Sequence[Call], ledger: Ledger) -> list[str]:
    """Print the plan; gives why the search may not be worth its cost."""
    console, gain = open_console(), plan.gain(ledger)
    for part in show_table(plan.table(missing, ledger), console.width):
        console.print(part)
    for line in plan.notes(gain):
        print(line)
    sys.stdout.flush()
    return plan.doubts(gain)


if __name__ == "__main__":
    run(main)
