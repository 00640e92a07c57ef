"""Adapter: what a search works on, from the command line and the input files, and the files that it
writes.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from stages.contracts.brief import Brief
from stages.contracts.errors import InputError, Problem, collecting
from stages.contracts.improvement import BriefParts, Part
from stages.contracts.json_text import NotJson, parse, pretty
from stages.contracts.params import Params
from stages.contracts.record import Record
from stages.generate.inputs import load_plan
from stages.generate.plan.cells import RunPlan, plan_cells
from stages.generate.plan.models import PlannedModel, api_settings
from stages.improve.parts import MIN_IN_ALL, draw_parts
from stages.settle.sides import as_given
from stages.shell import paths
from stages.shell.files import write_output

IMPROVEMENT_FILE, PAGE_FILE = paths.RESULTS / "improve.json", paths.RESULTS / "improve.html"
PARTS_FILE = paths.RESULTS / "improve/parts.json"
CANDIDATE_FILE = paths.RESULTS / "improve/candidate.txt"
AnyRecord = TypeVar("AnyRecord", bound=Record)


@dataclass(frozen=True, slots=True)
class ImproveInputs:
    """The base's run, whose cells are those of the briefs that learn and choose; the proposer; and
    the part that each brief is in.
    """

    base: RunPlan
    proposer: PlannedModel
    parts: BriefParts
    briefs: tuple[Brief, ...]

    def part(self, name: Part) -> tuple[Brief, ...]:
        """The briefs of a part, by id."""
        by_id = {brief.id: brief for brief in self.briefs}
        return tuple(by_id[name] for name in self.parts.ids(name) if name in by_id)


def load_inputs(options: Namespace, params: Params, variables: Mapping[str, str]) -> ImproveInputs:
    """What the command line names; every problem is reported at once."""
    generate = params.generate.model_copy(update={"samples": options.samples, "reliability": False})
    chosen = {"prompt": options.prompt, "models": tuple(options.models or params.models)}
    problems: list[Problem] = []
    plans: list[RunPlan] = []
    for models in (chosen["models"], (options.by,)):
        update = {**chosen, "models": models, "generate": generate}
        with collecting(problems):
            plans.append(load_plan(params.model_copy(update=update), variables))
    if problems:
        raise InputError([as_given(problem, options) for problem in problems])
    base, by = plans
    briefs = tuple(brief for brief in base.briefs if brief.purpose == "score")
    problems = list(_problems(options, base, by, len(briefs)))
    if problems:
        raise InputError(problems)
    parts = draw_parts(briefs, read_record(BriefParts, PARTS_FILE) or BriefParts())
    inputs = ImproveInputs(base, _as_proposer(by.models[0]), parts, briefs)
    searched = (*inputs.part("learn"), *inputs.part("choose"))
    cells = plan_cells(base.models, base.prompt, searched, generate, base.repair)
    return replace(inputs, base=replace(base, briefs=searched, cells=tuple(cells)))


def _problems(options: Namespace, base: RunPlan, by: RunPlan, briefs: int) -> Iterator[Problem]:
    if briefs < MIN_IN_ALL:
        message = f"selects {briefs}, and three parts require {MIN_IN_ALL}"
        yield Problem("params.yaml", "briefs", message)
    if not base.models:
        yield Problem(
            "command line", "--models", "select only recorded models, which are not called"
        )
    if [model.config.id for model in by.models] != [options.by]:
        message = f"must be the id of one model that can be called, found {options.by}"
        yield Problem("command line", "--by", message)


def _as_proposer(model: PlannedModel) -> PlannedModel:
    """The model as it is asked for text, whatever format its config asks for."""
    params = model.config.params.model_copy(update={"response_format": None})
    config = model.config.model_copy(update={"params": params})
    return replace(model, config=config, settings=api_settings(config, None)[0], schema=None)


def read_record(kind: type[AnyRecord], file: Path) -> AnyRecord | None:
    """The record in a file that a search wrote; None when there is no file.

    Raises:
        InputError: it cannot be read. What it counts would be lost.
    """
    try:
        return kind.read(parse(file.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, NotJson, ValidationError):
        message = "cannot be read, and what it counts would be lost: restore it from git"
        raise InputError([Problem(file.as_posix(), "", message)]) from None


def write_record(record: Record, file: Path) -> None:
    """Write a record to its file."""
    write_output(file, pretty(record.to_json()))


def improved_path(base: str, text: str) -> str:
    """The file beside the base's that a candidate gets: the first that is free or holds it."""
    for number in count(1):
        file = Path(base).with_name(f"{Path(base).stem}-improved-{number}.txt")
        if not file.exists() or file.read_text(encoding="utf-8") == text:
            return file.as_posix()
    raise AssertionError("there is always a free name")
