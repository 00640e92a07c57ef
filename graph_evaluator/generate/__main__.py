"""`graph-evaluator generate`: gets the missing answers and writes them to
`results/responses`, with the manifest of the run.
"""

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence

from filelock import FileLock

from graph_evaluator.generate.fetching import open_fetcher
from graph_evaluator.generate.plan.cells import RunPlan
from graph_evaluator.generate.planning import load_changed_plans
from graph_evaluator.generate.recorded import RecordedModel, load_recorded
from graph_evaluator.generate.responses import ResponseFolder, ResponseWriter, manifest, write_run
from graph_evaluator.records.errors import InputError, NotAnswered
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import command_parser, run, say
from graph_evaluator.shell.inputs import load_params, problems_of_files, same_text_notes
from graph_evaluator.shell.numbers import counted
from graph_evaluator.shell.paths import environment_variables
from graph_evaluator.shell.repository import head_commit

_INTRODUCTION = """\
When to use it: before a run, to see its calls and their cost (--dry-run), or to see what was paid \
for (--spent). `dvc repro` runs it for you.
It sends each brief to each model of params.yaml, unless the answer is stored, and writes a \
response file for each answer."""
_EXAMPLES = ("", "--dry-run", "--dry-run --models 'gpt-*'", "--spent")
_NOTES = """\

to run with other settings: graph-evaluator run prompt=... 'models=[...]'

exit codes: 0 done (the last line counts missing answers); 1 no answer at all, or a missing one \
with runtime.require_all: true; 2 wrong input; 130 stopped."""
_KEYS = ("prompt", "models", "briefs")
"""The keys of `params.yaml` that options stand for."""


def main() -> int:
    """Run the cells that `params.yaml` describes, forecast them, cancel their batches, or
    print what was spent.
    """
    options = parse_generate_options(sys.argv[1:])
    variables = environment_variables()
    if options.cancel_batches:
        from graph_evaluator.generate.batch.collect import cancel_all  # loads the SDK

        refused = asyncio.run(cancel_all(paths.ledger_folder(), variables, say))
        return min(refused, 1)
    if options.spent:
        from graph_evaluator.generate.spent import print_spent  # loads rich

        print_spent(variables)
        return 0
    plan = load_chosen_plan(options, variables)
    recorded = load_recorded(plan)
    for model in recorded:
        say(f"note: {model.sentence}")
    for note in same_text_notes(plan.briefs):
        say(f"note: {note}")
    if options.dry_run:
        from graph_evaluator.generate.dry_run import print_dry_run  # loads rich

        print_dry_run(plan, variables)
        return 0
    written = run_cells(plan, variables, recorded)
    say("\n".join(written.lines()))
    check_answered(written, require_all=plan.params.runtime.require_all)
    return 0


def parse_generate_options(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of the command."""
    parser = command_parser("generate", _INTRODUCTION, *_EXAMPLES, notes=_NOTES)
    parser.allow_abbrev = False
    add = parser.add_argument
    dry_run = "show what is stored, the calls to make, and their tokens and cost; call nothing"
    add("--dry-run", action="store_true", help=dry_run)
    spent = "print what was paid for, by month, model and purpose; allows no other option"
    add("--spent", action="store_true", help=spent)
    cancel = "cancel all batches; the next run fetches finished answers; allows no other option"
    add("--cancel-batches", action="store_true", help=cancel)
    add("--prompt", metavar="PATH", help="with --dry-run: another prompt")
    for key in ("models", "briefs"):
        other = f"with --dry-run: other {key}, ids or patterns"
        add(f"--{key}", metavar="A,B", type=_split_list, help=other)
    options = parser.parse_args(arguments)
    if len(arguments) > 1 and (options.cancel_batches or options.spent):
        parser.error("--cancel-batches and --spent allow no other option")
    for name in _KEYS:
        if getattr(options, name) and not options.dry_run:
            parser.error(
                f"--{name} needs --dry-run; `graph-evaluator run` runs with other settings"
            )
    return options


def _split_list(text: str) -> tuple[str, ...]:
    parts = (part.strip() for part in text.split(","))
    return tuple(part for part in parts if part)


def load_chosen_plan(options: argparse.Namespace, variables: Mapping[str, str]) -> RunPlan:
    """The run of `params.yaml`, with the values of the command line in their place.

    Raises:
        InputError: lists all problems, with those of all input files.
    """
    try:
        params = load_params()
    except InputError as error:
        raise InputError([*error.problems, *problems_of_files()]) from None
    chosen = {name: getattr(options, name) for name in _KEYS}
    change = {name: value for name, value in chosen.items() if value is not None}
    (plan,) = load_changed_plans(params, [change], params.generate.samples, variables)
    return plan


def run_cells(
    plan: RunPlan, variables: Mapping[str, str], recorded: Sequence[RecordedModel]
) -> ResponseWriter:
    """Fetch every missing answer of a run, write a response for each cell, recorded ones included,
    then the manifest.
    """
    with open_fetcher(plan, variables) as fetcher, ResponseFolder(paths.RESPONSES) as responses:
        ledger = fetcher.ledger
        writer = ResponseWriter(responses)
        fetcher.announce(fetcher.missing())
        failures = fetcher.fetch(on_complete=writer.write_complete)
        costs = fetcher.intake
        writer.paid_usd, writer.unusable_usd = costs.paid_usd, costs.unusable_usd
        writer.write_others(plan.cells, ledger.read, failures)
        answers = writer.answers
        for model in recorded:
            writer.write_others(model.cells, model.answers.read, {})
        run_manifest = manifest(
            plan,
            recorded={model.model.config.id: model.counts for model in recorded},
            answers=answers,
            responses_sha256=responses.sha256,
            git_sha=head_commit(),
        )
        # Runs that wait for each other end together.
        with FileLock(ledger.file.with_name("writing.lock")):
            responses.publish()
            write_run(paths.RUN, run_manifest)
    return writer


def check_answered(written: ResponseWriter, *, require_all: bool) -> None:
    """Raise `NotAnswered`, with each model's most frequent reason, if no answer arrived, or if one
    is missing and all are required.
    """
    if written.answered and not (require_all and written.missing):
        return
    lack = "no model answered"
    if written.answered:
        answers = counted(written.missing, "answer is", "answers are")
        lack = f"runtime.require_all: {answers} missing"
    reasons = "".join(f"\n  {message}" for message in written.commonest_messages())
    raise NotAnswered(f"{lack}; the most frequent reason of each model:{reasons}")


if __name__ == "__main__":
    run(main)
