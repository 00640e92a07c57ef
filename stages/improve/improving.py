"""Adapter: searches, proves the best candidate, and writes what came of it."""

from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from stages.compare.pairing import Pairing
from stages.contracts.improvement import Improvement, Part, PromptChange, SearchDesign
from stages.generate.calls.budget import Budget
from stages.generate.ledger.store import Ledger
from stages.generate.responses.files import manifest
from stages.improve.inputs import (
    CANDIDATE_FILE,
    IMPROVEMENT_FILE,
    PARTS_FILE,
    ImproveInputs,
    improved_path,
    read_record,
    write_record,
)
from stages.improve.proving import (
    answered_cards,
    content_of,
    pairing_of,
    proving_sides,
    reason_against,
    recording_commands,
    settling_of,
    use_of,
    with_confidence,
)
from stages.improve.reflection import count_findings
from stages.improve.refusals import RefusalRules
from stages.improve.trials import LedgerTrials, SearchStopped, prompt_of
from stages.shell.files import write_output

UNMEASURED = "could not measure"


@dataclass(frozen=True, slots=True)
class Improving:
    """What an improvement is made from."""

    inputs: ImproveInputs
    options: Namespace
    ledger: Ledger
    variables: Mapping[str, str]
    say: Callable[[str], None]

    def improve(self) -> Improvement:
        """The improvement after its end, which is written; so is its begin."""
        trials = LedgerTrials(
            base=self.inputs.base,
            proposer=self.inputs.proposer,
            seed=self.options.seed,
            ledger=self.ledger,
            variables=self.variables,
            budget=Budget(self.options.max_usd, setting="--max-usd"),
        )
        improvement = self._begin(trials)
        write_record(improvement, IMPROVEMENT_FILE)
        write_record(self.inputs.parts, PARTS_FILE)
        CANDIDATE_FILE.unlink(missing_ok=True)
        improvement = self._search(improvement, trials)
        if improvement.best is not None:
            candidate = improvement.candidates[improvement.best].text
            write_output(CANDIDATE_FILE, candidate.encode())
            if improvement.ended is None:
                improvement = self._prove(improvement, candidate)
        write_record(improvement, IMPROVEMENT_FILE)
        return improvement

    def _begin(self, trials: LedgerTrials) -> Improvement:
        base, options = self.inputs.base, self.options
        run = manifest(base.prompt, base.models, base.briefs, base.params.generate, base.repair)
        design = SearchDesign(
            base=base.prompt.path,
            run=run.run_id,
            by=options.by,
            rounds=options.rounds,
            seed=options.seed,
            max_length=options.max_length,
        )
        trials.begin()
        earlier = read_record(Improvement, IMPROVEMENT_FILE)
        if earlier and earlier.design == design:
            trials.stored_answers = earlier.stored_answers
            trials.stored_usd = earlier.stored_usd
        return Improvement(
            design=design,
            parts={name: self.inputs.parts.ids(name) for name in get_args(Part)},
            stored_answers=trials.stored_answers,
            stored_usd=trials.stored_usd,
        )

    def _search(self, improvement: Improvement, trials: LedgerTrials) -> Improvement:
        from stages.improve.search import Search, best_candidate, chooses_better  # gepa

        learning, choosing = self.inputs.part("learn"), self.inputs.part("choose")
        base = self.inputs.base.prompt.text
        rules = RefusalRules(base, self.inputs.briefs, learning, self.options.max_length)
        search = Search(
            base=base,
            learning={brief.id: brief for brief in learning},
            choosing=[brief.id for brief in choosing],
            trials=trials,
            rules=rules,
            rounds=self.options.rounds,
            say=self.say,
        )
        update: dict[str, object] = {}
        try:
            search.run(self.options.seed)
        except SearchStopped as stopped:
            update = {"ended": stopped.ending, "verdict": UNMEASURED, "reason": str(stopped)}
        candidates = search.candidates()
        best = best_candidate(candidates)
        if not update and not chooses_better(candidates, best):
            reason = "no candidate scores higher than the base on the briefs that choose"
            update = {"ended": "no candidate", "reason": reason}
        tried = {
            "candidates": candidates,
            "refusals": tuple(search.refusals),
            "best": best,
            "prompt": None if best is None else CANDIDATE_FILE.as_posix(),
            "calls": trials.calls,
            "usd": trials.usd,
        }
        return improvement.model_copy(update=tried | update)

    def _prove(self, improvement: Improvement, text: str) -> Improvement:
        """The improvement with the verdict of the briefs that prove; their use is noted before the
        first call.
        """
        base, inputs = self.inputs.base, self.inputs
        candidate = prompt_of(improved_path(base.prompt.path, text), text)
        sides = proving_sides(base, candidate, inputs.part("prove"))
        use = use_of(sides)
        uses = tuple(dict.fromkeys((*inputs.parts.uses, use)))
        write_record(inputs.parts.model_copy(update={"uses": uses}), PARTS_FILE)
        number = uses.index(use) + 1
        sides = with_confidence(sides, number)
        settling = settling_of(sides, self.options.max_usd - improvement.usd, self.ledger)
        proof = settling.take_looks(settling.begin(), self.variables, self.say)
        pairing = pairing_of(sides, proof, self.ledger)
        content = content_of(sides, pairing)
        reason = reason_against(proof.verdict, content, proof.design.margin)
        update: dict[str, object] = {"ended": "not proven", "reason": reason}
        if proof.ended in ("budget", "failures"):
            update = {"ended": proof.ended, "verdict": UNMEASURED, "reason": proof.reason}
        elif reason is None:
            write_output(Path(candidate.path), text.encode())
            update = {"ended": "proven", "accepted": True, "verdict": proof.verdict}
            update |= {"reason": proof.reason, "prompt": candidate.path}
            update["commands"] = recording_commands(sides, proof)
        measured = {
            "use": number,
            "proof": proof,
            "content": content,
            "changes": _changes(improvement, pairing),
            "calls": improvement.calls + proof.calls,
            "usd": improvement.usd + proof.usd,
        }
        return improvement.model_copy(update=measured | update)


def _changes(improvement: Improvement, pairing: Pairing) -> tuple[PromptChange, ...]:
    """What the changes of the best candidate were to fix, with the shares of answers that have it."""
    base, head = answered_cards(pairing)
    before, after = count_findings(base), count_findings(head)
    reasons = improvement.candidates[improvement.best or 0].reasons
    return tuple(
        PromptChange(
            finding=name,
            reason=reason,
            before=before[name] / len(base) if base else None,
            after=after[name] / len(head) if head else None,
        )
        for name, reason in reasons.items()
    )
