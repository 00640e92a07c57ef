"""The agreement of people with the score, recomputed from their reviews and the present scorecards. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

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
    Review,
    Reviewer,
    ReviewKey,
    SidePreference,
    Size,
    SizeAgreement,
    SubScoreAgreement,
    size_of,
)
from stages.statistics.agreement import alpha_interval, ordinal_alpha, share_over_briefs

MOST_MISSED = 1
"""Missed controls of a review file at most, for its judgements to count."""
MOST_DISAGREEMENTS = 20
Side = Literal["left", "right"]
_ORDER: dict[Choice, int] = {"left": -1, "none": 0, "right": 1}


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
    """The scores of a cell in the present run: its expected score and sub-scores, and the fingerprint of the answer that has them."""

    fingerprint: str | None
    score: float
    sub_scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Vote:
    """A choice between two graphs of a brief (-1 left, 0 no difference, 1 right) and by how much the right one's score is higher."""

    brief_id: str
    choice: int
    difference: float


@dataclass(frozen=True, slots=True)
class _Judgement:
    pair: PairKey
    review: Review
    left: Scored
    right: Scored

    @property
    def vote(self) -> Vote:
        return Vote(
            self.pair.brief_id, _ORDER[self.review.choice], self.right.score - self.left.score
        )


def agreement_of(files: Sequence[ReviewFile], scored: Mapping[Cell, Scored]) -> Agreement:
    """Everything about the agreement over the cells that have a score; without files all counts are 0 and all shares None."""
    files = sorted(files, key=lambda file: (file.key.review, file.reviewer))
    reviewers = tuple(_reviewer(file, scored) for file in files)
    counted = [file for file, reviewer in zip(files, reviewers, strict=True) if reviewer.counted]
    judgements = [judgement for file in counted for judgement in _judgements(file, scored)]
    votes = [judgement.vote for judgement in judgements]
    every = sum(len(file.plain()) for file in counted)
    return Agreement(
        reviews=len({file.key.review for file in files}),
        judgements=every,
        not_in_run=every - len(judgements),
        overall=share_of(votes),
        by_size=tuple(
            SizeAgreement(
                size=size, at_least=low, below=high, agreement=share_of(_of_size(votes, size))
            )
            for size, (low, high) in SIZES.items()
        ),
        by_sub_score=tuple(
            SubScoreAgreement(name=name, agreement=share_of(_of_sub_score(judgements, name)))
            for name in dict.fromkeys(name for one in judgements for name in one.left.sub_scores)
        ),
        between=_between(counted),
        reviewers=reviewers,
        disagreements=tuple(_disagreements(judgements)),
        preferences=tuple(_preferences(counted)),
    )


def share_of(votes: Iterable[Vote]) -> AgreementShare:
    """How often the order of the scores is that of the votes, with the interval over briefs.

    >>> share = share_of([Vote("b1", 1, 0.2), Vote("b1", -1, 0.2), Vote("b2", -1, -0.1), Vote("b2", 0, 0.3), Vote("b3", 1, 0.0)])
    >>> share.agreed, share.decided, share.ties, share.score_ties, share.briefs
    (2, 3, 1, 1, 2)
    """
    votes = list(votes)
    hits: dict[str, list[bool]] = defaultdict(list)
    for vote in votes:
        if vote.choice and abs(vote.difference) > 1e-9:
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


def _judgements(file: ReviewFile, scored: Mapping[Cell, Scored]) -> Iterator[_Judgement]:
    for pair, review in file.plain():
        left, right = scored.get(pair.cell("left")), scored.get(pair.cell("right"))
        answers = pair.left.fingerprint, pair.right.fingerprint
        if left and right and (left.fingerprint, right.fingerprint) == answers:
            yield _Judgement(pair, review, left, right)


