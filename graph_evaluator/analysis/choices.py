"""Whether answers to one brief recommend the same option: which option is which across answers, and
how often two of them agree. Pure.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, TypeVar

from rapidfuzz import fuzz, utils

from graph_evaluator.records.recommendation import OptionGain, Recommendation
from graph_evaluator.records.scorecard import ScoredCell

Matched = TypeVar("Matched")
Value = TypeVar("Value")
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
            Choice(cell, cell.recommendation, self.number(cell.recommendation.options))
            for cell in sorted(cells, key=lambda cell: cell.cell)
            if cell.usable and cell.recommendation
        ]

    def number(self, options: Sequence[OptionGain]) -> tuple[int, ...]:
        """The numbers of an answer's options; new ones are added to the known ones."""
        pairs = [
            (_similarity(option, other), place, number)
            for place, option in enumerate(options)
            for number, other in enumerate(self._known)
        ]
        numbers = match_one_to_one(pairs, MIN_SIMILARITY)
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
    return word_similarity(option.label, other.label)


def word_similarity(label: str, other: str) -> float:
    """How much two labels have the same words, from 0 to 100."""
    first, second = map(utils.default_process, (label, other))
    return (fuzz.token_set_ratio(first, second) + fuzz.token_sort_ratio(first, second)) / 2


def match_one_to_one(
    pairs: Iterable[tuple[float, Matched, Value]], least: float
) -> dict[Matched, Value]:
    """Keys with the value that each is matched with: of all pairs of a similarity, a key and a
    value, the most similar first, none below `least`.

    >>> match_one_to_one([(70, "a", 1), (90, "b", 1), (60, "a", 2), (10, "c", 3)], 50)
    {'b': 1, 'a': 2}
    """
    matches: dict[Matched, Value] = {}
    for similarity, key, value in sorted(pairs, key=lambda pair: -pair[0]):
        if similarity >= least and key not in matches and value not in matches.values():
            matches[key] = value
    return matches


class Agreement(NamedTuple):
    """The share of pairs of answers that recommend the same option, 0 to 1, None without a pair
    that can be compared; and how many pairs cannot.
    """

    share: float | None
    not_compared: int


def count_agreement(pairs: Iterable[tuple[Choice, Choice]]) -> Agreement:
    """The agreement of pairs of choices."""
    verdicts = Counter(one.agrees_with(other) for one, other in pairs)
    compared = verdicts[True] + verdicts[False]
    return Agreement(verdicts[True] / compared if compared else None, verdicts[None])


def options_by_number(choices: Iterable[Choice]) -> dict[int, list[OptionGain]]:
    """Each option with its gain in every choice that has it, by the number of the option."""
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
    if count_agreement(product(before, after)).share is None:
        return None
    return not usual_options(before).isdisjoint(usual_options(after))
