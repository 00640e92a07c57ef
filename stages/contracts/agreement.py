"""`results/agreement.json`: how often people agree with the score, with each other and with themselves."""

from typing import Annotated

from pydantic import Field

from stages.contracts.record import Record
from stages.contracts.review import Size


class AgreementShare(Record):
    """How often the score's order is the people's: `agreed` of the `decided` judgements, that is those in which both have an order.

    `ties` are judgements "no difference", `score_ties` those in which the person chose and the score does not differ: neither is
    decided. `share` is agreed / decided, 0 to 1, and `low` to `high` its 95 % interval over `briefs`; None where nothing was
    decided, or on one brief only.
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
    """One review file. A file with more than one missed control is not `counted` in any share but its own.

    A control is missed where the damaged copy was preferred or no difference seen. `repeated_alike` of the `repeats` got the same answer.
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
    """Krippendorff's alpha over `pairs` that two or more counted reviewers answered, 1 for perfect agreement, 0 for chance.

    The scale is left, no difference, right, and ordinal. `low` to `high` is the 95 % interval over `briefs`.
    """

    pairs: int
    briefs: int
    alpha: float | None
    low: float | None
    high: float | None


class ChosenGraph(Record):
    """A cell of a disagreement, its expected score, and how many people preferred its graph."""

    model_id: str
    sample: int
    score: float
    preferred: int


class Disagreement(Record):
    """A pair in which more people preferred the graph with the lower score; `reasons` are theirs."""

    review: str
    pair: str
    brief_id: str
    lower: ChosenGraph
    higher: ChosenGraph
    ties: int
    reasons: Annotated[tuple[str, ...], Field(strict=False)]


class SidePreference(Record):
    """Which of two models or runs people preferred: the judgements on all pairs of one review, whatever the scores."""

    review: str
    first: str
    second: str
    preferred_first: int
    preferred_second: int
    ties: int


class Agreement(Record):
    """Everything in `results/agreement.json`. `not_in_run` judgements are about graphs that the present run does not have."""

    reviews: int
    judgements: int
    not_in_run: int
    overall: AgreementShare
    by_size: Annotated[tuple[SizeAgreement, ...], Field(strict=False)]
    by_sub_score: Annotated[tuple[SubScoreAgreement, ...], Field(strict=False)]
    between: BetweenReviewers
    reviewers: Annotated[tuple[Reviewer, ...], Field(strict=False)]
    disagreements: Annotated[tuple[Disagreement, ...], Field(strict=False)]
    preferences: Annotated[tuple[SidePreference, ...], Field(strict=False)]

    @property
    def measured(self) -> bool:
        """Whether anybody's judgement counts."""
        return self.overall.decided > 0
