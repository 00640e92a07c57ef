"""The sentences at the end of a run: how many cells have an answer, why the others have none, what
was paid.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from stages.contracts.response import ANSWERED, Response, Status
from stages.generate.calls.faults import Fault
from stages.generate.forecast import SIMULATED
from stages.shell.numbers import count, counted, money
from stages.shell.text import visible

LACKS_CALL = " has no answer: "
"""In the warning of a cell whose next draw or repair failed."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What the calls of a run brought, by fingerprint: the cost of answers, and why others
    failed.
    """

    paid_usd: Mapping[str, float | None] = field(default_factory=dict)
    failures: Mapping[str, Fault] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CellResult:
    """What the summary needs to know of a response, so that responses need not all be in memory.

    `lacks_call`: an earlier answer counts, as the next draw or the repair has none.
    """

    model_id: str
    status: Status
    error_message: str
    simulated: bool
    lacks_call: bool = False


def result_of(response: Response) -> CellResult:
    """What the summary needs to know of a response."""
    return CellResult(
        model_id=response.model_id,
        status=response.status,
        error_message=response.error_message or "",
        simulated=response.simulated,
        lacks_call=any(LACKS_CALL in warning for warning in response.warnings),
    )


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run in sentences; `paid_usd` is the cost of each answer that it fetched, by fingerprint."""

    results: tuple[CellResult, ...]
    paid_usd: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def answered(self) -> int:
        """Cells that have an answer."""
        return sum(result.status in ANSWERED for result in self.results)

    @property
    def missing(self) -> int:
        """Cells without an answer."""
        return len(self.results) - self.answered

    def lines(self) -> list[str]:
        """The closing sentences."""
        counts = Counter(result.status for result in self.results)
        order = sorted(counts, key=lambda status: (status not in ANSWERED, -counts[status], status))
        named = ", ".join(f"{count(counts[status])} {status}" for status in order)
        missing = self.missing
        lines = [f"{counted(len(self.results), 'cell')}: {named}; {self._spent(missing)}"]
        if any(result.simulated for result in self.results):
            lines.append(SIMULATED)
        if missing:
            cells = counted(missing, "cell has", "cells have")
            those = "it" if missing == 1 else "those"
            lines.append(f"{cells} no answer: `dvc repro -f` calls just {those}")
        lacking = sum(result.lacks_call for result in self.results)
        if lacking:
            cells = counted(lacking, "cell keeps its", "cells keep their")
            lines.append(
                f"{cells} earlier answer, as the next draw or the repair has none: "
                "`dvc repro -f` calls it"
            )
        return lines

    def _spent(self, missing: int) -> str:
        if not self.paid_usd:
            return "no answer was fetched" if missing else "nothing was called"
        known_usd = [usd for usd in self.paid_usd.values() if usd is not None]
        unpriced = len(self.paid_usd) - len(known_usd)
        text = f"{counted(len(self.paid_usd), 'answer')} fetched"
        if known_usd:
            text += f" for {money(sum(known_usd))}"
        if unpriced:
            text += f" ({count(unpriced)} at an unknown price)"
        return text


def commonest_messages(results: Iterable[CellResult]) -> list[str]:
    """For each model, the message that most of its cells without an answer have."""
    messages_by_model: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        if result.status not in ANSWERED:
            messages_by_model[result.model_id][result.error_message] += 1
    return [
        f"{model_id}: {visible(message)} ({counted(cells, 'cell')})"
        for model_id, messages in sorted(messages_by_model.items())
        for message, cells in messages.most_common(1)
    ]
