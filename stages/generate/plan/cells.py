"""Which cells a run has, what is asked for each of them, and under which fingerprints their answers are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stages.contracts.brief import Brief, Prompt
from stages.contracts.cell import Cell
from stages.contracts.errors import InputError, Problem
from stages.contracts.json_text import JsonValue
from stages.contracts.model_config import ModelConfig, url_fault
from stages.contracts.params import GenerateParams, Params
from stages.generate.plan.endpoint import BASE_URL_VARIABLE, Endpoint, endpoint_of
from stages.generate.plan.request import ApiRequest, build_request, fingerprint_of
from stages.shell.inputs import Inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCell:
    """One cell: its request, and the fingerprint of each draw that it may take (from 1)."""

    cell: Cell
    config: ModelConfig
    request: ApiRequest
    round_number: int
    fingerprints: tuple[str, ...]

    def canonical(self, draw: int) -> str:
        """The canonical request of a draw: the text whose hash is its fingerprint."""
        return self.request.canonical(round_number=self.round_number, sample=self.cell.sample, draw=draw)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One draw of a cell that is to be made.

    Attributes:
        draw: From 1.
        timeout_s: The deadline of the call.
        input_tokens: Estimate.
        output_tokens: The most that the model may write.
        cost_upper_usd: The most that the call may cost, for the budget; None when no price is known.
    """

    planned: PlannedCell
    draw: int
    timeout_s: float
    input_tokens: int
    output_tokens: int
    cost_upper_usd: float | None

    @property
    def fingerprint(self) -> str:
        """Under which the answer is kept."""
        return self.planned.fingerprints[self.draw - 1]

    @property
    def cell(self) -> Cell:
        """Whose answer it is."""
        return self.planned.cell

    @property
    def endpoint(self) -> Endpoint:
        """Where it goes."""
        return self.planned.request.endpoint

    @property
    def model(self) -> str:
        """The model's name at the endpoint."""
        return self.planned.request.model

    @property
    def instructions(self) -> str:
        """The system prompt."""
        return self.planned.request.instructions

    @property
    def input(self) -> str:
        """The user message."""
        return self.planned.request.input


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What a run works on."""

    params: Params
    prompt: Prompt
    models: tuple[tuple[ModelConfig, Endpoint], ...]
    briefs: tuple[Brief, ...]
    cells: tuple[PlannedCell, ...]


def plan_run(inputs: Inputs, *, variables: Mapping[str, str], schema: dict[str, JsonValue] | None) -> RunPlan:
    """The run that the inputs describe, in this environment.

    Args:
        inputs: Settings, prompt, selected models and briefs.
        variables: The environment.
        schema: The JSON Schema of a draft graph; None when no model is asked for structured output.

    Raises:
        InputError: `OPENAI_BASE_URL` is not an address.
    """
    models = tuple((config, endpoint_of(config, variables)) for config in inputs.models)
    if any(endpoint.url is not None and config.base_url is None for config, endpoint in models):
        fault = url_fault(variables[BASE_URL_VARIABLE])
        if fault:
            raise InputError([Problem("environment", BASE_URL_VARIABLE, fault)])
    cells = plan_cells(models, inputs.prompt, inputs.briefs, inputs.params.generate, schema=schema)
    return RunPlan(params=inputs.params, prompt=inputs.prompt, models=models, briefs=inputs.briefs, cells=tuple(cells))


def plan_cells(
    models: Sequence[tuple[ModelConfig, Endpoint]],
    prompt: Prompt,
    briefs: Sequence[Brief],
    settings: GenerateParams,
    *,
    schema: dict[str, JsonValue] | None = None,
) -> list[PlannedCell]:
    """All cells of a run, by model, brief and sample."""
    cells: list[PlannedCell] = []
    for config, endpoint in models:
        for brief in briefs:
            request = build_request(config, endpoint, prompt, brief, schema)
            for sample in range(1, settings.samples + 1):
                texts = (
                    request.canonical(round_number=settings.round, sample=sample, draw=draw)
                    for draw in range(1, settings.unparsed_draws + 1)
                )
                cells.append(
                    PlannedCell(
                        cell=Cell(model_id=config.id, brief_id=brief.id, sample=sample),
                        config=config,
                        request=request,
                        round_number=settings.round,
                        fingerprints=tuple(map(fingerprint_of, texts)),
                    )
                )
    return cells


def by_fingerprint(cells: Sequence[PlannedCell]) -> Mapping[str, tuple[PlannedCell, int]]:
    """The cell and the draw (from 1) of each fingerprint; the first of several cells with equal requests."""
    found: dict[str, tuple[PlannedCell, int]] = {}
    for planned in cells:
        for draw, fingerprint in enumerate(planned.fingerprints, start=1):
            found.setdefault(fingerprint, (planned, draw))
    return found
