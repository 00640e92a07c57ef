"""Adapter: what a search works on, from the command line and the input files."""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pydantic import ValidationError

from stages.contracts.brief import Brief
from stages.contracts.errors import InputError, Problem, collecting
from stages.contracts.improvement import BriefParts, Part
from stages.contracts.json_text import NotJson, parse
from stages.contracts.params import Params
from stages.generate.inputs import load_plan
from stages.generate.plan.cells import RunPlan
from stages.generate.plan.models import PlannedModel, api_settings
from stages.improve.parts import MIN_IN_ALL, draw_parts
from stages.settle.sides import as_given
from stages.shell import paths

PARTS_FILE = paths.RESULTS / "improve/parts.json"


@dataclass(frozen=True, slots=True)
class ImproveInputs:
    """The run of the base on all briefs, one sample each; the proposer; the part of each brief."""

    base: RunPlan
    proposer: PlannedModel
    parts: BriefParts

    def part(self, name: Part) -> tuple[Brief, ...]:
        """The briefs of a part, by id."""
        ids = self.parts.ids(name)
        return tuple(brief for brief in self.base.briefs if brief.id in ids)


def load_inputs(options: Namespace, params: Params, variables: Mapping[str, str]) -> ImproveInputs:
    """What the command line names; every problem is reported at once."""
    single = {"samples": 1, "reliability": False}
    generate = params.generate.model_copy(update=single)
    problems: list[Problem] = []
    plans: list[RunPlan] = []
    for models in (options.models or params.models, (options.by,)):
        update = {"prompt": options.prompt, "models": tuple(models), "generate": generate}
        with collecting(problems):
            plans.append(load_plan(params.model_copy(update=update), variables).called)
    if not problems:
        problems += _problems_of(options, *plans)
    if problems:
        raise InputError([as_given(problem, options) for problem in problems])
    base, by = plans
    return ImproveInputs(base, _as_proposer(by.models[0]), draw_parts(base.briefs, _drawn_parts()))


def _problems_of(options: Namespace, base: RunPlan, by: RunPlan) -> Iterator[Problem]:
    if len(base.briefs) < MIN_IN_ALL:
        message = f"selects {len(base.briefs)}, and three parts require {MIN_IN_ALL}"
        yield Problem("params.yaml", "briefs", message)
    if not base.models:
        yield Problem("params.yaml", "models", "selects only recorded models, which are not called")
    if [model.config.id for model in by.models] != [options.by]:
        message = f"must be the id of one model that can be called, found {options.by}"
        yield Problem("command line", "--by", message)


def _as_proposer(model: PlannedModel) -> PlannedModel:
    """The model as it is asked for text, whatever format its config asks for."""
    params = model.config.params.model_copy(update={"response_format": None})
    config = model.config.model_copy(update={"params": params})
    settings, _ = api_settings(config, None)
    return replace(model, config=config, settings=settings, schema=None)


def _drawn_parts() -> BriefParts:
    """The parts that were drawn before; empty when there are none."""
    try:
        return BriefParts.read(parse(PARTS_FILE.read_bytes()))
    except FileNotFoundError:
        return BriefParts()
    except (OSError, NotJson, ValidationError):
        message = "cannot be read, and the uses that it counts would be lost: restore it from git"
        raise InputError([Problem(PARTS_FILE.as_posix(), "", message)]) from None
