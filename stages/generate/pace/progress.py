"""Adapter: progress on standard error: a bar on a terminal, elsewhere a line every ten seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from stages.generate.pace.event import Event
from stages.generate.pace.tally import Tally

LINE_EVERY_S = 10.0
REDRAW_EVERY_S = 0.1


@contextmanager
def show_progress(total: int, *, to: TextIO | None = None) -> Iterator[Callable[[Event], None]]:
    """Shows a run of `total` calls; gives what `runner.run` is to tell its events to. Shows nothing for no calls."""
    stream = sys.stderr if to is None else to
    tally = Tally(total)
    if not total:
        yield tally.count
    elif stream.isatty():
        with _bar(tally, stream) as observe:
            yield observe
    else:
        yield _Lines(tally, stream).observe


class _Lines:
    """A line every `LINE_EVERY_S`, and one at the end."""

    def __init__(self, tally: Tally, stream: TextIO) -> None:
        self._tally = tally
        self._stream = stream
        self._started = self._told = time.monotonic()

    def observe(self, event: Event) -> None:
        """Count the event, and write a line when it is time for one."""
        self._tally.count(event)
        now = time.monotonic()
        if now - self._told >= LINE_EVERY_S or (self._tally.done == self._tally.total and event.kind != "sent"):
            self._told = now
            self._stream.write(self._tally.line(now - self._started) + "\n")
            self._stream.flush()


@contextmanager
def _bar(tally: Tally, stream: TextIO) -> Iterator[Callable[[Event], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.table import Column

    started = drawn = time.monotonic()
    told = TextColumn("{task.fields[line]}", table_column=Column(no_wrap=True, overflow="ellipsis"))
    with Progress(
        BarColumn(bar_width=12), MofNCompleteColumn(), told, console=Console(file=stream), transient=False
    ) as progress:
        task = progress.add_task("calls", total=tally.total, line="")

        def draw(now: float) -> None:
            progress.update(task, completed=tally.done, total=tally.total, line=tally.short_line(now - started))

        def observe(event: Event) -> None:
            nonlocal drawn
            tally.count(event)
            now = time.monotonic()
            if now - drawn >= REDRAW_EVERY_S:
                drawn = now
                draw(now)

        try:
            yield observe
        finally:
            draw(time.monotonic())
