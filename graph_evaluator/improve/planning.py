"""Adapter: what a search works on, from the command line and the input files; what it may call and
cost, and what gain its proof could show. A candidate is taken to cost what the baseline costs.
"""

import math
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graph_evaluator.analysis.interval import analysis_confidences, confidence_of_test
from graph_evaluator.analysis.paired_test import detectable_difference
from graph_evaluator.generate.capped_answers import CappedAnswers, problems_of_model, purpose_of
from graph_evaluator.generate.forecast import Forecaster, cost_line
from graph_evaluator.generate.inputs import Changes, load_changed_plans
from graph_evaluator.generate.ledger.store import Ledger
from graph_evaluator.generate.plan.call import Call, PlannedModel
from graph_evaluator.generate.plan.cells import RunPlan, text_cell
from graph_evaluator.improve.reflection import (
    INSTRUCTIONS,
    MAX_ANSWER,
    MAX_SHOWN_BRIEFS,
    request_text,
)
from graph_evaluator.records.brief import Brief, Prompt
from graph_evaluator.records.codebook import Codebook
from graph_evaluator.records.commands import MIN_HOLDOUT, BriefParts, BriefRole
from graph_evaluator.records.errors import InputError, Problem, input_error
from graph_evaluator.records.params import Params
from graph_evaluator.settle.settling import (
    SAMPLES,
    SettleSide,
    SettleSides,
    Settling,
    side_of_run,
)
from graph_evaluator.shell import numbers, paths
from graph_evaluator.shell.files import read_record
from graph_evaluator.shell.inputs import load_briefs, load_codebooks

ROLES: tuple[BriefRole, ...] = ("learn", "choose", "holdout")
PARTS_FILE = paths.RESULTS / "improve/parts.json"
BRIEF_SD, ANSWER_SD = 0.03, 0.1
"""How briefs are assumed to differ in their gain, and answers to one cell: standard deviations."""


@dataclass(frozen=True, slots=True)
class ImproveInputs:
    """The run of the baseline, one sample a brief, and as many as the last interim analysis has of
    the holdout; the proposer; the briefs of each part; the drawn parts with their uses; and all
    codebooks by brief.
    """

    baseline: RunPlan
    proposer: PlannedModel
    parts: Mapping[BriefRole, tuple[Brief, ...]]
    drawn: BriefParts
    codebooks: Mapping[str, Codebook]

    def calls(self, *roles: BriefRole) -> list[Call]:
        """The calls for the baseline's answers to the briefs of parts."""
        parts = self.drawn.parts
        return [cell.calls[0] for cell in self.baseline.cells if parts[cell.brief.id] in roles]

    @property
    def purpose(self) -> str:
        """What answers are called for."""
        models = (*self.baseline.models, self.proposer)
        return purpose_of("improve", replace(self.baseline, models=models), self.baseline.prompt)

    def side(self, name: str, plan: RunPlan) -> SettleSide:
        """The side that a run is."""
        return side_of_run(name, plan, self.codebooks)

    def settling(self, candidate: Prompt, use: int, answers: CappedAnswers) -> Settling:
        """The proof: baseline and a candidate on the holdout, with the confidence of this use
        of them.
        """
        plan = replace(self.baseline, briefs=self.parts["holdout"])
        baseline = self.side(plan.prompt.path, plan)
        sides = SettleSides(baseline, self.side(candidate.path, replace(plan, prompt=candidate)))
        confidence = confidence_of_test(plan.params.compare.confidence, use)
        briefs = ",".join(brief.id for brief in plan.briefs)
        return Settling(sides, answers, confidence, f" -S 'briefs=[{briefs}]'")


