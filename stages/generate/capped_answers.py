"""Adapter: answers that are asked for step by step, each from the ledger or called within one
cap.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stages.contracts.params import RuntimeParams
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import Fault
from stages.generate.ledger.store import Ledger
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.work import CellWork, cell_states, needed
from stages.shell.text import visible


class Unanswered(Exception):
    """A cell has no answer: its call failed, or was not made because of the cap."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(visible(f"{fault.status}: {fault.message}"))
        self.fault = fault


@dataclass(frozen=True, slots=True)
class CappedAnswers:
    """Answers within a cap.

    `paid` has the cost of every answer that was used, by fingerprint, whoever paid for it; so the
    same steps, repeated, count the same.
    """

    settings: RuntimeParams
    ledger: Ledger
    variables: Mapping[str, str]
    budget: Budget
    paid: dict[str, float] = field(default_factory=dict)

    @property
    def usd(self) -> float:
        """What the answers cost, US dollars."""
        return sum(self.paid.values())

    def fetch(self, cells: Sequence[PlannedCell]) -> None:
        """Make the calls that cells lack.

        Raises:
            Unanswered: a cell has no answer then.
        """
        self._count(cells)
        missing = needed(cells, self.ledger)
        if not missing:
            return
        from stages.generate.pipeline import fetch_work  # loads the SDK

        self.budget.spent_usd = max(self.budget.spent_usd, self.usd)
        work = CellWork(cells, self.ledger)
        fetched = fetch_work(work, missing, self.settings, self.ledger, self.variables, self.budget)
        self._count(cells)
        for fault in fetched.failures.values():
            raise Unanswered(fault)

    def fetch_text(self, cell: PlannedCell) -> str:
        """The text of the answer to a cell of one draw.

        Raises:
            Unanswered: it has none.
        """
        self.fetch([cell])
        (answer,) = self.ledger.read(cell.fingerprints).values()
        return answer.content.raw_text

    def _count(self, cells: Sequence[PlannedCell]) -> None:
        """Take the stored answers into account, each once."""
        for state in cell_states(cells, self.ledger):
            for draw in state.draws:
                usd = state.planned.model.prices.cost(draw.answer).usd
                self.paid[draw.answer.fingerprint] = usd or 0.0
