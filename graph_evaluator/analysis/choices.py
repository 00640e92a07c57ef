"""Whether answers to one brief recommend the same option: which option is which across answers, and
how often two of them agree. Pure.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from statistics import fmean

from rapidfuzz import fuzz, utils

from graph_evaluator.analysis.interval import mean_share
from graph_evaluator.records.recommendation import OptionGain, Recommendation
from graph_evaluator.records.record import Measurement
from graph_evaluator.records.scorecard import ScoredCell

MIN_SIMILARITY = 50.0
"""Labels whose words are less alike, from 0 to 100, are of different options. Of the 106 options
that real answers to the same brief had in common, 104 paired and none wrongly.
"""
MIN_PAIRED = 2 / 3
"""Graphs are compared where at least this share of their options pairs."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What one answer to a brief recommends.

    `options` numbers the options of the recommendation, the best first. An option has the same
    number in all answers that are read together.
    """

    cell: ScoredCell
    recommendation: Recommendation
    options: tuple[int, ...]

    @property
    def recommended(self) -> frozenset[int]:
        """The numbers of the best option and of those that tie with it."""
        return frozenset(self.options[: len(self.recommendation.recommended)])

    def agrees_with(self, other: "Choice") -> bool | None:
        """Whether both recommend the same option; ties agree where they share one. None where too
        few of their options pair.
        """
        paired = len(set(self.options) & set(other.options))
        if 2 * paired < MIN_PAIRED * (len(self.options) + len(other.options)):
            return None
        return not self.recommended.isdisjoint(other.recommended)


class OptionReader:
    """Reads which option of a brief each option of its answers is.

    The options of an answer are paired one to one with those of earlier answers, the most similar
    first: by the stated option that they are, as the status quo, by the words of their labels. An
    option without a partner is one of its own.
    """

    def __init__(self) -> None:
        self._known: list[OptionGain] = []

    def read(self, cells: Iterable[ScoredCell]) -> list[Choice]:
        """The choices of the usable answers among cells of the brief, by cell."""
        return [
            Choice(cell, cell.recommendation, self._number(cell.recommendation.options))
            for cell in sorted(cells, key=lambda cell: cell.cell)
            if cell.usable and cell.recommendation
        ]

    def _number(self, options: Sequence[OptionGain]) -> tuple[int, ...]:
        """The numbers of an answer's options; new ones are added to the known ones."""
        pairs = [
            (-_similarity(option, other), place, number)
            for (place, option), (number, other) in product(
                enumerate(options), enumerate(self._known)
            )
        ]
        numbers: dict[int, int] = {}
        for distance, place, number in sorted(pairs):
            is_free = place not in numbers and number not in numbers.values()
            if is_free and -distance >= MIN_SIMILARITY:
                numbers[place] = number
        for place, option in enumerate(options):
            if place not in numbers:
                numbers[place] = len(self._known)
                self._known.append(option)
        return tuple(numbers[place] for place in range(len(options)))


def _similarity(option: OptionGain, other: OptionGain) -> float:
    """How likely two options are the same one: by their words from 0 to 100, above where more is
    known, 0 for two stated options.
    """
    if option.stated and other.stated:
        return 102.0 if option.stated == other.stated else 0.0
    if option.status_quo and other.status_quo:
        return 101.0
    first, second = map(utils.default_process, (option.label, other.label))
    return (fuzz.token_set_ratio(first, second) + fuzz.token_sort_ratio(first, second)) / 2


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many pairs of answers recommend the same option, of those that could be compared; and how
    many could not.
    """

    same: int = 0
    compared: int = 0
    not_compared: int = 0

    @property
    def share(self) -> float | None:
        """The share that agrees, 0 to 1; None where none could be compared."""
        return self.same / self.compared if self.compared else None


def count_agreement(pairs: Iterable[tuple[Choice, Choice]]) -> Agreement:
    """The agreement of pairs of choices."""
    verdicts = Counter(one.agrees_with(other) for one, other in pairs)
    compared = verdicts[True] + verdicts[False]
    return Agreement(verdicts[True], compared, verdicts[None])


def agreement_within(choices: Sequence[Choice]) -> Agreement:
    """The agreement of each two of several choices: no pair of one."""
    return count_agreement(combinations(choices, 2))


def agreement_between(before: Sequence[Choice], after: Sequence[Choice]) -> Agreement:
    """The agreement of each of some choices with each of others."""
    return count_agreement(product(before, after))


def options_by_number(choices: Iterable[Choice]) -> dict[int, list[OptionGain]]:
    """What choices say of each option, by its number."""
    options: defaultdict[int, list[OptionGain]] = defaultdict(list)
    for choice in choices:
        for number, option in zip(choice.options, choice.recommendation.options, strict=True):
            options[number].append(option)
    return dict(sorted(options.items()))


def usual_options(choices: Iterable[Choice]) -> frozenset[int]:
    """The options that are recommended most often among choices; none without a choice."""
    times = Counter(number for choice in choices for number in choice.recommended)
    most = max(times.values(), default=0)
    return frozenset(number for number, count in times.items() if count == most)


def have_same_usual(before: Sequence[Choice], after: Sequence[Choice]) -> bool | None:
    """Whether some choices have a usual option in common with others; None where none of the one
    can be compared with one of the others.
    """
    if not agreement_between(before, after).compared:
        return None
    return not usual_options(before).isdisjoint(usual_options(after))


@dataclass(frozen=True, slots=True)
class ChoiceSummary:
    """What usable graphs recommend.

    * same_choice: the mean over n briefs of the share of pairs of one model's answers that
      recommend the same option; not measured without a brief that has two
    * not_compared: pairs of answers whose options do not pair
    * certainty: the mean over the n graphs that recommend an option, without an interval
    * with_status_quo, status_quo_best, status_quo_last: graphs with a status quo; those that
      recommend it; those in which it is the worst option
    """

    same_choice: Measurement
    not_compared: int
    certainty: Measurement
    with_status_quo: int
    status_quo_best: int
    status_quo_last: int


def summarise_choices(cells: Iterable[ScoredCell], confidence: float) -> ChoiceSummary:
    """The summary of the choices of cells; several models are averaged on each brief."""
    answers: defaultdict[str, defaultdict[str, list[ScoredCell]]]
    answers = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        answers[cell.brief_id][cell.model_id].append(cell)
    choices: list[Choice] = []
    shares: list[float] = []
    not_compared = 0
    for models in answers.values():
        of_models = [OptionReader().read(of_model) for of_model in models.values()]
        agreements = [agreement_within(of_model) for of_model in of_models]
        known = [agreement.share for agreement in agreements if agreement.share is not None]
        shares += [fmean(known)] if known else []
        not_compared += sum(agreement.not_compared for agreement in agreements)
        choices += chain.from_iterable(of_models)
    advice = [choice.recommendation for choice in choices]
    places = [(given.status_quo_place, len(given.options) - 1) for given in advice]
    certainties = [given.certainty for given in advice]
    return ChoiceSummary(
        same_choice=mean_share(shares, confidence),
        not_compared=not_compared,
        certainty=Measurement(value=fmean(certainties) if advice else None, n=len(advice)),
        with_status_quo=sum(place is not None for place, _ in places),
        status_quo_best=sum(place == 0 for place, _ in places),
        status_quo_last=sum(place == last for place, last in places),
    )
