"""Adapter: the answers that a search asks for, each from the ledger or called within the cap."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stages.contracts.brief import Brief, Expectations, Prompt
from stages.contracts.errors import NotAnswered
from stages.contracts.improvement import ImprovementEnding
from stages.contracts.params import GenerateParams
from stages.generate.calls.faults import Fault
from stages.generate.capped_answers import CappedAnswers
from stages.generate.plan.cells import PlannedCell, RunPlan, plan_cells
from stages.generate.plan.models import PlannedModel
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


@dataclass(frozen=True, slots=True)
class LedgerTrials:
    """The trials of a search for a better prompt than that of `base`."""

    base: RunPlan
    proposer: PlannedModel
    answers: CappedAnswers

    @property
    def usd(self) -> float:
        """What the answers cost, US dollars."""
        return self.answers.usd

    def answer(self, prompt: str, brief_ids: Sequence[str]) -> Mapping[str, Sequence[Graded]]:
        """The graded answers to each of the briefs with a prompt, one at least.

        Raises:
            SearchStopped: a brief has no answer, or calls were not made.
        """
        base = self.base
        briefs = [brief for brief in base.briefs if brief.id in brief_ids]
        candidate = prompt_of(base.prompt.path, prompt)
        settings = base.params.generate.model_copy(update={"samples": 1})
        cells = plan_cells(base.models, candidate, briefs, settings, base.repair)
        failures = self.answers.fetch(cells)
        scorer = Scorer(base.params.score, briefs, candidate)
        answers: defaultdict[str, list[Graded]] = defaultdict(list)
        for response in responses_of(cells, self.answers.ledger, failures):
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
        failures = self.answers.fetch(cells)
        for fault in failures.values():
            raise SearchStopped(fault)
        fingerprint = cells[0].fingerprints[0]
        return self.answers.ledger.read([fingerprint])[fingerprint].content.raw_text
