"""Adapter: what a search works on, from the command line and the input files; what it may call and
cost, and what gain its proof could show. A candidate is taken to cost what the base costs.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from stages.contracts.brief import Brief, Expectations, Prompt, prompt_of
from stages.contracts.errors import InputError, Problem
from stages.contracts.improvement import BriefParts, BriefRole
from stages.contracts.params import GenerateParams, Params
from stages.generate.forecast import Forecaster
from stages.generate.ledger.store import Ledger
from stages.generate.plan.call import Call
from stages.generate.plan.cells import PlannedCell, RunPlan, plan_cells
from stages.generate.plan.models import PlannedModel, asked_for_text
from stages.improve.parts import MIN_IN_ALL, MIN_PROVING, draw_parts
from stages.improve.reflection import INSTRUCTIONS, MAX_ANSWER, MAX_SHOWN_BRIEFS, request_text
from stages.settle.looks import expected_half_widths
from stages.settle.options import DEFAULT_LOOKS
from stages.settle.settling import Settling, settling_of_prompts
from stages.settle.sides import OptionChange, load_changed_plans
from stages.shell import numbers, paths
from stages.shell.files import read_record
from stages.statistics.error_rate import confidence_of_test

PARTS_FILE = paths.RESULTS / "improve/parts.json"
PROOF_FILE = paths.RESULTS / "improve/settle.json"
REFLECTION = "reflection"
"""The brief of the cells whose answers are proposals."""
USUAL_BRIEFS, LEAST_GAIN = 16, 0.10
"""With fewer briefs, or a proof that could not show this gain in quality, the user is asked."""


@dataclass(frozen=True, slots=True)
class ImproveInputs:
    """The run of the base, one sample a brief, and as many as the last look has of those that
    prove; the proposer; and the part of each brief.
    """

    base: RunPlan
    proposer: PlannedModel
    parts: BriefParts

    def part(self, name: BriefRole) -> tuple[Brief, ...]:
        """The briefs of a part, by id."""
        parts = self.parts.parts
        return tuple(brief for brief in self.base.briefs if parts[brief.id] == name)

    def ids(self, name: BriefRole) -> tuple[str, ...]:
        """Their ids."""
        return tuple(brief.id for brief in self.part(name))

    @property
    def use(self) -> int:
        """Which use of the briefs that prove this search makes, from 1: the last one of the same
        base, which a repeated search makes again, or the next.
        """
        bases = [use.split()[0] for use in self.parts.uses]
        same = [number for number, base in enumerate(bases, 1) if base == self.base.prompt.sha256]
        return same[-1] if same else len(bases) + 1

    @property
    def searched(self) -> list[Call]:
        """The calls for the base's answers to the briefs that learn and choose."""
        proving = self.ids("prove")
        return [cell.calls[0] for cell in self.base.cells if cell.brief.id not in proving]

    def settling(self, head: Prompt, use: int, ledger: Ledger, max_usd: float | None) -> Settling:
        """The proof: base and a candidate on the briefs that prove, with the confidence of this use
        of them.
        """
        plan = replace(self.base, briefs=self.part("prove"))
        confidence = confidence_of_test(plan.params.compare.confidence, use)
        return settling_of_prompts(
            plan, head, PROOF_FILE, ledger, confidence=confidence, max_usd=max_usd
        )


def load_inputs(options: Namespace, params: Params, variables: Mapping[str, str]) -> ImproveInputs:
    """What the command line names; every problem is reported at once."""
    judges: OptionChange = {"prompt": ("--prompt", options.prompt)}
    proposer: OptionChange = {**judges, "models": ("--by", (options.by,))}
    if options.models:
        judges = {**judges, "models": ("--models", tuple(options.models))}
    direct = {"runtime": params.runtime.model_copy(update={"mode": "direct"})}
    params = params.model_copy(update=direct)  # each step waits for the one before it
    plans = load_changed_plans(params, (judges, proposer), DEFAULT_LOOKS[-1], variables)
    base, by = (plan.called for plan in plans)
    problems = list(_problems_of(options, base, by))
    if problems:
        raise InputError(problems)
    fault = "cannot be read, and the uses that it counts would be lost: restore it from git"
    earlier = read_record(PARTS_FILE, BriefParts, fault) or BriefParts()
    parts = draw_parts(base.briefs, earlier)
    inputs = ImproveInputs(base, asked_for_text(by.models[0]), parts)
    learn, choose, prove = (inputs.ids(part) for part in ("learn", "choose", "prove"))
    if len(prove) < MIN_PROVING or not (learn and choose):
        drawn = f"{len(learn)} learn, {len(choose)} choose and {len(prove)} prove"
        message = f"of the selected, {drawn}: select more, all by *"
        raise InputError([Problem("params.yaml", "briefs", message)])
    cells = [cell for cell in base.cells if cell.sample == 1 or cell.brief.id in prove]
    return replace(inputs, base=replace(base, cells=tuple(cells)))


