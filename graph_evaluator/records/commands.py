"""What the commands write.

`settle`: comparisons in planned interim analyses, and how each ended. `improve`: a search for a
better prompt, and which briefs nobody had looked at before its proof. `review`: the pairs of graphs
that people are shown, and their answers.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from pydantic import Field

from graph_evaluator.records.brief import Brief
from graph_evaluator.records.json_text import canonical
from graph_evaluator.records.record import Array, Measurement, Record
from graph_evaluator.records.response import Cell

SettlementEnding = Literal["verdict", "plan", "budget", "failures"]


class SettlePlan(Record):
    """The question, and the interim analyses that are planned."""

    baseline: str
    candidate: str
    purpose: str
    """For which the ledger has the answers that were called."""
    confidence: float
    """Of the intervals of all interim analyses together."""
    min_difference: float
    planned: Array[int]
    """Samples per cell at each interim analysis."""


class InterimAnalysis(Record):
    """The test of `compare` on so many samples per cell; null: not measured."""

    samples: int
    cells: int
    unanswered: int
    """Cells that have no answer."""
    confidence: float
    """Of the interval at this analysis."""
    difference: Measurement
    """Of the expected scores."""
    verdict: str
    """One of those of `graph_evaluator.compare`."""
    reason: str
    caveat: str | None = None


class Settlement(Record):
    """A settlement so far, with the verdict so far; `ended` is null until it ends."""

    plan: SettlePlan
    analyses: Array[InterimAnalysis] = ()
    ended: SettlementEnding | None = None
    verdict: str
    reason: str
    calls: int
    """Answers that were called for, by all runs of the command, as usd."""
    usd: float
    commands: Array[str] = ()
    """Record the outcome, at no cost."""

    @property
    def stopped(self) -> bool:
        """Whether the cap or failures ended it."""
        return self.ended in ("budget", "failures")


class Settlements(Record):
    """The last settlement of each plan, the latest at the end."""

    settlements: Array[Settlement]

    def with_last(self, settlement: Settlement) -> "Settlements":
        """These, and one that replaces that of the same plan."""
        others = [other for other in self.settlements if other.plan != settlement.plan]
        return Settlements(settlements=(*others, settlement))


BriefRole = Literal["holdout", "learn", "choose"]
MIN_HOLDOUT = 8
"""The fewest briefs of the holdout."""
ImprovementEnding = Literal["proven", "not proven", "no candidate", "budget", "failures"]
VERDICTS: Mapping[ImprovementEnding, str] = {
    "proven": "better",
    "not proven": "no improvement shown",
    "no candidate": "no improvement shown",
    "budget": "could not measure",
    "failures": "could not measure",
}


class BriefParts(Record):
    """Which part each brief is in, whatever the prompt, and every use of the holdout.

    A use is named by the baseline's SHA-256 and a hash of both prompts, models, briefs and round.
    """

    parts: dict[str, BriefRole] = Field({})
    """The part of each brief, by id."""
    uses: Array[str] = ()

    def with_briefs(self, briefs: Sequence[Brief]) -> "BriefParts":
        """The parts with every brief in one: half of them are the holdout, eight at
        least, a quarter each learns and chooses. A brief stays in its part.

        New ones are dealt complexity by complexity, in an order that depends on hashes of their ids
        alone, each to the part that lacks most of its share; the first of equal ones.
        """
        parts = dict(self.parts)
        new = [brief for brief in briefs if brief.id not in parts]
        total = max(len(parts) + len(new), MIN_HOLDOUT)
        held_out = max(Fraction(1, 2), Fraction(MIN_HOLDOUT, total))
        other = (1 - held_out) / 2
        shares: dict[BriefRole, Fraction] = {"holdout": held_out, "learn": other, "choose": other}
        new.sort(key=lambda brief: (brief.expectations.complexity, _lot(brief.id)))
        for brief in new:
            counts = Counter(parts.values())
            dealt = len(parts) + 1
            lacking = {part: share * dealt - counts[part] for part, share in shares.items()}
            parts[brief.id] = max(lacking, key=lacking.__getitem__)
        return self.model_copy(update={"parts": parts})

    def with_use(self, use: str) -> "BriefParts":
        """The parts after a use, which is new or one of those before."""
        return self.model_copy(update={"uses": tuple(dict.fromkeys((*self.uses, use)))})

    def likely_use(self, baseline_sha256: str) -> int:
        """Which use a search makes, from 1: the last one of the same baseline, which a
        repeated search makes again, or the next.
        """
        same = [n for n, use in enumerate(self.uses, 1) if use.startswith(baseline_sha256)]
        return max(same, default=len(self.uses) + 1)


def _lot(brief_id: str) -> str:
    return hashlib.sha256(f"parts 1/{brief_id}".encode()).hexdigest()


class CandidatePrompt(Record):
    """A candidate prompt with its mean expected scores; null: not measured on that part."""

    round: int
    """In which it was proposed; 0: the baseline."""
    learn: float | None = None
    """On the briefs that it was tried on last."""
    choose: float | None = None
    text: str


class Refusal(Record):
    """A proposal that was not tried, and why."""

    round: int
    reason: str


class Outcome(Record):
    """How a search ended, and what the holdout says about its best candidate."""

    ended: ImprovementEnding
    reason: str
    use: int | None = None
    """Which use of the holdout this is, from 1."""
    proof: Settlement | None = None

    @property
    def verdict(self) -> str:
        """How it ended, in words."""
        return VERDICTS[self.ended]


class Improvement(Record):
    """A search that has ended. `prompt` is the file of the candidate that is proven; null without
    one.
    """

    baseline: str
    """Path of the prompt that is to be improved."""
    purpose: str
    """For which the ledger has the answers that were called."""
    by: str
    """Id of the model that proposes."""
    parts: dict[BriefRole, Array[str]]
    """Ids of the briefs."""
    candidates: Array[CandidatePrompt]
    refusals: Array[Refusal] = ()
    prompt: str | None = None
    outcome: Outcome
    calls: int
    """Answers that were called for, by all runs of the command, as usd."""
    usd: float

    @property
    def commands(self) -> Sequence[str]:
        """What records an accepted prompt, at no cost."""
        proof = self.outcome.proof
        return proof.commands if proof and self.outcome.ended == "proven" else ()


Choice = Literal["left", "right", "none"]
"""Which of two graphs a person would rather work with; `none`: no difference."""
PairSide = Literal["left", "right"]

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
    """What is behind a pair."""

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
    choice: Choice
    reason: str = ""


def review_id(pairs: Iterable[PairKey]) -> str:
    """The id of a review: ten hex digits of the hash of its pairs."""
    return hashlib.sha256(canonical([pair.to_json() for pair in pairs])).hexdigest()[:10]
