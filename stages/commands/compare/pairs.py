"""Pairs the scored cells of two sides by model and brief, and says what moved. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from stages.shared.analysis.scored_cell import ScoredCell, group
from stages.shared.analysis.summary import Summary, Weights, briefs_with_content, summarise

ModelAndBrief: TypeAlias = tuple[str, str]
"""Model id and brief id."""
EQUAL_SCORES = 1e-4
"""Scores that differ by no more are equal: git keeps four decimals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairEnd:
    """A model, or a policy, on a brief, on one side: its cells and what they come to."""

    cells: tuple[ScoredCell, ...]
    weights: Weights | None
    summary: Summary

    @property
    def expected(self) -> float:
        """The mean expected score over samples, or over a policy's runs."""
        return self.summary.expected.value or 0.0

    @property
    def content(self) -> float | None:
        """The mean content of the answers, one without a usable graph counting 0; None where the
        brief states no effect that can be read.
        """
        return self.summary.content.value

    @property
    def codes(self) -> set[str]:
        """What makes graphs unusable, or is in place of one, in the answers that may count."""
        counted = self.weights.counted if self.weights else [1.0] * len(self.cells)
        cells = zip(self.cells, counted, strict=True)
        return {code for cell, weight in cells if weight > 0 for code in cell.codes}

    @property
    def answers(self) -> list[tuple[str, str]] | None:
        """The fingerprints of the answers and the rules that scored them; None where a fingerprint
        is not known, and of a policy.
        """
        answered = [cell for cell in self.cells if cell.answered]
        known = [(cell.fingerprint, cell.scoring_rules) for cell in answered if cell.fingerprint]
        return sorted(known) if self.weights is None and len(known) == len(answered) else None


@dataclass(frozen=True, slots=True)
class Pair:
    """A model on a brief that both sides asked."""

    model_id: str
    brief_id: str
    baseline: PairEnd
    candidate: PairEnd

    @property
    def key(self) -> ModelAndBrief:
        """The model and the brief."""
        return self.model_id, self.brief_id

    @property
    def has_scores(self) -> bool:
        """Whether both sides have an answer, or an estimate of their policy."""
        return bool(self.baseline.summary.briefs and self.candidate.summary.briefs)

    @property
    def difference(self) -> float:
        """Candidate less baseline of the expected scores, 0 where rounding explains it."""
        difference = self.candidate.expected - self.baseline.expected
        return difference if abs(difference) > EQUAL_SCORES else 0.0

    @property
    def content_difference(self) -> float | None:
        """Candidate less baseline of the contents; None where one has none."""
        before, after = self.baseline.content, self.candidate.content
        if before is None or after is None:
            return None
        return after - before if abs(after - before) > EQUAL_SCORES else 0.0

    @property
    def gained(self) -> tuple[str, ...]:
        """The codes that some sample of the candidate has and none of the baseline."""
        return tuple(sorted(self.candidate.codes - self.baseline.codes))

    @property
    def lost(self) -> tuple[str, ...]:
        """The codes that some sample of the baseline has and none of the candidate."""
        return tuple(sorted(self.baseline.codes - self.candidate.codes))

    @property
    def moved(self) -> bool:
        """Whether its score, its content or its codes changed."""
        return bool(self.difference or self.content_difference or self.gained or self.lost)

    @property
    def unchanged(self) -> bool:
        """Whether both sides hold the same answers, scored by the same rules and alike."""
        answers = self.baseline.answers
        return answers is not None and answers == self.candidate.answers and not self.moved


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The pairs, sorted by model and brief, and what could not be paired.

    `only_baseline` and `only_candidate` were asked on one side only, `unpaired` on both and have no
    score on one of them. Among the cells that both sides asked, so many have no answer
    (`..._unanswered`); `lost` is their share for each model, on both sides together.
    """

    pairs: tuple[Pair, ...]
    only_baseline: tuple[ModelAndBrief, ...]
    only_candidate: tuple[ModelAndBrief, ...]
    unpaired: tuple[ModelAndBrief, ...]
    baseline_unanswered: int
    candidate_unanswered: int
    lost: Mapping[str, float]

    @property
    def asked(self) -> tuple[ModelAndBrief, ...]:
        """Every model and brief that both sides asked."""
        return (*(pair.key for pair in self.pairs), *self.unpaired)


def pair(
    baseline: Sequence[ScoredCell],
    candidate: Sequence[ScoredCell],
    *,
    baseline_weights: Weights | None = None,
    candidate_weights: Weights | None = None,
) -> Pairing:
    """Pair two sides' cells. A cell without an answer has no score; it is left out and counted. A
    side that is a policy comes with the weights of its cells.
    """
    with_effects = briefs_with_content((*baseline, *candidate))
    before = _ends(baseline, baseline_weights, with_effects)
    after = _ends(candidate, candidate_weights, with_effects)
    asked = sorted(before.keys() & after.keys())
    pairs = [Pair(*key, before[key], after[key]) for key in asked]
    baseline_cells = [cell for pair in pairs for cell in pair.baseline.cells]
    candidate_cells = [cell for pair in pairs for cell in pair.candidate.cells]
    of_models = group([*baseline_cells, *candidate_cells], lambda cell: cell.model_id)
    return Pairing(
        pairs=tuple(pair for pair in pairs if pair.has_scores),
        only_baseline=tuple(sorted(before.keys() - after.keys())),
        only_candidate=tuple(sorted(after.keys() - before.keys())),
        unpaired=tuple(pair.key for pair in pairs if not pair.has_scores),
        baseline_unanswered=_unanswered(baseline_cells),
        candidate_unanswered=_unanswered(candidate_cells),
        lost={model: _unanswered(cells) / len(cells) for model, cells in of_models.items()},
    )


def _ends(
    cells: Sequence[ScoredCell], weights: Weights | None, with_effects: frozenset[str]
) -> dict[ModelAndBrief, PairEnd]:
    """The cells of each model and brief, by sample."""
    places = sorted(range(len(cells)), key=lambda place: cells[place].cell)
    groups = group(places, lambda place: (cells[place].model_id, cells[place].brief_id))
    ends = {}
    for key, of_key in groups.items():
        chosen = tuple(cells[place] for place in of_key)
        of_cells = weights.at(of_key) if weights else None
        summary = summarise(chosen, of_cells, with_effects=with_effects)
        ends[key] = PairEnd(cells=chosen, weights=of_cells, summary=summary)
    return ends


def together(ends: Sequence[PairEnd], confidence: float) -> Summary:
    """What the ends of one side come to; the intervals hold at `confidence`."""
    weights = [end.weights for end in ends if end.weights]
    of_policy = Weights(
        [weight for of_end in weights for weight in of_end.called],
        [weight for of_end in weights for weight in of_end.counted],
    )
    cells = [cell for end in ends for cell in end.cells]
    briefs = {cell.brief_id for end in ends if end.content is not None for cell in end.cells}
    return summarise(
        cells, of_policy if weights else None, confidence=confidence, with_effects=briefs
    )


def _unanswered(cells: Sequence[ScoredCell]) -> int:
    return sum(not cell.answered for cell in cells)


def by_model(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    """The pairs of each model, sorted by model id."""
    return group(pairs, lambda pair: pair.model_id)


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


def score_differences(pairs: Iterable[Pair]) -> dict[str, float]:
    """Candidate less baseline of the mean expected score over models, by brief."""
    return brief_means(pairs, lambda pair: pair.difference)


def content_differences(pairs: Iterable[Pair]) -> dict[str, float]:
    """The same of the mean content, for the briefs that have it on both sides."""
    return brief_means(pairs, lambda pair: pair.content_difference)
