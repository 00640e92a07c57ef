"""A number with its interval: the one record for what is estimated, in memory and in files."""

from stages.shared.records.record import Record


class Measurement(Record):
    """An estimate with its confidence interval and the number of briefs behind it; null: not
    measured. Where it says so, `n` counts cells, and there is no interval.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0

    @property
    def ends(self) -> tuple[float, float] | None:
        """The lower and the upper end of the interval; None without one."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def excludes_zero(self) -> bool:
        """Whether there is an interval that lies above 0 or below it."""
        return self.ends is not None and (self.ends[0] > 0 or self.ends[1] < 0)


NOT_MEASURED = Measurement()
