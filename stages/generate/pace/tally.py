"""What a run has come to so far, counted from its events, and the line that says it."""

import msgspec

from stages.generate.pace.event import Event


class Tally(msgspec.Struct):
    """Counts of a run of `total` calls. `unpriced` answers have no known cost and are not in `cost_usd`."""

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

    def count(self, event: Event) -> None:
        """Take one event into account."""
        if event.kind == "answered":
            self.answered += 1
            self.cost_usd += event.cost_usd or 0.0
            self.unpriced += event.cost_usd is None
        elif event.kind == "failed":
            self.failed += 1
        elif event.kind == "retrying":
            self.retried += 1
        elif event.kind == "further":
            self.total += 1

    def line(self, elapsed_s: float) -> str:
        """One line for people.

        >>> Tally(total=10, answered=4, failed=1, retried=2, cost_usd=0.5).line(60.0)
        '5 of 10 done, 1 failed, 2 retried, 5.0 per minute, $0.50 so far, 1m 00s left'
        """
        parts = [f"{self.done:,} of {self.total:,} done", f"{self.failed:,} failed"]
        if self.retried:
            parts.append(f"{self.retried:,} retried")
        parts += [self.rate(elapsed_s), f"{self.cost()} so far", f"{self.left(elapsed_s)} left"]
        return ", ".join(parts)

    def short_line(self, elapsed_s: float) -> str:
        """The same without what a bar shows, to fit a terminal of 80 columns.

        >>> Tally(total=10, answered=4, failed=1, retried=2, cost_usd=0.5).short_line(60.0)
        '1 failed, 5.0 per minute, $0.50, 1m 00s left'
        """
        return f"{self.failed:,} failed, {self.rate(elapsed_s)}, {self.cost()}, {self.left(elapsed_s)} left"

    def rate(self, elapsed_s: float) -> str:
        """How fast calls get their results."""
        per_s = self.done / elapsed_s if elapsed_s > 0 else 0.0
        return f"{per_s:,.1f} per second" if per_s >= 10 else f"{per_s * 60:,.1f} per minute"

    def cost(self) -> str:
        """What the answers cost; with "+" when some have no known cost."""
        if self.unpriced and self.unpriced == self.answered:
            return "cost not known"
        return f"${self.cost_usd:,.2f}{'+' if self.unpriced else ''}"

    def left(self, elapsed_s: float) -> str:
        """The time left at the pace so far; "?" before anything is done."""
        if not self.done:
            return "?"
        left_s = round((self.total - self.done) * elapsed_s / self.done)
        hours, minutes = left_s // 3600, left_s // 60 % 60
        return f"{hours}h {minutes:02}m" if hours else f"{minutes}m {left_s % 60:02}s"