def _reviewer(file: ReviewFile, scored: Mapping[Cell, Scored]) -> Reviewer:
    answers = file.answers
    controls = [pair for pair in file.key.pairs if pair.kind == "control"]
    missed = sum(answers[pair.pair].choice in (pair.damaged, "none") for pair in controls)
    again = [(answers[pair.pair], answers[pair.repeats]) for pair in file.key.pairs if pair.repeats]
    return Reviewer(
        review=file.key.review,
        name=file.reviewer,
        counted=missed <= MOST_MISSED,
        pairs=len(file.key.pairs),
        controls=len(controls),
        controls_missed=missed,
        repeats=len(again),
        repeated_alike=sum(
            _ORDER[second.choice] == -_ORDER[first.choice] for second, first in again
        ),
        agreement=share_of(one.vote for one in _judgements(file, scored)),
    )


def _of_size(votes: Iterable[Vote], size: Size) -> list[Vote]:
    return [vote for vote in votes if size_of(vote.difference) == size]


def _of_sub_score(judgements: Iterable[_Judgement], name: str) -> list[Vote]:
    subs = [(one.vote, one.left.sub_scores, one.right.sub_scores) for one in judgements]
    return [
        replace(vote, difference=b[name] - a[name])
        for vote, a, b in subs
        if name in a and name in b
    ]


def _between(files: Sequence[ReviewFile]) -> BetweenReviewers:
    """The reviewers' agreement with each other on what they saw: the scores play no part, so neither does the present run."""
    units: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for file in files:
        for pair, review in file.plain():
            units[pair.brief_id, file.key.review, pair.pair].append(_ORDER[review.choice])
    by_brief: dict[str, list[list[int]]] = defaultdict(list)
    for (brief_id, _, _), values in sorted(units.items()):
        if len(values) > 1:
            by_brief[brief_id].append(values)
    every = [unit for found in by_brief.values() for unit in found]
    interval = alpha_interval(by_brief)
    return BetweenReviewers(
        pairs=len(every),
        briefs=len(by_brief),
        alpha=ordinal_alpha(every),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
    )


def _disagreements(judgements: Sequence[_Judgement]) -> list[Disagreement]:
    by_pair: dict[tuple[str, str], list[_Judgement]] = defaultdict(list)
    for judgement in judgements:
        by_pair[judgement.review.review, judgement.pair.pair].append(judgement)
    found: list[Disagreement] = []
    for (review, pair), group in sorted(by_pair.items()):
        vote = group[0].vote
        choices = [one.review.choice for one in group]
        lower: Side = "left" if vote.difference > 0 else "right"
        higher: Side = "right" if vote.difference > 0 else "left"
        if choices.count(lower) > choices.count(higher) and abs(vote.difference) > 1e-9:
            reasons = [one.review.reason for one in group if one.review.choice == lower]
            found.append(
                Disagreement(
                    review=review, pair=pair, brief_id=vote.brief_id, lower=_chosen(group, lower),
                    higher=_chosen(group, higher), ties=choices.count("none"), reasons=tuple(filter(None, reasons)),
                )
            )  # fmt: skip
    return sorted(found, key=lambda one: one.lower.score - one.higher.score)[:MOST_DISAGREEMENTS]


def _chosen(group: Sequence[_Judgement], side: Side) -> ChosenGraph:
    first = group[0]
    cell, scored = first.pair.cell(side), first.left if side == "left" else first.right
    preferred = sum(one.review.choice == side for one in group)
    return ChosenGraph(
        model_id=cell.model_id, sample=cell.sample, score=scored.score, preferred=preferred
    )


def _preferences(files: Sequence[ReviewFile]) -> Iterator[SidePreference]:
    for review, same in groupby(files, key=lambda file: file.key.review):
        group = list(same)
        if len(group[0].key.sides) == 2:
            first, second = group[0].key.sides
            chosen = Counter(
                {"left": pair.left.side, "right": pair.right.side, "none": ""}[answer.choice]
                for file in group
                for pair, answer in file.plain()
            )
            yield SidePreference(
                review=review, first=first, second=second,
                preferred_first=chosen[first], preferred_second=chosen[second], ties=chosen[""],
            )  # fmt: skip
