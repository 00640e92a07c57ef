"""Adapter: the answers that the ledger holds, by month, model and purpose. Nothing here writes, not
even a column that the ledger of an older version lacks.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from stages.generate.ledger.rows import (
    FILE,
    answer_of,
    connect_to_read,
    explained,
    find_damage,
    readable_rows,
)
from stages.generate.plan.endpoint import address, endpoint_of
from stages.generate.prices import ModelPrices, published_prices
from stages.shared.present.table import Column, Raw, Table, make_table
from stages.shared.present.terminal import open_console, show_table
from stages.shared.records.response import Answer, Usage
from stages.shared.shell.command import today
from stages.shared.shell.inputs import load_models
from stages.shared.shell.numbers import count, first_of, money

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
    "input, output: tokens; cost: at today's prices; unpriced: answers of unknown cost, in no sum",
    "purpose unknown: called by others, who may have paid, or by version 0.1 or 0.2",
    "not known here: calls without an answer, and what other ledgers hold",
)


def print_spent(folder: Path, variables: Mapping[str, str]) -> None:
    """Print what the ledger in a folder holds.

    Raises:
        InputError: a model config cannot be read.
        LedgerError: the ledger cannot be read at all.
    """
    console = open_console()
    table = spent_table(folder / FILE, current_prices(variables))
    console.print(*show_table(table, console.width), sep="\n")


def current_prices(variables: Mapping[str, str]) -> Prices:
    """The prices of the models in `models/` where they are called today."""
    prices: dict[tuple[str, str], ModelPrices] = {}
    for config in load_models():
        endpoint = endpoint_of(config, variables)
        prices[config.model, address(endpoint)] = ModelPrices(
            pricing=config.pricing,
            published=published_prices(config.provider, endpoint.url, config.model),
            requested_tier=config.params.service_tier,
            today=today(),
        )
    return prices


def spent_table(file: Path, prices: Prices) -> Table:
    """A row for each month, model and purpose in a ledger, and one for all; none where it holds no
    answer that was paid for. Notes say what cannot be known, and whether the ledger is damaged.
    """
    day = today().isoformat()
    groups: defaultdict[tuple[str, str, str], list[tuple[Usage, float | None]]] = defaultdict(list)
    notes, gone = list(_NOTES), set[str]()
    for purpose, model, answer in _answers(file, notes):
        known = prices.get((model, answer.endpoint or ""))
        if known is None:
            gone.add(model)
        usd = known.cost(answer, day).usd if known else None
        for group in (((answer.created_at or "")[:7], model, purpose), _ALL):
            groups[group].append((answer.usage, usd))
    if gone:
        named = first_of(sorted(gone))
        notes.append(f"no config in models/ has the model and its address, price unknown: {named}")
    rows = [[*group, *_sums(answers)] for group, answers in sorted(groups.items())]
    return make_table(_COLUMNS, rows, title=f"Paid answers in {file}", notes=notes, heads=3)


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


def _answers(file: Path, notes: list[str]) -> Iterator[tuple[str, str, Answer]]:
    """The answers that were paid for and can be read, each with its purpose and model; adds to the
    notes where some cannot.
    """
    if not file.exists():
        return
    with explained(file):
        damage = find_damage(file)
        with closing(connect_to_read(file)) as connection:
            for row in readable_rows(connection, file):
                if row["endpoint"] != "simulated":
                    purpose = dict(row).get("purpose") or "unknown"
                    yield purpose.partition(":")[0], row["model"], answer_of(row)
    if damage:
        notes.append(f"the ledger {file} is damaged ({damage}): what can be read is counted")
