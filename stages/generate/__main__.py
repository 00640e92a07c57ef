"""`python -m stages.generate`: get every missing answer, write a response for each cell and the run
manifest.
"""

import asyncio
import sys

from stages.generate.inputs import load_plan, unused_keys
from stages.generate.missing import say
from stages.generate.options import load_chosen_params, parse_generate_options
from stages.generate.recorded_models import load_recorded
from stages.generate.run_cells import check_answered, run_cells
from stages.shell import environment
from stages.shell.command import run


def main() -> int:
    """Run the cells that `params.yaml` describes, forecast them, or cancel their batches."""
    options = parse_generate_options(sys.argv[1:])
    variables = environment.variables()
    if options.cancel_batches:
        from stages.generate.batch.submit import cancel_all  # loads the SDK

        refused = asyncio.run(cancel_all(environment.ledger_folder(), variables, say))
        return min(refused, 1)
    plan = load_plan(load_chosen_params(options), variables)
    for name in unused_keys(plan, variables):
        say(
            f"note: {name} is set, but all models are simulated: name others in `models` of params.yaml"
        )
    recorded = load_recorded(plan)
    for model in recorded:
        say(f"note: {model.sentence}")
    if options.dry_run:
        from stages.generate.dry_run import print_dry_run  # loads the SDK

        print_dry_run(plan, variables)
        return 0
    summary = run_cells(plan, variables, recorded)
    for line in summary.lines():
        say(line)
    check_answered(summary, require_all=plan.params.runtime.require_all)
    return 0


if __name__ == "__main__":
    run(main)
