"""Reviews: the pairs of graphs that people are shown (`reviews/ID.key.json`), their answers
(`reviews/ID.NAME.jsonl`), and `results/agreement.json`: how often people agree with the score, with
each other and with themselves.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Literal

from stages.contracts.json_text import canonical
from stages.contracts.record import Array, Record
from stages.contracts.response import Cell

Choice = Literal["left", "right", "none"]
"""Which of two graphs a person would rather work with; `none`: no difference."""
PairSide = Literal["left", "right"]
PairKind = Literal["pair", "control", "repeat"]
"""A pair of two answers, an answer beside its damaged copy, an earlier pair once more with its
sides exchanged.
"""
Size = Literal["small", "middle", "large"]
SIZES: dict[Size, tuple[float, float]] = {
    "small": (0.0, 0.05),
    "middle": (0.05, 0.15),
    "large": (0.15, 1.0),
}
"""Classes of differences of two scores: from the first number (included) to the second (excluded,
but for 1).
"""

KEY_SUFFIX, REVIEW_SUFFIX = ".key.json", ".jsonl"
REVIEW_FILE = re.compile(r"([0-9a-f]{10})\.([a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?)\.jsonl")
"""The name of a review file: the id of the pairs and the name of the reviewer."""


class ShownGraph(Record):
    """A graph that is shown; `side` names its side (a model, or a run) where two are compared, else
    "".
    """

    model_id: str
    sample: int
    fingerprint: str | None
    side: str = ""


class PairKey(Record):
    """What is behind a pair. `damaged` is the damaged copy of a control pair, `repeats` the pair
    that a repeat shows again.
    """

    pair: str
    kind: PairKind
    brief_id: str
    left: ShownGraph
    right: ShownGraph
    damaged: PairSide | None = None
    repeats: str | None = None

    def cell(self, side: PairSide) -> Cell:
        """The cell of the graph on a side."""
        shown = self.left if side == "left" else self.right
        return Cell(shown.model_id, self.brief_id, shown.sample)


class ReviewKey(Record):
    """One key file. `review` is the hash of the pairs; `sides` are the two models or runs that are
    compared, if there are two.
    """

    review: str
    seed: int
    sides: Array[str] = ()
    pairs: Array[PairKey]


class Review(Record):
    """One line of a review file: what one person answered about one pair."""

    review: str
    reviewer: str
    pair: str
    choice: Choice
    reason: str = ""


def review_id(pairs: Iterable[PairKey]) -> str:
    """The id of a review: ten hex digits of the hash of its pairs."""
    return hashlib.sha256(canonical([pair.to_json() for pair in pairs])).hexdigest()[:10]


def size_of(difference: float) -> Size:
    """The class of a difference of two scores, whatever its sign; rounded, so that 0.8 and 0.75
    differ by 0.05.
    """
    distance = round(abs(difference), 9)
    return next(size for size, (_, end) in SIZES.items() if distance < end or end == 1.0)


class AgreementShare(Record):
    """How often the score's order is the people's: `agreed` of the judgements in which both have an
    order (`decided`).

    `ties` are judgements "no difference", `score_ties` those in which the person chose and the
    score does not differ. `share` is agreed / decided, 0 to 1, `low` to `high` its 95 % interval
    over `briefs`; None where nothing was decided, or on one brief only.
    """

    judgements: int
    decided: int
    agreed: int
    ties: int
    score_ties: int
    briefs: int
    share: float | None
    low: float | None
    high: float | None


class SizeAgreement(Record):
    """The agreement on pairs whose scores differ by `at_least` to `below`."""

    size: Size
    at_least: float
    below: float
    agreement: AgreementShare


class SubScoreAgreement(Record):
    """The agreement of one sub-score's order with the people's."""

    name: str
    agreement: AgreementShare


class Reviewer(Record):
    """One review file, `counted` in shares other than its own unless more than one control was
    missed.

    A control is missed where the damaged copy was preferred or no difference seen. `repeated_alike`
    of the `repeats` got the same answer.
    """

    review: str
    name: str
    counted: bool
    pairs: int
    controls: int
    controls_missed: int
    repeats: int
    repeated_alike: int
    agreement: AgreementShare


class BetweenReviewers(Record):
    """Krippendorff's alpha over `pairs` that two or more counted reviewers answered, 1 for perfect
    agreement, 0 for chance.

    The scale is left, no difference, right, and ordinal. `low` to `high` is the 95 % interval over
    `briefs`.
    """

    pairs: int
    briefs: int
    alpha: float | None
    low: float | None
    high: float | None


class ChosenGraph(Record):
    """A graph of a disagreement, its expected score, and how many people preferred it."""

    model_id: str
    sample: int
    score: float
    preferred: int


class Disagreement(Record):
    """A pair in which more people preferred the graph with the lower score; `reasons` are
    theirs.
    """

    review: str
    pair: str
    brief_id: str
    lower: ChosenGraph
    higher: ChosenGraph
    ties: int
    reasons: Array[str]


class SidePreference(Record):
    """Which of two models or runs people preferred: the judgements on all pairs of one review,
    whatever the scores.
    """

    review: str
    first: str
    second: str
    preferred_first: int
    preferred_second: int
    ties: int


class Agreement(Record):
    """Everything in `results/agreement.json`. `not_in_run` judgements are about graphs that the
    present run does not have.
    """

    reviews: int
    judgements: int
    not_in_run: int
    overall: AgreementShare
    by_size: Array[SizeAgreement]
    by_sub_score: Array[SubScoreAgreement]
    between: BetweenReviewers
    reviewers: Array[Reviewer]
    disagreements: Array[Disagreement]
    preferences: Array[SidePreference]

    @property
    def measured(self) -> bool:
        """Whether anybody's judgement counts."""
        return self.overall.decided > 0
