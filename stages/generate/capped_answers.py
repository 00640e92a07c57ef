"""Adapter: answers that a command asks for step by step, within one cap, which holds across runs
of the command.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from stages.generate.calls.faults import Fault
from stages.generate.calls.work import Budget
from stages.generate.inputs import missing_keys
from stages.generate.ledger.store import Ledger
from stages.generate.plan.call import Call
from stages.generate.plan.cells import PlannedCell, RunPlan
from stages.generate.plan.work import CellWork, needed
from stages.shared.records.brief import Prompt
from stages.shared.records.errors import InputError, Problem
from stages.shared.records.json_text import canonical
from stages.shared.records.params import RuntimeParams
from stages.shared.shell.text import visible


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
        spending = [row for row in self.ledger.spending() if row.purpose == self.budget.purpose]
        return sum(row.answers for row in spending), fsum(row.usd or 0.0 for row in spending)

    def fetch(self, cells: Sequence[PlannedCell]) -> Mapping[str, Fault]:
        """Make the calls that cells lack; why some have no answer then, by fingerprint."""
        missing = needed(cells, self.ledger)
        if not missing:
            return {}
        from stages.generate.pipeline import AnswerFetcher  # loads the SDK

        self.budget.count_earlier(self.ledger.spending())
        fetcher = AnswerFetcher(
            cells=CellWork(cells, self.ledger),
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
