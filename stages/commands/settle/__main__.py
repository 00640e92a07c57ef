"""`graph-evaluator settle --prompt A --prompt B --max-usd 5`: finds out which prompt or model is
better with as few calls as the question needs.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence

from stages.commands.compare.verdict import EXIT_CODES
from stages.commands.settle.options import parse_settle_options
from stages.commands.settle.settling import (
    Settling,
    analysis_line,
    closing_lines,
    earlier_note,
    plan_lines,
)
from stages.commands.settle.sides import SettleSides, load_sides
from stages.generate.calls.work import Budget
from stages.generate.capped_answers import CappedAnswers, check_calls, purpose_of
from stages.generate.forecast import Forecaster, announce
from stages.generate.ledger.store import Ledger
from stages.generate.missing import ledger_to_read, missing_answers
from stages.generate.plan.call import Call
from stages.shared.records.commands import Settlements
from stages.shared.shell import numbers, paths
from stages.shared.shell.command import run, show
from stages.shared.shell.files import environment_variables, read_record, write_record
from stages.shared.shell.inputs import load_params

FILE = paths.RESULTS / "settle.json"
_FIX = "earlier interim analyses are unknown: delete the file to go on"


def main() -> int:
    """Plan, then make one interim analysis after the other until the question is settled; the exit
    code states the verdict.
    """
    options = parse_settle_options(sys.argv[1:])
    variables = environment_variables()
    sides = load_sides(options, load_params(), variables)
    kept = read_record(FILE, Settlements, _FIX) or Settlements(settlements=())
    if options.dry_run:
        with ledger_to_read(sides.plan) as (ledger, missing):
            _print_plan(_settling(options, sides, ledger), missing, kept)
        return 0
    with Ledger(paths.ledger_folder()) as ledger:
        settling = _settling(options, sides, ledger)
        missing = missing_answers(sides.plan, ledger, variables)
        check_calls(missing, variables)
        notes = _print_plan(settling, missing, kept)
        announce(sides.plan, missing, ledger)
        for settlement in settling.settle():
            write_record(FILE, kept.with_last(settlement))
            if not settlement.stopped:
                show(analysis_line(settlement))
    show("\n".join(closing_lines(settlement, notes)))
    return EXIT_CODES[settlement.verdict]


def _settling(options: Namespace, sides: SettleSides, ledger: Ledger) -> Settling:
    plan = sides.plan
    purpose = purpose_of("settle", plan, sides.baseline.plan.prompt, sides.candidate.plan.prompt)
    runtime, variables = plan.params.runtime, environment_variables()
    answers = CappedAnswers(runtime, ledger, variables, Budget(options.max_usd, purpose))
    return Settling(sides, answers, options.samples, plan.params.compare.confidence)


def _print_plan(settling: Settling, missing: Sequence[Call], kept: Settlements) -> list[str]:
    """Print the plan; the notes on it that the result needs too."""
    plan, (calls, usd) = settling.plan(), settling.answers.paid()
    earlier = kept.earlier_analyses(plan)
    notes = [earlier_note(earlier)] if earlier else []
    paid = f"Called for this question so far: {calls:,} answers, {numbers.money(usd)}."
    forecaster = Forecaster(settling.answers.ledger.output_tokens)
    show("\n".join([*plan_lines(plan, missing, forecaster), paid, *notes]))
    return notes


if __name__ == "__main__":
    run(main)
