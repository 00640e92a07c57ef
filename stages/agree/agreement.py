"""The agreement of people with the score, recomputed from their reviews and the present scorecards.
Pure.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from stages.contracts.response import Cell
from stages.contracts.review import (
    SIZES,
    Agreement,
    AgreementShare,
    BetweenReviewers,
    Choice,
    ChosenGraph,
    Disagreement,
    PairKey,
    PairSide,
    Review,
    Reviewer,
    ReviewKey,
    SidePreference,
    SizeAgreement,
    SubScoreAgreement,
    size_of,
)
from stages.shell import numbers, paths
from stages.statistics.agreement import alpha_interval, ordinal_alpha, share_over_briefs

MAX_MISSED = 1
"""Missed controls of a review file at most, for its judgements to count."""
MAX_DISAGREEMENTS = 20
CHOICE_ORDER: dict[Choice, int] = {"left": -1, "none": 0, "right": 1}


@dataclass(frozen=True, slots=True)
class ReviewFile:
    """One review file: the pairs, who judged them, and the answer to each by the pair's name."""

    key: ReviewKey
    reviewer: str
    answers: Mapping[str, Review]

    def plain(self) -> list[tuple[PairKey, Review]]:
        """The pairs of two answers, without controls and repeats."""
        return [(pair, self.answers[pair.pair]) for pair in self.key.pairs if pair.kind == "pair"]


@dataclass(frozen=True, slots=True)
class Scored:
    """The expected score and the sub-scores of a cell in the present run, and its answer's
    fingerprint.
    """

    fingerprint: str | None
    score: float
    sub_scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Vote:
    """A choice between two graphs of a brief: -1 left, 0 no difference, 1 right.

    `difference` is the score of the right graph less that of the left one.
    """

    brief_id: str
    choice: int
    difference: float


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """An answer about a pair whose graphs both have a score in the present run."""

    pair: PairKey
    review: Review
    left: Scored
    right: Scored

    @property
    def vote(self) -> Vote:
        """The choice, with the difference of the two scores."""
        difference = self.right.score - self.left.score
        return Vote(self.pair.brief_id, CHOICE_ORDER[self.review.choice], difference)


def agreement_of(files: Sequence[ReviewFile], scored: Mapping[Cell, Scored]) -> Agreement:
    """Everything about the agreement over the cells that have a score.

    Without files all counts are 0 and all shares None.
    """
    files = sorted(files, key=lambda file: (file.key.review, file.reviewer))
    reviewers = tuple(_reviewer(file, scored) for file in files)
    checked = zip(files, reviewers, strict=True)
    counted = [file for file, reviewer in checked if reviewer.counted]
    judgements = [judgement for file in counted for judgement in _judgements(file, scored)]
    votes = [judgement.vote for judgement in judgements]
    total = sum(len(file.plain()) for file in counted)
    return Agreement(
        reviews=len({file.key.review for file in files}),
        judgements=total,
        not_in_run=total - len(judgements),
        overall=share_of(votes),
        by_size=tuple(_by_size(votes)),
        by_sub_score=tuple(_by_sub_score(judgements)),
        between=_between(counted),
        reviewers=reviewers,
        disagreements=tuple(_disagreements(judgements)),
        preferences=tuple(_preferences(counted)),
    )


def agreement_sentence(agreement: Agreement) -> str:
    """The share of decided judgements, and what is not in it; "not measured" without any."""
    if not agreement.reviewers:
        return f"not measured, {paths.REVIEWS.as_posix()}/ has no reviews"
    overall = agreement.overall
    counted = sum(reviewer.counted for reviewer in agreement.reviewers)
    share = "not measured"
    if overall.decided:
        share = f"{numbers.share_of(overall.agreed, overall.decided)} of the decided judgements"
    parts = [f"{share}, {numbers.counted(counted, 'review')}"]
    if agreement.not_in_run:
        judgements = numbers.counted(agreement.not_in_run, "judgement")
        parts.append(f"{judgements} of graphs that are not in this run")
    left_out = len(agreement.reviewers) - counted
    if left_out:
        parts.append(f"{left_out} not counted, more than one control missed")
    return "; ".join(parts)


def share_of(votes: Iterable[Vote]) -> AgreementShare:
    """How often the order of the scores is that of the votes, with the interval over briefs.

    >>> votes = [Vote("b1", 1, 0.2), Vote("b1", -1, 0.2), Vote("b2", -1, -0.1), Vote("b2", 0, 0.3)]
    >>> share = share_of([*votes, Vote("b3", 1, 0.0)])
    >>> share.agreed, share.decided, share.ties, share.score_ties, share.briefs
    (2, 3, 1, 1, 2)
    """
    votes = list(votes)
    hits: defaultdict[str, list[bool]] = defaultdict(list)
    for vote in votes:
        if vote.choice and not _is_tie(vote.difference):
            hits[vote.brief_id].append((vote.choice > 0) == (vote.difference > 0))
    interval = share_over_briefs(hits)
    ties = sum(vote.choice == 0 for vote in votes)
    decided, agreed = sum(map(len, hits.values())), sum(map(sum, hits.values()))
    return AgreementShare(
        judgements=len(votes),
        decided=decided,
        agreed=agreed,
        ties=ties,
        score_ties=len(votes) - decided - ties,
        briefs=len(hits),
        share=agreed / decided if decided else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
    )


def _is_tie(difference: float) -> bool:
    return abs(difference) <= 1e-9


def _judgements(file: ReviewFile, scored: Mapping[Cell, Scored]) -> Iterator[JudgedPair]:
    """The answers about pairs whose two graphs are those of the present run."""
    for pair, review in file.plain():
        left, right = scored.get(pair.cell("left")), scored.get(pair.cell("right"))
        if left is None or right is None:
            continue
        shown = (pair.left.fingerprint, pair.right.fingerprint)
        if shown == (left.fingerprint, right.fingerprint):
            yield JudgedPair(pair, review, left, right)


