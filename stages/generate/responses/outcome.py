"""The outcome of a run: the response of every cell, and the sentences that are printed at the end."""

from collections import Counter
from collections.abc import Iterator, Sequence

from stages.contracts.response import ANSWERED, Response, Status
from stages.generate.calls.fetch import Fetched
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.draws import AnswerStore, CellState, state_of, stored
from stages.generate.preview.announcement import SIMULATED
from stages.generate.prices import Prices
from stages.generate.responses.response import response_of
from stages.shell.numbers import count, counted, money, share
from stages.shell.text import visible


class Outcome:
    """Counts while the responses are made one after the other, so that they need not all be in memory.

    Args:
        fetched: What this run called.
        prices: Of the models.
    """

    def __init__(self, fetched: Fetched, prices: Prices) -> None:
        self._fetched = fetched
        self._prices = prices
        self._statuses: Counter[Status] = Counter()
        self._messages: dict[str, Counter[str]] = {}
        self._simulated = False
        self._paid: set[str] = set()
        self._costs: list[float] = []
        self._unpriced = 0
        self._saved: list[float] = []
        self._input_tokens = 0
        self._cached_tokens = 0

    def responses(self, cells: Sequence[PlannedCell], store: AnswerStore) -> Iterator[Response]:
        """The response of every cell, in order."""
        for planned, answers in stored(cells, store):
            state = state_of(planned, answers)
            failure = None
            if state.needed is not None:
                failure = self._fetched.failures.get(planned.fingerprints[state.needed - 1])
            response = response_of(planned, state, failure, self._prices)
            self._count(planned, state, response)
            yield response

    @property
    def answered(self) -> int:
        """Cells that have an answer."""
        return sum(number for status, number in self._statuses.items() if status in ANSWERED)

    def lines(self) -> list[str]:
        """The closing sentences; complete once all responses have been made."""
        missing = self._statuses.total() - self.answered
        lines = [self._cache_line()] if self._input_tokens else []
        named = ", ".join(f"{count(self._statuses[status])} {status}" for status in self._in_order())
        lines.append(f"{counted(self._statuses.total(), 'cell')}: {named}; {self._spent(missing)}")
        if missing:
            have, those = ("has", "it") if missing == 1 else ("have", "those")
            lines.append(f"{counted(missing, 'cell')} {have} no answer: `dvc repro -f` calls just {those}")
        return [*lines, *([SIMULATED] if self._simulated else [])]

    def commonest_messages(self) -> list[str]:
        """For each model, the message that most of its cells without an answer have."""
        return [
            f"{model_id}: {visible(message)} ({counted(number, 'cell')})"
            for model_id, messages in sorted(self._messages.items())
            for message, number in messages.most_common(1)
        ]

    def _count(self, planned: PlannedCell, state: CellState, response: Response) -> None:
        self._statuses[response.status] += 1
        self._simulated |= response.measured.simulated
        if not response.answered:
            self._messages.setdefault(response.model_id, Counter())[response.error_message or ""] += 1
        for draw in state.draws:
            key = draw.answer.fingerprint
            if key not in self._fetched.answered or key in self._paid:
                continue
            self._paid.add(key)
            cost = self._prices.cost(planned, draw.answer).usd
            if cost is None:
                self._unpriced += 1
            else:
                self._costs.append(cost)
            usage = draw.answer.content.usage
            if usage.input_tokens is not None and usage.cached_tokens is not None:
                self._input_tokens += usage.input_tokens
                self._cached_tokens += usage.cached_tokens
                self._saved.append(self._prices.saved_by_cache(planned, draw.answer) or 0.0)

    def _spent(self, missing: int) -> str:
        if not self._paid:
            return "no answer was fetched" if missing else "nothing was called"
        cost = f" for {money(sum(self._costs))}" if self._costs else ""
        unknown = f" ({count(self._unpriced)} at an unknown price)" if self._unpriced else ""
        return f"{counted(len(self._paid), 'answer')} fetched{cost}{unknown}"

    def _cache_line(self) -> str:
        part, saved = share(self._cached_tokens / self._input_tokens), sum(self._saved)
        sentence = f"prompt cache: {part} of {count(self._input_tokens)} input tokens were read from it"
        return f"{sentence}, which saved {money(saved)}" if saved else sentence

    def _in_order(self) -> list[Status]:
        return sorted(self._statuses, key=lambda status: (status not in ANSWERED, -self._statuses[status], status))
