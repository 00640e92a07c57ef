"""Adapter: the answers that a search asks for, each from the ledger or called within the cap."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stages.contracts.brief import Brief, Expectations, Prompt
from stages.contracts.errors import NotAnswered
from stages.contracts.improvement import ImprovementEnding
from stages.contracts.params import GenerateParams
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import Fault
from stages.generate.ledger.store import Ledger
from stages.generate.plan.cells import PlannedCell, RunPlan, plan_cells
from stages.generate.plan.models import PlannedModel
from stages.generate.plan.work import CellWork, cell_states, needed
from stages.generate.responses.response import responses_of
from stages.improve.reflection import INSTRUCTIONS, Graded
from stages.score import Scorer
from stages.settle.settling import NOT_CALLED
from stages.shell.text import visible

REFLECTION = "reflection"
"""The brief of the cells whose answers are proposals."""


class SearchStopped(NotAnswered):
    """Calls that the search needs were not answered, or not made because of the cap."""

    def __init__(self, fault: Fault) -> None:
        message = visible(f"{fault.status}: {fault.message}")
        super().__init__(f"{message}; the same command continues")
        is_capped = fault.status == "budget_stopped"
        self.ending: ImprovementEnding = "budget" if is_capped else "failures"


def prompt_of(path: str, text: str) -> Prompt:
    """A prompt that need not be in a file."""
    return Prompt(path, text, hashlib.sha256(text.encode()).hexdigest())


def reflection_cell(proposer: PlannedModel, request: str, number: int) -> PlannedCell:
    """The cell of a request to the proposer, which is made for the `number`-th time in a search."""
    instructions = prompt_of(REFLECTION, INSTRUCTIONS)
    brief = Brief(REFLECTION, Expectations(), request, "")
    settings = GenerateParams.model_validate({"samples": number})
    return plan_cells([proposer], instructions, [brief], settings)[-1]


@dataclass(slots=True)
class LedgerTrials:
    """The trials of a search for a better prompt than that of `base`.

    `paid` has the cost of every answer that was used, by fingerprint, whoever paid for it; so a
    search that is repeated counts the same.
    """

    base: RunPlan
    proposer: PlannedModel
    ledger: Ledger
    variables: Mapping[str, str]
    budget: Budget
    paid: dict[str, float] = field(default_factory=dict)

    @property
    def usd(self) -> float:
        """What the answers cost, US dollars."""
        return sum(self.paid.values())

    def answer(self, prompt: str, brief_ids: Sequence[str]) -> Mapping[str, Sequence[Graded]]:
        """The graded answers to each of the briefs with a prompt, one at least.

        Raises:
            SearchStopped: a brief has no answer, or calls were not made.
        """
        base = self.base
        briefs = [brief for brief in base.briefs if brief.id in brief_ids]
        candidate = prompt_of(base.prompt.path, prompt)
        cells = plan_cells(base.models, candidate, briefs, base.params.generate, base.repair)
        failures = self._fetch(cells)
        scorer = Scorer(base.params.score, briefs, candidate)
        answers: defaultdict[str, list[Graded]] = defaultdict(list)
        for response in responses_of(cells, self.ledger, failures):
            if response.answered:
                answers[response.brief_id].append(Graded(response, scorer.score(response)))
        for fault in failures.values():
            if fault.status in NOT_CALLED or len(answers) < len(briefs):
                raise SearchStopped(fault)
        return answers

    def propose(self, request: str, number: int) -> str:
        """The proposer's answer to a request, asked for the `number`-th time.

        Raises:
            SearchStopped: there is none.
        """
        cells = [reflection_cell(self.proposer, request, number)]
        failures = self._fetch(cells)
        for fault in failures.values():
            raise SearchStopped(fault)
        answers = self.ledger.read(cells[0].fingerprints)
        return answers[cells[0].fingerprints[0]].content.raw_text

    def _fetch(self, cells: Sequence[PlannedCell]) -> Mapping[str, Fault]:
        """Make the calls that cells lack; why some have no answer, by fingerprint."""
        self._count(cells)
        missing = needed(cells, self.ledger)
        if not missing:
            return {}
        from stages.generate.pipeline import fetch_work  # loads the SDK

        self.budget.spent_usd = max(self.budget.spent_usd, self.usd)
        work = CellWork(cells, self.ledger)
        settings = self.base.params.runtime
        fetched = fetch_work(work, missing, settings, self.ledger, self.variables, self.budget)
        self._count(cells)
        return fetched.failures

    def _count(self, cells: Sequence[PlannedCell]) -> None:
        """Take the stored answers into account, each once."""
        for state in cell_states(cells, self.ledger):
            for draw in state.draws:
                usd = state.planned.model.prices.cost(draw.answer).usd
                self.paid[draw.answer.fingerprint] = usd or 0.0
