"""Adapter: takes the looks of a settlement, one after the other, and writes each to its file."""

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from stages.compare.outlook import outlook_of
from stages.compare.pairing import Pairing
from stages.compare.verdict import judge_pairing
from stages.compare.wording import what_would_settle
from stages.contracts.brief import Prompt
from stages.contracts.errors import InputError, Problem
from stages.contracts.settlement import (
    PlannedLook,
    SettleDesign,
    Settlement,
    SettlementEnding,
)
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import Fault
from stages.generate.forecast import Forecast, Forecaster
from stages.generate.ledger.store import Ledger
from stages.generate.missing import missing_keys
from stages.generate.plan.call import Call
from stages.generate.plan.cells import RunPlan
from stages.generate.plan.work import CellWork, cell_states, needed
from stages.generate.responses.response import responses_of
from stages.generate.responses.summary import RunSummary
from stages.settle.looks import (
    answer_sd,
    end_settlement,
    ending_of,
    recorded_look,
    take_look,
)
from stages.settle.options import DEFAULT_LOOKS
from stages.settle.sides import SettleSides, run_id_of, sides_of_prompts
from stages.settle.wording import look_line, recording_commands
from stages.shell import paths
from stages.shell.files import read_record, write_record
from stages.shell.text import visible
from stages.statistics.error_rate import confidence_of_test

SETTLEMENT_FILE = paths.RESULTS / "settle.json"
_NOT_CALLED: Mapping[str, SettlementEnding] = {
    "budget_stopped": "budget",
    "auth_failed": "failures",
    "quota_exceeded": "failures",
}
"""The statuses of cells whose calls were not made, and how they end a settlement."""


