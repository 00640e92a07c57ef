"""Adapter: takes the looks of a settlement, one after the other, and writes
`results/settle.json`.
"""

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pydantic import ValidationError

from stages.compare.effect import overall_effect
from stages.compare.pairing import Pairing
from stages.compare.wording import what_would_settle
from stages.contracts.errors import InputError, Problem
from stages.contracts.json_text import NotJson, parse, pretty
from stages.contracts.settlement import SettleDesign, Settlement, SettlementEnding, TakenLook
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import Fault
from stages.generate.calls.fetch import Fetched
from stages.generate.forecast import Forecast, Forecaster
from stages.generate.ledger.store import Ledger
from stages.generate.missing import missing_keys
from stages.generate.plan.call import Call
from stages.generate.plan.cells import RunPlan
from stages.generate.plan.work import needed
from stages.generate.responses.response import responses_of
from stages.generate.responses.summary import commonest_messages, result_of
from stages.score import rules_sha256
from stages.settle.design import (
    REFERENCE,
    ending_of,
    finished,
    planned,
    recorded_look,
    spread_of,
    take_look,
)
from stages.settle.sides import SettleSides, paid
from stages.settle.wording import look_line, recording_commands
from stages.shell import paths
from stages.shell.files import write_output
from stages.shell.text import visible

SETTLEMENT_FILE = paths.RESULTS / "settle.json"
_STOPPING = {"budget_stopped", "auth_failed", "quota_exceeded"}
"""The statuses of cells whose calls were not made, so that the look is not complete."""


