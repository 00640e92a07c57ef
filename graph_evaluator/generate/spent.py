"""The answers that the ledger holds, by month, model and purpose, at today's prices."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from graph_evaluator.generate.batch.journal import open_batches
from graph_evaluator.generate.ledger.rows import stored_answer
from graph_evaluator.generate.ledger.store import Ledger
from graph_evaluator.generate.plan.call import address
from graph_evaluator.generate.planning import plan_models
from graph_evaluator.generate.prices import ModelPrices
from graph_evaluator.present.table import Column, Raw, Table, make_table
from graph_evaluator.present.terminal import open_console, show_table
from graph_evaluator.records.response import Usage
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import today
from graph_evaluator.shell.inputs import load_models, load_params
from graph_evaluator.shell.numbers import count, counted, first_of, money

Prices = Mapping[tuple[str, str], ModelPrices]
"""Prices by the name of a model and the address where it is called."""
_COLUMNS = (
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
_NOTES = (
    "input, output: tokens; cost: at today's prices; unpriced: calls of unknown cost, in no sum",
    "calls: answers, and replies that were probably paid for and cannot be used",
    "not included: failed calls without a reply, and answers in other ledgers",
)
_UNKNOWN = "purpose unknown: called by others, or by version 0.1 or 0.2"


def print_spent(variables: Mapping[str, str]) -> None:
    """Print what was paid for; InputError if a model config cannot be read."""
    models = plan_models(load_models(), load_params(), variables)
    prices = {(model.config.model, address(model.endpoint)): model.prices for model in models}
    console = open_console()
    with Ledger(paths.ledger_folder(), read_only=True) as ledger:
        table = spent_table(ledger, prices)
    console.print(*show_table(table, console.width), sep="\n")


def spent_table(ledger: Ledger, prices: Prices) -> Table:
    """A row for each month, model and purpose in a ledger, and one for all; no rows if nothing was
    paid for. Notes say what cannot be known.
    """
    day = today().isoformat()
    groups: defaultdict[tuple[str, str, str], list[tuple[Usage, float | None]]] = defaultdict(list)
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
            groups[group].append((measured.usage, usd))
    notes = list(_NOTES)
    if any(purpose == "unknown" for _, _, purpose in groups):
        notes.append(_UNKNOWN)
    if gone:
        named = first_of(sorted(gone))
        notes.append(f"price unknown, no config in models/ has model and address: {named}")
    for batch in open_batches(ledger.file.parent):
        calls = counted(len(batch.fingerprints), "call")
        notes.append(f"{batch.name}: {calls}, in no sum until a run collects them")
    rows = [[*group, *_sums(answers)] for group, answers in sorted(groups.items())]
    return make_table(_COLUMNS, rows, title=f"Paid answers in {ledger.file}", notes=notes, heads=3)


def _sums(answers: Sequence[tuple[Usage, float | None]]) -> list[Raw]:
    """The number of answers, their tokens, how many have no cost, and the cost of the others."""
    inputs = [usage.input_tokens for usage, _ in answers]
    outputs = [usage.output_tokens for usage, _ in answers]
    costs = [usd for _, usd in answers]
    return [len(answers), _total(inputs), _total(outputs), costs.count(None), _total(costs)]


def _total(values: Sequence[float | None]) -> float | None:
    """The sum of those that are known; None where none is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