def load_inputs(options: Namespace, params: Params, variables: Mapping[str, str]) -> ImproveInputs:
    """What the command line names; every problem is reported at once."""
    judges: Changes = {"prompt": options.prompt}
    proposer: Changes = {**judges, "models": (options.by,)}
    if options.models:
        judges = {**judges, "models": tuple(options.models)}
    direct = {"runtime": params.runtime.model_copy(update={"mode": "direct"})}
    params = params.model_copy(update=direct)  # each step waits for the one before it
    plans = load_changed_plans(params, (judges, proposer), SAMPLES[-1], variables)
    baseline, by = plans
    fix = (
        "the uses that it counts would be lost: restore it from git (in an "
        'older one "holdout" is "prove")'
    )
    drawn = read_record(PARTS_FILE, BriefParts, fix) or BriefParts()
    drawn = drawn.with_briefs(baseline.briefs)
    parts = {
        role: tuple(brief for brief in baseline.briefs if drawn.parts[brief.id] == role)
        for role in ROLES
    }
    problems = list(problems_of_model("--by", options.by, by))
    if not baseline.models:
        message = "must name a model that can be called"
        problems.append(Problem("command line", "--models", message))
    if len(parts["holdout"]) < MIN_HOLDOUT or not (parts["learn"] and parts["choose"]):
        needed = f"1, 1 and {MIN_HOLDOUT} are needed"
        message = f"of the selected, {_sizes(parts)}; {needed}: select more"
        problems.append(Problem("params.yaml", "briefs", message))
    if problems:
        raise InputError(problems)
    cells = [cell for cell in baseline.cells if cell.sample == 1 or cell.brief in parts["holdout"]]
    baseline = replace(baseline, cells=tuple(cells))
    codebooks = load_codebooks(load_briefs())
    return ImproveInputs(baseline, by.models[0], parts, drawn, codebooks)


def _sizes(parts: Mapping[BriefRole, Sequence[Brief]]) -> str:
    return ", ".join(f"{len(briefs)} {role}" for role, briefs in parts.items())


def usual_reflection(inputs: ImproveInputs) -> Call:
    """A request to the proposer of the usual length."""
    shown = inputs.parts["learn"][:MAX_SHOWN_BRIEFS]
    feedback = [brief.body + MAX_ANSWER * "x" for brief in shown]
    request = request_text(inputs.baseline.prompt.text, feedback, 0)
    return text_cell(inputs.proposer, INSTRUCTIONS, request, 1).calls[0]


def provable_gain(briefs: int, models: int, confidence: float) -> float:
    """The gain that the last interim analysis of a proof finds four times in five, 0 to 1, with
    answers and briefs that vary as assumed; `confidence` is that of all interim analyses.
    """
    samples = models * SAMPLES[-1]
    sd = math.sqrt(BRIEF_SD**2 + 2 * ANSWER_SD**2 / samples)
    return detectable_difference(sd, briefs, analysis_confidences(SAMPLES, confidence)[-1])


def plan_search(
    inputs: ImproveInputs, options: Namespace, missing: Sequence[Call], ledger: Ledger
) -> list[str]:
    """What a search may call, cost and find, in lines; `missing` are the calls that the baseline
    lacks.

    Raises:
        InputError: the record of the uses of the holdout is missing.
    """
    was_used = any((row.purpose or "").startswith("improve:") for row in ledger.spending())
    if was_used and not PARTS_FILE.exists():
        message = "is missing, so that earlier uses of the holdout are unknown: restore it from git"
        raise input_error(PARTS_FILE.as_posix(), "", message)
    forecaster = Forecaster(ledger.output_tokens)
    searched, proposal = inputs.calls("learn", "choose"), usual_reflection(inputs)
    steps = {
        "Proposals": [proposal] * options.rounds,
        "Answers to candidates": searched * options.rounds,
        "Answers to the baseline": missing,
        "Proof of the best candidate": inputs.calls("holdout"),
    }
    drawn, baseline, uses = inputs.drawn, inputs.baseline, len(inputs.drawn.uses)
    use = drawn.likely_use(baseline.prompt.sha256)
    confidence = confidence_of_test(baseline.params.compare.confidence, use)
    gain = provable_gain(len(inputs.parts["holdout"]), len(baseline.models), confidence)
    return [
        f"Briefs: {_sizes(inputs.parts)}; the holdout was used "
        f"{numbers.counted(uses, 'time')} before.",
        *(
            f"{step}: at most {cost_line(forecaster.total(calls))}."
            for step, calls in steps.items()
        ),
        f"Use {use} of the holdout finds a gain of {numbers.score(gain)} four times in "
        f"five, if gains differ by {BRIEF_SD} between briefs and answers to one by {ANSWER_SD}.",
    ]
