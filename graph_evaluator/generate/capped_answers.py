"""Adapter: answers that a command asks for step by step, within one cap, which holds across runs
of the command.
"""

import hashlib
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import fsum

from graph_evaluator.generate.calls.faults import Fault
from graph_evaluator.generate.calls.work import Budget
from graph_evaluator.generate.forecast import announce
from graph_evaluator.generate.inputs import missing_keys
from graph_evaluator.generate.ledger.store import Ledger
from graph_evaluator.generate.missing import missing_answers
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.generate.plan.cells import CellWork, PlannedCell, RunPlan
from graph_evaluator.records.brief import Prompt
from graph_evaluator.records.errors import InputError, Problem
from graph_evaluator.records.json_text import canonical
from graph_evaluator.records.params import RuntimeParams
from graph_evaluator.shell.paths import ledger_folder
from graph_evaluator.shell.text import visible


class Unanswered(Exception):
    """A cell has no answer: its call failed, or was not made because of the cap."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(visible(f"{fault.status}: {fault.message}"))
        self.fault = fault


def purpose_of(command: str, plan: RunPlan, *prompts: Prompt) -> str:
    """What answers are called for, `COMMAND:HASH`: the same for the same prompts, models, briefs
    and round in any order, so that no other setting starts a new count.
    """
    inputs = [
        sorted(prompt.sha256 for prompt in prompts),
        sorted(model.config.id for model in plan.models),
        sorted(brief.body for brief in plan.briefs),
        plan.params.generate.round,
    ]
    return f"{command}:{hashlib.sha256(canonical(inputs)).hexdigest()[:12]}"


def add_cap(parser: ArgumentParser) -> None:
    """Add `--max-usd` and `--dry-run`."""
    cap = "hard cap on the cost of all calls together, over all runs of the command, US dollars"
    parser.add_argument("--max-usd", type=float, metavar="USD", help=cap)
    dry_run = "print the plan and stop; call and write nothing"
    parser.add_argument("--dry-run", action="store_true", help=dry_run)


def problems_of_cap(options: Namespace) -> Iterator[Problem]:
    """What is wrong with `--max-usd`; a dry run needs none."""
    if options.max_usd is None and not options.dry_run:
        meaning = "what all calls together may cost, US dollars (--dry-run shows the forecast)"
        yield Problem("command line", "--max-usd", f"is missing: {meaning}")
    if options.max_usd is not None and not 0 < options.max_usd < float("inf"):
        message = f"must be above 0, found {options.max_usd:g}"
        yield Problem("command line", "--max-usd", message)


def problems_of_model(option: str, name: str, plan: RunPlan) -> Iterator[Problem]:
    """What is wrong with an option that names the one model that a run calls."""
    if [model.config.id for model in plan.recorded] == [name]:
        message = f"{name} is recorded, and recorded models are never called"
        yield Problem("command line", option, message)
    elif [model.config.id for model in plan.models] != [name]:
        yield Problem("command line", option, f"must be the id of one model, found {name}")


def check_calls(missing: Sequence[Call], variables: Mapping[str, str]) -> None:
    """Check what calls within `--max-usd` need, before anything is written: keys and prices.

    Raises:
        InputError: lists all problems.
    """
    unpriced = {call.cell.model_id for call in missing if call.cost_upper_usd is None}
    message = "is missing: without a known price --max-usd cannot be kept"
    prices = [Problem(f"models/{model}.json", "pricing", message) for model in sorted(unpriced)]
    problems = [*missing_keys(missing, variables), *prices]
    if problems:
        raise InputError(problems)


def paid_for(purpose: str, ledger: Ledger) -> tuple[int, float]:
    """How many answers a purpose has called for in all runs, and what they cost, US dollars."""
    spending = [row for row in ledger.spending() if row.purpose == purpose]
    return sum(row.answers for row in spending), fsum(row.usd or 0.0 for row in spending)


@dataclass(frozen=True, slots=True)
class CappedAnswers:
    """Answers within the cap of a budget; what its purpose has cost is read from the ledger."""

    settings: RuntimeParams
    ledger: Ledger
    variables: Mapping[str, str]
    budget: Budget

    def paid(self) -> tuple[int, float]:
        """How many answers the purpose has called for in all runs, and what they cost, US
        dollars.
        """
        return paid_for(self.budget.purpose, self.ledger)

    def fetch(self, cells: Sequence[PlannedCell]) -> Mapping[str, Fault]:
        """Make the calls that cells lack; why some have no answer then, by fingerprint."""
        work = CellWork(cells, self.ledger)
        missing = work.next_calls()
        if not missing:
            return {}
        from graph_evaluator.generate.pipeline import AnswerFetcher  # loads the SDK

        self.budget.count_earlier(self.ledger.spending())
        fetcher = AnswerFetcher(
            cells=work,
            settings=self.settings,
            ledger=self.ledger,
            variables=self.variables,
            budget=self.budget,
        )
        fetcher.fetch(missing)
        return fetcher.failures

    def fetch_all(self, cells: Sequence[PlannedCell]) -> None:
        """Make the calls that cells lack.

        Raises:
            Unanswered: a cell has no answer then.
        """
        for fault in self.fetch(cells).values():
            raise Unanswered(fault)

    def fetch_text(self, cell: PlannedCell) -> str:
        """The text of the answer to a cell of one draw.

        Raises:
            Unanswered: it has none.
        """
        self.fetch_all([cell])
        (answer,) = self.ledger.read(cell.calls).values()
        return answer.raw_text or ""


@contextmanager
def capped_answers(
    plan: RunPlan, purpose: str, max_usd: float, variables: Mapping[str, str]
) -> Iterator[CappedAnswers]:
    """The answers that a run may need within a cap, and those that somebody has paid for; the
    ledger is open as long.
    """
    with Ledger(ledger_folder()) as ledger:
        announce(plan, missing_answers(plan, ledger, variables), ledger)
        yield CappedAnswers(plan.params.runtime, ledger, variables, Budget(max_usd, purpose))
