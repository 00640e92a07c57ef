"""Pairs the scored cells of two sides by model and brief, and says what moved. Pure."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from statistics import fmean

from graph_evaluator.analysis.choices import (
    Choice,
    OptionReader,
    count_agreement,
    have_same_usual,
    options_by_number,
    usual_options,
)
from graph_evaluator.analysis.summary import (
    BriefScore,
    ModelAndBrief,
    Summary,
    content_coverage,
    group,
    score_brief,
    summarise,
)
from graph_evaluator.records.scorecard import ScoredCell

EQUAL_FORMS = 1e-4
"""Scores that differ by no more are equal: git keeps four decimals."""


@dataclass(frozen=True, slots=True)
class PairEnd:
    """A model on a brief, on one side: its cells, and their score, None without an answer."""

    cells: list[ScoredCell]
    score: BriefScore | None

    @property
    def form(self) -> float:
        """The mean form over samples."""
        return self.score.form if self.score else 0.0

    @property
    def content(self) -> float | None:
        """The mean content of the answers, one without a usable graph counting 0; None where it is
        not measured.
        """
        return self.score.content if self.score else None

    @property
    def codes(self) -> set[str]:
        """The codes that make graphs unusable, or say why there is none."""
        return {code for cell in self.cells for code in cell.codes}

    @property
    def answers(self) -> list[tuple[str | None, str]]:
        """The fingerprints of the answers, None where one is not known, and the rules that scored
        them.
        """
        answered = [cell for cell in self.cells if cell.answered]
        return [(cell.fingerprint, cell.scoring_rules) for cell in answered]

    @property
    def simulated(self) -> bool:
        """Whether an answer is of a simulated model."""
        return any(cell.cost.simulated for cell in self.cells)

    @property
    def unanswered(self) -> int:
        """The number of cells without an answer."""
        return sum(not cell.answered for cell in self.cells)


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
        """Candidate less baseline of form, 0 where rounding explains it."""
        return _difference(self.baseline.form, self.candidate.form)

    @property
    def content_difference(self) -> float | None:
        """Candidate less baseline of the contents; None where one has none."""
        before, after = self.baseline.content, self.candidate.content
        return None if before is None or after is None else _difference(before, after)

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
        answers = self.baseline.answers
        are_known = all(fingerprint for fingerprint, _ in answers)
        return are_known and answers == self.candidate.answers and not self.moved


def _difference(before: float, after: float) -> float:
    return after - before if abs(after - before) > EQUAL_FORMS else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The pairs, sorted by model and brief, and what could not be paired.

    `only_baseline` and `only_candidate` were asked on one side only, `unpaired` on both and have no
    answer on one of them. `..._unanswered` counts the cells without an answer among those that
    both sides asked.
    """

    pairs: tuple[Pair, ...]
    only_baseline: list[ModelAndBrief]
    only_candidate: list[ModelAndBrief]
    unpaired: list[ModelAndBrief]
    baseline_unanswered: int
    candidate_unanswered: int

    @property
    def asked(self) -> list[ModelAndBrief]:
        """Every model and brief that both sides asked."""
        return [*((pair.model_id, pair.brief_id) for pair in self.pairs), *self.unpaired]


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
    pairs = [_pair(key, before[key], after[key]) for key in asked]
    return Pairing(
        pairs=tuple(pair for pair in pairs if pair.has_scores),
        only_baseline=sorted(before.keys() - after.keys()),
        only_candidate=sorted(after.keys() - before.keys()),
        unpaired=[(pair.model_id, pair.brief_id) for pair in pairs if not pair.has_scores],
        baseline_unanswered=sum(pair.baseline.unanswered for pair in pairs),
        candidate_unanswered=sum(pair.candidate.unanswered for pair in pairs),
    )


def _pair(key: ModelAndBrief, baseline: PairEnd, candidate: PairEnd) -> Pair:
    return Pair(*key, baseline, candidate, pair_choices(baseline.cells, candidate.cells))


def _ends(cells: Sequence[ScoredCell], paired_as: str | None) -> dict[ModelAndBrief, PairEnd]:
    """The cells of each model and brief, by sample."""
    covered = content_coverage(cells)
    in_order = sorted(cells, key=lambda cell: cell.cell)
    groups = group(in_order, lambda cell: (paired_as or cell.model_id, cell.brief_id))
    return {key: PairEnd(of_key, _score_end(of_key, covered)) for key, of_key in groups.items()}


def _score_end(
    cells: Sequence[ScoredCell], covered: Collection[ModelAndBrief]
) -> BriefScore | None:
    answers = [cell for cell in cells if cell.answered]
    return score_brief(answers, covered) if answers else None


def summarise_side(ends: Sequence[PairEnd], confidence: float) -> Summary:
    """The summary of one side, with intervals at `confidence`."""
    cells = [cell for end in ends for cell in end.cells]
    measured = [end.cells[0] for end in ends if end.content is not None]
    covered = {(cell.model_id, cell.brief_id) for cell in measured}
    return summarise(cells, confidence=confidence, covered=covered)


def brief_means(
    pairs: Iterable[Pair], value_of: Callable[[Pair], float | None]
) -> dict[str, float]:
    """The mean over models of a value of each pair, by brief; a brief without one is left out."""
    means = {}
    for brief, of_brief in group(pairs, lambda pair: pair.brief_id).items():
        known = [value for value in map(value_of, of_brief) if value is not None]
        if known:
            means[brief] = fmean(known)
    return means


def form_differences(pairs: Iterable[Pair]) -> list[float]:
    """Candidate less baseline of the mean form over models, of each brief."""
    return list(brief_means(pairs, lambda pair: pair.difference).values())


def content_differences(pairs: Iterable[Pair]) -> list[float]:
    """The same of the mean content, of the briefs that have it on both sides."""
    return list(brief_means(pairs, lambda pair: pair.content_difference).values())
