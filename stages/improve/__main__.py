"""`python -m stages.improve --prompt A --by MODEL --max-usd 20`: proposes a better prompt and proves
it on briefs that nobody has looked at.
"""

import sys
from functools import partial

from stages.compare.verdict import EXIT_CODES
from stages.contracts.errors import InputError, Problem
from stages.generate.ledger.store import Ledger
from stages.generate.missing import ledger_to_read, missing_answers, say
from stages.improve.improving import UNMEASURED, Improving
from stages.improve.inputs import PAGE_FILE, load_inputs
from stages.improve.options import parse_improve_options
from stages.improve.page import improvement_page
from stages.improve.planning import SearchPlan
from stages.improve.wording import closing_lines, plan_table, proof_lines
from stages.present.terminal import open_console, show_table
from stages.settle.settling import check_calls
from stages.shell import environment
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
        with ledger_to_read(plan.base_run) as (ledger, _):
            _print_plan(plan, ledger)
        return 0
    with Ledger(environment.ledger_folder(), say) as ledger:
        missing = missing_answers(plan.base_run, ledger, variables)
        check_calls([*missing, plan.reflection], variables)
        _print_plan(plan, ledger)
        doubts = [Problem("command line", "--anyway", doubt) for doubt in plan.doubts(ledger)]
        if doubts and not options.anyway:
            raise InputError(doubts)
        improving = Improving(inputs, options, ledger, variables, partial(print, flush=True))
        improvement = improving.improve()
    write_output(PAGE_FILE, improvement_page(improvement))
    for line in [*proof_lines(improvement), *closing_lines(improvement)]:
        print(line)
    if improvement.verdict == UNMEASURED:
        return EXIT_CODES["could not measure"]
    return EXIT_CODES["better" if improvement.accepted else "cannot tell"]


def _print_plan(plan: SearchPlan, ledger: Ledger) -> None:
    console = open_console()
    for part in show_table(plan_table(plan.steps(ledger)), console.width):
        console.print(part)
    for line in plan.notes(ledger):
        print(line)
    sys.stdout.flush()


if __name__ == "__main__":
    run(main)
