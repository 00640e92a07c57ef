"""Adapter: the run that `params.yaml` and the input files describe, in this environment and on this
day.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from stages.generate.plan.call import BASE_URL_VARIABLE, Call, endpoint_of, is_loopback
from stages.generate.plan.cells import RunPlan, plan_cells
from stages.generate.plan.models import PlannedModel, plan_model, schema_fault
from stages.generate.prices import published_prices
from stages.shared.records.errors import InputError, Problem, collecting, nearest
from stages.shared.records.json_text import JsonValue, NotJson, parse
from stages.shared.records.model_config import ADDRESS_RULE, ModelConfig, is_address
from stages.shared.records.params import Params
from stages.shared.shell import paths
from stages.shared.shell.command import today
from stages.shared.shell.files import read_input
from stages.shared.shell.inputs import load_inputs
from stages.shared.simulate.characters import MODELS

Changes = Mapping[str, object]
"""The values of options that replace settings of `params.yaml`."""
_SETTINGS = {"--prompt": "prompt", "--models": "models", "--briefs": "briefs", "--by": "models"}


def load_plan(params: Params, variables: Mapping[str, str]) -> RunPlan:
    """The run that the settings and the input files describe; every problem of all files is
    reported at once.
    """
    inputs = load_inputs(params)
    models = plan_models(inputs.models, params, variables)
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


def load_changed_plans(
    params: Params, changes: Sequence[Changes], samples: int, variables: Mapping[str, str]
) -> list[RunPlan]:
    """The runs that the settings with each change describe, of so many samples.

    Raises:
        InputError: every problem of all runs; that of a changed setting is named as its option.
    """
    generate = params.generate.model_copy(update={"samples": samples})
    plans: list[RunPlan] = []
    problems: list[Problem] = []
    for change in changes:
        values = {_SETTINGS[option]: value for option, value in change.items()}
        options = {_SETTINGS[option]: option for option in change}
        of_run: list[Problem] = []
        with collecting(of_run):
            changed = params.model_copy(update={"generate": generate, **values})
            plans.append(load_plan(changed, variables))
        for problem in of_run:
            if problem.file == "params.yaml" and problem.where in options:
                problem = Problem("command line", options[problem.where], problem.message)
            problems.append(problem)
    if problems:
        raise InputError(problems)
    return plans


def missing_keys(missing: Iterable[Call], variables: Mapping[str, str]) -> list[Problem]:
    """What the environment lacks for these calls: a problem for each variable, with the models that
    need it.
    """
    model_ids: defaultdict[str, set[str]] = defaultdict(set)
    for call in missing:
        endpoint = call.endpoint
        needed = {variable for _, variable in endpoint.headers_env}
        if endpoint.key_env is not None and not is_loopback(endpoint):
            needed.add(endpoint.key_env)
        for variable in needed:
            if not variables.get(variable):
                model_ids[variable].add(call.cell.model_id)
    message = "is not set: set it in the environment or in .env, for"
    return [
        Problem("environment", variable, f"{message} {', '.join(sorted(models))}")
        for variable, models in sorted(model_ids.items())
    ]


def plan_models(
    configs: Sequence[ModelConfig], params: Params, variables: Mapping[str, str]
) -> list[PlannedModel]:
    """How models are called, in this environment and at today's prices."""
    unknown = [
        Problem(f"models/{config.id}.json", "model", _no_simulated_model(config.model))
        for config in configs
        if config.provider == "simulated" and config.model not in MODELS
    ]
    if unknown:
        raise InputError(unknown)
    structured = any(config.params.response_format == "json_schema" for config in configs)
    schema = _load_schema() if structured else None
    day = today()
    models: list[PlannedModel] = []
    for config in configs:
        endpoint = endpoint_of(config, variables)
        if endpoint.url and not config.base_url:
            _check_url(variables[BASE_URL_VARIABLE])
        published = published_prices(config.provider, endpoint.url, config.model)
        model = plan_model(
            config, endpoint, params.runtime, schema=schema, published=published, today=day
        )
        models.append(model)
    return models


def _no_simulated_model(name: str) -> str:
    there_are = ", ".join(sorted(MODELS))
    return f'there is no simulated model "{name}"{nearest(name, MODELS)}; there are {there_are}'


def _check_url(url: str) -> None:
    if not is_address(url):
        raise InputError([Problem("environment", BASE_URL_VARIABLE, ADDRESS_RULE)])


def _load_schema() -> dict[str, JsonValue]:
    try:
        schema = parse(read_input(paths.DRAFT_SCHEMA))
        fault = schema_fault(schema)
    except NotJson as error:
        schema, fault = None, f"is not JSON: {error}"
    if fault or not isinstance(schema, dict):
        raise InputError([Problem(paths.DRAFT_SCHEMA.as_posix(), "", fault or "")])
    return schema
