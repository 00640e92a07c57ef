"""Adapter: what a search works on, from the command line and the input files; what it may call and
cost, and what gain its proof could show. A candidate is taken to cost what the base costs.
"""

from argparse import Namespace
from collections import Counter
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
from stages.improve.parts import MIN_PROVING, draw_parts
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

    def calls(self, *names: BriefRole) -> list[Call]:
        """The calls for the base's answers to the briefs of parts."""
        parts = self.parts.parts
        return [cell.calls[0] for cell in self.base.cells if parts[cell.brief.id] in names]

    @property
    def use(self) -> int:
        """Which use of the briefs that prove this search makes, from 1: the last one of the same
        base, which a repeated search makes again, or the next.
        """
        uses = self.parts.uses
        same = [n for n, use in enumerate(uses, 1) if use.startswith(self.base.prompt.sha256)]
        return max(same, default=len(uses) + 1)

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
    fault = "cannot be read, and the uses that it counts would be lost: restore it from git"
    parts = draw_parts(base.briefs, read_record(PARTS_FILE, BriefParts, fault) or BriefParts())
    problems = list(_problems_of(options, base, by, parts))
    if problems:
        raise InputError(problems)
    cells = [
        cell for cell in base.cells if cell.sample == 1 or parts.parts[cell.brief.id] == "prove"
    ]
    base = replace(base, cells=tuple(cells))
    return ImproveInputs(base, asked_for_text(by.models[0]), parts)


def _problems_of(
    options: Namespace, base: RunPlan, by: RunPlan, parts: BriefParts
) -> Iterator[Problem]:
    drawn = Counter(parts.parts[brief.id] for brief in base.briefs)
    if drawn["prove"] < MIN_PROVING or not (drawn["learn"] and drawn["choose"]):
        found = f"{drawn['learn']} learn, {drawn['choose']} choose and {drawn['prove']} prove"
        message = f"of the selected, {found}; 1, 1 and {MIN_PROVING} are needed: select more"
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


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What a search may call and cost, in lines; and why it may not be worth that, in sentences."""

    lines: tuple[str, ...]
    doubts: tuple[str, ...]


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
    costs: list[str] = []
    for step, calls in steps.items():
        usd = forecaster.total(calls).cost_usd
        cost = f"{numbers.money(usd.expected)} ({numbers.money_interval(usd.low, usd.high)})"
        costs.append(f"{step}: at most {numbers.counted(len(calls), 'call')}, {cost}.")
    parts = [f"{len(inputs.part(part))} {part}" for part in ("learn", "choose", "prove")]
    uses = numbers.counted(len(inputs.parts.uses), "time")
    settling = inputs.settling(inputs.base.prompt, inputs.use, ledger, None)
    gain = expected_half_widths(settling.design(), settling.answer_sds())[-1].quality
    lines = (
        f"Briefs: {', '.join(parts)}; those that prove were used {uses} before.",
        *costs,
        f"A gain in quality of about {numbers.score(gain)} or more could be shown.",
    )
    least_usd = forecaster.total([*searched, proposal]).cost_usd.low
    return SearchPlan(lines, tuple(_doubts_of(inputs, gain, least_usd, options.max_usd)))


def _doubts_of(
    inputs: ImproveInputs, gain: float, least_usd: float, max_usd: float | None
) -> Iterator[str]:
    briefs = len(inputs.base.briefs)
    if briefs < USUAL_BRIEFS:
        yield f"there are {briefs} briefs, and {USUAL_BRIEFS} are advised"
    if gain > LEAST_GAIN:
        yield f"the proof could not show a gain of {LEAST_GAIN:.2f} in quality"
    if max_usd is not None and least_usd > max_usd:
        least = f"the base's answers with one proposal cost {numbers.money(least_usd)} at least"
        yield f"--max-usd is {numbers.money(max_usd)}, and {least}"
