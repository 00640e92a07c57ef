"""`graph-evaluator generate`: gets the missing answers and writes them to
`results/responses`, with the manifest of the run.
"""

import argparse
import asyncio
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby

from filelock import FileLock

from graph_evaluator.generate.batch.journal import open_batches
from graph_evaluator.generate.fetching import Fetcher, open_fetcher
from graph_evaluator.generate.forecast import reasons_missing
from graph_evaluator.generate.ledger.rows import stored_answer
from graph_evaluator.generate.ledger.store import Ledger
from graph_evaluator.generate.plan.call import Call, Variables, address
from graph_evaluator.generate.plan.cells import RunPlan
from graph_evaluator.generate.plan.loading import load_changed_plans, plan_models
from graph_evaluator.generate.prices import ModelPrices
from graph_evaluator.generate.recorded import RecordedModel, load_recorded
from graph_evaluator.generate.responses import ResponseWriter, manifest, write_run
from graph_evaluator.present.table import Column, Entry, Raw, Table, make_table
from graph_evaluator.records.errors import InputError
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import command_parser, run, say, today
from graph_evaluator.shell.inputs import (
    load_models,
    load_params,
    problems_of_files,
    same_text_notes,
)
from graph_evaluator.shell.numbers import count, counted, first_of, money
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
        print_spent(variables)
        return 0
    plan = load_chosen_plan(options, variables)
    recorded = load_recorded(plan)
    for model in recorded:
        say(f"note: {model.sentence}")
    for note in same_text_notes(plan.briefs):
        say(f"note: {note}")
    if options.dry_run:
        print_dry_run(plan, variables)
        return 0
    run_cells(plan, variables, recorded)
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
    parts = map(str.strip, text.split(","))
    return tuple(filter(None, parts))


def load_chosen_plan(options: argparse.Namespace, variables: Variables) -> RunPlan:
    """The run of `params.yaml`, with the values of the command line in their place.

    Raises:
        InputError: lists all problems, with those of all input files.
    """
    try:
        params = load_params()
    except InputError as error:
        raise InputError([*error.problems, *problems_of_files()]) from None
    change = {name: value for name in _KEYS if (value := getattr(options, name)) is not None}
    (plan,) = load_changed_plans(params, [change], params.generate.samples, variables)
    return plan


def run_cells(plan: RunPlan, variables: Variables, recorded: Sequence[RecordedModel]) -> None:
    """Fetch every missing answer of a run, write a response for each cell, recorded ones included,
    then the manifest.

    Raises:
        NotAnswered: no answer arrived, or one is missing and all are required.
    """
    writer = ResponseWriter(paths.RESPONSES)
    with open_fetcher(plan, variables) as fetcher:
        fetcher.announce(fetcher.missing())
        fetcher.intake.on_complete = partial(writer.write, failures={})
        failures = fetcher.fetch()
        writer.write_others(plan.cells, fetcher.ledger.read, failures)
        for model in recorded:
            writer.write_others(model.cells, model.answers.read, {})
        # Runs that wait for each other end together.
        with FileLock(fetcher.ledger.file.with_name("writing.lock")):
            run_manifest = manifest(
                plan,
                recorded={model.model.config.id: model.counts for model in recorded},
                answers=writer.answers_named(plan.models),
                responses_sha256=writer.publish(),
                git_sha=head_commit(),
            )
            write_run(paths.RUN, run_manifest)
    costs = fetcher.intake
    say("\n".join(writer.lines(costs.paid_usd.values(), costs.unusable_usd)))
    writer.check(require_all=plan.params.runtime.require_all)


_MODEL_COLUMNS = (
    Column("model", code=True),
    Column("answers", count),
    Column("stored", count),
    Column("calls", count),
    Column("up to", money),
)


def print_dry_run(plan: RunPlan, variables: Variables) -> None:
    """Print a summary by model, the forecast and the notes. Calls no model and writes nothing, not
    even a new ledger.
    """
    from graph_evaluator.present.terminal import open_console, show_table, show_text  # loads rich

    console = open_console()
    with open_fetcher(plan, variables, read_only=True) as fetcher:
        missing = fetcher.missing()
        lines = fetcher.announcement(missing)
        table = _summary_table(fetcher, missing)
    shown = [show_text(line, console.width) for line in lines]
    console.print(*show_table(table, console.width), *shown, sep="\n")


