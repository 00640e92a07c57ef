"""The search for a better prompt: gepa proposes on the briefs that learn, and keeps what scores
higher; the scores on the briefs that choose name the best.

gepa's own calls, logging, tracking and saved state are not used.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from gepa.api import optimize
from gepa.core.adapter import EvaluationBatch, ProposalFn
from gepa.core.state import GEPAState

from stages.contracts.brief import Brief
from stages.contracts.improvement import CandidatePrompt, Refusal
from stages.improve.reflection import (
    MAX_SHOWN_BRIEFS,
    Graded,
    Proposal,
    feedback_on,
    read_proposal,
    request_text,
)
from stages.improve.refusals import RefusalRules
from stages.shell import numbers

PROMPT = "prompt"
"""The one component of gepa's candidates."""
Feedback = Mapping[str, str]
BriefAnswers = tuple[str, Sequence[Graded]]
"""A brief by its id, and the answers to it."""


class Trials(Protocol):
    """What the search asks for: answers, each paid for once."""

    def answer(self, prompt: str, brief_ids: Sequence[str]) -> Mapping[str, Sequence[Graded]]:
        """The graded answers to each of the briefs with a prompt, one at least."""

    def propose(self, request: str, number: int) -> str:
        """The proposer's answer to a request, asked for the `number`-th time."""

    @property
    def usd(self) -> float:
        """What the search has cost so far, US dollars."""


class SearchEnded(BaseException):
    """Carries an error out of gepa, which goes on after every exception of its adapter."""


@contextmanager
def _ending_search() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise SearchEnded from error


@dataclass(slots=True)
class Search:
    """A search, as gepa's adapter and its stop condition; it holds what was tried so far."""

    base: str
    learning: Mapping[str, Brief]
    choosing: Sequence[str]
    trials: Trials
    rules: RefusalRules
    rounds: int
    say: Callable[[str], None]
    round: int = 0
    tried: dict[str, CandidatePrompt] = field(default_factory=dict)
    """The base and each candidate by its text, without scores."""
    scores: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    """Mean expected score by prompt and brief."""
    refusals: list[Refusal] = field(default_factory=list)
    propose_new_texts: ProposalFn | None = None
    """Part of gepa's protocol; `propose` is passed instead."""
    _asked: Counter[str] = field(default_factory=Counter)

    def run(self, seed: int) -> None:
        """Search; an error of a trial ends it."""
        self.tried[self.base] = CandidatePrompt(round=0, text=self.base)
        try:
            optimize(
                seed_candidate={PROMPT: self.base},
                trainset=list(self.learning),
                valset=list(self.choosing),
                adapter=self,
                custom_candidate_proposer=self.propose,
                reflection_minibatch_size=min(MAX_SHOWN_BRIEFS, len(self.learning)),
                stop_callbacks=self.stop,
                logger=_Silent(),
                seed=seed,
            )
        except SearchEnded as ended:
            raise ended.__cause__ or ended from None

    def stop(self, gepa_state: GEPAState[None, int]) -> bool:
        """Whether all rounds are over, which is asked before each."""
        if self.round:
            self.say(self._progress())
        self.round += 1
        return self.round > self.rounds

    def _progress(self) -> str:
        candidates = self.candidates()
        best = max(candidate.choose or 0.0 for candidate in candidates)
        return (
            f"round {self.round} of {self.rounds}: "
            f"{numbers.counted(len(candidates) - 1, 'candidate')}, {len(self.refusals)} refused, "
            f"best on choose {numbers.score(best)} (base {numbers.score(candidates[0].choose)}), "
            f"{numbers.money(self.trials.usd)}"
        )

    def evaluate(
        self, batch: list[str], candidate: dict[str, str], capture_traces: bool = False
    ) -> EvaluationBatch[BriefAnswers, None]:
        """Score a prompt on briefs; the traces are the answers."""
        with _ending_search():
            prompt = candidate[PROMPT]
            answers = self.trials.answer(prompt, batch)
            for brief_id in batch:
                self.scores[prompt][brief_id] = _mean_score(answers[brief_id])
            scores = [self.scores[prompt][brief_id] for brief_id in batch]
            traces = [(brief_id, answers[brief_id]) for brief_id in batch]
            return EvaluationBatch([None] * len(batch), scores, traces)

    def make_reflective_dataset(
        self,
        candidate: dict[str, str],
        eval_batch: EvaluationBatch[BriefAnswers, None],
        components_to_update: list[str],
    ) -> Mapping[str, Sequence[Feedback]]:
        """The feedback on each brief of a round; a brief that does not learn has none."""
        with _ending_search():
            feedback = [
                feedback_on(self.learning[brief_id], answers)
                for brief_id, answers in eval_batch.trajectories or ()
            ]
            return {PROMPT: [{"feedback": text} for text in feedback]}

    def propose(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Feedback]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """A candidate prompt; nothing where the proposal is refused."""
        with _ending_search():
            feedback = [entry["feedback"] for entry in reflective_dataset[PROMPT]]
            request = request_text(candidate[PROMPT], feedback, self.rules.max_characters)
            self._asked[request] += 1
            proposal = read_proposal(self.trials.propose(request, self._asked[request]))
            reason = self._refusal(proposal)
            if proposal is None or reason:
                self.refusals.append(Refusal(round=self.round, reason=reason or ""))
                return {}
            reasons = {**self.tried[candidate[PROMPT]].reasons, **proposal.reasons}
            tried = CandidatePrompt(round=self.round, reasons=reasons, text=proposal.text)
            self.tried[proposal.text] = tried
            return {PROMPT: proposal.text}

    def _refusal(self, proposal: Proposal | None) -> str | None:
        if proposal is None:
            return "the answer holds no prompt"
        if proposal.text in self.tried:
            return "it is the same as an earlier one"
        return self.rules.refusal(proposal.text)

    def candidates(self) -> tuple[CandidatePrompt, ...]:
        """The base and every candidate that was tried, with their scores."""
        return tuple(
            candidate.model_copy(
                update={
                    "learn": self._mean(candidate.text, self.learning),
                    "choose": self._mean(candidate.text, self.choosing),
                }
            )
            for candidate in self.tried.values()
        )

    def _mean(self, prompt: str, brief_ids: Collection[str]) -> float | None:
        scores = [score for name, score in self.scores[prompt].items() if name in brief_ids]
        return sum(scores) / len(scores) if scores else None


def best_candidate(candidates: Sequence[CandidatePrompt]) -> int | None:
    """The place of the candidate that scores highest on the briefs that choose, the first of equal
    ones; the base, in place 0, is none.
    """
    scores = [candidate.choose for candidate in candidates]
    places = [place for place, score in enumerate(scores) if place and score is not None]
    return max(places, key=lambda place: scores[place] or 0.0, default=None)


def chooses_better(candidates: Sequence[CandidatePrompt], place: int | None) -> bool:
    """Whether the candidate in this place scores higher than the base on the briefs that choose."""
    base = candidates[0].choose
    best = None if place is None else candidates[place].choose
    return base is not None and best is not None and best > base


class _Silent:
    """gepa's logger."""

    def log(self, _message: str) -> None:
        """Print nothing."""


def _mean_score(answers: Sequence[Graded]) -> float:
    scores = [graded.card.expected_score or 0.0 for graded in answers]
    return sum(scores) / len(scores)
