"""Adapter: the run that `params.yaml` and the input files describe, in this environment and on this day."""

from collections.abc import Mapping

from stages.contracts.errors import InputError, Problem
from stages.contracts.json_text import JsonValue, NotJson, parse
from stages.contracts.model_config import ModelConfig, url_fault
from stages.contracts.params import Params
from stages.generate.plan.cells import RunPlan, plan_cells
from stages.generate.plan.endpoint import BASE_URL_VARIABLE, endpoint_of
from stages.generate.plan.models import PlannedModel, plan_model, schema_fault
from stages.generate.prices import published_prices
from stages.shell import environment, paths
from stages.shell.files import read_input
from stages.shell.inputs import load_inputs


def load_plan(params: Params, variables: Mapping[str, str]) -> RunPlan:
    """The run that the settings and the input files describe.

    Raises:
        InputError: something in them is wrong (every problem of all files), or `OPENAI_BASE_URL` is not an address.
    """
    inputs = load_inputs(params)
    structured = any(config.params.response_format == "json_schema" for config in inputs.models)
    schema = _schema() if structured else None
    today = environment.today()

    def planned(config: ModelConfig) -> PlannedModel:
        endpoint = endpoint_of(config, variables)
        if endpoint.url and not config.base_url and (fault := url_fault(variables[BASE_URL_VARIABLE])):
            raise InputError([Problem("environment", BASE_URL_VARIABLE, fault)])
        published = published_prices(config.provider, endpoint.url, config.model)
        day = today.isoformat()
        return plan_model(config, endpoint, params.runtime, schema=schema, published=published, today=day)

    models = tuple(map(planned, inputs.models))
    cells = plan_cells(models, inputs.prompt, inputs.briefs, params.generate)
    return RunPlan(
        params=params, prompt=inputs.prompt, models=models, briefs=inputs.briefs, cells=tuple(cells), today=today
    )


def _schema() -> dict[str, JsonValue]:
    """The JSON Schema of a draft graph, for models that are asked for structured output."""
    file = paths.DRAFT_SCHEMA.as_posix()
    try:
        loaded = parse(read_input(paths.DRAFT_SCHEMA))
    except NotJson as error:
        raise InputError([Problem(file, "", f"is not JSON: {error}")]) from None
    if not isinstance(loaded, dict):
        raise InputError([Problem(file, "", "must hold a JSON object")])
    if fault := schema_fault(loaded):
        raise InputError([Problem(file, "", fault)])
    return loaded
