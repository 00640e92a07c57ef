"""The two sides of a settlement: the runs that it amounts to, and their answers scored in
memory.
"""

from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from stages.compare.pairing import Pairing, pair
from stages.contracts.brief import Brief, Prompt
from stages.contracts.errors import InputError, Problem, collecting
from stages.contracts.params import Params
from stages.contracts.response import Response
from stages.contracts.scorecard import Scorecard
from stages.generate.inputs import load_plan
from stages.generate.plan.cells import PlannedCell, RunPlan, plan_cells
from stages.generate.plan.work import AnswerStore
from stages.generate.responses.files import manifest
from stages.generate.responses.response import responses_of
from stages.score import Scorer
from stages.shell.inputs import load_briefs
from stages.statistics.paired_test import MIN_BRIEFS

OptionChange = Mapping[str, tuple[str, object]]
"""Settings of `params.yaml` that options replace: each with the option and its value."""
COMPARE_RECORDED = "`python -m stages.compare --models` compares them with others"


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
    """One side: its name, the run with as many samples as the last look has, how its answers are
    scored, and the model id under which they are paired; None for their own.
    """

    name: str
    plan: RunPlan
    scorer: Scorer
    paired_as: str | None = None

    def cells(self, samples: int) -> list[PlannedCell]:
        """The cells of so many samples."""
        return [cell for cell in self.plan.cells if cell.sample <= samples]

    def graded(self, samples: int, store: AnswerStore) -> Iterator[Graded]:
        """The answers to so many samples, each with its scorecard."""
        for response in responses_of(self.cells(samples), store, {}):
            card = self.scorer.score(response)
            paired_as = self.paired_as or card.model_id
            yield Graded(response, card.model_copy(update={"model_id": paired_as}))


def run_id_of(plan: RunPlan) -> str:
    """A hash of prompt, models, briefs and settings."""
    settings = plan.params.generate
    return manifest(plan.prompt, plan.models, plan.briefs, settings).run_id


@dataclass(frozen=True, slots=True)
class SettleSides:
    """Base and head, the settings of `params.yaml` that they share, and a sentence on the recorded
    models that take no part.
    """

    base: SettleSide
    head: SettleSide
    params: Params
    left_out: str | None = None

    def plan(self, samples: int) -> RunPlan:
        """The run of both sides with so many samples, cell by cell of base and head in turns, the
        first samples first.
        """
        base, head = self.base.plan, self.head.plan
        both = [cell for cells in zip(base.cells, head.cells, strict=True) for cell in cells]
        cells = [cell for cell in both if cell.sample <= samples]
        cells.sort(key=lambda cell: cell.sample)
        models = base.models if base.models == head.models else (*base.models, *head.models)
        return replace(base, params=self.params, models=models, cells=tuple(cells))

    @property
    def whole_plan(self) -> RunPlan:
        """All that may be called: both sides at the last look."""
        return self.plan(self.base.plan.params.generate.samples)

    def pairing(self, samples: int, store: AnswerStore) -> Pairing:
        """The answers to so many samples, scored and paired."""
        base, head = (
            [graded.card for graded in side.graded(samples, store)]
            for side in (self.base, self.head)
        )
        return pair(base, head)


def load_sides(options: Namespace, params: Params, variables: Mapping[str, str]) -> SettleSides:
    """The sides that the command line names; every problem of theirs is reported at once."""
    plans = _load_plans(options, params, variables)
    base, head = plans
    problems = list(_problems_of(options, base, head))
    if problems:
        raise InputError(problems)
    left_out = None
    if base.recorded:
        names = ", ".join(model.config.id for model in base.recorded)
        left_out = f"recorded models take no part: {names}; {COMPARE_RECORDED}"
    paired_as = "both" if options.models else None
    briefs = load_briefs()
    first, second = (
        SettleSide(name, plan.called, _scorer(plan, briefs), paired_as)
        for name, plan in zip(options.models or options.prompt, plans, strict=True)
    )
    return SettleSides(first, second, params, left_out)


