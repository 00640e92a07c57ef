"""Progress on standard error: a bar on a terminal, elsewhere a line every ten seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TextIO

from rich import progress
from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.table import Column
from rich.text import Text

from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import address
from stages.shared.shell.numbers import count, counted, money

LINE_EVERY_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEvent:
    """One thing that happened to a call; `cost_usd` of an answer is None when it is not known.

    `further`: an answer led to one more draw. `held`: no call of the endpoint and key is sent for
    `wait_s`; `message` says why.
    """

    kind: Literal["answered", "retrying", "failed", "further", "held"]
    call: Call
    cost_usd: float | None = None
    wait_s: float = 0.0
    message: str = ""


@dataclass(slots=True)
class Tally:
    """Counts of a run of `total` calls.

    `unpriced` answers have no known cost and are not in `cost_usd`.
    """

    total: int
    answered: int = 0
    failed: int = 0
    retried: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0

    @property
    def done(self) -> int:
        """Calls that have their result."""
        return self.answered + self.failed

    def count(self, event: CallEvent) -> None:
        """Take one event into account."""
        match event.kind:
            case "answered":
                self.answered += 1
                self.cost_usd += event.cost_usd or 0.0
                self.unpriced += event.cost_usd is None
            case "failed":
                self.failed += 1
            case "retrying":
                self.retried += 1
            case "further":
                self.total += 1

    def line(self, elapsed_s: float) -> str:
        """One line for people, of at most 74 characters for a run of 10,000 calls.

        >>> Tally(total=10, answered=4, failed=1, retried=2, cost_usd=0.5).line(60.0)
        '5 of 10 done, 1 call failed, 2 retried, $0.500, 1m 00s left'
        """
        failed = counted(self.failed, "call failed", "calls failed")
        done = f"{count(self.done)} of {count(self.total)} done, {failed}"
        retried = f"{count(self.retried)} retried, " if self.retried else ""
        return f"{done}, {retried}{self.cost()}, {self.left(elapsed_s)} left"

    def cost(self) -> str:
        """What the answers cost; with "+" when some have no known cost."""
        if self.unpriced and self.unpriced == self.answered:
            return "cost not known"
        return f"{money(self.cost_usd)}{'+' if self.unpriced else ''}"

    def left(self, elapsed_s: float) -> str:
        """The time left at the average rate so far; "?" before anything is done."""
        if not self.done:
            return "?"
        left_s = round((self.total - self.done) * elapsed_s / self.done)
        hours, minutes = left_s // 3600, left_s // 60 % 60
        return f"{hours}h {minutes:02}m" if hours else f"{minutes}m {left_s % 60:02}s"


@contextmanager
def show_progress(total: int, *, to: TextIO | None = None) -> Iterator[Callable[[CallEvent], None]]:
    """Show what happens to `total` calls, nothing for no calls; gives the function that takes its
    events.
    """
    console = Console(file=to or sys.stderr)
    text = TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis"))
    bar = progress.Progress(
        BarColumn(bar_width=10), text, console=console, disable=not (total and console.is_terminal)
    )
    with bar:
        yield Progress(Tally(total), bar).observe


class Progress:
    """Counts what happens to calls and shows it."""

    def __init__(self, tally: Tally, bar: progress.Progress) -> None:
        self._tally = tally
        self._bar = bar
        self._task = bar.add_task("")
        self._started_at = self._written_at = time.monotonic()

    def observe(self, event: CallEvent) -> None:
        """Take one event into account."""
        tally = self._tally
        tally.count(event)
        if event.kind == "held":
            self._say(_held(event))
        now = time.monotonic()
        line = tally.line(now - self._started_at)
        self._bar.update(self._task, completed=tally.done, total=tally.total, description=line)
        is_time = now - self._written_at >= LINE_EVERY_S or tally.done == tally.total
        if is_time and not self._bar.console.is_terminal:
            self._written_at = now
            self._say(line)

    def _say(self, sentence: str) -> None:
        """Print a sentence, above the bar if there is one."""
        console = self._bar.console
        console.print(Text(sentence), soft_wrap=not console.is_terminal)


def _held(event: CallEvent) -> str:
    until = time.strftime("%H:%M:%S", time.localtime(time.time() + event.wait_s))
    period = f"until {until} (for {event.wait_s:.0f} s)"
    return f"no calls to {address(event.call.endpoint)} {period}: {event.message}"
