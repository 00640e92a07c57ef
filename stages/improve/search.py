"""The search for a better prompt: gepa proposes from the briefs that learn and keeps what scores
higher on them; the scores on the briefs that choose name the best.

gepa's own calls, logging, tracking and saved state are not used.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Protocol

from gepa.api import optimize
from gepa.core.adapter import EvaluationBatch, ProposalFn
from gepa.core.state import GEPAState

from stages.contracts.improvement import CandidatePrompt, Refusal
from stages.improve.reflection import (
    MAX_SHOWN_BRIEFS,
    RefusalRules,
    feedback_on,
    read_proposal,
    request_text,
)
from stages.settle.sides import Graded
from stages.shell import numbers

PROMPT = "prompt"
"""The one component of gepa's candidates."""
SEED = 1
Texts = dict[str, str]


class Trials(Protocol):
    """What a search asks for."""

    def answer(self, prompt: str, brief_ids: Sequence[str]) -> Mapping[str, Sequence[Graded]]:
        """The graded answers to each of the briefs with a prompt, one at least."""

    def propose(self, request: str, number: int) -> str:
        """The proposer's answer to a request, which is the `number`-th of a search."""

    @property
    def usd(self) -> float:
        """What the answers cost, US dollars."""


class SearchEnded(BaseException):
    """Carries an error out of gepa, which goes on after every exception of its proposer."""


@dataclass(slots=True)
class Search:
    """A search, as gepa's adapter, stop condition and logger; it holds what was tried so far."""

    rules: RefusalRules
    choosing: Collection[str]
    trials: Trials
    rounds: int
    round: int = 0
    tried: dict[str, CandidatePrompt] = field(default_factory=dict)
    """The base and each candidate by its text."""
    refusals: list[Refusal] = field(default_factory=list)
    propose_new_texts: ProposalFn | None = None
    """Part of gepa's protocol; `propose` is passed instead."""

    def run(self) -> None:
        """Search; an error of a trial ends it."""
        base, learning = self.rules.base, [brief.id for brief in self.rules.learned]
        self.tried[base] = CandidatePrompt(round=0, text=base)
        try:
            optimize(
                seed_candidate={PROMPT: base},
                trainset=learning,
                valset=list(self.choosing),
                adapter=self,
                custom_candidate_proposer=self.propose,
                reflection_minibatch_size=min(MAX_SHOWN_BRIEFS, len(learning)),
                stop_callbacks=self.stop,
                logger=self,
                seed=SEED,
            )
        except SearchEnded as ended:
            raise ended.__cause__ or ended from None

    def stop(self, gepa_state: GEPAState[None, int]) -> bool:
        """Whether all rounds are over, which is asked before each; prints the round before it."""
        base, *others = self.tried.values()
        best = max(candidate.choose or 0.0 for candidate in (base, *others))
        if self.round:
            print(
                f"round {self.round} of {self.rounds}: "
                f"{numbers.counted(len(others), 'candidate')}, {len(self.refusals)} refused, "
                f"best on choose {numbers.score(best)} (base {numbers.score(base.choose)}), "
                f"{numbers.money(self.trials.usd)}",
                flush=True,
            )
        self.round += 1
        return self.round > self.rounds

    def log(self, message: str) -> None:
        """Print nothing of what gepa says."""

    def evaluate(
        self, batch: list[str], candidate: Texts, capture_traces: bool = False
    ) -> EvaluationBatch[str, None]:
        """Score a prompt on briefs; the traces are the feedback on those that learn."""
        answers = self.trials.answer(candidate[PROMPT], batch)
        scores = [fmean(graded.score for graded in answers[brief_id]) for brief_id in batch]
        learned = [brief for brief in self.rules.learned if brief.id in batch]
        feedback = [feedback_on(brief, answers[brief.id]) for brief in learned]
        part = "learn" if learned else "choose"
        tried = self.tried[candidate[PROMPT]]
        self.tried[tried.text] = tried.model_copy(update={part: fmean(scores)})
        return EvaluationBatch([None] * len(batch), scores, feedback)

    def make_reflective_dataset(
        self,
        candidate: Texts,
        eval_batch: EvaluationBatch[str, None],
        components_to_update: list[str],
    ) -> Mapping[str, Sequence[Texts]]:
        """The feedback on each brief of a round."""
        return {PROMPT: [{"feedback": text} for text in eval_batch.trajectories or ()]}

    def propose(
        self,
        candidate: Texts,
        reflective_dataset: Mapping[str, Sequence[Mapping[str, str]]],
        components_to_update: list[str],
    ) -> Texts:
        """A candidate prompt; nothing where the proposal is refused."""
        feedback = [entry["feedback"] for entry in reflective_dataset[PROMPT]]
        try:
            text = self._propose(self.tried[candidate[PROMPT]], feedback)
        except Exception as error:
            raise SearchEnded from error
        return {PROMPT: text} if text else {}

    def _propose(self, parent: CandidatePrompt, feedback: Sequence[str]) -> str | None:
        request = request_text(parent.text, feedback, self.rules.max_characters)
        text, reasons = read_proposal(self.trials.propose(request, self.round))
        refusal = self.rules.refusal(text, self.tried)
        if refusal:
            self.refusals.append(Refusal(round=self.round, reason=refusal))
            return None
        reasons = {**parent.reasons, **reasons}
        self.tried[text] = CandidatePrompt(round=self.round, reasons=reasons, text=text)
        return text
