"""Progress on standard error: a bar on a terminal, elsewhere a line every ten seconds."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TextIO

from rich import progress
from rich.console import Console
from rich.table import Column

from stages.shared.shell.numbers import count, counted, money

LINE_EVERY_S = 10.0
Event = Literal["answered", "retrying", "failed", "further"]
"""What happened to a call; "further": an answer led to one more draw."""
Observer = Callable[[Event, float | None], None]
"""Takes an event, and the cost of an answer where it is known."""


@contextmanager
def show_progress(total: int, *, to: TextIO | None = None) -> Iterator[Observer]:
    """Show what happens to `total` calls, nothing for no calls; gives the function that takes its
    events.
    """
    console = Console(file=to or sys.stderr)
    column = Column(no_wrap=True, overflow="ellipsis")
    bar = progress.Progress(
        progress.BarColumn(bar_width=10),
        progress.TextColumn("{task.description}", table_column=column),
        console=console,
        disable=not (total and console.is_terminal),
    )
    with bar:
        yield Progress(total, bar).observe


class Progress:
    """Counts what happens to calls and shows it."""

    def __init__(self, total: int, bar: progress.Progress) -> None:
        self._total = total
        self._events = Counter[Event]()
        self._cost_usd = 0.0
        self._is_cost_known = True
        self._bar = bar
        self._task = bar.add_task("", total=total)
        self._written_at = time.monotonic()

    def observe(self, event: Event, cost_usd: float | None) -> None:
        """Take one event into account."""
        self._events[event] += 1
        if event == "answered":
            self._cost_usd += cost_usd or 0.0
            self._is_cost_known = self._is_cost_known and cost_usd is not None
        done = self._events["answered"] + self._events["failed"]
        total = self._total + self._events["further"]
        self._bar.update(self._task, completed=done, total=total)
        line = self._line(done, total)
        self._bar.update(self._task, description=line)
        now = time.monotonic()
        is_time = now - self._written_at >= LINE_EVERY_S or done == total
        if is_time and not self._bar.console.is_terminal:
            self._written_at = now
            self._bar.console.print(line, soft_wrap=True)

    def _line(self, done: int, total: int) -> str:
        """One line for people, of at most 74 characters for a run of 10,000 calls; a "+" says that
        some answers have no known cost.
        """
        failed = counted(self._events["failed"], "call failed", "calls failed")
        cost = f"{money(self._cost_usd)}{'' if self._is_cost_known else '+'}"
        left = progress.TimeRemainingColumn().render(self._bar.tasks[self._task])
        parts = [
            f"{count(done)} of {count(total)} done",
            failed,
            f"{count(self._events['retrying'])} retried",
            cost,
            f"{left} left",
        ]
        return ", ".join(parts)
