"""Adapter: what a search works on, from the command line and the input files; what it may call and
cost, and what gain its proof could show. A candidate is taken to cost what the base costs.
"""

import hashlib
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from stages.contracts.brief import Brief, Prompt
from stages.contracts.errors import InputError, Problem
from stages.contracts.improvement import BriefParts, BriefRole
from stages.contracts.params import Params
from stages.generate.forecast import Forecaster, cost_line
from stages.generate.ledger.store import Ledger
from stages.generate.plan.call import Call
from stages.generate.plan.cells import RunPlan, text_cell
from stages.generate.plan.models import PlannedModel
from stages.improve.reflection import INSTRUCTIONS, MAX_ANSWER, MAX_SHOWN_BRIEFS, request_text
from stages.settle.looks import expected_half_widths
from stages.settle.options import DEFAULT_LOOKS
from stages.settle.settling import Settling, settling_of_prompts
from stages.settle.sides import OptionChange, load_changed_plans, problems_of_model
from stages.shell import numbers, paths
from stages.shell.files import read_record

ROLES: tuple[BriefRole, ...] = ("learn", "choose", "prove")
PARTS_FILE = paths.RESULTS / "improve/parts.json"
PROOF_FILE = paths.RESULTS / "improve/settle.json"
MIN_PROVING = 8
"""The fewest briefs that prove."""
USUAL_BRIEFS, LEAST_GAIN = 16, 0.10
"""With fewer briefs, or a proof that could not show this gain in quality, the user is asked."""


@dataclass(frozen=True, slots=True)
class ImproveInputs:
    """The run of the base, one sample a brief, and as many as the last look has of those that
    prove; the proposer; the briefs of each part; and the drawn parts with their uses.
    """

    base: RunPlan
    proposer: PlannedModel
    parts: Mapping[BriefRole, tuple[Brief, ...]]
    drawn: BriefParts

    def calls(self, *roles: BriefRole) -> list[Call]:
        """The calls for the base's answers to the briefs of parts."""
        parts = self.drawn.parts
        return [cell.calls[0] for cell in self.base.cells if parts[cell.brief.id] in roles]

    def settling(self, head: Prompt, use: int, ledger: Ledger, max_usd: float | None) -> Settling:
        """The proof: base and a candidate on the briefs that prove, with the confidence of this use
        of them.
        """
        plan = replace(self.base, briefs=self.parts["prove"])
        return settling_of_prompts(plan, head, PROOF_FILE, ledger, test=use, max_usd=max_usd)


def load_inputs(options: Namespace, params: Params, variables: Mapping[str, str]) -> ImproveInputs:
    """What the command line names; every problem is reported at once."""
    judges: OptionChange = {"prompt": ("--prompt", options.prompt)}
    proposer: OptionChange = {**judges, "models": ("--by", (options.by,))}
    if options.models:
        judges = {**judges, "models": ("--models", tuple(options.models))}
    direct = {"runtime": params.runtime.model_copy(update={"mode": "direct"})}
    params = params.model_copy(update=direct)  # each step waits for the one before it
    plans = load_changed_plans(params, (judges, proposer), DEFAULT_LOOKS[-1], variables)
    base, by = plans[0].called, plans[1]
    fault = "cannot be read, and the uses that it counts would be lost: restore it from git"
    drawn = draw_parts(base.briefs, read_record(PARTS_FILE, BriefParts, fault) or BriefParts())
    parts = {
        role: tuple(brief for brief in base.briefs if drawn.parts[brief.id] == role)
        for role in ROLES
    }
    problems = list(problems_of_model("--by", options.by, by))
    if not base.models:
        message = "must name a model that can be called"
        problems.append(Problem("command line", "--models", message))
    if len(parts["prove"]) < MIN_PROVING or not (parts["learn"] and parts["choose"]):
        needed = f"1, 1 and {MIN_PROVING} are needed"
        message = f"of the selected, {_sizes(parts)}; {needed}: select more"
        problems.append(Problem("params.yaml", "briefs", message))
    if problems:
        raise InputError(problems)
    cells = [cell for cell in base.cells if cell.sample == 1 or cell.brief in parts["prove"]]
    base = replace(base, cells=tuple(cells))
    return ImproveInputs(base, by.models[0], parts, drawn)


