"""Configs, briefs and requests for tests."""

import datetime

from graph_evaluator.generate.plan.call import PlannedModel, endpoint_of, plan_model
from graph_evaluator.generate.plan.cells import PlannedCell, plan_cells
from graph_evaluator.records.brief import Brief, Expectations, Prompt
from graph_evaluator.records.model_config import ModelConfig
from graph_evaluator.records.params import GenerateParams, RuntimeParams
from tests.generate.workspace import model

PROMPT = Prompt(path="prompts/p.txt", text="Draft a graph.")
vars(PROMPT)["sha256"] = "a" * 64  # the golden fingerprints are of this hash


def config(name="m", **changed) -> ModelConfig:
    """A model config."""
    return ModelConfig.model_validate(model(name, **changed))


def brief(name="b", body="Buy or rent?") -> Brief:
    """A brief."""
    return Brief(id=name, expectations=Expectations.model_validate({}), body=body, sha256="b" * 64)


def planned_model(of, *, schema=None, runtime=None, variables=None) -> PlannedModel:
    """How a run in this environment calls a model."""
    settings = RuntimeParams.model_validate(runtime or {})
    endpoint = endpoint_of(of, variables or {})
    return plan_model(
        of, endpoint, settings, schema=schema, published=None, today=datetime.date(2026, 11, 21)
    )


def cells(*configs, briefs=1, schema=None, runtime=None, **generate) -> list[PlannedCell]:
    """The cells of a run."""
    return plan_cells(
        [planned_model(of, schema=schema, runtime=runtime) for of in configs],
        PROMPT,
        [brief(f"b{number}", f"brief {number}") for number in range(1, briefs + 1)],
        GenerateParams.model_validate(generate),
    )


def cell(of, *, body="Buy or rent?", schema=None, draws=1, variables=None) -> PlannedCell:
    """The cell of a config and a brief."""
    model = planned_model(of, schema=schema, variables=variables)
    settings = GenerateParams.model_validate({"unparsed_draws": draws})
    return plan_cells([model], PROMPT, [brief(body=body)], settings)[0]
