"""`python -m stages.improve --prompt A --by MODEL --max-usd 20`: proposes a better prompt and
proves it on briefs that nobody has looked at.
"""

import sys

from stages.contracts.errors import InputError, Problem
from stages.generate.calls.budget import Budget
from stages.generate.capped_answers import CappedAnswers
from stages.generate.ledger.store import Ledger
from stages.generate.missing import ledger_to_read, missing_answers
from stages.improve.improving import UNMEASURED, Improving
from stages.improve.options import parse_improve_options
from stages.improve.page import closing_lines, improvement_page
from stages.improve.planning import load_inputs, plan_search, usual_reflection
from stages.settle.settling import check_calls
from stages.shell import environment, paths
from stages.shell.command import run
from stages.shell.inputs import load_params
from stages.shell.pages import way_to_site, write_page


def main() -> int:
    """Print the plan, search, prove; the exit code says whether an improvement is proven."""
    options = parse_improve_options(sys.argv[1:])
    variables = environment.variables()
    inputs = load_inputs(options, load_params(), variables)
    with ledger_to_read(inputs.base) as (ledger, missing):
        plan = plan_search(inputs, options, missing, ledger)
    print("\n".join([*plan.lines, *(f"Note: {doubt}." for doubt in plan.doubts)]), flush=True)
    if options.dry_run:
        return 0
    if plan.doubts and not options.anyway:
        raise InputError([Problem("command line", "--anyway", doubt) for doubt in plan.doubts])
    check_calls([*inputs.calls("learn", "choose"), usual_reflection(inputs)], variables)
    with Ledger(environment.ledger_folder()) as ledger:
        missing_answers(inputs.base, ledger, variables)
        budget = Budget(options.max_usd, setting="--max-usd")
        answers = CappedAnswers(inputs.base.params.runtime, ledger, variables, budget)
        improvement = Improving(inputs, options, answers).improve()
    file = paths.RESULTS / "improve.html"
    page = improvement_page(improvement, site=way_to_site(file))
    write_page(file, page, f"A better prompt than {improvement.base}?")
    print("\n".join([*closing_lines(improvement), *improvement.commands]))
    if improvement.accepted:
        return 0
    return 4 if improvement.verdict == UNMEASURED else 3


if __name__ == "__main__":
    run(main)
