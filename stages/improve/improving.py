"""Adapter: searches, proves the best candidate on briefs that nobody has looked at, and writes what
came of it.
"""

from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path
from typing import get_args

from stages.compare.effect import content_difference
from stages.compare.pairing import Pairing
from stages.contracts.brief import Prompt
from stages.contracts.decision import Measurement
from stages.contracts.improvement import (
    CandidatePrompt,
    Improvement,
    Part,
    PromptChange,
    SearchDesign,
)
from stages.contracts.json_text import pretty
from stages.contracts.record import Record
from stages.contracts.settlement import Settlement
from stages.generate.calls.budget import Budget
from stages.generate.ledger.store import Ledger
from stages.generate.plan.cells import RunPlan
from stages.generate.responses.files import manifest
from stages.improve.inputs import PARTS_FILE, ImproveInputs
from stages.improve.parts import confidence_of_use
from stages.improve.reflection import finding_shares
from stages.improve.refusals import RefusalRules
from stages.improve.trials import LedgerTrials, SearchStopped, prompt_of
from stages.settle.settling import Settling
from stages.settle.sides import SettleSides, sides_of_prompts
from stages.shell import paths
from stages.shell.files import write_output
from stages.statistics.claim import read_interval
from stages.statistics.estimates import IntervalEstimate

IMPROVEMENT_FILE = paths.RESULTS / "improve.json"
CANDIDATE_FILE = paths.RESULTS / "improve/candidate.txt"
PROOF_FILE = paths.RESULTS / "improve/settle.json"
UNMEASURED = "could not measure"
LOOKS = (1, 2, 4, 8)
"""The samples of each cell at the looks at the briefs that prove."""


def proving_sides(inputs: ImproveInputs, candidate: Prompt, use: int) -> SettleSides:
    """Base and candidate on the briefs that prove, with the confidence of this use of them."""
    base, compare = inputs.base, inputs.base.params.compare
    confidence = confidence_of_use(compare.confidence, use)
    update = {
        "generate": base.params.generate.model_copy(update={"samples": LOOKS[-1]}),
        "compare": compare.model_copy(update={"confidence": confidence}),
    }
    plan = replace(base, briefs=inputs.part("prove"))
    return sides_of_prompts(plan, candidate, base.params.model_copy(update=update))


def settling_of(sides: SettleSides, max_usd: float | None, ledger: Ledger) -> Settling:
    """The settlement of both sides within what is left of the cap."""
    names = [sides.base.name, sides.head.name]
    options = Namespace(prompt=names, models=None, looks=LOOKS, margin=None, max_usd=max_usd)
    options.reliability = False
    return Settling(sides, options, ledger, PROOF_FILE)


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


