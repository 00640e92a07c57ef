"""The two sides of a settlement: the runs that it amounts to, and their answers scored in
memory.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from stages.commands.compare.pairs import Pairing, pair
from stages.generate.inputs import Changes, load_changed_plans
from stages.generate.plan.cells import PlannedCell, RunPlan, plan_cells
from stages.generate.plan.work import AnswerStore
from stages.generate.responses import responses_of
from stages.score import Scorer
from stages.shared.analysis.paired_test import MIN_BRIEFS
from stages.shared.analysis.scored_cell import scored_cell
from stages.shared.records.errors import InputError, Problem
from stages.shared.records.params import Params
from stages.shared.records.response import Response
from stages.shared.records.scorecard import Scorecard
from stages.shared.shell.inputs import load_briefs, load_codebooks

COMPARE_RECORDED = "`graph-evaluator compare --models` compares them with others"


@dataclass(frozen=True, slots=True)
class Graded:
    """A response with its scorecard."""

    response: Response
    card: Scorecard

    @property
    def score(self) -> float:
        """The expected score, 0 without a usable graph."""
        return self.card.expected_score or 0.0


@dataclass(frozen=True, slots=True)
class SettleSide:
    """One side: its name, the run with all samples, how its answers are scored, and the model id
    under which they are paired; None for their own.
    """

    name: str
    plan: RunPlan
    scorer: Scorer
    paired_as: str | None = None

    def graded(self, samples: int, store: AnswerStore) -> Iterator[Graded]:
        """The answers to so many samples, each with its scorecard."""
        cells = [cell for cell in self.plan.cells if cell.sample <= samples]
        for response in responses_of(cells, store, {}):
            card = self.scorer.score(response)
            paired_as = self.paired_as or card.model_id
            yield Graded(response, card.model_copy(update={"model_id": paired_as}))


@dataclass(frozen=True, slots=True)
class SettleSides:
    """Baseline and candidate."""

    baseline: SettleSide
    candidate: SettleSide

    @property
    def plan(self) -> RunPlan:
        """All that may be called: cell by cell of baseline and candidate in turns, the first
        samples first.
        """
        baseline, candidate = self.baseline.plan, self.candidate.plan
        both = [
            cell for cells in zip(baseline.cells, candidate.cells, strict=True) for cell in cells
        ]
        both.sort(key=lambda cell: cell.sample)
        models = {model.config.id: model for model in (*baseline.models, *candidate.models)}
        return replace(baseline, models=tuple(models.values()), cells=tuple(both))

    def cells(self, samples: int) -> list[PlannedCell]:
        """The cells of both sides, of so many samples."""
        return [cell for cell in self.plan.cells if cell.sample <= samples]

    def pairing(self, samples: int, store: AnswerStore) -> Pairing:
        """The answers to so many samples, scored and paired."""
        baseline, candidate = (
            [scored_cell(graded.card) for graded in side.graded(samples, store)]
            for side in (self.baseline, self.candidate)
        )
        return pair(baseline, candidate)


def load_sides(options: Namespace, params: Params, variables: Mapping[str, str]) -> SettleSides:
    """The sides that the command line names; every problem of theirs is reported at once."""
    changes: list[Changes] = [{"--prompt": path} for path in options.prompt]
    if options.models:
        prompt = changes[0] if changes else {}
        changes = [{**prompt, "--models": (model,)} for model in options.models]
    plans = load_changed_plans(params, changes, options.samples[-1], variables)
    problems = list(_problems_of(options, *plans))
    if problems:
        raise InputError(problems)
    paired_as = "both" if options.models else None
    baseline, candidate = (
        side_of_run(name, plan.called, paired_as)
        for name, plan in zip(options.models or options.prompt, plans, strict=True)
    )
    return SettleSides(baseline, candidate)


def side_of_run(name: str, plan: RunPlan, paired_as: str | None = None) -> SettleSide:
    """The side that a run is, with the cells of its prompt and briefs."""
    cells = plan_cells(plan.models, plan.prompt, plan.briefs, plan.params.generate)
    codebooks = load_codebooks(load_briefs())
    scorer = Scorer(plan.params.score, plan.briefs, plan.prompt, codebooks=codebooks)
    return SettleSide(name, replace(plan, cells=tuple(cells)), scorer, paired_as)


def _problems_of(options: Namespace, baseline: RunPlan, candidate: RunPlan) -> Iterator[Problem]:
    if len(baseline.briefs) < MIN_BRIEFS:
        message = f"selects {len(baseline.briefs)}, and a verdict requires {MIN_BRIEFS}"
        yield Problem("params.yaml", "briefs", message)
    for name, plan in zip(options.models or (), (baseline, candidate), strict=False):
        yield from problems_of_model("--models", name, plan)
    if not options.models and baseline.prompt.sha256 == candidate.prompt.sha256:
        prompts = f"{baseline.prompt.path} and {candidate.prompt.path}"
        message = f"{prompts} hold the same text: there is nothing to settle"
        yield Problem("command line", "--prompt", message)


def problems_of_model(option: str, name: str, plan: RunPlan) -> Iterator[Problem]:
    """What is wrong with an option that names the one model that a run calls."""
    if [model.config.id for model in plan.recorded] == [name]:
        message = f"{name} is recorded, and recorded models are never called: {COMPARE_RECORDED}"
        yield Problem("command line", option, message)
    elif [model.config.id for model in plan.models] != [name]:
        yield Problem("command line", option, f"must be the id of one model, found {name}")
