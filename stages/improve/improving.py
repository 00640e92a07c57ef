"""Adapter: searches, proves the best candidate on briefs that nobody has looked at, and writes what
came of it.
"""

from argparse import Namespace
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import get_args

from stages.compare.effect import content_difference
from stages.compare.pairing import Pairing
from stages.contracts.brief import prompt_of
from stages.contracts.decision import Measurement
from stages.contracts.errors import NotAnswered
from stages.contracts.improvement import (
    BriefRole,
    Improvement,
    ImprovementEnding,
    PromptChange,
    best_place,
)
from stages.contracts.settlement import Settlement
from stages.generate.calls.faults import Fault
from stages.generate.capped_answers import CappedAnswers
from stages.generate.plan.cells import PlannedCell, plan_cells
from stages.generate.responses.response import responses_of
from stages.improve.planning import PARTS_FILE, ImproveInputs, reflection_cell
from stages.improve.reflection import Graded
from stages.improve.refusals import RefusalRules
from stages.score import Scorer
from stages.score.findings import finding_shares
from stages.settle.sides import run_id_of
from stages.shell import paths
from stages.shell.files import free_path, write_output, write_record
from stages.shell.text import visible
from stages.statistics.claim import read_interval
from stages.statistics.estimates import IntervalEstimate

CANDIDATE_FILE = paths.RESULTS / "improve/candidate.txt"
UNMEASURED = "could not measure"


def judge_proof(proof: Settlement, content: IntervalEstimate) -> dict[str, object]:
    """How a proof ends the improvement: accepted where the candidate is *better* or *better where
    usable*, and not worse in content.
    """
    if proof.ended in ("budget", "failures"):
        return {"ended": proof.ended, "verdict": UNMEASURED, "reason": proof.reason}
    if proof.verdict not in ("better", "better where usable"):
        reason = f"{proof.verdict} on the briefs that prove: {proof.reason}"
        return {"ended": "not proven", "reason": reason}
    if read_interval(content, proof.design.margin) == "worse":
        return {"ended": "not proven", "reason": "fewer of the stated effects are right"}
    ended = {"ended": "proven", "accepted": True}
    return ended | {"verdict": proof.verdict, "reason": proof.reason}


class SearchStopped(NotAnswered):
    """Calls that the search needs were not answered, or not made because of the cap."""

    def __init__(self, fault: Fault) -> None:
        message = visible(f"{fault.status}: {fault.message}")
        super().__init__(f"{message}; the same command continues")
        is_capped = fault.status == "budget_stopped"
        self.ending: ImprovementEnding = "budget" if is_capped else "failures"


@dataclass(frozen=True, slots=True)
class Improving:
    """What an improvement is made from; it runs the trials of its search."""

    inputs: ImproveInputs
    options: Namespace
    answers: CappedAnswers

    def improve(self) -> Improvement:
        """The improvement after its end, which is written."""
        write_record(PARTS_FILE, self.inputs.parts)
        CANDIDATE_FILE.unlink(missing_ok=True)
        improvement = self._search()
        if improvement.best is not None:
            text = improvement.candidates[improvement.best].text
            write_output(CANDIDATE_FILE, text.encode())
            improvement = improvement.model_copy(update={"prompt": CANDIDATE_FILE.as_posix()})
            if improvement.ended is None:
                improvement = self._prove(improvement, text)
        write_record(paths.RESULTS / "improve.json", improvement)
        return improvement

    def _search(self) -> Improvement:
        from stages.improve.search import Search  # loads gepa

        inputs, options = self.inputs, self.options
        base, learning = inputs.base, inputs.part("learn")
        search = Search(
            base=base.prompt.text,
            learning={brief.id: brief for brief in learning},
            choosing=inputs.ids("choose"),
            trials=self,
            rules=RefusalRules(base.prompt.text, base.briefs, learning, options.max_length),
            rounds=options.rounds,
        )
        ended: dict[str, object] = {}
        try:
            search.run()
        except SearchStopped as stopped:
            ended = {"ended": stopped.ending, "verdict": UNMEASURED, "reason": str(stopped)}
        candidates = tuple(search.tried.values())
        improvement = Improvement(
            base=base.prompt.path,
            run=run_id_of(base),
            by=options.by,
            simulated=any(model.simulated for model in (*base.models, inputs.proposer)),
            parts={name: inputs.ids(name) for name in get_args(BriefRole)},
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
        briefs = [brief for brief in base.briefs if brief.id in brief_ids]
        candidate = prompt_of(base.prompt.path, prompt)
        settings = base.params.generate.model_copy(update={"samples": 1})
        cells = plan_cells(base.models, candidate, briefs, settings, base.repair)
        self._fetch(cells)
        scorer = Scorer(base.params.score, briefs, candidate)
        answers: defaultdict[str, list[Graded]] = defaultdict(list)
        for response in responses_of(cells, self.answers.ledger, {}):
            answers[response.brief_id].append(Graded(response, scorer.score(response)))
        return answers

    def propose(self, request: str, number: int) -> str:
        """The proposer's answer to a request, asked for the `number`-th time."""
        cell = reflection_cell(self.inputs.proposer, request, number)
        self._fetch([cell])
        (answer,) = self.answers.ledger.read(cell.fingerprints).values()
        return answer.content.raw_text

    def _fetch(self, cells: Sequence[PlannedCell]) -> None:
        """Call what is missing; `SearchStopped` where an answer is then still missing."""
        for fault in self.answers.fetch(cells).values():
            raise SearchStopped(fault)

    def _prove(self, improvement: Improvement, text: str) -> Improvement:
        """The improvement with the verdict of the briefs that prove; their use is noted before the
        first call.
        """
        base, parts = self.inputs.base, self.inputs.parts
        base_file = Path(base.prompt.path)
        file = free_path(base_file.with_stem(f"{base_file.stem}-improved"), text)
        candidate = prompt_of(file.as_posix(), text)
        use = f"{base.prompt.sha256} {run_id_of(replace(base, prompt=candidate))}"
        uses = tuple(dict.fromkeys((*parts.uses, use)))
        write_record(PARTS_FILE, parts.model_copy(update={"uses": uses}))
        number = uses.index(use) + 1
        max_usd = self.options.max_usd - improvement.usd
        settling = self.inputs.settling(candidate, number, self.answers.ledger, max_usd)
        proof = settling.take_looks(settling.begin(), self.answers.variables, print)
        pairing = settling.pairing(proof.looks[-1].samples)
        content = content_difference(pairing, settling.sides.params.compare)
        judged = judge_proof(proof, content)
        if judged.get("accepted"):
            write_output(file, text.encode())
            judged |= {"prompt": candidate.path, "commands": proof.commands}
        measured = {
            "use": number,
            "proof": proof,
            "content": Measurement.model_validate(asdict(content)),
            "changes": _changes(improvement, pairing),
            "calls": improvement.calls + proof.calls,
            "usd": improvement.usd + proof.usd,
        }
        return improvement.model_copy(update=measured | judged)


def _changes(improvement: Improvement, pairing: Pairing) -> tuple[PromptChange, ...]:
    """What the changes of the best candidate were to fix, with the shares of answers that
    have it.
    """
    before = finding_shares([card for pair in pairing.pairs for card in pair.base.cards])
    after = finding_shares([card for pair in pairing.pairs for card in pair.head.cards])
    reasons = improvement.candidates[improvement.best or 0].reasons
    return tuple(
        PromptChange(
            finding=name, reason=reason, before=before.get(name, 0.0), after=after.get(name, 0.0)
        )
        for name, reason in reasons.items()
    )
