"""The two sides of a settlement: the runs that it amounts to, what they lack, and their answers
scored in memory.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from stages.compare.pairing import Pairing, pair, scores_by_model
from stages.contracts.errors import InputError, Problem
from stages.contracts.params import Params
from stages.contracts.scorecard import Scorecard
from stages.generate.calls.faults import Fault
from stages.generate.inputs import load_plan
from stages.generate.plan.cells import PlannedCell, RunPlan
from stages.generate.plan.work import AnswerStore, draws_of_cells
from stages.generate.responses.files import manifest
from stages.generate.responses.response import responses_of
from stages.score import Scorer
from stages.shell.inputs import load_briefs
from stages.statistics.claim import MIN_BRIEFS
from stages.statistics.estimates import Scores


@dataclass(frozen=True, slots=True)
class SettleSide:
    """One side: its name, the run with as many samples as the last look has, and how its answers
    are scored.
    """

    name: str
    plan: RunPlan
    scorer: Scorer

    @property
    def run_id(self) -> str:
        """A hash of prompt, models, briefs and settings."""
        plan = self.plan
        return manifest(plan.prompt, plan.models, plan.briefs, plan.params.generate).run_id


@dataclass(frozen=True, slots=True)
class SettleSides:
    """Base and head, and the settings of `params.yaml` that they share."""

    base: SettleSide
    head: SettleSide
    params: Params

    def plan(self, samples: int) -> RunPlan:
        """The run of both sides with so many samples, cell by cell of base and head in turns, the
        first samples first.
        """
        base, head = self.base.plan, self.head.plan
        cells = [
            cell
            for both in zip(base.cells, head.cells, strict=True)
            for cell in both
            if cell.sample <= samples
        ]
        models = base.models if base.models == head.models else (*base.models, *head.models)
        return replace(
            base,
            params=self.params,
            models=models,
            cells=tuple(sorted(cells, key=lambda cell: cell.sample)),
        )

    def scores(
        self, cells: Sequence[PlannedCell], store: AnswerStore, failures: Mapping[str, Fault]
    ) -> tuple[Pairing, list[Scores]]:
        """The answers to cells of `plan`, scored: paired, and those of each cell of either side."""
        cards: tuple[list[Scorecard], list[Scorecard]] = [], []
        scorers = (self.base.scorer, self.head.scorer)
        two_models = self.base.plan.models != self.head.plan.models
        for number, response in enumerate(responses_of(cells, store, failures)):
            side = number % 2
            card = scorers[side].score(response)
            if two_models:
                card = card.model_copy(update={"model_id": "both"})
            cards[side].append(card)
        return pair(*cards), [scores for side in cards for scores in _scores_of_cells(side)]


def _scores_of_cells(cards: Sequence[Scorecard]) -> list[Scores]:
    models = scores_by_model(card for card in cards if card.answered)
    return [scores for briefs in models.values() for scores in briefs.values()]


def load_sides(options: Namespace, params: Params, variables: Mapping[str, str]) -> SettleSides:
    """The sides that the command line names; every problem of theirs is reported at once."""
    base, head = _load_plans(options, params, variables)
    problems = list(_problems_of(options, base, head, params))
    if problems:
        raise InputError(problems)
    briefs = load_briefs()
    first, second = (
        SettleSide(name, plan, Scorer(params.score, briefs, plan.prompt))
        for name, plan in zip(options.models or options.prompt, (base, head), strict=True)
    )
    return SettleSides(first, second, params)


def _load_plans(
    options: Namespace, params: Params, variables: Mapping[str, str]
) -> tuple[RunPlan, RunPlan]:
    generate = params.generate.model_copy(update={"samples": options.looks[-1]})
    if options.models:
        prompt = options.prompt[0] if options.prompt else params.prompt
        changes = [{"models": (model,), "prompt": prompt} for model in options.models]
    else:
        changes = [{"prompt": prompt} for prompt in options.prompt]
    problems: list[Problem] = []
    plans: list[RunPlan] = []
    for change in changes:
        of_side = params.model_copy(update={"generate": generate, **change})
        try:
            plans.append(load_plan(of_side, variables))
        except InputError as error:
            problems += [_as_given(problem, options) for problem in error.problems]
    if problems:
        raise InputError(problems)
    base, head = plans
    return base, head


def _problems_of(
    options: Namespace, base: RunPlan, head: RunPlan, params: Params
) -> Iterator[Problem]:
    if len(base.briefs) < MIN_BRIEFS:
        message = f"selects {len(base.briefs)}, and a verdict requires {MIN_BRIEFS}"
        yield Problem("params.yaml", "briefs", message)
    for name, plan in zip(options.models or (), (base, head), strict=False):
        if [model.config.id for model in plan.models] != [name]:
            message = f"must be the id of one model, found {name}"
            yield Problem("command line", "--models", message)
    if not options.models and base.prompt.sha256 == head.prompt.sha256:
        prompts = f"{base.prompt.path} and {head.prompt.path}"
        message = f"{prompts} hold the same text: there is nothing to settle"
        yield Problem("command line", "--prompt", message)


def paid(cells: Sequence[PlannedCell], store: AnswerStore) -> tuple[int, float]:
    """How many answers of these cells are stored, and what they cost, US dollars."""
    costs = [
        planned.model.prices.cost(draw.answer).usd or 0.0
        for planned, draws in draws_of_cells(cells, store)
        for draw in draws
    ]
    return len(costs), sum(costs)


def _as_given(problem: Problem, options: Namespace) -> Problem:
    """A problem of a setting that the command line replaces, named as there."""
    replaced = [name for name in ("prompt", "models") if getattr(options, name)]
    if problem.file != "params.yaml" or problem.where not in replaced:
        return problem
    return Problem("command line", f"--{problem.where}", problem.message)
