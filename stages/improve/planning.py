"""What a search may call and cost, what gain its proof could show, and why it may not be worth it."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace

from stages.generate.forecast import Forecast, Forecaster
from stages.generate.ledger.store import Ledger
from stages.generate.plan.call import Call
from stages.generate.plan.cells import RunPlan
from stages.improve.improving import proving_sides, settling_of
from stages.improve.inputs import ImproveInputs
from stages.improve.parts import USUAL_BRIEFS
from stages.improve.reflection import MAX_ANSWER, MAX_SHOWN_BRIEFS, request_text
from stages.improve.trials import reflection_cell
from stages.present.table import Column, Raw, Table, make_table
from stages.settle.plan import expected_half_widths
from stages.settle.sides import SettleSides
from stages.shell import numbers

LEAST_GAIN = 0.10
"""The gain in quality that a proof should be able to show."""
_COLUMNS = (
    Column("step"),
    Column("calls at most", numbers.count),
    Column("cost expected", numbers.money),
    Column("low to high", numbers.money_interval),
)


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """The plan of a search; a candidate is taken to cost what the base costs."""

    inputs: ImproveInputs
    options: Namespace

    @property
    def sides(self) -> SettleSides:
        """Base and a candidate that is not known yet on the briefs that prove."""
        candidate = replace(self.inputs.base.prompt, path="the best candidate")
        return proving_sides(self.inputs, candidate, len(self.inputs.parts.uses) + 1)

    @property
    def base_run(self) -> RunPlan:
        """All cells of the base."""
        base = self.inputs.base
        return replace(base, cells=(*base.cells, *self.sides.base.plan.cells))

    @property
    def reflection(self) -> Call:
        """A request to the proposer of the usual length."""
        shown = self.inputs.part("learn")[:MAX_SHOWN_BRIEFS]
        feedback = [brief.body + MAX_ANSWER * "x" for brief in shown]
        request = request_text(self.inputs.base.prompt.text, feedback, 0)
        return reflection_cell(self.inputs.proposer, request, 1).call(1)

    def table(self, missing: Sequence[Call], ledger: Ledger) -> Table:
        """The forecast of each step; `missing` are the calls that the base lacks."""
        forecaster, rounds = Forecaster(ledger.output_tokens), self.options.rounds
        proof = self.sides.head.plan
        proving = {brief.id for brief in proof.briefs}
        base = self.inputs.base.cells
        searched = [cell.call(1) for cell in base if cell.brief.id not in proving]
        calls = {
            "proposals": [self.reflection] * rounds,
            "answers to candidates": searched * rounds,
            "answers to the base": missing,
            "proof of the best candidate": [cell.call(1) for cell in proof.cells],
        }
        rows = [_row(step, forecaster.total(of_step)) for step, of_step in calls.items()]
        return make_table(_COLUMNS, rows)

    def notes(self, gain: float) -> list[str]:
        """The parts of the briefs, and the gain that they could show."""
        inputs = self.inputs
        parts = [f"{len(inputs.part(name))} {name}" for name in ("learn", "choose", "prove")]
        return [
            f"Briefs: {', '.join(parts)}; those that prove were used "
            f"{numbers.counted(len(inputs.parts.uses), 'time')} before.",
            f"A gain in quality of about {numbers.score(gain)} or more could be shown.",
        ]

    def gain(self, ledger: Ledger) -> float:
        """The smallest gain in quality that the last look is expected to show."""
        settling = settling_of(self.sides, None, ledger)
        return expected_half_widths(settling.design(), settling.answer_sds())[-1].quality

    def doubts(self, gain: float) -> list[str]:
        """Why the search may not be worth its cost."""
        briefs = len(self.inputs.base.briefs)
        doubts: list[str] = []
        if briefs < USUAL_BRIEFS:
            doubts.append(f"there are {briefs} briefs, and {USUAL_BRIEFS} are advised")
        if gain > LEAST_GAIN:
            doubts.append(f"the proof could not show a gain of {LEAST_GAIN:.2f} in quality")
        return doubts


def _row(step: str, forecast: Forecast) -> list[Raw]:
    usd = forecast.cost_usd
    return [step, forecast.calls, usd.expected, (usd.low, usd.high)]
