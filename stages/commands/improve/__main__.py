"""`graph-evaluator improve --prompt A --by MODEL --max-usd 20`: proposes a better prompt and
proves it on briefs that nobody has looked at.
"""

import sys

from stages.commands.improve.improving import closing_lines, improve
from stages.commands.improve.options import parse_improve_options
from stages.commands.improve.planning import load_inputs, plan_search, usual_reflection
from stages.generate.calls.budget import Budget
from stages.generate.capped_answers import CappedAnswers, check_calls
from stages.generate.ledger.store import Ledger
from stages.generate.missing import announce, ledger_to_read, missing_answers
from stages.shared.records.errors import InputError, Problem
from stages.shared.shell import environment, paths
from stages.shared.shell.command import run
from stages.shared.shell.files import write_record
from stages.shared.shell.inputs import load_params

EXIT_CODES = {"better": 0, "no improvement shown": 3, "could not measure": 4}


def main() -> int:
    """Print the plan, search, prove; the exit code says whether an improvement is proven."""
    options = parse_improve_options(sys.argv[1:])
    variables = environment.variables()
    inputs = load_inputs(options, load_params(), variables)
    with ledger_to_read(inputs.baseline) as (ledger, missing):
        lines, doubts = plan_search(inputs, options, missing, ledger)
    print("\n".join([*lines, *(f"Note: {doubt}." for doubt in doubts)]), flush=True)
    if options.dry_run:
        return 0
    if doubts and not options.anyway:
        raise InputError([Problem("command line", "--anyway", doubt) for doubt in doubts])
    check_calls([*inputs.calls("learn", "choose"), usual_reflection(inputs)], variables)
    with Ledger(environment.ledger_folder()) as ledger:
        announce(inputs.baseline, missing_answers(inputs.baseline, ledger, variables), ledger)
        runtime = inputs.baseline.params.runtime
        answers = CappedAnswers(runtime, ledger, variables, Budget(options.max_usd, inputs.purpose))
        improvement = improve(inputs, options, answers)
    write_record(paths.RESULTS / "improve.json", improvement)
    print("\n".join(closing_lines(improvement)))
    return EXIT_CODES[improvement.outcome.verdict]


if __name__ == "__main__":
    run(main)
