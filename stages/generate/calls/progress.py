"""Progress on standard error: a bar on a terminal, elsewhere a line every ten seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Literal, TextIO

from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import address
from stages.shell.numbers import count, money

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
        if event.kind == "answered":
            self.answered += 1
            self.cost_usd += event.cost_usd or 0.0
            self.unpriced += event.cost_usd is None
        self.failed += event.kind == "failed"
        self.retried += event.kind == "retrying"
        self.total += event.kind == "further"

    def line(self, elapsed_s: float) -> str:
        """One line for people.

        >>> Tally(total=10, answered=4, failed=1, retried=2, cost_usd=0.5).line(60.0)
        '5 of 10 done, 1 failed, 2 retried, 5.0 per minute, $0.500 so far, 1m 00s left'
        """
        per_s = self.done / elapsed_s if elapsed_s > 0 else 0.0
        rate = f"{per_s:,.1f} per second" if per_s >= 10 else f"{per_s * 60:,.1f} per minute"
        retried = f"{count(self.retried)} retried, " if self.retried else ""
        done = f"{count(self.done)} of {count(self.total)} done, {count(self.failed)} failed"
        return f"{done}, {retried}{rate}, {self.cost()} so far, {self.left(elapsed_s)} left"

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
    """Show the progress of a run of `total` calls; gives the function that takes its events.

    Shows nothing for no calls.
    """
    stream = to or sys.stderr
    tally, started = Tally(total), time.monotonic()
    with _bar(stream) if total and stream.isatty() else nullcontext(_Lines(stream)) as show:

        def observe(event: CallEvent) -> None:
            tally.count(event)
            show(
                tally,
                tally.line(time.monotonic() - started),
                _held(event) if event.kind == "held" else "",
            )

        yield observe


class _Lines:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._written = time.monotonic()

    def __call__(self, tally: Tally, line: str, held: str) -> None:
        now = time.monotonic()
        if held:
            print(held, file=self._stream, flush=True)
        elif now - self._written >= LINE_EVERY_S or tally.done == tally.total:
            self._written = now
            print(line, file=self._stream, flush=True)


@contextmanager
def _bar(stream: TextIO) -> Iterator[Callable[[Tally, str, str], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn
    from rich.table import Column

    text = TextColumn("{task.fields[line]}", table_column=Column(no_wrap=True, overflow="ellipsis"))
    with Progress(BarColumn(bar_width=12), text, console=Console(file=stream)) as progress:
        task = progress.add_task("calls", line="")

        def show(tally: Tally, line: str, held: str) -> None:
            if held:
                progress.console.print(held, markup=False, highlight=False)
            progress.update(task, completed=tally.done, total=tally.total, line=line)

        yield show


def _held(event: CallEvent) -> str:
    until = time.strftime("%H:%M:%S", time.localtime(time.time() + event.wait_s))
    period = f"until {until} (for {event.wait_s:.0f} s)"
    return f"no calls to {address(event.call.endpoint)} {period}: {event.message}"
