"""Pairs the scored cells of two sides by model and brief, and says what moved. Pure."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from operator import attrgetter
from statistics import fmean

from graph_evaluator.analysis.choices import (
    Choice,
    OptionReader,
    count_agreement,
    have_same_usual,
    options_by_number,
    usual_options,
)
from graph_evaluator.analysis.paired_test import NumberName
from graph_evaluator.analysis.summary import (
    ModelAndBrief,
    Summary,
    content_coverage,
    group,
    score_brief,
    summarise,
)
from graph_evaluator.records.scorecard import ScoredCell

ROUNDING = 1e-9
"""Equal scores that were added up in another order differ by less."""


@dataclass(frozen=True, slots=True)
class PairEnd:
    """A model on a brief, on one side: its cells, and the mean form and content of its answers, one
    without a usable graph counting 0. Content is None where it is not measured.
    """

    cells: list[ScoredCell]
    form: float
    content: float | None

    @property
    def codes(self) -> set[str]:
        """The codes that make graphs unusable, or say why there is none."""
        return {code for cell in self.cells for code in cell.codes}

    @property
    def answers(self) -> list[ScoredCell]:
        """The cells with an answer."""
        return [cell for cell in self.cells if cell.answered]


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


def score_change(before: float, after: float) -> float:
    """How much a score rose; 0 where only the order of additions made a difference."""
    return after - before if abs(after - before) > ROUNDING else 0.0


@dataclass(frozen=True, slots=True)
class Pair:
    """A model on a brief that both sides asked."""

    model_id: str
    brief_id: str
    baseline: PairEnd
    candidate: PairEnd
    choice: PairedChoice

    @property
    def has_scores(self) -> bool:
        """Whether both sides have an answer."""
        return bool(self.baseline.answers and self.candidate.answers)

    @property
    def difference(self) -> float:
        """Candidate less baseline of form."""
        return score_change(self.baseline.form, self.candidate.form)

    @property
    def content_difference(self) -> float | None:
        """Candidate less baseline of the contents; None where one has none."""
        before, after = self.baseline.content, self.candidate.content
        return None if before is None or after is None else score_change(before, after)

    @property
    def gained(self) -> list[str]:
        """The codes that some sample of the candidate has and none of the baseline."""
        return sorted(self.candidate.codes - self.baseline.codes)

    @property
    def lost(self) -> list[str]:
        """The codes that some sample of the baseline has and none of the candidate."""
        return sorted(self.baseline.codes - self.candidate.codes)

    @property
    def moved(self) -> bool:
        """Whether its form, its content, its codes or its recommended option changed."""
        has_other_figures = self.difference or self.content_difference
        return bool(has_other_figures or self.gained or self.lost or self.choice.changed)

    @property
    def unchanged(self) -> bool:
        """Whether both sides have the same answers, scored by the same rules and alike."""
        before, after = (
            [(cell.fingerprint, cell.scoring_rules) for cell in end.answers]
            for end in (self.baseline, self.candidate)
        )
        are_known = all(fingerprint for fingerprint, _ in before)
        return are_known and before == after and not self.moved


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The pairs, sorted by model and brief, and what could not be paired.

    `asked` were asked on both sides, `only_baseline` and `only_candidate` on one; `unpaired` were
    asked on both and have no answer on one of them. `..._unanswered` counts the cells without an
    answer among those that both sides asked.
    """

    asked: list[ModelAndBrief]
    pairs: tuple[Pair, ...]
    only_baseline: list[ModelAndBrief]
    only_candidate: list[ModelAndBrief]
    unpaired: list[ModelAndBrief]
    baseline_unanswered: int
    candidate_unanswered: int


def pair(
    baseline: Sequence[ScoredCell],
    candidate: Sequence[ScoredCell],
    *,
    paired_as: str | None = None,
) -> Pairing:
    """Pair two sides' cells. A cell without an answer has no score; it is left out and counted.

    `paired_as` names the pairs of sides that have one model each; None: models pair by their id.
    """
    before, after = _ends(baseline, paired_as), _ends(candidate, paired_as)
    asked = sorted(before.keys() & after.keys())
    pairs = []
    for key in asked:
        sides = before[key], after[key]
        pairs.append(Pair(*key, *sides, pair_choices(*(end.cells for end in sides))))
    return Pairing(
        asked=asked,
        pairs=tuple(pair for pair in pairs if pair.has_scores),
        only_baseline=sorted(before.keys() - after.keys()),
        only_candidate=sorted(after.keys() - before.keys()),
        unpaired=[(pair.model_id, pair.brief_id) for pair in pairs if not pair.has_scores],
        baseline_unanswered=sum(not cell.answered for key in asked for cell in before[key].cells),
        candidate_unanswered=sum(not cell.answered for key in asked for cell in after[key].cells),
    )


def _ends(cells: Sequence[ScoredCell], paired_as: str | None) -> dict[ModelAndBrief, PairEnd]:
    """The cells of each model and brief, by sample."""
    covered = content_coverage(cells)
    in_order = sorted(cells, key=lambda cell: cell.cell)
    groups = group(in_order, lambda cell: (paired_as or cell.model_id, cell.brief_id))
    return {key: _end_of(of_key, covered) for key, of_key in groups.items()}


def _end_of(cells: list[ScoredCell], covered: Collection[ModelAndBrief]) -> PairEnd:
    answers = [cell for cell in cells if cell.answered]
    if not answers:
        return PairEnd(cells, 0.0, None)
    score = score_brief(answers, covered)
    return PairEnd(cells, score.form, score.content)


def summarise_side(ends: Sequence[PairEnd], confidence: float) -> Summary:
    """The summary of one side, with intervals at `confidence`."""
    cells = [cell for end in ends for cell in end.cells]
    measured = [end.cells[0] for end in ends if end.content is not None]
    covered = {(cell.model_id, cell.brief_id) for cell in measured}
    return summarise(cells, confidence=confidence, covered=covered)


def brief_means(pairs: Iterable[Pair], value_of: Callable[[Pair], float | None]) -> list[float]:
    """The mean over models of a value of each pair, by brief; a brief without one is left out."""
    of_briefs = group(pairs, lambda pair: pair.brief_id).values()
    values = [[value_of(pair) for pair in of_brief] for of_brief in of_briefs]
    known = [[value for value in of_brief if value is not None] for of_brief in values]
    return [fmean(of_brief) for of_brief in known if of_brief]


def brief_values(pairs: Iterable[Pair], number: NumberName) -> list[tuple[float, float]]:
    """The means over models of baseline and candidate, of each brief that has both."""
    before, after = attrgetter(f"baseline.{number}"), attrgetter(f"candidate.{number}")
    known = [pair for pair in pairs if None not in (before(pair), after(pair))]
    return list(zip(brief_means(known, before), brief_means(known, after), strict=True))
