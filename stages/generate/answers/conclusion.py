"""What a run comes to: the response of every cell, and the figures that are told at the end."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from stages.contracts.response import ANSWERED, Response, Status
from stages.generate.answers.draws import Draw, state_of
from stages.generate.answers.recall import Trace
from stages.generate.answers.record import response_of
from stages.generate.call import Answer
from stages.generate.campaign import Fetched
from stages.generate.cost.costing import Costing
from stages.generate.plan.cell_plan import PlannedCell
from stages.generate.plan.needs import AnswerStore, kept
from stages.generate.plan.overview import SIMULATED, cache_line, outcome_lines

Standing = Callable[[PlannedCell, Mapping[str, Answer]], Trace | None]
"""The trace of an answered cell's response file that is just what its answers make; None where there is none."""


class Conclusion:
    """Counts while the responses pass by, so that they need not all be in memory.

    Args:
        fetched: What this run called.
        costing: Prices.
    """

    def __init__(self, fetched: Fetched, costing: Costing) -> None:
        self._called = fetched.answered
        self._failures = fetched.failures
        self._costing = costing
        self._statuses: Counter[Status] = Counter()
        self._counted: set[str] = set()
        self._costs: list[float | None] = []
        self._saved: list[float | None] = []
        self._input = 0
        self._cached = 0
        self._simulated = False

    def responses(
        self, cells: Sequence[PlannedCell], store: AnswerStore, standing: Standing | None = None
    ) -> Iterator[Response]:
        """The responses of the cells, in their order, without those whose file stands as it is: they are counted alone."""
        for planned, answers in kept(cells, store):
            known = self._stands(planned, answers, standing) if standing else None
            if known is not None:
                self._statuses[known.status] += 1
                self._simulated |= known.simulated
                continue
            state = state_of(planned, answers)
            failure = None
            if state.wanted is not None:
                failure = self._failures.get(planned.fingerprints[state.wanted - 1])
            for draw in state.draws:
                if draw.answer.fingerprint in self._called:
                    self._count(planned, draw)
            response = response_of(planned, state, failure, self._costing.of_draw)
            self._statuses[response.status] += 1
            self._simulated |= response.measured.simulated
            yield response

    def _stands(self, planned: PlannedCell, answers: Mapping[str, Answer], standing: Standing) -> Trace | None:
        """Never where this run failed to get an answer, which the response tells, or where it paid for one."""
        if planned.fingerprints[0] not in answers or not self._failures.keys().isdisjoint(planned.fingerprints):
            return None
        known = standing(planned, answers)
        return known if self._called.isdisjoint(planned.fingerprints) else None

    @property
    def answered(self) -> int:
        """Cells that have an answer."""
        return sum(number for status, number in self._statuses.items() if status in ANSWERED)

    def lines(self) -> list[str]:
        """The closing sentences; complete once all responses have passed."""
        known = [cost for cost in self._costs if cost is not None]
        lines = outcome_lines(
            self._statuses,
            called=len(self._costs),
            cost_usd=sum(known) if known else None,
            unpriced=len(self._costs) - len(known),
        )
        saved = [amount for amount in self._saved if amount is not None]
        cached = cache_line(self._cached, self._input, sum(saved) if saved else None)
        return [*([cached] if cached else []), *lines, *([SIMULATED] if self._simulated else [])]

    def _count(self, planned: PlannedCell, draw: Draw) -> None:
        if draw.answer.fingerprint in self._counted:
            return
        self._counted.add(draw.answer.fingerprint)
        self._costs.append(self._costing.of_draw(planned, draw).usd)
        usage = draw.reading.usage
        if usage.input is not None and usage.cached is not None:
            self._input += usage.input
            self._cached += usage.cached
            self._saved.append(self._costing.saved_by_cache(planned, draw))