def _problems_of(options: Namespace, base: RunPlan, by: RunPlan) -> Iterator[Problem]:
    if len(base.briefs) < MIN_IN_ALL:
        message = f"selects {len(base.briefs)}, and three parts require {MIN_IN_ALL}"
        yield Problem("params.yaml", "briefs", message)
    if not base.models:
        yield Problem("command line", "--models", "must name a model that can be called")
    if [model.config.id for model in by.models] != [options.by]:
        message = f"must be the id of one model that can be called, found {options.by}"
        yield Problem("command line", "--by", message)


def reflection_cell(proposer: PlannedModel, request: str, number: int) -> PlannedCell:
    """The cell of a request to the proposer, which is made for the `number`-th time in a search."""
    instructions = prompt_of(REFLECTION, INSTRUCTIONS)
    brief = Brief(REFLECTION, Expectations(), request, "")
    settings = GenerateParams.model_validate({"samples": number})
    return plan_cells([proposer], instructions, [brief], settings)[-1]


def usual_reflection(inputs: ImproveInputs) -> Call:
    """A request to the proposer of the usual length."""
    shown = inputs.part("learn")[:MAX_SHOWN_BRIEFS]
    feedback = [brief.body + MAX_ANSWER * "x" for brief in shown]
    request = request_text(inputs.base.prompt.text, feedback, 0)
    return reflection_cell(inputs.proposer, request, 1).calls[0]


def gain_shown(inputs: ImproveInputs, ledger: Ledger) -> float:
    """The gain in quality that the last look is expected to show."""
    candidate = replace(inputs.base.prompt, path="the best candidate")
    settling = inputs.settling(candidate, inputs.use, ledger, None)
    return expected_half_widths(settling.design(), settling.answer_sds())[-1].quality


def plan_lines(
    inputs: ImproveInputs, rounds: int, missing: Sequence[Call], gain: float, ledger: Ledger
) -> Iterator[str]:
    """The plan in lines; `missing` are the calls that the base lacks."""
    proving = inputs.ids("prove")
    proof = [cell.calls[0] for cell in inputs.base.cells if cell.brief.id in proving]
    steps = {
        "Proposals": [usual_reflection(inputs)] * rounds,
        "Answers to candidates": inputs.searched * rounds,
        "Answers to the base": missing,
        "Proof of the best candidate": proof,
    }
    forecaster = Forecaster(ledger.output_tokens)
    parts = [f"{len(inputs.part(part))} {part}" for part in ("learn", "choose", "prove")]
    uses = numbers.counted(len(inputs.parts.uses), "time")
    yield f"Briefs: {', '.join(parts)}; those that prove were used {uses} before."
    for step, of_step in steps.items():
        usd = forecaster.total(of_step).cost_usd
        cost = f"{numbers.money(usd.expected)} ({numbers.money_interval(usd.low, usd.high)})"
        yield f"{step}: at most {numbers.counted(len(of_step), 'call')}, {cost}."
    yield f"A gain in quality of about {numbers.score(gain)} or more could be shown."


def doubts_of(
    inputs: ImproveInputs, gain: float, ledger: Ledger, max_usd: float | None
) -> Iterator[str]:
    """Why the search may not be worth its cost."""
    briefs = len(inputs.base.briefs)
    if briefs < USUAL_BRIEFS:
        yield f"there are {briefs} briefs, and {USUAL_BRIEFS} are advised"
    if gain > LEAST_GAIN:
        yield f"the proof could not show a gain of {LEAST_GAIN:.2f} in quality"
    first_steps = [*inputs.searched, usual_reflection(inputs)]
    least_usd = Forecaster(ledger.output_tokens).total(first_steps).cost_usd.low
    if max_usd is not None and least_usd > max_usd:
        yield (
            f"--max-usd is {numbers.money(max_usd)}, and the base's answers with one proposal "
            f"cost {numbers.money(least_usd)} at least"
        )
