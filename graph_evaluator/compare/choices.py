"""Whether two sides recommend the same option, and whether they differ more than the baseline's own
answers do. Pure.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from graph_evaluator.analysis.choices import (
    Choice,
    OptionReader,
    count_agreement,
    have_same_usual,
    options_by_number,
    usual_options,
)
from graph_evaluator.analysis.paired_test import PairedTest
from graph_evaluator.records.record import Measurement
from graph_evaluator.records.scorecard import ScoredCell


@dataclass(frozen=True, slots=True)
class PairedChoice:
    """What a model recommends for a brief on both sides.

    `same`: whether the options that each side recommends most often have one in common; None where
    a side recommends none, or their options do not pair. `baseline` and `candidate` are the labels
    of these options. `excess` is how much less often answers of the two sides agree than two
    answers of the baseline, -1 to 1; None without two.
    """

    same: bool | None
    baseline: str
    candidate: str
    excess: float | None

    @property
    def changed(self) -> bool:
        """Whether the sides recommend different options."""
        return self.same is False


def pair_choices(baseline: Iterable[ScoredCell], candidate: Iterable[ScoredCell]) -> PairedChoice:
    """The choice of one model for one brief, by the cells of both sides."""
    reader = OptionReader()
    before, after = reader.read(baseline), reader.read(candidate)
    within = count_agreement(combinations(before, 2)).share
    between = count_agreement(product(before, after)).share
    return PairedChoice(
        same=have_same_usual(before, after),
        baseline=_usual_labels(before),
        candidate=_usual_labels(after),
        excess=None if within is None or between is None else within - between,
    )


def _usual_labels(choices: Sequence[Choice]) -> str:
    options = options_by_number(choices)
    return " or ".join(options[number][0].label for number in sorted(usual_options(choices)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceComparison:
    """Whether two sides recommend the same options, over pairs of model and brief.

    Of `compared` pairs `same` have an option in common; in `not_compared` the options of the two
    sides do not pair. `reruns` is how often two answers of the baseline agree, the mean over
    briefs. `excess` tests how much less often answers of the two sides agree than that, by brief;
    not measured without two answers of the baseline.
    """

    compared: int
    same: int
    not_compared: int
    reruns: Measurement
    excess: PairedTest

    @property
    def changed(self) -> bool:
        """Whether more choices changed than reruns of the baseline explain."""
        return self.excess.change == "up"