def _summary_table(fetcher: Fetcher, missing: Sequence[Call]) -> Table:
    """A row for each model: its cells, the stored ones, the calls to make and what these may cost,
    with why answers are missing; replies that were paid for and cannot be used are left out.
    """
    rows: list[list[Raw]] = []
    to_call = {call.fingerprint for call in missing}
    plan, stored = fetcher.plan, fetcher.ledger.requests() if missing else ()
    for model_id, of_model in groupby(plan.cells, key=lambda planned: planned.cell.model_id):
        cells = list(of_model)
        calls = [call for cell in cells for call in cell.calls if call.fingerprint in to_call]
        paid = [cell for cell in cells if fetcher.unusable.keys() & {*cell.fingerprints}]
        total = fetcher.forecast(calls)
        up_to = Entry("unknown") if total.unpriced else total.high_usd
        answers = len(cells) - len(calls) - len(paid)
        rows.append([model_id, len(cells), answers, len(calls), up_to])
    briefs = counted(len(plan.briefs), "brief")
    samples = counted(plan.params.generate.samples, "sample")
    title = f"Prompt {plan.prompt.path}, {briefs}, {samples}"
    reasons = Counter(reasons_missing(missing, stored))
    named = [f"{why} ({count(number)})" for why, number in reasons.most_common()]
    notes = [f"why answers are missing: {first_of(named)}"] if named else []
    return make_table(_MODEL_COLUMNS, rows, title=title, notes=notes)


_SPENT_COLUMNS = (
    Column("month", code=True),
    Column("model", code=True),
    Column("purpose", code=True),
    Column("calls", count),
    Column("input", count),
    Column("output", count),
    Column("unpriced", count),
    Column("cost", money),
)
_ALL = ("all", "", "")
_SPENT_NOTES = (
    "input, output: tokens; cost: at today's prices; unpriced: calls of unknown cost, in no sum",
    "calls: answers, and replies that were probably paid for and cannot be used",
    "not included: failed calls without a reply, and answers in other ledgers",
)
_UNKNOWN = "purpose unknown: called by others, or by version 0.1 or 0.2"


def print_spent(variables: Variables) -> None:
    """Print what was paid for; InputError if a model config cannot be read."""
    from graph_evaluator.present.terminal import open_console, show_table  # loads rich

    models = plan_models(load_models(), load_params(), variables)
    prices = {(model.config.model, address(model.endpoint)): model.prices for model in models}
    console = open_console()
    with Ledger(paths.ledger_folder(), read_only=True) as ledger:
        table = spent_table(ledger, prices)
    console.print(*show_table(table, console.width), sep="\n")


def spent_table(ledger: Ledger, prices: Mapping[tuple[str, str], ModelPrices]) -> Table:
    """A row for each month, model and purpose in a ledger, and one for all; no rows if nothing was
    paid for. `prices` are by the name of a model and its address. Notes say what cannot be known.
    """
    day = today().isoformat()
    groups: defaultdict[tuple[str, str, str], list[tuple[float | None, ...]]] = defaultdict(list)
    gone: set[str] = set()
    for row in ledger.rows():
        if row["endpoint"] == "simulated":
            continue
        measured, model = stored_answer(row).measured, row["model"]
        known = prices.get((model, row["endpoint"]))
        if known is None:
            gone.add(model)
        usd = known.cost(measured, day).usd if known else None
        purpose = (row["purpose"] or "unknown").partition(":")[0]
        for group in ((row["arrived_at"][:7], model, purpose), _ALL):
            groups[group].append((measured.usage.input_tokens, measured.usage.output_tokens, usd))
    notes = list(_SPENT_NOTES)
    if any(purpose == "unknown" for _, _, purpose in groups):
        notes.append(_UNKNOWN)
    if gone:
        named = first_of(sorted(gone))
        notes.append(f"price unknown, no config in models/ has model and address: {named}")
    for batch in open_batches(ledger.file.parent):
        calls = counted(len(batch.fingerprints), "call")
        notes.append(f"{batch.name}: {calls}, in no sum until a run collects them")
    rows: list[list[Raw]] = []
    for group, answers in sorted(groups.items()):
        inputs, outputs, costs = zip(*answers, strict=True)
        totals = [_total(inputs), _total(outputs), costs.count(None), _total(costs)]
        rows.append([*group, len(answers), *totals])
    title = f"Paid answers in {ledger.file}"
    return make_table(_SPENT_COLUMNS, rows, title=title, notes=notes, heads=3)


def _total(values: Sequence[float | None]) -> float | None:
    """The sum of those that are known; None where none is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


if __name__ == "__main__":
    run(main)