def _sizes(parts: Mapping[BriefRole, Sequence[Brief]]) -> str:
    return ", ".join(f"{len(briefs)} {role}" for role, briefs in parts.items())


def draw_parts(briefs: Sequence[Brief], earlier: BriefParts) -> BriefParts:
    """The parts with every brief in one: half of them prove, eight at least, a quarter each learns
    and chooses. A brief stays in its part.

    New ones are dealt complexity by complexity, in an order that depends on hashes of their ids
    alone, each to the part that lacks most of its share; the first of equal ones.
    """
    parts = dict(earlier.parts)
    new = [brief for brief in briefs if brief.id not in parts]
    total = max(len(parts) + len(new), MIN_PROVING)
    proving = max(Fraction(1, 2), Fraction(MIN_PROVING, total))
    other = (1 - proving) / 2
    shares: dict[BriefRole, Fraction] = {"prove": proving, "learn": other, "choose": other}
    new.sort(key=lambda brief: (brief.expectations.complexity, _lot(brief.id)))
    for brief in new:
        counts = Counter(parts.values())
        dealt = len(parts) + 1
        lacking = {part: share * dealt - counts[part] for part, share in shares.items()}
        parts[brief.id] = max(lacking, key=lacking.__getitem__)
    return earlier.model_copy(update={"parts": parts})


def _lot(brief_id: str) -> str:
    return hashlib.sha256(f"parts 1/{brief_id}".encode()).hexdigest()


def usual_reflection(inputs: ImproveInputs) -> Call:
    """A request to the proposer of the usual length."""
    shown = inputs.parts["learn"][:MAX_SHOWN_BRIEFS]
    feedback = [brief.body + MAX_ANSWER * "x" for brief in shown]
    request = request_text(inputs.base.prompt.text, feedback, 0)
    return text_cell(inputs.proposer, INSTRUCTIONS, request, 1).calls[0]


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What a search may call and cost, in lines; and why it may not be worth that, in sentences."""

    lines: Sequence[str]
    doubts: Sequence[str]


def plan_search(
    inputs: ImproveInputs, options: Namespace, missing: Sequence[Call], ledger: Ledger
) -> SearchPlan:
    """The plan of a search; `missing` are the calls that the base lacks."""
    forecaster = Forecaster(ledger.output_tokens)
    searched, proposal = inputs.calls("learn", "choose"), usual_reflection(inputs)
    steps = {
        "Proposals": [proposal] * options.rounds,
        "Answers to candidates": searched * options.rounds,
        "Answers to the base": missing,
        "Proof of the best candidate": inputs.calls("prove"),
    }
    costs = [
        f"{step}: at most {cost_line(forecaster.total(calls))}." for step, calls in steps.items()
    ]
    uses = numbers.counted(len(inputs.drawn.uses), "time")
    base = inputs.base.prompt
    settling = inputs.settling(base, inputs.drawn.likely_use(base.sha256), ledger, None)
    gain = expected_half_widths(settling.design(), settling.answer_sd())[-1]
    lines = (
        f"Briefs: {_sizes(inputs.parts)}; those that prove were used {uses} before.",
        *costs,
        f"A gain of about {numbers.score(gain)} or more could be shown.",
    )
    doubts: list[str] = []
    briefs = len(inputs.base.briefs)
    if briefs < USUAL_BRIEFS:
        doubts.append(f"there are {briefs} briefs, and {USUAL_BRIEFS} are advised")
    if gain > LEAST_GAIN:
        doubts.append(f"the proof could not show a gain of {LEAST_GAIN:.2f}")
    least_usd = forecaster.total([*searched, proposal]).cost_usd.low
    if options.max_usd is not None and least_usd > options.max_usd:
        least = f"the base's answers with one proposal cost {numbers.money(least_usd)} at least"
        doubts.append(f"{least}, more than --max-usd")
    return SearchPlan(lines, doubts)
