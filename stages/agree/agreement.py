"""The agreement of people with the score, recomputed from their reviews and the present scorecards. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from stages.agree.alpha import ordinal_alpha
from stages.agree.intervals import interval_over_briefs, share_over_briefs
from stages.contracts.cell import Cell
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
    SizeAgreement,
    SubScoreAgreement,
    size_of,
)

MOST_MISSED = 1
"""Missed controls of a review file at most, for its judgements to count."""
MOST_DISAGREEMENTS = 20
_ORDER: dict[Choice, int] = {"left": -1, "none": 0, "right": 1}


@dataclass(frozen=True, slots=True)
class ReviewFile:
    """One review file: the pairs, who judged them, and the answer to each by the pair's name."""

    key: ReviewKey
    reviewer: str
    answers: Mapping[str, Review]


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
    """A counted judgement of a pair whose graphs are both in the present run."""

    review: str
    pair: PairKey
    choice: int
    reason: str
    left: Scored
    right: Scored

    @property
    def vote(self) -> Vote:
        return Vote(self.pair.brief_id, self.choice, self.right.score - self.left.score)


def agreement_of(files: Sequence[ReviewFile], scored: Mapping[Cell, Scored]) -> Agreement:
    """Everything about the agreement; without files all counts are 0 and all shares None.

    Args:
        files: The review files.
        scored: The cells of the present run that have an expected score.
    """
    files = sorted(files, key=lambda file: (file.key.review, file.reviewer))
    reviewers = tuple(_reviewer(file, scored) for file in files)
    counted = [file for file, reviewer in zip(files, reviewers, strict=True) if reviewer.counted]
    judgements = [judgement for file in counted for judgement in _judgements(file, scored)]
    every = sum(len(_plain(file)) for file in counted)
    return Agreement(
        reviews=len({file.key.review for file in files}),
        judgements=every,
        not_in_run=every - len(judgements),
        overall=share_of([judgement.vote for judgement in judgements]),
        by_size=tuple(_by_size(judgements)),
        by_sub_score=tuple(_by_sub_score(judgements)),
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
    decided = [vote for vote in votes if vote.choice and abs(vote.difference) > 1e-9]
    hits: dict[str, list[bool]] = defaultdict(list)
    for vote in decided:
        hits[vote.brief_id].append((vote.choice > 0) == (vote.difference > 0))
    interval = share_over_briefs(hits)
    ties = sum(vote.choice == 0 for vote in votes)
    agreed = sum(map(sum, hits.values()))
    return AgreementShare(
        judgements=len(votes),
        decided=len(decided),
        agreed=agreed,
        ties=ties,
        score_ties=len(votes) - len(decided) - ties,
        briefs=len(hits),
        share=agreed / len(decided) if decided else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
    )


def _plain(file: ReviewFile) -> list[tuple[PairKey, Review]]:
    """The pairs of two answers, without controls and repeats."""
    return [(pair, file.answers[pair.pair]) for pair in file.key.pairs if pair.kind == "pair"]


def _judgements(file: ReviewFile, scored: Mapping[Cell, Scored]) -> Iterator[_Judgement]:
    for pair, review in _plain(file):
        left, right = scored.get(pair.cell("left")), scored.get(pair.cell("right"))
        if left is None or right is None:
            continue
        if (left.fingerprint, right.fingerprint) == (pair.left.fingerprint, pair.right.fingerprint):
            yield _Judgement(file.key.review, pair, _ORDER[review.choice], review.reason, left, right)


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
        repeated_alike=sum(_ORDER[second.choice] == -_ORDER[first.choice] for second, first in again),
        agreement=share_of(judgement.vote for judgement in _judgements(file, scored)),
    )


def _by_size(judgements: Sequence[_Judgement]) -> Iterator[SizeAgreement]:
    for size, (at_least, below) in SIZES.items():
        votes = [vote for judgement in judgements if size_of((vote := judgement.vote).difference) == size]
        yield SizeAgreement(size=size, at_least=at_least, below=below, agreement=share_of(votes))


def _by_sub_score(judgements: Sequence[_Judgement]) -> Iterator[SubScoreAgreement]:
    names = dict.fromkeys(name for judgement in judgements for name in judgement.left.sub_scores)
    for name in names:
        votes = [
            Vote(one.pair.brief_id, one.choice, one.right.sub_scores[name] - one.left.sub_scores[name])
            for one in judgements
            if name in one.left.sub_scores and name in one.right.sub_scores
        ]
        yield SubScoreAgreement(name=name, agreement=share_of(votes))


def _between(files: Sequence[ReviewFile]) -> BetweenReviewers:
    """The reviewers' agreement with each other on what they saw: the scores play no part, so neither does the present run."""
    units: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for file in files:
        for pair, review in _plain(file):
            units[pair.brief_id, file.key.review, pair.pair].append(_ORDER[review.choice])
    by_brief: dict[str, list[list[int]]] = defaultdict(list)
    for (brief_id, _, _), values in sorted(units.items()):
        if len(values) > 1:
            by_brief[brief_id].append(values)
    interval = interval_over_briefs(ordinal_alpha, by_brief, (-1.0, 1.0))
    return BetweenReviewers(
        pairs=sum(map(len, by_brief.values())),
        briefs=len(by_brief),
        alpha=ordinal_alpha([unit for found in by_brief.values() for unit in found]),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
    )


def _disagreements(judgements: Sequence[_Judgement]) -> list[Disagreement]:
    """The pairs on which most people disagree with the score, the largest difference of scores first."""
    found: list[Disagreement] = []
    ordered = sorted(judgements, key=lambda one: (one.review, one.pair.pair))
    for _, same in groupby(ordered, key=lambda one: (one.review, one.pair.pair)):
        group = list(same)
        first = group[0]
        lower = -1 if first.vote.difference > 0 else 1
        votes = [judgement.choice for judgement in group]
        if votes.count(lower) > votes.count(-lower) and abs(first.vote.difference) > 1e-9:
            found.append(
                Disagreement(
                    review=first.review,
                    pair=first.pair.pair,
                    brief_id=first.pair.brief_id,
                    lower=_chosen(first, lower, votes),
                    higher=_chosen(first, -lower, votes),
                    ties=votes.count(0),
                    reasons=tuple(one.reason for one in group if one.reason and one.choice == lower),
                )
            )
    return sorted(found, key=lambda one: one.lower.score - one.higher.score)[:MOST_DISAGREEMENTS]


def _chosen(judgement: _Judgement, side: int, votes: Sequence[int]) -> ChosenGraph:
    pair = judgement.pair
    shown, scored = (pair.left, judgement.left) if side < 0 else (pair.right, judgement.right)
    return ChosenGraph(
        model_id=shown.model_id, sample=shown.sample, score=scored.score, preferred=votes.count(side)
    )  # fmt: skip


def _preferences(files: Sequence[ReviewFile]) -> Iterator[SidePreference]:
    for _, same in groupby(files, key=lambda file: file.key.review):
        group = list(same)
        key = group[0].key
        if len(key.sides) == 2:
            first, second = key.sides
            chosen = [
                {"left": pair.left.side, "right": pair.right.side, "none": ""}[review.choice]
                for file in group
                for pair, review in _plain(file)
            ]
            yield SidePreference(
                review=key.review,
                first=first,
                second=second,
                preferred_first=chosen.count(first),
                preferred_second=chosen.count(second),
                ties=chosen.count(""),
            )
