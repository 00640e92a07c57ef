"""Adapter: searches, proves the best candidate on briefs that nobody has looked at, and writes what
came of it.
"""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stages.compare.pairing import Pairing
from stages.compare.verdict import content_difference
from stages.contracts.brief import prompt_of
from stages.contracts.decision import Measurement
from stages.contracts.improvement import (
    Improvement,
    PromptChange,
    best_place,
)
from stages.contracts.settlement import Settlement
from stages.generate.capped_answers import CappedAnswers, Unanswered
from stages.generate.plan.cells import text_cell
from stages.improve.planning import PARTS_FILE, ImproveInputs
from stages.improve.reflection import INSTRUCTIONS, RefusalRules
from stages.score.findings import finding_shares
from stages.settle.sides import Graded, run_id_of, side_of_prompt
from stages.shell import paths
from stages.shell.files import free_path, write_output, write_record
from stages.statistics.estimates import IntervalEstimate

CANDIDATE_FILE = paths.RESULTS / "improve/candidate.txt"
UNMEASURED = "could not measure"


def judge_proof(proof: Settlement, content: IntervalEstimate) -> dict[str, object]:
    """How a proof ends the improvement: accepted where the candidate is *better*, and not worse in
    content.
    """
    if proof.ended in ("budget", "failures"):
        return {"ended": proof.ended, "verdict": UNMEASURED, "reason": proof.reason}
    reason = f"{proof.verdict} on the briefs that prove: {proof.reason}"
    if proof.verdict == "better":
        if content.high is None or content.high >= 0:
            proven = {"ended": "proven", "accepted": True}
            return proven | {"verdict": proof.verdict, "reason": proof.reason}
        reason = "fewer of the stated effects are right"
    return {"ended": "not proven", "reason": reason}


@dataclass(frozen=True, slots=True)
class Improving:
    """What an improvement is made from; it runs the trials of its search."""

    inputs: ImproveInputs
    options: Namespace
    answers: CappedAnswers

    def improve(self) -> Improvement:
        """The improvement after its end, which is written."""
        write_record(PARTS_FILE, self.inputs.drawn)
        improvement = self._search()
        if improvement.best is None:
            CANDIDATE_FILE.unlink(missing_ok=True)
        else:
            text = improvement.candidates[improvement.best].text
            write_output(CANDIDATE_FILE, text.encode())
            improvement = improvement.model_copy(update={"prompt": CANDIDATE_FILE.as_posix()})
            if improvement.ended is None:
                improvement = self._prove(improvement, text)
        write_record(paths.RESULTS / "improve.json", improvement)
        return improvement

    def _search(self) -> Improvement:
        from stages.improve.search import Search  # loads gepa

        inputs, base, options = self.inputs, self.inputs.base, self.options
        text = base.prompt.text
        most = int(len(text) * options.max_length)
        rules = RefusalRules(text, base.briefs, inputs.parts["learn"], most)
        parts = {role: tuple(brief.id for brief in part) for role, part in inputs.parts.items()}
        search = Search(rules, parts["choose"], self, options.rounds)
        ended: dict[str, object] = {}
        try:
            search.run()
        except Unanswered as stopped:
            ending = "budget" if stopped.fault.status == "budget_stopped" else "failures"
            reason = f"{stopped}; the same command continues"
            ended = {"ended": ending, "verdict": UNMEASURED, "reason": reason}
        candidates = tuple(search.tried.values())
        improvement = Improvement(
            base=base.prompt.path,
            run=run_id_of(base),
            by=options.by,
            simulated=any(model.simulated for model in (*base.models, inputs.proposer)),
            parts=parts,
            candidates=candidates,
            refusals=tuple(search.refusals),
            best=best_place(candidates),
            calls=len(self.answers.paid),
            usd=self.usd,
        )
        if not ended and not improvement.chooses_better:
            reason = "no candidate scores higher than the base on the briefs that choose"
            ended = {"ended": "no candidate", "reason": reason}
        return improvement.model_copy(update=ended)

    @property
    def usd(self) -> float:
        """What the answers cost, US dollars."""
        return self.answers.usd

    def answer(self, prompt: str, brief_ids: Sequence[str]) -> Mapping[str, Sequence[Graded]]:
        """The graded answers of all models to each of the briefs with a prompt."""
        base = self.inputs.base
        briefs = tuple(brief for brief in base.briefs if brief.id in brief_ids)
        candidate = prompt_of(base.prompt.path, prompt)
        side = side_of_prompt(replace(base, prompt=candidate, briefs=briefs))
        self.answers.fetch(side.cells(1))
        answers = list(side.graded(1, self.answers.ledger))
        return {
            brief_id: [answer for answer in answers if answer.response.brief_id == brief_id]
            for brief_id in brief_ids
        }

    def propose(self, request: str, number: int) -> str:
        """The proposer's answer to a request, which is the `number`-th of a search."""
        return self.answers.fetch_text(
            text_cell(self.inputs.proposer, INSTRUCTIONS, request, number)
        )

    def _prove(self, improvement: Improvement, text: str) -> Improvement:
        """The improvement with the verdict of the briefs that prove; their use is noted before the
        first call.
        """
        base = self.inputs.base
        base_file = Path(base.prompt.path)
        file = free_path(base_file.with_stem(f"{base_file.stem}-improved"), text)
        candidate = prompt_of(file.as_posix(), text)
        use = f"{base.prompt.sha256} {run_id_of(replace(base, prompt=candidate))}"
        drawn = self.inputs.drawn.with_use(use)
        write_record(PARTS_FILE, drawn)
        number = drawn.uses.index(use) + 1
        max_usd = self.options.max_usd - improvement.usd
        settling = self.inputs.settling(candidate, number, self.answers.ledger, max_usd)
        proof = settling.take_looks(settling.begin(), self.answers.variables, print)
        pairing = settling.pairing(proof.looks[-1].samples)
        content = content_difference(pairing, settling.sides.params.compare)
        judged = judge_proof(proof, content)
        if judged.get("accepted"):
            write_output(file, text.encode())
            judged["prompt"] = candidate.path
        measured = {
            "use": number,
            "proof": proof,
            "content": Measurement.model_validate(content, from_attributes=True),
            "changes": _changes(improvement, pairing),
            "calls": improvement.calls + proof.calls,
            "usd": improvement.usd + proof.usd,
        }
        return improvement.model_copy(update=measured | judged)


def _changes(improvement: Improvement, pairing: Pairing) -> tuple[PromptChange, ...]:
    """What the changes of the best candidate were to fix, with the shares of answers that
    have it.
    """
    before = finding_shares(pairing.base_cards)
    after = finding_shares(pairing.head_cards)
    reasons = improvement.candidates[improvement.best or 0].reasons
    return tuple(
        PromptChange(
            finding=name, reason=reason, before=before.get(name, 0.0), after=after.get(name, 0.0)
        )
        for name, reason in reasons.items()
    )
