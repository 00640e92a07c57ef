"""The best candidate against the base on the briefs that prove: the looks of `settle`, the claims
of `compare`.
"""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace

from stages.compare.effect import content_difference
from stages.compare.pairing import Pairing
from stages.contracts.brief import Brief, Prompt
from stages.contracts.decision import Measurement
from stages.contracts.improvement import ProveUse
from stages.contracts.scorecard import Scorecard
from stages.contracts.settlement import Settlement
from stages.generate.ledger.store import Ledger
from stages.generate.plan.cells import RunPlan, plan_cells
from stages.improve.options import PROVING_LOOKS
from stages.improve.parts import confidence_of_use
from stages.score import Scorer
from stages.settle.settling import Settling
from stages.settle.sides import SettleSide, SettleSides
from stages.shell import paths
from stages.statistics.claim import read_interval
from stages.statistics.estimates import IntervalEstimate

PROOF_FILE = paths.RESULTS / "improve/settle.json"


def proving_sides(base: RunPlan, candidate: Prompt, briefs: Sequence[Brief]) -> SettleSides:
    """Base and candidate on the briefs that prove, with as many samples as the last look has."""
    generate = base.params.generate.model_copy(update={"samples": PROVING_LOOKS[-1]})
    params = base.params.model_copy(update={"generate": generate})
    base_side, head_side = (
        _side(replace(base, params=params, prompt=prompt, briefs=tuple(briefs)))
        for prompt in (base.prompt, candidate)
    )
    return SettleSides(base_side, head_side, params, replace(base, briefs=(), cells=()))


def _side(plan: RunPlan) -> SettleSide:
    cells = plan_cells(plan.models, plan.prompt, plan.briefs, plan.params.generate, plan.repair)
    scorer = Scorer(plan.params.score, plan.briefs, plan.prompt)
    return SettleSide(plan.prompt.path, replace(plan, cells=tuple(cells)), scorer)


def with_confidence(sides: SettleSides, use: int) -> SettleSides:
    """The sides with the confidence of this use of the briefs that prove, counted from 1."""
    compare = sides.params.compare
    confidence = confidence_of_use(compare.confidence, use)
    compare = compare.model_copy(update={"confidence": confidence})
    return replace(sides, params=sides.params.model_copy(update={"compare": compare}))


def settling_of(sides: SettleSides, max_usd: float | None, ledger: Ledger) -> Settling:
    """The settlement of both sides within what is left of the cap."""
    options = Namespace(
        prompt=[sides.base.name, sides.head.name],
        models=None,
        looks=PROVING_LOOKS,
        margin=None,
        reliability=False,
        max_usd=max_usd,
    )
    return Settling(sides, options, ledger, PROOF_FILE)


def use_of(sides: SettleSides) -> ProveUse:
    """The use of the briefs that prove that a settlement is."""
    return ProveUse(base_run=sides.base.run_id, head_run=sides.head.run_id)


def pairing_of(sides: SettleSides, settlement: Settlement, ledger: Ledger) -> Pairing:
    """The answers of the last look."""
    cells = sides.plan(settlement.looks[-1].samples).cells
    return sides.scores(cells, ledger, {})


def content_of(sides: SettleSides, pairing: Pairing) -> Measurement:
    """The difference in content."""
    content = content_difference(pairing, sides.params.compare)
    return Measurement(value=content.value, low=content.low, high=content.high, n=content.n)


def reason_against(verdict: str | None, content: Measurement, min_difference: float) -> str | None:
    """Why a candidate is not accepted, as part of a sentence; None if it is: its verdict is *better*
    or *better where usable*, and its content is not worse.
    """
    if verdict not in ("better", "better where usable"):
        return f"on the briefs that prove the verdict is: {verdict}"
    estimate = IntervalEstimate(content.value, content.low, content.high, content.n)
    if read_interval(estimate, min_difference) == "worse":
        return "the candidate has fewer of the stated effects right"
    return None


def answered_cards(pairing: Pairing) -> tuple[list[Scorecard], list[Scorecard]]:
    """The scorecards of the answers of both sides."""
    base = [card for pair in pairing.pairs for card in pair.base_cards]
    head = [card for pair in pairing.pairs for card in pair.head_cards]
    return [card for card in base if card.answered], [card for card in head if card.answered]


def recording_commands(sides: SettleSides, proof: Settlement) -> tuple[str, ...]:
    """The commands that record a proof as experiments, of the models and briefs that it is of."""
    plan = sides.base.plan
    models = ",".join(model.config.id for model in plan.models)
    briefs = ",".join(brief.id for brief in plan.briefs)
    chosen = f" -S 'models=[{models}]' -S 'briefs=[{briefs}]'"
    return tuple(
        command + chosen if command.startswith("dvc exp run") else command
        for command in proof.commands
    )
