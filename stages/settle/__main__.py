"""`python -m stages.settle --prompt A --prompt B --max-usd 5`: finds out which prompt or model is
better with as few calls as the question needs.
"""

import sys
from collections.abc import Sequence

from rich.text import Text

from stages.compare.verdict import EXIT_CODES
from stages.contracts.settlement import Settlement
from stages.generate.ledger.store import Ledger
from stages.generate.missing import ledger_to_read, missing_answers, say
from stages.generate.plan.call import Call
from stages.present.terminal import open_console, show_table
from stages.settle.options import parse_settle_options
from stages.settle.settling import Settling, check_calls
from stages.settle.sides import load_sides
from stages.settle.wording import closing_lines, plan_table
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
    if sides.left_out:
        say(f"note: {sides.left_out}")
    if options.dry_run:
        with ledger_to_read(sides.whole_plan) as (ledger, missing):
            settling = Settling(sides, options, ledger)
            _print_plan(settling, settling.begin(), missing)
        return 0
    with Ledger(environment.ledger_folder()) as ledger:
        settling = Settling(sides, options, ledger)
        missing = missing_answers(sides.whole_plan, ledger, variables)
        check_calls(missing, variables)
        settlement = settling.begin()
        _print_plan(settling, settlement, missing)
        settlement = settling.take_looks(settlement, variables, _print_line)
        advice = settling.advice(settlement)
    for line in closing_lines(settlement, advice):
        _print_line(line)
    return EXIT_CODES[settlement.verdict or "could not measure"]


def _print_plan(settling: Settling, settlement: Settlement, missing: Sequence[Call]) -> None:
    table = plan_table(
        settlement,
        settling.forecasts(missing),
        settling.answer_sd(),
    )
    console = open_console()
    for part in show_table(table, console.width):
        console.print(part)


def _print_line(line: str) -> None:
    """Print a line, on a terminal broken between words; a command, which is indented, stays
    whole.
    """
    console = open_console()
    is_whole = line.startswith("  ") or not console.is_terminal
    console.print(Text(line), soft_wrap=is_whole)


if __name__ == "__main__":
    run(main)
