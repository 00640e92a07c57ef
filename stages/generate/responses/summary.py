"""The sentences at the end of a run: how many cells have an answer, why the others have none, what
was paid.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from stages.generate.calls.faults import Fault
from stages.generate.forecast import SIMULATED
from stages.shared.records.response import ANSWERED, NAMED_DIGITS, Response, Status
from stages.shared.shell.numbers import count, counted, money
from stages.shared.shell.text import visible


@dataclass(frozen=True, slots=True)
class Fetched:
    """What the calls of a run brought, by fingerprint: the cost of answers, and why others
    failed.
    """

    paid_usd: Mapping[str, float | None] = field(default_factory=dict)
    failures: Mapping[str, Fault] = field(default_factory=dict)


@dataclass(slots=True)
class RunSummary:
    """The responses of a run, counted as they are written, so that not all need be in memory.

    `kept_earlier` counts cells whose earlier answer counts, as the next draw has none. `messages`
    counts why cells have no answer, by model. `paid_usd` is the cost of each answer that the run
    fetched, by fingerprint. `named` has the first digits of the fingerprints of answers that a
    model gave, by its id.
    """

    statuses: Counter[Status] = field(default_factory=Counter)
    messages: dict[str, Counter[str]] = field(default_factory=dict)
    kept_earlier: int = 0
    simulated: bool = False
    paid_usd: Mapping[str, float | None] = field(default_factory=dict)
    named: dict[str, set[str]] = field(default_factory=dict)

    def count(self, response: Response, *, is_complete: bool = True) -> None:
        """Count a response; that of a cell that needs one more call is not complete."""
        answer, model_id = response.answer, response.cell.model_id
        self.statuses[answer.status] += 1
        self.simulated = self.simulated or response.simulated
        if not answer.answered:
            self.messages.setdefault(model_id, Counter())[answer.error_message or ""] += 1
        elif not is_complete:
            self.kept_earlier += 1
        if answer.answered and not response.simulated:
            keys = [answer.fingerprint or "" for answer in response.answers]
            self.named.setdefault(model_id, set()).update(key[:NAMED_DIGITS] for key in keys)

    @property
    def answers(self) -> dict[str, str]:
        """The answers that the manifest names."""
        return {model: " ".join(sorted(names)) for model, names in sorted(self.named.items())}

    @property
    def answered(self) -> int:
        """Cells that have an answer."""
        return sum(self.statuses[status] for status in ANSWERED)

    @property
    def missing(self) -> int:
        """Cells without an answer."""
        return self.statuses.total() - self.answered

    def lines(self) -> list[str]:
        """The closing sentences."""
        counts = self.statuses
        order = sorted(counts, key=lambda status: (status not in ANSWERED, -counts[status], status))
        named = ", ".join(f"{count(counts[status])} {status}" for status in order)
        missing = self.missing
        lines = [f"{counted(counts.total(), 'cell')}: {named}; {self._spent(missing)}"]
        if self.simulated:
            lines.append(SIMULATED)
        if missing:
            cells = counted(missing, "cell has", "cells have")
            those = "it" if missing == 1 else "those"
            lines.append(f"{cells} no answer: `dvc repro -f` calls just {those}")
        if self.kept_earlier:
            cells = counted(self.kept_earlier, "cell keeps its", "cells keep their")
            lines.append(
                f"{cells} earlier answer, as the next draw has none: `dvc repro -f` calls it"
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

    def commonest_messages(self) -> list[str]:
        """For each model, the message that most of its cells without an answer have."""
        return [
            f"{model_id}: {visible(message)} ({counted(cells, 'cell')})"
            for model_id, messages in sorted(self.messages.items())
            for message, cells in messages.most_common(1)
        ]