@dataclass(frozen=True, slots=True)
class Settling:
    """What a settlement is made from: the sides, the command's options, and the ledger; and the
    file that keeps it.
    """

    sides: SettleSides
    options: Namespace
    ledger: Ledger
    file: Path = SETTLEMENT_FILE

    def begin(self) -> Settlement:
        """The settlement before its first look; one begun with the same design goes on with it.

        Raises:
            InputError: that in the file cannot be read; what it spent counts towards the cap.
        """
        design = self.design()
        stored, usd = self._paid()
        settlement = Settlement(design=design, stored_answers=stored, stored_usd=usd)
        problem = "cannot be read, so that what it has spent is unknown"
        fix = "delete it to start a new count"
        earlier = read_record(self.file, Settlement, f"{problem}: {fix}")
        if earlier is None or not earlier.design.same_sides(design):
            return settlement
        if earlier.design != design:
            looks = earlier.earlier_looks + len(earlier.looks)
            return settlement.model_copy(update={"earlier_looks": looks})
        start = {"looks": (), "verdict": None, "reason": None, "ended": None, "commands": ()}
        return self._count(earlier.model_copy(update=start))

    def write(self, settlement: Settlement) -> None:
        """Write the settlement to the file."""
        write_record(self.file, settlement)

    def design(self) -> SettleDesign:
        """The question and the planned looks."""
        base, head, compare = self.sides.base, self.sides.head, self.sides.params.compare
        return SettleDesign(
            base=base.name,
            head=head.name,
            base_prompt=base.plan.prompt.sha256,
            head_prompt=head.plan.prompt.sha256,
            base_run=run_id_of(base.plan),
            head_run=run_id_of(head.plan),
            models=len(base.plan.models),
            briefs=len(base.plan.briefs),
            confidence=compare.confidence,
            margin=compare.min_difference,
            looks=tuple(PlannedLook(samples=samples) for samples in self.options.looks),
        )

    def answer_sd(self) -> float | None:
        """How much the stored answers vary."""
        return answer_sd(self.pairing(self.options.looks[-1]).pairs)

    def pairing(self, samples: int) -> Pairing:
        """The stored answers to so many samples, paired."""
        return self.sides.pairing(samples, self.ledger)

    def forecasts(self, missing: Sequence[Call]) -> list[Forecast]:
        """What the calls cost that each look adds."""
        forecaster = Forecaster(self.ledger.output_tokens)
        parts = [
            [call for call in missing if before < call.cell.sample <= samples]
            for before, samples in pairwise((0, *self.options.looks))
        ]
        return [forecaster.total(calls) for calls in parts]

    def take_looks(
        self, settlement: Settlement, variables: Mapping[str, str], say: Callable[[str], None]
    ) -> Settlement:
        """The settlement after its last look; written after each."""
        budget = Budget(self.options.max_usd, spent_usd=settlement.usd, setting="--max-usd")
        self.write(settlement)
        for look in settlement.design.looks:
            settlement = self._take_look(settlement, look.samples, budget, variables)
            say(look_line(settlement))
            self.write(settlement)
            if settlement.ended is not None:
                break
        return settlement

    def _take_look(
        self, settlement: Settlement, samples: int, budget: Budget, variables: Mapping[str, str]
    ) -> Settlement:
        design, plan = settlement.design, self.sides.plan(samples)
        failures = self._fetch(plan, budget, variables)
        pairing = self.pairing(samples)
        look = take_look(design, len(settlement.looks), pairing, len(plan.cells))
        settlement = settlement.model_copy(update={"looks": (*settlement.looks, look)})
        settlement = self._count(settlement)
        ending = ending_of(design, look)
        for fault in failures.values():
            ending = _NOT_CALLED.get(fault.status, ending)
        if ending is None:
            return settlement
        incomplete = ending in ("budget", "failures")
        failure = self._why_missing(plan, failures) if incomplete else None
        recorded = recorded_look(settlement, ending)
        commands: tuple[str, ...] = ()
        if recorded:
            commands = recording_commands(self.sides, self.options, recorded.samples)
        return end_settlement(settlement, ending, failure, commands)

    def _fetch(
        self, plan: RunPlan, budget: Budget, variables: Mapping[str, str]
    ) -> Mapping[str, Fault]:
        """Make the calls that a plan lacks; why some have no answer, by fingerprint."""
        missing = needed(plan.cells, self.ledger)
        if not missing:
            return {}
        from stages.generate.pipeline import fetch_answers  # loads the SDK

        work = CellWork(plan.cells, self.ledger)
        return fetch_answers(plan, missing, work, self.ledger, variables, budget).failures

    def _why_missing(self, plan: RunPlan, failures: Mapping[str, Fault]) -> str:
        """The commonest reason of each model."""
        summary = RunSummary()
        for response in responses_of(plan.cells, self.ledger, failures):
            summary.count(response)
        return visible("; ".join(summary.commonest_messages()))

    def _count(self, settlement: Settlement) -> Settlement:
        """The settlement with its calls and cost: what is stored now beyond what was before it.

        Never less than was counted before: a brief may have been deleted since.
        """
        stored, usd = self._paid()
        calls = max(settlement.calls, stored - settlement.stored_answers)
        spent_usd = max(settlement.usd, usd - settlement.stored_usd)
        return settlement.model_copy(update={"calls": calls, "usd": spent_usd})

    def _paid(self) -> tuple[int, float]:
        """How many answers of the whole plan are stored, and what they cost, US dollars."""
        costs = [
            state.planned.model.prices.cost(draw.answer).usd or 0.0
            for state in cell_states(self.sides.whole_plan.cells, self.ledger)
            for draw in state.draws
        ]
        return len(costs), sum(costs)

    def advice(self, settlement: Settlement) -> str | None:
        """What else would settle the question; None where it is settled or nothing was measured."""
        if settlement.verdict != "cannot tell":
            return None
        pairing = self.pairing(settlement.looks[-1].samples)
        compare = self.sides.params.compare.model_copy(update={"planned_looks": 1})
        judgement = judge_pairing(pairing, compare)
        outlook = outlook_of(pairing.pairs, judgement, compare, compare.confidence)
        return what_would_settle(outlook, judgement.test.n) if outlook else None


def settling_of_prompts(
    plan: RunPlan,
    head: Prompt,
    file: Path,
    ledger: Ledger,
    *,
    test: int,
    max_usd: float | None,
) -> Settling:
    """The settlement of a run's prompt against another one, on the run's models and briefs, with
    the usual looks; it is kept in a file of its own.

    It is the k-th `test` on these briefs, from 1, and has the confidence of that.
    """
    confidence = confidence_of_test(plan.params.compare.confidence, test)
    sides = sides_of_prompts(plan, head, DEFAULT_LOOKS[-1], confidence)
    models = ",".join(model.config.id for model in plan.models)
    briefs = ",".join(brief.id for brief in plan.briefs)
    options = Namespace(
        prompt=[plan.prompt.path, head.path],
        models=None,
        looks=DEFAULT_LOOKS,
        selection=f" -S 'models=[{models}]' -S 'briefs=[{briefs}]'",
        max_usd=max_usd,
    )
    return Settling(sides, options, ledger, file)


def check_calls(missing: Sequence[Call], variables: Mapping[str, str]) -> None:
    """Check what calls need, before anything is written: keys, and prices for the cap.

    Raises:
        InputError: lists all problems.
    """
    unpriced = {call.cell.model_id for call in missing if call.cost_upper_usd is None}
    message = "is missing: without a known price --max-usd cannot be kept"
    prices = [Problem(f"models/{model}.json", "pricing", message) for model in unpriced]
    problems = [*missing_keys(missing, variables), *prices]
    if problems:
        raise InputError(problems)