def sides_of_prompts(plan: RunPlan, head: Prompt, samples: int, confidence: float) -> SettleSides:
    """The sides that a run and the same run with another prompt are, with so many samples at the
    last look.
    """
    compare = plan.params.compare.model_copy(update={"confidence": confidence})
    generate = plan.params.generate.model_copy(update={"samples": samples})
    params = plan.params.model_copy(update={"generate": generate, "compare": compare})
    base = replace(plan, params=params)
    first, second = side_of_prompt(base), side_of_prompt(replace(base, prompt=head))
    return SettleSides(first, second, params)


def side_of_prompt(plan: RunPlan) -> SettleSide:
    """The side that a run is, with the cells of its prompt and briefs."""
    return SettleSide(plan.prompt.path, _with_cells(plan), _scorer(plan, plan.briefs))


def _scorer(plan: RunPlan, briefs: Iterable[Brief]) -> Scorer:
    return Scorer(plan.params.score, briefs, plan.prompt)


def _with_cells(plan: RunPlan) -> RunPlan:
    """The run with the cells of its prompt and briefs."""
    cells = plan_cells(plan.models, plan.prompt, plan.briefs, plan.params.generate)
    return replace(plan, cells=tuple(cells))


def _load_plans(
    options: Namespace, params: Params, variables: Mapping[str, str]
) -> tuple[RunPlan, RunPlan]:
    changes: list[OptionChange] = [{"prompt": ("--prompt", path)} for path in options.prompt]
    if options.models:
        prompt = changes[0] if changes else {}
        changes = [{**prompt, "models": ("--models", (model,))} for model in options.models]
    base, head = load_changed_plans(params, changes, options.looks[-1], variables)
    return base, head


def load_changed_plans(
    params: Params, changes: Sequence[OptionChange], samples: int, variables: Mapping[str, str]
) -> list[RunPlan]:
    """The runs that the settings with each change describe, of so many samples.

    Raises:
        InputError: every problem of all runs; that of a changed setting is named as its option.
    """
    generate = params.generate.model_copy(update={"samples": samples})
    plans: list[RunPlan] = []
    problems: list[Problem] = []
    for change in changes:
        values = {setting: value for setting, (_, value) in change.items()}
        of_run: list[Problem] = []
        with collecting(of_run):
            changed = params.model_copy(update={"generate": generate, **values})
            plans.append(load_plan(changed, variables))
        problems += [_as_given(problem, change) for problem in of_run]
    if problems:
        raise InputError(problems)
    return plans


def _problems_of(options: Namespace, base: RunPlan, head: RunPlan) -> Iterator[Problem]:
    if len(base.briefs) < MIN_BRIEFS:
        message = f"selects {len(base.briefs)}, and a verdict requires {MIN_BRIEFS}"
        yield Problem("params.yaml", "briefs", message)
    for name, plan in zip(options.models or (), (base, head), strict=False):
        yield from problems_of_model("--models", name, plan)
    if not options.models and base.prompt.sha256 == head.prompt.sha256:
        prompts = f"{base.prompt.path} and {head.prompt.path}"
        message = f"{prompts} hold the same text: there is nothing to settle"
        yield Problem("command line", "--prompt", message)


def problems_of_model(option: str, name: str, plan: RunPlan) -> Iterator[Problem]:
    """What is wrong with an option that names the one model that a run calls."""
    if [model.config.id for model in plan.recorded] == [name]:
        message = f"{name} is recorded, and recorded models are never called: {COMPARE_RECORDED}"
        yield Problem("command line", option, message)
    elif [model.config.id for model in plan.models] != [name]:
        yield Problem("command line", option, f"must be the id of one model, found {name}")


def _as_given(problem: Problem, change: OptionChange) -> Problem:
    """A problem of a setting that the command line replaces, named as there."""
    if problem.file != "params.yaml" or problem.where not in change:
        return problem
    option, _ = change[problem.where]
    return Problem("command line", option, problem.message)
