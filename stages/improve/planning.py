"""What a search may call and cost, and what gain the briefs that prove could show."""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass, replace

from stages.generate.forecast import Forecast, Forecaster
from stages.generate.ledger.store import Ledger
from stages.generate.plan.call import Call
from stages.generate.plan.cells import PlannedCell, RunPlan
from stages.generate.plan.work import needed
from stages.improve.inputs import ImproveInputs
from stages.improve.parts import USUAL_BRIEFS
from stages.improve.proving import proving_sides, settling_of, with_confidence
from stages.improve.reflection import MAX_ANSWER, MAX_SHOWN_BRIEFS, request_text
from stages.improve.trials import reflection_cell
from stages.settle.plan import expected_half_widths
from stages.settle.sides import SettleSides
from stages.shell import numbers

LEAST_GAIN = 0.10
"""The gain in quality that a plan should be able to show."""
Step = tuple[str, int, Forecast]


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """The plan of a search; a candidate is taken to cost what the base costs."""

    inputs: ImproveInputs
    options: Namespace

    @property
    def sides(self) -> SettleSides:
        """Base and a candidate that is not known yet on the briefs that prove."""
        base, inputs = self.inputs.base, self.inputs
        candidate = replace(base.prompt, path="the best candidate")
        sides = proving_sides(base, candidate, inputs.part("prove"))
        return with_confidence(sides, len(inputs.parts.uses) + 1)

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
        return reflection_cell(self.inputs.proposer, request, 1, 1).call(1)

    def steps(self, ledger: Ledger) -> list[Step]:
        """Each step with its briefs and the forecast of its calls."""
        forecaster, rounds = Forecaster(ledger.output_tokens), self.options.rounds
        base, proving = self.inputs.base, self.sides.base.plan

        def forecast_all(cells: tuple[PlannedCell, ...]) -> Forecast:
            return forecaster.total([planned.call(1) for planned in cells])

        searched, proved = len(base.briefs), len(proving.briefs)
        candidates = sum([forecast_all(base.cells)] * rounds, Forecast())
        reflections = forecaster.total([self.reflection] * rounds)
        return [
            ("base, learn and choose", searched, forecaster.total(needed(base.cells, ledger))),
            ("proposals", len(self.inputs.part("learn")), reflections),
            ("candidates, learn and choose", searched, candidates),
            ("base, prove", proved, forecaster.total(needed(proving.cells, ledger))),
            ("best candidate, prove", proved, forecast_all(proving.cells)),
        ]

    def gain(self, ledger: Ledger) -> float:
        """The gain in quality that is expected to be shown at the last look."""
        settling = settling_of(self.sides, None, ledger)
        return expected_half_widths(settling.design(), settling.answer_sds())[-1].quality

    def notes(self, ledger: Ledger) -> list[str]:
        """The parts of the briefs, and the gain that they could show."""
        inputs = self.inputs
        parts = [f"{len(inputs.part(name))} {name}" for name in ("learn", "choose", "prove")]
        confidence = self.sides.params.compare.confidence
        return [
            f"Briefs: {', '.join(parts)}. The proof is use {len(inputs.parts.uses) + 1} of those "
            f"that prove, with a confidence of {100 * confidence:.2f}%.",
            f"A gain in quality of about {numbers.score(self.gain(ledger))} or more could be shown.",
        ]

    def doubts(self, ledger: Ledger) -> Iterator[str]:
        """Why the search may not be worth its cost."""
        if len(self.inputs.briefs) < USUAL_BRIEFS:
            briefs = numbers.counted(len(self.inputs.briefs), "brief")
            yield f"{briefs}: with fewer than {USUAL_BRIEFS} a part says little"
        if self.gain(ledger) > LEAST_GAIN:
            yield f"the briefs that prove could not show a gain of {LEAST_GAIN:.2f} in quality"
