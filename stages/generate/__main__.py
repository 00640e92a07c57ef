"""`graph-evaluator generate`: gets every missing answer, and writes a response for each cell
and the run manifest.
"""

import asyncio
import sys
from collections.abc import Mapping, Sequence

from filelock import FileLock

from stages.generate.calls.budget import Budget
from stages.generate.inputs import unused_keys
from stages.generate.ledger.store import Ledger
from stages.generate.missing import (
    announcement,
    missing_answers,
    missing_keys,
    notes_on_settings,
)
from stages.generate.options import load_chosen_plan, parse_generate_options
from stages.generate.plan.cells import RunPlan
from stages.generate.plan.work import CellWork
from stages.generate.recorded_models import RecordedModel, load_recorded
from stages.generate.responses.files import ResponseFolder, manifest, write_run
from stages.generate.responses.response import ResponseWriter
from stages.generate.responses.summary import Fetched, RunSummary
from stages.shared.records.errors import InputError, NotAnswered
from stages.shared.shell import paths
from stages.shared.shell.command import run, say
from stages.shared.shell.files import environment_variables
from stages.shared.shell.git import head_commit
from stages.shared.shell.numbers import counted


def main() -> int:
    """Run the cells that `params.yaml` describes, forecast them, cancel their batches, or
    print what was spent.
    """
    options = parse_generate_options(sys.argv[1:])
    variables = environment_variables()
    if options.cancel_batches:
        from stages.generate.batch.collect import cancel_all  # loads the SDK

        refused = asyncio.run(cancel_all(paths.ledger_folder(), variables, say))
        return min(refused, 1)
    if options.spent:
        from stages.generate.spent import print_spent  # loads rich

        print_spent(paths.ledger_folder(), variables)
        return 0
    plan = load_chosen_plan(options, variables)
    for name in unused_keys(plan, variables):
        fix = "name others in `models` of params.yaml"
        say(f"note: {name} is set, but all models that this run calls are simulated: {fix}")
    recorded = load_recorded(plan)
    for model in recorded:
        say(f"note: {model.sentence}")
    if options.dry_run:
        from stages.generate.dry_run import print_dry_run  # loads rich

        print_dry_run(plan, with_cells=options.cells)
        return 0
    summary = run_cells(plan, variables, recorded)
    for line in summary.lines():
        say(line)
    check_answered(summary, require_all=plan.params.runtime.require_all)
    return 0


def run_cells(
    plan: RunPlan, variables: Mapping[str, str], recorded: Sequence[RecordedModel]
) -> RunSummary:
    """Fetch every missing answer of a run, write a response for each cell, recorded ones included,
    then the manifest.
    """
    folder = paths.ledger_folder()
    lock = FileLock(folder / "writing.lock")  # runs that wait for each other end together
    with Ledger(folder) as ledger, ResponseFolder(paths.RESPONSES, lock) as responses:
        writer = ResponseWriter(responses)
        fetched = _fetch_missing(plan, ledger, writer, variables)
        writer.write_others(plan.cells, ledger, fetched.failures)
        answers = writer.summary.answers
        for model in recorded:
            writer.write_others(model.cells, model.answers, {})
        models = (*plan.models, *plan.recorded)
        run_manifest = manifest(
            plan.prompt,
            models,
            plan.briefs,
            plan.params.generate,
            recorded={model.model.config.id: model.counts for model in recorded},
            answers=answers,
            responses_sha256=responses.sha256,
            git_sha=head_commit(),
        )
        with lock:
            responses.publish()
            write_run(paths.RUN, run_manifest)
    writer.summary.paid_usd = fetched.paid_usd
    return writer.summary


def _fetch_missing(
    plan: RunPlan, ledger: Ledger, writer: ResponseWriter, variables: Mapping[str, str]
) -> Fetched:
    missing = missing_answers(plan, ledger, variables)
    if not missing:
        return Fetched()
    from stages.generate.pipeline import AnswerFetcher  # loads the SDK

    if problems := missing_keys(missing, variables):
        raise InputError(problems)
    for note in notes_on_settings():
        say(note)
    say("\n".join(announcement(plan, missing, ledger)))
    runtime = plan.params.runtime
    fetcher = AnswerFetcher(
        cells=CellWork(plan.cells, ledger, writer.write_complete),
        settings=runtime,
        ledger=ledger,
        variables=variables,
        budget=Budget(runtime.max_cost_usd),
    )
    return fetcher.fetch(missing)


def check_answered(summary: RunSummary, *, require_all: bool) -> None:
    """Raise `NotAnswered`, with each model's commonest reason, when no cell has an answer, or not
    every cell where all are required.
    """
    if summary.answered and not (require_all and summary.missing):
        return
    lack = "no cell has an answer"
    if summary.answered:
        lack = (
            f"runtime.require_all: {counted(summary.missing, 'cell has', 'cells have')} no answer"
        )
    reasons = "".join(f"\n  {message}" for message in summary.commonest_messages())
    raise NotAnswered(f"{lack}; the commonest reason of each model:{reasons}")


if __name__ == "__main__":
    run(main)
