"""Reviews: which pairs of graphs people are shown (`reviews/ID.key.json`) and what they answer (`reviews/ID.NAME.jsonl`)."""

import hashlib
import re
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from stages.contracts.cell import Cell
from stages.contracts.json_text import canonical
from stages.contracts.record import Record

Choice = Literal["left", "right", "none"]
"""Which of two graphs a person would rather work with; `none`: no difference."""
PairKind = Literal["pair", "control", "repeat"]
"""A pair of two answers, an answer beside its damaged copy, an earlier pair once more with its sides exchanged."""
Size = Literal["small", "middle", "large"]
SIZES: dict[Size, tuple[float, float]] = {"small": (0.0, 0.05), "middle": (0.05, 0.15), "large": (0.15, 1.0)}
"""Classes of differences of two scores: from the first number (included) to the second (excluded, but for 1)."""

KEY_SUFFIX, REVIEW_SUFFIX = ".key.json", ".jsonl"
REVIEW_FILE = re.compile(r"([0-9a-f]{10})\.([a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?)\.jsonl")
"""The name of a review file: the id of the pairs and the name of the reviewer."""


class ShownGraph(Record):
    """A graph that is shown: the cell and the fingerprint of its answer.

    `side` names its side (a model, or a run) where two are compared, else "".
    """

    model_id: str
    sample: int
    fingerprint: str | None
    side: str = ""


class PairKey(Record):
    """What is behind a pair. `damaged` is the damaged copy of a control pair, `repeats` the pair that a repeat shows again."""

    pair: str
    kind: PairKind
    brief_id: str
    left: ShownGraph
    right: ShownGraph
    damaged: Literal["left", "right"] | None = None
    repeats: str | None = None

    def cell(self, side: Literal["left", "right"]) -> Cell:
        """The cell of the graph on a side."""
        shown = self.left if side == "left" else self.right
        return Cell(shown.model_id, self.brief_id, shown.sample)


class ReviewKey(Record):
    """One key file. `review` is the hash of the pairs; `sides` are the two models or runs that are compared, if there are two."""

    review: str
    seed: int
    sides: Annotated[tuple[str, ...], Field(strict=False)] = ()
    pairs: Annotated[tuple[PairKey, ...], Field(strict=False)]


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
    """The class of a difference of two scores, whatever its sign; rounded, so that 0.8 and 0.75 differ by 0.05.

    >>> size_of(0.01), size_of(-0.05), size_of(0.8 - 0.75), size_of(1.0)
    ('small', 'middle', 'middle', 'large')
    """
    distance = round(abs(difference), 9)
    return next(size for size, (_, end) in SIZES.items() if distance < end or end == 1.0)