@dataclass(frozen=True, slots=True)
class Settling:
    """What a settlement is made from: the sides, the command's options, and the ledger."""

    sides: SettleSides
    options: Namespace
    ledger: Ledger

    @property
    def whole_plan(self) -> RunPlan:
        """The run of both sides at the last look."""
        return self.sides.plan(self.options.looks[-1])

    def begin(self) -> Settlement:
        """The settlement before its first look; one begun with the same design goes on with it."""
        plan = self.whole_plan
        design = planned(self._draft(plan), self.options.looks)
        stored, usd = paid(plan.cells, self.ledger)
        settlement = Settlement(design=design, stored_answers=stored, stored_usd=usd)
        earlier = read_settlement()
        if earlier is None:
            return settlement
        if earlier.design.settles(design):
            again = Settlement(
                design=earlier.design,
                stored_answers=earlier.stored_answers,
                stored_usd=earlier.stored_usd,
                earlier_looks=earlier.earlier_looks,
            )
            return self._count(again)
        if earlier.design.same_sides(design):
            looks = earlier.earlier_looks + len(earlier.looks)
            return settlement.model_copy(update={"earlier_looks": looks})
        return settlement

    def _draft(self, plan: RunPlan) -> SettleDesign:
        base, head, compare = self.sides.base, self.sides.head, self.sides.params.compare
        pairing, cells = self.sides.scores(plan.cells, self.ledger, {})
        margin = self.options.margin
        if margin is None:
            margin = compare.min_difference
        return SettleDesign(
            base=base.name,
            head=head.name,
            base_prompt=base.plan.prompt.sha256,
            head_prompt=head.plan.prompt.sha256,
            base_run=base.run_id,
            head_run=head.run_id,
            scoring_rules=rules_sha256(self.sides.params.score),
            models=len(base.plan.models),
            briefs=len(plan.briefs),
            confidence=compare.confidence,
            margin=margin,
            boundary=self.options.boundary,
            spread=spread_of(pairing.pairs, cells),
            reference=max(REFERENCE, margin),
            smallest=None,
            looks=(),
        )

    def forecasts(self, missing: Sequence[Call]) -> list[Forecast]:
        """What the calls cost that each look adds."""
        forecaster = Forecaster(self.ledger.output_tokens)
        return [
            forecaster.total([call for call in missing if before < call.cell.sample <= samples])
            for before, samples in pairwise((0, *self.options.looks))
        ]

    def take_looks(
        self, settlement: Settlement, variables: Mapping[str, str], say: Callable[[str], None]
    ) -> tuple[Settlement, Pairing]:
        """The settlement after its last look, with the pairs of that; it is written after each."""
        design, pairing = settlement.design, Pairing(pairs=())
        budget = Budget(self.options.max_usd, spent_usd=settlement.usd, setting="--max-usd")
        write_settlement(settlement)
        for number in range(1, len(design.looks) + 1):
            settlement, pairing = self._take_look(settlement, number, budget, variables)
            say(look_line(design, number, settlement.looks[-1]))
            write_settlement(settlement)
            if settlement.ended is not None:
                break
        return settlement, pairing

    def _take_look(
        self, settlement: Settlement, number: int, budget: Budget, variables: Mapping[str, str]
    ) -> tuple[Settlement, Pairing]:
        design = settlement.design
        plan = self.sides.plan(design.looks[number - 1].samples)
        fetched = self._fetch(plan, budget, variables)
        pairing, cells = self.sides.scores(plan.cells, self.ledger, fetched.failures)
        answers = sum(map(len, cells))
        look = take_look(design, number - 1, pairing, cells=len(plan.cells), answers=answers)
        settlement = settlement.model_copy(update={"looks": (*settlement.looks, look)})
        settlement = self._count(settlement)
        stopped = _stopping_fault(fetched)
        ending = _ending(design, look, stopped)
        if ending is None:
            return settlement, pairing
        failure = None
        if ending in ("budget", "failures"):
            messages = [stopped.message] if stopped else self._reasons(plan, fetched)
            failure = visible("; ".join(messages))
        recorded = recorded_look(settlement, ending)
        commands: tuple[str, ...] = ()
        if recorded:
            commands = recording_commands(self.sides, self.options, recorded.samples)
        return finished(settlement, ending, failure, commands), pairing

    def _reasons(self, plan: RunPlan, fetched: Fetched) -> list[str]:
        """For each model, the commonest reason why cells have no answer."""
        responses = responses_of(plan.cells, self.ledger, fetched.failures)
        return commonest_messages(map(result_of, responses))

    def _fetch(self, plan: RunPlan, budget: Budget, variables: Mapping[str, str]) -> Fetched:
        from stages.generate.pipeline import fetch_answers  # loads the SDK

        missing = needed(plan.cells, self.ledger)
        if not missing:
            return Fetched()
        return fetch_answers(plan, missing, self.ledger, variables, budget)

    def _count(self, settlement: Settlement) -> Settlement:
        """The settlement with its calls and cost: what is stored now beyond what was before it."""
        stored, usd = paid(self.whole_plan.cells, self.ledger)
        spent = {
            "calls": max(0, stored - settlement.stored_answers),
            "usd": max(0.0, usd - settlement.stored_usd),
        }
        return settlement.model_copy(update=spent)

    def advice(self, settlement: Settlement, pairing: Pairing) -> str | None:
        """What else would settle the question; None where it is settled or nothing was measured."""
        if settlement.verdict != "cannot tell" or not pairing.pairs:
            return None
        one_look = {"min_difference": settlement.design.margin, "planned_looks": 1}
        settings = self.sides.params.compare.model_copy(update=one_look)
        return what_would_settle(overall_effect(pairing, settings))


def _stopping_fault(fetched: Fetched) -> Fault | None:
    """The first reason why calls of a look were not made; None where all were."""
    faults = fetched.failures.values()
    return next((fault for fault in faults if fault.status in _STOPPING), None)


def _ending(
    design: SettleDesign, look: TakenLook, stopped: Fault | None
) -> SettlementEnding | None:
    if stopped is None:
        return ending_of(design, look)
    return "budget" if stopped.status == "budget_stopped" else "failures"


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


def read_settlement() -> Settlement | None:
    """The settlement in the file; None when there is none.

    Raises:
        InputError: it cannot be read. What it spent counts towards the cap.
    """
    try:
        return Settlement.read(parse(SETTLEMENT_FILE.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, NotJson, ValidationError):
        problem = "cannot be read, so that what it has spent is unknown"
        fix = "delete it to start a new count"
        file = SETTLEMENT_FILE.as_posix()
        raise InputError([Problem(file, "", f"{problem}: {fix}")]) from None


def write_settlement(settlement: Settlement) -> None:
    """Write the settlement to its file."""
    write_output(SETTLEMENT_FILE, pretty(settlement.to_json()))
