"""Adapter: the run that `params.yaml`, the input files and the options of a command describe, in
this environment and on this day.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph_evaluator.generate.plan.call import (
    BASE_URL_VARIABLE,
    Call,
    PlannedModel,
    Variables,
    endpoint_of,
    is_loopback,
    plan_model,
)
from graph_evaluator.generate.plan.cells import RunPlan, plan_cells
from graph_evaluator.generate.prices import published_prices
from graph_evaluator.records.errors import Problem, collecting, input_error, refuse
from graph_evaluator.records.json_text import JsonObject, NotJson, parse
from graph_evaluator.records.model_config import ADDRESS_RULE, ModelConfig, is_address
from graph_evaluator.records.params import Params
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import today
from graph_evaluator.shell.inputs import load_inputs
from graph_evaluator.shell.paths import read_input
from graph_evaluator.simulate.characters import MODELS

Changes = Mapping[str, object]
"""The values of options that replace settings of `params.yaml`, by the names of these."""


def load_plan(params: Params, variables: Variables) -> RunPlan:
    """The run that the settings and the input files describe; every problem of all files is
    reported at once.
    """
    prompt, configs, briefs = load_inputs(params)
    models = plan_models(configs, params, variables)
    called = [model for model in models if model.config.provider != "recorded"]
    recorded = [model for model in models if model.config.provider == "recorded"]
    cells = plan_cells(called, prompt, briefs, params.generate)
    return RunPlan(
        params=params,
        prompt=prompt,
        models=tuple(called),
        briefs=briefs,
        cells=tuple(cells),
        recorded=tuple(recorded),
    )


def load_changed_plans(
    params: Params, changes: Sequence[Changes], samples: int, variables: Variables
) -> list[RunPlan]:
    """One run plan for each change of the settings, with `samples` samples.

    Raises:
        InputError: every problem of all runs; that of a changed setting is one of the command line.
    """
    generate = params.generate.model_copy(update={"samples": samples})
    plans: list[RunPlan] = []
    problems: list[Problem] = []
    for change in changes:
        of_run: list[Problem] = []
        with collecting(of_run):
            changed = params.model_copy(update={"generate": generate, **change})
            plans.append(load_plan(changed, variables))
        problems += named_by_origin(of_run, change)
    refuse(problems)
    return plans


def named_by_origin(problems: Iterable[Problem], changes: Iterable[str]) -> Iterator[Problem]:
    """The problems, those of changed settings as problems of the command line."""
    for problem in problems:
        is_typed = any(f"{problem.where}.".startswith(f"{key}.") for key in changes)
        if problem.file == paths.PARAMS.as_posix() and is_typed:
            problem = replace(problem, file="command line")
        yield problem


def missing_keys(missing: Iterable[Call], variables: Variables) -> list[Problem]:
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
    configs: Sequence[ModelConfig], params: Params, variables: Variables
) -> list[PlannedModel]:
    """How models are called, in this environment and at today's prices."""
    refuse(
        Problem(
            f"models/{config.id}.json",
            "model",
            f'there is no simulated model "{config.model}"; there are {", ".join(sorted(MODELS))}',
        )
        for config in configs
        if config.provider == "simulated" and config.model not in MODELS
    )
    structured = any(config.params.response_format == "json_schema" for config in configs)
    schema = load_schema() if structured else None
    day = today()
    models: list[PlannedModel] = []
    for config in configs:
        endpoint = endpoint_of(config, variables)
        if endpoint.url and not is_address(endpoint.url):
            raise input_error("environment", BASE_URL_VARIABLE, ADDRESS_RULE)
        published = published_prices(config.provider, endpoint.url, config.model)
        model = plan_model(
            config, endpoint, params.runtime, schema=schema, published=published, today=day
        )
        models.append(model)
    return models


def load_schema() -> JsonObject:
    """The JSON Schema of draft graphs, which is sent; InputError where it cannot be used."""
    from jsonschema import Draft202012Validator, SchemaError  # takes a while

    file = paths.DRAFT_SCHEMA.as_posix()
    text = read_input(paths.DRAFT_SCHEMA)
    try:
        schema: Any = parse(text)
        Draft202012Validator.check_schema(schema)
    except NotJson as error:
        raise input_error(file, "", f"is not JSON: {error}") from None
    except SchemaError as error:
        message = f"is not a JSON Schema: {error.message} at {error.json_path}"
        raise input_error(file, "", message) from None
    if not isinstance(schema, dict):
        raise input_error(file, "", "must be a JSON object")
    remote = re.search(r'"\$ref":\s*"([^#"][^"]*)', text)
    if remote:
        within = 'only references within the file ("#/...") are resolved'
        raise input_error(file, "", f'refers to "{remote[1]}": {within}')
    return schema
