"""The files of `review`: the pairs of graphs that people see, and their answers."""

import re
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from graph_evaluator.records.json_text import sha256_of
from graph_evaluator.records.record import Array, Record, WrittenRecord
from graph_evaluator.records.response import Cell

Preference = Literal["left", "right", "none"]
"""Which of two graphs a person would rather work with; `none`: no difference."""
PairSide = Literal["left", "right"]

KEY_SUFFIX, REVIEW_SUFFIX = ".key.json", ".jsonl"
REVIEW_FILE = re.compile(r"([0-9a-f]{10})\.([a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?)\.jsonl")
"""The name of a review file: the id of the pairs and the name of the reviewer."""


NOTES_FILE = re.compile(r"notes-([a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?)\.jsonl")
"""The name of a file of notes, with the name of the person."""


class AnswerNote(WrittenRecord):
    """What one person noted about an answer: good or bad, a word for the kind of failure, and a
    sentence.
    """

    model_id: str
    brief_id: str
    sample: int
    fingerprint: str | None
    mark: Literal["good", "bad"]
    kind: Annotated[str, Field(max_length=40)] = ""
    text: Annotated[str, Field(max_length=1000)] = ""

    @property
    def answer(self) -> tuple[Cell, str | None]:
        """The answer that it is about, which another run may not have."""
        return Cell(self.model_id, self.brief_id, self.sample), self.fingerprint


class ShownGraph(Record):
    """A graph that is shown; `side` names its side (a model, or a run) where two are compared, else
    "".
    """

    model_id: str
    sample: int
    fingerprint: str | None
    side: str = ""


class PairKey(Record):
    """The two answers behind a pair."""

    pair: str
    brief_id: str
    left: ShownGraph
    right: ShownGraph

    def cell(self, side: PairSide) -> Cell:
        """The cell of the graph on a side."""
        shown = self.left if side == "left" else self.right
        return Cell(shown.model_id, self.brief_id, shown.sample)


class ReviewKey(Record):
    """One key file. `review` is the hash of the pairs; `sides` are the two models or runs that are
    compared, if there are two.
    """

    review: str
    sides: Array[str] = ()
    pairs: Array[PairKey]


class Review(Record):
    """One line of a review file: what one person answered about one pair."""

    review: str
    reviewer: str
    pair: str
    choice: Preference
    reason: str = ""


def review_id(pairs: Iterable[PairKey]) -> str:
    """The id of a review: ten hex digits of the hash of its pairs."""
    return sha256_of([pair.to_json() for pair in pairs])[:10]
