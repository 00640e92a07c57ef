"""Adapter: the run that `params.yaml` and the input files describe, in this environment and on this
day.
"""

from collections.abc import Mapping, Sequence

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
from stages.shell.inputs import load_inputs, load_models


def load_plan(params: Params, variables: Mapping[str, str]) -> RunPlan:
    """The run that the settings and the input files describe; every problem of all files is
    reported at once.
    """
    inputs = load_inputs(params)
    models = _plan_models(inputs.models, params, variables)
    called = [model for model in models if model.config.provider != "recorded"]
    recorded = [model for model in models if model.config.provider == "recorded"]
    cells = plan_cells(called, inputs.prompt, inputs.briefs, params.generate)
    return RunPlan(
        params=params,
        prompt=inputs.prompt,
        models=tuple(called),
        briefs=inputs.briefs,
        cells=tuple(cells),
        recorded=tuple(recorded),
    )


def unused_keys(plan: RunPlan, variables: Mapping[str, str]) -> list[str]:
    """The variables with keys of models in `models/` that are set although all models that a
    run calls are simulated.
    """
    simulated = [model for model in plan.models if model.endpoint.simulated]
    if not simulated or len(simulated) < len(plan.models):
        return []
    names = {endpoint_of(config, variables).key_env for config in load_models()}
    return sorted(name for name in names if name and variables.get(name))


def _plan_models(
    configs: Sequence[ModelConfig], params: Params, variables: Mapping[str, str]
) -> list[PlannedModel]:
    structured = any(config.params.response_format == "json_schema" for config in configs)
    schema = _load_schema() if structured else None
    today = environment.today()
    models: list[PlannedModel] = []
    for config in configs:
        endpoint = endpoint_of(config, variables)
        if endpoint.url and not config.base_url:
            _check_url(variables[BASE_URL_VARIABLE])
        published = published_prices(config.provider, endpoint.url, config.model)
        model = plan_model(
            config, endpoint, params.runtime, schema=schema, published=published, today=today
        )
        models.append(model)
    return models


def _check_url(url: str) -> None:
    fault = url_fault(url)
    if fault is not None:
        raise InputError([Problem("environment", BASE_URL_VARIABLE, fault)])


def _load_schema() -> dict[str, JsonValue]:
    try:
        schema = parse(read_input(paths.DRAFT_SCHEMA))
        fault = schema_fault(schema)
    except NotJson as error:
        schema, fault = None, f"is not JSON: {error}"
    if fault or not isinstance(schema, dict):
        raise InputError([Problem(paths.DRAFT_SCHEMA.as_posix(), "", fault or "")])
    return schema
