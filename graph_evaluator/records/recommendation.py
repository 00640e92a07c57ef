"""Which option a graph recommends by its own numbers."""

from typing import Literal

from graph_evaluator.records.record import Array, Omitted, Record

TIE_SHARE = 0.01
"""Gains that differ by less than this share of the largest one are a tie."""


class OptionGain(Record):
    """What an option of a graph gains at the goal, by the graph's own numbers.

    `gain` is its level of the goal minus that of the status quo, or minus the level before any
    option where the graph has no status quo. `certainty` is the share of draws of the graph's
    strengths in which no option is better; options that are equally good share a draw. `stated` is
    the option of the brief's front-matter that it is; empty where that is not known.
    """

    label: str
    gain: float
    certainty: float
    status_quo: Omitted[bool] = False
    stated: Omitted[str] = ""


class Recommendation(Record):
    """The options of a graph, the largest gain first; equal ones in the order of the graph."""

    options: Array[OptionGain]

    @property
    def recommended(self) -> tuple[OptionGain, ...]:
        """The best option, and every option that ties with it."""
        gains = [option.gain for option in self.options]
        smallest = gains[0] - tie_tolerance(gains)
        tied = [option for option in self.options[1:] if option.gain > smallest]
        return (self.options[0], *tied)

    @property
    def margin(self) -> float:
        """The gain of the best option minus that of the next one; 0 where it is the only one."""
        return self.options[0].gain - self.options[min(1, len(self.options) - 1)].gain

    @property
    def certainty(self) -> float:
        """The share of draws in which the best option stays the best, 0 to 1."""
        return self.options[0].certainty

    @property
    def status_quo_rank(self) -> Literal["best", "last", "between"] | None:
        """Where the status quo is among the options; None where no option is it."""
        for option in self.options:
            if option.status_quo and option in self.recommended:
                return "best"
            if option.status_quo:
                return "last" if option is self.options[-1] else "between"
        return None


def tie_tolerance(gains: list[float]) -> float:
    """By how much less than the best gain a gain may be to tie with it: a share of the largest."""
    return TIE_SHARE * max(map(abs, gains))