@dataclass(frozen=True, slots=True)
class Improving:
    """What an improvement is made from."""

    inputs: ImproveInputs
    options: Namespace
    ledger: Ledger
    variables: Mapping[str, str]
    say: Callable[[str], None]

    def improve(self) -> Improvement:
        """The improvement after its end, which is written."""
        from stages.improve.search import Search, best_place  # loads gepa

        base, learning = self.inputs.base, self.inputs.part("learn")
        write_record(self.inputs.parts, PARTS_FILE)
        trials = LedgerTrials(
            base=base,
            proposer=self.inputs.proposer,
            ledger=self.ledger,
            variables=self.variables,
            budget=Budget(self.options.max_usd, setting="--max-usd"),
        )
        search = Search(
            base=base.prompt.text,
            learning={brief.id: brief for brief in learning},
            choosing=self.inputs.parts.ids("choose"),
            trials=trials,
            rules=RefusalRules(base.prompt.text, base.briefs, learning, self.options.max_length),
            rounds=self.options.rounds,
            say=self.say,
        )
        ended: dict[str, object] = {}
        try:
            search.run()
        except SearchStopped as stopped:
            ended = {"ended": stopped.ending, "verdict": UNMEASURED, "reason": str(stopped)}
        candidates = search.candidates()
        best = best_place(candidates)
        improvement = Improvement(
            design=self._design(),
            parts={name: self.inputs.parts.ids(name) for name in get_args(Part)},
            candidates=candidates,
            refusals=tuple(search.refusals),
            best=best,
            calls=len(trials.paid),
            usd=trials.usd,
        )
        CANDIDATE_FILE.unlink(missing_ok=True)
        if best is not None:
            write_output(CANDIDATE_FILE, candidates[best].text.encode())
            ended["prompt"] = CANDIDATE_FILE.as_posix()
        improvement = improvement.model_copy(update=ended)
        if improvement.ended is None:
            improvement = self._prove(improvement, best)
        write_record(improvement, IMPROVEMENT_FILE)
        return improvement

    def _design(self) -> SearchDesign:
        base, options = self.inputs.base, self.options
        return SearchDesign(
            base=base.prompt.path,
            run=run_id_of(base),
            by=options.by,
            rounds=options.rounds,
            max_length=options.max_length,
        )

    def _prove(self, improvement: Improvement, best: int | None) -> Improvement:
        """The improvement with the verdict of the briefs that prove; their use is noted before the
        first call.
        """
        base, parts = self.inputs.base, self.inputs.parts
        if best is None or not improvement.chooses_better:
            reason = "no candidate scores higher than the base on the briefs that choose"
            return improvement.model_copy(update={"ended": "no candidate", "reason": reason})
        text = improvement.candidates[best].text
        candidate = prompt_of(improved_path(base.prompt.path, text), text)
        use = f"{base.prompt.sha256} {run_id_of(replace(base, prompt=candidate))}"
        uses = tuple(dict.fromkeys((*parts.uses, use)))
        write_record(parts.model_copy(update={"uses": uses}), PARTS_FILE)
        number = uses.index(use) + 1
        sides = proving_sides(self.inputs, candidate, number)
        settling = settling_of(sides, self.options.max_usd - improvement.usd, self.ledger)
        proof = settling.take_looks(settling.begin(), self.variables, self.say)
        pairing = settling.pairing(proof.looks[-1].samples)
        content = content_difference(pairing, sides.params.compare)
        judged = judge_proof(proof, content)
        if judged.get("accepted"):
            write_output(Path(candidate.path), text.encode())
            judged |= {"prompt": candidate.path, "commands": recording_commands(sides, proof)}
        measured = {
            "use": number,
            "proof": proof,
            "content": Measurement.model_validate(asdict(content)),
            "changes": changes_of(improvement.candidates[best], pairing),
            "calls": improvement.calls + proof.calls,
            "usd": improvement.usd + proof.usd,
        }
        return improvement.model_copy(update=measured | judged)


def changes_of(candidate: CandidatePrompt, pairing: Pairing) -> tuple[PromptChange, ...]:
    """What the changes of a candidate were to fix, with the shares of answers that have it."""
    before = finding_shares([card for pair in pairing.pairs for card in pair.base_cards])
    after = finding_shares([card for pair in pairing.pairs for card in pair.head_cards])
    return tuple(
        PromptChange(
            finding=name, reason=reason, before=before.get(name, 0.0), after=after.get(name, 0.0)
        )
        for name, reason in candidate.reasons.items()
    )


def recording_commands(sides: SettleSides, proof: Settlement) -> tuple[str, ...]:
    """The commands that record a proof as experiments, of the models and briefs that it is of."""
    plan = sides.base.plan
    models = ",".join(model.config.id for model in plan.models)
    briefs = ",".join(brief.id for brief in plan.briefs)
    *runs, comparison = proof.commands
    chosen = f"-S 'models=[{models}]' -S 'briefs=[{briefs}]'"
    return (*(f"{command} {chosen}" for command in runs), comparison)


def run_id_of(plan: RunPlan) -> str:
    """A hash of prompt, models, briefs and settings."""
    run = manifest(plan.prompt, plan.models, plan.briefs, plan.params.generate, plan.repair)
    return run.run_id


def improved_path(base: str, text: str) -> str:
    """The file beside the base's that a candidate gets: the first that is free or holds it."""
    names = (f"{Path(base).stem}-improved-{number}.txt" for number in count(1))
    files = map(Path(base).with_name, names)
    return next(file for file in files if not file.exists() or file.read_text() == text).as_posix()


def write_record(record: Record, file: Path) -> None:
    """Write a record to its file."""
    write_output(file, pretty(record.to_json()))
