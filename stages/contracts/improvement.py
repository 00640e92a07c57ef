"""`results/improve.json`: a search for a better prompt, its candidates and refusals, and what
briefs that nobody had looked at say about the best one. `results/improve/parts.json`: which briefs
those are, and how often they were used.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from stages.contracts.decision import Measurement
from stages.contracts.record import Array, Record
from stages.contracts.settlement import Settlement

BriefRole = Literal["prove", "learn", "choose"]
ImprovementEnding = Literal["proven", "not proven", "no candidate", "budget", "failures"]


class BriefParts(Record):
    """Which part each brief is in, whatever the prompt, and every use of those that prove.

    A use is named by the base's SHA-256 and the id of the run that the candidate makes of all
    briefs.
    """

    parts: dict[str, BriefRole] = Field({})
    """The part of each brief, by id."""
    uses: Array[str] = ()

    def with_use(self, use: str) -> "BriefParts":
        """The parts after a use, which is new or one of those before."""
        return self.model_copy(update={"uses": tuple(dict.fromkeys((*self.uses, use)))})

    def likely_use(self, base_sha256: str) -> int:
        """Which use a search makes, from 1: the last one of the same base, which a repeated search
        makes again, or the next.
        """
        same = [n for n, use in enumerate(self.uses, 1) if use.startswith(base_sha256)]
        return max(same, default=len(self.uses) + 1)


class PromptChange(Record):
    """What a change of the best candidate was meant to fix, by the proposer, and how many answers
    to the briefs that prove have that finding; null: not measured.
    """

    finding: str
    reason: str
    before: float | None = None
    """Share of the answers to the base, 0 to 1."""
    after: float | None = None


class CandidatePrompt(Record):
    """A candidate prompt with its mean expected scores; null: not measured on that part."""

    round: int
    """In which it was proposed; 0: the base."""
    learn: float | None = None
    """On the briefs that it was tried on last."""
    choose: float | None = None
    reasons: dict[str, str] = Field({})
    """Why each of its changes was made, by the finding it is to fix."""
    text: str


def best_place(candidates: Sequence[CandidatePrompt]) -> int | None:
    """The place of the candidate that scores highest on the briefs that choose, the first of equal
    ones; the base, in place 0, is none.
    """
    scores = [candidate.choose for candidate in candidates]
    places = [place for place, score in enumerate(scores) if place and score is not None]
    return max(places, key=lambda place: scores[place] or 0.0, default=None)


class Refusal(Record):
    """A proposal that was not tried, and why."""

    round: int
    reason: str


class Improvement(Record):
    """A search so far. `ended` is null until it ends; `best` is the place in `candidates` of the
    one that chooses best among those proposed, and `prompt` its file; null where there is none.
    """

    base: str
    """Path of the prompt that is to be improved."""
    run: str
    """Id of the run that the base makes of all briefs."""
    by: str
    """Id of the model that proposes."""
    simulated: bool = False
    """Whether a model of the search is simulated."""
    accepted: bool = False
    verdict: str = "no improvement shown"
    reason: str | None = None
    ended: ImprovementEnding | None = None
    parts: dict[BriefRole, Array[str]]
    """Ids of the briefs."""
    candidates: Array[CandidatePrompt] = ()
    refusals: Array[Refusal] = ()
    best: int | None = None
    prompt: str | None = None
    changes: Array[PromptChange] = ()
    use: int | None = None
    """Which use of the briefs that prove this is, from 1."""
    proof: Settlement | None = None
    content: Measurement | None = None
    """Difference on the briefs that prove."""
    calls: int = 0
    """Answers that were used, whoever paid for them, as usd."""
    usd: float = 0.0

    @property
    def commands(self) -> Sequence[str]:
        """What records an accepted prompt, at no cost."""
        return self.proof.commands if self.accepted and self.proof else ()

    @property
    def chooses_better(self) -> bool:
        """Whether the best candidate scores higher than the base on the briefs that choose."""
        scores = [candidate.choose or 0.0 for candidate in self.candidates]
        return self.best is not None and scores[self.best] > scores[0]
