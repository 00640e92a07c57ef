"""`python -m stages.settle --prompt A --prompt B --max-usd 5`: finds out which prompt or model is
better with as few calls as the question needs.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from functools import partial

from stages.compare.verdict import EXIT_CODES
from stages.contracts.settlement import Settlement
from stages.generate.ledger.store import Ledger
from stages.generate.missing import ledger_to_read, missing_answers, say
from stages.generate.plan.call import Call
from stages.present.terminal import open_console, show_table
from stages.settle.options import parse_settle_options
from stages.settle.settling import Settling, check_calls
from stages.settle.sides import load_sides
from stages.settle.wording import closing_lines, plan_heading, plan_notes, plan_table
from stages.shell import environment
from stages.shell.command import run
from stages.shell.inputs import load_params


def main() -> int:
    """Plan, then take look after look until the question is settled; the exit code states the
    verdict.
    """
    options = parse_settle_options(sys.argv[1:])
    variables = environment.variables()
    sides = load_sides(options, load_params(), variables)
    if options.dry_run:
        with ledger_to_read(sides.plan(options.looks[-1])) as (ledger, missing):
            settling = Settling(sides, options, ledger)
            _print_plan(settling, settling.begin(), missing, options)
        return 0
    with Ledger(environment.ledger_folder(), say) as ledger:
        settling = Settling(sides, options, ledger)
        missing = missing_answers(settling.whole_plan, ledger, variables)
        check_calls(missing, variables)
        settlement = settling.begin()
        _print_plan(settling, settlement, missing, options)
        print_now = partial(print, flush=True)
        settlement, pairing = settling.take_looks(settlement, variables, print_now)
    for line in closing_lines(settlement, settling.advice(settlement, pairing)):
        print(line)
    return EXIT_CODES[settlement.verdict or "could not measure"]


def _print_plan(
    settling: Settling, settlement: Settlement, missing: Sequence[Call], options: Namespace
) -> None:
    costs, console = settling.forecasts(missing), open_console()
    for line in plan_heading(settlement):
        print(line)
    for part in show_table(plan_table(settlement, costs), console.width):
        console.print(part)
    for line in plan_notes(settlement, costs, max_usd=options.max_usd):
        print(line)
    sys.stdout.flush()


if __name__ == "__main__":
    run(main)
