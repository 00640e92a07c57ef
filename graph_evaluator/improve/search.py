"""The search for a better prompt: gepa proposes from the briefs that learn and keeps what scores
higher on them; the scores on the briefs that choose name the best.

gepa's own calls, logging, tracking and saved state are not used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from gepa.api import optimize
from gepa.core.adapter import EvaluationBatch, ProposalFn
from gepa.core.state import GEPAState

from graph_evaluator.generate.capped_answers import CappedAnswers
from graph_evaluator.generate.plan.cells import text_cell
from graph_evaluator.improve.planning import ImproveInputs
from graph_evaluator.improve.reflection import (
    INSTRUCTIONS,
    MAX_SHOWN_BRIEFS,
    feedback_on,
    read_proposal,
    refusal_of,
    request_text,
)
from graph_evaluator.records.brief import Brief, prompt_of
from graph_evaluator.records.commands import CandidatePrompt, Refusal
from graph_evaluator.shell import numbers
from graph_evaluator.shell.command import show

PROMPT = "prompt"
"""The one component of gepa's candidates."""
SEED = 1
MAX_LENGTH = 1.5
"""Length of a proposal at most, in lengths of the baseline."""
Texts = dict[str, str]


class SearchEnded(BaseException):
    """Carries an error out of gepa, which goes on after every exception of its proposer."""


@dataclass(slots=True)
class Search:
    """A search, as gepa's adapter, stop condition and logger; it holds what was tried so far."""

    inputs: ImproveInputs
    answers: CappedAnswers
    rounds: int
    round: int = 0
    tried: dict[str, CandidatePrompt] = field(default_factory=dict)
    """The baseline and each candidate by its text."""
    refusals: list[Refusal] = field(default_factory=list)
    propose_new_texts: ProposalFn | None = None
    """Part of gepa's protocol; `propose` is passed instead."""

    def run(self) -> None:
        """Search; a call without an answer ends it.

        Raises:
            Unanswered: that call failed, or was not made because of the cap.
        """
        baseline, parts = self.inputs.baseline.prompt.text, self.inputs.parts
        self.tried[baseline] = CandidatePrompt(round=0, text=baseline)
        try:
            optimize(
                seed_candidate={PROMPT: baseline},
                trainset=list(parts["learn"]),
                valset=list(parts["choose"]),
                adapter=self,
                custom_candidate_proposer=self.propose,
                reflection_minibatch_size=min(MAX_SHOWN_BRIEFS, len(parts["learn"])),
                stop_callbacks=self.stop,
                logger=self,
                seed=SEED,
            )
        except SearchEnded as ended:
            raise ended.__cause__ or ended from None

    @property
    def best(self) -> str:
        """The text that scores highest on the briefs that choose; the first of equal ones."""
        return max(self.tried, key=lambda text: self.tried[text].choose or 0.0)

    def stop(self, gepa_state: GEPAState[None, int]) -> bool:
        """Whether all rounds are over, which is asked before each; prints the round before it."""
        if self.round:
            baseline = self.tried[self.inputs.baseline.prompt.text].choose
            best = self.tried[self.best].choose
            show(
                f"round {self.round} of {self.rounds}: candidates {len(self.tried) - 1}, refused "
                f"{len(self.refusals)}, best on choose {numbers.score(best)} (baseline "
                f"{numbers.score(baseline)}), {numbers.money(self.answers.paid()[1])}"
            )
        self.round += 1
        return self.round > self.rounds

    def log(self, message: str) -> None:
        """Print nothing of what gepa says."""

    def evaluate(
        self, batch: list[Brief], candidate: Texts, capture_traces: bool = False
    ) -> EvaluationBatch[str, None]:
        """Score a prompt on briefs; the traces are the feedback on those that learn."""
        text, baseline = candidate[PROMPT], self.inputs.baseline
        prompt = prompt_of(baseline.prompt.path, text)
        side = self.inputs.side("", replace(baseline, prompt=prompt, briefs=tuple(batch)))
        self.answers.fetch_all([cell for cell in side.plan.cells if cell.sample == 1])
        graded = list(side.graded(1, self.answers.ledger))
        answers = {
            brief.id: [answer for answer in graded if answer.response.cell.brief_id == brief.id]
            for brief in batch
        }
        scores = [fmean(answer.score for answer in answers[brief.id]) for brief in batch]
        is_learning = batch[0] in self.inputs.parts["learn"]
        feedback = [feedback_on(brief, answers[brief.id]) for brief in batch if is_learning]
        part = "learn" if is_learning else "choose"
        self.tried[text] = self.tried[text].model_copy(update={part: fmean(scores)})
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
        baseline = self.inputs.baseline
        most = int(len(baseline.prompt.text) * MAX_LENGTH)
        request = request_text(candidate[PROMPT], feedback, most)
        cell = text_cell(self.inputs.proposer, INSTRUCTIONS, request, self.round)
        try:
            text = read_proposal(self.answers.fetch_text(cell))
        except Exception as error:
            raise SearchEnded from error
        refusal = refusal_of(text, baseline.prompt.text, baseline.briefs, most)
        if text in self.tried:
            refusal = "it is the same as an earlier one"
        if refusal:
            self.refusals.append(Refusal(round=self.round, reason=refusal))
            return {}
        self.tried[text] = CandidatePrompt(round=self.round, text=text)
        return {PROMPT: text}