def _reviewer(file: ReviewFile, scored: Mapping[Cell, Scored]) -> Reviewer:
    answers = file.answers
    controls = [pair for pair in file.key.pairs if pair.kind == "control"]
    missed = sum(answers[pair.pair].choice in (pair.damaged, "none") for pair in controls)
    repeats = [
        (answers[pair.pair].choice, answers[pair.repeats].choice)
        for pair in file.key.pairs
        if pair.repeats
    ]
    alike = [CHOICE_ORDER[second] == -CHOICE_ORDER[first] for second, first in repeats]
    return Reviewer(
        review=file.key.review,
        name=file.reviewer,
        counted=missed <= MAX_MISSED,
        pairs=len(file.key.pairs),
        controls=len(controls),
        controls_missed=missed,
        repeats=len(repeats),
        repeated_alike=sum(alike),
        agreement=share_of(judgement.vote for judgement in _judgements(file, scored)),
    )


def _by_size(votes: Sequence[Vote]) -> Iterator[SizeAgreement]:
    for size, (low, high) in SIZES.items():
        share = share_of(vote for vote in votes if size_of(vote.difference) == size)
        yield SizeAgreement(size=size, at_least=low, below=high, agreement=share)


def _by_sub_score(judgements: Sequence[JudgedPair]) -> Iterator[SubScoreAgreement]:
    names = [name for judgement in judgements for name in judgement.left.sub_scores]
    for name in dict.fromkeys(names):
        share = share_of(_votes_of(judgements, name))
        yield SubScoreAgreement(name=name, agreement=share)


def _votes_of(judgements: Iterable[JudgedPair], name: str) -> Iterator[Vote]:
    """The votes, with the difference of one sub-score, where both graphs have it."""
    for judgement in judgements:
        left, right = (graph.sub_scores.get(name) for graph in (judgement.left, judgement.right))
        if left is not None and right is not None:
            yield replace(judgement.vote, difference=right - left)


def _between(files: Sequence[ReviewFile]) -> BetweenReviewers:
    """The reviewers' agreement with each other on what they saw, whatever its scores."""
    answers: defaultdict[tuple[str, str, str], list[int]] = defaultdict(list)
    for file in files:
        for pair, review in file.plain():
            place = (pair.brief_id, file.key.review, pair.pair)
            answers[place].append(CHOICE_ORDER[review.choice])
    by_brief: defaultdict[str, list[list[int]]] = defaultdict(list)
    for (brief_id, _, _), choices in sorted(answers.items()):
        if len(choices) > 1:
            by_brief[brief_id].append(choices)
    units = [unit for units_of_brief in by_brief.values() for unit in units_of_brief]
    interval = alpha_interval(by_brief)
    return BetweenReviewers(
        pairs=len(units),
        briefs=len(by_brief),
        alpha=ordinal_alpha(units),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
    )


def _disagreements(judgements: Sequence[JudgedPair]) -> list[Disagreement]:
    """The pairs in which more people preferred the lower score, the largest difference first."""
    by_pair: defaultdict[tuple[str, str], list[JudgedPair]] = defaultdict(list)
    for judgement in judgements:
        by_pair[judgement.review.review, judgement.pair.pair].append(judgement)
    disagreements = []
    for _, group in sorted(by_pair.items()):
        difference = group[0].vote.difference
        lower: PairSide = "left" if difference > 0 else "right"
        higher: PairSide = "right" if difference > 0 else "left"
        choices = [judgement.review.choice for judgement in group]
        if choices.count(lower) > choices.count(higher) and not _is_tie(difference):
            disagreements.append(_disagreement(group, lower, higher))
    ordered = sorted(disagreements, key=lambda pair: pair.lower.score - pair.higher.score)
    return ordered[:MAX_DISAGREEMENTS]


def _disagreement(group: Sequence[JudgedPair], lower: PairSide, higher: PairSide) -> Disagreement:
    first = group[0]
    reviews = [judgement.review for judgement in group]
    reasons = [review.reason for review in reviews if review.choice == lower]
    return Disagreement(
        review=first.review.review,
        pair=first.pair.pair,
        brief_id=first.pair.brief_id,
        lower=_chosen(group, lower),
        higher=_chosen(group, higher),
        ties=sum(review.choice == "none" for review in reviews),
        reasons=tuple(filter(None, reasons)),
    )


def _chosen(group: Sequence[JudgedPair], side: PairSide) -> ChosenGraph:
    first = group[0]
    cell = first.pair.cell(side)
    scored = first.left if side == "left" else first.right
    preferred = sum(judgement.review.choice == side for judgement in group)
    return ChosenGraph(
        model_id=cell.model_id, sample=cell.sample, score=scored.score, preferred=preferred
    )


def _preferences(files: Sequence[ReviewFile]) -> Iterator[SidePreference]:
    for review, same in groupby(files, key=lambda file: file.key.review):
        group = list(same)
        if len(group[0].key.sides) != 2:
            continue
        first, second = group[0].key.sides
        chosen = Counter(side for file in group for side in _chosen_sides(file))
        yield SidePreference(
            review=review,
            first=first,
            second=second,
            preferred_first=chosen[first],
            preferred_second=chosen[second],
            ties=chosen[""],
        )


def _chosen_sides(file: ReviewFile) -> Iterator[str]:
    """The side whose graph was preferred in each pair; "" for no difference."""
    for pair, answer in file.plain():
        sides = {"left": pair.left.side, "right": pair.right.side, "none": ""}
        yield sides[answer.choice]
