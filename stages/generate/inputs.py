"""Adapter: the run that `params.yaml` and the input files describe, in this environment and on this
day.
"""

from collections.abc import Mapping

from stages.contracts.errors import InputError, Problem
from stages.contracts.json_text import JsonValue, NotJson, parse
from stages.contracts.model_config import url_fault
from stages.contracts.params import Params
from stages.generate.plan.cells import RunPlan, plan_cells
from stages.generate.plan.endpoint import BASE_URL_VARIABLE, endpoint_of
from stages.generate.plan.models import PlannedModel, plan_model, schema_fault
from stages.generate.prices import published_prices
from stages.shell import environment, paths
from stages.shell.files import read_input
from stages.shell.inputs import load_inputs


def load_plan(params: Params, variables: Mapping[str, str]) -> RunPlan:
    """The run that the settings and the input files describe; every problem of all files is
    reported at once.
    """
    inputs = load_inputs(params)
    structured = any(config.params.response_format == "json_schema" for config in inputs.models)
    schema, today = _schema() if structured else None, environment.today()
    models: list[PlannedModel] = []
    for config in inputs.models:
        endpoint = endpoint_of(config, variables)
        if (
            endpoint.url
            and not config.base_url
            and (fault := url_fault(variables[BASE_URL_VARIABLE]))
        ):
            raise InputError([Problem("environment", BASE_URL_VARIABLE, fault)])
        published = published_prices(config.provider, endpoint.url, config.model)
        models.append(
            plan_model(
                config, endpoint, params.runtime, schema=schema, published=published, today=today
            )
        )
    return RunPlan(
        params=params,
        prompt=inputs.prompt,
        models=tuple(models),
        briefs=inputs.briefs,
        cells=tuple(plan_cells(models, inputs.prompt, inputs.briefs, params.generate)),
    )


def _schema() -> dict[str, JsonValue]:
    try:
        loaded = parse(read_input(paths.DRAFT_SCHEMA))
        fault = schema_fault(loaded)
    except NotJson as error:
        loaded, fault = None, f"is not JSON: {error}"
    if fault or not isinstance(loaded, dict):
        raise InputError([Problem(paths.DRAFT_SCHEMA.as_posix(), "", fault or "")])
    return loaded
