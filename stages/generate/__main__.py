"""`python -m stages.generate`: get every missing answer, write a response for each cell and the run manifest."""

import asyncio
import sys
from collections.abc import Mapping

from filelock import FileLock
from rich.console import Console

from stages.contracts.errors import NothingAnswered
from stages.generate.calls.fetch import Fetched
from stages.generate.ledger.store import Ledger
from stages.generate.missing import announce, forecaster_of, ledger_to_read, missing_answers, say
from stages.generate.options import chosen_params, load_plan, parse_options
from stages.generate.plan.cells import RunPlan
from stages.generate.preview.dry_run import StoredRequests, cell_table
from stages.generate.prices import Prices, published_for
from stages.generate.responses.files import manifest, write_responses, write_run
from stages.generate.responses.response import Outcome
from stages.shell import environment, paths
from stages.shell.command import run
from stages.shell.files import folder_sha256


def main() -> int:
    """Everything, from the settings to the files."""
    options = parse_options(sys.argv[1:])
    variables = environment.variables()
    if options.cancel_batches:
        from stages.generate.batch.submit import cancel_all  # loads the SDK

        return min(asyncio.run(cancel_all(environment.ledger_folder(), variables, say)), 1)
    plan = load_plan(chosen_params(options), variables)
    prices = Prices(published_for)
    if options.dry_run:
        _dry_run(plan, prices, variables)
        return 0
    folder = environment.ledger_folder()
    with Ledger(folder, say) as ledger:
        if ledger.was_empty and any(paths.RESPONSES.glob("*/*/*.json")):
            say(f"the ledger {ledger.file} is empty (0 bytes) although {paths.RESPONSES} has responses: it was emptied")
        missing = missing_answers(plan, ledger, prices, variables)
        fetched = Fetched()
        if missing:
            from stages.generate.pipeline import fetch_answers  # loads the SDK

            fetched = fetch_answers(plan, missing, ledger, prices, variables)
        outcome = Outcome(fetched, prices)
        with FileLock(folder / "writing.lock"):  # runs that wait for each other end at the same time
            write_responses(paths.RESPONSES, outcome.responses(plan.cells, ledger))
            made = manifest(plan.prompt, plan.models, plan.briefs, plan.params.generate)
            made = made.model_copy(update={"responses_sha256": folder_sha256(paths.RESPONSES)})
            write_run(paths.RUN, made, environment.head_commit())
    for line in outcome.lines():
        say(line)
    if not outcome.answered:
        reasons = "".join(f"\n  {message}" for message in outcome.commonest_messages())
        raise NothingAnswered(f"no cell has an answer; the commonest reason of each model:{reasons}")
    return 0


def _dry_run(plan: RunPlan, prices: Prices, variables: Mapping[str, str]) -> None:
    """Print every cell and the forecast; writes nothing, not even a new ledger."""
    from stages.generate.calls.model_listing import shutdown_days  # loads the SDK

    with ledger_to_read(plan) as (ledger, missing):
        forecaster = forecaster_of(plan, ledger, prices)
        stored = StoredRequests(ledger.requests() if missing else [])
        table = cell_table(plan.cells, missing, forecaster, stored)
        width = None if sys.stdout.isatty() else 200
        Console(width=width, highlight=False).print(table)
        listed = shutdown_days((endpoint for _, endpoint in plan.models), variables)
        announce(plan, missing, forecaster, prices, print, listed=listed)


if __name__ == "__main__":
    run(main)
